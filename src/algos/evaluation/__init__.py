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
        "average_precision_curve": "average_precision",
        "average_ranks": "statistics",
        "binomial_std": "statistics",
        "critical_difference": "statistics",
        "friedman_test": "statistics",
        "precision_recall_curve": "average_precision",
        "voc_average_precision": "average_precision",
    },
)
