"""Filling of missing values, scaling and PCA, fitted on the training part only."""

from typing import Any

from numpy.typing import ArrayLike
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from algos.exceptions import InputError

SCALERS = {"standard": StandardScaler, "minmax": MinMaxScaler}


class CappedPCA(PCA):
    """PCA that keeps at most as many components as the training part has samples or features.

    An inner fold can have fewer samples than components were asked for; scikit-learn's own PCA refuses that.
    """

    def fit_transform(self, X: ArrayLike, y: Any = None) -> Any:
        wanted = self.n_components
        if wanted is not None and wanted >= 1:
            self.n_components = int(min(wanted, *X.shape))
        try:
            return super().fit_transform(X, y)
        finally:
            self.n_components = wanted


def make_preprocessor(spec: dict[str, Any] | None) -> Pipeline:
    """Make the unfitted transformer that a method's `preprocess` setting asks for.

    Missing values (NaN, where a data set's `missing: impute` keeps them) become the median of their column's training
    part, 0 where it has none. A table without any passes unchanged.

    Parameters
    ----------
    spec : dict or None
        ``{"scale": "standard" | "minmax" | "none", "pca": {"n_components": int}}``, both optional; scaling comes
        first. None asks for neither.

    Raises
    ------
    InputError
        For another key or scaling.
    """
    spec = dict(spec or {})
    scale, pca = spec.pop("scale", "none"), spec.pop("pca", None)
    if spec:
        raise InputError(f"preprocess has an unknown key {next(iter(spec))!r}; it takes 'scale' and 'pca'")
    if scale != "none" and scale not in SCALERS:
        raise InputError(f"preprocess: scale is {scale!r}; it must be one of {['none', *SCALERS]}")
    steps: list[Any] = [SimpleImputer(strategy="median", keep_empty_features=True)]
    if scale != "none":
        steps.append(SCALERS[scale]())
    if pca is not None:
        steps.append(CappedPCA(n_components=pca["n_components"], svd_solver="full"))
    return make_pipeline(*steps)
