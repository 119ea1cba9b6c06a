"""Who wins how often: places and pairs of methods, counted over data sets and measures as papers count them.

A case is a data set and a measure. Means are compared as readers see them, rounded (three decimals, or two of a
percentage), so that what a paper calls a tie is one. Cases are counted ``among``

- ``all``: our methods that have ranks, on the data sets and measures that all of them have;
- ``same cells``: those of our results that have a printed number beside them;
- ``print``: the printed numbers of the same cells.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from algos.evaluation.metrics import METRICS
from algos.experiments.layouts import group_rows

#: Columns of the table of places and their types.
PLACES: dict[str, type] = {
    "among": str,
    "method": str,
    "label": str,
    "n_cases": int,
    "n_first": int,
    "n_top_two": int,
}

#: Columns of the table of pairs and their types.
WINS: dict[str, type] = {
    "among": str,
    "method": str,
    "label": str,
    "rival": str,
    "rival_label": str,
    "n_cases": int,
    "n_wins": int,
    "n_ties": int,
    "n_losses": int,
    "n_tested": int,
    "n_clear_wins": int,
    "n_clear_losses": int,
}

#: Level of the test that makes a win a clear one.
LEVEL = 0.05

Losses = dict[tuple[str, str], dict[str, float]]


def count_places(summary: Sequence[Mapping[str, Any]], comparison: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Count how often each method is first, and among the first two.

    Parameters
    ----------
    summary : sequence of dict
        Rows of `algos.experiments.tables.summarise`, of the methods to count.
    comparison : sequence of dict
        Rows of `algos.experiments.reported.compare`.

    Returns
    -------
    list of dict
        Columns `PLACES`. A method is first where none is strictly better, and among the first two where at most one is.
    """
    labels = {row["method"]: row["label"] for row in (*summary, *comparison)}
    rows = []
    for among, cases in _contests(summary, comparison).items():
        for method in _methods(cases):
            better = [sum(loss < losses[method] for loss in losses.values()) for losses in cases.values()]
            counts = (len(cases), sum(n == 0 for n in better), sum(n <= 1 for n in better))
            rows.append(dict(zip(PLACES, (among, method, labels[method], *counts), strict=True)))
    return rows


def count_wins(
    folds: Sequence[Mapping[str, Any]],
    summary: Sequence[Mapping[str, Any]],
    comparison: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Count in how many cases each method is better than each other one.

    Parameters
    ----------
    folds : sequence of dict
        Rows of `algos.experiments.tables.fold_rows`.
    summary, comparison
        As in `count_places`.

    Returns
    -------
    list of dict
        Columns `WINS`, each pair of methods once each way. Of our own, ``n_clear_wins`` counts those wins, of
        ``n_tested`` cases that both methods ran several folds of, that the corrected resampled t-test over the folds
        finds at 5 % (`algos.evaluation.statistics.corrected_resampled_t_test`).
    """
    labels = {row["method"]: row["label"] for row in (*summary, *comparison)}
    p_values = _p_values(folds, {row["method"] for row in summary})
    rows = []
    for among, cases in _contests(summary, comparison).items():
        methods = _methods(cases)
        for method in methods:
            for rival in methods:
                if rival == method:
                    continue
                signs = {case: _sign(losses[rival] - losses[method]) for case, losses in cases.items()}
                tested = {} if among == "print" else {c: p_values.get((*c, *sorted((method, rival)))) for c in signs}
                clear = [signs[case] for case, p_value in tested.items() if p_value is not None and p_value < LEVEL]
                counts = [sum(sign == side for sign in signs.values()) for side in (1, 0, -1)]
                clear_counts = [
                    sum(p_value is not None for p_value in tested.values()),
                    clear.count(1),
                    clear.count(-1),
                ]
                names = (among, method, labels[method], rival, labels[rival], len(cases))
                rows.append(dict(zip(WINS, (*names, *counts, *clear_counts), strict=True)))
    return rows


def _contests(
    summary: Sequence[Mapping[str, Any]], comparison: Sequence[Mapping[str, Any]]
) -> dict[str, dict[tuple[str, str], dict[str, float]]]:
    """Losses of the methods in each case, by what they are counted among; contests of one method are left out."""
    printed = [row for row in comparison if row["printed"] is not None and row["n_runs"]]
    contests = {
        "all": _cases(summary, "value"),
        "same cells": _cases(printed, "reproduced"),
        "print": _cases(printed, "printed"),
    }
    return {among: cases for among, cases in contests.items() if len(_methods(cases)) > 1}


def _cases(rows: Sequence[Mapping[str, Any]], column: str) -> Losses:
    """Return the rounded losses of the cases that all methods have."""
    cases: Losses = {}
    for (dataset, metric), group in group_rows(rows, "dataset", "metric").items():
        sign = 1 if METRICS[metric].lower_is_better else -1
        decimals = 2 if METRICS[metric].percent else 3
        cases[dataset, metric] = {row["method"]: sign * round(row[column], decimals) for row in group}
    methods = {row["method"] for row in rows}
    return {case: losses for case, losses in cases.items() if losses.keys() == methods}


def _methods(cases: Losses) -> list[str]:
    return list(next(iter(cases.values()), ()))


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)


def _p_values(folds: Sequence[Mapping[str, Any]], methods: set[str]) -> dict[tuple[str, str, str, str], float]:
    """p-value of the paired test of each data set, measure and pair of methods in the order of their names."""
    from algos.evaluation.statistics import corrected_resampled_t_test

    p_values = {}
    for (dataset, metric), rows in group_rows(folds, "dataset", "metric").items():
        runs = {m: {row["fold"]: row for row in rows if row["method"] == m} for m in sorted(methods)}
        for method, ours in runs.items():
            for rival, theirs in runs.items():
                common = [fold for fold in ours if fold in theirs]
                if method < rival and len(common) > 1:
                    differences = [ours[fold]["value"] - theirs[fold]["value"] for fold in common]
                    sizes = [fmean(ours[fold][part] for fold in common) for part in ("n_train", "n_test")]
                    p_values[dataset, metric, method, rival] = corrected_resampled_t_test(differences, *sizes)
    return p_values
