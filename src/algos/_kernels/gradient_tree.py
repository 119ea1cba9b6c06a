"""Growing and evaluating the trees of multi-class gradient boosting: checks every argument, then calls C++."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from algos._kernels import _gradient_tree
from algos._kernels.matrices import code_columns, finite_matrix

# What the extension is built from; a method that uses this module depends on them.
KERNEL_SOURCES = (
    "common.hpp",
    "numpy_arrays.hpp",
    "gradient_tree_module.cpp",
    "gradient_tree_booster.cpp",
    "gradient_tree_booster.hpp",
    "gradient_tree_grower.cpp",
    "gradient_tree_grower.hpp",
    "gradient_tree_search.cpp",
    "gradient_tree_search.hpp",
)

PAIR_RULES = ("second_order", "first_order", "exhaustive")
MAX_SAMPLES = 2**24  # sums of more would leave a sample's fixed-point Hessian too few bits
_ARRAYS = (
    "round_start",
    "node_start",
    "leaf_start",
    "feature",
    "threshold",
    "left",
    "right",
    "gain",
    "value",
    "plus",
    "minus",
)


def instruction_sets() -> list[str]:
    """Names of the instruction sets this machine can run, the fastest first; all give the same bits."""
    return list(_gradient_tree.instruction_sets())


class GradientTreeBooster:
    """Boosting state over one training set: scores, probabilities, and trees grown on their gradients.

    Scores start at 0. Trees are grown on the current scores and stay pending until :meth:`accept` makes some of them a
    round.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
        Finite features.
    labels : ndarray of shape (n_samples,)
        Class numbers in 0..n_classes - 1.
    sample_weight : ndarray of shape (n_samples,), float64
        Positive.
    n_classes : int
        At least 2.
    max_leaf_nodes, min_samples_leaf : int
        Most leaves of a tree, and least samples in a leaf. The lightest sample counts as one, the others in proportion
        to their weight.
    learning_rate, max_leaf_value : float
        A leaf adds ``learning_rate`` times its Newton step, which is clipped to +-`max_leaf_value` first.
    max_bins : int
        A feature with more distinct values than this is cut between groups of them, of equal frequency.
    least_squares : bool
        Whether the trees fit gradients by least squares (MART), rather than by Newton steps.
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
        labels: np.ndarray,
        sample_weight: np.ndarray,
        n_classes: int,
        *,
        max_leaf_nodes: int = 20,
        min_samples_leaf: int = 1,
        learning_rate: float = 0.1,
        max_leaf_value: float = 50.0,
        max_bins: int = 256,
        least_squares: bool = False,
        instruction_set: str | None = None,
    ) -> None:
        X = finite_matrix(X, "X")
        labels = np.ascontiguousarray(labels, dtype=np.int32)
        weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
        if labels.shape != X.shape[:1] or weights.shape != X.shape[:1]:
            raise ValueError(f"X has {len(X)} rows, labels {labels.shape} and sample_weight {weights.shape}")
        if n_classes < 2 or labels.min() < 0 or labels.max() >= n_classes:
            raise ValueError(f"labels must lie in 0..{n_classes - 1}, of at least two classes")
        if not (np.isfinite(weights).all() and (weights > 0).all()):
            raise ValueError("sample_weight must be positive and finite")
        if not 1 <= max_leaf_nodes <= 65536:
            raise ValueError(f"max_leaf_nodes must lie in 1..65536, not at {max_leaf_nodes}")
        if min_samples_leaf < 1:
            raise ValueError(f"min_samples_leaf must be at least 1, not {min_samples_leaf}")
        if not 2 <= max_bins <= 32768:
            raise ValueError(f"max_bins must lie in 2..32768, not at {max_bins}")
        counts = np.minimum(np.rint(weights / weights.min()), min_samples_leaf).astype(np.int32)  # more is enough, too
        if counts.sum() >= MAX_SAMPLES:
            raise ValueError(f"{len(X)} samples are too many; the kernel takes fewer than {MAX_SAMPLES}")
        if instruction_set is None:
            instruction_set = instruction_sets()[0]
        elif instruction_set not in instruction_sets():
            raise ValueError(f"instruction set {instruction_set!r} is not one of {instruction_sets()}")
        self.n_classes = n_classes
        self._booster = _gradient_tree.Booster(
            *bin_columns(X, max_bins),
            labels,
            weights,
            counts,
            n_classes,
            max_leaf_nodes,
            min_samples_leaf,
            float(max_leaf_value),
            float(learning_rate),
            least_squares,
            instruction_set,
        )

    def grow_class(self, k: int, factor: float) -> int:
        """Grow a tree for the score of class `k`; its leaves' values are `factor` times their Newton steps.

        With g = r_k - p_k (r_k: 1 for samples of the class, 0 for others) and h = p_k (1 - p_k), a leaf's Newton step
        is sum(g) / sum(h). Returns the number of the pending tree.
        """
        self._check_class(k)
        return self._booster.grow_class(k, factor)

    def grow_pair(self, k: int, b: int) -> int:
        """Grow a tree that moves scores from class `b` to class `k`.

        With g = (r_k - p_k) - (r_b - p_b) and h = p_k (1 - p_k) + p_b (1 - p_b) + 2 p_k p_b; the tree of (b, k) is the
        same function. Returns the number of the pending tree.
        """
        self._check_class(k)
        self._check_class(b)
        if k == b:
            raise ValueError(f"a pair needs two different classes, not {k} twice")
        return self._booster.grow_pair(k, b)

    def grow_node_pairs(self, rule: str = "second_order") -> int:
        """Grow a tree whose nodes each choose their pair of classes by one of ``PAIR_RULES`` (AOSO).

        Returns the number of the pending tree.
        """
        if rule not in PAIR_RULES:
            raise ValueError(f"pair rule {rule!r} is not one of {list(PAIR_RULES)}")
        return self._booster.grow_node_pairs(getattr(_gradient_tree.PairRule, rule))

    def loss_with(self, trees: Sequence[int]) -> float:
        """The training loss if these pending trees were accepted; IndexError for a tree that is not pending."""
        return self._booster.loss_with(list(trees))

    def accept(self, trees: Sequence[int]) -> float:
        """Make these pending trees a round, forget the others, and return the training loss.

        Raises
        ------
        IndexError
            For a tree that is not pending.
        """
        return self._booster.accept(list(trees))

    def loss(self) -> float:
        """Training loss: the sum of ``-sample_weight * log(p of the sample's class)``."""
        return self._booster.loss()

    def class_losses(self) -> np.ndarray:
        """The loss of each class's samples, shape (n_classes,)."""
        return self._booster.class_losses()

    def scores(self) -> np.ndarray:
        """Training scores F, shape (n_samples, n_classes)."""
        return self._booster.scores().reshape(self.n_classes, -1).T

    def probabilities(self) -> np.ndarray:
        """Training probabilities, the softmax of F, shape (n_samples, n_classes)."""
        return self._booster.probabilities().reshape(self.n_classes, -1).T

    def forest(self) -> "GradientForest":
        """All rounds accepted so far."""
        return GradientForest(self._booster.forest())

    def _check_class(self, k: int) -> None:
        if not 0 <= k < self.n_classes:
            raise ValueError(f"there is no class {k} among {self.n_classes}")


class GradientForest:
    """The trees of a model. ``arrays()`` gives them as flat NumPy arrays; they can be pickled."""

    def __init__(self, forest: Any) -> None:
        self._forest = forest

    def arrays(self) -> dict[str, np.ndarray]:
        """Flat arrays of rounds, trees, inner nodes and leaves.

        Round t has the trees ``round_start[t]:round_start[t + 1]``. Tree s has the inner nodes
        ``node_start[s]:node_start[s + 1]`` (feature, threshold, left, right, gain), and its leaves likewise
        (value, plus, minus). A child is an inner node's index within the tree, or ``~leaf``; samples with
        ``x >= threshold`` go right. A leaf adds ``value`` to the score of class ``plus`` and takes it from that of
        class ``minus``, unless that is -1.
        """
        return self._forest.arrays()

    def add_scores(self, first: int, last: int, X: np.ndarray, scores: np.ndarray) -> None:
        """Add the trees of rounds ``first:last`` to `scores` (n_samples, n_classes), in place."""
        self._forest.add_scores(first, last, X, scores)

    def count_errors(self, X: np.ndarray, labels: np.ndarray, n_classes: int) -> np.ndarray:
        """Misclassified rows after each round; `labels` are class indices (n_samples,), -1 for a class not known."""
        counts = np.zeros(len(self.arrays()["round_start"]) - 1, dtype=np.int64)
        self._forest.count_errors(X, np.ascontiguousarray(labels, dtype=np.int32), n_classes, counts)
        return counts

    def __getstate__(self) -> dict[str, np.ndarray]:
        return self.arrays()

    def __setstate__(self, arrays: dict[str, np.ndarray]) -> None:
        self._forest = _gradient_tree.Forest.from_arrays(*(arrays[name] for name in _ARRAYS))


def bin_columns(X: np.ndarray, max_bins: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Put each column's values into bins: one value each, or groups of equal frequency where there are too many.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
    max_bins : int

    Returns
    -------
    codes : ndarray of shape (n_features, n_samples), int32
        Each value's bin, within its column.
    start : ndarray of shape (n_features + 1,), int64
        Where each column's bins start among all bins.
    lowest, highest : ndarray of shape (n_bins,), float64
        The least and largest value in each bin.
    """
    codes, values, value_start = code_columns(X)
    start, lowest, highest = [0], [], []
    for j, column in enumerate(codes):
        distinct = values[value_start[j] : value_start[j + 1]]
        first = np.arange(len(distinct))  # the first value of each bin
        if len(distinct) > max_bins:
            counts = np.bincount(column)
            below = np.cumsum(counts) - counts
            _, first, bins = np.unique(below * max_bins // len(X), return_index=True, return_inverse=True)
            codes[j] = bins[column]
        lowest.append(distinct[first])
        highest.append(distinct[np.append(first[1:], len(distinct)) - 1])
        start.append(start[-1] + len(first))
    return codes, np.array(start, dtype=np.int64), np.concatenate(lowest), np.concatenate(highest)
