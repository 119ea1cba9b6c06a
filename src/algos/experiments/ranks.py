"""Ranks of methods on each data set, and their averages with a test over data sets.

Means are compared as the table of results prints them, and a data set counts once: where it runs with several levels of
label noise, each method's mean over the levels stands for it.
"""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from algos.evaluation.metrics import METRICS
from algos.experiments.layouts import group_rows
from algos.experiments.rounding import rounded, table_decimals

#: Columns of the table of ranks on each data set and their types.
SET_RANKS: dict[str, type] = {
    "metric": str,
    "dataset": str,
    "method": str,
    "label": str,
    "value": float,
    "rank": float,
}

#: Columns of the table of average ranks and their types.
RANKS: dict[str, type] = {
    "metric": str,
    "method": str,
    "label": str,
    "average_rank": float,
    "n_best": int,
    "n_datasets": int,
    "test": str,
    "p_value": float,
    "critical_difference": float,
}

#: What runs, tables and figures call a data set with label noise -> (data set, percent).
Noise = Mapping[str, Sequence[Any]]


def over_levels(rows: Iterable[Mapping[str, Any]], column: str, noise: Noise | None) -> list[dict[str, Any]]:
    """Average a column over the levels of label noise of each data set, which are no data sets of their own.

    Rows are told apart by data set, measure, method and, where they have one, fold. Of a data set the levels count that
    all its methods have, and the folds that are there at all of these.
    """
    noise = noise or {}
    sets: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        sets.setdefault((_set_of(row["dataset"], noise), row["metric"]), []).append(row)
    averaged = []
    for (dataset, _), of_set in sets.items():
        methods = {row["method"] for row in of_set}
        levels = [
            level for level in group_rows(of_set, "dataset").values() if {row["method"] for row in level} == methods
        ]
        cells: dict[tuple[str, Any], list[Mapping[str, Any]]] = {}
        for row in (row for level in levels for row in level):
            cells.setdefault((row["method"], row.get("fold")), []).append(row)
        averaged += [
            {**cell[0], "dataset": dataset, column: statistics.fmean(row[column] for row in cell)}
            for cell in cells.values()
            if len(cell) == len(levels)
        ]
    return averaged


def decimals_over_levels(decimals: Mapping[tuple[str, str], int], noise: Noise | None) -> dict[tuple[str, str], int]:
    """Return (data set, measure) -> decimals, of the most exact of its levels of label noise."""
    merged: dict[tuple[str, str], int] = {}
    for (case, metric), n in decimals.items():
        key = (_set_of(case, noise or {}), metric)
        merged[key] = max(n, merged.get(key, 0))
    return merged


def _set_of(case: str, noise: Noise) -> str:
    return noise[case][0] if case in noise else case


def set_rank_rows(
    summary: Sequence[Mapping[str, Any]],
    decimals: Mapping[tuple[str, str], int] | None = None,
    noise: Noise | None = None,
) -> list[dict[str, Any]]:
    """Rank the methods of a summary by each measure on the data sets that all of them ran.

    Parameters
    ----------
    summary : sequence of dict
        Rows of `algos.experiments.tables.summarise`, of the methods to rank.
    decimals : dict, optional
        (what the rows call a data set, measure) -> decimals of its means in the table of results
        (`algos.experiments.rounding.table_decimals` of all rows of that table).
    noise : dict, optional
        What the rows call a data set with label noise -> (data set, percent).

    Returns
    -------
    list of dict
        Columns `SET_RANKS`; rank 1 is best, ties share a mean rank. Empty where fewer than two methods ran.
    """
    from scipy.stats import rankdata

    shown = decimals_over_levels(table_decimals(summary) if decimals is None else decimals, noise)
    means = over_levels(summary, "value", noise)
    rows = []
    for (metric,), of_metric in group_rows(means, "metric").items():
        methods = list(dict.fromkeys(row["method"] for row in of_metric))
        sign = 1 if METRICS[metric].lower_is_better else -1
        for (dataset,), of_set in group_rows(of_metric, "dataset").items():
            cells = {row["method"]: row for row in of_set}
            if len(methods) < 2 or len(cells) < len(methods):
                continue
            values = [rounded(cells[method]["value"], shown[dataset, metric]) for method in methods]
            for method, value, rank in zip(methods, values, rankdata([sign * v for v in values]), strict=True):
                row = (metric, dataset, method, cells[method]["label"], value, float(rank))
                rows.append(dict(zip(SET_RANKS, row, strict=True)))
    return rows


def rank_rows(set_ranks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Average ranks over data sets and test whether methods differ.

    Two methods are compared by the Wilcoxon signed-rank test over data sets, three and more by Friedman's
    test with Nemenyi's critical difference at 5 % (Demsar, JMLR 7, 2006). Fewer than three common data sets
    are not tested.

    Parameters
    ----------
    set_ranks : sequence of dict
        Rows of `set_rank_rows`.

    Returns
    -------
    list of dict
        Columns `RANKS`, for each measure the best method first. ``n_best`` counts the data sets a method is best on; a
        tie counts for each.
    """
    return [row for of_metric in group_rows(set_ranks, "metric").values() for row in _rank_rows(of_metric)]


def _rank_rows(set_ranks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    import numpy as np

    metric = set_ranks[0]["metric"]
    methods = group_rows(set_ranks, "method")
    values = np.array([[row["value"] for row in rows] for rows in methods.values()]).T
    losses = values if METRICS[metric].lower_is_better else -values
    is_best = losses == losses.min(axis=1, keepdims=True)
    test, p_value, difference = _test_ranks(losses)
    rows = []
    for ((method,), of_method), n_best in zip(methods.items(), is_best.sum(axis=0), strict=True):
        rank = statistics.fmean(row["rank"] for row in of_method)
        about = (metric, method, of_method[0]["label"], rank, int(n_best), len(losses), test, p_value, difference)
        rows.append(dict(zip(RANKS, about, strict=True)))
    return sorted(rows, key=lambda row: row["average_rank"])


def _test_ranks(losses: Any) -> tuple[str | None, float | None, float | None]:
    """Name, p-value and critical difference of ranks of the test over data sets (None: no test)."""
    import numpy as np

    from algos.evaluation.statistics import critical_difference, friedman_test, signed_rank_p_value

    n_datasets, n_methods = losses.shape
    if n_datasets < 3:
        return None, None, None
    if n_methods > 2:
        return "Friedman", friedman_test(losses)[1], critical_difference(n_methods, n_datasets)
    # Rounded once more: differences of equal decimals are equal.
    return "Wilcoxon signed-rank", signed_rank_p_value(np.round(losses[:, 0] - losses[:, 1], 9)), None
