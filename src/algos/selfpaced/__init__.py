"""Self-paced learning: boosting and linear classifiers that choose which samples to learn from."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "MultiBoostClassifier": "spbl",
        "MultiSVM": "svm",
        "SoftmaxRegression": "softmax",
        "SPBLClassifier": "spbl",
    },
)
