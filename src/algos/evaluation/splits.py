"""Training, validation and test rows of every fold, the same for all methods of an experiment."""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from algos.exceptions import InputError


@dataclass(frozen=True)
class Fold:
    """One outer fold: its name and its rows, ascending.

    Attributes
    ----------
    name : str
    train, test : ndarray of int
    validation : ndarray of int or None
        Rows to choose by, where the protocol sets them apart.
    noisy : ndarray of int or None
        The training rows that learn from a wrong label, made so on purpose; None where there is no noise.
    noisy_labels : ndarray of str or None
        Those labels.
    extra : ndarray of int or None
        Rows that are no samples and may train where a method asks for their kind; see :func:`on_samples`.
    """

    name: str
    train: np.ndarray
    test: np.ndarray
    validation: np.ndarray | None = None
    noisy: np.ndarray | None = None
    noisy_labels: np.ndarray | None = None
    extra: np.ndarray | None = None

    def given(self, y: np.ndarray) -> np.ndarray:
        """Return the labels that the training rows learn from; `y` holds all rows' true ones."""
        labels = y[self.train]
        if self.noisy is not None:
            labels = labels.copy()
            labels[self.is_noisy()] = self.noisy_labels
        return labels

    def is_noisy(self) -> np.ndarray:
        """Tell which training rows learn from a wrong label, in their order."""
        return np.isin(self.train, [] if self.noisy is None else self.noisy)


def on_samples(
    folds: Sequence[Fold], samples: np.ndarray, groups: ArrayLike | None, split: ArrayLike | None = None
) -> list[Fold]:
    """Turn folds of a table's samples into folds of its rows, with the other rows that may train in each.

    A row that is no sample may train unless its group, such as its image, has a row that tests or validates; with a
    designated split only if it belongs to the training part.

    Parameters
    ----------
    folds : sequence of Fold
        Of the positions in `samples`.
    samples : ndarray of int
        Row numbers of the samples.
    groups : array-like of shape (n_rows,) or None
        Group of each row; None: there are samples alone.
    split : array-like of shape (n_rows,), optional
        Where the split is designated, "train" or "test" for each row.
    """
    if groups is None:
        return list(folds)
    groups = np.asarray(groups)
    others = np.setdiff1d(np.arange(len(groups)), samples)
    if split is not None:
        others = others[np.asarray(split)[others] == "train"]
    made = []
    for fold in folds:
        parts = {name: getattr(fold, name) for name in ("train", "test", "validation")}
        parts = {name: None if rows is None else samples[rows] for name, rows in parts.items()}
        held_out = np.concatenate([rows for name, rows in parts.items() if name != "train" and rows is not None])
        extra = others[~np.isin(groups[others], groups[held_out])]
        made.append(replace(fold, **parts, extra=extra if len(extra) else None))
    return made


def with_label_noise(folds: Sequence[Fold], y: ArrayLike, percent: float, seed: int) -> list[Fold]:
    """Give a share of each fold's training rows wrong labels (Pi et al. 2016, section 4.2).

    Parameters
    ----------
    folds : sequence of Fold
    y : array-like of shape (n_samples,)
        True labels.
    percent : float
        Share of each class, in percent; see :func:`algos.features.add_label_noise`.
    seed : int
        Fold i uses ``seed + i``.

    Raises
    ------
    InputError
        When there are several labels a sample, or the percentage is out of range.
    """
    from algos.features.noise import add_label_noise

    y = np.asarray(y)
    noisy = []
    for i, fold in enumerate(folds):
        labels, mask = add_label_noise(y[fold.train], percent / 100, seed + i)
        noisy.append(replace(fold, noisy=fold.train[mask], noisy_labels=labels[mask]))
    return noisy


def fold_names(protocol: dict[str, Any]) -> list[str]:
    """Names of a protocol's folds, known without the data.

    ``r0f3`` is fold 3 of repetition 0 of a repeated k-fold, ``s4`` the random split number 4 (into two parts or three),
    ``test`` the designated test set.

    Raises
    ------
    InputError
        When the kind of protocol is unknown.
    """
    kind = protocol.get("kind")
    if kind == "repeated_kfold":
        return [f"r{r}f{f}" for r in range(protocol.get("n_repeats", 1)) for f in range(protocol["n_splits"])]
    if kind in ("random_percentage", "repeated_grouped", "train_validation_test"):
        return [f"s{i}" for i in range(protocol["n_repeats"])]
    if kind == "designated":
        return ["test"]
    raise InputError(
        f"unknown kind of protocol {kind!r}; "
        "known: repeated_kfold, random_percentage, repeated_grouped, train_validation_test, designated"
    )


def make_folds(
    y: ArrayLike,
    protocol: dict[str, Any],
    seed: int,
    split: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> tuple[list[Fold], list[str]]:
    """Make the folds of a protocol.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        Class labels, or several labels a sample: then nothing is stratified.
    protocol : dict
        ``{"kind": "repeated_kfold", "n_splits": k, "n_repeats": r}`` (stratified),
        ``{"kind": "random_percentage", "test_percent": p, "n_repeats": r}`` (stratified where each class has two
        samples), ``{"kind": "repeated_grouped", "test_percent": p, "n_repeats": r}`` (p defaults to a third; see
        :func:`grouped_splits`), ``{"kind": "train_validation_test", "percent": [50, 20, 30], "n_repeats": r}`` (class
        by class, see :func:`three_parts`), or ``{"kind": "designated"}``, which takes the rows that `split` calls
        "train" and "test".
    seed : int
        Repetition r uses ``seed + r``.
    split : array-like of shape (n_samples,) or None
        "train" or "test" for each row, where the data set designates a test set.
    groups : array-like of shape (n_samples,) or None
        What each row belongs to, such as its image, where rows of one thing must not be parted.

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
    if protocol["kind"] == "train_validation_test":
        if y.ndim > 1:
            raise InputError(
                "the protocol 'train_validation_test' parts each class; data with several labels need another"
            )
        folds = []
        for i, name in enumerate(names):
            (train, validation, test), notes = three_parts(y, protocol.get("percent", (50, 20, 30)), seed + i)
            folds.append(Fold(name, train, test, validation))
        return folds, notes
    if protocol["kind"] == "repeated_grouped":
        pairs, notes = grouped_splits(y, groups, protocol.get("test_percent", 100 / 3), protocol["n_repeats"], seed)
    elif protocol["kind"] == "repeated_kfold":
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


def grouped_selection_folds(
    y: np.ndarray, n_splits: int, seed: int, groups: np.ndarray, only_train: np.ndarray
) -> tuple[list[tuple[np.ndarray, np.ndarray]], list[str]]:
    """Stratified k-fold that parts no group; rows `only_train` (bool) never validate.

    Such a row trains wherever its group does not validate.

    Raises
    ------
    InputError
        When there are fewer groups, or rows of either class, than folds.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    samples = np.flatnonzero(~only_train)
    n_groups, counts = len(set(groups[samples].tolist())), Counter(y[samples].tolist())
    if n_groups < n_splits or min(counts.values()) < n_splits or len(counts) < 2:
        raise InputError(
            f"{n_splits} folds of {n_groups} groups, with classes of {sorted(counts.values())} samples, "
            "cannot be made; ask for fewer folds"
        )
    splitter = StratifiedGroupKFold(n_splits, shuffle=True, random_state=seed)
    folds = []
    for train, validation in splitter.split(np.zeros(len(samples)), y[samples], groups[samples]):
        free = only_train & ~np.isin(groups, groups[samples[validation]])
        folds.append((np.concatenate([samples[train], np.flatnonzero(free)]), samples[validation]))
    return folds, []


def three_parts(
    y: ArrayLike, percent: Sequence[float] = (50, 20, 30), seed: int = 0
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], list[str]]:
    """Split each class at random into training, validation and test rows (Pi et al. 2016, section 4.1).

    A class of m samples gives each part m percent / 100 of them, rounded down; what is left over goes, one by one, to
    the parts that lost most by the rounding (training before validation before test where they lost alike). From three
    samples on no part is left without one: it takes it from the largest. A class of two gives one to the training and
    one to the test part, a class of one gives it to the training part: nothing can be tested that was never seen.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Class labels.
    percent : sequence of three float, default (50, 20, 30)
        Of training, validation and test; their sum is 100.
    seed : int, default 0
        Of the draw.

    Returns
    -------
    parts : tuple of three ndarray of int
        Training, validation and test rows, ascending.
    notes : list of str
        One names the classes with fewer than three samples.

    Raises
    ------
    InputError
        When the percentages are not three numbers above 0 with the sum 100, or a part would be empty.

    Examples
    --------
    >>> (train, validation, test), notes = three_parts(["a"] * 10 + ["b"] * 2)
    >>> len(train), len(validation), len(test), notes
    (6, 2, 4, ["classes with fewer than three samples, which have no validation row (nor, with one, a test row): 'b'"])
    """
    shares = np.asarray(percent, dtype=float)
    if shares.shape != (3,) or not (shares > 0).all() or abs(shares.sum() - 100) > 1e-9:
        raise InputError(f"percent is {list(percent)}; give three numbers above 0 whose sum is 100")
    random = np.random.default_rng(seed)
    classes, of_class = np.unique(np.asarray(y), return_inverse=True)
    parts, small = ([], [], []), []
    for k, label in enumerate(classes.tolist()):
        rows = random.permutation(np.flatnonzero(of_class == k))
        if len(rows) < 3:
            small.append(label)
        for part, chosen in zip(parts, np.split(rows, np.cumsum(_shares_of(len(rows), shares))[:2]), strict=True):
            part.append(chosen)
    train, validation, test = (np.sort(np.concatenate(part)) for part in parts)
    if not (len(validation) and len(test)):
        raise InputError(f"{len(of_class)} samples of {len(classes)} classes are too few for three parts")
    without = "which have no validation row (nor, with one, a test row)"
    notes = [f"classes with fewer than three samples, {without}: {', '.join(map(repr, small))}"] if small else []
    return (train, validation, test), notes


def _shares_of(n: int, percent: np.ndarray) -> np.ndarray:
    """Return how many of a class's n samples each part gets."""
    if n < 3:
        return np.array([1, 0, n - 1])
    exact = n * percent / 100
    counts = np.floor(exact + 1e-9).astype(int)
    most_lost = np.argsort(-np.round(exact - counts, 9), kind="stable")
    counts[most_lost[: n - counts.sum()]] += 1
    while counts.min() == 0:
        counts[counts.argmax()] -= 1
        counts[counts.argmin()] += 1
    return counts


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


def grouped_splits(
    y: ArrayLike, groups: ArrayLike | None, test_percent: float, n_repeats: int, seed: int
) -> tuple[list[tuple[np.ndarray, np.ndarray]], list[str]]:
    """Random splits that part no group, with each class's share of test rows as near `test_percent` as groups allow.

    A group counts for the rarest class in it. Of each class the groups come in random order, and the first of them
    test, as many as bring the class's rows nearest to `test_percent`; so a group's chance to test does not depend on
    its size. An order that leaves a class out of the test or training part is drawn anew, 20 times at most.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Class labels.
    groups : array-like of shape (n_samples,)
        Group of each row.
    test_percent : float
        Share of rows to test on, in percent.
    n_repeats : int
        Number of splits; split i uses ``seed + i``.
    seed : int
        Seed.

    Returns
    -------
    list of (train, test) row arrays, ascending, and notes that name the classes missing from a part of some split.

    Raises
    ------
    InputError
        When there are no groups or fewer than two, the percentage leaves one part empty, or a training part has one
        class only.
    """
    y = np.asarray(y)
    if groups is None or len(groups) != len(y):
        raise InputError("the protocol is 'repeated_grouped': give each row its group, such as its image")
    labels, label_of = np.unique(y, return_inverse=True)
    names, group_of = np.unique(np.asarray(groups), return_inverse=True)
    if len(names) < 2 or not 0 < test_percent < 100:
        raise InputError(f"test_percent {test_percent} of {len(names)} groups leaves one part empty")
    counts = np.zeros((len(names), len(labels)))
    np.add.at(counts, (group_of, label_of), 1)
    pairs, missing = [], Counter()
    for repeat in range(n_repeats):
        tested = _tested_groups(counts, test_percent / 100, np.random.default_rng(seed + repeat))
        for side, chosen in (("test", tested), ("training", ~tested)):
            missing.update((labels[c].item(), side) for c in np.flatnonzero(counts[chosen].sum(axis=0) == 0))
        if np.count_nonzero(counts[~tested].sum(axis=0)) < min(2, len(labels)) or not tested.any():
            raise InputError(
                f"split {repeat} has no test row, or one class only to train on; give the smaller classes more groups"
            )
        pairs.append((np.flatnonzero(~tested[group_of]), np.flatnonzero(tested[group_of])))
    notes = [
        f"class {label!r} is missing from the {side} part of {n} of {n_repeats} splits"
        for (label, side), n in sorted(missing.items(), key=str)
    ]
    return pairs, notes


def _tested_groups(counts: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Choose the groups to test on: a boolean for each row of `counts` (n_groups, n_classes)."""
    rarest = np.where(counts > 0, counts.sum(axis=0), np.inf).argmin(axis=1)
    for _ in range(20):
        tested = np.zeros(len(counts), dtype=bool)
        for label in range(counts.shape[1]):
            groups = rng.permutation(np.flatnonzero(rarest == label))
            rows = counts[groups, label]
            tested[groups] = np.cumsum(rows) - rows / 2 < share * rows.sum()
        if counts[tested].any(axis=0).all() and counts[~tested].any(axis=0).all():
            break
    return tested
