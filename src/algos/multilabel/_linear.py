"""scikit-learn's linear classifiers, made to bear what a random half of multi-label data brings: one class only."""

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

BASES = ("svm", "logistic")


class _OneClassToo:
    """A linear classifier that, trained on one class, always predicts it, with a score of +-1."""

    def fit(self, X: Any, y: np.ndarray) -> Any:
        if (y == y[0]).all():
            self.classes_ = np.array([0, 1])
            self.n_features_in_ = X.shape[1]
            self.coef_ = np.zeros((1, X.shape[1]))
            self.intercept_ = np.array([1.0 if y[0] else -1.0])
            self.n_iter_ = 1
            return self
        return super().fit(X, y)


class _SVM(_OneClassToo, LinearSVC):
    pass


class _Logistic(_OneClassToo, LogisticRegression):
    pass


def linear_classifier(base: str, C: float, max_iter: int) -> LinearSVC | LogisticRegression:
    """Return an unfitted classifier of labels 0 and 1, which bears training data of one class.

    Parameters
    ----------
    base : {"svm", "logistic"}
        L2-regularised squared hinge loss by liblinear, intercept penalised with the weights (a constant feature 1); or
        logistic loss by L-BFGS, intercept free.
    C : float
        Weight of the loss against ``||w||^2 / 2``.
    max_iter : int
        Iterations of the solver, at most.
    """
    if base == "svm":
        # In the primal, trust-region Newton: deterministic, and it does not crawl on unscaled features.
        return _SVM(C=C, dual=False, max_iter=max_iter)
    return _Logistic(C=C, max_iter=max_iter)
