"""From the files of a registered data set to its table."""

import dataclasses
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from algos.datasets.registry import raw_paths, reader_of
from algos.datasets.table import Table
from algos.exceptions import InputError


def read_dataset(name: str, entry: Mapping[str, Any], raw_directory: str | os.PathLike) -> Table:
    """Read a data set from files that lie on the disk, checking their sha256 before a byte is parsed.

    Parameters
    ----------
    name : str
        Name of the data set.
    entry : mapping
        From :func:`~algos.datasets.load_registry`.
    raw_directory : path-like
        Folder of raw data (:func:`~algos.datasets.raw_paths`).

    Returns
    -------
    Table
        With `split` where the entry designates a test set, and the entry's `note` as the first of its notes.

    Raises
    ------
    InputError
        When a file is missing, has another sha256 than the entry says, cannot be read, or (registered sets only) the
        numbers of rows, features or classes (or of labels a row) are not those of the entry. For a user's entry such
        a difference is a note.
    """
    try:
        table = _read(name, entry, raw_directory)
        differences = _differences(table, entry)
        if differences and not entry.get("user"):
            raise InputError(f"{'; '.join(differences)}: the files are not those the registry means")
    except InputError as error:
        raise InputError(f"data set {name!r}: {error}") from None
    first = [entry["note"]] if entry.get("note") else []
    notes = [*first, *table.notes, *(f"Not as declared: {difference}." for difference in differences)]
    return dataclasses.replace(table, notes=notes)


def sha256_of(path: str | os.PathLike) -> str:
    """Return the SHA-256 of a file as hexadecimal text."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def known_checksums(file: Mapping[str, Any]) -> set[str | None]:
    """Return the checksums that a file of an entry may have; None among them when one variant's is unknown."""
    if "path" in file:
        return {file["sha256"]}
    return {source["sha256"] for source in file["sources"]}


def _read(name: str, entry: Mapping[str, Any], raw_directory: str | os.PathLike) -> Table:
    reader, options = reader_of(entry)
    paths = raw_paths(name, entry, raw_directory)
    by_role: dict[str, list[Path]] = {}
    for file, path in zip(entry["files"], paths, strict=True):
        _check_file(file, path)
        by_role.setdefault(file["role"] or "path", []).append(path)
    # A file on its own goes to its parameter as it is: an XML file of labels, a workbook.
    arguments = {role: found[0] if len(found) == 1 else found for role, found in by_role.items()}
    parts = [file["part"] for file in entry["files"] if file["part"]]
    if parts:
        options["parts"] = parts
    table = reader(**options, **arguments)
    _check_task(table, entry)
    return _with_first_rows_for_training(table, entry)


def _check_task(table: Table, entry: Mapping[str, Any]) -> None:
    """Refuse classes where the entry promises labels, and the reverse: no method could train on what was meant."""
    if table.Y is None and entry.get("task") == "multi-label":
        raise InputError(
            "task is single-label where the entry says multi-label; say which columns are labels: by `labels`, for "
            "Mulan's ARFF by the XML file with `role: labels`, for LIBSVM by `multilabel: true`"
        )
    if table.Y is not None and entry.get("task", "multi-label") != "multi-label":
        raise InputError(f"task is multi-label where the entry says {entry['task']}; correct it")


def _check_file(file: Mapping[str, Any], path: Path) -> None:
    known = known_checksums(file)
    if path.is_dir() and "path" in file:  # a user's own folder of images
        if known != {None}:
            raise InputError(f"{path}: is a folder, which has no sha256; take it out of `files`")
        return
    if not path.is_file():
        raise InputError(f"{path}: no such file; fetch the data set first, or correct `files`")
    if None in known:
        return
    found = sha256_of(path)
    if found not in known:
        raise InputError(
            f"{path}: its sha256 is {found}, not {' or '.join(sorted(known))}; delete it and fetch it again"
        )


def _with_first_rows_for_training(table: Table, entry: Mapping[str, Any]) -> Table:
    if not entry.get("split"):
        return table
    n_train = entry["split"]["train_first"]
    if n_train >= table.n_samples:
        raise InputError(f"`split: train_first: {n_train}` leaves no row of {table.n_samples} for the test")
    part = np.where(np.arange(table.n_samples) < n_train, "train", "test")
    return dataclasses.replace(table, split=part)


def _differences(table: Table, entry: Mapping[str, Any]) -> list[str]:
    found = {
        "n_samples": table.n_samples,
        "n_features": table.n_features,
        "n_classes": len(table.label_names),
        "cardinality": None if table.Y is None else round(float(table.Y.sum(axis=1).mean()), 3),
    }
    return [
        f"{key} is {value} where the entry says {entry[key]}"
        for key, value in found.items()
        if entry.get(key) not in (None, value)
    ]
