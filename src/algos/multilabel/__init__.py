"""Multi-label estimators."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "EnsembleClassifierChains": "ecc",
        "LEML": "leml",
        "ML2": "ml2",
        "RAkEL": "rakel",
    },
)
