"""Which training samples a method used or excluded, and how many wrong labels were among them."""

from typing import Any

import numpy as np

#: About as many rounds as a record keeps.
N_ROUNDS = 100


def sample_audit(estimator: Any, is_noisy: np.ndarray) -> dict[str, Any] | None:
    """Say of an estimator that weighs its training samples anew each round which share of them was in.

    Parameters
    ----------
    estimator : object
        Fitted; one with ``sample_weights_path_`` of shape (n_rounds, n_train), the weights v of each round, has an
        audit.
    is_noisy : ndarray of bool, shape (n_train,)
        The rows whose label was made wrong on purpose.

    Returns
    -------
    dict or None
        ``rounds`` (numbers, from 1), ``n_clean``, ``n_noisy``, and for each of these rounds ``clean_in`` and
        ``noisy_in``, shares of the two kinds with a weight above 0 (None where there is no such row), and
        ``clean_weight`` and ``noisy_weight``, their mean weights.
    """
    path = getattr(estimator, "sample_weights_path_", None)
    if path is None or len(path) == 0:
        return None
    rounds = np.unique(np.linspace(1, len(path), N_ROUNDS).astype(int))
    weights = path[rounds - 1].astype(float)
    audit: dict[str, Any] = {"rounds": rounds.tolist()}
    for kind, rows in (("clean", ~is_noisy), ("noisy", is_noisy)):
        n = int(rows.sum())
        audit[f"n_{kind}"] = n
        audit[f"{kind}_in"] = (weights[:, rows] > 0).mean(axis=1).round(5).tolist() if n else None
        audit[f"{kind}_weight"] = weights[:, rows].mean(axis=1).round(5).tolist() if n else None
    return audit


def excluded_rows(estimator: Any, rows: np.ndarray) -> dict[str, Any] | None:
    """Say which rows of the data set a method excluded from its training.

    Parameters
    ----------
    estimator : object
        Fitted; one with ``excluded_`` and ``fraction_`` (two-pass exclusion) has such rows.
    rows : ndarray of int, shape (n_train,)
        The data set's rows that it was trained on.

    Returns
    -------
    dict or None
        ``fraction`` and ``rows``, in the estimator's order: the hardest first.
    """
    excluded = getattr(estimator, "excluded_", None)
    if excluded is None:
        return None
    return {"fraction": float(estimator.fraction_), "rows": rows[excluded].tolist()}
