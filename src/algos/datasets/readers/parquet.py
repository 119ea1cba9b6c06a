"""Parquet files of other programs, through pyarrow."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from algos.datasets.columns import Coding, Column, assemble, column_roles
from algos.datasets.hints import listed
from algos.datasets.storage import read_arrow
from algos.datasets.table import Table, label_text, split_of
from algos.datasets.textfile import Paths, as_paths
from algos.exceptions import InputError

if TYPE_CHECKING:
    import pyarrow


def load_parquet(
    path: Paths,
    target: str | int = -1,
    *,
    drop: Sequence[str | int] = (),
    categorical: str | Mapping[str, Coding] | None = None,
    missing: str = "error",
    parts: Sequence[str] | None = None,
) -> Table:
    """Read Parquet files whose columns are numbers, truth values or text.

    Parameters
    ----------
    path : path-like or sequence of path-like
        One file, or several with the same columns, read one after the other.
    target : str or int, default -1
        Column of the classes: its name, or its position from 0 (negative from the end).
    drop, categorical, missing, parts
        As in :func:`algos.datasets.load_csv`; null and NaN are missing values.

    Returns
    -------
    Table
        `X` (n_samples, n_features) and `y` (n_samples,) as text.

    Raises
    ------
    InputError
        When this is no Parquet file, the files' columns differ, or a column cannot be used.
    """
    import pyarrow as pa

    paths = as_paths(path)
    source = " + ".join(p.name for p in paths)
    tables = [read_arrow(p) for p in paths]
    names = tables[0].column_names
    for p, table in zip(paths, tables, strict=True):
        if table.column_names != names:
            raise InputError(f"{p}: its columns ({listed(table.column_names, 4)}) are not those of {paths[0].name}")
    roles = column_roles(names, target, drop, categorical, source=source)
    columns = []
    for j, name in enumerate(names):
        chunks = [chunk for table in tables for chunk in table.column(j).chunks]
        empty = j in roles.dropped
        columns.append(
            Column(name, np.zeros(0))
            if empty
            else _column(name, chunks or [pa.array([], pa.float64())], source, j in roles.categorical)
        )
    counts = [table.num_rows for table in tables]
    return assemble(
        columns,
        roles,
        missing=missing,
        source=source,
        place=lambda row: f"row {row + 1}",
        split=split_of(counts, parts),
    )


def _column(name: str, chunks: "list[pyarrow.Array]", source: str, as_text: bool) -> Column:
    import pyarrow as pa
    import pyarrow.types as kind

    values = pa.chunked_array(chunks)
    if kind.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    of = values.type
    if kind.is_null(of):
        return Column(name, np.full(len(values), np.nan))
    if kind.is_integer(of) or kind.is_floating(of) or kind.is_boolean(of) or kind.is_decimal(of):
        if as_text:
            return Column(name, [None if value is None else label_text(value) for value in values.to_pylist()])
        numbers = values.cast(pa.float64(), safe=False) if not kind.is_boolean(of) else values.cast(pa.int8())
        return Column(name, numbers.to_numpy().astype(np.float64))
    if kind.is_string(of) or kind.is_large_string(of):
        return Column(name, values.to_pylist())
    raise InputError(f"{source}: column {name!r} is of type {of}; give numbers or text, or leave it out with `drop`")
