"""Haar-like filters: differences between sums of pixels in neighbouring rectangles."""

from math import isqrt
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import check_is_fitted, validate_data

# Kind of filter -> weights of its grid of equal cells; the centre of three is `centre_weight`.
KINDS = {
    "two_across": ((1, -1),),
    "two_down": ((1,), (-1,)),
    "three_across": ((-1, 1, -1),),
    "three_down": ((-1,), (1,), (-1,)),
    "four": ((1, -1), (-1, 1)),
}
FILTER = np.dtype([("kind", "U12"), ("top", "i4"), ("left", "i4"), ("cell_height", "i4"), ("cell_width", "i4")])

# Integers up to this are exact in float32.
EXACT_FLOAT32 = 2**24
# A filter's response adds values of the integral image times coefficients whose sizes sum to 16 at most.
LARGEST_COEFFICIENTS = 16
# Images whose integral images lie in the processor's cache together.
CHUNK_BYTES = 2**19


def count_positions(image_shape: tuple[int, int], kind: str) -> np.ndarray:
    """Return how many places a kind's filters have, by the size of their cells.

    Returns
    -------
    ndarray of shape (height, width)
        Entry (h - 1, w - 1) belongs to cells of h x w pixels; 0 where such a filter is larger than the image.
    """
    n_down, n_across = np.shape(KINDS[kind])
    height, width = image_shape
    down = np.maximum(0, height - n_down * np.arange(1, height + 1) + 1)
    across = np.maximum(0, width - n_across * np.arange(1, width + 1) + 1)
    return np.outer(down, across)


class HaarFeatures(TransformerMixin, BaseEstimator):
    """Responses of Haar-like filters of two, three and four rectangles (Viola and Jones 2004) to grey images.

    A filter is a grid of equal cells of h x w pixels somewhere in the image: two cells side by side or one above the
    other (left minus right, upper minus lower), three in a row or a column (centre minus both outer ones), or four
    (the diagonal from the upper left minus the other one). Its response is the weighted sum of the pixels.

    Parameters
    ----------
    image_shape : tuple of two int or None, default=None
        Height and width of the images, whose pixels are the features, row by row. None: a square where the number of
        features is a square number, else one row.
    n_filters : int or None, default=1000
        Filters drawn at random, without replacement, from all kinds, places and sizes, each as likely as the next.
        None, or a number as large as there are filters, takes them all.
    centre_weight : {1, 2}, default=1
        Weight of the centre of three cells. 1 is the definition of the paper; with 2 the outer cells balance it, and a
        filter does not respond to an image of one grey.
    normalise : {"none", "area", "grey_levels"}, default="none"
        ``"area"`` divides a response by the pixels under its filter. Trees do not care. ``"grey_levels"`` rounds that
        to whole numbers, the even one of two as near: a few hundred distinct values in place of thousands, among which
        trees find the best cut several times faster.
    random_state : int, RandomState instance or None, default=None
        Draws the filters.

    Attributes
    ----------
    filters_ : structured ndarray of shape (n_filters_,)
        Fields ``kind`` (``"two_across"``, ``"two_down"``, ``"three_across"``, ``"three_down"``, ``"four"``), ``top``
        and ``left`` (first row and column of pixels, from 0), ``cell_height``, ``cell_width`` (pixels). In the order of
        all filters: by kind, cell height, cell width, top, left.
    n_filters_ : int
        Number of filters.
    image_shape_ : tuple of two int
        Height and width.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Sums of rectangles come from the integral image, so each response costs 6 to 9 additions whatever its size.
    Responses to images of integers are exact sums, as long as they fit float32 (2^24; 255 times the pixels of 256 x 256
    images), and so are ties between them. Images are taken as they are: the paper's normalisation of each window's
    variance is left out.

    References
    ----------
    .. [1] P. Viola and M. Jones. Robust real-time face detection. International Journal of Computer Vision 57, 2004,
       section 2.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from algos.features import HaarFeatures
    >>> X = load_digits().data
    >>> haar = HaarFeatures(image_shape=(8, 8), n_filters=3, random_state=0).fit(X)
    >>> haar.get_feature_names_out().tolist()
    ['haar_two_down_r1_c1_1x5', 'haar_two_down_r0_c7_2x1', 'haar_three_down_r5_c1_1x5']
    >>> haar.transform(X[:2]).tolist()
    [[22.0, 0.0, -14.0], [-4.0, 0.0, -37.0]]
    """

    _parameter_constraints: ClassVar[dict] = {
        "image_shape": [tuple, list, None],
        "n_filters": [Interval(Integral, 1, None, closed="left"), None],
        "centre_weight": [Interval(Integral, 1, 2, closed="both")],
        "normalise": [StrOptions({"none", "area", "grey_levels"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        image_shape: tuple[int, int] | None = None,
        n_filters: int | None = 1000,
        centre_weight: int = 1,
        normalise: str = "none",
        random_state: Any = None,
    ) -> None:
        self.image_shape = image_shape
        self.n_filters = n_filters
        self.centre_weight = centre_weight
        self.normalise = normalise
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(self, X: ArrayLike, y: Any = None) -> "HaarFeatures":
        """Draw the filters; of the images, only the number of pixels counts.

        Parameters
        ----------
        X : array-like of shape (n_samples, height * width)
            Finite numbers.
        y : ignored

        Raises
        ------
        ValueError
            When the number of pixels is not that of `image_shape`, or too small for any filter.
        """
        self._validate_params()
        X = validate_data(self, X)
        self.image_shape_ = self._shape_of(X.shape[1])
        sizes = np.concatenate([count_positions(self.image_shape_, kind).ravel() for kind in KINDS])
        total = int(sizes.sum())
        if total == 0:
            raise ValueError(f"no filter has two pixels to compare: n_features = {X.shape[1]}")
        if self.n_filters is None or self.n_filters >= total:
            chosen = np.arange(total)
        else:
            random_state = check_random_state(self.random_state)
            chosen = np.sort(sample_without_replacement(total, self.n_filters, random_state=random_state))
        self.filters_ = _describe(chosen, sizes, self.image_shape_)
        self.n_filters_ = len(self.filters_)
        self._coefficients = _corner_coefficients(self.filters_, self.image_shape_, self.centre_weight)
        return self

    def _shape_of(self, n_pixels: int) -> tuple[int, int]:
        if self.image_shape is None:
            side = isqrt(n_pixels)
            return (side, side) if side * side == n_pixels else (1, n_pixels)
        shape = tuple(self.image_shape)
        if len(shape) != 2 or not all(isinstance(side, Integral) and side >= 1 for side in shape):
            raise ValueError(f"image_shape must be a height and a width in pixels, not {self.image_shape}")
        if shape[0] * shape[1] != n_pixels:
            raise ValueError(f"image_shape {shape} has {shape[0] * shape[1]} pixels and X has {n_pixels} features")
        return shape

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Responses of the filters.

        Parameters
        ----------
        X : array-like of shape (n_samples, height * width)

        Returns
        -------
        ndarray of shape (n_samples, n_filters_), float32
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        responses = np.empty((len(X), self.n_filters_), dtype=np.float32)
        n_chunk = max(16, CHUNK_BYTES // (4 * self._coefficients.shape[1]))
        areas = None if self.normalise == "none" else self._areas()
        for first in range(0, len(X), n_chunk):
            chunk = X[first : first + n_chunk]
            integral = _integral_images(chunk, self.image_shape_, _sum_dtype(chunk))
            found = self._coefficients.astype(integral.dtype) @ integral
            responses[first : first + n_chunk] = (found if areas is None else found / areas[:, None]).T
        return np.rint(responses, out=responses) if self.normalise == "grey_levels" else responses

    def _areas(self) -> np.ndarray:
        """Pixels under each filter."""
        cells = np.array([np.size(KINDS[kind]) for kind in self.filters_["kind"]])
        return cells * self.filters_["cell_height"] * self.filters_["cell_width"]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names such as ``haar_four_r3_c0_2x5``: kind, first row and column, height x width of a cell."""
        check_is_fitted(self)
        return np.array([f"haar_{kind}_r{top}_c{left}_{h}x{w}" for kind, top, left, h, w in self.filters_], object)


def _describe(chosen: np.ndarray, sizes: np.ndarray, image_shape: tuple[int, int]) -> np.ndarray:
    """Return the filters of the given numbers in the order of all; `sizes` are the places by kind and cell size."""
    height, width = image_shape
    ends = np.cumsum(sizes)
    group = np.searchsorted(ends, chosen, side="right")
    place = chosen - (ends - sizes)[group]
    kind, cell_height, cell_width = np.unravel_index(group, (len(KINDS), height, width))
    across = np.array([np.shape(weights)[1] for weights in KINDS.values()])[kind]
    n_left = width - across * (cell_width + 1) + 1
    filters = np.empty(len(chosen), FILTER)
    filters["kind"] = np.array(list(KINDS))[kind]
    filters["top"], filters["left"] = np.divmod(place, n_left)
    filters["cell_height"], filters["cell_width"] = cell_height + 1, cell_width + 1
    return filters


def _corner_coefficients(filters: np.ndarray, image_shape: tuple[int, int], centre_weight: int) -> sparse.csr_array:
    """Return what each filter's response takes of each value of the integral image, which has a row and a column more.

    A cell's sum is the integral image at its lower right corner and its upper left one, minus the other two.
    """
    rows, columns, values = [], [], []
    for kind, weights in KINDS.items():
        weights = np.array(weights)
        if weights.size == 3:
            weights[weights > 0] = centre_weight
        corners = np.diff(np.diff(np.pad(weights, 1), axis=0), axis=1)
        members = np.flatnonzero(filters["kind"] == kind)
        for i, j in np.argwhere(corners):
            row = filters["top"][members] + i * filters["cell_height"][members]
            column = filters["left"][members] + j * filters["cell_width"][members]
            rows.append(members)
            columns.append(row * (image_shape[1] + 1) + column)
            values.append(np.full(len(members), corners[i, j], np.float64))
    indices = (np.concatenate(rows), np.concatenate(columns))
    shape = (len(filters), (image_shape[0] + 1) * (image_shape[1] + 1))
    return sparse.csr_array((np.concatenate(values), indices), shape=shape)


def _sum_dtype(images: np.ndarray) -> type:
    """The narrowest floats in which no sum of these images is rounded; float64 where that cannot be had."""
    largest = np.abs(images.astype(np.float64)).sum(axis=1).max() * LARGEST_COEFFICIENTS
    whole = images.dtype.kind in "bui" or bool((images == np.rint(images)).all())
    return np.float32 if whole and largest <= EXACT_FLOAT32 else np.float64


def _integral_images(images: np.ndarray, image_shape: tuple[int, int], dtype: type) -> np.ndarray:
    """Return sums over all pixels above and left of each corner, shape ((height + 1) * (width + 1), n_images)."""
    height, width = image_shape
    integral = np.zeros((height + 1, width + 1, len(images)), dtype)
    integral[1:, 1:] = images.T.reshape(height, width, -1)
    np.cumsum(integral, axis=0, out=integral)
    np.cumsum(integral, axis=1, out=integral)
    return integral.reshape(-1, len(images))
