"""AdaBoost.MH with Hamming products in plain NumPy, factor by factor as Kegl & Busa-Fekete (2009) describe it.

Each factor is a stump with votes of its own, fitted to pseudo-labels: the labels times the other factors' outputs.
"""

import numpy as np

from oracles.hamming_tree import best_stump, boost_with


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
    """Figure 1 with products, lists of factors."""

    def base(Q):
        factors = fit_product(X, Q, n_factors)
        return factors, product_of(factors, X, Y.shape[1])

    return boost_with(base, Y, W, n_rounds)
