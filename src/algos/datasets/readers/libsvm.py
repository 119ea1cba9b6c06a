"""The sparse text format of LIBSVM and SVMlight, through scikit-learn."""

import io
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from algos.datasets.hints import one_line
from algos.datasets.table import Table, label_text, labels_of, multi_label_table, single_label_table, split_of
from algos.datasets.textfile import Paths, as_paths, read_bytes
from algos.exceptions import InputError

_MOST_DENSE_BYTES = 4 * 2**30
_NUMBER = rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_LABELS = rb"(?:" + _NUMBER + rb"(?:," + _NUMBER + rb")*)?"
_LINE = re.compile(rb"\s*" + _LABELS + rb"(?:\s+(?:qid|\d+):" + _NUMBER + rb")*\s*(?:#.*)?")


def load_libsvm(
    path: Paths,
    *,
    n_features: int | None = None,
    multilabel: bool = False,
    sparse: bool = False,
    parts: Sequence[str] | None = None,
) -> Table:
    """Read lines of ``label index:value index:value ...``.

    Parameters
    ----------
    path : path-like or sequence of path-like
        One file, or several of one set (they get equally many features), read one after the other.
    n_features : int, optional
        Number of features, when the files do not show the last one. Indices begin at 1, or at 0 when a 0 occurs.
    multilabel : bool, default False
        Whether a line begins with several labels, separated by commas.
    sparse : bool, default False
        Keep `X` sparse (scipy CSR); without it, a set beyond 4 GiB is refused.
    parts : sequence of {"train", "test"}, optional
        What each file is, for a designated split.

    Returns
    -------
    Table
        `X` (n_samples, n_features) with `y` (n_samples,) as text, or `Y` (n_samples, n_labels).

    Raises
    ------
    InputError
        With the line that is malformed, or when the set is empty or too large to be dense.
    """
    from scipy.sparse import vstack

    paths = as_paths(path)
    source = " + ".join(p.name for p in paths)
    matrices, labels = _read(paths, n_features, multilabel)
    split = split_of([matrix.shape[0] for matrix in matrices], parts)
    X = vstack(matrices, format="csr", dtype=np.float64)
    if not np.isfinite(X.data).all():
        row = np.searchsorted(X.indptr, np.flatnonzero(~np.isfinite(X.data))[0], side="right")
        raise InputError(f"{source}, row {row}: holds an infinite number (or one beyond 1e308), or NaN; correct it")
    if not sparse:
        X = _dense(X, source)
    names = [f"x{j}" for j in range(X.shape[1])]
    if multilabel:
        label_names = sorted({label_text(label) for row in labels for label in row}, key=_label_order)
        return multi_label_table(X, _indicators(labels, label_names), names, label_names, source, split)
    return single_label_table(X, labels_of(labels), names, source, split)


def _read(paths: Sequence[Path], n_features: int | None, multilabel: bool) -> tuple[list, list]:
    from scipy.sparse import csr_array
    from sklearn.datasets import load_svmlight_files

    contents = [read_bytes(path) for path in paths]
    for path, content in zip(paths, contents, strict=True):
        _check_lines(path, content)
    streams = [io.BytesIO(content) for content in contents]
    try:
        found = load_svmlight_files(streams, n_features=n_features, multilabel=multilabel)
    except (ValueError, OverflowError) as error:
        raise InputError(f"{' + '.join(p.name for p in paths)}: {one_line(error)}") from None
    return [csr_array(matrix) for matrix in found[0::2]], [label for part in found[1::2] for label in list(part)]


def _check_lines(path: Path, content: bytes) -> None:
    """Name the line of a mistake: scikit-learn's reader does not say where it stumbled."""
    lines = content.splitlines()
    if not any(line.split(b"#")[0].strip() for line in lines):
        raise InputError(f"{path}: the file is empty")
    for number, line in enumerate(lines, start=1):
        if not _LINE.fullmatch(line):
            text = line[:60].decode("ascii", errors="backslashreplace")
            raise InputError(f"{path}, line {number}: is not `label index:value ...` ({text!r})")


def _dense(X: object, source: str) -> np.ndarray:
    n_bytes = 8 * X.shape[0] * X.shape[1]
    if n_bytes > _MOST_DENSE_BYTES:
        raise InputError(f"{source}: {X.shape} numbers would take {n_bytes / 2**30:.0f} GiB; give `sparse: true`")
    return X.toarray()


def _label_order(label: str) -> tuple[float, str]:
    try:
        return float(label), label
    except ValueError:
        return np.inf, label


def _indicators(labels: Sequence[Sequence[float]], names: Sequence[str]) -> np.ndarray:
    column = {name: j for j, name in enumerate(names)}
    Y = np.zeros((len(labels), len(names)), dtype=np.int8)
    for i, row in enumerate(labels):
        Y[i, [column[label_text(label)] for label in row]] = 1
    return Y
