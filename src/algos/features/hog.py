"""Histograms of oriented gradients (HOG) of patches."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from algos.datasets.hints import nearest
from algos.exceptions import InputError

COLOURS = ("largest_gradient", "grey")
# Luma of ITU-R BT.601.
_GREY = np.array([0.299, 0.587, 0.114])


@dataclass(frozen=True)
class HOG:
    """Descriptor of a patch, by scikit-image, with the settings of Dalal and Triggs.

    Gradients by [-1, 0, 1], without smoothing; unsigned orientations; each cell's histogram votes by magnitude; blocks
    overlap, moving by one cell. Two refinements of Dalal and Triggs are not in scikit-image: votes are not shared out
    between neighbouring bins and cells, and blocks have no Gaussian window.

    Parameters
    ----------
    colour : {"largest_gradient", "grey"}, default "largest_gradient"
        Each pixel's gradient is that of the channel where it is greatest (as in the source), or that of the grey image
        (BT.601). Patches without channels are grey in any case.
    orientations : int, default 9
        Bins over 180 degrees.
    cell : int, default 8
        Side of a cell in pixels. What is left over at the right and lower edge counts for no cell.
    block : int, default 2
        Side of a block in cells.
    block_norm : {"L2-Hys", "L2", "L1", "L1-sqrt"}, default "L2-Hys"
        Normalisation of a block; "L2-Hys" clips at 0.2 and normalises again.
    transform_sqrt : bool, default False
        Whether to take square roots of pixel values first (the source's gamma compression).

    Raises
    ------
    InputError
        When a parameter is none of these.

    References
    ----------
    N. Dalal, B. Triggs, Histograms of Oriented Gradients for Human Detection, CVPR 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from algos.features import HOG
    >>> HOG().length((80, 56))
    1944
    >>> HOG()(np.zeros((80, 56, 3), dtype="uint8")).shape
    (1944,)
    """

    colour: str = "largest_gradient"
    orientations: int = 9
    cell: int = 8
    block: int = 2
    block_norm: str = "L2-Hys"
    transform_sqrt: bool = False

    def __post_init__(self) -> None:
        if self.colour not in COLOURS:
            raise InputError(f"colour is {self.colour!r}; known: {', '.join(COLOURS)}")
        if self.block_norm not in ("L2-Hys", "L2", "L1", "L1-sqrt"):
            raise InputError(f"block_norm is {self.block_norm!r}; known: L2-Hys, L2, L1, L1-sqrt")
        for name in ("orientations", "cell", "block"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise InputError(f"{name} is {value!r}; give a whole number from 1")
        if not isinstance(self.transform_sqrt, bool | np.bool_):
            raise InputError(f"transform_sqrt is {self.transform_sqrt!r}; give true or false")

    def length(self, size: tuple[int, int]) -> int:
        """Return the number of features of a patch.

        Parameters
        ----------
        size : tuple of int
            Height and width of the patch in pixels.

        Raises
        ------
        InputError
            When the patch is too small for a single block.
        """
        blocks = [side // self.cell - self.block + 1 for side in size[:2]]
        if min(blocks) < 1:
            least = self.cell * self.block
            raise InputError(f"a patch of {size[0]} x {size[1]} pixels holds no block of HOG: make it at least {least}")
        return blocks[0] * blocks[1] * self.block**2 * self.orientations

    def __call__(self, patch: np.ndarray) -> np.ndarray:
        """Describe one patch.

        Parameters
        ----------
        patch : ndarray of shape (height, width) or (height, width, 3)
            Pixels; the range does not matter, since blocks are normalised.

        Returns
        -------
        ndarray of float32 of shape (length(patch.shape),)
            Blocks row by row; in a block its cells row by row, in a cell its orientations.

        Raises
        ------
        InputError
            When the patch is too small, or not of such a shape.
        """
        from skimage.feature import hog

        patch = np.asarray(patch)
        if patch.ndim not in (2, 3) or (patch.ndim == 3 and patch.shape[2] != 3):
            raise InputError(f"a patch has the shape {patch.shape}; give (height, width) or (height, width, 3)")
        self.length(patch.shape)
        if patch.ndim == 3 and self.colour == "grey":
            patch = patch @ _GREY
        features = hog(
            patch,
            orientations=self.orientations,
            pixels_per_cell=(self.cell, self.cell),
            cells_per_block=(self.block, self.block),
            block_norm=self.block_norm,
            transform_sqrt=self.transform_sqrt,
            channel_axis=-1 if patch.ndim == 3 else None,
        )
        return features.astype(np.float32)


def options_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters of :class:`HOG` as given in a config, checked for names that it does not have.

    Raises
    ------
    InputError
        With the nearest name.
    """
    known = [field.name for field in fields(HOG)]
    for name in given:
        if name not in known:
            raise InputError(f"HOG has no parameter {name!r}{nearest(name, known)}")
    return dict(given)
