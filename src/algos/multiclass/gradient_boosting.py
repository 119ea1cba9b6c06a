"""What the gradient boosters share: the boosting loop, scores, probabilities and learning curves.

An algorithm adds one method, ``_grow_round``: the trees of a round, on the gradients of the current scores.
"""

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d, validate_data

from algos._kernels.gradient_tree import GradientTreeBooster


class GradientBooster(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Additive scores F(x) whose softmax are probabilities, fitted to the multinomial log-likelihood tree by tree.

    Scores start at 0. A subclass sets ``n_estimators``, ``max_leaf_nodes``, ``learning_rate``, ``min_samples_leaf``,
    ``max_leaf_value`` and ``max_bins``.
    """

    _least_squares: ClassVar[bool] = False  # whether trees fit gradients by least squares, rather than Newton steps
    _least_loss: ClassVar[float] = 2e-14  # boosting ends below this training loss

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, 65536, closed="both")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "max_leaf_value": [Interval(Real, 0, None, closed="neither")],
        "max_bins": [Interval(Integral, 2, 32768, closed="both")],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _grow_round(self, booster: GradientTreeBooster, t: int) -> list[int]:
        """Grow the trees of round t = 1, 2, ... and return the pending trees that make it."""

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        monitor: Callable[[int, "GradientBooster"], Any] | None = None,
    ) -> "GradientBooster":
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies each sample's loss; samples of weight 0 are left out.
        monitor : callable, optional
            Called as ``monitor(t, self)`` after each round t = 1, 2, ...; a true answer ends the fit.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated, or fewer than two classes.
        """
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, labels = np.unique(column_or_1d(y, warn=True), return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"boosting needs at least two classes; y has one class only, {self.classes_[0]}")
        self.n_classes_ = len(self.classes_)
        sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        kept = sample_weight > 0
        booster = GradientTreeBooster(
            X[kept],
            labels[kept],
            sample_weight[kept],
            self.n_classes_,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            learning_rate=self.learning_rate,
            max_leaf_value=self.max_leaf_value,
            max_bins=self.max_bins,
            least_squares=self._least_squares,
        )
        self._boost(booster, monitor)
        return self

    def _boost(self, booster: GradientTreeBooster, monitor: Any) -> None:
        losses = []
        for t in range(1, self.n_estimators + 1):
            loss = booster.accept(self._grow_round(booster, t))
            losses.append(loss)
            if loss < self._least_loss or (monitor is not None and monitor(t, self)):
                break
        self.forest_ = booster.forest()
        self.train_loss_ = np.array(losses)
        self.n_estimators_ = len(losses)

    def _validate_X(self, X: ArrayLike) -> np.ndarray:
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, order="C", reset=False)

    def _scores(self, X: ArrayLike) -> np.ndarray:
        X = self._validate_X(X)
        scores = np.zeros((len(X), self.n_classes_))
        self.forest_.add_scores(0, self.n_estimators_, X, scores)
        return scores

    def _staged_scores(self, X: ArrayLike) -> Iterator[np.ndarray]:
        X = self._validate_X(X)
        scores = np.zeros((len(X), self.n_classes_))
        for t in range(self.n_estimators_):
            self.forest_.add_scores(t, t + 1, X, scores)
            yield scores

    def _decision(self, scores: np.ndarray) -> np.ndarray:
        return (scores[:, 1] - scores[:, 0]) / 2 if self.n_classes_ == 2 else scores.copy()

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Scores F(x).

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) with two classes
            With two classes the score of the second one, which is minus that of the first.
        """
        return self._decision(self._scores(X))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Class of the largest score, the first of equals."""
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities of the classes, the softmax of the scores.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        from scipy.special import softmax

        return softmax(self._scores(X), axis=1)

    def staged_decision_function(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Scores after each round; see :meth:`decision_function`."""
        for scores in self._staged_scores(X):
            yield self._decision(scores)

    def staged_predict(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Predictions after each round; see :meth:`predict`."""
        for scores in self._staged_scores(X):
            yield self.classes_[scores.argmax(axis=1)]

    def staged_error(self, X: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Error rate after each round: the learning curve, without fitting again.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            A class that was not seen in training counts as an error.

        Returns
        -------
        ndarray of shape (n_estimators_,)
            Fraction of misclassified samples.
        """
        X = self._validate_X(X)
        y = column_or_1d(y)
        if len(y) != len(X):
            raise ValueError(f"X has {len(X)} samples and y has {len(y)}")
        known = y[:, None] == self.classes_
        labels = np.where(known.any(axis=1), known.argmax(axis=1), -1)
        return self.forest_.count_errors(np.ascontiguousarray(X), labels, self.n_classes_) / len(X)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Gain S_L^2/W_L + S_R^2/W_R - S^2/W of each feature's splits, summed and normalised to sum 1.

        Zero everywhere when no split was made.

        Returns
        -------
        ndarray of shape (n_features_in_,)
        """
        check_is_fitted(self)
        arrays = self.forest_.arrays()
        gains = np.bincount(arrays["feature"], arrays["gain"], minlength=self.n_features_in_)
        total = gains.sum()
        return gains / total if total > 0 else gains
