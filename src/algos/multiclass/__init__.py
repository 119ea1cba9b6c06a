"""Multi-class boosting estimators."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "ABCLogitBoostClassifier": "abc_boost",
        "ABCMARTClassifier": "abc_boost",
        "AOSOLogitBoostClassifier": "aoso_logitboost",
        "AdaBoostMHClassifier": "adaboost_mh",
        "LogitBoostClassifier": "logitboost",
        "MARTClassifier": "logitboost",
    },
)
