"""AdaBoost.MH with Hamming products in plain NumPy, factor by factor as Kegl & Busa-Fekete (2009) describe it.

Each factor is a stump with votes of its own, fitted to pseudo-labels: the labels times the other factors' outputs.
"""

import numpy as np

from oracles.hamming_tree import SCALE, best_stump, sum_in_order


class Factor:
    def __init__(self, stump, votes):
        self.feature, self.threshold, self.votes = stump.feature, stump.threshold, votes

    def outputs(self, X):
        """h_jl(x) in {-1, +1}, shape (n, K)."""
        constant = self.feature < 0
        phi = np.ones(len(X), dtype=int) if constant else np.where(X[:, self.feature] >= self.threshold, 1, -1)
        return phi[:, None] * self.votes


def product_of(factors, X, K):
    H = np.ones((len(X), K), dtype=int)
    for factor in factors:
        H = H * factor.outputs(X)
    return H


def fit_product(X, Q, n_factors):
    """A greedy first pass, then cycles over the factors; the first fit that does not raise the edge ends it."""
    K = Q.shape[1]
    factors, edge, j = [], 0, 0
    while True:
        others = factors[:j] + factors[j + 1 :]
        stump = best_stump(X, Q * product_of(others, X, K))
        if stump.score <= edge:
            return factors
        edge = stump.score
        # A class of edge 0 gets -1 from the product, as from a stump (13).
        other_votes = product_of(others, np.full((1, X.shape[1]), np.inf), K)[0]
        factors[j : j + 1] = [Factor(stump, np.where(stump.edges == 0, -other_votes, stump.votes))]
        j = (j + 1) % n_factors


def boost(X, Y, W, n_factors, n_rounds):
    """Figure 1 with products. Returns the products (lists of factors), alphas, edges and the training scores."""
    products, alphas, edges = [], [], []
    scores = np.zeros(Y.shape)
    S = W * Y
    total = 1.0
    for _ in range(n_rounds):
        factors = fit_product(X, np.rint(S * SCALE).astype(np.int64), n_factors)
        if not factors:
            break
        H = product_of(factors, X, Y.shape[1])
        edge = sum_in_order(S * H) / total
        if edge <= 0:
            break
        perfect = edge > 1 - 1e-10
        edge = min(edge, 1 - 1e-10)
        alpha = 0.5 * np.log((1 + edge) / (1 - edge))
        Z = total * np.sqrt(1 - edge**2)
        S = S * np.where(S * H > 0, np.exp(-alpha) / Z, np.exp(alpha) / Z)
        total = sum_in_order(np.abs(S))
        scores += alpha * H
        products.append(factors)
        alphas.append(alpha)
        edges.append(edge)
        if perfect:
            break
    return products, np.array(alphas), np.array(edges), scores
