"""LEML by its formulas: objective, gradients, and the steps for the squared loss by plain linear algebra."""

import numpy as np


def losses(f, positive, loss):
    y = np.where(positive, 1.0, -1.0)
    if loss == "squared":
        return 0.5 * (positive - f) ** 2
    if loss == "logistic":
        return np.log(1 + np.exp(-y * f))
    return np.maximum(0, 1 - y * f) ** 2


def slopes(f, positive, loss):
    y = np.where(positive, 1.0, -1.0)
    if loss == "squared":
        return f - positive
    if loss == "logistic":
        return -y / (1 + np.exp(y * f))
    return -2 * y * np.maximum(0, 1 - y * f)


def objective(X, positive, W, H, loss, alpha):
    return losses(X @ W @ H.T, positive, loss).sum() + alpha / 2 * ((W**2).sum() + (H**2).sum())


def gradients(X, positive, W, H, loss, alpha):
    D = slopes(X @ W @ H.T, positive, loss)
    return X.T @ D @ H + alpha * W, D.T @ (X @ W) + alpha * H


def squared_W(X, Y, H, alpha):
    """``X'X W H'H + alpha W = X'Y H`` as one system in all d k unknowns."""
    d, k = X.shape[1], H.shape[1]
    system = np.kron(X.T @ X, H.T @ H) + alpha * np.eye(d * k)
    return np.linalg.solve(system, (X.T @ Y @ H).ravel()).reshape(d, k)


def squared_H(X, Y, W, alpha):
    A = X @ W
    return np.array([np.linalg.solve(A.T @ A + alpha * np.eye(A.shape[1]), A.T @ y) for y in Y.T])
