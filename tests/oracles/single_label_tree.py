"""Cost-sensitive trees and AdaBoost.MM in plain NumPy, written for reading; gains are integers, as in the kernel."""

import numpy as np

from oracles.hamming_tree import SCALE


def best_cut(X, Q):
    """The cut with the largest sum of both sides' best classes: (gain, feature, threshold); gain 0 if there is none."""
    total = Q.sum(axis=0)
    best = (0, -1, -np.inf)
    for j in range(X.shape[1]):
        values, codes = np.unique(X[:, j], return_inverse=True)
        sums = np.zeros((len(values), Q.shape[1]), dtype=np.int64)
        np.add.at(sums, codes, Q)
        minus = np.cumsum(sums, axis=0)[:-1]
        gains = minus.max(axis=1) + (total - minus).max(axis=1) - total.max() if len(minus) else np.zeros(0)
        if len(gains) and gains.max() > best[0]:
            b = int(np.argmax(gains))
            middle = values[b] / 2 + values[b + 1] / 2
            best = (int(gains[b]), j, middle if middle > values[b] else values[b + 1])
    return best


def grow_tree(X, Q, max_leaf_nodes):
    """Best-first tree on integer gains Q (n, K) of naming each class. Returns [(feature, threshold)] in the order of
    the cuts and the class named for each row."""
    cuts, leaves = [], [(np.arange(len(X)), best_cut(X, Q))]  # leaves in the order they were made
    while len(cuts) + 1 < max_leaf_nodes:
        gains = [cut[0] for _, cut in leaves]
        if max(gains) <= 0:
            break
        rows, (_, feature, threshold) = leaves.pop(gains.index(max(gains)))
        cuts.append((feature, threshold))
        plus = X[rows, feature] >= threshold
        for side in (rows[~plus], rows[plus]):
            leaves.append((side, best_cut(X[side], Q[side])))
    named = np.empty(len(X), dtype=int)
    for rows, _ in leaves:
        named[rows] = Q[rows].sum(axis=0).argmax()
    return cuts, named


def adaboost_mm(X, labels, K, max_leaf_nodes, n_rounds, step="exact"):
    """Section 6 of the baselines: returns the cuts, the alphas, and the training scores and losses round by round."""
    rows = np.arange(len(X))
    f = np.zeros((len(X), K))
    trees, alphas, scores, losses = [], [], [], []
    for _ in range(n_rounds):
        C = np.exp(f - f[rows, labels][:, None])
        C[rows, labels] = 0
        C[rows, labels] = -C.sum(axis=1)
        loss = -C[rows, labels].sum()
        cuts, named = grow_tree(X, np.rint(-C / (2 * loss) * SCALE).astype(np.int64), max_leaf_nodes)
        right = named == labels
        A_plus, A_minus = -C[rows, labels][right].sum(), C[rows, named][~right].sum()
        delta = (A_plus - A_minus) / loss
        if delta <= 0:
            break
        perfect = delta > 1 - 1e-10
        if step == "edge" or perfect:
            delta = min(delta, 1 - 1e-10)
            alpha = 0.5 * np.log((1 + delta) / (1 - delta))
        else:
            alpha = 0.5 * np.log(A_plus / A_minus)
        f[rows, named] += alpha
        trees.append(cuts)
        alphas.append(alpha)
        scores.append(f.copy())
        losses.append(np.exp(f - f[rows, labels][:, None]).sum() - len(X))
        if perfect:
            break
    return trees, np.array(alphas), scores, np.array(losses)
