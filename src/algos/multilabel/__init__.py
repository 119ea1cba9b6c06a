"""Multi-label estimators."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "BinaryRelevance": "binary_relevance",
        "EnsembleClassifierChains": "ecc",
        "LEML": "leml",
        "ML2": "ml2",
        "PrBR": "prml",
        "PrML": "prml",
        "RAkEL": "rakel",
        "SVMPlus": "svm_plus",
    },
)
