"""Splits, hyper-parameter selection, multi-label measures and statistics."""

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
        "average_precision_curve": "precision_recall",
        "average_ranks": "statistics",
        "binomial_std": "statistics",
        "critical_difference": "statistics",
        "friedman_test": "statistics",
        "average_precision": "multilabel_metrics",
        "coverage": "multilabel_metrics",
        "hamming_loss": "multilabel_metrics",
        "macro_auc": "multilabel_metrics",
        "macro_f1": "multilabel_metrics",
        "micro_f1": "multilabel_metrics",
        "multilabel_measures": "multilabel_metrics",
        "one_error": "multilabel_metrics",
        "ranking_loss": "multilabel_metrics",
        "subset_accuracy": "multilabel_metrics",
        "precision_recall_curve": "precision_recall",
        "voc_average_precision": "precision_recall",
    },
)
