"""Cost-sensitive single-label trees of the C++ kernel against the NumPy twin: every cut and class."""

import numpy as np
import pytest
from conftest import tied_data
from oracles import single_label_tree as oracle
from oracles.hamming_tree import SCALE, initial_weights
from sklearn.datasets import load_digits, load_iris, load_wine
from test_kernels_hamming import SEARCHES, signs

from algos._kernels.hamming import HammingTreeGrower, instruction_sets


def assert_same_tree(X, S, max_leaf_nodes, **options):
    cuts, named = oracle.grow_tree(X, np.rint(S * SCALE).astype(np.int64), max_leaf_nodes)
    grower = HammingTreeGrower(X, S, **options)
    rows = np.arange(len(X))
    for against in (0, -1):
        sum_of_votes = grower.grow_single_label(max_leaf_nodes, against)
        votes = np.full(S.shape, float(against))
        votes[rows, named] = 1.0
        np.testing.assert_array_equal(grower.named(), named)
        assert sum_of_votes == pytest.approx((S * votes).sum(), abs=1e-12)
        grower.accept(1.0, 1.0)
        arrays = grower.forest().arrays()
        nodes = slice(arrays["node_start"][-2], arrays["node_start"][-1])
        assert list(zip(arrays["feature"][nodes], arrays["threshold"][nodes], strict=True)) == cuts
        scores = np.zeros(S.shape)
        tree = len(arrays["node_start"]) - 2
        grower.forest().add_scores(np.ones(tree + 1), tree, tree + 1, np.ascontiguousarray(X), scores)
        np.testing.assert_array_equal(scores, votes)
    return cuts


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("K", [2, 3, 7, 8, 10, 16, 17, 26, 47, 63, 257])
def test_same_trees_as_numpy_on_tied_data(K, search):
    X, y = tied_data(max(60, K + 5), 5, K, seed=K)
    Y = signs(y)
    assert assert_same_tree(X, initial_weights(Y) * Y, 9, max_bins=SEARCHES[search])


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("instruction_set", instruction_sets())
def test_every_instruction_set_and_binning_gives_the_same_trees(instruction_set, search):
    rng = np.random.default_rng(0)
    X, _ = tied_data(200, 6, 10, seed=1, n_values=40)
    for K in (2, 5, 10):
        S = rng.normal(size=(200, K))
        options = {"instruction_set": instruction_set, "max_bins": SEARCHES[search]}
        assert len(assert_same_tree(X, S / np.abs(S).sum(), 20, **options)) >= 10


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_same_trees_as_numpy_on_real_data(load):
    X, y = load(return_X_y=True)
    Y = signs(y)
    assert_same_tree(X, initial_weights(Y) * Y, 12)


@pytest.mark.mirror
@pytest.mark.slow
@pytest.mark.parametrize("name", ["letter", "pendigits", "usps"])
def test_same_trees_as_numpy_on_the_papers_data(read_mirrored, name):
    table = read_mirrored(name)
    Y = signs(np.asarray(table.y))
    assert_same_tree(table.X, initial_weights(Y) * Y, 6, max_bins=5)


def test_random_gains_and_zero_weights():
    rng = np.random.default_rng(3)
    for seed in range(20):
        n, d, K = rng.integers(2, 40), rng.integers(1, 5), rng.integers(2, 12)
        X, _ = tied_data(n, d, K, seed)
        S = rng.normal(size=(n, K)) * (rng.random((n, K)) > 0.3)
        S[0, 0] = 1.0
        assert_same_tree(X, S / np.abs(S).sum(), int(rng.integers(2, 10)), max_bins=2)


def test_all_weight_in_one_class_does_not_overflow_the_sums():
    X = np.arange(8.0)[:, None]
    S = np.zeros((8, 3))
    S[:, 1] = 1 / 8
    assert assert_same_tree(X, S, 4) == []  # one class is best everywhere: nothing to cut
    S[0, 1] *= -1
    assert assert_same_tree(X, S, 4) == [(0, 0.5)]


def test_order_of_rows_does_not_matter():
    X, y = tied_data(70, 4, 5, seed=5)
    S = initial_weights(signs(y)) * signs(y)
    shuffled = np.random.default_rng(0).permutation(len(X))
    named = HammingTreeGrower(X, S), HammingTreeGrower(X[shuffled], S[shuffled])
    for grower in named:
        grower.grow_single_label(8)
    np.testing.assert_array_equal(named[0].named()[shuffled], named[1].named())


def test_other_weights_replace_the_first_ones_and_hamming_trees_are_not_disturbed():
    X, y = tied_data(70, 4, 5, seed=5)
    Y = signs(y)
    S, other = initial_weights(Y) * Y, -initial_weights(Y) * Y
    grower = HammingTreeGrower(X, S)
    edge = grower.grow(6)
    grower.grow_single_label(6)
    assert grower.grow(6) == edge
    grower.set_weights(other)
    grower.grow_single_label(6)
    fresh = HammingTreeGrower(X, other)
    fresh.grow_single_label(6)
    np.testing.assert_array_equal(grower.named(), fresh.named())


def test_what_is_not_as_stated_is_refused():
    X, S = np.array([[0.0], [1.0]]), np.array([[0.25, -0.25], [-0.25, 0.25]])
    grower = HammingTreeGrower(X, S)
    with pytest.raises(ValueError, match="at least 2"):
        grower.grow_single_label(1)
    with pytest.raises(ValueError, match="against"):
        grower.grow_single_label(3, against=1)
    with pytest.raises(ValueError, match="shape"):
        grower.set_weights(np.array([[0.5, -0.5]]))
    with pytest.raises(ValueError, match="sum to 1"):
        grower.set_weights(S / 2)
