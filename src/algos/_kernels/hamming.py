"""Growing and evaluating Hamming trees, products and single-label trees: checks arguments, then calls C++."""

from typing import Any

import numpy as np

from algos._kernels import _hamming
from algos._kernels.matrices import code_columns, finite_matrix

# What the extension is built from; a method that uses this module depends on them.
KERNEL_SOURCES = (
    "common.hpp",
    "numpy_arrays.hpp",
    "hamming_module.cpp",
    "hamming_grower.cpp",
    "hamming_grower.hpp",
    "hamming_search.cpp",
    "hamming_search.hpp",
)

# A feature with more distinct values than this is searched through bins that group them.
MAX_BINS = 64


def instruction_sets() -> list[str]:
    """Names of the instruction sets this machine can run, the fastest first; all give the same bits."""
    return list(_hamming.instruction_sets())


class HammingTreeGrower:
    """Boosting state over one training set: grows Hamming trees or products and reweights.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
        Finite features.
    signed_weights : ndarray of shape (n_samples, n_classes), float64
        ``w_il * y_il``; the absolute values sum to 1.
    max_bins : int
        The values of a feature with more distinct ones than this are grouped into about as many bins. It decides
        about time and memory only: the same cuts are found.
    instruction_set : str or None
        One of :func:`instruction_sets`; None takes the fastest.

    Raises
    ------
    ValueError
        When a shape, a value or the instruction set is not as stated.
    """

    def __init__(
        self,
        X: np.ndarray,
        signed_weights: np.ndarray,
        max_bins: int = MAX_BINS,
        instruction_set: str | None = None,
    ) -> None:
        X = finite_matrix(X, "X")
        weights = _signed_weights(signed_weights)
        if weights.shape[0] != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows and signed_weights {weights.shape[0]}")
        if instruction_set is None:
            instruction_set = instruction_sets()[0]
        elif instruction_set not in instruction_sets():
            raise ValueError(f"instruction set {instruction_set!r} is not one of {instruction_sets()}")
        codes, values, start = code_columns(X)
        if not 2 <= max_bins <= 32768:
            raise ValueError(f"max_bins must lie in 2..32768, not at {max_bins}")
        self._shape = weights.shape
        self._grower = _hamming.Grower(codes, values, start, weights, max_bins, instruction_set)

    def grow(self, n_inner_nodes: int) -> float:
        """Grow a tree of at most `n_inner_nodes` on the current weights and return its edge."""
        if n_inner_nodes < 1:
            raise ValueError(f"n_inner_nodes must be at least 1, not {n_inner_nodes}")
        return self._grower.grow(n_inner_nodes)

    def grow_product(self, n_factors: int) -> float:
        """Fit a product of at most `n_factors` stumps on the current weights and return its edge.

        It is a tree to all other methods: :meth:`accept` keeps it, and the forest's walk multiplies its factors.
        """
        if n_factors < 1:
            raise ValueError(f"n_factors must be at least 1, not {n_factors}")
        return self._grower.grow_product(n_factors)

    def grow_single_label(self, max_leaf_nodes: int, against: int = -1) -> float:
        """Grow a tree each leaf of which names one class, and return the sum of signed weights times its votes.

        Best-first as a Hamming tree: a leaf is worth the largest class-wise sum of signed weights of its rows, and the
        leaf is cut whose cut raises that most. With the weights of AdaBoost.MH and votes of -1 the answer is the edge.

        Parameters
        ----------
        max_leaf_nodes : int
            At least 2. Fewer leaves are made when no cut is worth anything.
        against : {-1, 0}
            The vote for the classes that are not named; the named one has 1.
        """
        if max_leaf_nodes < 2 or against not in (-1, 0):
            raise ValueError(f"max_leaf_nodes must be at least 2 and against -1 or 0, not {max_leaf_nodes}, {against}")
        return self._grower.grow_single_label(max_leaf_nodes - 1, against)

    def named(self) -> np.ndarray:
        """Class index that the single-label tree just grown names for each row, shape (n_samples,)."""
        return self._grower.named()

    def set_weights(self, signed_weights: np.ndarray) -> None:
        """Go on with other signed weights, shape (n_samples, n_classes); their absolute values sum to 1."""
        weights = _signed_weights(signed_weights)
        if weights.shape != self._shape:
            raise ValueError(f"signed_weights must have shape {self._shape}, not {weights.shape}")
        self._grower.set_weights(weights)

    def accept(self, right: float, wrong: float) -> float:
        """Keep the tree just grown; return the new sum of weights.

        Parameters
        ----------
        right, wrong : float
            Factors of the weights of the pairs (sample, class) that the tree gets right and wrong.
        """
        return self._grower.accept(right, wrong)

    def accept_real(self, smoothing: float) -> float:
        """Keep the tree just grown with real-valued votes, reweight to a sum of 1; return Z, the factor of the loss.

        A leaf's vote for a class is ``1/2 log((W+ + smoothing) / (W- + smoothing))`` with W+ and W- the positive and
        negative weight of the class in the leaf. All trees of a forest are kept this way, or none.

        Parameters
        ----------
        smoothing : float
            Positive.
        """
        if not smoothing > 0:
            raise ValueError(f"smoothing must be positive, not {smoothing}")
        return self._grower.accept_real(smoothing)

    def forest(self) -> "HammingForest":
        """All trees kept so far."""
        return HammingForest(self._grower.forest())


class HammingForest:
    """The trees of a model. ``arrays()`` gives them as flat NumPy arrays; they can be pickled."""

    def __init__(self, forest: Any) -> None:
        self._forest = forest

    def arrays(self) -> dict[str, np.ndarray]:
        """Flat arrays: node_start, leaf_start, feature, threshold, minus_child, plus_child, gain, votes, real_votes.

        Tree t has the inner nodes ``node_start[t]:node_start[t + 1]``, and its leaves likewise. A child is an
        inner node's index within the tree, or ``~leaf``. ``votes`` is leaves x classes, flattened; where votes are
        real-valued it is empty and ``real_votes`` holds them.

        A product's first cut is node 0; cut j > 0 is node 2 j - 1 after an even number of - sides and node 2 j after an
        odd one. Leaf 0 has the product's votes, leaf 1 the opposite ones. A constant factor has no node.
        """
        return self._forest.arrays()

    def add_scores(self, alphas: np.ndarray, first: int, last: int, X: np.ndarray, scores: np.ndarray) -> None:
        """Add ``alpha * votes`` of the trees ``first:last`` to `scores` (n_samples, n_classes), in place."""
        self._forest.add_scores(alphas, first, last, X, scores)

    def count_errors(self, alphas: np.ndarray, X: np.ndarray, labels: np.ndarray, n_classes: int) -> np.ndarray:
        """Misclassified rows after each round; `labels` are class indices (n_samples,), -1 for a class not known."""
        counts = np.zeros(len(alphas), dtype=np.int64)
        labels = np.ascontiguousarray(labels, dtype=np.int32)
        self._forest.count_errors(alphas, X, labels, n_classes, counts)
        return counts

    def count_label_errors(self, alphas: np.ndarray, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Wrong pairs (row, label) after each round; `labels` is (n_samples, n_labels) of 0 and 1."""
        counts = np.zeros(len(alphas), dtype=np.int64)
        self._forest.count_label_errors(alphas, X, np.ascontiguousarray(labels, dtype=np.uint8), counts)
        return counts

    def feature_gains(self, alphas: np.ndarray, n_features: int) -> np.ndarray:
        """Edge gained by each feature's cuts, weighted by alpha, shape (n_features,)."""
        arrays = self.arrays()
        alpha_of_node = np.repeat(alphas, np.diff(arrays["node_start"]))
        return np.bincount(arrays["feature"], alpha_of_node * arrays["gain"], minlength=n_features)

    def __getstate__(self) -> dict[str, np.ndarray]:
        return self.arrays()

    def __setstate__(self, arrays: dict[str, np.ndarray]) -> None:
        names = ("node_start", "leaf_start", "feature", "threshold", "minus_child", "plus_child", "gain")
        names += ("votes", "real_votes")
        self._forest = _hamming.Forest.from_arrays(*(arrays[name] for name in names))


def _signed_weights(signed_weights: np.ndarray) -> np.ndarray:
    weights = finite_matrix(signed_weights, "signed_weights")
    if weights.size >= 2**30:
        raise ValueError("more than 2^30 pairs of sample and class do not fit the fixed-point weights")
    if abs(np.abs(weights).sum() - 1) > 1e-9:
        raise ValueError("the absolute signed weights must sum to 1")
    return weights
