"""The sparse text format of LIBSVM and SVMlight, through scikit-learn."""

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from algos.datasets.hints import one_line
from algos.datasets.table import Table, label_text, labels_of, multi_label_table, single_label_table, split_of
from algos.datasets.textfile import Paths, as_paths, read_bytes
from algos.exceptions import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_MOST_DENSE_BYTES = 4 * 2**30
# Each feature has a name; sets with more than these have to say so.
_MOST_FEATURES = 2**22
_NUMBER = rb"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
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
        Number of features, when the files do not show the last one, or where there are more than four million.
        Indices begin at 1, or at 0 when a 0 occurs.
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
    contents = [read_bytes(path) for path in paths]
    matrices, labels = read_sparse_rows(paths, contents, n_features=n_features, multilabel=multilabel)
    split = split_of([matrix.shape[0] for matrix in matrices], parts)
    X = vstack(matrices, format="csr", dtype=np.float64)
    finite_or_refused(X, source)
    if not sparse:
        X = to_dense(X, source)
    names = [f"x{j}" for j in range(X.shape[1])]
    if multilabel:
        label_names = sorted({label_text(label) for row in labels for label in row}, key=_label_order)
        return multi_label_table(X, _indicators(labels, label_names), names, label_names, source, split)
    return single_label_table(X, labels_of(labels), names, source, split)


def read_sparse_rows(
    paths: Sequence[Path],
    contents: Sequence[bytes],
    *,
    n_features: int | None,
    multilabel: bool,
    zero_based: bool | str = "auto",
    first_line: int = 1,
) -> tuple[list, list]:
    """Read the features (CSR) of each file's lines ``label index:value ...``, and the labels of all.

    Parameters
    ----------
    paths : sequence of pathlib.Path
        What to call the files in a message.
    contents : sequence of bytes
        Their lines.
    n_features : int or None
        As in :func:`load_libsvm`.
    multilabel : bool
        Whether lines begin with several labels; the labels of a row are then a tuple.
    zero_based : bool or "auto"
        Whether indices begin at 0; "auto" if a 0 occurs.
    first_line : int
        Number of the first line in its file.
    """
    from scipy.sparse import csr_array
    from sklearn.datasets import load_svmlight_files

    for path, content in zip(paths, contents, strict=True):
        _check_lines(path, content, first_line)
    streams = [io.BytesIO(content) for content in contents]
    try:
        found = load_svmlight_files(streams, n_features=n_features, multilabel=multilabel, zero_based=zero_based)
    except (ValueError, OverflowError) as error:
        hint = (
            ""
            if multilabel or "could not convert" not in str(error)
            else "; several labels a row need `multilabel: true`"
        )
        raise InputError(f"{' + '.join(p.name for p in paths)}: {one_line(error)}{hint}") from None
    if n_features is None:
        n_found = max(matrix.shape[1] for matrix in found[0::2])
        few_or_refused(n_found, "features", " + ".join(p.name for p in paths), "correct it, or give `n_features`")
    return [csr_array(matrix) for matrix in found[0::2]], [label for part in found[1::2] for label in list(part)]


def _check_lines(path: Path, content: bytes, first_line: int) -> None:
    """Name the line of a mistake: scikit-learn's reader does not say where it stumbled."""
    lines = content.splitlines()
    if not any(line.split(b"#")[0].strip() for line in lines):
        raise InputError(f"{path}: the file is empty" if first_line == 1 else f"{path}: there is no row of data")
    for number, line in enumerate(lines, start=first_line):
        if not _LINE.fullmatch(line):
            text = line[:60].decode("ascii", errors="backslashreplace")
            raise InputError(f"{path}, line {number}: is not `label index:value ...` ({text!r})")


def finite_or_refused(X: "csr_array", source: str) -> None:
    """Refuse a sparse matrix that holds NaN or an infinite number."""
    if not np.isfinite(X.data).all():
        row = np.searchsorted(X.indptr, np.flatnonzero(~np.isfinite(X.data))[0], side="right")
        raise InputError(f"{source}, row {row}: holds an infinite number (or one beyond 1e308), or NaN; correct it")


def few_or_refused(n: int, what: str, source: str, cure: str = "correct it") -> None:
    """Refuse a number of features or labels that a mistyped index makes, and that hardly any data have."""
    if n > _MOST_FEATURES:
        raise InputError(f"{source}: {n} {what} are more than the usual {_MOST_FEATURES}; {cure}")


def to_dense(X: "csr_array", source: str) -> np.ndarray:
    """Make a sparse matrix dense, unless it would be too large."""
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
