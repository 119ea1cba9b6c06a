"""Delimited text: CSV of every dialect, and the header-less files of the UCI repository."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from algos.datasets.columns import MISSING_CELLS, Coding, Column, Roles, assemble, column_roles
from algos.datasets.hints import listed
from algos.datasets.table import Table, split_of
from algos.datasets.textfile import Paths, as_paths, text_lines
from algos.exceptions import InputError

# The first of these that cuts the sample into equal rows is the delimiter: a comma, which also serves as decimal
# point and in prose, comes last.
_DELIMITERS = ("\t", ";", "|", ",")
_SAMPLE_LINES = 20
_BLOCK_ROWS = 4096
_LIKELY_MISSING = {"-", "--", ".", "*", "none", "n.a.", "#n/a"}
_NAMED_DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";"}


def load_csv(
    path: Paths,
    target: str | int = -1,
    *,
    header: bool = True,
    names: Sequence[str] | None = None,
    delimiter: str = "auto",
    encoding: str | None = None,
    decimal: str = ".",
    drop: Sequence[str | int] = (),
    categorical: str | Mapping[str, Coding] | None = None,
    missing: str = "error",
    missing_values: Sequence[str | float] = MISSING_CELLS,
    parts: Sequence[str] | None = None,
) -> Table:
    """Read delimited text with a header line (RFC 4180 quoting; LF, CRLF or CR; blank lines skipped).

    Parameters
    ----------
    path : path-like or sequence of path-like
        One file, or several with the same columns, read one after the other; plain, .gz, .bz2, .xz or .Z.
    target : str or int, default -1
        Column of the classes: its name, or its position from 0 (negative from the end).
    header : bool, default True
        Whether the first line names the columns. Without a header they are called x0, x1, ...
    names : sequence of str, optional
        Names for all columns of a file without a header.
    delimiter : str, default "auto"
        One character, or "tab", "comma", "semicolon", "whitespace" (any run of blanks, no quoting), or "auto": the
        first of tab, semicolon, bar, comma that cuts the first 20 lines into equally many fields.
    encoding : str, optional
        Codec; without it the byte-order mark decides, else UTF-8.
    decimal : str, default "."
        Decimal point of numbers.
    drop : sequence of (str or int)
        Columns to leave out.
    categorical : {"one_hot", "ordinal"}, mapping or None
        Coding of columns of text (:func:`algos.datasets.columns.column_roles`). None refuses text.
    missing : {"error", "drop_rows", "impute"}, default "error"
        What to do with missing values (:func:`algos.datasets.columns.assemble`).
    missing_values : sequence of (str or float)
        Cells that mean "not known", upper and lower case alike; replaces the default list.
    parts : sequence of {"train", "test"}, optional
        What each file is, for a designated split.

    Returns
    -------
    Table
        `X` (n_samples, n_features) and `y` (n_samples,) as text.

    Raises
    ------
    InputError
        With the file, the line and the column of what cannot be read.
    """
    paths = as_paths(path)
    source = " + ".join(p.name for p in paths)
    tokens = _Tokens(missing_values, decimal)
    first = _DelimitedFile(paths[0], header, names, delimiter, encoding)
    roles = column_roles(first.names, target, drop, categorical, source=source)
    _suspect_missing_header(first, target, header)
    files = [first] + [_DelimitedFile(p, header, names, delimiter, encoding, first) for p in paths[1:]]
    parsed = _parse(files, roles, tokens)
    return assemble(
        parsed.columns,
        roles,
        missing=missing,
        source=source,
        place=parsed.place,
        split=split_of(parsed.counts, parts),
        notes=first.notes,
    )


def load_uci(path: Paths, target: str | int = -1, *, header: bool = False, **options: object) -> Table:
    """Read text in the style of the UCI repository: :func:`load_csv` for files without a header line.

    Parameters
    ----------
    path : path-like or sequence of path-like
        As in :func:`load_csv`.
    target : str or int, default -1
        As in :func:`load_csv`.
    header : bool, default False
        As in :func:`load_csv`.
    **options
        The other options of :func:`load_csv`; blank-separated files need ``delimiter="whitespace"``.
    """
    return load_csv(path, target, header=header, **options)


class _DelimitedFile:
    """A file cut into rows of fields: `names`, and `rows()` giving (line number, fields)."""

    def __init__(
        self,
        path: Path,
        header: bool,
        names: Sequence[str] | None,
        delimiter: str,
        encoding: str | None,
        like: "_DelimitedFile | None" = None,
    ) -> None:
        self.path = path
        self.header = header
        self.encoding = encoding
        self.notes: list[str] = []
        self.delimiter = like.delimiter if like else self._find_delimiter(delimiter)
        self.first_line, self.first_row = next(self._all_rows(), (0, []))
        if not self.first_row:
            raise InputError(f"{path}: the file is empty")
        self.names = self._header_names() if header else self._given_names(names)
        if like and self.names != like.names:
            raise InputError(
                f"{path}: its columns ({listed(self.names, 4)}) are not those of {like.path.name} "
                f"({listed(like.names, 4)})"
            )

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield (line number, fields) of each row of data; all have as many fields as there are names."""
        width = len(self.names)
        found = False
        for number, fields in islice(self._all_rows(), int(self.header), None):
            if len(fields) != width:
                raise InputError(
                    f"{self.path}, line {number}: has {len(fields)} fields where {width} are expected; "
                    "look for a missing or extra delimiter, or a field that needs quotes"
                )
            found = True
            yield number, fields
        if not found:
            raise InputError(f"{self.path}: there is a header and no row of data")

    def _all_rows(self) -> Iterator[tuple[int, list[str]]]:
        lines = text_lines(self.path, self.encoding)
        if self.delimiter == "whitespace":
            cut = ((number, line.split()) for number, line in enumerate(lines, start=1))
        else:
            cut = self._quoted_rows(lines)
        for number, fields in cut:
            # csv gives [] for an empty line and [" "] for one of blanks.
            if fields and (len(fields) > 1 or fields[0].strip()):
                yield number, fields

    def _quoted_rows(self, lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(lines, delimiter=self.delimiter, skipinitialspace=True, strict=True)
        start = 1
        try:
            for fields in reader:
                yield start, fields
                start = reader.line_num + 1
        except csv.Error as error:
            raise InputError(
                f"{self.path}, line {start}: the quotes are wrong ({error}); "
                'a quoted field ends with " before the delimiter, and " inside is doubled'
            ) from None

    def _find_delimiter(self, delimiter: str) -> str:
        delimiter = _NAMED_DELIMITERS.get(delimiter, delimiter)
        if delimiter not in ("auto", "whitespace") and (len(delimiter) != 1 or delimiter in '"\r\n'):
            raise InputError(
                f"{self.path}: `delimiter: {delimiter}` is neither one character nor one of "
                f"auto, whitespace, {', '.join(_NAMED_DELIMITERS)}"
            )
        if delimiter != "auto":
            return delimiter
        lines = text_lines(self.path, self.encoding)
        sample = list(islice((line for line in lines if line.strip()), _SAMPLE_LINES))
        return next((mark for mark in _DELIMITERS if _cuts_evenly(sample, mark)), ",")

    def _header_names(self) -> list[str]:
        names = [name.strip() for name in self.first_row]
        blank = [j for j, name in enumerate(names) if not name]
        for j in blank:
            names[j] = f"x{j}"
        if blank:
            self.notes.append(
                f"{self.path.name}: columns without a name are called {listed(names[j] for j in blank)}; "
                "if that is a row number, drop it."
            )
        return names

    def _given_names(self, names: Sequence[str] | None) -> list[str]:
        if names is None:
            return [f"x{j}" for j in range(len(self.first_row))]
        if len(names) != len(self.first_row):
            raise InputError(f"{self.path}: `names` has {len(names)} names for {len(self.first_row)} columns")
        return [str(name) for name in names]


def _cuts_evenly(sample: Sequence[str], delimiter: str) -> bool:
    try:
        widths = {len(fields) for fields in csv.reader(sample, delimiter=delimiter, skipinitialspace=True) if fields}
    except csv.Error:
        return False
    return len(widths) == 1 and widths.pop() > 1


def _suspect_missing_header(file: _DelimitedFile, target: str | int, header: bool) -> None:
    """Refuse a header that looks like data: its row would be lost without a word.

    It does when some of its names are numbers and each of the others occurs as a value of its own column.
    """
    if not header or not isinstance(target, int):
        return
    words = {j: name for j, name in enumerate(file.names) if not _is_number(name)}
    if len(words) == len(file.names):
        return
    for _, fields in file.rows():
        words = {j: name for j, name in words.items() if fields[j].strip() != name}
        if not words:
            break
    if not words:
        raise InputError(
            f"{file.path}, line {file.first_line}: the header looks like a row of data; give `header: false` if it is "
            "one, or name the `target` column"
        )
    file.notes.append(f"{file.path.name}: some columns' names are numbers; if line 1 is data give `header: false`.")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


class _Tokens:
    """How cells are read: what means "missing", and the decimal point."""

    def __init__(self, missing_values: Sequence[str | float], decimal: str) -> None:
        self.decimal = decimal
        self.missing = frozenset(str(value).strip().lower() for value in missing_values)
        numbers = (float(value) for value in self.missing if _is_number(value))
        self.missing_numbers = np.array([number for number in numbers if number == number])

    def text(self, cells: Iterable[str]) -> list[str | None]:
        """Return the stripped cells, None where missing."""
        stripped = [cell.strip() for cell in cells]
        return [None if cell.lower() in self.missing else cell for cell in stripped]

    def numbers(self, cells: Sequence[str]) -> np.ndarray:
        """Return the cells as float64, NaN where missing; ValueError when one is no number."""
        if self.decimal != ".":
            cells = [cell.replace(self.decimal, ".") for cell in cells]
        try:
            values = np.array(list(map(float, cells)))
        except ValueError:
            values = np.array([float("nan" if cell is None else cell) for cell in self.text(cells)])
        if "_" in "".join(cells):  # Python reads 1_000 as a number; no other program does
            raise ValueError
        if self.missing_numbers.size:
            values[np.isin(values, self.missing_numbers)] = np.nan
        return values

    def first_wrong(self, cells: Sequence[str]) -> int:
        """Return the position of the first cell that :meth:`numbers` refuses."""
        for i, cell in enumerate(cells):
            try:
                self.numbers([cell])
            except ValueError:
                return i
        raise AssertionError("every cell is a number")


class _Parsed:
    """Columns of one or more files, and the way back from a row to its line."""

    def __init__(self, columns: list[Column], lines: list[np.ndarray], files: Sequence[_DelimitedFile]) -> None:
        self.columns = columns
        self.counts = [len(numbers) for numbers in lines]
        self._lines = np.concatenate(lines)
        self._files = np.repeat([file.path.name for file in files], self.counts)

    def place(self, row: int) -> str:
        """Return "line 17", with the file's name when there are several."""
        text = f"line {self._lines[row]}"
        return text if len(self.counts) == 1 else f"{text} of {self._files[row]}"


def _parse(files: Sequence[_DelimitedFile], roles: Roles, tokens: _Tokens) -> _Parsed:
    """Read all rows, keeping 8 bytes a number: text is kept only of columns that are to stay text."""
    text = {roles.target, *roles.categorical} - roles.dropped
    while True:
        found_text = set(text)
        store, lines = [[] for _ in files[0].names], []
        for file in files:
            lines.append(_read_blocks(file, roles, tokens, found_text, store))
        if found_text == text:
            break
        text = found_text  # columns of words, to be coded by `categorical`: read once more, as text
    columns = []
    for j, name in enumerate(files[0].names):
        if j in roles.dropped:
            columns.append(Column(name, np.zeros(0)))
        elif j in text:
            columns.append(Column(name, [cell for block in store[j] for cell in block]))
        else:
            columns.append(Column(name, np.concatenate(store[j])))
    return _Parsed(columns, lines, files)


def _read_blocks(file: _DelimitedFile, roles: Roles, tokens: _Tokens, text: set[int], store: list[list]) -> np.ndarray:
    lines: list[int] = []
    rows = file.rows()
    while block := list(islice(rows, _BLOCK_ROWS)):
        numbers, fields = zip(*block, strict=True)
        for j, cells in enumerate(zip(*fields, strict=True)):
            if j in roles.dropped:
                continue
            if j in text:
                store[j].append(tokens.text(cells))
                continue
            try:
                store[j].append(tokens.numbers(cells))
            except ValueError:
                if roles.default is None:
                    raise _not_a_number(file, j, cells, numbers, tokens) from None
                text.add(j)
        lines += numbers
    return np.array(lines)


def _not_a_number(
    file: _DelimitedFile, column: int, cells: Sequence[str], lines: Sequence[int], tokens: _Tokens
) -> InputError:
    wrong = tokens.first_wrong(cells)
    cell, line = cells[wrong].strip(), lines[wrong]
    if not cell:
        hint = "an empty cell is missing only if `missing_values` lists ''"
    elif "," in cell and _is_number(cell.replace(",", ".", 1)):
        hint = 'if the comma is the decimal point give `decimal: ","`'
    elif line == file.first_line:
        hint = "if this line names the columns give `header: true`"
    elif cell.lower() in _LIKELY_MISSING:
        hint = f"if it means not known add {cell!r} to `missing_values`"
    else:
        hint = "correct it, declare the column under `categorical` (one_hot or ordinal), or leave it out with `drop`"
    return InputError(f"{file.path}, line {line}: {cell!r} in column {file.names[column]!r} is not a number; {hint}")
