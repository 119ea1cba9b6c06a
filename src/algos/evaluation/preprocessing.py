"""Filling of missing values, features of images, scaling and PCA, fitted on the training part only."""

from typing import Any

from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from algos.exceptions import InputError
from algos.features.pca import PrincipalComponents
from algos.features.registry import FEATURES, make_features

SCALERS = {"standard": StandardScaler, "minmax": MinMaxScaler}


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
        steps.append(PrincipalComponents(pca["n_components"]))
    return make_pipeline(*steps)
