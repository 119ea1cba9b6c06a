"""SVM+ and privileged labels in plain NumPy, everything written out (You et al. 2017, Li et al. 2016)."""

import numpy as np
from scipy.optimize import nnls

MASK = 2**64 - 1


def visit_orders(n, n_sweeps, seed):
    """The kernel's orders of visits: Fisher-Yates shuffles, each of the last order, by SplitMix64."""
    order, state = list(range(n)), seed
    for _ in range(n_sweeps):
        for left in range(n, 1, -1):
            state = (state + 0x9E3779B97F4A7C15) & MASK
            x = state
            x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
            x ^= x >> 31
            order[left - 1], order[x % left] = order[x % left], order[left - 1]
        yield list(order)


def privileged_labels(Y, i, pool=None, constant=0.0):
    """(3): the signs of the labels in a pool (all but i by default) as columns, others 0; the constant last."""
    member = np.arange(Y.shape[1]) != i if pool is None else pool
    return np.column_stack([(2.0 * Y - 1) * member, np.full(len(Y), constant)])


def primal(w, wt, X, Xt, y, C, gamma):
    """Value of (6) over gamma1, and by how much its constraints are missed at most."""
    slack = Xt @ wt
    missed = max(0.0, (1 - slack - y * (X @ w)).max(), (-slack).max())
    return w @ w / 2 + gamma / 2 * wt @ wt + C * slack.sum(), missed


def dual(a, b, X, Xt, y, C, gamma):
    """Value of (7)."""
    u, v = X.T @ (a * y), Xt.T @ (a + b - C)
    return a.sum() - u @ u / 2 - v @ v / (2 * gamma)


def coordinate_descent(X, Xt, y, C, gamma, orders, start="zero_slack"):
    """P2, literally; returns w, wt, a, b."""
    a, b = np.zeros(len(y)), np.full(len(y), C if start == "zero_slack" else 0.0)
    w, wt = np.zeros(X.shape[1]), Xt.T @ (a + b - C) / gamma
    for order in orders:
        for j in order:
            per_unit = Xt[j] @ Xt[j] / gamma
            new = max(0.0, a[j] - (y[j] * (w @ X[j]) + wt @ Xt[j] - 1) / (X[j] @ X[j] + per_unit))
            w += (new - a[j]) * y[j] * X[j]
            wt += (new - a[j]) / gamma * Xt[j]
            a[j] = new
            new = max(0.0, b[j] - wt @ Xt[j] / per_unit)
            wt += (new - b[j]) / gamma * Xt[j]
            b[j] = new
    return w, wt, a, b


def dictionary_descent(X, Y, W, advice, C, gamma, orders, start="zero_slack"):
    """P3, literally, example by example; `advice` lists the privileged features of each label. Returns D, wt, a, b."""
    n, L = Y.shape
    a, b = np.zeros((n, L)), np.full((n, L), C if start == "zero_slack" else 0.0)
    D = np.zeros((W.shape[1], X.shape[1]))
    wt = [advice[i].T @ (a[:, i] + b[:, i] - C) / gamma for i in range(L)]
    for order in orders:
        for j in order:
            for i in range(L):
                y, xt = 2.0 * Y[j, i] - 1, advice[i][j]
                per_unit = xt @ xt / gamma
                curvature = (W[i] @ W[i]) * (X[j] @ X[j]) + per_unit
                new = max(0.0, a[j, i] - (y * (W[i] @ D @ X[j]) + wt[i] @ xt - 1) / curvature)
                D += (new - a[j, i]) * y * np.outer(W[i], X[j])
                wt[i] = wt[i] + (new - a[j, i]) / gamma * xt
                a[j, i] = new
                new = max(0.0, b[j, i] - wt[i] @ xt / per_unit)
                wt[i] = wt[i] + (new - b[j, i]) / gamma * xt
                b[j, i] = new
    return D, wt, a, b


def solve_qp(quadratic, linear, A, bound):
    """``min v' diag(quadratic) v / 2 + linear'v`` subject to ``A v >= bound``, by a general solver.

    With ``u = sqrt(q) v + c / sqrt(q)`` it is the least distance of a polyhedron from 0, which non-negative least
    squares finds (Lawson and Hanson 1974, chapter 23).
    """
    root = np.sqrt(quadratic)
    G, h = A / root, bound + A @ (linear / quadratic)
    E, f = np.vstack([G.T, h]), np.r_[np.zeros(len(root)), 1.0]
    rest = E @ nnls(E, f, maxiter=100 * len(h))[0] - f
    assert np.linalg.norm(rest) > 1e-7, "no feasible point"
    v = (-rest[:-1] / rest[-1] - linear / root) / root
    return v, (quadratic * v) @ v / 2 + linear @ v


def svm_plus_by_qp(X, Xt, y, C, gamma):
    """The optimum of (6) over gamma1: w, wt and its value."""
    n, d = X.shape
    A = np.block([[y[:, None] * X, Xt], [np.zeros_like(X), Xt]])
    bound = np.r_[np.ones(n), np.zeros(n)]
    quadratic = np.r_[np.ones(d), np.full(Xt.shape[1], gamma)]
    v, value = solve_qp(quadratic, np.r_[np.zeros(d), C * Xt.sum(axis=0)], A, bound)
    return v[:d], v[d:], value


def dictionary_by_qp(X, Y, W, advice, C, gamma):
    """The optimum of (9): D and its value without the constant."""
    (n, L), (k, d), p = Y.shape, (W.shape[1], X.shape[1]), advice[0].shape[1]
    rows, bound = [], []
    for i in range(L):
        for j in range(n):
            slack = np.zeros((L, p))
            slack[i] = advice[i][j]
            rows.append(np.r_[(2.0 * Y[j, i] - 1) * np.outer(W[i], X[j]).ravel(), slack.ravel()])
            rows.append(np.r_[np.zeros(k * d), slack.ravel()])
            bound += [1, 0]
    quadratic = np.r_[np.ones(k * d), np.full(L * p, gamma)]
    linear = np.r_[np.zeros(k * d), C * np.concatenate([xt.sum(axis=0) for xt in advice])]
    v, value = solve_qp(quadratic, linear, np.array(rows), np.array(bound))
    return v[: k * d].reshape(k, d), value
