"""The C++ Hamming-tree kernel against the NumPy twin: every feature, threshold, vote and coefficient."""

import pickle

import numpy as np
import pytest
from conftest import tied_data
from oracles import hamming_tree as oracle
from sklearn.datasets import load_digits, load_iris, load_wine

from algos._kernels.hamming import HammingTreeGrower, instruction_sets

SEARCHES = {"exact bins": 32768, "few bins": 2, "some bins": 5}


def signs(y):
    return np.where(y[:, None] == np.unique(y), 1.0, -1.0)


def boost(X, S, size, n_rounds, grow="grow", **options):
    """AdaBoost.MH around the kernel, to the letter of the oracle's loop."""
    grower = HammingTreeGrower(X, S, **options)
    alphas, edges, total = [], [], 1.0
    for _ in range(n_rounds):
        edge = getattr(grower, grow)(size) / total
        if edge <= 0:
            break
        perfect = edge > 1 - 1e-10
        edge = min(edge, 1 - 1e-10)
        alpha = 0.5 * np.log((1 + edge) / (1 - edge))
        Z = total * np.sqrt(1 - edge**2)
        total = grower.accept(np.exp(-alpha) / Z, np.exp(alpha) / Z)
        alphas.append(alpha)
        edges.append(edge)
        if perfect:
            break
    return grower.forest(), np.array(alphas), np.array(edges)


def assert_same_model(X, Y, W, n_inner_nodes, n_rounds, **options):
    trees, alphas, edges, scores = oracle.boost(X, Y, W, n_inner_nodes, n_rounds)
    forest, kernel_alphas, kernel_edges = boost(X, W * Y, n_inner_nodes, n_rounds, **options)
    arrays = forest.arrays()
    K = Y.shape[1]
    assert len(arrays["node_start"]) == len(trees) + 1
    votes = arrays["votes"].reshape(-1, K)
    for t, (nodes, leaf_votes) in enumerate(trees):
        inner = slice(arrays["node_start"][t], arrays["node_start"][t + 1])
        leaves = slice(arrays["leaf_start"][t], arrays["leaf_start"][t + 1])
        names = ("feature", "threshold", "minus_child", "plus_child")
        assert [list(row) for row in zip(*(arrays[k][inner].tolist() for k in names), strict=True)] == nodes
        assert votes[leaves].tolist() == leaf_votes.tolist()
    np.testing.assert_array_equal(kernel_alphas, alphas)
    np.testing.assert_array_equal(kernel_edges, edges)
    kernel_scores = np.zeros(Y.shape)
    forest.add_scores(kernel_alphas, 0, len(kernel_alphas), np.ascontiguousarray(X), kernel_scores)
    np.testing.assert_allclose(kernel_scores, scores, rtol=0, atol=1e-12 * max(1, len(alphas)))


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("K", [2, 3, 7, 8, 10, 16, 17, 26, 47, 63, 257])
def test_same_trees_as_numpy_on_tied_data(K, search):
    X, y = tied_data(max(60, K + 5), 5, K, seed=K)
    Y = signs(y)
    assert_same_model(X, Y, oracle.initial_weights(Y), 5, 8, max_bins=SEARCHES[search])


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("instruction_set", instruction_sets())
def test_every_instruction_set_gives_the_same_trees(instruction_set, search):
    X, y = tied_data(80, 6, 10, seed=1, n_values=9)
    Y = signs(y)
    options = {"instruction_set": instruction_set, "max_bins": SEARCHES[search]}
    assert_same_model(X, Y, oracle.initial_weights(Y), 7, 25, **options)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_same_trees_as_numpy_on_real_data(load, search):
    X, y = load(return_X_y=True)
    Y = signs(y)
    assert_same_model(X, Y, oracle.initial_weights(Y), 6, 8, max_bins=SEARCHES[search])


@pytest.mark.mirror
@pytest.mark.slow
@pytest.mark.parametrize("search", ["exact bins", "some bins"])
@pytest.mark.parametrize("name", ["letter", "pendigits", "usps"])
def test_same_trees_as_numpy_on_the_papers_data(read_mirrored, name, search):
    table = read_mirrored(name)
    Y = signs(np.asarray(table.y))
    assert_same_model(table.X, Y, oracle.initial_weights(Y), 4, 2, max_bins=SEARCHES[search])


@pytest.mark.parametrize("search", SEARCHES)
def test_random_weights_multilabel_patterns_and_zero_weights(search):
    rng = np.random.default_rng(3)
    for seed in range(20):
        n, d, K = rng.integers(2, 40), rng.integers(1, 5), rng.integers(2, 12)
        X, _ = tied_data(n, d, K, seed)
        Y = rng.choice([-1.0, 1.0], size=(n, K))
        W = rng.random((n, K)) * (rng.random((n, K)) > 0.3)
        W[0, 0] = 1.0
        assert_same_model(X, Y, W / W.sum(), int(rng.integers(1, 8)), 6, max_bins=SEARCHES[search])


@pytest.mark.parametrize("search", SEARCHES)
def test_two_samples_and_constant_features(search):
    options = {"max_bins": SEARCHES[search]}
    Y = np.array([[1.0, -1.0], [-1.0, 1.0]])
    W = oracle.initial_weights(Y)
    assert_same_model(np.array([[0.0], [1.0]]), Y, W, 3, 4, **options)
    assert_same_model(np.array([[5.0, 0.0], [5.0, 1.0]]), Y, W, 3, 4, **options)  # one constant feature
    assert_same_model(np.full((2, 3), 7.0), Y, W, 3, 4, **options)  # all constant: no edge at all
    W = np.array([[0.6, 0.2], [0.1, 0.1]])
    assert_same_model(np.full((2, 3), 7.0), Y, W, 3, 4, **options)  # all constant: the constant classifier has one


def test_neighbouring_floats_are_told_apart():
    low = 1.0
    high = np.nextafter(low, 2.0)
    X = np.array([[low], [high]])
    forest, _, edges = boost(X, np.array([[0.25, -0.25], [-0.25, 0.25]]), 1, 1)
    assert edges[0] > 1 - 1e-9
    scores = np.zeros((2, 2))
    forest.add_scores(np.ones(1), 0, 1, X, scores)
    assert scores.tolist() == [[1, -1], [-1, 1]]
    huge = np.array([[-1.7e308], [1.7e308]])  # the sum overflows, the midpoint must not
    assert np.isfinite(boost(huge, np.array([[0.25, -0.25], [-0.25, 0.25]]), 1, 1)[0].arrays()["threshold"]).all()


def test_edges_add_up_over_the_leaves_and_energy_falls_by_sqrt_1_minus_edge_squared():
    X, y = load_wine(return_X_y=True)
    Y = signs(y)
    W = oracle.initial_weights(Y)
    forest, alphas, edges = boost(X, W * Y, 3, 30)
    energy = 1.0
    scores = np.zeros(Y.shape)
    for t, edge in enumerate(edges):
        previous = W * np.exp(-scores * Y)
        one = np.zeros(Y.shape)
        forest.add_scores(np.ones(len(alphas)), t, t + 1, X, one)
        assert (previous * Y * one).sum() / previous.sum() == pytest.approx(edge, abs=1e-9)  # (11)
        forest.add_scores(alphas, t, t + 1, X, scores)
        energy *= np.sqrt(1 - edge**2)
        assert (W * np.exp(-scores * Y)).sum() == pytest.approx(energy, rel=1e-9)


def test_order_of_rows_does_not_matter():
    X, y = tied_data(70, 4, 5, seed=5)
    Y = signs(y)
    S = oracle.initial_weights(Y) * Y
    shuffled = np.random.default_rng(0).permutation(len(X))
    for limit in SEARCHES.values():
        first, alphas, _ = boost(X, S, 4, 10, max_bins=limit)
        second, shuffled_alphas, _ = boost(X[shuffled], S[shuffled], 4, 10, max_bins=limit)
        np.testing.assert_allclose(alphas, shuffled_alphas, rtol=1e-12)
        for name, array in first.arrays().items():
            np.testing.assert_array_equal(array, second.arrays()[name], err_msg=name)


def test_counted_errors_agree_with_scores_round_by_round():
    X, y = load_iris(return_X_y=True)
    Y = signs(y)
    forest, alphas, _ = boost(X, oracle.initial_weights(Y) * Y, 2, 15)
    labels = y.copy()
    labels[:5] = -1  # a class not known in training is always an error
    scores, single, multi = np.zeros(Y.shape), [], []
    for t in range(len(alphas)):
        forest.add_scores(alphas, t, t + 1, X, scores)
        single.append(int((scores.argmax(axis=1) != labels).sum()))
        multi.append(int(((scores > 0) != (Y > 0)).sum()))
    assert forest.count_errors(alphas, X, labels, 3).tolist() == single
    assert forest.count_label_errors(alphas, X, Y > 0).tolist() == multi


def test_forest_survives_pickling():
    X, y = load_iris(return_X_y=True)
    Y = signs(y)
    forest, alphas, _ = boost(X, oracle.initial_weights(Y) * Y, 2, 5)
    copy = pickle.loads(pickle.dumps(forest))
    scores, copied = np.zeros(Y.shape), np.zeros(Y.shape)
    forest.add_scores(alphas, 0, 5, X, scores)
    copy.add_scores(alphas, 0, 5, X, copied)
    np.testing.assert_array_equal(scores, copied)


@pytest.mark.parametrize(
    ("X", "S", "message"),
    [
        ([[np.nan]], [[0.5, -0.5]], "NaN"),
        ([[1.0], [2.0]], [[0.5, -0.5]], "rows"),
        ([[1.0]], [[0.5, -0.2]], "sum to 1"),
        ([1.0, 2.0], [[0.5, -0.5]], "matrix"),
        (np.empty((0, 2)), np.empty((0, 2)), "at least one row"),
    ],
)
def test_what_is_not_as_stated_is_refused(X, S, message):
    with pytest.raises(ValueError, match=message):
        HammingTreeGrower(np.array(X), np.array(S))


def test_bad_options_are_refused():
    X, S = np.array([[0.0], [1.0]]), np.array([[0.25, -0.25], [-0.25, 0.25]])
    with pytest.raises(ValueError, match="instruction set"):
        HammingTreeGrower(X, S, instruction_set="abacus")
    with pytest.raises(ValueError, match="at least 1"):
        HammingTreeGrower(X, S).grow(0)
