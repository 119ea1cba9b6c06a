"""SPBL's formulas (algorithms S1-S6) in plain NumPy, float64, one line each where possible."""

import numpy as np
from scipy.optimize import minimize


def margins(H, W, y):
    """rho_ir = H_i.(w_(y_i) - w_r)."""
    F = H @ W
    return F[np.arange(len(y)), y][:, None] - F


def losses(H, W, y):
    return np.logaddexp(0, -margins(H, W, y)).sum(axis=1)


def objective(H, W, y, v, nu):
    """(9): what the W-step minimises."""
    return v @ losses(H, W, y) + nu * np.linalg.norm(W, axis=1).sum()


def dual_weights(H, W, y, v):
    """(11): U_ir = v_i / (1 + exp(rho_ir))."""
    return v[:, None] / (1 + np.exp(margins(H, W, y)))


def column_coefficients(U, y):
    """c_ir = [r = y_i] sum_l U_il - U_ir: what (12) weighs outputs with."""
    c = -U
    c[np.arange(len(y)), y] += U.sum(axis=1)
    return c


def violation(h, U, y):
    """(12) for every class r."""
    return h @ column_coefficients(U.copy(), y)


def conditions(H, W, y, v, nu):
    """By how much each row of W misses its optimality conditions (S3), over nu."""
    G = H.T @ column_coefficients(dual_weights(H, W, y, v), y)
    missing = []
    for g, w in zip(G, W, strict=True):
        if not w.any():
            missing.append(max(0.0, np.linalg.norm(np.maximum(g, 0)) - nu))
            continue
        gap = g - nu * w / np.linalg.norm(w)
        missing.append(np.linalg.norm(np.where(w > 0, gap, np.maximum(g, 0))))
    return np.array(missing) / nu


def solve(H, y, v, nu, n_classes):
    """Minimise (9) slowly: proximal gradient steps with Nesterov's momentum, restarted."""
    k = H.shape[1]
    W = Z = np.zeros((k, n_classes))
    momentum, step = 1.0, 4.0 / (n_classes * np.linalg.norm(H * np.sqrt(v)[:, None], 2) ** 2)
    for _ in range(8000):
        G = H.T @ column_coefficients(dual_weights(H, Z, y, v), y)
        moved = np.maximum(Z + step * G, 0)
        size = np.linalg.norm(moved, axis=1, keepdims=True)
        new = moved * np.maximum(0, 1 - step * nu / np.maximum(size, 1e-300))
        if np.vdot(Z - new, new - W) > 0:
            momentum = 1.0
        after = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        Z = new + (momentum - 1) / after * (new - W)
        W, momentum = new, after
    return W


def logistic_unit(X, c, ridge):
    """Maximise sum_i c_i / (1 + exp(-(a'x_i + b))) - ridge/2 |a|^2 from zero; returns the value and (a, b)."""
    Z = np.column_stack([X, np.ones(len(X))])

    def cost(a):
        h = 1 / (1 + np.exp(-Z @ a))
        gradient = -Z.T @ (c * h * (1 - h))
        gradient[:-1] += ridge * a[:-1]
        return -c @ h + ridge / 2 * a[:-1] @ a[:-1], gradient

    found = minimize(cost, np.zeros(Z.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 1000, "ftol": 1e-14})
    return -found.fun, found.x


def best_stump(X, c):
    """Value of the best 0/1 stump, constants included, over all features, cuts, sides and classes."""
    best = max(c.sum(axis=0).max(), 0)
    for x in X.T:
        for threshold in np.unique(x):
            for side in (x >= threshold, x < threshold):
                best = max(best, c[side].sum(axis=0).max())
    return best


def mixture_weight(loss, lam, zeta):
    """(8)."""
    if loss <= zeta * lam / (zeta + lam):
        return 1.0
    return 0.0 if loss >= lam else zeta / loss - zeta / lam
