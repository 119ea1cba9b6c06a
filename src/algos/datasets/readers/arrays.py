"""Features saved as arrays: NumPy's .npz (never pickles) and MATLAB's .mat up to version 7, alone or in an archive."""

import io
import math
import os
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from algos.datasets.archives import open_archive
from algos.datasets.hints import listed, nearest, one_line
from algos.datasets.table import Table, labels_of, single_label_table, split_of
from algos.datasets.textfile import Paths, as_paths, errors_named
from algos.exceptions import InputError

_MOST_BYTES = 4 * 2**30


def load_npz(
    path: Paths,
    target: str = "y",
    *,
    features: str = "X",
    classes: str | None = None,
    member: str | Sequence[str] | None = None,
    transpose: bool = False,
    parts: Sequence[str] | None = None,
) -> Table:
    """Read a matrix of features and a vector of classes from NumPy archives.

    Parameters
    ----------
    path : path-like or sequence of path-like
        One .npz, or several with the same features, read one after the other; or a folder, tar or zip that holds them.
    target : str, default "y"
        Name of the array of classes, shape (n_samples,): text or whole numbers.
    features : str, default "X"
        Name of the array of features, shape (n_samples, n_features): numbers of any type.
    classes : str, optional
        Name of an array of the classes' names; `target` then holds positions in it, from 0.
    member : str or sequence of str, optional
        The .npz within each archive of `path`; several are read one after the other.
    transpose : bool, default False
        Whether the features are saved as (n_features, n_samples).
    parts : sequence of {"train", "test"}, optional
        What each file is, for a designated split.

    Returns
    -------
    Table
        `X` (n_samples, n_features), `y` (n_samples,) as text.

    Raises
    ------
    InputError
        When an array is not there, is an object (a pickle: nothing is ever unpickled), does not fit the others, or
        holds NaN or an infinite number.
    """
    names = [features, target] + [classes] * (classes is not None)
    files = [(source, _read_npz(source, content, names)) for source, content in _contents(path, member)]
    return _table(files, features, target, classes, 0, transpose, parts)


def load_mat(
    path: Paths,
    target: str = "labels",
    *,
    features: str = "fts",
    classes: str | None = None,
    member: str | Sequence[str] | None = None,
    transpose: bool = False,
    parts: Sequence[str] | None = None,
) -> Table:
    """Read a matrix of features and a vector of classes from MATLAB files of version 4 to 7.

    Parameters
    ----------
    path, member, transpose, parts
        As in :func:`load_npz`.
    target : str, default "labels"
        Name of the variable of classes, a row or column: numbers, or text (a cell array or padded characters).
    features : str, default "fts"
        Name of the variable of features, full or sparse (`X` is dense).
    classes : str, optional
        Name of a variable of the classes' names; `target` then holds positions in it, from 1, as in MATLAB.

    Returns
    -------
    Table
        As :func:`load_npz`.

    Raises
    ------
    InputError
        As :func:`load_npz`, and for files of version 7.3, which are HDF5.
    """
    names = [features, target] + [classes] * (classes is not None)
    files = [(source, _read_mat(source, content, names)) for source, content in _contents(path, member)]
    return _table(files, features, target, classes, 1, transpose, parts)


def _contents(path: Paths, member: str | Sequence[str] | None) -> list[tuple[str, bytes]]:
    """Return (name in messages, bytes) of each file."""
    found = []
    for p in as_paths(path):
        if member is None:
            with errors_named(p), p.open("rb") as stream:
                found.append((str(p), stream.read()))
            continue
        with open_archive(p) as archive:
            for name in [member] if isinstance(member, str) else member:
                found.append((f"{p}: {name}", archive.read(name)))
    return found


def _read_npz(source: str, content: bytes, names: Sequence[str]) -> dict[str, np.ndarray]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            sizes = {member.filename: member.file_size for member in packed.infolist()}
    except (zipfile.BadZipFile, NotImplementedError, UnicodeError, ValueError) as error:
        raise InputError(f"{source}: is no whole .npz file ({one_line(error)})") from None
    # NumPy finds an array also under its bare name.
    _refuse_large(source, sum(sizes.get(f"{name}.npy", 0) + sizes.get(name, 0) for name in names))
    return _picked(source, names, lambda: np.load(io.BytesIO(content), allow_pickle=False), "Object arrays")


def _read_mat(source: str, content: bytes, names: Sequence[str]) -> dict[str, np.ndarray]:
    import scipy.io

    if content[:19].startswith(b"MATLAB 7.3 MAT-file") or content[:4] == b"\x89HDF":
        raise InputError(f"{source}: is a MATLAB file of version 7.3 (HDF5); save it by `save(..., '-v7')`")
    try:
        shapes = {name: shape for name, shape, _ in scipy.io.whosmat(io.BytesIO(content))}
    except Exception as error:  # on damaged files SciPy raises whatever it happens to trip over
        raise _unreadable(source, error) from None
    _refuse_large(source, 8 * sum(math.prod(shapes.get(name, ())) for name in names))
    return _picked(source, names, lambda: scipy.io.loadmat(io.BytesIO(content), variable_names=list(names)))


def _refuse_large(source: str, n_bytes: int) -> None:
    if n_bytes > _MOST_BYTES:
        raise InputError(f"{source}: its arrays are larger than {_MOST_BYTES >> 30} GiB; make it smaller")


def _unreadable(source: str, error: Exception) -> InputError:
    return InputError(f"{source}: cannot be read ({one_line(error) or 'it is damaged'})")


def _picked(
    source: str, names: Sequence[str], read: Callable[[], Mapping[str, Any]], of_objects: str = "\0"
) -> dict[str, np.ndarray]:
    """Return the named arrays; only those are read."""
    try:
        arrays = read()
        there = [name for name in arrays if not name.startswith("__")]
        found = {name: arrays[name] for name in names if name in there}
    except Exception as error:  # on damaged files NumPy and SciPy raise whatever they happen to trip over
        if str(error).startswith(of_objects):
            raise InputError(f"{source}: holds pickled objects, which are not read; save plain arrays") from None
        raise _unreadable(source, error) from None
    for name in names:
        if name not in found:
            hint = f"{nearest(name, there)}; it holds {listed(there)}" if there else ""
            raise InputError(f"{source}: holds no array {name!r}{hint}")
        if not hasattr(found[name], "ndim"):
            raise InputError(f"{source}: {name!r} is no array")
    return found


def _table(
    files: Sequence[tuple[str, Mapping[str, Any]]],
    features: str,
    target: str,
    classes: str | None,
    first: int,
    transpose: bool,
    parts: Sequence[str] | None,
) -> Table:
    blocks, labels = [], []
    for source, arrays in files:
        values = _texts(arrays[target], f"{source}: {target!r}")
        if classes is not None:
            values = _named(values, _texts(arrays[classes], f"{source}: {classes!r}"), first, f"{source}: {target!r}")
        blocks.append(_matrix(arrays[features], len(values), transpose, f"{source}: {features!r}"))
        labels += values
        if blocks[-1].shape[1] != blocks[0].shape[1]:
            raise InputError(f"{source}: has {blocks[-1].shape[1]} features, {files[0][0]} {blocks[0].shape[1]}")
    source = " + ".join(os.path.basename(source) for source, _ in files)
    names = [f"{features}_{j}" for j in range(blocks[0].shape[1])]
    # With several members of one archive a part cannot be given, since a file is a part.
    split = split_of([len(block) for block in blocks], parts)
    return single_label_table(np.concatenate(blocks), labels_of(labels), names, source, split)


def _matrix(values: Any, n_rows: int, transpose: bool, source: str) -> np.ndarray:
    if hasattr(values, "toarray"):  # sparse, from MATLAB
        values = values.toarray()
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise InputError(f"{source}: is no matrix of real numbers, but {values.dtype} of shape {values.shape}")
    X = (values.T if transpose else values).astype(np.float64)
    if len(X) != n_rows:
        turned = "; give `transpose: true`" if X.shape[1] == n_rows and not transpose else ""
        raise InputError(f"{source}: has {len(X)} rows where there are {n_rows} classes{turned}")
    if not np.isfinite(X).all():
        row = np.flatnonzero(~np.isfinite(X).all(axis=1))[0]
        raise InputError(f"{source}, row {row + 1}: holds NaN or an infinite number; mend or remove the row")
    return X


def _texts(values: np.ndarray, source: str) -> list[Any]:
    """Return labels as a list: of numbers, or of text where MATLAB may have put each into a cell."""
    if hasattr(values, "toarray"):
        values = values.toarray()
    if values.ndim > 2 or (values.ndim == 2 and min(values.shape) != 1) or values.ndim == 0:
        raise InputError(f"{source}: is no vector but of shape {values.shape}")
    if values.dtype.kind == "U" and (_code_points(values) > sys.maxunicode).any():
        raise InputError(f"{source}: holds what is no Unicode text; it is damaged")
    found = [value.item() if isinstance(value, np.ndarray) and value.size == 1 else value for value in values.ravel()]
    found = [value.item() if isinstance(value, np.generic) else value for value in found]
    for i, value in enumerate(found):
        if not isinstance(value, int | float | str) or value != value:
            raise InputError(f"{source}, entry {i + 1}: is no text and no number ({type(value).__name__})")
    return [value.strip() if isinstance(value, str) else value for value in found]


def _code_points(values: np.ndarray) -> np.ndarray:
    return np.frombuffer(values.tobytes(), np.dtype(np.uint32).newbyteorder(values.dtype.byteorder))


def _named(positions: Sequence[Any], names: Sequence[Any], first: int, source: str) -> list[Any]:
    for i, position in enumerate(positions):
        if not isinstance(position, int | float) or position not in range(first, first + len(names)):
            raise InputError(f"{source}, entry {i + 1}: {position!r} is no position in {len(names)} names of classes")
    return [names[int(position) - first] for position in positions]
