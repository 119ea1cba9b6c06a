"""Checks and codes of the matrices that kernels are given."""

import numpy as np


def finite_matrix(array: np.ndarray, name: str) -> np.ndarray:
    """Return `array` as contiguous float64.

    Raises
    ------
    ValueError
        When it is no matrix, is empty, or has NaN or infinite values; the sentence calls it `name`.
    """
    array = np.ascontiguousarray(array, dtype=np.float64)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{name} must be a matrix with at least one row and one column, not of shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has NaN or infinite values")
    return array


def code_columns(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ranks (n_features, n_samples) of each column's distinct values, those values, and where each column's start."""
    codes = np.empty(X.shape[::-1], dtype=np.int32)
    values, start = [], [0]
    for j, column in enumerate(X.T):
        distinct, codes[j] = np.unique(column, return_inverse=True)
        values.append(distinct)
        start.append(start[-1] + len(distinct))
    return codes, np.concatenate(values), np.array(start, dtype=np.int64)
