"""Average precision of a ranking, as the PASCAL VOC challenge counts it, at any number of negatives per positive.

Precision falls with every negative that is added to a test set, so an average precision means little without their
number. `negatives_per_positive` answers for a stated number: with P positives, N negatives and the ratio r, each
negative counts r P / N, so that all of them together count r P, and at a threshold that lets TP positives and FP
negatives through

    recall = TP / P,    precision = TP / (TP + FP r P / N).

That is the precision to be expected on r P negatives drawn at random from those at hand.

Rows of equal score cannot be told apart by any threshold: they enter together, and precision and recall are read only
between groups of equal scores. The result therefore does not depend on the order of the rows.
"""

from collections.abc import Sequence
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from algos.exceptions import InputError

KINDS = ("11point", "area", "interpolated_area")


def voc_average_precision(
    y: ArrayLike, scores: ArrayLike, kind: str = "11point", negatives_per_positive: float | None = None
) -> float:
    """Return the average precision of a ranking.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Positives are 1 (or True); negatives -1 or 0 (or False).
    scores : array-like of shape (n_samples,)
        The higher, the more a row should be a positive. Rows of equal score enter together (see the module).
    kind : {"11point", "area", "interpolated_area"}, default "11point"
        ``"11point"``: the mean over the recalls 0, 0.1, ..., 1 of the greatest precision at that recall or a higher
        one, 0 where none is reached (VOC2007). ``"area"``: the sum of precision times gain in recall, without
        interpolation, as in :func:`sklearn.metrics.average_precision_score`. ``"interpolated_area"``: the same sum
        with the interpolated precision of "11point" (VOC since 2010).
    negatives_per_positive : float, optional
        Ratio at which the negatives count; default: as they are.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InputError
        When there is no positive, a score is NaN, the labels or lengths are not as above, or a ratio is asked for and
        there is no negative.

    References
    ----------
    M. Everingham et al., The PASCAL Visual Object Classes (VOC) Challenge, IJCV 88 (2010), section 4.2.

    Examples
    --------
    >>> from algos.evaluation import voc_average_precision
    >>> voc_average_precision([1, -1, 1, -1], [4.0, 3.0, 2.0, 1.0], kind="area")
    0.8333333333333333
    >>> voc_average_precision([1, -1, 1, -1], [4.0, 3.0, 2.0, 1.0], kind="area", negatives_per_positive=10)
    0.5833333333333334
    """
    return float(average_precision_curve(y, scores, [negatives_per_positive], kind)[0])


def average_precision_curve(
    y: ArrayLike, scores: ArrayLike, ratios: Sequence[float | None], kind: str = "11point"
) -> np.ndarray:
    """Return the average precision at each of several numbers of negatives per positive.

    Parameters
    ----------
    y, scores, kind
        As for :func:`voc_average_precision`.
    ratios : sequence of float or None
        Negatives per positive; None: as they are.

    Returns
    -------
    ndarray of shape (n_ratios,)
        Falls as the ratio grows.

    Raises
    ------
    InputError
        As for :func:`voc_average_precision`.
    """
    if kind not in KINDS:
        raise InputError(f"kind is {kind!r}; known: {', '.join(KINDS)}")
    if np.ndim(ratios) != 1:
        raise InputError(f"ratios is {ratios!r}; give a list, such as [1, 4, 10]")
    positive, scores = _checked(y, scores)
    true, false = _counts(positive, scores)
    weights = [_negative_weight(ratio, true[-1], false[-1]) for ratio in ratios]
    return np.array([_average(true, true / (true + weight * false), kind) for weight in weights])


def precision_recall_curve(
    y: ArrayLike, scores: ArrayLike, negatives_per_positive: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return precision and recall at every threshold, from the highest score to the lowest.

    Parameters
    ----------
    y, scores, negatives_per_positive
        As for :func:`voc_average_precision`.

    Returns
    -------
    precision, recall : ndarray of shape (n_distinct_scores,)

    Raises
    ------
    InputError
        As for :func:`voc_average_precision`.
    """
    true, false = _counts(*_checked(y, scores))
    weight = _negative_weight(negatives_per_positive, true[-1], false[-1])
    return true / (true + weight * false), true / true[-1]


def _checked(y: ArrayLike, scores: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    y, scores = np.asarray(y), np.asarray(scores, dtype=float)
    if y.ndim != 1 or y.shape != scores.shape:
        raise InputError(f"labels have the shape {y.shape}, scores {scores.shape}: give one label and score per row")
    if np.isnan(scores).any():
        raise InputError(f"score {int(np.flatnonzero(np.isnan(scores))[0])} is NaN and cannot be ranked")
    values = set(y.tolist())
    if not (values <= {0, 1} or values <= {-1, 1}):
        raise InputError(
            f"labels are {sorted(values, key=str)[:5]}; give 1 for positives, and -1 or 0 for all negatives"
        )
    if 1 not in values:
        raise InputError("there is no positive, so precision has no meaning; leave this class or split out")
    return y == 1, scores


def _counts(positive: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count the positives and negatives at or above each distinct score, from the highest."""
    levels, group = np.unique(-scores, return_inverse=True)
    true = np.cumsum(np.bincount(group[positive], minlength=len(levels)))
    false = np.cumsum(np.bincount(group[~positive], minlength=len(levels)))
    return true, false


def _negative_weight(ratio: float | None, n_positives: int, n_negatives: int) -> float:
    if ratio is None:
        return 1.0
    if isinstance(ratio, bool) or not isinstance(ratio, Real) or not 0 < ratio < np.inf:
        raise InputError(f"negatives_per_positive is {ratio!r}; give a positive number, or None")
    if n_negatives == 0:
        raise InputError("there is no negative that could count for negatives_per_positive")
    return ratio * n_positives / n_negatives


def _average(true: np.ndarray, precision: np.ndarray, kind: str) -> float:
    if kind == "area":
        return np.diff(true, prepend=0) @ precision / true[-1]
    best_from_here = np.maximum.accumulate(precision[::-1])[::-1]
    if kind == "interpolated_area":
        return np.diff(true, prepend=0) @ best_from_here / true[-1]
    # In whole numbers, lest rounding decide whether 3 of 10 positives reach the recall 0.3.
    first = np.searchsorted(10 * true, np.arange(11) * true[-1])
    return best_from_here[first].mean()
