"""Features fitted on a fold's training part and shared by all methods: spatial pyramids, principal components."""

import logging
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from algos.exceptions import InputError
from algos.files import atomic_write

_log = logging.getLogger(__name__)

#: Parameters of a pyramid that say how images are described, which is done once for all folds.
DESCRIPTOR_OPTIONS = ("patch_size", "spacing", "max_side")


def describe_images(
    name: str,
    entry: Mapping[str, Any],
    raw_directory: str | os.PathLike,
    pyramid: Mapping[str, Any],
    out: str | os.PathLike,
) -> None:
    """Write the dense SIFT descriptors of a set of images.

    Parameters
    ----------
    name, entry, raw_directory
        As in :func:`algos.datasets.reading.read_dataset`.
    pyramid : dict
        Parameters of `algos.features.SpatialPyramid`; those of the descriptors are used.
    out : path-like
        The file to make.

    Raises
    ------
    InputError
        When an image cannot be read.
    """
    from algos.datasets.reading import read_dataset
    from algos.features.descriptor_store import store_descriptors

    table = read_dataset(name, entry, raw_directory)
    store_descriptors(table.X, out, **{key: pyramid[key] for key in DESCRIPTOR_OPTIONS if key in pyramid})


def make_fold_features(
    source: str | os.PathLike,
    splits: str | os.PathLike,
    fold: str,
    settings: Mapping[str, Any],
    seed: int,
    out: str | os.PathLike,
) -> None:
    """Write the features of all rows of a data set, fitted on one fold's training rows: float32, as a NumPy file.

    Parameters
    ----------
    source : path-like
        Descriptors of images (``.arrow``), or the data set's table.
    splits : path-like
        The folds.
    fold : str
    settings : dict
        ``spatial_pyramid`` (parameters of `algos.features.SpatialPyramid`, for images), ``normalise`` (for tables,
        ``"power"``, ``"l2"`` or ``"l1"``) and ``pca`` (``{"n_components": int}``), the last two optional.
    seed : int
        Of the dictionary and of the randomised solver.
    out : path-like
        The file to make.

    Raises
    ------
    InputError
        When a table has missing values, or negative ones whose square roots are asked for.
    """
    from algos.experiments.records import read_split
    from algos.features.pca import PrincipalComponents

    train = read_split(splits, fold).train
    if str(source).endswith(".arrow"):
        X = _pyramids(source, train, settings.get("spatial_pyramid", {}), seed)
    else:
        X = _table_rows(source, settings.get("normalise"))
    if "pca" in settings:
        X = PrincipalComponents(random_state=seed, **settings["pca"]).fit(X[train]).transform(X)
    _log.info("%d rows, %d features, fitted on %d rows", *X.shape, len(train))
    with atomic_write(out) as temporary, open(temporary, "wb") as file:
        np.save(file, np.ascontiguousarray(X, dtype=np.float32))


def _pyramids(source: str | os.PathLike, train: np.ndarray, pyramid: Mapping[str, Any], seed: int) -> np.ndarray:
    from algos.features.descriptor_store import StoredDescriptors
    from algos.features.spatial_pyramid import SpatialPyramid

    stored = StoredDescriptors(source)
    return SpatialPyramid(random_state=seed, **pyramid).fit(stored[train]).transform(stored)


def _table_rows(source: str | os.PathLike, how: str | None) -> np.ndarray:
    """A table's rows, as they are or of length (sum, for l1) 1; ``power`` takes square roots of the values first."""
    from sklearn.preprocessing import normalize

    from algos.datasets.storage import read_table

    X = read_table(source).X
    X = X if isinstance(X, np.ndarray) else X.toarray()
    if not np.isfinite(X).all():
        raise InputError(f"{source}: rows with missing values have no features made of them; fill them in first")
    if how is None:
        return X
    if how == "power" and X.min() < 0:
        raise InputError(f"{source}: 'normalise: power' takes square roots, and a value is {X.min():g}; use l2")
    return normalize(np.sqrt(X), norm="l2") if how == "power" else normalize(X, norm=how)


def read_fold_features(path: str | os.PathLike) -> np.ndarray:
    """Read what `make_fold_features` wrote.

    Raises
    ------
    InputError
        When the file is missing or damaged.
    """
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(
            f"{path}: the features of the fold cannot be read ({error}); delete it and run again"
        ) from None
