"""Binary boosting of decision stumps, and two-pass exclusion of outliers."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "AdaBoost": "adaboost",
        "GentleBoost": "gentleboost",
        "LinearSVM": "linear_svm",
        "LogitBoost": "logitboost",
        "RobustBoost": "robustboost",
        "TangentBoost": "tangentboost",
        "TwoPassExclusion": "exclusion",
    },
)
