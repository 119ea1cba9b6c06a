"""What the linear classifiers share, plain or self-paced: the alternation, and the fit for given sample weights."""

from abc import ABCMeta, abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from algos._validation import validate_training_data
from algos.exceptions import InputError
from algos.selfpaced.features import centred
from algos.selfpaced.validation import training_and_validation
from algos.selfpaced.weights import SCHEMES, FixedPace, SelfPace


class SelfPacedLinearClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """``F(x) = A (x - mean) + b``, fitted to a mean loss plus ``ridge/2 ||A||^2``. A subclass is its loss.

    Plain, the samples' weights v are 1. Self-paced, fits with fixed v alternate with choices of v from the losses.
    """

    _parameter_constraints: ClassVar[dict] = {
        "self_paced": ["boolean"],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "weighting": [StrOptions(set(SCHEMES))],
        "zeta_ratio": [Interval(Real, 0, None, closed="neither")],
        "pace": [StrOptions({"proportion", "per_class"})],
        "pace_start": [Interval(Real, 0, 1, closed="right")],
        "pace_factor": [Interval(Real, 1, None, closed="left")],
        "pace_end": [Interval(Real, 0, 1, closed="right")],
        "max_rounds": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
        "random_state": ["random_state"],
    }

    _input_dtype: ClassVar[list] = [np.float64, np.float32]

    def __init__(
        self,
        self_paced: bool = False,
        ridge: float = 1e-4,
        weighting: str = "mixture",
        zeta_ratio: float = 2.0,
        pace: str = "proportion",
        pace_start: float = 0.6,
        pace_factor: float = 1.1,
        pace_end: float = 1.0,
        max_rounds: int = 100,
        tol: float = 1e-4,
        max_iter: int = 500,
        validation_fraction: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.self_paced = self_paced
        self.ridge = ridge
        self.weighting = weighting
        self.zeta_ratio = zeta_ratio
        self.pace = pace
        self.pace_start = pace_start
        self.pace_factor = pace_factor
        self.pace_end = pace_end
        self.max_rounds = max_rounds
        self.tol = tol
        self.max_iter = max_iter
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    @abstractmethod
    def _losses(self, scores: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Each sample's loss, and its derivatives by the scores, in their place."""

    def fit(
        self, X: ArrayLike, y: ArrayLike, X_val: ArrayLike | None = None, y_val: ArrayLike | None = None
    ) -> "SelfPacedLinearClassifier":
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Class labels.
        X_val, y_val : array-like of shape (n_val, n_features) and (n_val,), optional
            Validation part; the round of least error on it is kept. Without pace there is one round only.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated, or fewer than two classes.
        """
        self._validate_params()
        X, y = validate_training_data(self, X, y, dtype=self._input_dtype, order="C")
        check_classification_targets(y)
        self.classes_, labels = np.unique(column_or_1d(y, warn=True), return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError(f"a classifier needs at least two classes; y has one class only, {self.classes_[0]}")
        X, labels, X_val, labels_val = training_and_validation(self, X, labels, X_val, y_val)
        self._alternate(X, labels, X_val, labels_val)
        return self

    def _make_pace(self, labels: np.ndarray) -> SelfPace | FixedPace:
        if not self.self_paced:
            return FixedPace(labels)
        return SelfPace(
            labels,
            start=self.pace_start,
            factor=self.pace_factor,
            end=self.pace_end,
            weighting=self.weighting,
            zeta_ratio=self.zeta_ratio,
            per_class=self.pace == "per_class",
            random_state=check_random_state(self.random_state),
        )

    def _alternate(
        self, X: np.ndarray, labels: np.ndarray, X_val: np.ndarray | None, labels_val: np.ndarray | None
    ) -> None:
        """Fit for given weights, choose weights for the fit, until all samples asked for have been let in."""
        self.centre_ = X.mean(axis=0, dtype=np.float64)
        ones = np.ones((len(X), 1), dtype=np.float32)
        features = np.hstack([centred(X, self.centre_), ones])
        pace = self._make_pace(labels)
        A = np.zeros((features.shape[1], len(self.classes_)))
        rounds, weights, errors, n_iter = [], [], [], 0
        for _ in range(self.max_rounds):
            complete = pace.complete
            A, steps, losses = self._minimise(features, labels, pace.weights, A)
            rounds.append(A)
            weights.append(pace.weights.astype(np.float16))
            n_iter += steps
            if X_val is not None:
                scores = (X_val - self.centre_) @ A[:-1] + A[-1]
                errors.append(np.mean(scores.argmax(axis=1) != labels_val))
            if complete:
                break
            pace.update(losses)
        best = int(np.argmin(errors)) if errors else len(rounds) - 1
        self.coef_, self.intercept_ = rounds[best][:-1].T.copy(), rounds[best][-1].copy()
        self.n_rounds_, self.best_round_, self.n_iter_ = len(rounds), best + 1, n_iter
        self.sample_weights_path_ = np.array(weights)
        if errors:
            self.validation_curve_ = np.array(errors)

    def _minimise(
        self, X: np.ndarray, labels: np.ndarray, weight: np.ndarray, A: np.ndarray
    ) -> tuple[np.ndarray, int, np.ndarray]:
        """L-BFGS from A; returns the new A, the steps and every sample's loss there."""
        from scipy.optimize import minimize

        learned = weight > 0
        part = (X, labels, weight) if learned.all() else (X[learned], labels[learned], weight[learned])
        found = minimize(
            self._objective,
            A.ravel(),
            args=(*part, len(X)),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.max_iter, "maxfun": 2 * self.max_iter, "gtol": self.tol, "ftol": 1e-9},
        )
        A = found.x.reshape(A.shape)
        losses, _ = self._losses(X @ A.astype(np.float32), labels)
        return A, found.nit, losses

    def _objective(
        self, flat: np.ndarray, X: np.ndarray, labels: np.ndarray, weight: np.ndarray, n: int
    ) -> tuple[float, np.ndarray]:
        """``sum_i v_i l_i / n + ridge/2 ||A||^2`` and its gradient; the last row of A, the intercept, is free."""
        A = flat.reshape(X.shape[1], -1)
        losses, slope = self._losses(X @ A.astype(np.float32), labels)
        slope *= weight.astype(np.float32)[:, None]
        gradient = (X.T @ slope).astype(np.float64) / n
        gradient[:-1] += self.ridge * A[:-1]
        return float(losses @ weight) / n + self.ridge / 2 * float(np.vdot(A[:-1], A[:-1])), gradient.ravel()

    def _scores(self, X: ArrayLike) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=self._input_dtype, order="C", reset=False)
        return (X - self.centre_) @ self.coef_.T + self.intercept_

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Scores F(x).

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) with two classes
            With two classes the score of the second one less that of the first.
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Class of the largest score, the first of equals."""
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]
