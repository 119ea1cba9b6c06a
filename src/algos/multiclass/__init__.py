"""Multi-class boosting estimators."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "ABCLogitBoostClassifier": "abc_boost",
        "ABCMARTClassifier": "abc_boost",
        "AdaBoostMHClassifier": "adaboost_mh",
        "AdaBoostMMClassifier": "adaboost_mm",
        "AOSOLogitBoostClassifier": "aoso_logitboost",
        "LogitBoostClassifier": "logitboost",
        "MARTClassifier": "logitboost",
        "SAMMEClassifier": "samme",
        "StagedHistGradientBoostingClassifier": "rivals",
        "StagedLightGBMClassifier": "rivals",
        "StagedRandomForestClassifier": "rivals",
        "StagedXGBoostClassifier": "rivals",
    },
)
