"""Spatial pyramids of dense SIFT (Lazebnik, Schmid and Ponce 2006, CVPR, sections 3 and 4)."""

import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from algos.datasets.hints import nearest
from algos.datasets.images import read_image
from algos.exceptions import InputError

N_SIFT = 128
# OpenCV's descriptor spans 4 x 4 cells of 1.5 sizes of its keypoint: a patch of p pixels is a keypoint of p / 6.
_PATCH_OVER_KEYPOINT = 6.0
_NEAREST_WORDS = 5
_CHOICES = {
    "pooling": ("mean", "max"),
    "coding": ("hard", "soft"),
    "level_weights": ("pyramid", "equal"),
    "normalise": ("power", "l2", "l1", "none"),
}
_log = logging.getLogger(__name__)


class Descriptors(NamedTuple):
    """The dense SIFT descriptors of one image.

    Attributes
    ----------
    values : ndarray of uint8 of shape (n_patches, 128)
        SIFT, as OpenCV scales it (unit length is 512, 255 at most); all 0 where a patch is flat.
    positions : ndarray of float32 of shape (n_patches, 2)
        x / width and y / height of the patch's centre, in (0, 1).
    """

    values: np.ndarray
    positions: np.ndarray


def descriptors(
    image: "str | os.PathLike | np.ndarray",
    *,
    patch_size: int = 16,
    spacing: int = 8,
    max_side: int | None = 300,
    name: str | None = None,
) -> Descriptors:
    """Describe an image by SIFT on a regular grid of upright patches of one size, all inside the image.

    Parameters
    ----------
    image : path-like or ndarray of uint8
        As :func:`algos.datasets.read_image` takes it; colours become grey.
    patch_size : int, default 16
        Side of a patch in pixels (the paper's).
    spacing : int, default 8
        Pixels from patch to patch (the paper's); the grid is centred.
    max_side : int or None, default 300
        A larger image is first made smaller (pixels averaged), so that its longer side is this. The paper's images
        are about 300 pixels wide.
    name : str, optional
        What to call the image in the log.

    Returns
    -------
    Descriptors

    Raises
    ------
    InputError
        When the image cannot be read or a parameter is out of its range.

    Notes
    -----
    Where a side is smaller than a patch, the border is repeated on both sides until one patch fits; the log says so.
    OpenCV is set to one thread: parallelism belongs to the workflow.

    Examples
    --------
    >>> import numpy as np
    >>> found = descriptors(np.tile(np.arange(0, 256, 8, dtype=np.uint8), (32, 1)))
    >>> found.values.shape, found.positions[0].tolist()
    ((9, 128), [0.25, 0.25])
    """
    import cv2

    limits = {"patch_size": (patch_size, 4), "spacing": (spacing, 1), "max_side": (max_side, patch_size)}
    for key, (value, least) in limits.items():
        if value is not None and value < least:
            raise InputError(f"{key} is {value}; give {least} or more")
    cv2.setNumThreads(1)
    grey = _fitted_size(read_image(image), patch_size, max_side, name or "an image")
    height, width = grey.shape
    corners = [_corners(side, patch_size, spacing) for side in (width, height)]
    # OpenCV rounds a keypoint to a whole pixel, halves to the even one: it gets whole ones, lest the grid be uneven.
    xs, ys = ((found + patch_size // 2).astype(float) for found in corners)
    size = patch_size / _PATCH_OVER_KEYPOINT
    _, values = cv2.SIFT_create().compute(grey, [cv2.KeyPoint(x, y, size, 0.0) for y in ys for x in xs])
    xs, ys = ((found + patch_size / 2) / side for found, side in zip(corners, (width, height), strict=True))
    positions = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    return Descriptors(values.astype(np.uint8), positions.astype(np.float32))


def _fitted_size(grey: np.ndarray, patch_size: int, max_side: int | None, name: str) -> np.ndarray:
    import cv2

    if max_side is not None and max(grey.shape) > max_side:
        factor = max_side / max(grey.shape)
        height, width = (max(1, round(side * factor)) for side in grey.shape)
        grey = cv2.resize(grey, (width, height), interpolation=cv2.INTER_AREA)
    missing = [max(0, patch_size - side) for side in grey.shape]
    if any(missing):
        height, width = grey.shape
        _log.warning(
            "%s: %d x %d pixels are less than a patch of %d; its border is repeated", name, width, height, patch_size
        )
        grey = np.pad(grey, [(n // 2, n - n // 2) for n in missing], mode="edge")
    return np.ascontiguousarray(grey)


def _corners(side: int, patch_size: int, spacing: int) -> np.ndarray:
    """Return the first pixel of each patch along one side; what the grid leaves over is shared by both ends."""
    n = (side - patch_size) // spacing + 1
    margin = (side - patch_size - (n - 1) * spacing) // 2
    return margin + spacing * np.arange(n)


def pool(
    described: Descriptors,
    dictionary: np.ndarray,
    *,
    n_levels: int = 3,
    pooling: str = "mean",
    coding: str = "hard",
    level_weights: str = "pyramid",
    normalise: str = "power",
) -> np.ndarray:
    """Pool an image's descriptors over the cells of a spatial pyramid.

    Parameters
    ----------
    described : Descriptors
        Of one image.
    dictionary : ndarray of float32 of shape (n_words, 128)
        The visual words.
    n_levels : int, default 3
        Levels 0, 1, ..., n_levels - 1; level l has 2^l x 2^l cells.
    pooling : {"mean", "max"}, default "mean"
        "mean": the sum of the codes in a cell over the number of all patches of the image (the paper's histograms);
        "max": the largest code in the cell (Yang et al. 2009), of use with soft codes.
    coding : {"hard", "soft"}, default "hard"
        "hard": 1 for the nearest word (the paper's; the first of equals). "soft": over the five nearest words,
        ``exp(-(d_k - d_1) / s)`` scaled to sum 1, d the squared distances and s their mean over the image's nearest
        words (localised soft assignment, Liu et al. 2011, with a scale that needs no tuning).
    level_weights : {"pyramid", "equal"}, default "pyramid"
        "pyramid": ``2^-L`` for level 0 and ``2^-(L - l + 1)`` for level l, L the last level (the paper's (3));
        "equal": 1.
    normalise : {"power", "l2", "l1", "none"}, default "power"
        Of the whole vector: its length 1 after square roots (Hellinger's kernel, whose linear classifiers come
        nearest to the paper's histogram intersection), its length 1, its sum 1, or nothing.

    Returns
    -------
    ndarray of float32 of shape (n_words * (1 + 4 + ... + 4^(n_levels - 1)),)
        Level by level, cell by cell in rows, word by word.

    Raises
    ------
    InputError
        When a parameter has no such value or the dictionary no such shape.
    """
    _check_choices(pooling=pooling, coding=coding, level_weights=level_weights, normalise=normalise)
    if dictionary.ndim != 2 or dictionary.shape[1:] != described.values.shape[1:]:
        raise InputError(f"the dictionary is of shape {dictionary.shape}, the descriptors {described.values.shape}")
    if n_levels < 1:
        raise InputError(f"n_levels is {n_levels}; give 1 or more")
    words, codes = (_hard_codes if coding == "hard" else _soft_codes)(described.values, dictionary)
    levels = []
    for level in range(n_levels):
        pooled = _pool_level(words, codes, described.positions, 2**level, len(dictionary), pooling)
        last = n_levels - 1
        weight = 2.0 ** -(last if level == 0 else last - level + 1) if level_weights == "pyramid" else 1.0
        levels.append(weight * pooled)
    return _normalised(np.concatenate(levels), normalise).astype(np.float32)


def _check_choices(**values: str) -> None:
    for key, value in values.items():
        if value not in _CHOICES[key]:
            raise InputError(f"{key} is {value!r}{nearest(value, _CHOICES[key])}; known: {list(_CHOICES[key])}")


def _squared_distances(values: np.ndarray, dictionary: np.ndarray) -> np.ndarray:
    X, words = values.astype(np.float32), dictionary.astype(np.float32)
    squares = np.einsum("ij,ij->i", X, X)[:, None] + np.einsum("ij,ij->i", words, words)
    return np.maximum(squares - 2 * (X @ words.T), 0)


def _hard_codes(values: np.ndarray, dictionary: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    words = _squared_distances(values, dictionary).argmin(axis=1)[:, None]
    return words, np.ones(words.shape)


def _soft_codes(values: np.ndarray, dictionary: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    distances = _squared_distances(values, dictionary)
    n_words = min(_NEAREST_WORDS, len(dictionary))
    words = np.argsort(distances, axis=1, kind="stable")[:, :n_words]
    near = np.take_along_axis(distances, words, axis=1).astype(np.float64)
    scale = near[:, 0].mean() or 1.0
    codes = np.exp((near[:, :1] - near) / scale)
    return words, codes / codes.sum(axis=1, keepdims=True)


def _pool_level(
    words: np.ndarray, codes: np.ndarray, positions: np.ndarray, n_side: int, n_words: int, pooling: str
) -> np.ndarray:
    columns, rows = np.minimum((positions * n_side).astype(np.intp), n_side - 1).T
    at = ((rows * n_side + columns)[:, None] * n_words + words).ravel()
    n_codes = n_side * n_side * n_words
    if pooling == "mean":
        return np.bincount(at, weights=codes.ravel(), minlength=n_codes) / len(words)
    pooled = np.zeros(n_codes)
    np.maximum.at(pooled, at, codes.ravel())
    return pooled


def _normalised(pooled: np.ndarray, how: str) -> np.ndarray:
    if how == "power":
        pooled = np.sqrt(pooled)
    # Codes are not negative and each image has a patch, so no sum is 0.
    return pooled if how == "none" else pooled / (pooled.sum() if how == "l1" else np.linalg.norm(pooled))


class SpatialPyramid(TransformerMixin, BaseEstimator):
    """Spatial pyramid features of images: dense SIFT, a dictionary learnt by k-means, histograms over 1 + 4 + 16 cells.

    Parameters
    ----------
    n_words : int, default 200
        Size of the dictionary (the paper's M; it also tries 400).
    n_levels, pooling, coding, level_weights, normalise
        As in :func:`pool`.
    patch_size, spacing, max_side
        As in :func:`descriptors`.
    n_sampled : int, default 100_000
        Descriptors that the dictionary is learnt from, drawn at random, as many from each training image.
    random_state : int, RandomState or None, default 0
        Of the drawing and of k-means.

    Attributes
    ----------
    dictionary_ : ndarray of float32 of shape (n_words, 128)
        The words, learnt from the images given to `fit` only.
    n_sampled_ : int
        Descriptors it was learnt from.

    Notes
    -----
    Images are read one by one: memory holds the sample of descriptors, one image and the result. An image is a path,
    an array of uint8 or a :class:`Descriptors`, so that what is described once can be used by many folds.

    References
    ----------
    Lazebnik, Schmid and Ponce, "Beyond bags of features", CVPR 2006.

    Examples
    --------
    >>> import numpy as np
    >>> images = [np.random.default_rng(i).integers(0, 256, (40, 60), dtype=np.uint8) for i in range(4)]
    >>> SpatialPyramid(n_words=5).fit_transform(images).shape
    (4, 105)
    """

    def __init__(
        self,
        n_words: int = 200,
        *,
        n_levels: int = 3,
        pooling: str = "mean",
        coding: str = "hard",
        level_weights: str = "pyramid",
        normalise: str = "power",
        patch_size: int = 16,
        spacing: int = 8,
        max_side: int | None = 300,
        n_sampled: int = 100_000,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_words = n_words
        self.n_levels = n_levels
        self.pooling = pooling
        self.coding = coding
        self.level_weights = level_weights
        self.normalise = normalise
        self.patch_size = patch_size
        self.spacing = spacing
        self.max_side = max_side
        self.n_sampled = n_sampled
        self.random_state = random_state

    def fit(self, images: Sequence[Any], y: Any = None) -> "SpatialPyramid":
        """Learn the dictionary.

        Parameters
        ----------
        images : sequence of n_images path-like, ndarray or Descriptors
            The training images.
        y : ignored

        Raises
        ------
        InputError
            When an image cannot be read, a parameter is out of its range, or the images have fewer different
            descriptors than there are words.
        """
        self._check()
        random = check_random_state(self.random_state)
        sample = self._sample(images, random)
        n_different = len(np.unique(sample, axis=0))
        if n_different < self.n_words:
            raise InputError(
                f"n_words is {self.n_words}, but the training images have only {n_different} different descriptors; "
                "give fewer words"
            )
        from sklearn.cluster import MiniBatchKMeans

        kmeans = MiniBatchKMeans(self.n_words, batch_size=4096, n_init=1, random_state=random)
        self.dictionary_ = kmeans.fit(sample.astype(np.float32)).cluster_centers_.astype(np.float32)
        self.n_sampled_ = len(sample)
        return self

    def transform(self, images: Sequence[Any]) -> np.ndarray:
        """Return the features, float32 of shape (n_images, n_words * (1 + 4 + ... + 4^(n_levels - 1)))."""
        check_is_fitted(self)
        options = {key: getattr(self, key) for key in ("n_levels", *_CHOICES)}
        rows = [pool(described, self.dictionary_, **options) for described in self._described(images)]
        if not rows:
            raise InputError("there is no image to transform")
        return np.stack(rows)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return names such as ``level1_cell2_word34``."""
        check_is_fitted(self)
        return np.array(
            [
                f"level{level}_cell{cell}_word{word}"
                for level in range(self.n_levels)
                for cell in range(4**level)
                for word in range(self.n_words)
            ],
            dtype=object,
        )

    def _check(self) -> None:
        _check_choices(**{key: getattr(self, key) for key in _CHOICES})
        for key, least in (("n_words", 2), ("n_levels", 1), ("n_sampled", self.n_words)):
            if getattr(self, key) < least:
                raise InputError(f"{key} is {getattr(self, key)}; give {least} or more")

    def _sample(self, images: Sequence[Any], random: np.random.RandomState) -> np.ndarray:
        if len(images) == 0:
            raise InputError("there is no image to learn a dictionary from")
        n_each = -(-self.n_sampled // len(images))
        parts = []
        for described in self._described(images):
            values = described.values
            # A full permutation draws the same number of random numbers for all images of a size.
            parts.append(values[np.sort(random.permutation(len(values))[:n_each])])
        return np.concatenate(parts)

    def _described(self, images: Iterable[Any]) -> Iterator[Descriptors]:
        names = getattr(images, "names", None)
        for i, image in enumerate(images):
            if isinstance(image, Descriptors):
                yield image
                continue
            name = names[i] if names else f"image {i}" if isinstance(image, np.ndarray) else str(image)
            yield descriptors(
                image, patch_size=self.patch_size, spacing=self.spacing, max_side=self.max_side, name=name
            )
