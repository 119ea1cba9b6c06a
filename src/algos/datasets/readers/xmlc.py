"""The text format of the extreme classification repository: a header of counts, then sparse rows."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from algos.datasets.readers.libsvm import few_or_refused, finite_or_refused, read_sparse_rows, to_dense
from algos.datasets.table import Table, multi_label_table, split_of
from algos.datasets.textfile import Paths, as_paths, read_bytes
from algos.exceptions import InputError

_MOST_LABEL_BYTES = 4 * 2**30
_HEADER = re.compile(rb"\s*(\d{1,15})\s+(\d{1,15})\s+(\d{1,15})\s*")
_WHOLE_LABELS = re.compile(rb"\s*(?:\d+(?:,\d+)*)?(?:\s.*)?")


def load_xmlc(path: Paths, *, sparse: bool = True, parts: Sequence[str] | None = None) -> Table:
    """Read files whose first line is ``n_samples n_features n_labels``, the others ``label,label index:value ...``.

    Labels and indices begin at 0. A row without labels begins with a blank.

    Parameters
    ----------
    path : path-like or sequence of path-like
        One file, or several of the same features and labels, read one after the other; plain or compressed.
    sparse : bool, default True
        Keep `X` sparse (scipy CSR); without it, a set beyond 4 GiB is refused.
    parts : sequence of {"train", "test"}, optional
        What each file is, for a designated split.

    Returns
    -------
    Table
        `X` (n_samples, n_features) and `Y` (n_samples, n_labels); labels are called by their number.

    Raises
    ------
    InputError
        With the line that is malformed, or when a file does not hold what its first line says.
    """
    from scipy.sparse import vstack

    paths = as_paths(path)
    source = " + ".join(p.name for p in paths)
    found = [_read(p) for p in paths]
    sizes = [(X.shape[1], Y.shape[1]) for X, Y in found]
    for other, size in zip(paths, sizes, strict=True):
        if size != sizes[0]:
            raise InputError(
                f"{other}: has {size[0]} features and {size[1]} labels, {paths[0].name} {sizes[0][0]} and {sizes[0][1]}"
            )
    split = split_of([X.shape[0] for X, _ in found], parts)
    X = vstack([X for X, _ in found], format="csr", dtype=np.float64)
    finite_or_refused(X, source)
    names = [f"x{j}" for j in range(X.shape[1])]
    labels = [str(j) for j in range(sizes[0][1])]
    Y = np.vstack([Y for _, Y in found])
    return multi_label_table(X if sparse else to_dense(X, source), Y, names, labels, source, split)


def _read(path: Path) -> tuple[object, np.ndarray]:
    """Return the features (CSR) and labels (0 or 1) of one file."""
    head, _, body = read_bytes(path).partition(b"\n")
    counts = _HEADER.fullmatch(head)
    if not counts:
        text = head[:60].decode("ascii", errors="backslashreplace")
        raise InputError(f"{path}, line 1: is not `n_samples n_features n_labels` ({text!r})")
    n, d, L = map(int, counts.groups())
    if not d or not L:
        raise InputError(f"{path}, line 1: {d} features and {L} labels; there must be one of each at least")
    few_or_refused(d, "features", f"{path}, line 1")
    few_or_refused(L, "labels", f"{path}, line 1")
    for number, line in enumerate(body.splitlines(), start=2):
        if not _WHOLE_LABELS.fullmatch(line):
            raise InputError(f"{path}, line {number}: labels must be whole numbers from 0, separated by commas")
    matrices, labels = read_sparse_rows([path], [body], n_features=d, multilabel=True, zero_based=True, first_line=2)
    if len(labels) != n:
        raise InputError(f"{path}: has {len(labels)} rows where its first line says {n}")
    if n * L > _MOST_LABEL_BYTES:
        raise InputError(f"{path}: {n} x {L} labels would take {n * L / 2**30:.0f} GiB; leave rare labels out")
    Y = np.zeros((n, L), dtype=np.int8)
    for i, row in enumerate(labels):
        if len(row) and max(row) >= L:
            raise InputError(
                f"{path}, row {i + 1}: has label {max(row):.0f} where the first line says {L} labels from 0"
            )
        Y[i, np.array(row, dtype=int)] = 1
    return matrices[0], Y
