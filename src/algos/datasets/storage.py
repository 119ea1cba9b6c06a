"""The canonical table on disk: one Parquet file, the same bytes for the same table."""

import io
import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from algos.datasets.hints import one_line
from algos.datasets.table import Table
from algos.datasets.textfile import open_binary
from algos.exceptions import InputError
from algos.files import atomic_write

if TYPE_CHECKING:
    import pyarrow

_KEY = b"algos.table"
_FORMAT = 1
_FEATURE = "feature:"
_SPARSE = ("indices", "values")
# Column -> attribute of the table, a text for each row.
_TEXTS = {"split": "split", "group": "groups", "role": "roles"}


def write_table(table: Table, path: str | os.PathLike) -> None:
    """Write a table as Parquet, whole or not at all.

    Columns: ``feature:<name>`` (float64, or float32 where `X` is; one a feature, in order), or for a sparse `X` the
    lists ``indices`` and ``values`` of each row; ``label`` (text) or, multi-label, ``labels`` (list of positions in
    `label_names`); ``split``, ``group`` and ``role`` (text) where there are any. Images have no feature there: theirs
    are made fold by fold. Names and notes are JSON in the schema's metadata, under ``algos.table``.

    Parameters
    ----------
    table : Table
        What to write.
    path : path-like
        The file to make or replace.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = _feature_columns(table)
    if table.y is not None:
        columns["label"] = _text_column(table.y)
    else:
        rows, labels = np.nonzero(table.Y)
        columns["labels"] = _list_column(np.bincount(rows, minlength=table.n_samples), labels.astype(np.int32))
    for name, attribute in _TEXTS.items():
        if getattr(table, attribute) is not None:
            columns[name] = _text_column(getattr(table, attribute))
    about = {
        "format": _FORMAT,
        "feature_names": table.feature_names,
        "label_names": table.label_names,
        "notes": table.notes,
        "sparse": not (table.holds_images or isinstance(table.X, np.ndarray)),
    }
    arrow = pa.Table.from_arrays(list(columns.values()), names=list(columns))
    arrow = arrow.replace_schema_metadata({_KEY: json.dumps(about, ensure_ascii=False)})
    with atomic_write(path) as temporary:
        pq.write_table(arrow, temporary, compression="zstd", write_statistics=False, write_page_checksum=True)


def _feature_columns(table: Table) -> "dict[str, pyarrow.Array]":
    import pyarrow as pa

    if table.holds_images:
        return {}
    if isinstance(table.X, np.ndarray):
        dtype = np.float32 if table.X.dtype == np.float32 else np.float64
        by_column = np.asfortranarray(table.X, dtype=dtype)
        return {f"{_FEATURE}{name}": pa.array(by_column[:, j]) for j, name in enumerate(table.feature_names)}
    X = table.X.tocsr().sorted_indices()
    lengths = np.diff(X.indptr)
    parts = (X.indices.astype(np.int32), X.data.astype(np.float64))
    return {name: _list_column(lengths, part) for name, part in zip(_SPARSE, parts, strict=True)}


def _list_column(lengths: np.ndarray, values: np.ndarray) -> "pyarrow.Array":
    import pyarrow as pa

    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values))


def _text_column(values: np.ndarray) -> "pyarrow.Array":
    import pyarrow as pa

    return pa.array(values.tolist(), pa.string()).dictionary_encode()


def read_table(path: str | os.PathLike, features: bool = True) -> Table:
    """Read what :func:`write_table` wrote.

    Parameters
    ----------
    path : path-like
        The file.
    features : bool, default=True
        Whether `X` is wanted; it has no column where not, and is not read.

    Returns
    -------
    Table
        Equal to the one written; a dense `X` is C-contiguous. Of images `X` has no column.

    Raises
    ------
    InputError
        When the file is missing or was not written by :func:`write_table`.
    """
    arrow = read_arrow(path, None if features else _is_no_feature)
    about = _about(arrow, path)
    try:
        return _table(arrow, about, features)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"{path}: is damaged ({one_line(error)}); delete it and run again") from None


def _is_no_feature(column: str) -> bool:
    return not column.startswith(_FEATURE) and column not in _SPARSE


def _table(arrow: "pyarrow.Table", about: dict, features: bool) -> Table:
    columns = {
        name: arrow.column(name).combine_chunks() for name in arrow.column_names if not name.startswith(_FEATURE)
    }
    label_names = about["label_names"]
    y = Y = None
    if "label" in columns:
        y = _text(columns["label"])
    else:
        Y = np.zeros((arrow.num_rows, len(label_names)), dtype=np.int8)
        ends, labels = _lists(columns["labels"])
        Y[np.repeat(np.arange(arrow.num_rows), np.diff(ends)), labels] = 1
    return Table(
        X=_features(arrow, columns, about) if features else np.empty((arrow.num_rows, 0)),
        feature_names=about["feature_names"],
        label_names=label_names,
        y=y,
        Y=Y,
        **{attribute: _text(columns[name]) if name in columns else None for name, attribute in _TEXTS.items()},
        notes=about["notes"],
    )


def read_arrow(path: str | os.PathLike, wanted: Callable[[str], bool] | None = None) -> "pyarrow.Table":
    """Read any Parquet file.

    Parameters
    ----------
    path : path-like
        The file.
    wanted : callable, optional
        Says of a column's name whether it is to be read; all are if not given.

    Raises
    ------
    InputError
        When the file is missing, is no Parquet file or is damaged.
    """
    import pyarrow.parquet as pq

    with open_binary(path) as stream:
        try:
            # One thread: a job has one core, and Arrow's threads can abort a process that ends while they do.
            source = stream if stream.seekable() else io.BytesIO(stream.read())
            file = pq.ParquetFile(source, page_checksum_verification=True)
            columns = None if wanted is None else [name for name in file.schema_arrow.names if wanted(name)]
            return file.read(columns, use_threads=False)
        except (ValueError, NotImplementedError) as error:  # pyarrow's own errors are kinds of these
            raise InputError(f"{path}: is not a Parquet file that can be read ({one_line(error)})") from None


def _about(arrow: "pyarrow.Table", path: str | os.PathLike) -> dict:
    try:
        about = json.loads((arrow.schema.metadata or {}).get(_KEY, b"{}"))
    except ValueError:
        about = None
    if not isinstance(about, dict) or about.get("format") != _FORMAT:
        raise InputError(f"{path}: is not a table of this program (format {_FORMAT}); delete it and run again")
    return about


def _text(column: "pyarrow.DictionaryArray") -> np.ndarray:
    return np.array(column.dictionary.to_pylist(), dtype=str)[column.indices.to_numpy()]


def _lists(column: "pyarrow.ListArray") -> tuple[np.ndarray, np.ndarray]:
    return column.offsets.to_numpy(), column.values.to_numpy()


def _features(arrow: "pyarrow.Table", columns: dict, about: dict) -> object:
    n_features = len(about["feature_names"])
    if about["sparse"]:
        from scipy.sparse import csr_array

        ends, indices = _lists(columns["indices"])
        _, values = _lists(columns["values"])
        return csr_array((values, indices, ends), shape=(arrow.num_rows, n_features))
    dtype = arrow.schema.field(0).type.to_pandas_dtype() if n_features else np.float64
    X = np.empty((arrow.num_rows, n_features), dtype=dtype)
    for j in range(n_features):
        X[:, j] = arrow.column(j).to_numpy()
    return X
