"""The table that every reader gives, and the checks that all of them share."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from algos.datasets.hints import listed
from algos.exceptions import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from algos.datasets.images import Images

# "3", "+3" and "3.0" are one class; "007" and "1.5" are left as they stand.
# So many names are compared with one another.
_MOST_COMPARED = 200_000
_WHOLE_NUMBER = re.compile(r"\+?(-?\d+)(?:\.0*)?")

#: The role of rows that are no additions for training.
SAMPLE = "sample"


@dataclass(frozen=True)
class Table:
    """A data set in memory.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_array of shape (n_samples, n_features), or Images of shape (n_samples,)
        Features, float64 (descriptions of patches: float32); NaN only where `missing="impute"` kept a missing value for
        the preprocessing to fill. Or images, whose features are yet to be made.
    y : ndarray of str of shape (n_samples,) or None
        Class of each row of a single-label set.
    Y : ndarray of int8 of shape (n_samples, n_labels) or None
        Labels (0 or 1) of each row of a multi-label set.
    feature_names : list of str
        As many as features; none of images.
    label_names : list of str
        The sorted classes, or the names of the columns of `Y`.
    split : ndarray of str of shape (n_samples,) or None
        "train" or "test", where the data set's authors designated a test set.
    groups : ndarray of str of shape (n_samples,) or None
        What each row belongs to, such as its image, where rows of one thing must not be parted by a split.
    roles : ndarray of str of shape (n_samples,) or None
        "sample" for a row of the data set; anything else, such as "jittered", for a row that trains where a method asks
        for its kind, and never tests. None: all are samples.
    notes : list of str
        One sentence for each thing a reader of the results should know.
    """

    X: "np.ndarray | csr_array | Images"
    feature_names: list[str]
    label_names: list[str]
    y: np.ndarray | None = None
    Y: np.ndarray | None = None
    split: np.ndarray | None = None
    groups: np.ndarray | None = None
    roles: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of columns of `X`; 0 where it holds images."""
        return 0 if self.holds_images else self.X.shape[1]

    @property
    def holds_images(self) -> bool:
        """Whether `X` is a sequence of images instead of numbers."""
        return len(self.X.shape) == 1

    @property
    def samples(self) -> np.ndarray:
        """Row numbers of the samples proper, those that can be split into training and test rows."""
        return np.arange(self.n_samples) if self.roles is None else np.flatnonzero(self.roles == SAMPLE)


def label_text(value: object) -> str:
    """Return a class name as text; whole numbers lose their sign and fraction: 1.0, "1." and "+1" give "1".

    Parameters
    ----------
    value : str, int or float
        What stands in the file.
    """
    text = str(value).strip()
    whole = _WHOLE_NUMBER.fullmatch(text)
    if whole:
        return whole[1]
    if isinstance(value, float) and value.is_integer():  # 1e22, which str() writes with an exponent
        return str(int(value))
    return text


def labels_of(values: Iterable[object]) -> np.ndarray:
    """Return class names (:func:`label_text`) as an array of str; each distinct value is converted once."""
    values = list(values)
    names = {value: label_text(value) for value in set(values)}
    return np.array([names[value] for value in values], dtype=str)


def split_of(counts: Sequence[int], parts: Sequence[str] | None) -> np.ndarray | None:
    """Return "train"/"test" for each row of files read one after the other.

    Parameters
    ----------
    counts : sequence of int
        Rows of each file.
    parts : sequence of {"train", "test"} or None
        Part that each file is; None gives None.
    """
    if parts is None:
        return None
    if len(parts) != len(counts):
        raise InputError(f"{len(counts)} files and {len(parts)} parts: give each file its part, train or test")
    if set(parts) != {"train", "test"}:
        raise InputError(f"the parts are {listed(parts)}: there must be 'train' and 'test', and no other")
    return np.repeat(np.array(parts, dtype=str), counts)


def single_label_table(
    X: "np.ndarray | csr_array | Images",
    y: np.ndarray,
    feature_names: Sequence[str],
    source: str,
    split: np.ndarray | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """Make the table of a single-label set, and refuse one that no classifier can learn from.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features), or Images of shape (n_samples,)
        Features, or images.
    y : ndarray of str of shape (n_samples,)
        Classes.
    feature_names : sequence of str of length n_features
        Names.
    source : str
        What to call the data in a message.
    split : ndarray of str of shape (n_samples,), optional
        "train"/"test".
    notes : sequence of str, optional
        Sentences to begin the notes with.

    Raises
    ------
    InputError
        When there is no row, no feature, one class only, one class only in the training part, or as many classes
        as rows.
    """
    classes = sorted(set(y.tolist()))
    if len(classes) == 1:
        raise InputError(f"{source}: all {len(y)} rows have the label {classes[0]!r}; a classifier needs two classes")
    if len(classes) == len(y) > 0:
        raise InputError(
            f"{source}: each of the {len(y)} rows has a label of its own ({listed(classes, 3)}): "
            "is `target` the column of the classes?"
        )
    if split is not None and len(set(y[split == "train"].tolist())) < 2:
        raise InputError(f"{source}: the training part has less than two classes")
    alone = [name for name in classes if np.count_nonzero(y == name) == 1] if len(classes) <= len(y) / 2 else []
    more = [f"Classes with a single row: {listed(alone)}."] if alone else []
    return _finish(
        Table(X, list(feature_names), classes, y=y, split=split, notes=[*notes, *more]),
        source,
    )


def multi_label_table(
    X: "np.ndarray | csr_array",
    Y: np.ndarray,
    feature_names: Sequence[str],
    label_names: Sequence[str],
    source: str,
    split: np.ndarray | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """Make the table of a multi-label set; parameters as in :func:`single_label_table`.

    Parameters
    ----------
    Y : ndarray of int8 of shape (n_samples, n_labels)
        0 or 1.
    label_names : sequence of str of length n_labels
        Names of the columns of `Y`.

    Raises
    ------
    InputError
        When there is no row, no feature or no label.
    """
    if Y.shape[1] == 0:
        raise InputError(f"{source}: no column is a label; see `labels`")
    never = [name for name, count in zip(label_names, Y.sum(axis=0), strict=True) if count == 0]
    more = [f"Labels that no row has: {listed(never)}."] if never else []
    n_bare = np.count_nonzero(~Y.any(axis=1))
    more += [f"Rows without a label: {n_bare} of {len(Y)}."] if n_bare else []
    return _finish(
        Table(X, list(feature_names), list(label_names), Y=Y, split=split, notes=[*notes, *more]),
        source,
    )


def _finish(table: Table, source: str) -> Table:
    if table.n_samples == 0:
        raise InputError(f"{source}: there is no row of data")
    _check_names(table, source)
    if table.holds_images:
        return table
    if table.n_features == 0:
        raise InputError(f"{source}: there is no feature, only the label; see `target` and `drop`")
    constant = [table.feature_names[j] for j in np.flatnonzero(_is_constant(table.X))]
    if constant:
        table.notes.append(f"Constant columns, kept though they tell nothing: {listed(constant)}.")
    return table


def _check_names(table: Table, source: str) -> None:
    """Refuse names that are no text, which could not be written, and note those that a reader takes for one another."""
    for what, names in (("Classes or labels", table.label_names), ("Columns", table.feature_names)):
        try:
            "".join(names).encode()
        except UnicodeEncodeError as error:
            wrong = next(name for name in names if error.object[error.start] in name)
            raise InputError(f"{source}: the name {wrong!r} is no UTF-8 text; give it another name") from None
        if len(names) > _MOST_COMPARED:
            continue
        first: dict[str, str] = {}
        pairs = [(first.setdefault("".join(name.casefold().split()), name), name) for name in names]
        alike = [f"{one!r} and {other!r}" for one, other in pairs if one != other]
        if alike:
            more = f" and {len(alike) - 3} more" if len(alike) > 3 else ""
            table.notes.append(f"{what} that differ only by case or blanks: {', '.join(alike[:3])}{more}.")


def _is_constant(X: "np.ndarray | csr_array") -> np.ndarray:
    if isinstance(X, np.ndarray):
        return (X[0] == X).all(axis=0)
    low, high = X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    return low == high
