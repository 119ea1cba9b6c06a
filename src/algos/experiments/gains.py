"""What a method gains over the one that it is a change of, data set by data set, as a paper would lay it out."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from algos.evaluation.metrics import METRICS
from algos.experiments.layouts import best_values, group_rows, named_metrics, signed
from algos.experiments.markup import Cell, Layout
from algos.experiments.rounding import fixed, full_decimals, rounded

#: Names and types of the columns of the gains.
GAINS: dict[str, type] = {
    "dataset": str,
    "metric": str,
    "method": str,
    "label": str,
    "baseline": str,
    "baseline_label": str,
    "n_runs": int,
    "baseline_value": float,
    "value": float,
    "gain": float,
    "gain_std": float,
}
_NUMBERS = ("baseline_value", "value", "gain")


def gain_rows(
    folds: Sequence[Mapping[str, Any]], pairs: Sequence[Sequence[str]], methods: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return a row a data set, measure and pair, columns `GAINS`; pairs with a control are left out.

    The gain is positive where the first method is better, whichever way is better; folds are paired by name.
    ``gain_std`` is the sample standard deviation of the folds' gains.

    Parameters
    ----------
    folds : sequence of dict
        Rows of `algos.experiments.tables.fold_rows`.
    pairs : sequence of (str, str)
        Method and its baseline.
    methods : dict
        Name in the records -> `algos.experiments.tables.ShownMethod`.
    """
    values = {(row["dataset"], row["method"], row["metric"], row["fold"]): row["value"] for row in folds}
    rows = []
    for (dataset, method, metric), runs in group_rows(folds, "dataset", "method", "metric").items():
        for first, baseline in pairs:
            keys = [(dataset, baseline, metric, run["fold"]) for run in runs]
            both = [(values[key], run["value"]) for key, run in zip(keys, runs, strict=True) if key in values]
            if first == method and both and not (methods[method].control or methods[baseline].control):
                row = {
                    "dataset": dataset,
                    "metric": metric,
                    "method": method,
                    "label": methods[method].label,
                    "baseline": baseline,
                    "baseline_label": methods[baseline].label,
                }
                rows.append({**row, **_gain(both, METRICS[metric].lower_is_better)})
    return rows


def _gain(pairs: Sequence[tuple[float, float]], lower_is_better: bool) -> dict[str, Any]:
    """Means of the folds' (value before, value after), and their gain."""
    gains = [before - after if lower_is_better else after - before for before, after in pairs]
    return {
        "n_runs": len(pairs),
        "baseline_value": statistics.fmean(before for before, _ in pairs),
        "value": statistics.fmean(after for _, after in pairs),
        "gain": statistics.fmean(gains),
        "gain_std": statistics.stdev(gains) if len(gains) > 1 else None,
    }


def gains_layout(rows: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out each method beside its baseline by the first measure, with means, and wins within and between methods."""
    rows = [row for row in rows if row["metric"] == rows[0]["metric"]]
    if not rows:
        return Layout(title, [], [], notes=["No two methods are named to be compared ('compare')."])
    metric, pairs = rows[0]["metric"], group_rows(rows, "method", "baseline")
    values = {(row["method"], row["baseline"], row["dataset"]): row for row in rows}
    body = [
        [Cell(dataset), *(cell for pair in pairs for cell in _cells(values.get((*pair, dataset)), metric))]
        for dataset in dict.fromkeys(row["dataset"] for row in rows)
    ]
    means = [{key: statistics.fmean(row[key] for row in of_pair) for key in _NUMBERS} for of_pair in pairs.values()]
    body.append([Cell("mean"), *(cell for mean in means for cell in _cells(mean, metric))])
    for name, wins in (("wins within", _wins_within(pairs, metric)), ("wins between", _wins_between(pairs, metric))):
        if wins:
            body.append([Cell(name), *(Cell(text) for pair in pairs for text in (*map(str, wins[pair]), ""))])
    header = ["data set", *["before", "after", "gain"] * len(pairs)]
    groups = [("", 1), *((head, 3) for head in _heads([of_pair[0] for of_pair in pairs.values()]))]
    baselines = dict.fromkeys(row["baseline_label"] for row in rows)
    notes = [f"{named_metrics([metric])}. Before: {', '.join(baselines)}; after: with the change that the head names."]
    named = {row[0].text for row in body}
    notes += [sentence for name, sentence in _WINS.items() if name in named]
    return Layout(title, header, body, groups, notes)


def _heads(pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """The pairs' methods; beside what each stands where one has several baselines."""
    labels = [pair["label"] for pair in pairs]
    return [
        pair["label"] if labels.count(pair["label"]) == 1 else f"{pair['label']} in place of {pair['baseline_label']}"
        for pair in pairs
    ]


_WINS = {
    "wins within": (
        "Wins within: in how many lines before is better than after, and after than before, by the gain as printed."
    ),
    "wins between": (
        "Wins between: in how many lines a method is the best of all methods of the heads, before and after; a tie "
        "counts for each."
    ),
}


def _cells(row: Mapping[str, Any] | None, metric: str) -> list[Cell]:
    """Before, after, gain; the better of the two in bold."""
    if row is None:
        return [Cell("–")] * 3
    decimals = full_decimals(metric)
    better = best_values({"before": row["baseline_value"], "after": row["value"]}, decimals, metric)
    alone = len(better) == 1
    return [
        Cell(fixed(row["baseline_value"], decimals), alone and "before" in better),
        Cell(fixed(row["value"], decimals), alone and "after" in better),
        Cell(signed(row["gain"], decimals)),
    ]


def _wins_within(pairs: Mapping[tuple, Sequence[Mapping[str, Any]]], metric: str) -> dict[tuple, tuple[int, int]]:
    """On how many data sets each pair's baseline is better, and the method, by the gain as it is printed."""
    wins = {}
    for pair, rows in pairs.items():
        gains = [rounded(row["gain"], full_decimals(metric)) for row in rows]
        wins[pair] = (sum(gain < 0 for gain in gains), sum(gain > 0 for gain in gains))
    return wins


def _wins_between(
    pairs: Mapping[tuple, Sequence[Mapping[str, Any]]], metric: str
) -> dict[tuple, tuple[int, int]] | None:
    """On how many data sets each pair is best of all before, and of all after; None where the changes differ.

    A tie counts for each.
    """
    changes = {rows[0]["label"].removeprefix(rows[0]["baseline_label"]) for rows in pairs.values()}
    if len(pairs) < 2 or len(changes) > 1:
        return None
    wins = {pair: [0, 0] for pair in pairs}
    for rows in group_rows([row for of_pair in pairs.values() for row in of_pair], "dataset").values():
        for side, key in enumerate(("baseline_value", "value")):
            shown = [rounded(row[key], full_decimals(metric)) for row in rows]
            for row, value in zip(rows, shown, strict=True):
                wins[row["method"], row["baseline"]][side] += value == METRICS[metric].best(shown)
    return {pair: (before, after) for pair, (before, after) in wins.items()}
