"""Choosing the number of boosting rounds from a validation curve (Kegl 2014, equation 15)."""

import numpy as np
from numpy.typing import ArrayLike


def smoothed_curve(curve: ArrayLike, window: float = 0.8) -> np.ndarray:
    """Smooth a validation curve by equation (15)'s linearly growing window.

    The value at T is ``sum(curve[floor(window * T)] .. curve[T]) / (T - floor(window * T))`` with rounds counted from
    1, as printed. The sum has one term more than the denominator counts, which favours larger T a little: by 1/11 at
    T = 51, by 1/101 at T = 500.

    Parameters
    ----------
    curve : array-like of shape (n_rounds,)
        Error after 1, 2, ... rounds.
    window : float
        Where the window starts, as a fraction of T, in [0, 1).

    Returns
    -------
    ndarray of shape (n_rounds,)

    Raises
    ------
    ValueError
        When the curve is empty or not one-dimensional, or `window` is out of range.
    """
    curve = np.asarray(curve, dtype=float)
    if curve.ndim != 1 or curve.size == 0:
        raise ValueError("the curve must be one-dimensional with at least one round")
    if not 0 <= window < 1:
        raise ValueError(f"window must be in [0, 1), not {window}")
    rounds = np.arange(1, len(curve) + 1)
    start = np.floor(window * rounds + 1e-9).astype(int)
    cumulative = np.concatenate([[0.0], np.cumsum(curve)])
    return (cumulative[rounds] - cumulative[np.maximum(start, 1) - 1]) / (rounds - start)


def smoothed_stopping(curve: ArrayLike, min_rounds: int = 50, window: float = 0.8) -> tuple[int, float]:
    """Return T* of equation (15) and the smoothed error there.

    Parameters
    ----------
    curve : array-like of shape (n_rounds,)
        Validation error after 1, 2, ... rounds, averaged over the inner folds.
    min_rounds : int
        T_min: only T > T_min is considered, so that a fluctuation does not stop too early. A curve of at most that
        many rounds is stopped at its end.
    window : float
        See :func:`smoothed_curve`.

    Returns
    -------
    n_rounds : int
        The smallest T at which the smoothed error is least.
    error : float
    """
    smooth = smoothed_curve(curve, window)
    first = min(min_rounds, len(smooth) - 1)
    best = first + int(np.argmin(smooth[first:]))
    return best + 1, float(smooth[best])


def stopping_round(curve: ArrayLike, stopping: str = "smoothed", min_rounds: int | None = None) -> tuple[int, float]:
    """Return the number of rounds that a validation curve chooses, and its error there.

    Parameters
    ----------
    curve : array-like of shape (n_rounds,)
        Validation error after 1, 2, ... rounds.
    stopping : {"smoothed", "least"}
        ``"smoothed"``: :func:`smoothed_stopping`. ``"least"``: the first of the rounds of least error (Pi et al. 2016,
        algorithm 1).
    min_rounds : int or None
        Only more rounds than this are considered; None is 50 for ``"smoothed"`` and 0 for ``"least"``.

    Raises
    ------
    ValueError
        When there is no such way of stopping.
    """
    if stopping not in ("smoothed", "least"):
        raise ValueError(f"stopping is {stopping!r}; it must be 'smoothed' or 'least'")
    if stopping == "smoothed":
        return smoothed_stopping(curve, 50 if min_rounds is None else min_rounds)
    curve = np.asarray(curve, dtype=float)
    first = min(min_rounds or 0, len(curve) - 1)
    best = first + int(np.argmin(curve[first:]))
    return best + 1, float(curve[best])


def extend_curve(curve: ArrayLike, n_rounds: int) -> np.ndarray:
    """Repeat the last value up to `n_rounds`: a booster that stopped by itself keeps its error.

    Raises
    ------
    ValueError
        When the curve is empty: a booster without a single round has no error to keep.
    """
    curve = np.asarray(curve, dtype=float)
    if curve.size == 0:
        raise ValueError("the curve is empty")
    return np.concatenate([curve, np.full(max(n_rounds - len(curve), 0), curve[-1])])
