"""Exact search for decision stumps on dense features: checks arguments, brings weights to fixed point, calls C++."""

from dataclasses import dataclass

import numpy as np

from algos._kernels import _stump
from algos._kernels.matrices import finite_matrix

# What the extension is built from; a method that uses this module depends on them.
KERNEL_SOURCES = ("common.hpp", "numpy_arrays.hpp", "stump_module.cpp", "stump_search.cpp", "stump_search.hpp")

SCALE = 2.0**30  # fixed point: the whole weight, or the whole of the absolute gradients
GROUP_ROWS = 48  # rows summed at once: fewer are dearer to score, of more, more have to be looked into


def exact_sum(values: np.ndarray) -> float:
    """Sum of finite numbers that does not depend on their order: in fixed point, to 2^-62 of n times the largest."""
    largest = np.abs(values).max(initial=0.0)
    if largest == 0:
        return 0.0
    shift = 62 - len(values).bit_length() - np.frexp(largest)[1]
    total = int(np.rint(np.ldexp(values, shift)).astype(np.int64).sum())
    return float(np.ldexp(float(total), -shift))


def to_fixed_point(values: np.ndarray) -> np.ndarray:
    """Integers (int32) in proportion to `values` (n,), the absolute ones summing to 2^30 but for rounding."""
    total = exact_sum(np.abs(values))
    if total == 0:
        return np.zeros(len(values), dtype=np.int32)
    return np.rint(values * (SCALE / total)).astype(np.int32)


@dataclass(frozen=True)
class Cut:
    """Rows with ``x[feature] >= threshold`` are on the + side; feature -1 puts all rows there."""

    feature: int
    threshold: float
    score: float


class StumpSearch:
    """The features of a training set in order of value, searched for the best cut again and again.

    Every cut between two distinct values of every feature is compared. Weights are summed in fixed point, so equal
    scores are exactly equal and are settled by rule: no cut, then the first feature, then the lowest threshold. The cut
    found does not depend on the order of rows.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
        Finite features; at most 2^29 samples.
    group_rows : int
        The rows of a feature are summed in groups of about this many. It decides about time only.

    Raises
    ------
    ValueError
        When a shape or a value is not as stated.
    """

    def __init__(self, X: np.ndarray, group_rows: int = GROUP_ROWS) -> None:
        self._X = finite_matrix(X, "X")
        if len(self._X) > 2**29:
            raise ValueError(f"X has {len(self._X)} rows; more than 2^29 do not fit the fixed-point weights")
        if not 1 <= group_rows < 2**31:
            raise ValueError(f"group_rows must be at least 1, not {group_rows}")
        self._search = _stump.StumpSearch(self._X, group_rows)

    def classify(self, signed_weights: np.ndarray) -> Cut:
        """The cut of the largest absolute edge: the sum of signed weights of the + side less that of the - side.

        Parameters
        ----------
        signed_weights : ndarray of shape (n_samples,)
            Finite; ``w_i y_i`` with y in {-1, +1}. Only ratios matter.

        Returns
        -------
        Cut
            With the edge in fixed point, between 0 and 2^30 (but for rounding).
        """
        return self._cut(*self._search.classify(to_fixed_point(self._checked(signed_weights, "signed_weights"))))

    def rate(self, signed_weights: np.ndarray) -> Cut:
        """The cut of the least ``sqrt(P_- N_-) + sqrt(P_+ N_+)``: the stump with two coefficients of its own.

        P and N are a side's sums of the positive and of the negative signed weights. Twice the sum is what the
        exponential loss becomes when each side has its best coefficient (Schapire & Singer 1999).

        Parameters
        ----------
        signed_weights : ndarray of shape (n_samples,)
            Finite; ``w_i y_i`` with y in {-1, +1}. Only ratios matter.

        Returns
        -------
        Cut
            With minus that sum, in units of 2^30.
        """
        return self._cut(*self._search.rate(to_fixed_point(self._checked(signed_weights, "signed_weights"))))

    def regress(self, gradients: np.ndarray, weights: np.ndarray) -> Cut:
        """The cut of the largest ``S_-^2/W_- + S_+^2/W_+``: the weighted least-squares stump.

        It fits ``gradients / weights``. S and W are a side's sums of gradients and weights, each in a fixed point of
        its own. A row whose weight rounds to 0 there is left out, and a side without weight is worth 0.

        Parameters
        ----------
        gradients, weights : ndarray of shape (n_samples,)
            Finite; gradients are ``w_i z_i`` for responses z, weights are not negative.

        Returns
        -------
        Cut
            With that sum, in units of 2^30.
        """
        weights = self._checked(weights, "weights")
        if weights.min() < 0:
            raise ValueError("weights must not be negative")
        weights = to_fixed_point(weights)
        gradients = to_fixed_point(self._checked(gradients, "gradients"))
        return self._cut(*self._search.regress(np.where(weights > 0, gradients, 0).astype(np.int32), weights))

    def _checked(self, values: np.ndarray, name: str) -> np.ndarray:
        values = np.ascontiguousarray(values, dtype=np.float64)
        if values.shape != self._X.shape[:1]:
            raise ValueError(f"{name} must have shape {self._X.shape[:1]}, not {values.shape}")
        if not np.isfinite(values).all():
            raise ValueError(f"{name} has NaN or infinite values")
        return values

    def _cut(self, feature: int, below: int, above: int, score: float) -> Cut:
        if feature < 0:
            return Cut(-1, -np.inf, score)
        low, high = float(self._X[below, feature]), float(self._X[above, feature])
        middle = low / 2 + high / 2
        return Cut(feature, middle if low < middle <= high else high, score)
