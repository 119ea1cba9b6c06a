"""Multi-label estimators."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "BinaryRelevance": "binary_relevance",
        "PrBR": "prml",
        "PrML": "prml",
        "SVMPlus": "svm_plus",
    },
)
