"""AdaBoost.MH with Hamming trees in plain NumPy: figures 1, 2 and 3 of Kegl 2014, written for reading.

Searches sum weights rounded to multiples of 2^-30, as the kernel does, so that ties are exact.
"""

from dataclasses import dataclass

import numpy as np

SCALE = 2.0**30


@dataclass
class Stump:
    score: int  # sum of absolute class-wise edges
    feature: int  # -1: the constant classifier
    threshold: float
    edges: np.ndarray  # class-wise edges of the cut with votes of 1

    @property
    def votes(self):
        return np.where(self.edges > 0, 1, -1)  # (13)


def best_stump(X, Q):
    """Appendix B on integer signed weights Q (n, K): constant first, then features, then thresholds from below."""
    total = Q.sum(axis=0)
    best = Stump(int(np.abs(total).sum()), -1, -np.inf, total)
    for j in range(X.shape[1]):
        values, codes = np.unique(X[:, j], return_inverse=True)
        sums = np.zeros((len(values), Q.shape[1]), dtype=np.int64)
        np.add.at(sums, codes, Q)
        minus = np.cumsum(sums, axis=0)[:-1]  # what lies below each threshold
        scores = np.abs(total - 2 * minus).sum(axis=1)
        if len(scores) and scores.max() > best.score:
            b = int(np.argmax(scores))
            middle = values[b] / 2 + values[b + 1] / 2
            threshold = middle if middle > values[b] else values[b + 1]
            best = Stump(int(scores[b]), j, threshold, total - 2 * minus[b])
    return best


def grow_tree(X, Q, n_inner_nodes):
    """Figure 2. Returns the nodes [(feature, threshold, minus, plus)], a child being a node or ~leaf, the leaves' votes
    and each row's leaf."""
    nodes, inner_votes, leaf_votes = [], [], []
    leaf_of = np.zeros(len(X), dtype=int)
    stump = best_stump(X, Q)
    queue = [(stump.score, np.arange(len(X)), stump, None, 0)]  # key, rows, stump, parent, side

    def hang(parent, side, child):
        if parent is not None:
            nodes[parent][2 if side < 0 else 3] = child

    def add_leaf(parent, side, rows, votes):
        hang(parent, side, ~len(leaf_votes))
        leaf_of[rows] = len(leaf_votes)
        leaf_votes.append(votes)

    for _ in range(n_inner_nodes):
        keys = [item[0] for item in queue]
        if not keys or max(keys) <= 0:
            break
        _, rows, stump, parent, side = queue.pop(keys.index(max(keys)))
        if stump.feature < 0:
            add_leaf(parent, side, rows, stump.votes)
            continue
        j = len(nodes)
        hang(parent, side, j)
        nodes.append([stump.feature, stump.threshold, None, None])
        inner_votes.append(stump.votes)
        plus = X[rows, stump.feature] >= stump.threshold
        for child_side, child_rows in ((-1, rows[~plus]), (1, rows[plus])):
            child = best_stump(X[child_rows], Q[child_rows])
            parent_edge = int((child_side * stump.votes * Q[child_rows].sum(axis=0)).sum())
            queue.append((child.score - parent_edge, child_rows, child, j, child_side))
    for _, rows, _, parent, side in queue:
        votes = np.where(Q.sum(axis=0) > 0, 1, -1) if parent is None else side * inner_votes[parent]
        add_leaf(parent, side, rows, votes)
    return nodes, np.array(leaf_votes), leaf_of


def initial_weights(Y, multilabel=False):
    """Equation (3), or uniform; Y (n, K) of -1 and +1."""
    K = Y.shape[1]
    W = np.ones(Y.shape) if multilabel else np.where(Y > 0, 1 / 2, 1 / (2 * (K - 1)))
    return W / W.sum()


def sum_in_order(matrix):
    """Rows first, one after the other, then classes: the kernel's order of addition."""
    return float(np.cumsum(np.cumsum(matrix, axis=0)[-1])[-1])


def boost_with(base, Y, W, n_rounds):
    """Figure 1. `base(Q)` gives a base classifier and its outputs H (n, K) on the training rows.

    Returns the base classifiers, alphas, edges and the training scores after the last round.
    """
    classifiers, alphas, edges = [], [], []
    scores = np.zeros(Y.shape)
    S = W * Y
    total = 1.0
    for _ in range(n_rounds):
        classifier, H = base(np.rint(S * SCALE).astype(np.int64))
        edge = sum_in_order(S * H) / total
        if not classifier or edge <= 0:
            break
        perfect = edge > 1 - 1e-10
        edge = min(edge, 1 - 1e-10)
        alpha = 0.5 * np.log((1 + edge) / (1 - edge))
        Z = total * np.sqrt(1 - edge**2)
        S = S * np.where(S * H > 0, np.exp(-alpha) / Z, np.exp(alpha) / Z)
        total = sum_in_order(np.abs(S))
        scores += alpha * H
        classifiers.append(classifier)
        alphas.append(alpha)
        edges.append(edge)
        if perfect:
            break
    return classifiers, np.array(alphas), np.array(edges), scores


def boost(X, Y, W, n_inner_nodes, n_rounds):
    """Figure 1 with trees [(nodes, leaf_votes)]."""

    def base(Q):
        nodes, leaf_votes, leaf_of = grow_tree(X, Q, n_inner_nodes)
        return (nodes, leaf_votes), leaf_votes[leaf_of]

    return boost_with(base, Y, W, n_rounds)
