"""Decision stumps and the binary boosters in plain NumPy, written for reading.

Weights are rounded to multiples of 2^-30 of their sum before they are compared, as the kernel does, so that ties are
exact.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import erf


def fixed_point(values):
    total = math.fsum(np.abs(values))
    return np.rint(values * (2.0**30 / total)).astype(np.int64) if total else np.zeros(len(values), dtype=np.int64)


@dataclass
class Cut:
    score: float
    feature: int = -1  # no cut: all rows on the + side
    threshold: float = -np.inf

    def plus(self, X):
        return np.ones(len(X), dtype=bool) if self.feature < 0 else X[:, self.feature] >= self.threshold


def best_cut(X, columns, worth):
    """The cut of the highest ``worth(minus, total)``: no cut first, then features, then thresholds from below.

    `columns` (n, k) are integers; `minus` is (m, k), their sums over the rows below each threshold, `total` (k,).
    """
    total = columns.sum(axis=0)
    best = Cut(float(worth(np.zeros((1, len(total))), total.astype(float))[0]))
    for j in range(X.shape[1]):
        values, codes = np.unique(X[:, j], return_inverse=True)
        sums = np.zeros((len(values), len(total)), dtype=np.int64)
        np.add.at(sums, codes, columns)
        scores = worth(np.cumsum(sums, axis=0)[:-1].astype(float), total.astype(float))
        if len(scores) and scores.max() > best.score:
            b = int(scores.argmax())
            middle = values[b] / 2 + values[b + 1] / 2
            best = Cut(float(scores[b]), j, middle if middle > values[b] else values[b + 1])
    return best


def classify(X, signed_weights):
    """Largest |edge|."""
    return best_cut(X, fixed_point(signed_weights)[:, None], lambda minus, total: np.abs(total - 2 * minus)[:, 0])


def rate(X, signed_weights):
    """Least sqrt(P_- N_-) + sqrt(P_+ N_+)."""

    def worth(minus, total):
        plus = total - minus
        return -(np.sqrt(minus[:, 0] * minus[:, 1]) + np.sqrt(plus[:, 0] * plus[:, 1]))

    q = fixed_point(signed_weights)
    return best_cut(X, np.column_stack([np.maximum(q, 0), np.maximum(-q, 0)]), worth)


def regress(X, gradients, weights):
    """Largest S_-^2/W_- + S_+^2/W_+."""

    def side(S, W):
        return np.where(W > 0, S * S / np.where(W > 0, W, 1), 0)

    def worth(minus, total):
        plus = total - minus
        return side(minus[:, 0], minus[:, 1]) + side(plus[:, 0], plus[:, 1])

    w = fixed_point(weights)
    return best_cut(X, np.column_stack([np.where(w > 0, fixed_point(gradients), 0), w]), worth)


def adaboost(X, y, sample_weight, n_rounds):
    """Discrete AdaBoost; returns the training scores."""
    H = np.zeros(len(y))
    for _ in range(n_rounds):
        w = sample_weight * np.exp(-y * H)
        h = np.where(classify(X, w * y).plus(X), 1, -1)
        edge = (w * y * h).sum() / w.sum()
        H = H + 0.5 * np.log((1 + edge) / (1 - edge)) * h
    return H


def additive(X, y, sample_weight, n_rounds, working, rate):
    """Add ``rate`` times weighted least-squares stumps; ``working(y, H)`` gives response z and weight w."""
    H = np.zeros(len(y))
    for _ in range(n_rounds):
        z, w = working(y, H)
        w = w * sample_weight
        plus = regress(X, w * z, w).plus(X)
        for side in (plus, ~plus):
            if side.any():
                H[side] += rate * (w * z)[side].sum() / w[side].sum()
    return H


def gentle(y, H):
    return y, np.exp(-y * H)


def logit(y, H, z_max=4.0):
    p = 1 / (1 + np.exp(-2 * H))
    return np.clip(((y + 1) / 2 - p) / (p * (1 - p)), -z_max, z_max), p * (1 - p)


def tangent(y, H, truncation="response"):
    p = np.arctan(H) + 0.5
    w = 1 / (1 + H**2) ** 2
    if truncation == "weight":
        w = np.where(np.abs(H) > np.tan(0.5), 0, w)
    if truncation != "none":
        p = np.clip(p, 0, 1)
    return ((y + 1) / 2 - p) * (1 + H**2), w


class RobustPotential:
    """mu, sigma, Phi and w of RobustBoost as printed, with the rho of an error goal found by root finding."""

    def __init__(self, error_goal, theta, sigma_f, unit):
        self.theta, self.sigma_f, self.unit = theta, sigma_f, unit
        self.rho = 0.0

        def excess(rho):
            self.rho = rho
            return self.phi(np.zeros(1), 0.0)[0] - error_goal

        self.rho = brentq(excess, -20 if unit else theta * np.e / (2 * (np.e - 1)) + 1e-9, 20, xtol=1e-14)

    def mu(self, t):
        return (self.theta - 2 * self.rho) * np.exp(1 - t) + 2 * self.rho

    def sigma(self, t):
        return np.sqrt((self.sigma_f**2 + 1) * np.exp(2 * (1 - t)) - 1)

    def phi(self, m, t):
        a = (m - self.mu(t)) / self.sigma(t)
        return 1 - (1 + erf(a)) / 2 if self.unit else np.minimum(1, 1 - erf(a))

    def w(self, m, t):
        a = (m - self.mu(t)) / self.sigma(t)
        return np.exp(-(a**2)) * (1 if self.unit else m > self.mu(t))


def robust_residuals(potential, m, u, sample_weight, t, ds, dt):
    """The two constraints of a step, averaged."""
    share = sample_weight / sample_weight.sum()
    moved = m * np.exp(-dt) + ds * u
    correlation = (share * u * potential.w(moved, t + dt)).sum()
    return correlation, (share * (potential.phi(moved, t + dt) - potential.phi(m, t))).sum()
