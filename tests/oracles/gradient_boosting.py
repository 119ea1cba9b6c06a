"""LogitBoost, MART, ABC-LogitBoost, ABC-MART and AOSO-LogitBoost in plain NumPy, written for reading.

Gradients and Hessians are rounded to multiples of a power of two before they are summed, as the kernel does, so that
ties are exact. A boosting loop takes the softmax as an argument: with the kernel's own, ties between gradients that are
equal by symmetry come out as there.
"""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Leaf:
    rows: np.ndarray
    gain: float = 0.0  # of its best split
    feature: int = -1
    threshold: float = 0.0
    parent: tuple = ()  # (inner node, "left" or "right")
    pair: tuple = ()  # AOSO's classes (a, c)


@dataclass
class Tree:
    nodes: list = field(default_factory=list)  # [feature, threshold, left, right], a child being a node or ~leaf
    gains: list = field(default_factory=list)
    leaves: list = field(default_factory=list)
    values: list = field(default_factory=list)
    leaf_of: np.ndarray | None = None


def sums_of(codes, q, n):
    sums = np.zeros(n, dtype=np.int64)
    np.add.at(sums, codes, q)
    return sums


def best_split(X, g, w, counts, least):
    """The split of highest S_L^2/W_L + S_R^2/W_R - S^2/W on integers g and w: first feature, then lowest threshold."""
    G, W, best = float(g.sum()), float(w.sum()), (-1.0, -1, 0.0)
    for j in range(X.shape[1]):
        values, codes = np.unique(X[:, j], return_inverse=True)
        gl, wl, nl = (np.cumsum(sums_of(codes, q, len(values)))[:-1] for q in (g, w, counts))
        gr, wr = g.sum() - gl, w.sum() - wl
        allowed = (nl >= least) & (counts.sum() - nl >= least) & (wl > 0) & (wr > 0)
        gl, gr, wl, wr = (a.astype(float) for a in (gl, gr, wl, wr))
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.where(allowed, (gl * gl * wr + gr * gr * wl) / (wl * wr), -1.0)
        if len(score) and score.max() > best[0]:
            b = int(score.argmax())
            middle = values[b] / 2 + values[b + 1] / 2
            best = (float(score[b]), j, middle if middle > values[b] else values[b + 1])
    score, feature, threshold = best
    return (score - G * G / W if feature >= 0 else 0.0), feature, threshold


def grow(X, gradients, counts, max_leaves, least, value):
    """Best-first. `gradients(rows)` gives a node's pair of classes and its rows' integers g and w; `value(pair, rows)`
    a leaf's value."""
    tree = Tree(leaf_of=np.zeros(len(X), dtype=int))

    def open_leaf(rows, parent=()):
        pair, g, w = gradients(rows)
        gain, feature, threshold = best_split(X[rows], g, w, counts[rows], least)
        return Leaf(rows, gain, feature, threshold, parent, pair)

    def hang(parent, child):
        if parent:
            tree.nodes[parent[0]][2 if parent[1] == "left" else 3] = child

    leaves = [open_leaf(np.arange(len(X)))]
    while len(leaves) < max_leaves:
        gains = [leaf.gain for leaf in leaves]
        if max(gains) <= 0:
            break
        leaf = leaves.pop(gains.index(max(gains)))
        inner = len(tree.nodes)
        hang(leaf.parent, inner)
        tree.nodes.append([leaf.feature, leaf.threshold, None, None])
        tree.gains.append(leaf.gain)
        right = X[leaf.rows, leaf.feature] >= leaf.threshold
        leaves.append(open_leaf(leaf.rows[~right], (inner, "left")))
        leaves.append(open_leaf(leaf.rows[right], (inner, "right")))
    for i, leaf in enumerate(leaves):
        hang(leaf.parent, ~i)
        tree.leaves.append(leaf)
        tree.values.append(value(leaf.pair, leaf.rows))
        tree.leaf_of[leaf.rows] = i
    return tree


def softmax(F):
    E = np.exp(F - F.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


def losses(F, y):
    """-log p of each row's class."""
    others = np.array([np.exp(np.delete(f, k) - f[k]).sum() for f, k in zip(F, y, strict=True)])
    return np.log1p(others)


def pair_hessian(p, q):
    return (p * (1 - p) + q * (1 - q)) + 2 * (p * q)


class Booster:
    """The state of a boosting loop, F, and a tree for a class, for a pair of classes, or with pairs of its nodes' own.

    Each returns the function it adds, as a matrix n x K, and the tree.
    """

    def __init__(self, X, y, K, weights=None, J=20, nu=0.1, least=1, max_value=50.0, least_squares=False,
                 softmax=softmax):  # fmt: skip
        self.X, self.y, self.K, self.J, self.nu = X, y, K, J, nu
        self.weights = np.ones(len(X)) if weights is None else weights
        self.least, self.max_value, self.least_squares, self.softmax = least, max_value, least_squares, softmax
        self.counts = np.minimum(np.rint(self.weights / self.weights.min()), least).astype(np.int64)
        self.R = np.eye(K)[y]
        self.F = np.zeros((len(X), K))

    def start_round(self):
        """Probabilities, and the powers of two that gradients and Hessians are multiplied by before rounding."""
        self.P = self.softmax(self.F)
        others = 1 - self.P[np.arange(len(self.y)), self.y]
        rows, counted = len(self.X).bit_length(), int(self.counts.sum()).bit_length()
        largest = max(np.frexp(4 * (others * self.weights).max())[1], -300)
        self.g_scale = 2.0 ** (min(50, 61 - rows) - largest)
        self.w_scale = 2.0 ** (min(50, 61 - rows - counted) - largest)
        if self.least_squares:
            self.w_scale = 2.0 ** (min(50, 61 - rows - counted) - np.frexp(self.weights.max())[1])

    def residual(self, k):
        return np.rint((self.R[:, k] - self.P[:, k]) * self.weights * self.g_scale).astype(np.int64)

    def tree(self, g, h, factor=1.0):
        """A tree on fixed gradients; `g` in integers."""
        w = np.rint((self.weights if self.least_squares else h) * self.w_scale).astype(np.int64)
        H = np.rint(h * self.g_scale).astype(np.int64)
        return grow(
            self.X, lambda rows: ((), g[rows], w[rows]), self.counts, self.J, self.least,
            lambda _, rows: self.step(g[rows].sum(), H[rows].sum(), factor),
        )  # fmt: skip

    def step(self, g, h, factor=1.0):
        value = factor * ((float(g) / self.g_scale) / (float(h) / self.g_scale)) if h > 0 else 0.0
        return self.nu * min(max(value, -self.max_value), self.max_value)

    def class_tree(self, k):
        p = self.P[:, k]
        tree = self.tree(self.residual(k), p * (1 - p) * self.weights, (self.K - 1) / self.K)
        change = np.zeros_like(self.F)
        change[:, k] += np.array(tree.values)[tree.leaf_of]
        return change, tree

    def pair_tree(self, k, b):
        h = pair_hessian(self.P[:, k], self.P[:, b]) * self.weights
        tree = self.tree(self.residual(k) - self.residual(b), h)
        values = np.array(tree.values)[tree.leaf_of]
        change = np.zeros_like(self.F)
        change[:, k] += values
        change[:, b] -= values
        return change, tree

    def node_pair_tree(self, rule):
        Q = np.array([self.residual(k) for k in range(self.K)]).T

        def pair_sums(a, c, rows, scale):
            h = pair_hessian(self.P[rows, a], self.P[rows, c]) * self.weights[rows]
            return Q[rows, a] - Q[rows, c], np.rint(h * scale).astype(np.int64)

        def gain(pair, rows):
            g, w = pair_sums(*pair, rows, self.w_scale)
            return float(g.sum()) * float(g.sum()) / float(w.sum()) if w.sum() > 0 else 0.0

        def choose(rows):
            G = Q[rows].sum(axis=0)
            a, c = int(G.argmax()), int(G.argmin())
            if rule == "exhaustive":
                pairs = [(a, c) for a in range(self.K) for c in range(a + 1, self.K)]
            elif rule == "second_order" or a == c:
                pairs = [(a, k) for k in range(self.K) if k != a]
            else:
                pairs = [(a, c)]
            return max(pairs, key=lambda pair: gain(pair, rows))

        def gradients(rows):
            pair = choose(rows)
            return pair, *pair_sums(*pair, rows, self.w_scale)

        def value(pair, rows):
            g, h = pair_sums(*pair, rows, self.g_scale)
            return self.step(g.sum(), h.sum())

        tree = grow(self.X, gradients, self.counts, self.J, self.least, value)
        change = np.zeros_like(self.F)
        for leaf, v in zip(tree.leaves, tree.values, strict=True):
            change[leaf.rows, leaf.pair[0]] += v
            change[leaf.rows, leaf.pair[1]] -= v
        return change, tree


def logitboost_round(booster):
    """LogitBoost, or MART where the booster fits by least squares. Returns the trees."""
    booster.start_round()
    grown = [booster.pair_tree(1, 0)] if booster.K == 2 else [booster.class_tree(k) for k in range(booster.K)]
    for change, _ in grown:
        booster.F = booster.F + change
    return [tree for _, tree in grown]


def abc_round(booster, bases):
    """ABC-LogitBoost or ABC-MART, trying these bases, every tree of each grown. Returns the base and its trees."""
    booster.start_round()
    best = None
    for b in bases:
        grown = [booster.pair_tree(k, b) for k in range(booster.K) if k != b]
        F = booster.F
        for change, _ in grown:
            F = F + change
        loss = (booster.weights * losses(F, booster.y)).sum()
        if best is None or loss < best[0] - 1e-12 * loss:  # bases that are equal but for rounding: the first
            best = (loss, b, F, [tree for _, tree in grown])
    booster.F = best[2]
    return best[1], best[3]


def aoso_round(booster, rule="second_order"):
    """AOSO-LogitBoost. Returns the tree."""
    booster.start_round()
    change, tree = booster.node_pair_tree(rule)
    booster.F = booster.F + change
    return tree
