"""Features that a config may ask for by name, made of a data set's own (the `preprocess` setting)."""

import importlib
from collections.abc import Iterable, Mapping
from typing import Any

from algos.exceptions import InputError

#: Name -> module, imported only where it is asked for, and transformer.
FEATURES: dict[str, tuple[str, str]] = {"haar": ("algos.features.haar", "HaarFeatures")}


def feature_modules(names: Iterable[str]) -> list[str]:
    """Return the modules whose code the named features use; other names are passed over."""
    return [FEATURES[name][0] for name in names if name in FEATURES]


def make_features(name: str, params: Mapping[str, Any]) -> Any:
    """Return the unfitted transformer; its seed is 0 unless `params` say otherwise.

    Raises
    ------
    InputError
        When it has no parameter of one of these names.
    """
    module, class_name = FEATURES[name]
    transformer = getattr(importlib.import_module(module), class_name)
    known = transformer().get_params()
    for key in params:
        if key not in known:
            raise InputError(f"preprocess: {name} has no parameter {key!r}; it takes {', '.join(sorted(known))}")
    return transformer(**{"random_state": 0, **params})
