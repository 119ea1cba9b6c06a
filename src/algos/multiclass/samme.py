"""SAMME: multi-class AdaBoost with single-label trees."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from algos.multiclass._single_label_trees import GiniTreeGrower
from algos.multiclass._staged import StagedProbabilities
from algos.multiclass._tree_voting import TreeVotingClassifier

# A tree that is right on (almost) all the weight would get an infinite coefficient: its error is taken as this, and
# boosting ends there.
MIN_ERROR = 1e-10


class SAMMEClassifier(StagedProbabilities, TreeVotingClassifier):
    """SAMME: stagewise additive modelling with the multi-class exponential loss, on single-label trees.

    Each round grows a classification tree on the weighted samples, gives it the coefficient
    ``alpha = log((1 - err) / err) + log(K - 1)`` and multiplies the weights of the samples that it gets wrong by
    ``exp(alpha)``. With two classes it is AdaBoost.

    Parameters
    ----------
    n_estimators : int, default=100
        Boosting rounds T. Fewer are run when a tree is no better than chance, or has no error.
    max_leaf_nodes : int, default=20
        Largest number of leaves J of a tree.
    random_state : int, RandomState instance or None, default=None
        Settles ties between features in the trees.

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
        ``1 - err K / (K - 1)``: 1 for a tree without error, 0 for one as good as chance. The multi-class exponential
        loss falls by ``K / (K - 1) err^((K - 1) / K) ((K - 1) (1 - err))^(1 / K)`` a round.
    forest_ : SingleLabelForest
        The trees.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    ``decision_function`` gives ``f_k(x) = sum_t alpha_t g_tk(x)`` with g = 1 for the class that the tree names and
    ``-1 / (K - 1)`` for the others, so the scores of a sample sum to 0; the positive factor ``(K - 1)^2 / K`` of [1]_,
    which changes no decision, is left out. Of equal scores the first class is predicted.

    A tree without error has its error taken as 1e-10 and is the last one. Trees are scikit-learn's, on features held
    as float32; rounding may settle ties between cuts differently for another order of the samples.

    References
    ----------
    .. [1] J. Zhu, H. Zou, S. Rosset and T. Hastie. Multi-class AdaBoost. Statistics and Its Interface 2, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from algos.multiclass import SAMMEClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SAMMEClassifier(max_leaf_nodes=3, n_estimators=20, random_state=0).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.97
    """

    def __init__(self, n_estimators: int = 100, max_leaf_nodes: int = 20, random_state: Any = None) -> None:
        self.n_estimators = n_estimators
        self.max_leaf_nodes = max_leaf_nodes
        self.random_state = random_state

    @property
    def _input_dtype(self) -> type:
        return np.float32  # what scikit-learn's trees work on

    def _make_grower(
        self, X: np.ndarray, labels: np.ndarray, sample_weight: np.ndarray, random_state: np.random.RandomState
    ) -> GiniTreeGrower:
        return GiniTreeGrower(X, labels, self.max_leaf_nodes, random_state, against=-1 / (self.n_classes_ - 1))

    def _rounds(
        self, grower: GiniTreeGrower, labels: np.ndarray, sample_weight: np.ndarray
    ) -> Iterator[tuple[float, float]]:
        K, weights = self.n_classes_, sample_weight
        while True:
            wrong = grower.grow(weights) != labels
            error = max(weights[wrong].sum(), MIN_ERROR)
            edge = 1 - error * K / (K - 1)
            if edge <= 0:
                return  # no better than chance: alpha would not be positive
            alpha = np.log((1 - error) / error) + np.log(K - 1)
            grower.accept()
            yield alpha, edge
            if error <= MIN_ERROR:
                return
            weights = weights * np.exp(alpha * wrong)
            weights = weights / weights.sum()

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities read off the scores by the minimiser of the loss, ``softmax((K - 1) f / K)``; not calibrated.

        Equation (15) of [1]_: the expected loss is least where p_k is proportional to ``exp(F_k / (K - 1))``, F being f
        times the factor ``(K - 1)^2 / K`` left out here. Boosting drives scores apart, so they are over-confident after
        many rounds. scikit-learn's ``AdaBoostClassifier`` puts f over the sum of the alphas in place of F, which leaves
        the order of the classes but holds probabilities near 1/K.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return super().predict_proba(X)

    def _probabilities(self, scores: np.ndarray) -> np.ndarray:
        return super()._probabilities(scores * ((self.n_classes_ - 1) / self.n_classes_))
