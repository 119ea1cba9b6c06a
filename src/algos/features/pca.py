"""Principal components, fitted on the training part only (Pi et al. 2016, section 4.1: all features to 512)."""

import logging
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from algos.exceptions import InputError

_log = logging.getLogger(__name__)


class PrincipalComponents(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Reduce features to their principal components, or to fewer where the data has fewer.

    n centred rows span at most ``min(n - 1, d)`` directions; the components beyond would be directions of rounding
    errors. So min(n_components, rank) components are kept, and the log says so where that is less than asked.

    Parameters
    ----------
    n_components : int, default 512
        Components to keep (the paper's).
    random_state : int, RandomState or None, default 0
        Of the randomised solver, which scikit-learn takes for large matrices.

    Attributes
    ----------
    n_components_ : int
        Components kept.
    components_ : ndarray of shape (n_components_, n_features)
        Directions; in each, the entry that is largest by size is positive.
    mean_ : ndarray of shape (n_features,)
        Of the training part.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        Part of the training part's variance along each.
    n_features_in_ : int
        Features seen by `fit`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(20, 30))
    >>> Z = PrincipalComponents(512).fit_transform(X)
    >>> Z.shape, Z.dtype
    ((20, 19), dtype('float32'))
    """

    def __init__(self, n_components: int = 512, *, random_state: int | np.random.RandomState | None = 0) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: Any = None) -> "PrincipalComponents":
        """Find the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training part.
        y : ignored

        Raises
        ------
        InputError
            When `n_components` is no whole number above 0, or all rows are the same.
        ValueError
            When `X` is no finite matrix of at least two rows.
        """
        from sklearn.decomposition import PCA

        if not isinstance(self.n_components, int | np.integer) or self.n_components < 1:
            raise InputError(f"n_components is {self.n_components!r}; give a whole number above 0")
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        n, d = X.shape
        if (X[0] == X).all():
            raise InputError(f"all {n} training rows are the same, so there is no direction to keep")
        most = min(self.n_components, n - 1, d)
        solver = _solver(n, d, most)
        if solver == "covariance_eigh":  # squares its rounding errors
            X = X.astype(np.float64, copy=False)
        pca = PCA(most, svd_solver=solver, random_state=self.random_state).fit(X)
        n_kept = _rank(pca.singular_values_, X, solver)
        if n_kept < self.n_components:
            _log.info("PCA: %d components, not %d: %d rows, %d features", n_kept, self.n_components, n, d)
        self.n_components_ = n_kept
        self.components_ = pca.components_[:n_kept]
        self.mean_ = pca.mean_
        self.explained_variance_ratio_ = pca.explained_variance_ratio_[:n_kept]
        return self

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Return the components of each row, float32 of shape (n_samples, n_components_)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return ((X - self.mean_) @ self.components_.T).astype(np.float32, copy=False)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


def _solver(n: int, d: int, n_components: int) -> str:
    """Return the fastest solver of scikit-learn, by the rule of its ``svd_solver="auto"``."""
    if d <= 1000 and n >= 10 * d:
        return "covariance_eigh"
    return "randomized" if max(n, d) > 500 and n_components < 0.8 * min(n, d) else "full"


def _rank(singular_values: np.ndarray, X: np.ndarray, solver: str) -> int:
    """Return how many components are no rounding errors (numpy.linalg.matrix_rank's rule)."""
    relative = max(X.shape) * np.finfo(X.dtype).eps
    if solver == "covariance_eigh":
        relative = np.sqrt(relative)
    return int(np.count_nonzero(singular_values > relative * singular_values.max()))
