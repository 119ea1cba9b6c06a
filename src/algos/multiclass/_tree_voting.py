"""The frame of boosters whose weighted single-label trees vote: fit, and the loop around one method's rounds."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from itertools import islice
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets

from algos._validation import check_sample_weight, validate_training_data
from algos.multiclass._staged import StagedClassifier


class TreeVotingClassifier(StagedClassifier):
    """Base of boosters over single-label trees. A subclass is how its trees grow and what a round computes."""

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, 2**31 - 1, closed="both")],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _make_grower(
        self, X: np.ndarray, labels: np.ndarray, sample_weight: np.ndarray, random_state: np.random.RandomState
    ) -> Any:
        """What grows the trees and keeps those accepted; ``forest()`` gives them.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        labels : ndarray of shape (n_samples,)
            Class indices.
        sample_weight : ndarray of shape (n_samples,)
            Positive, summing to 1.
        random_state : RandomState
        """

    @abstractmethod
    def _rounds(self, grower: Any, labels: np.ndarray, sample_weight: np.ndarray) -> Iterator[tuple[float, float]]:
        """Yield each accepted tree's coefficient alpha and edge, for as long as there is a tree with an edge."""

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        monitor: Callable[[int, Any], Any] | None = None,
    ) -> "TreeVotingClassifier":
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies each sample's part of the loss; samples of weight 0 are left out. Only ratios matter.
        monitor : callable, optional
            Called as ``monitor(t, self)`` after each round t = 1, 2, ...; a true answer ends the fit.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated, or fewer than two classes.
        """
        self._validate_params()
        X, y = validate_training_data(self, X, y, dtype=self._input_dtype)
        check_classification_targets(y)
        labels = self._encode_labels(y)
        sample_weight, _ = check_sample_weight(sample_weight, X)
        kept = sample_weight > 0
        weights = sample_weight[kept] / sample_weight.sum()
        grower = self._make_grower(X[kept], labels[kept], weights, check_random_state(self.random_state))
        rounds = self._rounds(grower, labels[kept], weights)
        alphas, edges = [], []
        for t, (alpha, edge) in enumerate(islice(rounds, self.n_estimators), start=1):
            alphas.append(alpha)
            edges.append(edge)
            if monitor is not None and monitor(t, self):
                break
        self.forest_ = grower.forest()
        self.estimator_weights_ = np.array(alphas)
        self.edges_ = np.array(edges)
        self.n_estimators_ = len(alphas)
        return self
