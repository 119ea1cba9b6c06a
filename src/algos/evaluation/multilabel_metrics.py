"""Multi-label measures, all in [0, 1]: the six of You et al. 2017, section 4.1, F1 and subset accuracy.

`Y` are the true labels, 0 or 1, dense or sparse, shape (n_samples, n_labels); `scores` rank a sample's labels, the
largest first; `predictions` are 0 or 1. Lower is better for the losses, higher for the others.

Which samples count: a sample with no label, or with all of them, has no pair of a true and a false label, so one-error,
coverage, ranking loss and average precision skip it; Hamming loss and the other measures of predictions count it.
Macro AUC skips labels that no sample, or every sample, has. A measure with nothing left to count is NaN.

Ties between scores of one sample are settled by `ties`:

"shared"
    Nobody is favoured. Ranking loss counts a tied (true, false) pair half. A label's rank is the worst of its group of
    equals, in coverage and average precision (as scikit-learn has it); one-error is the share of false labels in the
    group on top, which is what breaking the tie at random gives on average.
"last_first", "first_first"
    The label of higher index (lower index) stands first, so that there are no ties. Ranks of hard decisions then depend
    on the order of the labels: the printed BR row of the paper is "last_first" on decisions of +-1.

Ties between samples in macro AUC count half, whatever `ties` says.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

_TIES = ("shared", "last_first", "first_first")
_CELLS_AT_ONCE = 2**20  # a block of rows of this many scores is sorted at a time, which bounds the memory


def hamming_loss(Y: ArrayLike, predictions: ArrayLike) -> float:
    """Share of (sample, label) cells that are predicted wrongly.

    Parameters
    ----------
    Y, predictions : array-like or sparse matrix of shape (n_samples, n_labels)
        0 or 1.

    Raises
    ------
    ValueError
        For other values, or when shapes differ or are empty; so do the other measures.
    """
    true, predicted = _labels(Y, "Y"), _labels(predictions, "predictions")
    _same_shape(true, predicted, "predictions")
    return float((true != predicted).mean())


def subset_accuracy(Y: ArrayLike, predictions: ArrayLike) -> float:
    """Share of samples whose labels are all predicted rightly; parameters as in :func:`hamming_loss`."""
    true, predicted = _labels(Y, "Y"), _labels(predictions, "predictions")
    _same_shape(true, predicted, "predictions")
    return float((true == predicted).all(axis=1).mean())


def micro_f1(Y: ArrayLike, predictions: ArrayLike) -> float:
    """F1 of all cells together, 0 when none is true or predicted; parameters as in :func:`hamming_loss`."""
    hits, total = _hits_and_totals(Y, predictions)
    return float(2 * hits.sum() / total.sum()) if total.sum() else 0.0


def macro_f1(Y: ArrayLike, predictions: ArrayLike) -> float:
    """Mean of the labels' F1, 0 for one that is never true nor predicted; parameters as in :func:`hamming_loss`."""
    hits, total = _hits_and_totals(Y, predictions)
    return float(np.mean(2 * hits / np.maximum(total, 1)))


def one_error(Y: ArrayLike, scores: ArrayLike, ties: str = "shared") -> float:
    """Share of samples whose label on top is false.

    Parameters
    ----------
    Y : array-like or sparse matrix of shape (n_samples, n_labels)
        0 or 1.
    scores : array-like of shape (n_samples, n_labels)
        Any numbers but NaN.
    ties : {"shared", "last_first", "first_first"}, default="shared"
        See the module.

    Returns
    -------
    float
        NaN where no sample counts; so do the other measures of ranks.
    """
    return _ranking_measures(Y, scores, ties)["one_error"]


def coverage(Y: ArrayLike, scores: ArrayLike, ties: str = "shared") -> float:
    """Mean rank, from 0, of the true label ranked last, over the number of labels; see :func:`one_error`."""
    return _ranking_measures(Y, scores, ties)["coverage"]


def ranking_loss(Y: ArrayLike, scores: ArrayLike, ties: str = "shared") -> float:
    """Mean share of a sample's (true, false) pairs of labels in the wrong order; see :func:`one_error`."""
    return _ranking_measures(Y, scores, ties)["ranking_loss"]


def average_precision(Y: ArrayLike, scores: ArrayLike, ties: str = "shared") -> float:
    """Label-ranking average precision: mean, over a sample's true labels, of the share of true ones down to its rank.

    Parameters as in :func:`one_error`.
    """
    return _ranking_measures(Y, scores, ties)["average_precision"]


def macro_auc(Y: ArrayLike, scores: ArrayLike) -> float:
    """Mean area under the ROC curve of the labels that some samples have and others have not; see :func:`one_error`."""
    true, scores = _truth_and_scores(Y, scores)
    # Its share of (sample with, sample without the label) pairs in the right order: ranking loss by columns.
    return 1 - _mean_of_blocks(true.T, scores.T, "shared")["ranking_loss"]


def multilabel_measures(
    Y: ArrayLike, scores: ArrayLike, predictions: ArrayLike, ties: str = "shared"
) -> dict[str, float]:
    """The six measures of the paper at the cost of one ranking, which is most of it.

    Parameters
    ----------
    Y, predictions : array-like or sparse matrix of shape (n_samples, n_labels)
        0 or 1.
    scores : array-like of shape (n_samples, n_labels)
        Any numbers but NaN.
    ties : {"shared", "last_first", "first_first"}, default="shared"
        See the module.

    Returns
    -------
    dict
        "hamming_loss", "one_error", "coverage", "ranking_loss", "average_precision", "macro_auc", in this order.

    Examples
    --------
    >>> from algos.evaluation import multilabel_measures
    >>> measures = multilabel_measures([[1, 0, 0], [0, 1, 1]], [[3, 2, 1], [3, 2, 1]], [[1, 0, 0], [1, 1, 0]])
    >>> {name: round(value, 3) for name, value in measures.items()}["average_precision"]
    0.792
    """
    return {
        "hamming_loss": hamming_loss(Y, predictions),
        **_ranking_measures(Y, scores, ties),
        "macro_auc": macro_auc(Y, scores),
    }


def _ranking_measures(Y: ArrayLike, scores: ArrayLike, ties: str) -> dict[str, float]:
    if ties not in _TIES:
        raise ValueError(f"ties must be one of {', '.join(map(repr, _TIES))}, not {ties!r}")
    return _mean_of_blocks(*_truth_and_scores(Y, scores), ties)


def _mean_of_blocks(true: np.ndarray, scores: np.ndarray, ties: str) -> dict[str, float]:
    """Means of the ranking measures over the rows that have both true and false cells."""
    n_true = true.sum(axis=1)
    counted = np.flatnonzero((n_true > 0) & (n_true < true.shape[1]))
    sums: dict[str, float] = dict.fromkeys(("one_error", "coverage", "ranking_loss", "average_precision"), 0.0)
    for rows in _blocks(counted, true.shape[1]):
        for name, values in _measures_of_rows(true[rows], scores[rows], ties).items():
            sums[name] += values.sum()
    return {name: float(total) / len(counted) if len(counted) else float("nan") for name, total in sums.items()}


def _blocks(rows: np.ndarray, width: int) -> Iterator[np.ndarray]:
    step = max(1, _CELLS_AT_ONCE // width)
    return (rows[start : start + step] for start in range(0, len(rows), step))


def _measures_of_rows(true: np.ndarray, scores: np.ndarray, ties: str) -> dict[str, np.ndarray]:
    """The ranking measures of each row. A cell's group is the cells of its row with the same score."""
    if ties == "first_first":
        true, scores = true[:, ::-1], scores[:, ::-1]
    # Ascending, so of equal scores a stable sort puts the cell of higher index later, which is higher up.
    order = np.argsort(scores, axis=1, kind="quicksort" if ties == "shared" else "stable")
    cell_true = np.take_along_axis(true, order, axis=1)
    L = scores.shape[1]
    if ties == "shared":
        begins, ends = _group_bounds(np.take_along_axis(scores, order, axis=1))
    else:
        begins = np.broadcast_to(np.arange(L, dtype=np.int32), scores.shape)
        ends = begins + 1
    true_before = _count_before(cell_true)
    n_true = true_before[:, -1].astype(np.int64)  # its square is too large for 32 bits
    # From here on over true cells only: how many cells are below the group, how many up to its end; all, and true ones.
    row, place = np.nonzero(cell_true)
    below, reached = begins[row, place], ends[row, place]
    true_below, true_reached = true_before[row, below], true_before[row, reached]
    false_above = (L - reached) - (n_true[row] - true_reached)
    false_equal = (reached - below) - (true_reached - true_below)
    rank = L - below  # from 1, the worst of the group
    wrong_pairs = np.bincount(row, false_above + false_equal / 2)
    precision = np.bincount(row, (n_true[row] - true_below) / rank)
    last = np.cumsum(n_true) - n_true  # the first true cell of a row is the one ranked last
    top = begins[:, -1]
    return {
        "one_error": 1 - (n_true - true_before[np.arange(len(top)), top]) / (L - top),
        "coverage": (rank[last] - 1) / L,
        "ranking_loss": wrong_pairs / (n_true * (L - n_true)),
        "average_precision": precision / n_true,
    }


def _group_bounds(ascending: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each cell of sorted rows, where its group of equals begins and where the next one does."""
    n, L = ascending.shape
    starts = np.ones((n, L + 1), dtype=bool)
    np.not_equal(ascending[:, 1:], ascending[:, :-1], out=starts[:, 1:-1])
    places = np.arange(L + 1, dtype=np.int32)
    begins = np.maximum.accumulate(np.where(starts[:, :-1], places[:-1], 0), axis=1)
    ends = np.minimum.accumulate(np.where(starts[:, :0:-1], places[:0:-1], L), axis=1)[:, ::-1]
    return begins, ends


def _count_before(cells: np.ndarray) -> np.ndarray:
    """How many of a row's cells before each place, from 0 to the row's end, are true."""
    counts = np.zeros((len(cells), cells.shape[1] + 1), dtype=np.int32)
    np.cumsum(cells, axis=1, out=counts[:, 1:])
    return counts


def _hits_and_totals(Y: ArrayLike, predictions: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """For each label how often it is both true and predicted, and how often true plus how often predicted."""
    true, predicted = _labels(Y, "Y"), _labels(predictions, "predictions")
    _same_shape(true, predicted, "predictions")
    return (true & predicted).sum(axis=0), true.sum(axis=0) + predicted.sum(axis=0)


def _truth_and_scores(Y: ArrayLike, scores: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    true, scores = _labels(Y, "Y"), np.asarray(scores, dtype=np.float64)
    _same_shape(true, scores, "scores")
    if np.isnan(scores).any():
        raise ValueError("scores hold NaN; every label of every sample needs a number to be ranked by")
    return true, scores


def _labels(Y: Any, name: str) -> np.ndarray:
    """Labels as booleans."""
    dense = not hasattr(Y, "toarray")
    Y = np.asarray(Y) if dense else Y.tocsr()
    if Y.ndim != 2 or 0 in Y.shape:
        raise ValueError(f"{name} must have samples in rows and labels in columns, at least one of each, not {Y.shape}")
    values = Y if dense else Y.data
    if not ((values == 0) | (values == 1)).all():
        raise ValueError(f"{name} must hold only 0 and 1")
    return Y == 1 if dense else Y.astype(bool).toarray()


def _same_shape(true: np.ndarray, other: np.ndarray, name: str) -> None:
    if true.shape != other.shape:
        raise ValueError(f"{name} have shape {other.shape} where Y has {true.shape}")
