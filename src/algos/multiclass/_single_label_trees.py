"""Classification trees of scikit-learn as base classifiers: each leaf predicts one class."""

from dataclasses import dataclass
from typing import Any

import numpy as np

MAX_SEED = np.iinfo(np.int32).max


@dataclass(frozen=True)
class SingleLabelTree:
    """A tree that names one class.

    Attributes
    ----------
    tree : sklearn.tree._tree.Tree
        Routes samples to nodes.
    classes : ndarray of shape (n_nodes,)
        Class index of each node.
    """

    tree: Any
    classes: np.ndarray

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Class index of each row of a float32 matrix, shape (n_samples,)."""
        return self.classes[self.tree.apply(X)]


class SingleLabelForest:
    """The single-label trees of a model.

    Parameters
    ----------
    trees : list of SingleLabelTree
    against : float
        What a tree adds to the classes that it does not name; it adds 1 to the one that it names.
    """

    def __init__(self, trees: list[SingleLabelTree], against: float) -> None:
        self.trees = trees
        self.against = against

    def add_scores(self, alphas: np.ndarray, first: int, last: int, X: np.ndarray, scores: np.ndarray) -> None:
        """Add ``alpha * h`` of the trees ``first:last`` to `scores` (n_samples, n_classes), in place."""
        rows = np.arange(len(X))
        for alpha, tree in zip(alphas[first:last], self.trees[first:last], strict=True):
            named = tree.predict(X)
            kept = scores[rows, named] + alpha
            scores += alpha * self.against
            scores[rows, named] = kept

    def count_errors(self, alphas: np.ndarray, X: np.ndarray, labels: np.ndarray, n_classes: int) -> np.ndarray:
        """Misclassified rows after each round; `labels` are class indices (n_samples,), -1 for a class not known."""
        scores = np.zeros((len(X), n_classes))
        counts = np.zeros(len(alphas), dtype=np.int64)
        for t in range(len(alphas)):
            self.add_scores(alphas, t, t + 1, X, scores)
            counts[t] = np.count_nonzero(scores.argmax(axis=1) != labels)
        return counts

    def feature_gains(self, alphas: np.ndarray, n_features: int) -> np.ndarray:
        """Decrease of impurity by each feature's cuts, 1 in all for each tree, weighted by alpha; (n_features,)."""
        gains = np.zeros(n_features)
        for alpha, tree in zip(alphas, self.trees, strict=True):
            gains += alpha * tree.tree.compute_feature_importances()
        return gains


class GiniTreeGrower:
    """Grows classification trees on weighted samples: best-first by Gini impurity, a leaf's class by weight.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float32
    labels : ndarray of shape (n_samples,)
        Class indices.
    max_leaf_nodes : int
        At least 2.
    random_state : RandomState
        Gives the seeds that settle ties between features.
    against : float
        See :class:`SingleLabelForest`.
    """

    def __init__(
        self, X: np.ndarray, labels: np.ndarray, max_leaf_nodes: int, random_state: Any, against: float
    ) -> None:
        self._X = X
        self._labels = labels
        self._max_leaf_nodes = max_leaf_nodes
        self._random_state = random_state
        self._forest = SingleLabelForest([], against)

    def grow(self, sample_weight: np.ndarray) -> np.ndarray:
        """Grow a tree; return the class index that it names for each sample, shape (n_samples,)."""
        from sklearn.tree import DecisionTreeClassifier  # 0.2 s that other base classifiers need not pay

        seed = self._random_state.randint(MAX_SEED)
        fitted = DecisionTreeClassifier(max_leaf_nodes=self._max_leaf_nodes, random_state=seed)
        fitted.fit(self._X, self._labels, sample_weight, check_input=False)
        classes = fitted.classes_[fitted.tree_.value[:, 0].argmax(axis=1)]
        self._pending = SingleLabelTree(fitted.tree_, classes)
        return self._pending.predict(self._X)

    def accept(self) -> None:
        """Keep the tree just grown."""
        self._forest.trees.append(self._pending)

    def forest(self) -> SingleLabelForest:
        """All trees kept so far."""
        return SingleLabelForest(list(self._forest.trees), self._forest.against)


class SignedGiniTreeGrower:
    """Boosting state of AdaBoost.MH with classification trees: grows trees and reweights.

    A tree that names class k of a sample has ``h_k = +1`` and ``h_l = -1`` for all other classes there. It is grown on
    samples weighted by ``sum_l w_il``.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float32
    signed_weights : ndarray of shape (n_samples, n_classes)
        ``w_il * y_il``, one positive entry a row.
    max_leaf_nodes : int
    random_state : RandomState
    """

    def __init__(self, X: np.ndarray, signed_weights: np.ndarray, max_leaf_nodes: int, random_state: Any) -> None:
        self._signed_weights = signed_weights
        self._grower = GiniTreeGrower(X, signed_weights.argmax(axis=1), max_leaf_nodes, random_state, against=-1.0)

    def grow(self) -> float:
        """Grow a tree on the current weights and return its edge (11)."""
        S = self._signed_weights
        self._votes = np.full(S.shape, -1.0)
        self._votes[np.arange(len(S)), self._grower.grow(np.abs(S).sum(axis=1))] = 1.0
        return float((S * self._votes).sum())

    def accept(self, right: float, wrong: float) -> float:
        """Keep the tree just grown; return the new sum of weights.

        Parameters
        ----------
        right, wrong : float
            Factors of the weights of the pairs (sample, class) that the tree gets right and wrong.
        """
        self._grower.accept()
        self._signed_weights = self._signed_weights * np.where(self._signed_weights * self._votes > 0, right, wrong)
        return float(np.abs(self._signed_weights).sum())

    def forest(self) -> SingleLabelForest:
        """All trees kept so far."""
        return self._grower.forest()
