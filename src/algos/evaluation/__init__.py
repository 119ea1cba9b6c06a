"""Splits, hyper-parameter selection and statistics."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "Fold": "splits",
        "make_folds": "splits",
        "Selection": "selection",
        "select": "selection",
        "smoothed_stopping": "stopping",
        "make_preprocessor": "preprocessing",
        "average_ranks": "statistics",
        "binomial_std": "statistics",
        "critical_difference": "statistics",
        "friedman_test": "statistics",
    },
)
