"""Scaling and PCA, fitted on the training part only."""

from typing import Any

from numpy.typing import ArrayLike
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

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

    Parameters
    ----------
    spec : dict or None
        ``{"scale": "standard" | "minmax" | "none", "pca": {"n_components": int}}``, both optional; scaling comes
        first. None leaves the features as they are.

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
    steps = [SCALERS[scale]()] if scale != "none" else []
    if pca is not None:
        steps.append(CappedPCA(n_components=pca["n_components"], svd_solver="full"))
    return make_pipeline(*(steps or [FunctionTransformer()]))
