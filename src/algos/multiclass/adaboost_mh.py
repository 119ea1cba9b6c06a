"""AdaBoost.MH with Hamming trees, Hamming products, multi-class stumps and single-label trees."""

import warnings
from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from algos._kernels.hamming import HammingForest, HammingTreeGrower
from algos._validation import check_sample_weight, validate_training_data
from algos.evaluation.stopping import extend_curve, smoothed_stopping
from algos.multiclass._single_label_trees import SignedGiniTreeGrower, SingleLabelForest
from algos.multiclass._staged import StagedClassifier, StagedProbabilities, label_indicators

# A base classifier that is right on (almost) all the weight would get an infinite coefficient (12): its edge is
# taken as this, which gives alpha = 11.9, and boosting ends there.
MAX_EDGE = 1 - 1e-10


class AdaBoostMHClassifier(StagedProbabilities, StagedClassifier):
    """AdaBoost.MH with vector-valued base classifiers.

    Each round adds ``alpha * h(x)`` with ``h`` in {-1, +1}^K, which minimises the multi-class exponential loss
    ``sum_il w_il exp(-y_il f_l(x_i))``. The base classifier is a multi-class decision stump ``v phi(x)`` (votes ``v``
    in {-1, +1}^K, a cut ``phi`` on one feature), a Hamming tree of such stumps, grown best-first by edge, a Hamming
    product of such stumps, or a plain classification tree.

    Parameters
    ----------
    base : {"hamming_tree", "hamming_product", "stump", "single_label_tree"}, default="hamming_tree"
        The base classifier. A stump is a Hamming tree with one inner node, or a product of one factor. A single-label
        tree names one class: ``h`` is +1 there and -1 for the other classes.
    n_estimators : int, default=100
        Boosting rounds T. Fewer are run when no base classifier has an edge, or one has no error.
    n_inner_nodes : int, default=8
        Inner nodes N of a Hamming tree; it has at most N + 1 leaves. Used by ``base="hamming_tree"`` alone.
    n_factors : int, default=3
        Largest number of factors m of a Hamming product. Used by ``base="hamming_product"`` alone.
    max_leaf_nodes : int, default=20
        Largest number of leaves J of a single-label tree. Used by ``base="single_label_tree"`` alone, as the next one.
    tree_criterion : {"gini", "edge"}, default="gini"
        How a single-label tree is grown. ``"gini"``: a classification tree on samples weighted by ``sum_l w_il``.
        ``"edge"``: a cost-sensitive tree, grown best-first by the edge of naming the best class of each leaf.
    initial_weights : {"balanced", "uniform"}, default="balanced"
        Weights of single-label targets before the first round: (3), or equal ones for all pairs of sample and class.
    votes : {"discrete", "real"}, default="discrete"
        ``"real"`` is Real AdaBoost.MH [2]_: a leaf's vote for a class is ``1/2 log((W+ + s) / (W- + s))``, with W+ and
        W- the weights of its samples that are and are not of the class and ``s = 1/(n K)``, and all alphas are 1; n is
        the number of samples, or the sum of the sample weights where that is larger: weights of a mean above 1 count
        repetitions, of smaller ones only ratios matter. Not for ``base="single_label_tree"``.
    early_stopping : bool, default=False
        Choose the number of rounds by the smoothed validation error (15) on a part of the training set, then fit again
        on all of it with that many rounds. With ``n_estimators <= min_estimators + 1`` there is nothing to choose: the
        fit warns, and runs all rounds.
    validation_fraction : float, default=0.1
        Part of the training samples held out by early stopping.
    min_estimators : int, default=50
        T_min of (15): early stopping considers larger numbers of rounds only.
    random_state : int, RandomState instance or None, default=None
        Chooses early stopping's validation part, and settles ties between features in trees grown by the Gini index;
        nothing else is random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels; of an indicator matrix the columns, 0, 1, ...
    n_classes_ : int
        Number of classes, or of labels.
    n_estimators_ : int
        Rounds of the model.
    estimator_weights_ : ndarray of shape (n_estimators_,)
        Coefficients alpha (12); 1 with real-valued votes.
    edges_ : ndarray of shape (n_estimators_,)
        Edges (11) of the base classifiers. The exponential loss falls by ``sqrt(1 - edge^2)`` a round; with real-valued
        votes that defines them.
    forest_ : HammingForest or SingleLabelForest
        The base classifiers; ``forest_.arrays()`` of a Hamming forest gives their nodes and votes.
    validation_curve_ : ndarray of shape (n_estimators,)
        Error on the validation part after each round; only with early stopping.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Single-label targets start from the weights (3): 1/2 on a sample's class, the other half shared by the other
    classes. Multi-label targets (indicator matrices) start from uniform weights over the pairs of sample and label;
    single-label trees do not take them.

    A product's factors are fitted one after the other, each to the labels times the outputs of the others, first
    greedily, then in cycles, as long as the edge rises [3]_.

    Except in trees grown by the Gini index, every cut of every feature is examined. The search sums weights in fixed
    point (2^-30), so equal edges are exactly equal and are settled by rule: the constant classifier, then the first
    feature, then the lowest threshold; between leaves, the one made first, the - side before the + side. Votes are +1
    where a class's edge is positive; a single-label leaf names the first class of the largest edge. A tree stops early
    when no leaf gains by being cut. Training is single-threaded and deterministic.

    Real-valued votes are set when a stump, tree or product has been chosen by its edge; cuts are not searched again for
    them. The loss never rises by such a round.

    Trees grown by the Gini index are scikit-learn's, on features held as float32. Their ties between features are
    settled by `random_state`, and rounding may settle ties between cuts differently for another order of the samples.

    References
    ----------
    .. [1] B. Kegl. The return of AdaBoost.MH: multi-class Hamming trees. ICLR 2014, figures 1-5.
    .. [2] R. Schapire and Y. Singer. Improved boosting algorithms using confidence-rated predictions.
       Machine Learning 37(3), 1999.
    .. [3] B. Kegl and R. Busa-Fekete. Boosting products of base classifiers. ICML 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from algos.multiclass import AdaBoostMHClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AdaBoostMHClassifier(n_inner_nodes=2, n_estimators=20).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.97
    """

    _parameter_constraints: ClassVar[dict] = {
        "base": [StrOptions({"hamming_tree", "hamming_product", "stump", "single_label_tree"})],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_inner_nodes": [Interval(Integral, 1, 2**31 - 1, closed="both")],
        "n_factors": [Interval(Integral, 1, 2**31 - 1, closed="both")],
        "max_leaf_nodes": [Interval(Integral, 2, 2**31 - 1, closed="both")],
        "tree_criterion": [StrOptions({"gini", "edge"})],
        "initial_weights": [StrOptions({"balanced", "uniform"})],
        "votes": [StrOptions({"discrete", "real"})],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "min_estimators": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        base: str = "hamming_tree",
        n_estimators: int = 100,
        n_inner_nodes: int = 8,
        n_factors: int = 3,
        max_leaf_nodes: int = 20,
        tree_criterion: str = "gini",
        initial_weights: str = "balanced",
        votes: str = "discrete",
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        min_estimators: int = 50,
        random_state: Any = None,
    ) -> None:
        self.base = base
        self.n_estimators = n_estimators
        self.n_inner_nodes = n_inner_nodes
        self.n_factors = n_factors
        self.max_leaf_nodes = max_leaf_nodes
        self.tree_criterion = tree_criterion
        self.initial_weights = initial_weights
        self.votes = votes
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.min_estimators = min_estimators
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self.base != "single_label_tree"
        return tags

    @property
    def _uses_gini_trees(self) -> bool:
        return self.base == "single_label_tree" and self.tree_criterion == "gini"

    @property
    def _input_dtype(self) -> type:
        return np.float32 if self._uses_gini_trees else np.float64  # scikit-learn's trees work on float32

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        monitor: Callable[[int, "AdaBoostMHClassifier"], Any] | None = None,
    ) -> "AdaBoostMHClassifier":
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels, or an indicator matrix of 0 and 1.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies the initial weights; samples of weight 0 are left out. Only ratios matter, but see
            ``votes="real"``.
        monitor : callable, optional
            Called as ``monitor(t, self)`` after each round t = 1, 2, ... of the final fit; a true answer ends the fit.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated, or fewer than two classes.
        """
        self._validate_params()
        if self.votes == "real" and self.base == "single_label_tree":
            raise ValueError("a single-label tree names one class; for votes='real' choose another base")
        X, y = validate_training_data(self, X, y, dtype=self._input_dtype, multi_output=True)
        signs = self._label_signs(y)
        sample_weight, _ = check_sample_weight(sample_weight, X)
        kept = sample_weight > 0
        X, signs, sample_weight = X[kept], signs[kept], sample_weight[kept]
        n_rounds = self.n_estimators
        if self.early_stopping:
            n_rounds = self._choose_rounds(X, signs, sample_weight)
        self._boost(X, signs, sample_weight, n_rounds, monitor)
        return self

    def _label_signs(self, y: np.ndarray) -> np.ndarray:
        """Set the classes; return y_il in {-1, +1} of shape (n_samples, n_classes)."""
        check_classification_targets(y)
        self.multilabel_ = type_of_target(y).startswith("multilabel")
        if not self.multilabel_:
            labels = self._encode_labels(y)
            return np.where(labels[:, None] == np.arange(self.n_classes_), 1.0, -1.0)
        if self.base == "single_label_tree":
            raise ValueError("single-label trees name one class; for multi-label targets choose another base")
        self.n_classes_ = y.shape[1]
        self.classes_ = np.arange(self.n_classes_)
        return np.where(label_indicators(y), 1.0, -1.0)

    def _initial_weights(self, signs: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Equation (3) for single-label targets unless told otherwise, uniform for multi-label ones; they sum to 1."""
        if self.multilabel_ or self.initial_weights == "uniform":
            weights = np.ones_like(signs)
        else:
            weights = np.where(signs > 0, 1 / 2, 1 / (2 * (signs.shape[1] - 1)))
        # Only ratios matter; over the largest one, sums of huge sample weights stay finite.
        weights = weights * (sample_weight / sample_weight.max())[:, None]
        return weights / weights.sum()

    def _base_learner(self, X: np.ndarray, signed_weights: np.ndarray) -> tuple[Any, Callable[[], float]]:
        """The boosting state of `base`, and the call that grows one on the current weights and returns its edge."""
        if self._uses_gini_trees:
            random_state = check_random_state(self.random_state)
            grower = SignedGiniTreeGrower(X, signed_weights, self.max_leaf_nodes, random_state)
            return grower, grower.grow
        grower = HammingTreeGrower(X, signed_weights)
        if self.base == "single_label_tree":
            return grower, partial(grower.grow_single_label, self.max_leaf_nodes)
        if self.base == "hamming_product":
            return grower, partial(grower.grow_product, self.n_factors)
        return grower, partial(grower.grow, 1 if self.base == "stump" else self.n_inner_nodes)

    def _boost(
        self, X: np.ndarray, signs: np.ndarray, sample_weight: np.ndarray, n_rounds: int, monitor: Any = None
    ) -> None:
        grower, grow = self._base_learner(X, signs * self._initial_weights(signs, sample_weight))
        smoothing = 1 / (max(sample_weight.sum(), len(X)) * self.n_classes_)
        alphas, edges, total = [], [], 1.0
        for t in range(1, n_rounds + 1):
            edge = grow() / total  # BASE, figures 2 and 3; the weights may drift from 1 by rounding
            if edge <= 0:
                break  # no base classifier has an edge: the weak-learning condition fails
            perfect = edge > MAX_EDGE
            if self.votes == "real":
                alpha, edge = 1.0, _energy_to_edge(grower.accept_real(smoothing))
                total = 1.0
            else:
                edge = min(edge, MAX_EDGE)
                alpha = 0.5 * np.log((1 + edge) / (1 - edge))  # (12)
                normaliser = total * np.sqrt(1 - edge**2)  # Z: what the new weights sum to
                total = grower.accept(np.exp(-alpha) / normaliser, np.exp(alpha) / normaliser)
            alphas.append(alpha)
            edges.append(edge)
            if perfect or (monitor is not None and monitor(t, self)):
                break
        self.forest_: HammingForest | SingleLabelForest = grower.forest()
        self.estimator_weights_ = np.array(alphas)
        self.edges_ = np.array(edges)
        self.n_estimators_ = len(alphas)

    def _choose_rounds(self, X: np.ndarray, signs: np.ndarray, sample_weight: np.ndarray) -> int:
        """T* of (15) on a held-out part, stratified where each class has two samples."""
        from sklearn.model_selection import train_test_split

        if self.n_estimators <= self.min_estimators + 1:
            warnings.warn(
                f"early_stopping chooses among more than min_estimators={self.min_estimators} rounds, and n_estimators="
                f"{self.n_estimators} leaves no choice; lower min_estimators or turn early_stopping off",
                stacklevel=3,
            )
        stratify = None if self.multilabel_ else signs.argmax(axis=1)
        n_held_out = int(np.ceil(self.validation_fraction * len(X)))
        if stratify is not None:
            counts = np.unique(stratify, return_counts=True)[1]
            if counts.min() < 2 or len(counts) > min(n_held_out, len(X) - n_held_out):
                stratify = None
        train, held_out = train_test_split(
            np.arange(len(X)), test_size=self.validation_fraction, stratify=stratify, random_state=self.random_state
        )
        self._boost(X[train], signs[train], sample_weight[train], self.n_estimators)
        positive = signs[held_out] > 0
        curve = self._error_curve(X[held_out], positive if self.multilabel_ else positive.argmax(axis=1))
        self.validation_curve_ = extend_curve(curve if len(curve) else [1.0], self.n_estimators)
        return smoothed_stopping(self.validation_curve_, self.min_estimators)[0]

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities read off the scores by the minimiser of the exponential loss; not calibrated.

        With the initial weights (3) the expected loss is least at ``f_l = 1/2 log((K - 1) p_l / (1 - p_l))``, so
        ``p_l = 1 / (1 + (K - 1) exp(-2 f_l))``, normalised to sum 1 over the classes; for multi-label targets
        ``p_l = 1 / (1 + exp(-2 f_l))``. Boosting drives scores apart, so they are over-confident after many rounds.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return super().predict_proba(X)

    def _probabilities(self, scores: np.ndarray) -> np.ndarray:
        from scipy.special import expit, log_softmax

        if self.multilabel_:
            return expit(2 * scores)
        # In logarithms, so that a row of very low scores does not become 0 / 0.
        log_odds = 2 * scores - np.log(self.n_classes_ - 1)
        return np.exp(log_softmax(-np.logaddexp(0, -log_odds), axis=1))


def _energy_to_edge(energy: float) -> float:
    """The edge of the discrete base classifier that lowers the loss by the same factor Z = sqrt(1 - edge^2)."""
    return float(np.sqrt(max(0.0, 1 - energy**2)))
