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
from sklearn.utils.validation import _check_sample_weight, validate_data

from algos.multiclass._single_label_trees import SingleLabelForest, SingleLabelTree
from algos.multiclass._staged import StagedClassifier


class TreeVotingClassifier(StagedClassifier):
    """Base of boosters over single-label trees. A subclass is its rounds (`_rounds`) and its votes (`_against`)."""

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
    }

    @property
    def _input_dtype(self) -> type:
        return np.float32  # what scikit-learn's trees work on

    @property
    @abstractmethod
    def _against(self) -> float:
        """What a tree adds to the classes that it does not name; it adds 1 to the one that it names."""

    @abstractmethod
    def _rounds(
        self, X: np.ndarray, labels: np.ndarray, sample_weight: np.ndarray, random_state: np.random.RandomState
    ) -> Iterator[tuple[SingleLabelTree, float, float]]:
        """Yield each round's tree, its coefficient alpha and its edge, for as long as there is a tree with an edge.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features), float32
        labels : ndarray of shape (n_samples,)
            Class indices.
        sample_weight : ndarray of shape (n_samples,)
            Positive, summing to 1.
        random_state : RandomState
        """

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
            Finite numbers within the range of float32.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies each sample's part of the loss; samples of weight 0 are left out.
        monitor : callable, optional
            Called as ``monitor(t, self)`` after each round t = 1, 2, ...; a true answer ends the fit.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated, or fewer than two classes.
        """
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=self._input_dtype)
        check_classification_targets(y)
        labels = self._encode_labels(y)
        sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        kept = sample_weight > 0
        weights = sample_weight[kept] / sample_weight.sum()
        rounds = self._rounds(X[kept], labels[kept], weights, check_random_state(self.random_state))
        trees, alphas, edges = [], [], []
        for tree, alpha, edge in islice(rounds, self.n_estimators):
            trees.append(tree)
            alphas.append(alpha)
            edges.append(edge)
            if monitor is not None and monitor(len(trees), self):
                break
        self.forest_ = SingleLabelForest(trees, self._against)
        self.estimator_weights_ = np.array(alphas)
        self.edges_ = np.array(edges)
        self.n_estimators_ = len(trees)
        return self
