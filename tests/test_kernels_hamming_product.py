"""Hamming products of the C++ kernel against the NumPy twin: every cut, vote and coefficient."""

import pickle
from functools import partial

import numpy as np
import pytest
from conftest import tied_data
from oracles import hamming_product as oracle
from oracles.hamming_tree import initial_weights
from sklearn.datasets import load_digits, load_iris, load_wine
from test_kernels_hamming import SEARCHES, signs
from test_kernels_hamming import boost as boost_kernel

from algos._kernels.hamming import HammingTreeGrower, instruction_sets

boost = partial(boost_kernel, grow="grow_product")


def assert_same_model(X, Y, W, n_factors, n_rounds, **options):
    products, alphas, edges, scores = oracle.boost(X, Y, W, n_factors, n_rounds)
    forest, kernel_alphas, kernel_edges = boost(X, W * Y, n_factors, n_rounds, **options)
    arrays, K = forest.arrays(), Y.shape[1]
    assert len(arrays["node_start"]) == len(products) + 1
    votes = arrays["votes"].reshape(-1, 2, K)
    for t, factors in enumerate(products):
        nodes = slice(arrays["node_start"][t], arrays["node_start"][t + 1])
        cuts = [(f.feature, f.threshold) for f in factors if f.feature >= 0]
        copies = [cut for j, cut in enumerate(cuts) for _ in range(1 + (j > 0))]
        assert list(zip(arrays["feature"][nodes], arrays["threshold"][nodes], strict=True)) == copies
        expected = np.prod([f.votes for f in factors], axis=0)
        assert votes[t].tolist() == [expected.tolist(), (-expected).tolist()]
    np.testing.assert_array_equal(kernel_alphas, alphas)
    np.testing.assert_array_equal(kernel_edges, edges)
    kernel_scores = np.zeros(Y.shape)
    forest.add_scores(kernel_alphas, 0, len(kernel_alphas), np.ascontiguousarray(X), kernel_scores)
    np.testing.assert_allclose(kernel_scores, scores, rtol=0, atol=1e-12 * max(1, len(alphas)))
    return products


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("K", [2, 3, 7, 8, 10, 16, 17, 26, 47, 63, 257])
def test_same_products_as_numpy_on_tied_data(K, search):
    X, y = tied_data(max(60, K + 5), 5, K, seed=K)
    Y = signs(y)
    assert_same_model(X, Y, initial_weights(Y), 3, 8, max_bins=SEARCHES[search])


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("instruction_set", instruction_sets())
def test_every_instruction_set_gives_the_same_products(instruction_set, search):
    X, y = tied_data(80, 6, 10, seed=1, n_values=9)
    Y = signs(y)
    options = {"instruction_set": instruction_set, "max_bins": SEARCHES[search]}
    assert_same_model(X, Y, initial_weights(Y), 4, 15, **options)


@pytest.mark.parametrize("n_factors", [1, 2, 3, 8])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_same_products_as_numpy_on_real_data(load, n_factors):
    X, y = load(return_X_y=True)
    X, Y = X[::2], signs(y)[::2]
    products = assert_same_model(X, Y, initial_weights(Y), n_factors, 4)
    if load is load_digits:
        assert max(len(factors) for factors in products) == n_factors


@pytest.mark.mirror
@pytest.mark.slow
@pytest.mark.parametrize("name", ["letter", "pendigits"])
def test_same_products_as_numpy_on_the_papers_data(read_mirrored, name):
    table = read_mirrored(name)
    Y = signs(np.asarray(table.y))
    assert_same_model(table.X, Y, initial_weights(Y), 3, 2, max_bins=5)


@pytest.mark.parametrize("search", SEARCHES)
def test_random_weights_multilabel_patterns_and_zero_weights(search):
    rng = np.random.default_rng(3)
    for seed in range(20):
        n, d, K = rng.integers(2, 40), rng.integers(1, 5), rng.integers(2, 12)
        X, _ = tied_data(n, d, K, seed)
        Y = rng.choice([-1.0, 1.0], size=(n, K))
        W = rng.random((n, K)) * (rng.random((n, K)) > 0.3)
        W[0, 0] = 1.0
        assert_same_model(X, Y, W / W.sum(), int(rng.integers(1, 6)), 6, max_bins=SEARCHES[search])


def test_two_samples_and_constant_features():
    Y = np.array([[1.0, -1.0], [-1.0, 1.0]])
    W = initial_weights(Y)
    assert_same_model(np.array([[0.0], [1.0]]), Y, W, 3, 4)
    assert_same_model(np.array([[5.0, 0.0], [5.0, 1.0]]), Y, W, 3, 4)
    assert_same_model(np.full((2, 3), 7.0), Y, W, 3, 4)  # no edge at all
    W = np.array([[0.6, 0.2], [0.1, 0.1]])
    assert_same_model(np.full((2, 3), 7.0), Y, W, 3, 4)  # the constant classifier has one


def test_two_factors_solve_exclusive_or_exactly():
    """A stump has no edge on it; weights tilted towards one bit start the greedy pass, a second factor completes it."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = (X[:, 0] != X[:, 1]).astype(int)
    Y = signs(y)
    W = initial_weights(Y) * np.array([[1.2], [1.0], [1.2], [1.0]])
    products = assert_same_model(X, Y, W / W.sum(), 3, 2)
    assert [f.feature for f in products[0]] == [0, 1]
    assert len(products) == 1
    _, _, edges = boost(X, W / W.sum() * Y, 3, 2)
    assert edges.tolist() == [1 - 1e-10]


def test_a_product_of_one_factor_is_the_stump_and_fitting_leaves_the_weights_as_they_were():
    X, y = tied_data(70, 4, 5, seed=5)
    Y = signs(y)
    grower = HammingTreeGrower(X, initial_weights(Y) * Y)
    stump = grower.grow(1)
    assert grower.grow_product(1) == stump
    product = grower.grow_product(4)
    assert product > stump
    assert grower.grow_product(4) == product  # nothing of the fit before is left in the weights
    assert grower.grow(1) == stump


def test_order_of_rows_does_not_matter():
    X, y = tied_data(70, 4, 5, seed=5)
    Y = signs(y)
    S = initial_weights(Y) * Y
    shuffled = np.random.default_rng(0).permutation(len(X))
    first, alphas, _ = boost(X, S, 3, 10)
    second, shuffled_alphas, _ = boost(X[shuffled], S[shuffled], 3, 10)
    np.testing.assert_allclose(alphas, shuffled_alphas, rtol=1e-12)
    for name, array in first.arrays().items():
        np.testing.assert_array_equal(array, second.arrays()[name], err_msg=name)


def test_energy_falls_by_sqrt_1_minus_edge_squared_and_edges_are_shared_by_the_cuts():
    X, y = load_wine(return_X_y=True)
    Y = signs(y)
    W = initial_weights(Y)
    forest, alphas, edges = boost(X, W * Y, 3, 30)
    scores = np.zeros(Y.shape)
    forest.add_scores(alphas, 0, len(alphas), X, scores)
    assert (W * np.exp(-scores * Y)).sum() == pytest.approx(np.prod(np.sqrt(1 - edges**2)), rel=1e-9)
    arrays = forest.arrays()
    np.testing.assert_allclose(np.add.reduceat(arrays["gain"], arrays["node_start"][:-1]), edges, atol=1e-6)


def test_counted_errors_agree_with_scores_and_products_survive_pickling():
    X, y = load_iris(return_X_y=True)
    Y = signs(y)
    forest, alphas, _ = boost(X, initial_weights(Y) * Y, 3, 15)
    copy = pickle.loads(pickle.dumps(forest))
    scores, single, multi = np.zeros(Y.shape), [], []
    for t in range(len(alphas)):
        copy.add_scores(alphas, t, t + 1, X, scores)
        single.append(int((scores.argmax(axis=1) != y).sum()))
        multi.append(int(((scores > 0) != (Y > 0)).sum()))
    assert forest.count_errors(alphas, X, y, 3).tolist() == single
    assert forest.count_label_errors(alphas, X, Y > 0).tolist() == multi


def test_bad_options_are_refused():
    X, S = np.array([[0.0], [1.0]]), np.array([[0.25, -0.25], [-0.25, 0.25]])
    with pytest.raises(ValueError, match="n_factors must be at least 1"):
        HammingTreeGrower(X, S).grow_product(0)
