"""Filling of missing values, features of images, scaling and PCA, fitted on the training part only."""

from typing import Any

from numpy.typing import ArrayLike
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from algos.exceptions import InputError
from algos.features.registry import FEATURES, make_features

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
        ``{"haar": {...}, "scale": "standard" | "minmax" | "none", "pca": {"n_components": int}}``, all optional and
        applied in this order; ``haar`` has the parameters of `algos.features.HaarFeatures`. None asks for nothing.

    Raises
    ------
    InputError
        For another key or scaling, or a parameter that Haar filters do not have.
    """
    spec = dict(spec or {})
    features = [make_features(name, spec.pop(name)) for name in FEATURES if name in spec]
    scale, pca = spec.pop("scale", "none"), spec.pop("pca", None)
    if spec:
        raise InputError(f"preprocess has an unknown key {next(iter(spec))!r}; it takes 'haar', 'scale' and 'pca'")
    if scale != "none" and scale not in SCALERS:
        raise InputError(f"preprocess: scale is {scale!r}; it must be one of {['none', *SCALERS]}")
    steps: list[Any] = [SimpleImputer(strategy="median", keep_empty_features=True)]
    steps += features
    if scale != "none":
        steps.append(SCALERS[scale]())
    if pca is not None:
        steps.append(CappedPCA(n_components=pca["n_components"], svd_solver="full"))
    return make_pipeline(*steps)
