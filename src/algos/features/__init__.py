"""Features of images."""

from algos._lazy import exports

__all__, __getattr__ = exports(__name__, {"HaarFeatures": "haar"})
