"""Features as the self-paced learners hold them."""

import numpy as np

from algos.exceptions import InputError

LARGEST_FEATURE = 1e15  # squares of features and their sums must stay float32 numbers


def centred(X: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """X less its training mean, as float32: subtracted before rounding, so that large offsets cost no digits.

    Raises
    ------
    InputError
        When a feature is too far from its mean.
    """
    X = X - centre
    if X.size and np.abs(X).max() > LARGEST_FEATURE:
        raise InputError(f"features differ from their mean by more than {LARGEST_FEATURE:g}: scale them")
    return np.ascontiguousarray(X, dtype=np.float32)
