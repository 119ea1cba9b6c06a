"""What linear SVMs of many labels share: a constant feature, coefficients, and the start of multipliers."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.extmath import safe_sparse_dot

from algos._kernels.svm_plus import Matrix, Multipliers, Stop
from algos.multilabel._base import MultiLabelClassifier

# Multipliers a and b at the start: (0, C), at which all slacks are 0, or (0, 0).
STARTS = ("zero_slack", "zero")


class LinearSVMClassifier(MultiLabelClassifier):
    """Base of classifiers with scores ``coef_ @ x + intercept_``, one row of coefficients a label."""

    def _scores(self, X: Any) -> np.ndarray:
        return safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_

    def _set_coefficients(self, z: np.ndarray) -> None:
        """Take the last column of `z`, shape (n_labels, n_features + 1), as intercepts."""
        self.coef_, self.intercept_ = z[:, :-1].copy(), z[:, -1].copy()

    def _stop(self) -> Stop:
        seed = int(check_random_state(self.random_state).randint(2**31))
        return Stop(self.tol, self.max_sweeps, seed=seed)


def with_constant(X: Matrix) -> Matrix:
    """Return X with a column of ones at its end: the intercept is a weight like the others."""
    if sparse.issparse(X):
        return sparse.csr_array(sparse.hstack([X, np.ones((X.shape[0], 1))], format="csr"))
    return np.hstack([X, np.ones((len(X), 1))])


def starting_multipliers(start: str, C: float, shape: tuple[int, int], n_privileged: int, n_labels: int) -> Multipliers:
    """Multipliers of one of `STARTS`, of this shape; their correcting vectors are 0, which is right for zero_slack."""
    b = np.full(shape, float(C)) if start == "zero_slack" else np.zeros(shape)
    return Multipliers(np.zeros(shape), b, np.zeros((n_labels, n_privileged)), np.zeros(n_labels))
