"""AOSO-LogitBoost: one vector-valued tree a round, each node moving scores between a pair of classes of its own."""

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from algos._kernels.gradient_tree import PAIR_RULES, GradientTreeBooster
from algos.multiclass.gradient_boosting import GradientBooster


class AOSOLogitBoostClassifier(GradientBooster):
    """AOSO-LogitBoost: adaptive one-vs-one LogitBoost, one tree a round.

    Each node of a tree moves scores from one class c to another class a. With ``g = (r_a - p_a) - (r_c - p_c)`` and
    ``h = p_a (1 - p_a) + p_c (1 - p_c) + 2 p_a p_c`` a node gains ``S^2/(2 W)``, S and W its sums of g and h. The pair
    is chosen once for a node, from its own samples, and is kept while its splits are compared; each child then chooses
    anew. A leaf adds ``S/W`` to the score of its a and takes it from that of its c, so scores sum to zero.

    Parameters
    ----------
    n_estimators : int, default=100
        Boosting rounds T. Fewer are run when the training loss falls below 1e-16.
    max_leaf_nodes : int, default=20
        Leaves J of a tree, at most.
    learning_rate : float, default=0.1
        Shrinkage nu of the leaves' values.
    pair_rule : {"second_order", "first_order", "exhaustive"}, default="second_order"
        How a node chooses its pair from the sums G_k of ``r_k - p_k``. ``"second_order"``: a has the largest G, c the
        largest gain with it. ``"first_order"``: the largest and the smallest G. ``"exhaustive"``: the pair of the
        largest gain of all.
    min_samples_leaf : int, default=1
        Least samples in a leaf. With `sample_weight` the lightest sample counts as one, the others in proportion to
        their weight.
    max_leaf_value : float, default=5
        Leaves' values are clipped to plus or minus this before shrinkage, as in the original program.
    max_bins : int, default=256
        A feature with more distinct values than this is cut between that many groups of equal frequency; others are
        cut between any two values.
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
        Training loss ``-sum log p`` of the samples' classes after each round. It never rises while
        ``learning_rate * max_leaf_value <= 1/2`` and ``learning_rate <= 1``.
    forest_ : GradientForest
        The trees; ``forest_.arrays()`` gives their nodes and leaves.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Sums of gradients are in fixed point, so equal gains are exactly equal and are settled by rule: the first class,
    the first feature, then the lowest threshold; between leaves, the one made first, the left before the right. The
    model does not depend on the order of samples. Training is single-threaded and deterministic.

    References
    ----------
    .. [1] P. Sun, M. Reid and J. Zhou. AOSO-LogitBoost: adaptive one-vs-one LogitBoost for multi-class problem.
       ICML 2012.
    .. [2] P. Sun, M. Reid and J. Zhou. An improved multiclass LogitBoost using adaptive-one-vs-one.
       Machine Learning 97(3), 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from algos.multiclass import AOSOLogitBoostClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AOSOLogitBoostClassifier(max_leaf_nodes=4, n_estimators=20).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.96
    """

    _least_loss = 1e-16

    _parameter_constraints: ClassVar[dict] = {
        **GradientBooster._parameter_constraints,
        "pair_rule": [StrOptions(set(PAIR_RULES))],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        max_leaf_nodes: int = 20,
        learning_rate: float = 0.1,
        pair_rule: str = "second_order",
        min_samples_leaf: int = 1,
        max_leaf_value: float = 5.0,
        max_bins: int = 256,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_leaf_nodes = max_leaf_nodes
        self.learning_rate = learning_rate
        self.pair_rule = pair_rule
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_value = max_leaf_value
        self.max_bins = max_bins
        self.random_state = random_state

    def _grow_round(self, booster: GradientTreeBooster, t: int) -> list[int]:
        return [booster.grow_node_pairs(self.pair_rule)]
