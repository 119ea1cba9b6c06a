"""What a method gains over those that it is a change of: data set by data set, and tested over data sets."""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from algos.evaluation.metrics import METRICS
from algos.evaluation.statistics import signed_rank_p_value
from algos.experiments.layouts import best_values, group_rows, named_metrics, signed
from algos.experiments.markup import Cell, Layout

#: Names and types of the columns of the gains, and of their tests over data sets.
GAINS: dict[str, type] = {
    "dataset": str,
    "metric": str,
    "method": str,
    "label": str,
    "baseline": str,
    "baseline_label": str,
    "control": str,
    "n_runs": int,
    "baseline_value": float,
    "value": float,
    "gain": float,
    "gain_std": float,
}
GAIN_TESTS: dict[str, type] = {
    "metric": str,
    "method": str,
    "label": str,
    "baseline": str,
    "baseline_label": str,
    "n_datasets": int,
    "mean_gain": float,
    "std_error": float,
    "n_better": int,
    "n_equal": int,
    "n_worse": int,
    "p_value": float,
}
_NUMBERS = ("baseline_value", "value", "gain")


def gain_rows(folds: Sequence[Mapping[str, Any]], methods: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row a data set, measure, method and baseline of it, columns `GAINS`.

    The gain is positive where the method is better, whichever way is better; folds are paired by name. ``gain_std`` is
    the sample standard deviation of the folds' gains.

    Parameters
    ----------
    folds : sequence of dict
        Rows of `algos.experiments.tables.fold_rows`.
    methods : dict
        Name in the records -> `algos.experiments.tables.ShownMethod`.
    """
    values = {(row["dataset"], row["method"], row["metric"], row["fold"]): row["value"] for row in folds}
    rows = []
    for (dataset, method, metric), runs in group_rows(folds, "dataset", "method", "metric").items():
        for baseline in methods[method].baselines:
            keys = [(dataset, baseline, metric, run["fold"]) for run in runs]
            pairs = [(values[key], run["value"]) for key, run in zip(keys, runs, strict=True) if key in values]
            if pairs:
                row = {
                    "dataset": dataset,
                    "metric": metric,
                    "method": method,
                    "label": methods[method].label,
                    "baseline": baseline,
                    "baseline_label": methods[baseline].label,
                    "control": "yes" if methods[method].control else None,
                }
                rows.append({**row, **_gain(pairs, METRICS[metric].lower_is_better)})
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


def gain_tests(gains: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row a measure, method and baseline of it, columns `GAIN_TESTS`: the gains over data sets.

    ``p_value`` is that of the two-sided Wilcoxon signed-rank test of the data sets' gains, from three data sets on;
    ``std_error`` is that of their mean.
    """
    tests = []
    for (metric, method, baseline), rows in group_rows(gains, "metric", "method", "baseline").items():
        values = np.round([row["gain"] for row in rows], 9)  # equal numbers are equal whatever the order of summation
        n = len(values)
        cells = {
            "metric": metric,
            "method": method,
            "label": rows[0]["label"],
            "baseline": baseline,
            "baseline_label": rows[0]["baseline_label"],
            "n_datasets": n,
            "mean_gain": float(values.mean()),
            "std_error": float(values.std(ddof=1) / math.sqrt(n)) if n > 1 else None,
            "n_better": int((values > 0).sum()),
            "n_equal": int((values == 0).sum()),
            "n_worse": int((values < 0).sum()),
            "p_value": signed_rank_p_value(values) if n > 2 else None,
        }
        tests.append(cells)
    return tests


def gains_layout(rows: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out each method beside its baseline by the first measure, with means, and wins within and between methods.

    Controls are left out: `gain_tests_layout` has them.
    """
    rows = [row for row in rows if not row["control"] and row["metric"] == rows[0]["metric"]]
    if not rows:
        return Layout(title, [], [], notes=["No method of this experiment has a baseline in it."])
    metric, pairs = rows[0]["metric"], group_rows(rows, "method", "baseline")
    values = {(row["method"], row["baseline"], row["dataset"]): row for row in rows}
    body = [
        [Cell(dataset), *(cell for pair in pairs for cell in _cells(values.get((*pair, dataset)), metric))]
        for dataset in dict.fromkeys(row["dataset"] for row in rows)
    ]
    means = [{key: statistics.fmean(row[key] for row in of_pair) for key in _NUMBERS} for of_pair in pairs.values()]
    body.append([Cell("mean"), *(cell for mean in means for cell in _cells(mean, metric))])
    for name, wins in (("wins within", _wins_within(pairs)), ("wins between", _wins_between(pairs, metric))):
        if wins:
            body.append([Cell(name), *(Cell(text) for pair in pairs for text in (*map(str, wins[pair]), ""))])
    header = ["data set", *["before", "after", "gain"] * len(pairs)]
    groups = [("", 1), *((of_pair[0]["label"], 3) for of_pair in pairs.values())]
    baselines = dict.fromkeys(row["baseline_label"] for row in rows)
    notes = [f"{named_metrics([metric])}. Before: {', '.join(baselines)}; after: with the change that the head names."]
    return Layout(title, header, body, groups, notes)


def _cells(row: Mapping[str, Any] | None, metric: str) -> list[Cell]:
    """Before, after, gain; the better of the two in bold."""
    if row is None:
        return [Cell("–")] * 3
    decimals = 2 if METRICS[metric].percent else 3
    better = best_values({"before": row["baseline_value"], "after": row["value"]}, decimals, metric)
    alone = len(better) == 1
    return [
        Cell(f"{row['baseline_value']:.{decimals}f}", alone and "before" in better),
        Cell(f"{row['value']:.{decimals}f}", alone and "after" in better),
        Cell(signed(row["gain"], decimals)),
    ]


def _wins_within(pairs: Mapping[tuple, Sequence[Mapping[str, Any]]]) -> dict[tuple, tuple[int, int]]:
    """On how many data sets each pair's baseline is better, and the method."""
    return {
        pair: (sum(row["gain"] < -1e-9 for row in rows), sum(row["gain"] > 1e-9 for row in rows))
        for pair, rows in pairs.items()
    }


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
            best = METRICS[metric].best([row[key] for row in rows])
            for row in rows:
                wins[row["method"], row["baseline"]][side] += row[key] == best
    return {pair: (before, after) for pair, (before, after) in wins.items()}


def gain_tests_layout(rows: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out the gains over data sets: mean, wins, p-value."""
    if not rows:
        return Layout(title, [], [], notes=["No method of this experiment has a baseline in it."])
    body = []
    for row in rows:
        decimals = 2 if METRICS[row["metric"]].percent else 3
        gain = signed(row["mean_gain"], decimals)
        gain += "" if row["std_error"] is None else f" ± {row['std_error']:.{decimals}f}"
        wins = f"{row['n_better']} / {row['n_equal']} / {row['n_worse']}"
        p_value = "–" if row["p_value"] is None else f"{row['p_value']:.2g}"
        names = (METRICS[row["metric"]].label, row["label"], row["baseline_label"])
        body.append([Cell(text) for text in (*names, gain, wins, p_value)])
    header = ["measure", "method", "over", "mean gain", "better / equal / worse", "p"]
    notes = [
        "Positive where the method is better, in points where the measure is in percent; ± is the standard error of "
        "the mean over data sets; p: two-sided Wilcoxon signed-rank test over data sets, each on its own."
    ]
    return Layout(title, header, body, notes=notes, numeric_from=3)
