"""Features as text, one file an image and one folder a class, as those of Animals with Attributes are published."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from algos.datasets.archives import Archive, open_archive
from algos.datasets.class_folders import class_folders
from algos.datasets.table import Table, labels_of, single_label_table
from algos.exceptions import InputError

_SUFFIXES = frozenset({".txt"})


def load_feature_text(
    path: str | os.PathLike, *, root: str | None = None, inner: str | None = None, drop: Sequence[str] = ()
) -> Table:
    """Read ``<root>/<class>/<image>.txt``, each the features of one image: numbers between blanks or line ends.

    So the features of Animals with Attributes are given (DeCAF: ``Animals_with_Attributes/Features/decaf``). The
    order is that of classes and names.

    Parameters
    ----------
    path : path-like
        A folder, a tar (plain or packed) or a zip.
    root, inner, drop
        As in :func:`algos.datasets.load_image_folder`.

    Returns
    -------
    Table
        `X` (n_samples, n_features), `y` (n_samples,): the names of the folders.

    Raises
    ------
    InputError
        When a file holds what is no finite number, or not as many as the first, or files lie in no class folder.
    """
    source = Path(path).name
    with open_archive(path, inner) as archive:
        found = class_folders(archive, _SUFFIXES, root, drop)
        first = _numbers(archive, found.names[0])
        X = np.empty((len(found.names), len(first)))
        for i, name in enumerate(found.names):
            row = _numbers(archive, name)
            if len(row) != len(first):
                raise InputError(
                    f"{path}: {name!r} holds {len(row)} numbers, {found.names[0]!r} {len(first)}; mend or remove one"
                )
            X[i] = row
    names = [f"x{j}" for j in range(X.shape[1])]
    return single_label_table(X, labels_of(found.classes), names, source, notes=found.notes)


def _numbers(archive: Archive, name: str) -> np.ndarray:
    try:
        values = np.array(archive.read(name).split(), dtype=np.float64)
    except ValueError:
        raise InputError(f"{archive.path}: {name!r} holds what is no number; mend or remove the file") from None
    if not values.size:
        raise InputError(f"{archive.path}: {name!r} holds no number; mend or remove the file")
    if not np.isfinite(values).all():
        raise InputError(f"{archive.path}: {name!r} holds NaN or an infinite number; mend or remove the file")
    return values
