"""From the columns of a file to features and classes: names, missing values, text.

Every reader of a file with named columns (CSV, UCI text, XLS, Parquet, dense ARFF) gives :class:`Column` objects;
what becomes of them is decided here, once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from algos.datasets.hints import listed, nearest
from algos.datasets.table import Table, labels_of, single_label_table
from algos.exceptions import InputError

MISSING_CELLS = ("", "?", "NA", "N/A", "NaN", "null")
"""Cells that mean "not known" (upper and lower case alike), unless `missing_values` says otherwise."""

_POLICIES = ("error", "drop_rows", "impute")
_CODINGS = ("one_hot", "ordinal")
_MOST_CODED_BYTES = 4 * 2**30
_LARGEST_EXACT_INTEGER = 2.0**53

Coding = str | Sequence[str]


@dataclass(frozen=True)
class Column:
    """One column of a file.

    Attributes
    ----------
    name : str
        Its name.
    values : ndarray of float64, or list of (str or None)
        Numbers with NaN for a missing value, or text with None for one.
    categories : tuple of str or None
        Its values in order, where the file declares them (nominal attributes of ARFF).
    """

    name: str
    values: np.ndarray | list[str | None]
    categories: tuple[str, ...] | None = None

    @property
    def is_text(self) -> bool:
        """Whether the values are text."""
        return not isinstance(self.values, np.ndarray)

    def missing(self) -> np.ndarray:
        """Return a mask of the missing values."""
        if self.is_text:
            return np.array([value is None for value in self.values], dtype=bool)
        return np.isnan(self.values)


@dataclass(frozen=True)
class Roles:
    """What each column of a file is for; made by :func:`column_roles`.

    Attributes
    ----------
    target : int
        Position of the classes.
    dropped : frozenset of int
        Positions left out.
    categorical : dict of int to coding
        "one_hot", "ordinal", or the categories in order.
    default : str or None
        Coding of text columns that are not in `categorical`; None refuses them.
    """

    target: int
    dropped: frozenset[int]
    categorical: dict[int, Coding] = field(default_factory=dict)
    default: str | None = None


def column_roles(
    names: Sequence[str],
    target: str | int,
    drop: Sequence[str | int] = (),
    categorical: str | Mapping[str, Coding] | None = None,
    *,
    source: str,
) -> Roles:
    """Find the columns that the options name.

    Parameters
    ----------
    names : sequence of str
        Names of the columns of the file.
    target : str or int
        Column of the classes: its name, or its position from 0 (negative from the end).
    drop : sequence of (str or int)
        Columns to leave out.
    categorical : {"one_hot", "ordinal"}, mapping, or None
        Coding of text columns: one for all, or for each named column "one_hot", "ordinal" (sorted categories) or a
        list of its categories in order.
    source : str
        What to call the file in a message.

    Raises
    ------
    InputError
        When two columns have one name, a named column is not there, or a coding is unknown.
    """
    _refuse_duplicates(names, source)
    where = _position(names, target, "target", source)
    left_out = frozenset(_position(names, key, "drop", source) for key in drop)
    if where in left_out:
        raise InputError(f"{source}: column {names[where]!r} is both `target` and in `drop`")
    if categorical is None or isinstance(categorical, str):
        if categorical is not None:
            _check_coding(categorical, source)
        return Roles(where, left_out, {}, categorical)
    codings = {}
    for key, coding in categorical.items():
        _check_coding(coding, source)
        codings[_position(names, key, "categorical", source)] = coding
    if where in codings:
        raise InputError(f"{source}: column {names[where]!r} is `target`; its classes need no coding")
    return Roles(where, left_out, codings)


def _refuse_duplicates(names: Sequence[str], source: str) -> None:
    first: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if name in first:
            raise InputError(
                f"{source}: columns {first[name]} and {position} are both called {name!r}; rename one of them"
            )
        first[name] = position


def _position(names: Sequence[str], key: str | int, option: str, source: str) -> int:
    if isinstance(key, int):
        if not -len(names) <= key < len(names):
            raise InputError(f"{source}: `{option}: {key}` is beyond the {len(names)} columns (counted from 0)")
        return key % len(names)
    if key not in names:
        raise InputError(
            f"{source}: there is no column {key!r} (`{option}`){nearest(key, names)}; the columns are {listed(names)}"
        )
    return list(names).index(key)


def _check_coding(coding: Coding, source: str) -> None:
    if isinstance(coding, str) and coding not in _CODINGS:
        raise InputError(f"{source}: `categorical: {coding}` is no coding{nearest(coding, _CODINGS)}")


def assemble(
    columns: Sequence[Column],
    roles: Roles,
    *,
    missing: str,
    source: str,
    place: Callable[[int], str],
    split: np.ndarray | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """Make the table of a single-label set from the columns of its file.

    Parameters
    ----------
    columns : sequence of Column
        All columns, those to be dropped too.
    roles : Roles
        What each is for.
    missing : {"error", "drop_rows", "impute"}
        What to do with missing values: refuse them; leave their rows out; or keep them as NaN for the preprocessing
        to fill from the training part of each fold (a missing label is refused all the same).
    source : str
        What to call the file in a message.
    place : callable
        Gives "line 17" or the like for the position of a row.
    split : ndarray of str, optional
        "train"/"test" of each row.
    notes : sequence of str, optional
        Sentences to begin the notes with.

    Raises
    ------
    InputError
        For missing and infinite values, text that is not declared categorical, and what
        :func:`~algos.datasets.table.single_label_table` refuses.
    """
    notes = list(notes)
    used = [j for j in range(len(columns)) if j not in roles.dropped]
    _refuse_infinite(columns, [j for j in used if j != roles.target], source, place)
    _refuse_empty([columns[j] for j in used], source)
    names, parts = [], []
    for j in used:
        if j != roles.target:
            more_names, values = _feature(columns[j], roles.categorical.get(j, roles.default), source, place, notes)
            names += more_names
            parts += values
    _refuse_duplicates(names, f"{source}, after one-hot coding")
    keep = _rows_to_keep(columns, used, roles.target, missing, source, place, notes)
    y = labels_of(columns[roles.target].values if keep.all() else _selected(columns[roles.target].values, keep))
    X = np.empty((len(y), len(parts)))
    for j, values in enumerate(parts):
        X[:, j] = values[keep]
    return single_label_table(X, y, names, source, None if split is None else split[keep], notes)


def _selected(values: np.ndarray | list, keep: np.ndarray) -> list:
    return [value for value, kept in zip(values, keep, strict=True) if kept]


def _refuse_infinite(columns: Sequence[Column], used: Sequence[int], source: str, place: Callable[[int], str]) -> None:
    for column in (columns[j] for j in used if not columns[j].is_text):
        infinite = np.flatnonzero(np.isinf(column.values))
        if infinite.size:
            raise InputError(
                f"{source}, {place(infinite[0])}: column {column.name!r} holds an infinite number (or one beyond 1e308)"
                "; correct it, or add it to `missing_values`"
            )


def _refuse_empty(columns: Sequence[Column], source: str) -> None:
    for column in columns:
        if len(column.values) > 0 and column.missing().all():
            raise InputError(f"{source}: column {column.name!r} is empty; leave it out with `drop: [{column.name}]`")


def _rows_to_keep(
    columns: Sequence[Column],
    used: Sequence[int],
    target: int,
    missing: str,
    source: str,
    place: Callable[[int], str],
    notes: list[str],
) -> np.ndarray:
    if missing not in _POLICIES:
        raise InputError(f"{source}: `missing: {missing}` is no policy{nearest(missing, _POLICIES)}")
    masks = {j: columns[j].missing() for j in used}
    gaps = {columns[j].name: mask for j, mask in masks.items() if mask.any()}
    keep = np.ones(len(masks[target]), dtype=bool)
    if missing == "impute" and masks[target].any():
        raise InputError(
            f"{source}, {place(np.argmax(masks[target]))}: the label is missing (column {columns[target].name!r}), "
            "and a label cannot be imputed; use `missing: drop_rows`"
        )
    if not gaps:
        return keep
    incomplete = np.logical_or.reduce(list(gaps.values()))
    count = f"{incomplete.sum()} of {len(incomplete)} rows"
    if missing == "error":
        name, mask = next(iter(gaps.items()))
        raise InputError(
            f"{source}, {place(np.argmax(mask))}: column {name!r} has no value; {count} have missing values: "
            "choose `missing: drop_rows` or `missing: impute`"
        )
    if missing == "impute":
        notes.append(
            f"Missing values in {count} (columns {listed(gaps)}): numbers are filled from the training part of a fold, "
            "one-hot coded categories are none of the known ones."
        )
        return keep
    notes.append(f"Left out {count} with missing values (columns {listed(gaps)}).")
    return ~incomplete


def _feature(
    column: Column, coding: Coding | None, source: str, place: Callable[[int], str], notes: list[str]
) -> tuple[list[str], list[np.ndarray]]:
    """Return the names and values of the feature columns that one column of the file becomes."""
    if not column.is_text:
        if np.any(np.abs(column.values) >= _LARGEST_EXACT_INTEGER):
            notes.append(f"Column {column.name!r} holds numbers of 2^53 and more, rounded to 16 digits.")
        return [column.name], [column.values]
    if coding is None and column.categories is None:
        row = next((i for i, value in enumerate(column.values) if value is not None), 0)
        raise InputError(
            f"{source}: column {column.name!r} holds text ({column.values[row]!r}, {place(row)}); "
            "declare it under `categorical` (one_hot or ordinal), or leave it out with `drop`"
        )
    categories = _categories(column, coding, source, place)
    codes = {category: float(code) for code, category in enumerate(categories)}
    values = np.array([np.nan if value is None else codes[value] for value in column.values])
    if coding in (None, "one_hot"):
        if 8 * len(categories) * len(values) > _MOST_CODED_BYTES:
            raise InputError(
                f"{source}: column {column.name!r} has {len(categories)} values; one-hot coded they would take more "
                f"than {_MOST_CODED_BYTES >> 30} GiB; declare it as ordinal, or leave it out with `drop`"
            )
        notes.append(f"Column {column.name!r} is one-hot coded: {listed(categories)}.")
        return [f"{column.name}={name}" for name in categories], [
            (values == code).astype(float) for code in range(len(categories))
        ]
    notes.append(f"Column {column.name!r} is coded 0, 1, ... in the order {listed(categories)}.")
    return [column.name], [values]


def _categories(column: Column, coding: Coding | None, source: str, place: Callable[[int], str]) -> Sequence[str]:
    if coding is None or isinstance(coding, str):
        return column.categories or sorted({value for value in column.values if value is not None})
    known = [str(category) for category in coding]
    for row, value in enumerate(column.values):
        if value is not None and value not in known:
            raise InputError(
                f"{source}, {place(row)}: {value!r} is not among the categories declared for column "
                f"{column.name!r}{nearest(value, known)}"
            )
    return known
