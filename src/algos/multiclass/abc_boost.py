"""ABC-LogitBoost and ABC-MART: each round one class is the base that the other classes' scores move against."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from algos._kernels.gradient_tree import GradientTreeBooster
from algos.multiclass.gradient_boosting import GradientBooster


class ABCLogitBoostClassifier(GradientBooster):
    """ABC-LogitBoost: LogitBoost with an adaptive base class, K - 1 trees a round.

    Scores sum to zero. With base class b, a round grows for each other class k a tree on the gradients
    ``g = (r_k - p_k) - (r_b - p_b)`` and Hessians ``h = p_k (1 - p_k) + p_b (1 - p_b) + 2 p_k p_b``, whose leaves add
    ``sum g / sum h`` to the score of k and take it from that of b. The base class is the one whose trees give the least
    training loss. Trees are grown as in :class:`LogitBoostClassifier`.

    Parameters
    ----------
    n_estimators : int, default=100
        Boosting rounds T. Fewer are run when the training loss falls below 2e-14.
    max_leaf_nodes : int, default=20
        Leaves J of a tree, at most.
    learning_rate : float, default=0.1
        Shrinkage nu of the leaves' values.
    search : int, default=0
        Number of classes that are tried as base class: those whose samples have the largest loss. 0 tries all, as the
        papers do.
    gap : int, default=0
        Rounds after a search that keep its base class. 0 searches in every round, as the papers do.
    min_samples_leaf : int, default=10
        Least samples in a leaf. The papers do not say; the original program takes 10. With `sample_weight` the lightest
        sample counts as one, the others in proportion to their weight.
    max_leaf_value : float, default=50
        Leaves' values are clipped to plus or minus this before shrinkage, as in the original program.
    max_bins : int, default=256
        A feature with more distinct values than this is cut between that many groups of equal frequency; others are
        cut between any two values. The original program takes 1000, which is slower and was no better (docs).
    random_state : int, RandomState instance or None, default=None
        Not used: nothing is random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_classes_ : int
        Number of classes.
    n_estimators_ : int
        Rounds of the model.
    base_classes_ : ndarray of shape (n_estimators_,)
        Number of each round's base class.
    train_loss_ : ndarray of shape (n_estimators_,)
        Training loss ``-sum log p`` of the samples' classes after each round.
    forest_ : GradientForest
        The trees; ``forest_.arrays()`` gives their nodes and leaves.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Exchanging k and b changes the sign of g and nothing else, so the tree of class k against base b moves scores
    exactly as the tree of b against k does. The K (K - 1) trees of a whole search are K (K - 1)/2 different ones, and
    only those are grown.

    Losses are summed in fixed point, too; of bases with equal losses the first is taken. Ties between splits are
    settled as in :class:`LogitBoostClassifier`, the model does not depend on the order of samples, and training is
    single-threaded and deterministic.

    References
    ----------
    .. [1] P. Li. ABC-Boost: adaptive base class boost for multi-class classification. ICML 2009.
    .. [2] P. Li. Robust LogitBoost and adaptive base class (ABC) LogitBoost. UAI 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from algos.multiclass import ABCLogitBoostClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ABCLogitBoostClassifier(max_leaf_nodes=4, n_estimators=20).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.97
    """

    _parameter_constraints: ClassVar[dict] = {
        **GradientBooster._parameter_constraints,
        "search": [Interval(Integral, 0, None, closed="left")],
        "gap": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        max_leaf_nodes: int = 20,
        learning_rate: float = 0.1,
        search: int = 0,
        gap: int = 0,
        min_samples_leaf: int = 10,
        max_leaf_value: float = 50.0,
        max_bins: int = 256,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_leaf_nodes = max_leaf_nodes
        self.learning_rate = learning_rate
        self.search = search
        self.gap = gap
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_value = max_leaf_value
        self.max_bins = max_bins
        self.random_state = random_state

    def _boost(self, booster: GradientTreeBooster, monitor: Any) -> None:
        self._bases: list[int] = []
        super()._boost(booster, monitor)
        self.base_classes_ = np.array(self._bases)
        del self._bases

    def _grow_round(self, booster: GradientTreeBooster, t: int) -> list[int]:
        candidates = self._base_candidates(booster, t)
        trees: dict[tuple[int, int], int] = {}  # of a pair of classes, whichever is the base
        rounds = {}
        for b in candidates:
            others = [k for k in range(self.n_classes_) if k != b]
            for k in others:
                pair = (max(k, b), min(k, b))
                if pair not in trees:
                    trees[pair] = booster.grow_pair(*pair)
            rounds[b] = [trees[max(k, b), min(k, b)] for k in others]
        best = candidates[0] if len(candidates) == 1 else min(candidates, key=lambda b: booster.loss_with(rounds[b]))
        self._bases.append(best)
        return rounds[best]

    def _base_candidates(self, booster: GradientTreeBooster, t: int) -> list[int]:
        """The classes that round t tries as base, in ascending order."""
        if (t - 1) % (self.gap + 1):
            return [self._bases[-1]]
        if self.n_classes_ == 2:  # both bases give the same trees
            return [0]
        if self.search == 0:
            return list(range(self.n_classes_))
        worst_first = np.argsort(-booster.class_losses(), kind="stable")
        return sorted(worst_first[: self.search].tolist())


class ABCMARTClassifier(ABCLogitBoostClassifier):
    """ABC-MART: ABC-LogitBoost with trees grown by least squares.

    As :class:`ABCLogitBoostClassifier`, whose parameters and attributes it has, but W of the gain
    ``S_L^2/W_L + S_R^2/W_R - S^2/W`` is a sum of samples' weights, so trees fit the gradients by least squares. The
    leaves' values are the same Newton steps.

    References
    ----------
    .. [1] P. Li. ABC-Boost: adaptive base class boost for multi-class classification. ICML 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from algos.multiclass import ABCMARTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ABCMARTClassifier(max_leaf_nodes=4, n_estimators=20).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.97
    """

    _least_squares = True
