"""ML2 by its formulas: neighbours' weights, the quadratic programme of a label, the regression's objective."""

import numpy as np
from scipy.optimize import lsq_linear


def weights(X, n_neighbors, ridge):
    n = len(X)
    W = np.zeros((n, n))
    for i in range(n):
        distances = ((X - X[i]) ** 2).sum(axis=1)
        distances[i] = np.inf
        near = np.argsort(distances, kind="stable")[:n_neighbors]
        G = (X[i] - X[near]) @ (X[i] - X[near]).T
        w = np.linalg.solve(G + ridge * np.trace(G) * np.eye(len(near)), np.ones(len(near)))
        W[i, near] = w / w.sum()
    return W


def numerical_label(W, y):
    """min |(I - W) mu|^2 with y mu >= 1, by an active-set method for z = y mu."""
    found = lsq_linear((np.eye(len(y)) - W) * y, np.zeros(len(y)), bounds=(1, np.inf), method="bvls", tol=1e-14)
    return found.x * y


def kernel(X, Z, gamma):
    return np.exp(-gamma * ((X[:, None] - Z[None]) ** 2).sum(axis=2))


def objective(beta, b, K, mu, y, C1, C2, epsilon):
    f = K @ beta + b
    r = np.sqrt(((mu - f) ** 2).sum(axis=1))
    fit = sum(max(0, ri - epsilon) ** 2 for ri in r)
    return 0.5 * np.trace(beta.T @ K @ beta) + C1 * fit + C2 * np.maximum(0, -y * f).sum()
