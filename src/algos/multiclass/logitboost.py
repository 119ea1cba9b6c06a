"""Robust LogitBoost and MART: a regression tree for each class a round."""

from typing import Any

from algos._kernels.gradient_tree import GradientTreeBooster
from algos.multiclass.gradient_boosting import GradientBooster


class LogitBoostClassifier(GradientBooster):
    """Robust LogitBoost with regression trees: K trees a round, one for each class.

    With probabilities p = softmax(F), a round grows for each class k a tree on the gradients ``g = r_k - p_k`` and
    Hessians ``h = p_k (1 - p_k)`` of the log-likelihood, ``r_k`` being 1 for samples of the class and 0 for others. It
    splits the leaf of the largest gain ``S_L^2/W_L + S_R^2/W_R - S^2/W``, S a sum of g and W of h. This is LogitBoost's
    weighted least-squares gain with responses g/h and weights h, but never divides by the h of a single sample.

    Parameters
    ----------
    n_estimators : int, default=100
        Boosting rounds T. Fewer are run when the training loss falls below 2e-14.
    max_leaf_nodes : int, default=20
        Leaves J of a tree, at most.
    learning_rate : float, default=0.1
        Shrinkage nu of the leaves' values.
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
    train_loss_ : ndarray of shape (n_estimators_,)
        Training loss ``-sum log p`` of the samples' classes after each round.
    forest_ : GradientForest
        The trees; ``forest_.arrays()`` gives their nodes and leaves.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A leaf's value is ``(K - 1)/K * sum g / sum h``. With two classes one tree a round is grown, for the second class,
    and the first has minus its score: binary LogitBoost.

    Sums of gradients are in fixed point, so equal gains are exactly equal and are settled by rule: the first feature,
    then the lowest threshold; between leaves, the one made first, the left before the right. The model does not depend
    on the order of samples. Training is single-threaded and deterministic.

    References
    ----------
    .. [1] J. Friedman, T. Hastie and R. Tibshirani. Additive logistic regression: a statistical view of boosting.
       Annals of Statistics 28(2), 2000.
    .. [2] P. Li. Robust LogitBoost and adaptive base class (ABC) LogitBoost. UAI 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from algos.multiclass import LogitBoostClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogitBoostClassifier(max_leaf_nodes=4, n_estimators=20).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.97
    """

    def __init__(
        self,
        n_estimators: int = 100,
        max_leaf_nodes: int = 20,
        learning_rate: float = 0.1,
        min_samples_leaf: int = 10,
        max_leaf_value: float = 50.0,
        max_bins: int = 256,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_leaf_nodes = max_leaf_nodes
        self.learning_rate = learning_rate
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_value = max_leaf_value
        self.max_bins = max_bins
        self.random_state = random_state

    def _grow_round(self, booster: GradientTreeBooster, t: int) -> list[int]:
        K = self.n_classes_
        if K == 2:  # one tree, F_0 = -F_1; the pair's Newton step is half the class's, which is (K - 1)/K of it
            return [booster.grow_pair(1, 0)]
        return [booster.grow_class(k, factor=(K - 1) / K) for k in range(K)]


class MARTClassifier(LogitBoostClassifier):
    """MART, multi-class gradient boosting: LogitBoost with trees grown by least squares.

    As :class:`LogitBoostClassifier`, whose parameters and attributes it has, but W of the gain
    ``S_L^2/W_L + S_R^2/W_R - S^2/W`` is a sum of samples' weights, so trees fit the gradients by least squares. The
    leaves' values are the same Newton steps.

    References
    ----------
    .. [1] J. Friedman. Greedy function approximation: a gradient boosting machine. Annals of Statistics 29(5), 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from algos.multiclass import MARTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MARTClassifier(max_leaf_nodes=4, n_estimators=20).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.97
    """

    _least_squares = True
