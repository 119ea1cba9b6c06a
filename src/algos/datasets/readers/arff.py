"""ARFF, the format of Weka and (with a list of labels in XML) of Mulan, dense and sparse, through liac-arff."""

import csv
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers import expat

import numpy as np

from algos.datasets.columns import Coding, Column, assemble, column_roles
from algos.datasets.hints import listed, nearest, one_line
from algos.datasets.table import Table, multi_label_table, split_of
from algos.datasets.textfile import Paths, as_paths, read_bytes, text_lines
from algos.exceptions import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_MEKA_OPTION = re.compile(r":\s*(?:-\S.*\s)?-C\s+(-?[0-9]{1,9})\b")
# What liac-arff's sentences leave out, by the class of its error.
_HINTS = {
    "BadAttributeType": "numeric, nominal and string attributes can be read; dates and relations cannot",
    "BadDataFormat": "a row has a value for each attribute, or {index value, ...} with indices from 0",
    "BadLayout": "@relation, @attribute lines and @data must come in this order, before the rows",
    "BadNominalValue": "a nominal value must be one of those that its @attribute line lists",
    "BadNumericalValue": "a numeric attribute has a value that is no number; ? means missing",
}
# The values of a nominal attribute, as a pattern that never looks back: liac-arff's own takes for ever on a list with
# a mistake in it. Attributes of few values are left to it, since it reads some odd ones.
_NOMINAL = re.compile(
    r"""@attribute\s[^{]*+\{(?>\s*+(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|[^\s,"'{}][^\s,{}]*+)?+\s*+,)*+"""
    r"""\s*+(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|[^\s,"'{}][^\s,{}]*+)?+\s*+\}\s*""",
    re.IGNORECASE,
)
_FEW_VALUES = 8
# Characters of a relation's name that are searched for an option: the time grows with their square.
_MOST_OPTIONS = 2000

Labels = str | os.PathLike | Sequence[str] | int


def load_arff(
    path: Paths,
    labels: Labels | None = None,
    *,
    target: str | int = -1,
    encoding: str | None = None,
    drop: Sequence[str | int] = (),
    categorical: str | Mapping[str, Coding] | None = None,
    missing: str = "error",
    parts: Sequence[str] | None = None,
) -> Table:
    """Read an ARFF file, single-label or multi-label.

    Parameters
    ----------
    path : path-like or sequence of path-like
        One file, or several with the same attributes, read one after the other; plain or compressed (.gz).
    labels : path-like, sequence of str, int, or None
        Which attributes are the labels of a multi-label set: Mulan's XML file (matched by name, since its order may
        differ from the columns'; the labels keep the columns' order), names, or the number of attributes at the end.
        None reads a single-label set, unless the relation's name ends in MEKA's ``: -C n`` and `target` is left alone:
        then the first n attributes are the labels, or the last -n where n is negative.
    target : str or int, default -1
        Attribute of the classes of a single-label set.
    encoding : str, optional
        Codec; without it the byte-order mark decides, else UTF-8.
    drop, categorical, missing, parts
        As in :func:`algos.datasets.load_csv` (`categorical` and `missing` for single-label sets). Nominal
        attributes whose values are numbers are numbers; other nominal attributes are one-hot coded, or, as "ordinal",
        numbered in the order of their declaration.

    Returns
    -------
    Table
        `X` (n_samples, n_features), sparse (CSR) where a multi-label file is; `y` (n_samples,) as text, or `Y`
        (n_samples, n_labels).

    Raises
    ------
    InputError
        With the file and line that cannot be read, or the label or attribute that is not there.
    """
    files = [_ArffFile(p, encoding) for p in as_paths(path)]
    source = " + ".join(file.path.name for file in files)
    for file in files[1:]:
        if file.attributes != files[0].attributes:
            raise InputError(f"{file.path}: its attributes are not those of {files[0].path.name}")
    split = split_of([len(file.rows) for file in files], parts)
    rows = [row for file in files for row in file.rows]
    attributes = files[0].attributes
    names = [name for name, _ in attributes]
    notes = []
    if labels is None and target == -1:
        labels = _meka_labels(files[0].relation, names, source)
        notes = [f"Labels by the relation's name, {files[0].relation!r}."] if labels else []
    if labels is None:
        roles = column_roles(names, target, drop, categorical, source=source)
        columns = [_column(attributes, rows, j, as_text=j == roles.target) for j in range(len(names))]
        where = lambda row: f"instance {row + 1}"  # noqa: E731
        return assemble(columns, roles, missing=missing, source=source, place=where, split=split)
    roles = column_roles(names, 0, source=source)  # for its check of the names
    label_columns = _label_columns(names, labels, source)
    left_out = column_roles([*names, ""], -1, drop, source=source).dropped
    return _multi_label(files[0], rows, label_columns, left_out, source, split, notes)


class _ArffFile:
    """An ARFF file read by liac-arff: the `relation`'s name, `attributes`, and `rows` as lists or, sparse, dicts.

    An attribute is (name, type or categories).
    """

    def __init__(self, path: Path, encoding: str | None) -> None:
        import arff

        self.path = path
        try:
            # A dense file stops the sparse reader at its first row.
            content = self._load(encoding, arff.LOD)
            self.sparse = True
        except arff.BadLayout:
            content = self._load_dense(encoding)
            self.sparse = False
        except arff.ArffException as error:
            raise self._wrong(error) from None
        self.relation = content["relation"]
        self.attributes = content["attributes"]
        self.rows = content["data"]
        if not self.rows:
            raise InputError(f"{path}: there is no instance under @data")

    def _load(self, encoding: str | None, kind: int) -> dict:
        import arff

        try:
            return arff.load(self._lines(encoding), return_type=kind)
        except InputError:
            raise
        except (ValueError, IndexError, StopIteration, OverflowError, csv.Error) as error:
            # What liac-arff lets through.
            raise InputError(f"{self.path}: is not ARFF that can be read ({one_line(error)})") from None

    def _lines(self, encoding: str | None) -> Iterator[str]:
        in_header = True
        for number, line in enumerate(text_lines(self.path, encoding), start=1):
            line = line.rstrip("\r\n")
            start = line[:10].lower()
            in_header = in_header and not start.startswith("@data")
            many = in_header and start == "@attribute" and "{" in line and line.count(",") >= _FEW_VALUES
            if many and not _NOMINAL.fullmatch(line):
                raise InputError(
                    f"{self.path}, line {number}: the list of an attribute's values cannot be read; put values that "
                    "hold blanks, commas or braces into quotes"
                )
            yield line

    def _load_dense(self, encoding: str | None) -> dict:
        import arff

        try:
            return self._load(encoding, arff.DENSE)
        except arff.ArffException as error:
            raise self._wrong(error) from None

    def _wrong(self, error: Exception) -> InputError:
        try:
            text = one_line(error)[:200]
        except (TypeError, ValueError):  # liac-arff formats the offending line, which may itself hold a %
            text = f"bad instance, at line {error.line}"
        hint = _HINTS.get(error.__class__.__name__)
        return InputError(f"{self.path}: {text}" + (f" ({hint})" if hint else ""))


def _column(attributes: Sequence[tuple], rows: Sequence, j: int, as_text: bool) -> Column:
    name, kind = attributes[j]
    values = [_value(row, j, kind) for row in rows]
    if isinstance(kind, str) and kind != "STRING":
        return Column(name, np.array([np.nan if value is None else value for value in values], dtype=np.float64))
    if isinstance(kind, str):
        return Column(name, values)
    numbers = _numbers(kind)
    if numbers is None or as_text:
        return Column(name, values, tuple(kind))
    return Column(name, np.array([np.nan if value is None else numbers[value] for value in values]))


def _value(row: Sequence | Mapping, j: int, kind: str | Sequence[str]) -> object:
    """Return the value of attribute `j`; what a sparse row leaves out is 0, or the first category."""
    if isinstance(row, Mapping):
        return row.get(j, 0.0 if isinstance(kind, str) else kind[0])
    return row[j]


def _numbers(categories: Sequence[str]) -> dict[str, float] | None:
    """Return category -> number when all categories are numbers."""
    try:
        return {category: float(category) for category in categories}
    except (TypeError, ValueError):  # the former of an empty entry, which liac-arff gives as None
        return None


def _label_columns(names: Sequence[str], labels: Labels, source: str) -> list[int]:
    if isinstance(labels, int):
        if not 0 < labels < len(names):
            raise InputError(f"{source}: `labels: {labels}`: there are {len(names)} attributes")
        return list(range(len(names) - labels, len(names)))
    wanted = _names_in_xml(Path(labels)) if isinstance(labels, str | os.PathLike) else list(labels)
    there = set(names)
    for label in wanted:
        if label not in there:
            raise InputError(f"{source}: there is no attribute {label!r} for that label{nearest(label, names)}")
    wanted = set(wanted)
    return [j for j, name in enumerate(names) if name in wanted]


def _meka_labels(relation: str, names: Sequence[str], source: str) -> list[str] | None:
    """Return the labels that MEKA's option in a relation's name tells, such as ``'Enron: -C 53'``; None without it."""
    option = _MEKA_OPTION.search(relation[:_MOST_OPTIONS])
    if not option:
        return None
    n = int(option[1])
    if not 0 < abs(n) < len(names):
        raise InputError(
            f"{source}: the relation's name, {relation!r}, asks for {n} of {len(names)} attributes as labels"
        )
    return list(names[:n] if n > 0 else names[n:])


def _names_in_xml(path: Path) -> list[str]:
    names = []

    def element(tag: str, attributes: Mapping[str, str]) -> None:
        if tag.rpartition(":")[2] == "label":
            names.append(attributes.get("name"))

    def doctype(*_: object) -> None:
        raise InputError(f"{path}: declares XML entities, which a list of labels has no need of; refused")

    # The parser itself tells of a declaration, in whatever encoding it is written.
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.StartDoctypeDeclHandler = element, doctype
    try:
        parser.Parse(read_bytes(path), True)
    except InputError:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:  # the latter two for odd encodings
        raise InputError(f"{path}: is not XML ({error}); `labels` takes Mulan's XML file, names or a number") from None
    if not names or None in names:
        raise InputError(f"{path}: holds no <label name=...> elements")
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"{path}: names the label {twice!r} twice; take one out")
    return names


def _multi_label(
    file: _ArffFile,
    rows: Sequence,
    label_columns: Sequence[int],
    left_out: frozenset[int],
    source: str,
    split: np.ndarray | None,
    notes: Sequence[str],
) -> Table:
    attributes = file.attributes
    labels = set(label_columns)
    features = [j for j in range(len(attributes)) if j not in labels and j not in left_out]
    _refuse_text(attributes, features, source)
    for j in label_columns:
        if not isinstance(attributes[j][1], str) and not set(attributes[j][1]) <= {"0", "1"}:
            raise InputError(f"{source}: label {attributes[j][0]!r} takes {listed(attributes[j][1])}, not 0 and 1")
    Y = _matrix(attributes, rows, label_columns, source)
    others = np.flatnonzero(Y.data != 1)  # zeros are not held
    if others.size:
        row, name = (
            np.searchsorted(Y.indptr, others[0], side="right"),
            attributes[label_columns[Y.indices[others[0]]]][0],
        )
        raise InputError(
            f"{source}, instance {row}: label {name!r} is {Y.data[others[0]]:g}: labels take other values than 0 "
            "and 1, so `labels` may name a feature"
        )
    X = _matrix(attributes, rows, features, source)
    return multi_label_table(
        X if file.sparse else X.toarray(),
        Y.toarray().astype(np.int8),
        [attributes[j][0] for j in features],
        [attributes[j][0] for j in label_columns],
        source,
        split,
        notes,
    )


def _refuse_text(attributes: Sequence[tuple], features: Sequence[int], source: str) -> None:
    for j in features:
        name, kind = attributes[j]
        if kind == "STRING" or (not isinstance(kind, str) and _numbers(kind) is None):
            raise InputError(f"{source}: attribute {name!r} of a multi-label set is text; leave it out with `drop`")


def _matrix(attributes: Sequence[tuple], rows: Sequence, columns: Sequence[int], source: str) -> "csr_array":
    """Gather some attributes as a sparse matrix of shape (n_rows, len(columns)), without making the whole dense."""
    from scipy.sparse import csr_array

    position = {j: k for k, j in enumerate(columns)}
    numbers = {j: None if isinstance(attributes[j][1], str) else _numbers(attributes[j][1]) for j in columns}
    # What sparse rows leave out is the first category, which need not be 0.
    unwritten = {j: known[attributes[j][1][0]] for j, known in numbers.items() if known}
    unwritten = {j: value for j, value in unwritten.items() if value != 0}
    data, indices, ends = [], [], [0]
    for i, row in enumerate(rows):
        cells = {**dict.fromkeys(unwritten), **row} if isinstance(row, Mapping) else dict(enumerate(row))
        for j in sorted(position.keys() & cells.keys()):
            written = isinstance(row, Sequence) or j in row
            if written and cells[j] is None:
                raise InputError(
                    f"{source}, instance {i + 1}: attribute {attributes[j][0]!r} has no value; multi-label sets with "
                    "missing values cannot be read"
                )
            value = unwritten[j] if not written else numbers[j][cells[j]] if numbers[j] else float(cells[j])
            if not np.isfinite(value):
                raise InputError(f"{source}, instance {i + 1}: attribute {attributes[j][0]!r} is {value}; correct it")
            if value != 0:
                data.append(value)
                indices.append(position[j])
        ends.append(len(data))
    # Indices of 32 bits: liblinear takes no others.
    written = (np.array(data, dtype=np.float64), np.array(indices, dtype=np.int32), np.array(ends, dtype=np.int32))
    return csr_array(written, shape=(len(rows), len(columns)))
