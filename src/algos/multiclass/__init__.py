"""Multi-class boosting estimators."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "AdaBoostMHClassifier": "adaboost_mh",
        "AdaBoostMMClassifier": "adaboost_mm",
        "SAMMEClassifier": "samme",
    },
)
