"""Images in one folder a class, as Caltech-101, Caltech-256 and Corel are given, in a folder, tar or zip."""

import logging
import os
from collections.abc import Sequence
from pathlib import Path

from algos.datasets.archives import open_archive
from algos.datasets.class_folders import class_folders
from algos.datasets.hints import listed, nearest
from algos.datasets.images import MODES, SUFFIXES, Images
from algos.datasets.table import Table, labels_of, single_label_table
from algos.exceptions import InputError

_CORRUPT = ("error", "skip")
_log = logging.getLogger(__name__)


def load_image_folder(
    path: str | os.PathLike,
    *,
    root: str | None = None,
    inner: str | None = None,
    drop: Sequence[str] = (),
    corrupt: str = "error",
    mode: str = "grey",
) -> Table:
    """Read a collection of images, one folder a class; every image is decoded once, to know that it can be.

    Parameters
    ----------
    path : path-like
        A folder, a tar (plain or packed by gzip, bzip2 or xz) or a zip. Names that lead outside are refused, links
        are left out.
    root : str, optional
        The folder in it that holds the class folders; by default the deepest one that all images share.
    inner : str, optional
        A tar or zip inside the archive that is meant.
    drop : sequence of str, default ()
        Class folders to leave out, such as "257.clutter".
    corrupt : {"error", "skip"}, default "error"
        What to do with an image that cannot be read or is too large: refuse the collection, or leave the image out;
        either way it is named.
    mode : {"grey", "rgb"}, default "grey"
        What the arrays hold; :func:`~algos.datasets.images.decode_image` has the rules.

    Returns
    -------
    Table
        `X` is an :class:`~algos.datasets.images.Images` of shape (n_samples,): ``X[i]`` is an array of pixels,
        ``X[rows]`` another such collection. `y` are the names of the folders as they stand. Images are ordered by
        class and name.

    Raises
    ------
    InputError
        When there is no image, an image lies in no class folder, there is one class only, or (``corrupt="error"``)
        an image is corrupt.
    """
    for name, value, known in (("corrupt", corrupt, _CORRUPT), ("mode", mode, MODES)):
        if value not in known:
            raise InputError(f"{name} is {value!r}{nearest(value, known)}")
    archive = open_archive(path, inner)
    found = class_folders(archive, SUFFIXES, root, drop)
    images, bad = Images(archive, found.names, mode), []
    for i in range(len(images)):
        try:
            images[i]
        except InputError as error:
            if corrupt == "error":
                raise InputError(f"{error}, or give `corrupt: skip`") from None
            _log.warning("%s (left out)", error)
            bad.append(i)
    kept = [i for i in range(len(images)) if i not in set(bad)]
    classes = [found.classes[i] for i in kept]
    notes = found.notes
    if bad:
        notes.append(f"Corrupt images, left out ({len(bad)}): {listed([found.names[i] for i in bad])}.")
        lost = sorted(set(found.classes) - set(classes))
        notes += [f"Classes without any image that can be read: {listed(lost)}."] if lost else []
    return single_label_table(images[kept], labels_of(classes), [], Path(path).name, notes=notes)
