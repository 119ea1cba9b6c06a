"""Single-label trees as base classifiers: scikit-learn's trees, each leaf of which predicts one class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

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


def grow_gini_tree(
    X: np.ndarray, labels: np.ndarray, sample_weight: np.ndarray, max_leaf_nodes: int, random_state: Any
) -> SingleLabelTree:
    """Grow a classification tree on weighted samples: best-first by Gini impurity, a leaf's class by weight.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float32
    labels : ndarray of shape (n_samples,)
        Class indices.
    sample_weight : ndarray of shape (n_samples,), float64
    max_leaf_nodes : int
        At least 2.
    random_state : RandomState
        Gives the seed that settles ties between features.
    """
    fitted = DecisionTreeClassifier(max_leaf_nodes=max_leaf_nodes, random_state=random_state.randint(MAX_SEED))
    fitted.fit(X, labels, sample_weight, check_input=False)
    return SingleLabelTree(fitted.tree_, fitted.classes_[fitted.tree_.value[:, 0].argmax(axis=1)])


def grow_cost_tree(X: np.ndarray, costs: np.ndarray, max_leaf_nodes: int, random_state: Any) -> SingleLabelTree:
    """Grow a cost-sensitive tree: each leaf predicts the class of least summed cost.

    The cuts are those of a regression tree on the rows of costs: best-first by the sum of squared deviations over all
    classes. A cut can only lower the least summed cost of its node, and one that parts rows of different costs is
    worth making even where the class of least cost is the same on both sides, which a cut chosen by the least summed
    cost itself would not see.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float32
    costs : ndarray of shape (n_samples, n_classes), float64
        Cost of predicting each class. The mean size of a row should be near 1: scikit-learn does not cut nodes of
        impurity below 2e-16.
    max_leaf_nodes : int
        At least 2.
    random_state : RandomState
        Gives the seed that settles ties between features.
    """
    fitted = DecisionTreeRegressor(max_leaf_nodes=max_leaf_nodes, random_state=random_state.randint(MAX_SEED))
    fitted.fit(X, costs, check_input=False)
    return SingleLabelTree(fitted.tree_, fitted.tree_.value[:, :, 0].argmin(axis=1))


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


class SingleLabelTreeGrower:
    """Boosting state of AdaBoost.MH with single-label trees: grows trees and reweights.

    A tree that names class k of a sample has ``h_k = +1`` and ``h_l = -1`` for all other classes there.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float32
    signed_weights : ndarray of shape (n_samples, n_classes)
        ``w_il * y_il``, one positive entry a row.
    max_leaf_nodes : int
    criterion : {"gini", "edge"}
        How trees are grown: on samples weighted by ``sum_l w_il``, or by the edge of naming each class.
    random_state : RandomState
    """

    def __init__(
        self, X: np.ndarray, signed_weights: np.ndarray, max_leaf_nodes: int, criterion: str, random_state: Any
    ) -> None:
        self._X = X
        self._signed_weights = signed_weights
        self._labels = signed_weights.argmax(axis=1)
        self._max_leaf_nodes = max_leaf_nodes
        self._criterion = criterion
        self._random_state = random_state
        self._trees: list[SingleLabelTree] = []

    def grow(self) -> float:
        """Grow a tree on the current weights and return its edge (11)."""
        S = self._signed_weights
        if self._criterion == "gini":
            weights = np.abs(S).sum(axis=1)
            tree = grow_gini_tree(self._X, self._labels, weights, self._max_leaf_nodes, self._random_state)
        else:  # naming class k of sample i has the edge 2 S_ik - sum_l S_il: its cost is -S_ik up to constants
            tree = grow_cost_tree(self._X, -len(S) * S, self._max_leaf_nodes, self._random_state)
        self._pending = tree
        self._named = np.full(S.shape, -1.0)
        self._named[np.arange(len(S)), tree.predict(self._X)] = 1.0
        return float((S * self._named).sum())

    def accept(self, right: float, wrong: float) -> float:
        """Keep the tree just grown; return the new sum of weights.

        Parameters
        ----------
        right, wrong : float
            Factors of the weights of the pairs (sample, class) that the tree gets right and wrong.
        """
        self._trees.append(self._pending)
        self._signed_weights = self._signed_weights * np.where(self._signed_weights * self._named > 0, right, wrong)
        return float(np.abs(self._signed_weights).sum())

    def forest(self) -> SingleLabelForest:
        """All trees kept so far."""
        return SingleLabelForest(list(self._trees), against=-1.0)
