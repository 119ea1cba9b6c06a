"""IDX files, the format of MNIST (LeCun's description at the foot of the MNIST page)."""

import math
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from algos.datasets.hints import listed
from algos.datasets.table import Table, labels_of, single_label_table, split_of
from algos.datasets.textfile import Paths, as_paths, read_bytes
from algos.exceptions import InputError

_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_MOST_DIMENSIONS = 8


def load_idx(images: Paths, labels: Paths, *, parts: Sequence[str] | None = None) -> Table:
    """Read images and their labels.

    Parameters
    ----------
    images : path-like or sequence of path-like
        IDX files of shape (n, height, width) or (n, d), plain or compressed, read one after the other. A row of `X`
        is an image, row by row; pixel values are kept (0 to 255).
    labels : path-like or sequence of path-like
        IDX files of shape (n,), in the order of the images.
    parts : sequence of {"train", "test"}, optional
        What each file of images is, for a designated split.

    Returns
    -------
    Table
        `X` (n_samples, height * width) and `y` (n_samples,) as text.

    Raises
    ------
    InputError
        When a file is no IDX file, is cut short, or images and labels are not as many.
    """
    image_paths, label_paths = as_paths(images), as_paths(labels)
    if len(image_paths) != len(label_paths):
        raise InputError(f"{len(image_paths)} files of images and {len(label_paths)} of labels: give as many")
    blocks, classes = [], []
    for image_path, label_path in zip(image_paths, label_paths, strict=True):
        block, values = _read_idx(image_path), _read_idx(label_path)
        if block.ndim < 2 or values.ndim != 1:
            raise InputError(f"{image_path} and {label_path.name}: the first must hold images, the second labels")
        if len(block) != len(values):
            raise InputError(f"{image_path}: holds {len(block)} images, {label_path.name} {len(values)} labels")
        blocks.append(block)
        classes += values.tolist()
    if len({block.shape[1:] for block in blocks}) > 1:
        raise InputError(f"{image_paths[0]}: its images are not as large as those of {image_paths[1].name}")
    n_pixels = math.prod(blocks[0].shape[1:])
    X = np.concatenate([block.reshape(len(block), n_pixels) for block in blocks]).astype(np.float64)
    return single_label_table(
        X,
        labels_of(classes),
        _pixel_names(blocks[0].shape[1:]),
        " + ".join(p.name for p in image_paths),
        split_of([len(block) for block in blocks], parts),
    )


def _pixel_names(shape: Sequence[int]) -> list[str]:
    if len(shape) == 2:
        return [f"pixel_{row}_{column}" for row in range(shape[0]) for column in range(shape[1])]
    return [f"x{j}" for j in range(math.prod(shape))]


def _read_idx(path: str | os.PathLike) -> np.ndarray:
    path = Path(path)
    content = read_bytes(path)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _TYPES:
        raise InputError(f"{path}: is not an IDX file (it does not begin with two zero bytes and a type)")
    kind, n_dimensions = np.dtype(_TYPES[content[2]]), content[3]
    if n_dimensions > _MOST_DIMENSIONS:
        raise InputError(f"{path}: its header says {n_dimensions} dimensions; fetch it again")
    start = 4 + 4 * n_dimensions
    if len(content) < start:
        raise InputError(f"{path}: is cut short inside its header; fetch it again")
    shape = [int.from_bytes(content[at : at + 4], "big") for at in range(4, start, 4)]
    if 0 in shape:
        raise InputError(f"{path}: holds nothing: its header says {listed(shape)}")
    expected = start + math.prod(shape) * kind.itemsize
    if len(content) != expected:
        raise InputError(f"{path}: has {len(content)} bytes where its header says {expected}; fetch it again")
    return np.frombuffer(content, kind, offset=start).reshape(shape)
