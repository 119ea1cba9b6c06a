"""AdaBoost.MM with cost-sensitive trees."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import StrOptions

from algos._kernels.hamming import HammingTreeGrower
from algos.multiclass._staged import StagedProbabilities
from algos.multiclass._tree_voting import TreeVotingClassifier

# A tree that names every sample's class would get an infinite coefficient: its edge is taken as this, which gives
# alpha = 11.9, and boosting ends there.
MAX_EDGE = 1 - 1e-10


class AdaBoostMMClassifier(StagedProbabilities, TreeVotingClassifier):
    """AdaBoost.MM: boosting under the minimal weak-learning condition, with cost-sensitive single-label trees.

    Each round lowers ``sum_i sum_(l != y_i) exp(f_l(x_i) - f_(y_i)(x_i))`` by a tree that names one class: ``alpha`` is
    added to the score of that class. The tree is grown on the cost matrix ``C_il = exp(f_l - f_(y_i))`` for the wrong
    classes and ``C_(i,y_i) = -sum_(l != y_i) C_il``; each leaf names the class of least summed cost. With two classes
    it is AdaBoost.

    Parameters
    ----------
    n_estimators : int, default=100
        Boosting rounds T. Fewer are run when a tree has no edge, or no error.
    max_leaf_nodes : int, default=20
        Largest number of leaves J of a tree.
    step : {"exact", "edge"}, default="exact"
        The coefficient: ``"exact"`` minimises the loss, ``alpha = 1/2 log(A+ / A-)`` with ``A+`` the costs
        ``sum_(l != y_i) C_il`` of the samples that the tree gets right and ``A-`` the costs of the classes that it
        names wrongly; ``"edge"`` is ``1/2 log((1 + delta) / (1 - delta))`` with the edge
        ``delta = (A+ - A-) / sum_i sum_(l != y_i) C_il``, never a longer step. They agree for two classes.
    random_state : int, RandomState instance or None, default=None
        Not used: ties are settled by rule.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_classes_ : int
        Number of classes K.
    n_estimators_ : int
        Rounds of the model.
    estimator_weights_ : ndarray of shape (n_estimators_,)
        Coefficients alpha.
    edges_ : ndarray of shape (n_estimators_,)
        Edges delta.
    forest_ : HammingForest
        The trees; ``forest_.arrays()`` gives their nodes and votes (1 for the class a leaf names).
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    ``decision_function`` gives ``f_k(x)``, the summed coefficients of the trees that name class k; with two classes
    half the difference. Of equal scores the first class is predicted. A sample weight multiplies its row of costs.

    A tree is grown best-first: the leaf is cut whose cut lowers the summed cost most, over every cut of every feature;
    it ends early when no cut lowers it. Costs are summed in fixed point, so ties are exact and settled by rule: the
    first feature, then the lowest threshold; between leaves, the one made first; between classes, the first. Training
    is single-threaded, deterministic, and does not depend on the order of the samples. A tree without error has its
    edge taken as 1 - 1e-10 and is the last one.

    References
    ----------
    .. [1] I. Mukherjee and R. E. Schapire. A theory of multiclass boosting. JMLR 14, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from algos.multiclass import AdaBoostMMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AdaBoostMMClassifier(max_leaf_nodes=3, n_estimators=20, random_state=0).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.97
    """

    _parameter_constraints: ClassVar[dict] = {
        **TreeVotingClassifier._parameter_constraints,
        "step": [StrOptions({"exact", "edge"})],
    }

    def __init__(
        self, n_estimators: int = 100, max_leaf_nodes: int = 20, step: str = "exact", random_state: Any = None
    ) -> None:
        self.n_estimators = n_estimators
        self.max_leaf_nodes = max_leaf_nodes
        self.step = step
        self.random_state = random_state

    def _make_grower(
        self, X: np.ndarray, labels: np.ndarray, sample_weight: np.ndarray, random_state: np.random.RandomState
    ) -> HammingTreeGrower:
        gains = _gains(np.zeros((len(X), self.n_classes_)), labels, sample_weight)
        return HammingTreeGrower(X, gains / 2)

    def _rounds(
        self, grower: HammingTreeGrower, labels: np.ndarray, sample_weight: np.ndarray
    ) -> Iterator[tuple[float, float]]:
        rows = np.arange(len(labels))
        scores = np.zeros((len(labels), self.n_classes_))
        while True:
            gains = _gains(scores, labels, sample_weight)
            grower.set_weights(gains / 2)
            edge = 2 * grower.grow_single_label(self.max_leaf_nodes, against=0)  # delta
            if edge <= 0:
                return  # no tree with an edge: the weak-learning condition fails
            named = grower.named()
            perfect = edge > MAX_EDGE
            edge = min(edge, MAX_EDGE)
            whole = 1.0
            if self.step == "exact" and not perfect:
                whole = np.abs(gains[rows, named]).sum()  # A+ + A-
            alpha = 0.5 * np.log((whole + edge) / (whole - edge))
            grower.accept(1.0, 1.0)
            yield alpha, edge
            if perfect:
                return
            scores[rows, named] += alpha

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities read off the scores by the minimiser of the loss, ``softmax(2 f)``; not calibrated.

        The expected loss ``sum_k p_k sum_(l != k) exp(f_l - f_k)`` is a sum over pairs of classes, each least where
        ``f_k - f_l = 1/2 log(p_k / p_l)``; ``f_k = 1/2 log p_k`` makes them all least; [1]_ does not say so. Boosting
        drives scores apart, so they are over-confident after many rounds.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return super().predict_proba(X)

    def _probabilities(self, scores: np.ndarray) -> np.ndarray:
        return super()._probabilities(2 * scores)


def _gains(scores: np.ndarray, labels: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
    """What naming each class saves: -C_il over the loss, shape (n_samples, n_classes).

    The gains of the right classes sum to 1, those of the wrong ones to -1.
    """
    rows = np.arange(len(labels))
    behind = scores - scores[rows, labels][:, None]  # f_l - f_(y_i)
    behind[rows, labels] = -np.inf
    costs = sample_weight[:, None] * np.exp(behind - behind.max())  # the largest is 1: a small loss does not underflow
    gains = costs / -costs.sum()
    gains[rows, labels] = -gains.sum(axis=1)
    return gains
