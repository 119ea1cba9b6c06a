"""Who wins how often: places and pairs of methods, counted over data sets and measures as papers count them.

A case is a data set and a measure; the levels of label noise of a data set are averaged first, for they are no data
sets of their own. Means are compared as the tables print them, so that what a paper calls a tie is one. Cases are
counted ``among``

- ``all``: our methods that have ranks, on the data sets and measures that all of them have;
- ``same cells``: those of our results that have a printed number beside them;
- ``print``: the printed numbers of the same cells.

A printed row that is the mean over data sets is no case.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from algos.evaluation.metrics import METRICS
from algos.experiments.layouts import group_rows
from algos.experiments.ranks import Noise, decimals_over_levels, over_levels
from algos.experiments.reported import MEAN
from algos.experiments.rounding import full_decimals, print_decimals, rounded, table_decimals

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
Rows = Sequence[Mapping[str, Any]]
Decimals = Mapping[tuple[str, str], int]


def count_places(
    summary: Rows, comparison: Rows, decimals: Decimals | None = None, noise: Noise | None = None
) -> list[dict[str, Any]]:
    """Count how often each method is first, and among the first two.

    Parameters
    ----------
    summary : sequence of dict
        Rows of `algos.experiments.tables.summarise`, of the methods to count.
    comparison : sequence of dict
        Rows of `algos.experiments.reported.compare`.
    decimals, noise
        As in `algos.experiments.ranks.set_rank_rows`.

    Returns
    -------
    list of dict
        Columns `PLACES`. A method is first where none is strictly better, and among the first two where at most one is.
    """
    labels = {row["method"]: row["label"] for row in (*summary, *comparison)}
    rows = []
    for among, (_, cases) in _contests(summary, comparison, decimals, noise).items():
        for method in _methods(cases):
            better = [sum(loss < losses[method] for loss in losses.values()) for losses in cases.values()]
            counts = (len(cases), sum(n == 0 for n in better), sum(n <= 1 for n in better))
            rows.append(dict(zip(PLACES, (among, method, labels[method], *counts), strict=True)))
    return rows


def count_wins(
    folds: Rows, summary: Rows, comparison: Rows, decimals: Decimals | None = None, noise: Noise | None = None
) -> list[dict[str, Any]]:
    """Count in how many cases each method is better than each other one.

    Parameters
    ----------
    folds : sequence of dict
        Rows of `algos.experiments.tables.fold_rows`.
    summary, comparison, decimals, noise
        As in `count_places`.

    Returns
    -------
    list of dict
        Columns `WINS`, each pair of methods once each way. Of our own, ``n_clear_wins`` counts those wins, of
        ``n_tested`` cases that both methods ran several folds of, that the corrected resampled t-test over the folds
        finds at 5 % (`algos.evaluation.statistics.corrected_resampled_t_test`).
    """
    labels = {row["method"]: row["label"] for row in (*summary, *comparison)}
    rows = []
    for among, (cells, cases) in _contests(summary, comparison, decimals, noise).items():
        methods = _methods(cases)
        counted = [row for row in folds if (row["dataset"], row["metric"], row["method"]) in cells]
        p_values = {} if among == "print" else _p_values(over_levels(counted, "value", noise))
        for method in methods:
            for rival in methods:
                if rival == method:
                    continue
                signs = {case: _sign(losses[rival] - losses[method]) for case, losses in cases.items()}
                tested = {case: p_values.get((*case, *sorted((method, rival)))) for case in signs}
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
    summary: Rows, comparison: Rows, decimals: Decimals | None, noise: Noise | None
) -> dict[str, tuple[set[tuple[str, str, str]], Losses]]:
    """What is counted, by what it is counted among: the cells, and the methods' losses in each case.

    Contests of one method are left out.
    """
    shown = table_decimals(summary) if decimals is None else decimals
    printed = [row for row in comparison if row["printed"] is not None and row["n_runs"] and row["dataset"] != MEAN]
    of_print = {
        (dataset, metric): print_decimals(metric, (row["printed"] for row in rows))
        for (dataset, metric), rows in group_rows(printed, "dataset", "metric").items()
    }
    contests = {
        "all": (summary, "value", shown),
        "same cells": (printed, "reproduced", shown),
        "print": (printed, "printed", of_print),
    }
    cases = {
        among: ({(row["dataset"], row["metric"], row["method"]) for row in rows}, _cases(rows, column, digits, noise))
        for among, (rows, column, digits) in contests.items()
    }
    return {among: (cells, losses) for among, (cells, losses) in cases.items() if len(_methods(losses)) > 1}


def _cases(rows: Rows, column: str, decimals: Decimals, noise: Noise | None) -> Losses:
    """Return the losses, as they are printed, of the cases that all methods have."""
    shown, cases = decimals_over_levels(decimals, noise), {}
    for (dataset, metric), group in group_rows(over_levels(rows, column, noise), "dataset", "metric").items():
        sign = 1 if METRICS[metric].lower_is_better else -1
        digits = shown.get((dataset, metric), full_decimals(metric))
        cases[dataset, metric] = {row["method"]: sign * rounded(row[column], digits) for row in group}
    methods = {row["method"] for row in rows}
    return {case: losses for case, losses in cases.items() if losses.keys() == methods}


def _methods(cases: Losses) -> list[str]:
    return list(next(iter(cases.values()), ()))


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)


def _p_values(folds: Rows) -> dict[tuple[str, str, str, str], float]:
    """p-value of the paired test of each data set, measure and pair of methods in the order of their names."""
    from algos.evaluation.statistics import corrected_resampled_t_test

    p_values, methods = {}, {row["method"] for row in folds}
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
