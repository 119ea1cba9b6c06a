"""What every estimator checks of its training data beyond what scikit-learn does: labels, and sample weights' scale."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import _check_sample_weight, column_or_1d, validate_data

from algos.exceptions import InputError

MAX_LOG2_MEAN = 20  # sample weights of a larger mean are scaled down
LARGEST_FEATURE = 1e30  # of linear models: larger ones' products would overflow
LEAST_SHARE = 2.0**-1000  # a smaller part of the largest sample weight counts as 0


def check_labels(y: Any, name: str = "y") -> None:
    """Refuse labels of which one is missing (None, NaN, pandas' NA), an object array of text and other things, and
    collections of labels in place of an indicator matrix.

    Sparse matrices, and None in place of all labels, are left to scikit-learn.

    Raises
    ------
    InputError
        Naming the first such sample.
    """
    if y is None or hasattr(y, "toarray"):
        return
    _refuse_collections(y, name)
    values = np.asarray(y)
    if values.dtype.kind == "U" and isinstance(y, list | tuple):
        values = np.asarray(y, dtype=object)  # among texts NumPy writes None and NaN as text
    elif values.dtype.kind not in "fO":
        return
    missing = np.isnan(values) if values.dtype.kind == "f" else np.vectorize(_is_missing, otypes=[bool])(values)
    if missing.any():
        at = tuple(np.argwhere(missing)[0].tolist())
        where = at[0] if len(at) == 1 else at
        raise InputError(f"{name} has no label at position {where}, only {values[at]}; label it or leave it out")
    if np.asarray(y).dtype.kind == "O" and values.ndim == 1:
        text = [isinstance(value, str) for value in values]
        if len(set(text)) > 1:
            other = text.index(not text[0])
            raise InputError(
                f"{name} mixes text with other labels, {values[0]!r} at position 0 and {values[other]!r} at position "
                f"{other}; give labels of one type"
            )


def _refuse_collections(y: Any, name: str) -> None:
    """Refuse a list or object array of sets, or of lists of several lengths or of text."""
    if not isinstance(y, list | tuple) and getattr(getattr(y, "dtype", None), "kind", "") != "O":
        return
    listed = [row for row in y if isinstance(row, set | frozenset | list | tuple)]
    lengths = {len(row) for row in listed}
    sets = any(isinstance(row, set | frozenset) for row in listed)
    # Rows of one text are a column of classes.
    texts = lengths != {1} and any(isinstance(label, str) for row in listed for label in row)
    if sets or texts or len(lengths) > 1:
        raise InputError(
            f"{name} lists the labels of each sample; give a matrix of 0 and 1, a column a label, as "
            "sklearn.preprocessing.MultiLabelBinarizer makes of such lists"
        )


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Real) and bool(value != value)


def validate_training_data(estimator: Any, X: ArrayLike, y: ArrayLike, **options: Any) -> tuple[Any, np.ndarray]:
    """Scikit-learn's ``validate_data`` behind :func:`check_labels`."""
    check_labels(y)
    return validate_data(estimator, X, y, **options)


def refuse_huge(X: Any) -> None:
    """Refuse features whose products would overflow: liblinear, for one, never ends on them.

    Parameters
    ----------
    X : ndarray or sparse matrix
        Finite numbers.

    Raises
    ------
    InputError
        Naming the first such number's column.
    """
    values = X.data if hasattr(X, "indptr") else X
    if not values.size or max(values.max(), -values.min()) <= LARGEST_FEATURE:
        return
    rows, columns = (abs(X) > LARGEST_FEATURE).nonzero()
    value = X[rows[0], columns[0]]
    raise InputError(
        f"X holds {value:g} in column {columns[0]}, and products of features beyond {LARGEST_FEATURE:g} overflow; "
        "correct it, or scale the features"
    )


def known_class_indices(classes: np.ndarray, y: ArrayLike, name: str = "y") -> np.ndarray:
    """Index of each label among the sorted `classes`, -1 for a label that is none of them.

    Raises
    ------
    InputError
        When a label is missing or a fraction, or the model was fitted to text and `y` holds something else, or the
        reverse.
    ValueError
        When `y` is no vector.
    """
    check_labels(y, name)
    y = column_or_1d(y)
    if not len(y):
        return np.empty(0, dtype=np.intp)
    if _holds_text(y) != _holds_text(classes):
        given, known = y[:1].tolist()[0], classes[:1].tolist()[0]  # as Python writes them
        raise InputError(
            f"{name} holds labels such as {given!r}, but the model was fitted to labels such as {known!r}; give labels "
            "of that type"
        )
    if y.dtype.kind == "f" and (y % 1 != 0).any():
        raise InputError(f"{name} holds {y[y % 1 != 0][0]}, which is no class label; give whole numbers or text")
    position = np.clip(np.searchsorted(classes, y), 0, len(classes) - 1)
    return np.where(classes[position] == y, position, -1)


def _holds_text(labels: np.ndarray) -> bool:
    return labels.dtype.kind in "SUT" or (labels.dtype.kind == "O" and isinstance(labels[0], str))


def check_sample_weight(sample_weight: ArrayLike | None, X: np.ndarray) -> tuple[np.ndarray, int]:
    """Return sample weights of a scale that is safe to compute with, and the exponent k by which they were scaled.

    The weights returned, times ``2^k``, are those given. With m the mean of the positive weights, k is 0 for
    ``1/2 < m <= 2^20``, so also for no weights and for numbers of repetitions; ``ceil(log2 m)`` for smaller m, and
    ``ceil(log2 m) - 20`` for larger ones. A power of two changes no digit of a weight. Weights of less than ``2^-1000``
    of the largest one, rounded up to a power of two, become 0.

    Raises
    ------
    ValueError
        When they are not finite numbers of at least 0, one a sample and one of them positive.
    """
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    _, largest = np.frexp(weights.max())
    shares = np.ldexp(weights, -largest)  # the largest is in [1/2, 1): no sum of them overflows
    shares[shares < LEAST_SHARE] = 0.0
    fraction, log2_mean = np.frexp(shares[shares > 0].mean())
    log2_mean += largest - (fraction == 0.5)  # rounded up: 2^k is 1/2 times 2^(k + 1)
    exponent = min(log2_mean, 0) + max(log2_mean - MAX_LOG2_MEAN, 0)
    return np.ldexp(shares, largest - exponent), int(exponent)
