"""Descriptors of a set of images on the disk: made once, read by every fold without filling its memory."""

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from algos.datasets.hints import one_line
from algos.exceptions import InputError
from algos.features.spatial_pyramid import N_SIFT, Descriptors, descriptors
from algos.files import atomic_write

if TYPE_CHECKING:
    import pyarrow

_KEY = b"algos.descriptors"
_FORMAT = 1


def store_descriptors(images: Sequence[Any], path: str | os.PathLike, **options: Any) -> None:
    """Describe images and write the result, whole or not at all.

    An Arrow file with one batch an image: ``values`` (128 bytes a patch) and the positions ``x`` and ``y``. Only one
    image is in memory at a time.

    Parameters
    ----------
    images : sequence of path-like or ndarray, or Images
        The images; where it has `names`, they are kept.
    path : path-like
        The file to make or replace.
    **options
        `patch_size`, `spacing` and `max_side` of :func:`~algos.features.descriptors`.

    Raises
    ------
    InputError
        When an image cannot be read.
    """
    import pyarrow as pa

    names = list(getattr(images, "names", None) or (str(i) for i in range(len(images))))
    about = json.dumps({"format": _FORMAT, "names": names, "options": options})
    fields = [("values", pa.binary(N_SIFT)), ("x", pa.float32()), ("y", pa.float32())]
    schema = pa.schema(fields, metadata={_KEY: about})
    with atomic_write(path) as temporary, pa.ipc.new_file(str(temporary), schema) as file:
        for image, name in zip(images, names, strict=True):
            values, positions = descriptors(image, name=name, **options)
            packed = pa.FixedSizeBinaryArray.from_buffers(fields[0][1], len(values), [None, pa.py_buffer(values)])
            columns = [packed, *(pa.array(np.ascontiguousarray(column)) for column in positions.T)]
            file.write_batch(pa.record_batch(columns, schema=schema))


class StoredDescriptors(Sequence):
    """What :func:`store_descriptors` wrote, read image by image from the mapped file.

    Parameters
    ----------
    path : path-like
        The file.

    Attributes
    ----------
    names : list of str
        Of the images, in order.
    options : dict
        What they were described with.
    shape : tuple of int
        (n_images,).

    Raises
    ------
    InputError
        When the file is missing, damaged or of another kind.

    Notes
    -----
    ``stored[3]`` is a :class:`~algos.features.Descriptors`, ``stored[rows]``, with a slice, an array of positions or
    a mask, another such sequence. So ``SpatialPyramid().fit(stored[train])`` reads the training images only.
    """

    def __init__(self, path: str | os.PathLike) -> None:
        import pyarrow as pa

        try:
            self._file = pa.ipc.open_file(pa.memory_map(str(path)), options=pa.ipc.IpcReadOptions(use_threads=False))
            about = json.loads((self._file.schema.metadata or {}).get(_KEY, b"{}"))
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: cannot be read as descriptors ({one_line(error)}); make it again") from None
        if about.get("format") != _FORMAT or len(about["names"]) != self._file.num_record_batches:
            raise InputError(f"{path}: is no file of descriptors of this program (format {_FORMAT}); make it again")
        self.options = about["options"]
        self._take(about["names"], np.arange(len(about["names"])))

    def _take(self, names: Sequence[str], rows: np.ndarray) -> None:
        self._all_names, self._rows = names, rows
        self.names = [names[i] for i in rows]
        self.shape = (len(rows),)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, which: Any) -> "Descriptors | StoredDescriptors":
        if isinstance(which, int | np.integer):
            return _descriptors(self._file.get_batch(int(self._rows[which])))
        part = object.__new__(StoredDescriptors)
        part._file, part.options = self._file, self.options
        part._take(self._all_names, self._rows[which])
        return part


def _descriptors(batch: "pyarrow.RecordBatch") -> Descriptors:
    packed, x, y = batch.columns
    values = np.frombuffer(packed.buffers()[1], np.uint8, N_SIFT * len(packed), N_SIFT * packed.offset)
    return Descriptors(values.reshape(-1, N_SIFT), np.column_stack([x.to_numpy(), y.to_numpy()]))
