"""Windows of images: which to cut out, and cutting them to patches of one size.

Choosing windows needs no pixels: it works on numbers, is quick, and can be looked at. :func:`cut` then opens each image
once and gives patches, or features of them.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from algos.exceptions import InputError
from algos.problems import Problems

KINDS = ("positive", "jittered", "negative", "hard_negative")
_MOST_DRAWS = 100
_ROUNDING = 1e-6


class ImageSource(Protocol):
    """What images are read from, such as :class:`algos.datasets.VOCImages`."""

    def read_image(self, name: str) -> np.ndarray:
        """Return the pixels, uint8 of shape (height, width, 3); raise InputError when they cannot be had."""

    def positives(self, label: str, splits: Sequence[str] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the image of each box of a class, and the boxes (left, top, right, bottom)."""

    def images_without(self, label: str, splits: Sequence[str] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the images without a class, and their widths and heights."""


@dataclass(frozen=True)
class Windows:
    """Rectangles of images, each with its label.

    Attributes
    ----------
    image : ndarray of str of shape (n_windows,)
        Image of each window: the group for splits that part no image.
    box : ndarray of float64 of shape (n_windows, 4)
        Left, top, right, bottom in pixels, from 0, right and bottom exclusive.
    label : ndarray of int8 of shape (n_windows,)
        1 for positives, -1 for negatives.
    kind : ndarray of str of shape (n_windows,)
        "positive", "jittered", "negative" or "hard_negative". Jittered and hard negative windows are for training.
    mirror : ndarray of bool of shape (n_windows,)
        Whether the patch is mirrored left to right.
    """

    image: np.ndarray
    box: np.ndarray
    label: np.ndarray
    kind: np.ndarray
    mirror: np.ndarray

    def __len__(self) -> int:
        return len(self.image)

    def take(self, rows: ArrayLike) -> "Windows":
        """Return some of the windows, by index or by a boolean each."""
        return Windows(*(getattr(self, f.name)[rows] for f in fields(self)))

    @classmethod
    def of_kind(cls, kind: str, image: ArrayLike, box: ArrayLike) -> "Windows":
        """Make windows of one kind from their images and boxes."""
        image = np.asarray(image, dtype=str)
        label = 1 if kind in ("positive", "jittered") else -1
        return cls(
            image,
            np.asarray(box, dtype=float).reshape(len(image), 4),
            np.full(len(image), label, dtype=np.int8),
            np.full(len(image), kind, dtype=f"<U{max(map(len, KINDS))}"),
            np.zeros(len(image), dtype=bool),
        )

    @classmethod
    def join(cls, parts: Sequence["Windows"]) -> "Windows":
        """Put several sets of windows one after the other."""
        return cls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)))


def patch_size(boxes: ArrayLike, longer_side: int = 80, multiple_of: int = 8, least: int = 16) -> tuple[int, int]:
    """Return the size to which all patches of a class are brought.

    The median of the boxes' aspect ratios (of their logarithms, so that width / height and height / width give the
    same) fixes the shape; the longer side is a parameter, the other one is rounded to whole cells.

    Parameters
    ----------
    boxes : array-like of shape (n_boxes, 4)
        Left, top, right, bottom of the class's positives; those that train, lest the test part has a say.
    longer_side : int, default 80
        In pixels.
    multiple_of : int, default 8
        Side of a HOG cell.
    least : int, default 16
        Least length of the shorter side: a HOG block.

    Returns
    -------
    tuple of int
        Height, width.

    Raises
    ------
    InputError
        When there is no box, one has no area, or `longer_side` is no multiple of `multiple_of` of at least `least`.

    Examples
    --------
    >>> from algos.features import patch_size
    >>> patch_size([[0, 0, 30, 100], [10, 10, 40, 110], [0, 0, 200, 100]])
    (80, 24)
    """
    width, height = _sides(boxes)
    check_longer_side(longer_side, multiple_of, least)
    ratio = math.exp(np.median(np.log(width / height)))
    shorter = max(round(longer_side * min(ratio, 1 / ratio) / multiple_of) * multiple_of, least)
    return (longer_side, shorter) if ratio < 1 else (shorter, longer_side)


def check_longer_side(longer_side: int, multiple_of: int, least: int) -> None:
    """Refuse a longer side of patches that is no whole number of cells, or less than a block."""
    if longer_side < least or longer_side % multiple_of:
        raise InputError(f"longer_side is {longer_side}; give a multiple of {multiple_of} from {least}")


def jittered(
    windows: Windows,
    sizes: dict[str, tuple[int, int]],
    n_per_window: int = 2,
    shift: float = 0.1,
    scale: float = 0.1,
    seed: int = 0,
) -> Windows:
    """Draw windows near given ones: positions and size a little off.

    The centre moves by up to `shift` of the width and of the height, and both sides change by a common factor between
    1 - `scale` and 1 + `scale`, all uniform. A window that leaves its image is moved back inside.

    Parameters
    ----------
    windows : Windows
        Positives.
    sizes : dict
        Image -> width and height in pixels.
    n_per_window : int, default 2
        How many to draw for each (the paper: 2).
    shift, scale : float, default 0.1
        Ranges; the paper says "small random offsets in positions" and no more.
    seed : int, default 0
        Seed.

    Returns
    -------
    Windows
        Of kind "jittered"; those of one window follow each other.

    Raises
    ------
    InputError
        When a range is not in [0, 1).
    """
    if not (0 <= shift < 1 and 0 <= scale < 1):
        raise InputError(f"shift is {shift}, scale {scale}; give numbers from 0 and below 1")
    rng = np.random.default_rng(seed)
    near = windows.take(np.repeat(np.arange(len(windows)), n_per_window))
    limits = np.array([sizes[name] for name in near.image], dtype=float).reshape(-1, 2)
    sides = near.box[:, 2:] - near.box[:, :2]
    centre = (near.box[:, 2:] + near.box[:, :2]) / 2 + rng.uniform(-shift, shift, sides.shape) * sides
    sides = np.minimum(sides * rng.uniform(1 - scale, 1 + scale, (len(near), 1)), limits)
    corner = np.clip(centre - sides / 2, 0, limits - sides)
    box = np.hstack([corner, corner + sides])
    return replace(near, box=box, kind=np.full_like(near.kind, "jittered"))


def mirrored(windows: Windows) -> Windows:
    """Return each window once as it is and then all of them mirrored left to right."""
    return Windows.join([windows, replace(windows, mirror=~windows.mirror)])


@dataclass(frozen=True)
class Shapes:
    """Ranges of sizes and aspect ratios, from which windows are drawn uniformly in their logarithms.

    Attributes
    ----------
    size : tuple of float
        Least and greatest square root of the area, in pixels.
    ratio : tuple of float
        Least and greatest width / height.
    """

    size: tuple[float, float]
    ratio: tuple[float, float]

    @classmethod
    def of(cls, boxes: ArrayLike, quantiles: tuple[float, float] = (0.05, 0.95)) -> "Shapes":
        """Take the ranges from boxes.

        Parameters
        ----------
        boxes : array-like of shape (n_boxes, 4)
            The positives that train.
        quantiles : tuple of float, default (0.05, 0.95)
            What of the positives' sizes and aspect ratios is reasonable; (0, 1) is all of it.

        Raises
        ------
        InputError
            When there is no box, or one has no area.
        """
        width, height = _sides(boxes)
        size, ratio = (np.quantile(v, quantiles) for v in (np.sqrt(width * height), width / height))
        return cls(tuple(size.tolist()), tuple(ratio.tolist()))

    def draw(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Return n widths and heights."""
        size, ratio = (np.exp(rng.uniform(*np.log(bounds), n)) for bounds in (self.size, self.ratio))
        return np.stack([size * np.sqrt(ratio), size / np.sqrt(ratio)], axis=1)


def random_windows(names: ArrayLike, sizes: ArrayLike, n: int, shapes: Shapes, seed: int = 0) -> Windows:
    """Draw windows from images that do not show a class.

    Images take turns in random order, so that each gives as many windows as any other, or one more. A window has a
    random shape (one that does not fit its image is drawn anew, and after 100 draws shrunk until it does) and a random
    place inside its image.

    Parameters
    ----------
    names : array-like of str of shape (n_images,)
        Images.
    sizes : array-like of int of shape (n_images, 2)
        Their widths and heights.
    n : int
        How many windows.
    shapes : Shapes
        Sizes and aspect ratios.
    seed : int, default 0
        Seed.

    Returns
    -------
    Windows
        Of kind "negative", sorted by image.

    Raises
    ------
    InputError
        When windows are wanted and there is no image.
    """
    names, sizes = np.asarray(names, dtype=str), np.asarray(sizes, dtype=float).reshape(-1, 2)
    if n > 0 and len(names) == 0:
        raise InputError("negatives are wanted, but there is no image without the class")
    rng = np.random.default_rng(seed)
    turns = [rng.permutation(len(names)) for _ in range(-(-n // max(len(names), 1)))]
    image = np.sort(np.concatenate([*turns, np.empty(0, dtype=int)])[:n].astype(int))
    sides, limits = shapes.draw(rng, n), sizes[image]
    for _ in range(_MOST_DRAWS):
        wrong = np.flatnonzero((sides > limits).any(axis=1))
        if len(wrong) == 0:
            break
        sides[wrong] = shapes.draw(rng, len(wrong))
    sides *= np.minimum((limits / sides).min(axis=1, keepdims=True), 1)
    corner = rng.random((n, 2)) * (limits - sides)
    return Windows.of_kind("negative", names[image], np.hstack([corner, corner + sides]))


def sliding_windows(
    names: ArrayLike,
    sizes: ArrayLike,
    size: tuple[int, int],
    shapes: Shapes,
    *,
    step: float = 0.25,
    per_octave: int = 2,
    most: int | None = None,
    seed: int = 0,
) -> Windows:
    """Return windows of a patch's aspect ratio on a regular grid of places and sizes.

    Parameters
    ----------
    names, sizes
        As for :func:`random_windows`.
    size : tuple of int
        Height and width of the patch.
    shapes : Shapes
        Only its sizes are used: from the least, growing by 2^(1/per_octave), to the greatest.
    step : float, default 0.25
        Distance between neighbours, in parts of the window's sides.
    per_octave : int, default 2
        Sizes an octave.
    most : int, optional
        Return a random choice of that many when there are more (a thousand photographs can have ten million).
    seed : int, default 0
        Seed of the choice.

    Returns
    -------
    Windows
        Of kind "negative", by image as given, size, row and column; an image too small for a size has none of it.
    """
    names, sizes = np.asarray(names, dtype=str), np.asarray(sizes, dtype=float).reshape(-1, 2)
    least, greatest = np.log2(shapes.size)
    scales = 2.0 ** np.arange(least, greatest + _ROUNDING, 1 / per_octave)
    ratio = size[1] / size[0]
    sides = np.stack([scales * math.sqrt(ratio), scales / math.sqrt(ratio)], axis=1)
    room = (sizes[:, None, :] - sides) / (step * sides)  # image, scale, axis
    n_places = np.where((room >= -_ROUNDING).all(axis=2, keepdims=True), np.floor(room + _ROUNDING) + 1, 0).astype(int)
    ends = np.cumsum(n_places.prod(axis=2))
    total = int(ends[-1]) if len(ends) else 0
    chosen = np.arange(total)
    if most is not None and total > most:
        chosen = np.sort(np.random.default_rng(seed).choice(total, most, replace=False))
    grid = np.searchsorted(ends, chosen, side="right")
    image, scale = np.divmod(grid, len(scales))
    place = chosen - np.concatenate([[0], ends])[grid]
    row, column = np.divmod(place, np.maximum(n_places[image, scale, 0], 1))
    corner = step * sides[scale] * np.stack([column, row], axis=1)
    return Windows.of_kind("negative", names[image], np.hstack([corner, corner + sides[scale]]))


def class_windows(
    source: ImageSource,
    label: str,
    splits: Sequence[str] | None = None,
    *,
    shapes: Shapes | None = None,
    negatives_per_positive: float = 10,
    least_negatives: int = 2000,
    most_negatives: int | None = None,
    seed: int = 0,
) -> Windows:
    """Return the windows of one class against the rest: its boxes, and random windows of images without it.

    Parameters
    ----------
    source : ImageSource
        Such as the `X` of :func:`algos.datasets.load_voc`.
    label : str
        Class.
    splits : sequence of str, optional
        Only images of these splits.
    shapes : Shapes, optional
        Sizes and aspect ratios of the negatives; default: of the class's boxes in these splits. For a test split give
        those of the training split.
    negatives_per_positive : float, default 10
        The paper does not say.
    least_negatives, most_negatives : int
        Bounds on their number (default 2000, and none).
    seed : int, default 0
        Seed of the negatives; a class and its splits have draws of their own.

    Returns
    -------
    Windows
        Positives, then negatives.

    Raises
    ------
    InputError
        When the class has no positive, or no image is without it.
    """
    names, boxes = source.positives(label, splits)
    where = "all splits" if splits is None else " and ".join([splits] if isinstance(splits, str) else sorted(splits))
    if len(names) == 0:
        raise InputError(f"class {label!r} has no positive in {where}; leave it out of this experiment")
    n = max(round(negatives_per_positive * len(names)), least_negatives)
    n = n if most_negatives is None else min(n, most_negatives)
    own = np.random.SeedSequence([seed, *f"{label}/{where}".encode()]).generate_state(1)[0]
    negatives = random_windows(*source.images_without(label, splits), n, shapes or Shapes.of(boxes), int(own))
    return Windows.join([Windows.of_kind("positive", names, boxes), negatives])


def cut(
    source: ImageSource,
    windows: Windows,
    size: tuple[int, int],
    describe: Callable[[np.ndarray], np.ndarray] | None = None,
    on_error: str = "skip",
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Cut windows out of their images, bring them to one size, and describe them.

    Each image is opened once. Windows are stretched to the size, whatever their aspect ratio, by triangle
    interpolation that averages over what it shrinks (Pillow's BILINEAR), which also serves where it magnifies.

    Parameters
    ----------
    source : ImageSource
        Images.
    windows : Windows
        Windows inside their images.
    size : tuple of int
        Height and width of all patches.
    describe : callable, optional
        Patch (uint8 of the shape `size` + (3,)) -> features, such as :class:`HOG`; default: the patch itself.
    on_error : {"skip", "raise"}, default "skip"
        Whether windows of an image that cannot be read are left out and named, or the error is raised.

    Returns
    -------
    patches : ndarray of shape (n_kept, height, width, 3) of uint8, or (n_kept, n_features)
        In the order of the windows.
    kept : ndarray of int of shape (n_kept,)
        Which windows they are.
    problems : list of str
        One sentence for each image that could not be read, or has a window that reaches outside.

    Raises
    ------
    InputError
        When no window is left, `on_error` is neither, or at the first problem with ``on_error="raise"``.
    """
    problems, rows_of = Problems(on_error), _rows_by_image(windows)
    patches, kept = None, np.zeros(len(windows), dtype=bool)
    for name, rows in rows_of.items():
        try:
            cut_out = _patches(source.read_image(name), windows.take(rows), size)
        except InputError as error:
            problems.add(str(error), f"its {len(rows)} windows are left out")
            continue
        for row, patch in zip(rows, cut_out, strict=True):
            features = patch if describe is None else describe(patch)
            if patches is None:
                patches = np.empty((len(windows), *features.shape), dtype=features.dtype)
            patches[row] = features
        kept[rows] = True
    if patches is None:
        raise InputError("there is no window, or none of the images can be read")
    return (patches if kept.all() else patches[kept]), np.flatnonzero(kept), problems.sentences


def mine_hard_negatives(
    source: ImageSource,
    windows: Windows,
    size: tuple[int, int],
    describe: Callable[[np.ndarray], np.ndarray],
    score: Callable[[np.ndarray], np.ndarray],
    n: int,
    *,
    budget: int = 5000,
    most_overlap: float = 0.5,
    seed: int = 0,
    on_error: str = "skip",
) -> tuple[Windows, np.ndarray, np.ndarray, list[str]]:
    """Look through negative images for the windows that a classifier takes for positives.

    Parameters
    ----------
    source : ImageSource
        Images.
    windows : Windows
        Candidates, from images without the class: :func:`random_windows` or :func:`sliding_windows`.
    size, describe, on_error
        As for :func:`cut`.
    score : callable
        Features (n, n_features) -> scores (n,), the higher the more like a positive, such as `decision_function`.
    n : int
        How many to return at most.
    budget : int, default 5000
        How many candidates are cut and scored: all, or a random choice of that many.
    most_overlap : float, default 0.5
        As for :func:`hardest`.
    seed : int, default 0
        Seed of the choice.

    Returns
    -------
    found : Windows
        Of kind "hard_negative", the hardest first; at most n.
    features : ndarray of shape (n_found, n_features)
    scores : ndarray of shape (n_found,)
    problems : list of str
        As from :func:`cut`.

    Raises
    ------
    InputError
        As for :func:`cut`.
    """
    if len(windows) > budget:
        rows = np.random.default_rng(seed).choice(len(windows), budget, replace=False)
        windows = windows.take(np.sort(rows))
    features, kept, problems = cut(source, windows, size, describe, on_error)
    windows = windows.take(kept)
    scores = np.asarray(score(features), dtype=float)
    rows = hardest(windows, scores, n, most_overlap)
    found = windows.take(rows)
    found = replace(found, kind=np.full_like(found.kind, "hard_negative"))
    return found, features[rows], scores[rows], problems


def hardest(windows: Windows, scores: ArrayLike, n: int, most_overlap: float = 0.5) -> np.ndarray:
    """Choose the windows with the highest scores that do not show the same thing twice.

    Parameters
    ----------
    windows : Windows
        Candidates.
    scores : array-like of shape (n_windows,)
        Equal scores: the earlier window first.
    n : int
        How many at most.
    most_overlap : float, default 0.5
        A window is passed over when it shares more than this part (intersection over union) with a chosen one of its
        image; 1 keeps all.

    Returns
    -------
    ndarray of int of shape (n_chosen,)
        Their indices, the hardest first.
    """
    chosen: list[int] = []
    in_image: dict[str, list[int]] = {}
    for row in np.argsort(-np.asarray(scores, dtype=float), kind="stable"):
        if len(chosen) >= n:
            break
        rivals = in_image.setdefault(windows.image[row], [])
        if rivals and _overlap(windows.box[row], windows.box[rivals]).max() > most_overlap:
            continue
        rivals.append(row)
        chosen.append(row)
    return np.array(chosen, dtype=int)


def _sides(boxes: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    boxes = np.asarray(boxes, dtype=float).reshape(-1, 4)
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    if len(boxes) == 0 or not (np.minimum(width, height) > 0).all():
        raise InputError("there is no box to take a shape from, or one has no area")
    return width, height


def _rows_by_image(windows: Windows) -> dict[str, np.ndarray]:
    names, first, image = np.unique(windows.image, return_index=True, return_inverse=True)
    rows = np.split(np.argsort(image, kind="stable"), np.cumsum(np.bincount(image, minlength=len(first)))[:-1])
    return dict(zip(names.tolist(), rows, strict=False))  # without any name there is still one, empty, part


def _patches(image: np.ndarray, windows: Windows, size: tuple[int, int]) -> list[np.ndarray]:
    """Cut windows out of one image."""
    import PIL.Image

    limits = np.array([image.shape[1], image.shape[0]] * 2)
    boxes = np.clip(windows.box, 0, limits)
    if np.abs(boxes - windows.box).max() > _ROUNDING:
        raise InputError(f"image {windows.image[0]!r}: a window reaches outside its {limits[0]} x {limits[1]} pixels")
    picture, how = PIL.Image.fromarray(image), PIL.Image.Resampling.BILINEAR
    patches = [np.asarray(picture.resize((size[1], size[0]), how, box=tuple(box))) for box in boxes]
    return [patch[:, ::-1] if flip else patch for patch, flip in zip(patches, windows.mirror, strict=True)]


def _overlap(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Intersection over union of one box with several."""
    shared = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    shared = np.maximum(shared, 0).prod(axis=1)
    areas = (others[:, 2:] - others[:, :2]).prod(axis=1) + (box[2:] - box[:2]).prod()
    return shared / (areas - shared)
