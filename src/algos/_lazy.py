"""Names of a package that are imported only when they are used (PEP 562)."""

import importlib
from collections.abc import Callable
from typing import Any


def exports(package: str, modules: dict[str, str]) -> tuple[list[str], Callable[[str], Any]]:
    """Return ``__all__`` and ``__getattr__`` of a package whose names live in submodules.

    Importing one estimator then does not import its neighbours, and a package's ``__init__`` is no part of what a
    method's results depend on.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    modules : dict
        Public name -> submodule that defines it.
    """

    def __getattr__(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{modules[name]}"), name)

    return sorted(modules), __getattr__
