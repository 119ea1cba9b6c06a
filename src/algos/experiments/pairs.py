"""Two methods of an experiment compared: split by split, over data sets, and against label noise."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from algos.experiments.layouts import ALL_DATASETS

#: Columns of the table of pairs and their types.
PAIRS: dict[str, type] = {
    "metric": str,
    "first": str,
    "second": str,
    "first_label": str,
    "second_label": str,
    "dataset": str,
    "kind": str,
    "n": int,
    "mean": float,
    "std": float,
    "test": str,
    "p_value": float,
}
_SPLITS, _SETS = "corrected resampled t", "Wilcoxon signed-rank"


def pair_rows(
    folds: Sequence[Mapping[str, Any]],
    pairs: Sequence[Sequence[str]],
    methods: Mapping[str, Any],
    noise: Mapping[str, tuple[str, float]] | None = None,
) -> list[dict[str, Any]]:
    """Return rows that compare methods two by two, columns `PAIRS`; differences are first minus second, as shown.

    Of each pair and measure: a row a data set (``kind`` "difference": mean over splits, tested by the corrected
    resampled t-test) and one over all data sets (their means, each data set counting once, tested by Wilcoxon's test
    from five data sets on: fewer cannot reach 5 %). With label noise also the slope against it (``kind`` "slope":
    change of the difference per ten percent of wrong labels, fitted split by split).

    Parameters
    ----------
    folds : sequence of dict
        Rows of `algos.experiments.tables.fold_rows`.
    pairs : sequence of (str, str)
        Names of methods.
    methods : dict
        Name -> object with ``label``.
    noise : dict, optional
        What the rows call a data set with label noise -> (data set, percent).
    """
    values = {(row["metric"], row["dataset"], row["method"], row["fold"]): row for row in folds}
    metrics = dict.fromkeys(row["metric"] for row in folds)
    rows = []
    for metric in metrics:
        for first, second in pairs:
            base = {
                "metric": metric,
                "first": first,
                "second": second,
                "first_label": methods[first].label,
                "second_label": methods[second].label,
            }
            differences = _differences(values, metric, first, second)
            rows += [{**base, **row} for row in _pair_rows(differences, noise or {})]
    return rows


def _differences(values: Mapping[tuple, Mapping[str, Any]], metric: str, first: str, second: str) -> dict[str, dict]:
    """Return data set -> fold -> (difference, rows to train on, rows to test on) where both methods ran."""
    found: dict[str, dict] = {}
    for (name, dataset, method, fold), row in values.items():
        other = values.get((metric, dataset, second, fold))
        if name == metric and method == first and other:
            found.setdefault(dataset, {})[fold] = (row["value"] - other["value"], row["n_train"], row["n_test"])
    return found


def _pair_rows(differences: Mapping[str, dict], noise: Mapping[str, tuple[str, float]]) -> list[dict[str, Any]]:
    rows = [_tested(dataset, "difference", list(by_fold.values())) for dataset, by_fold in differences.items()]
    means: dict[str, list[float]] = {}
    for row in rows:
        means.setdefault(noise.get(row["dataset"], (row["dataset"],))[0], []).append(row["mean"])
    if len(means) > 1:
        rows.append(_over_sets("difference", [statistics.fmean(of_set) for of_set in means.values()]))
    slopes = [_tested(dataset, "slope", _slopes(differences, noise, dataset)) for dataset in means if noise]
    slopes = [row for row in slopes if row["n"]]
    rows += slopes
    if len(slopes) > 1:
        rows.append(_over_sets("slope", [row["mean"] for row in slopes]))
    return rows


def _slopes(
    differences: Mapping[str, dict], noise: Mapping[str, tuple[str, float]], dataset: str
) -> list[tuple[float, int, int]]:
    """Return the least-squares slope of the difference per ten percent of noise, a split each."""
    points: dict[str, list[tuple[float, tuple]]] = {}
    for case, by_fold in differences.items():
        if noise[case][0] == dataset:
            for fold, entry in by_fold.items():
                points.setdefault(fold, []).append((noise[case][1], entry))
    return [
        (
            10 * statistics.linear_regression([p for p, _ in of_fold], [e[0] for _, e in of_fold]).slope,
            *of_fold[0][1][1:],
        )
        for of_fold in points.values()
        if len({percent for percent, _ in of_fold}) > 1
    ]


def _tested(dataset: str, kind: str, entries: Sequence[tuple[float, int, int]]) -> dict[str, Any]:
    from algos.evaluation.statistics import corrected_resampled_t_test

    row: dict[str, Any] = {"dataset": dataset, "kind": kind, "n": len(entries)}
    row.update(mean=None, std=None, test=None, p_value=None)
    if entries:
        values = [value for value, _, _ in entries]
        row["mean"] = statistics.fmean(values)
        if len(values) > 1:
            sizes = [statistics.fmean(entry[i] for entry in entries) for i in (1, 2)]
            p_value = corrected_resampled_t_test(values, *sizes)
            row.update(std=statistics.stdev(values), test=_SPLITS, p_value=p_value)
    return row


def _over_sets(kind: str, values: Sequence[float]) -> dict[str, Any]:
    import numpy as np

    from algos.evaluation.statistics import signed_rank_p_value

    tested = len(values) >= 5
    return {
        "dataset": ALL_DATASETS,
        "kind": kind,
        "n": len(values),
        "mean": statistics.fmean(values),
        "std": statistics.stdev(values),
        "test": _SETS if tested else None,
        "p_value": signed_rank_p_value(np.round(values, 9)) if tested else None,
    }
