"""What the gradient boosters share: the boosting loop and probabilities.

An algorithm adds one method, ``_grow_round``: the trees of a round, on the gradients of the current scores.
"""

from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets

from algos._kernels.gradient_tree import GradientTreeBooster
from algos._validation import check_sample_weight, validate_training_data
from algos.multiclass._staged import StagedClassifier, StagedProbabilities


class GradientBooster(StagedProbabilities, StagedClassifier, metaclass=ABCMeta):
    """Additive scores F(x) whose softmax are probabilities, fitted to the multinomial log-likelihood tree by tree.

    Scores start at 0. A subclass sets ``n_estimators``, ``max_leaf_nodes``, ``learning_rate``, ``min_samples_leaf``,
    ``max_leaf_value`` and ``max_bins``.
    """

    _least_squares: ClassVar[bool] = False  # whether trees fit gradients by least squares, rather than Newton steps
    _least_loss: ClassVar[float] = 2e-14  # boosting ends below this training loss, weights scaled

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
            Multiplies each sample's loss; samples of weight 0 are left out. A weight of 2 is a sample twice. Weights of
            a mean of at most 1/2 are scaled by the power of two that brings it to (1/2, 1], those of a mean above 2^20
            by the one that brings it to (2^19, 2^20]. The loss at which boosting ends is that of the scaled weights,
            ``train_loss_`` that of those given.
        monitor : callable, optional
            Called as ``monitor(t, self)`` after each round t = 1, 2, ...; a true answer ends the fit.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated, or fewer than two classes.
        """
        self._validate_params()
        X, y = validate_training_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        labels = self._encode_labels(y)
        sample_weight, exponent = check_sample_weight(sample_weight, X)
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
        with np.errstate(over="ignore"):  # a loss beyond the floats is infinite
            self.train_loss_ = np.ldexp(self.train_loss_, exponent)
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

    def _add_scores(self, first: int, last: int, X: np.ndarray, scores: np.ndarray) -> None:
        self.forest_.add_scores(first, last, X, scores)

    def _count_errors(self, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return self.forest_.count_errors(X, labels, self.n_classes_)

    def _feature_gains(self) -> np.ndarray:
        arrays = self.forest_.arrays()
        return np.bincount(arrays["feature"], arrays["gain"], minlength=self.n_features_in_)
