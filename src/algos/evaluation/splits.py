"""Training and test rows of every fold, the same for all methods of an experiment."""

import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from algos.exceptions import InputError


@dataclass(frozen=True)
class Fold:
    """One outer fold: its name and its rows, ascending."""

    name: str
    train: np.ndarray
    test: np.ndarray


def fold_names(protocol: dict[str, Any]) -> list[str]:
    """Names of a protocol's folds, known without the data.

    ``r0f3`` is fold 3 of repetition 0 of a repeated k-fold, ``s4`` the random split number 4, ``test`` the designated
    test set.

    Raises
    ------
    InputError
        When the kind of protocol is unknown.
    """
    kind = protocol.get("kind")
    if kind == "repeated_kfold":
        return [f"r{r}f{f}" for r in range(protocol.get("n_repeats", 1)) for f in range(protocol["n_splits"])]
    if kind == "random_percentage":
        return [f"s{i}" for i in range(protocol["n_repeats"])]
    if kind == "designated":
        return ["test"]
    raise InputError(f"unknown kind of protocol {kind!r}; known: repeated_kfold, random_percentage, designated")


def make_folds(
    y: ArrayLike, protocol: dict[str, Any], seed: int, split: ArrayLike | None = None
) -> tuple[list[Fold], list[str]]:
    """Make the folds of a protocol.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        Class labels, or several labels a sample: then nothing is stratified.
    protocol : dict
        ``{"kind": "repeated_kfold", "n_splits": k, "n_repeats": r}`` (stratified),
        ``{"kind": "random_percentage", "test_percent": p, "n_repeats": r}`` (stratified where each class has two
        samples), or ``{"kind": "designated"}``, which takes the rows that `split` calls "train" and "test".
    seed : int
        Repetition r uses ``seed + r``.
    split : array-like of shape (n_samples,) or None
        "train" or "test" for each row, where the data set designates a test set.

    Returns
    -------
    folds : list of Fold
    notes : list of str
        What was done where the protocol could not be followed to the letter.

    Raises
    ------
    InputError
        When the protocol cannot be followed on this data set.
    """
    y = np.asarray(y)
    names = fold_names(protocol)
    if protocol["kind"] == "designated":
        if split is None:
            raise InputError("the protocol is 'designated' but the data set has no designated test set")
        split = np.asarray(split)
        return [Fold("test", np.flatnonzero(split == "train"), np.flatnonzero(split == "test"))], []
    if protocol["kind"] == "repeated_kfold":
        pairs, notes = [], []
        for repeat in range(protocol.get("n_repeats", 1)):
            more, notes = selection_folds(y, protocol["n_splits"], seed + repeat)
            pairs += more
    else:
        pairs, notes = _percentage_splits(y, protocol["test_percent"], protocol["n_repeats"], seed)
    return [Fold(name, train, test) for name, (train, test) in zip(names, pairs, strict=True)], notes


def selection_folds(y: np.ndarray, n_splits: int, seed: int) -> tuple[list[tuple[np.ndarray, np.ndarray]], list[str]]:
    """K-fold, stratified by class (`stratified_folds`) where there is one class a sample; with notes."""
    from sklearn.model_selection import KFold

    if y.ndim == 1:
        return stratified_folds(y, n_splits, seed)
    if n_splits > len(y):
        raise InputError(f"{n_splits} folds of {len(y)} samples cannot be made; ask for fewer folds")
    return list(KFold(n_splits, shuffle=True, random_state=seed).split(np.zeros(len(y)))), []


def stratified_folds(y: np.ndarray, n_splits: int, seed: int) -> tuple[list[tuple[np.ndarray, np.ndarray]], list[str]]:
    """Stratified k-fold; the members of a class smaller than k go to that many different folds.

    A training part then still has all but one member of such a class, and a class of one sample is missing from the
    training part of one fold.

    Returns
    -------
    list of (train, test) row arrays, and notes that name the classes smaller than k.
    """
    from sklearn.model_selection import StratifiedKFold

    if n_splits > len(y):
        raise InputError(f"{n_splits} folds of {len(y)} samples cannot be made; ask for fewer folds")
    counts = Counter(y.tolist())
    small = {label: count for label, count in sorted(counts.items()) if count < n_splits}
    if len(small) == len(counts):
        raise InputError(f"every class has fewer than {n_splits} samples; ask for fewer folds")
    notes = [f"class {label!r} has {count} samples for {n_splits} folds" for label, count in small.items()]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")  # said in the notes
        folds = list(StratifiedKFold(n_splits, shuffle=True, random_state=seed).split(np.zeros(len(y)), y))
    if any(len(set(y[train].tolist())) < 2 for train, _ in folds):
        raise InputError(
            f"of {n_splits} folds one has a training part with one class only; "
            "give the smaller classes more samples or leave them out"
        )
    return folds, notes


def _percentage_splits(
    y: np.ndarray, test_percent: float, n_repeats: int, seed: int
) -> tuple[list[tuple[np.ndarray, np.ndarray]], list[str]]:
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    n_test = round(len(y) * test_percent / 100)
    if not 0 < n_test < len(y):
        raise InputError(f"test_percent {test_percent} of {len(y)} samples leaves one part empty")
    stratify, notes = False, []
    if y.ndim == 1:
        counts = np.unique(y, return_counts=True)[1]
        stratify = counts.min() >= 2 and len(counts) <= min(n_test, len(y) - n_test)
        notes = [] if stratify else ["the random splits are not stratified: a class is too small"]
    splitter = (StratifiedShuffleSplit if stratify else ShuffleSplit)(n_repeats, test_size=n_test, random_state=seed)
    return [(np.sort(train), np.sort(test)) for train, test in splitter.split(np.zeros(len(y)), y)], notes
