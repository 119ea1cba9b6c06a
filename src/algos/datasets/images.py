"""Images as arrays, and collections of them that are read one by one."""

import io
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from algos.datasets.archives import MOST_MEMBER_BYTES, Archive
from algos.datasets.hints import one_line
from algos.datasets.textfile import errors_named
from algos.exceptions import InputError

if TYPE_CHECKING:
    from PIL import Image

MOST_PIXELS = 64 * 2**20
# Formats of photographs; Pillow knows many more, and each is a program that reads hostile bytes.
FORMATS = ("JPEG", "PNG", "BMP", "GIF", "TIFF", "WEBP", "PPM")
SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm", ".ppm"})
MODES = {"grey": "L", "rgb": "RGB"}


def decode_image(content: bytes, name: str, mode: str = "grey") -> np.ndarray:
    """Return the pixels of an image file.

    Colours become grey by ITU-R 601 (0.299 R + 0.587 G + 0.114 B); CMYK is converted to RGB first (without colour
    profiles); what is transparent lies over white; 16 bits are cut to the upper 8; of an animation the first frame
    counts; a turn that a camera only noted (EXIF) is not carried out.

    Parameters
    ----------
    content : bytes
        The file, in one of `FORMATS`; the content decides, not the name.
    name : str
        What to call it in a message.
    mode : {"grey", "rgb"}, default "grey"
        What to return.

    Returns
    -------
    ndarray of uint8 of shape (height, width) or (height, width, 3)

    Raises
    ------
    InputError
        When this is no image, is cut short or damaged, or has more than `MOST_PIXELS` pixels (a small file can claim
        billions).
    """
    from PIL import Image

    if mode not in MODES:
        raise InputError(f"there is no mode {mode!r} of images; the modes are {sorted(MODES)}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of doubtful metadata; pixels that cannot be had are errors
            with Image.open(io.BytesIO(content), formats=FORMATS) as image:
                too_large = image.width * image.height > MOST_PIXELS
                if not too_large:
                    return np.asarray(_flat(image).convert(MODES[mode]))
    except Exception as error:  # on damaged files Pillow raises whatever its decoders happen to trip over
        reason = "it is none" if isinstance(error, Image.UnidentifiedImageError) else one_line(error) or "damaged"
        raise InputError(f"{name}: cannot be read as an image ({reason}); mend it or leave it out") from None
    raise InputError(f"{name}: has more than {MOST_PIXELS >> 20} million pixels; make it smaller or leave it out")


def _flat(image: "Image.Image") -> "Image.Image":
    """Return an image of 8 bits without transparency."""
    from PIL import Image

    if image.mode.startswith("I") or image.mode == "F":
        pixels = np.asarray(image, dtype=np.float64)
        wide = image.mode.startswith("I") and (image.mode != "I" or pixels.max(initial=0) > 255)
        return Image.fromarray(np.clip(pixels / 256 if wide else pixels, 0, 255).astype(np.uint8))
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        image = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
    return image.convert("RGB") if image.mode not in ("L", "RGB") else image


def read_image(image: "str | os.PathLike | np.ndarray", mode: str = "grey") -> np.ndarray:
    """Return the pixels of an image on the disk, or of an array, in the wanted mode.

    Parameters
    ----------
    image : path-like or ndarray of uint8 of shape (height, width) or (height, width, 3 or 4)
        A file, or pixels: grey, RGB or RGBA.
    mode : {"grey", "rgb"}, default "grey"
        As in :func:`decode_image`, with the same rules.

    Raises
    ------
    InputError
        As :func:`decode_image`, or when an array is not of this kind.
    """
    if not isinstance(image, np.ndarray):
        path = Path(image)
        with errors_named(path), path.open("rb") as stream:
            return decode_image(stream.read(MOST_MEMBER_BYTES), str(path), mode)
    is_image = image.dtype == np.uint8 and image.size and image.ndim in (2, 3) and image.shape[2:] in ((), (3,), (4,))
    if not is_image:
        raise InputError(
            "an image is an array of uint8 of shape (height, width) or (height, width, 3 or 4), "
            f"not {image.dtype} of shape {image.shape}"
        )
    if mode == "grey" and image.ndim == 2:
        return image
    from PIL import Image

    return np.asarray(_flat(Image.fromarray(np.ascontiguousarray(image))).convert(MODES[mode]))


class Images(Sequence):
    """Images of an archive, decoded one by one as they are asked for, so that memory holds one at a time.

    Parameters
    ----------
    archive : Archive
        Where they lie; it stays open.
    names : sequence of str
        Names within it, in order.
    mode : {"grey", "rgb"}, default "grey"
        What the arrays hold; see :func:`decode_image`.

    Attributes
    ----------
    shape : tuple of int
        (n_images,): images have no columns yet.

    Notes
    -----
    ``images[3]`` is an array of uint8, ``images[rows]``, with a slice, an array of positions or a mask, is another
    collection that reads nothing.
    """

    def __init__(self, archive: Archive, names: Sequence[str], mode: str = "grey") -> None:
        self.archive, self.names, self.mode = archive, list(names), mode

    @property
    def shape(self) -> tuple[int]:
        """(n_images,)."""
        return (len(self.names),)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, which: Any) -> "np.ndarray | Images":
        if isinstance(which, int | np.integer):
            name = self.names[which]
            return decode_image(self.archive.read(name), f"{self.archive.path}: {name}", self.mode)
        return Images(self.archive, np.array(self.names, dtype=object)[which].tolist(), self.mode)
