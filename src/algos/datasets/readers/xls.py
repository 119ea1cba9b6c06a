"""Sheets of Excel 97-2003 workbooks (.xls), through xlrd."""

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from algos.datasets.columns import MISSING_CELLS, Coding, Column, assemble, column_roles
from algos.datasets.hints import listed, nearest, one_line
from algos.datasets.table import Table, label_text
from algos.datasets.textfile import read_bytes
from algos.exceptions import InputError

if TYPE_CHECKING:
    from xlrd.sheet import Cell, Sheet


def load_xls(
    path: str | os.PathLike,
    target: str | int = -1,
    *,
    sheet: str | int = 0,
    drop: Sequence[str | int] = (),
    categorical: str | Mapping[str, Coding] | None = None,
    missing: str = "error",
    missing_values: Sequence[str | float] = MISSING_CELLS,
) -> Table:
    """Read one sheet whose first row names the columns.

    Parameters
    ----------
    path : path-like
        Workbook in the old .xls format.
    target : str or int, default -1
        Column of the classes: its name, or its position from 0 (negative from the end).
    sheet : str or int, default 0
        Name or position of the sheet.
    drop, categorical, missing, missing_values
        As in :func:`algos.datasets.load_csv`. Dates count as numbers of days.

    Returns
    -------
    Table
        `X` (n_samples, n_features) and `y` (n_samples,) as text.

    Raises
    ------
    InputError
        When this is no such workbook, the sheet is not there or has no data, or a column cannot be used.
    """
    path = Path(path)
    page = _sheet(path, sheet)
    rows = [i for i in range(page.nrows) if any(str(cell.value).strip() for cell in page.row(i))]
    if len(rows) < 2:
        raise InputError(f"{path}: sheet {page.name!r} has no row of data under a header")
    names = [label_text(value) or f"x{j}" for j, value in enumerate(page.row_values(rows[0]))]
    source = f"{path.name}, sheet {page.name!r}"
    roles = column_roles(names, target, drop, categorical, source=source)
    tokens = {label_text(value).lower() for value in missing_values}
    columns = [
        _column(name, [page.cell(i, j) for i in rows[1:]], tokens, as_text=j in roles.categorical)
        for j, name in enumerate(names)
    ]
    return assemble(columns, roles, missing=missing, source=source, place=lambda row: f"row {rows[row + 1] + 1}")


def _sheet(path: Path, sheet: str | int) -> "Sheet":
    import xlrd

    content = read_bytes(path)
    if not content:
        raise InputError(f"{path}: the file is empty")
    try:
        book = xlrd.open_workbook(file_contents=content, logfile=io.StringIO())
        names = book.sheet_names()
        if sheet in names:
            return book.sheet_by_name(sheet)
        if isinstance(sheet, int) and 0 <= sheet < len(names):
            return book.sheet_by_index(sheet)
    except Exception as error:  # on a damaged workbook xlrd raises whatever its structures happen to trip over
        reason = one_line(error) or "its structure is broken"
        raise InputError(f"{path}: cannot be read as an .xls workbook ({reason})") from None
    raise InputError(f"{path}: there is no sheet {sheet!r}{nearest(sheet, names)}; the sheets are {listed(names)}")


def _column(name: str, cells: Sequence["Cell"], tokens: set[str], as_text: bool) -> Column:
    values = [None if label_text(cell.value).lower() in tokens else cell.value for cell in cells]
    try:
        if not as_text:
            return Column(name, np.array([np.nan if value is None else float(value) for value in values]))
    except ValueError:
        pass  # words among the values: the column is text
    return Column(name, [None if value is None else label_text(value) for value in values])
