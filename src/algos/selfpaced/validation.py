"""The validation part on which self-paced estimators choose their iterate."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import column_or_1d, validate_data

from algos._validation import known_class_indices
from algos.exceptions import InputError
from algos.selfpaced.weights import rounded


def training_and_validation(
    estimator: Any, X: np.ndarray, labels: np.ndarray, X_val: Any, y_val: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray | None]:
    """X and class indices of the training part, then of the validation part, None where there is none.

    The validation part is the one given, or else ``estimator.validation_fraction`` of each class, drawn by
    ``estimator.random_state``; a class always keeps a sample to learn from.

    Raises
    ------
    InputError
        When both are asked for, only one of `X_val` and `y_val` is given, or the part has no sample.
    """
    fraction = estimator.validation_fraction
    if (X_val is None) != (y_val is None):
        raise InputError("give both X_val and y_val, or neither")
    if X_val is not None:
        if fraction is not None:
            raise InputError("a validation part is given: set validation_fraction to None")
        X_val = validate_data(estimator, X_val, dtype=estimator._input_dtype, order="C", reset=False)
        y_val = column_or_1d(y_val)
        if len(y_val) != len(X_val):
            raise InputError(f"X_val has {len(X_val)} samples and y_val has {len(y_val)}")
        return X, labels, X_val, known_class_indices(estimator.classes_, y_val, "y_val")
    if fraction is None:
        return X, labels, None, None
    held_out = np.zeros(len(labels), dtype=bool)
    random_state = check_random_state(estimator.random_state)
    for c in range(len(estimator.classes_)):
        members = np.flatnonzero(labels == c)
        held_out[random_state.permutation(members)[: min(rounded(fraction * len(members)), len(members) - 1)]] = True
    if not held_out.any():
        raise InputError(f"validation_fraction {fraction} of so small classes holds out no sample; raise it")
    return X[~held_out], labels[~held_out], X[held_out], labels[held_out]
