"""The C++ gradient-tree kernel against its NumPy twin: every feature, threshold, child and leaf value."""

import pickle

import numpy as np
import pytest
from conftest import tied_data
from oracles import gradient_boosting as oracle
from scipy.special import softmax
from sklearn.datasets import load_digits, load_iris, load_wine

from algos._kernels.gradient_tree import PAIR_RULES, GradientTreeBooster, bin_columns, instruction_sets

ALGORITHMS = ("logitboost", "mart", "abc_logitboost", "abc_mart", "aoso")


def assert_same_trees(kernel, trees, first_tree):
    arrays = kernel.forest().arrays()
    for t, tree in enumerate(trees, start=first_tree):
        inner = slice(arrays["node_start"][t], arrays["node_start"][t + 1])
        leaves = slice(arrays["leaf_start"][t], arrays["leaf_start"][t + 1])
        names = ("feature", "threshold", "left", "right")
        assert [list(row) for row in zip(*(arrays[k][inner].tolist() for k in names), strict=True)] == tree.nodes
        np.testing.assert_array_equal(np.abs(arrays["value"][leaves]), np.abs(tree.values))
        if tree.leaves[0].pair:
            assert list(zip(arrays["plus"][leaves], arrays["minus"][leaves], strict=True)) == [
                leaf.pair for leaf in tree.leaves
            ]


def kernel_round(kernel, algorithm, K, rule):
    """A round of the kernel, and which base an ABC algorithm takes."""
    if algorithm == "aoso":
        kernel.accept([kernel.grow_node_pairs(rule)])
    elif algorithm.startswith("abc"):
        trees = {(k, b): kernel.grow_pair(k, b) for k in range(K) for b in range(k)}
        rounds = [[trees[max(k, b), min(k, b)] for k in range(K) if k != b] for b in range(K)]
        kernel.accept(min(rounds, key=kernel.loss_with))
    elif K == 2:
        kernel.accept([kernel.grow_pair(1, 0)])
    else:
        kernel.accept([kernel.grow_class(k, (K - 1) / K) for k in range(K)])


def assert_same_model(X, y, K, algorithm, n_rounds=3, J=6, least=1, weights=None, rule="second_order", **options):
    """Kernel and twin in step: equal scores before a round, equal trees after it."""
    squares = algorithm.endswith("mart")
    weights = np.ones(len(X)) if weights is None else weights
    kernel = GradientTreeBooster(
        X, y, weights, K, max_leaf_nodes=J, min_samples_leaf=least, least_squares=squares, max_leaf_value=5, **options
    )
    twin = oracle.Booster(X, y, K, weights, J, 0.1, least, 5.0, squares, softmax=lambda _: kernel.probabilities())
    n_trees = 0
    for _ in range(n_rounds):
        np.testing.assert_allclose(kernel.probabilities(), softmax(twin.F, axis=1), rtol=1e-13)
        assert kernel.loss() == pytest.approx((weights * oracle.losses(twin.F, y)).sum(), rel=1e-12)
        if algorithm == "aoso":
            trees = [oracle.aoso_round(twin, rule)]
        elif algorithm.startswith("abc"):
            _, trees = oracle.abc_round(twin, range(K))
        else:
            trees = oracle.logitboost_round(twin)
        kernel_round(kernel, algorithm, K, rule)
        assert_same_trees(kernel, trees, n_trees)
        n_trees += len(trees)
        np.testing.assert_array_equal(kernel.scores(), twin.F)
    scores = np.zeros((len(X), K))
    kernel.forest().add_scores(0, n_rounds, np.ascontiguousarray(X, dtype=float), scores)
    np.testing.assert_array_equal(scores, twin.F)
    return kernel


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("K", [2, 3, 10])
def test_same_trees_as_numpy_on_tied_data(K, algorithm):
    X, y = tied_data(60, 4, K, seed=K)
    assert_same_model(X, y, K, algorithm, n_rounds=2 if algorithm.startswith("abc") and K == 10 else 4)


@pytest.mark.parametrize("algorithm", ["logitboost", "mart", "aoso"])
def test_same_trees_with_26_classes(algorithm):
    X, y = tied_data(90, 3, 26, seed=1, n_values=7)
    assert_same_model(X, y, 26, algorithm, n_rounds=2, least=2)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["abc_logitboost", "abc_mart"])
def test_same_trees_with_26_classes_and_every_base(algorithm):
    X, y = tied_data(90, 3, 26, seed=1, n_values=7)
    assert_same_model(X, y, 26, algorithm, n_rounds=2, J=4, least=2)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_same_trees_as_numpy_on_real_data(load, algorithm):
    X, y = load(return_X_y=True)
    assert_same_model(X, y, 3, algorithm, n_rounds=5, J=5, least=4)


@pytest.mark.parametrize("algorithm", ["logitboost", "mart", "aoso"])
def test_same_trees_as_numpy_on_digits(algorithm):
    X, y = load_digits(return_X_y=True)
    assert_same_model(X[:500], y[:500], 10, algorithm, n_rounds=1, J=12, least=10)


@pytest.mark.parametrize("rule", PAIR_RULES)
def test_every_pair_rule_is_the_twins(rule):
    X, y = tied_data(80, 4, 5, seed=2, n_values=9)
    assert_same_model(X, y, 5, "aoso", n_rounds=6, rule=rule)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("instruction_set", instruction_sets())
def test_every_instruction_set_gives_the_same_trees(instruction_set, algorithm):
    X, y = tied_data(70, 5, 4, seed=3, n_values=9)
    assert_same_model(X, y, 4, algorithm, n_rounds=5, instruction_set=instruction_set)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_random_shapes_weights_and_leaf_sizes(algorithm):
    rng = np.random.default_rng(4)
    for seed in range(12):
        K = int(rng.integers(2, 6))
        n, d, least = int(rng.integers(K, 40)), int(rng.integers(1, 5)), int(rng.integers(1, 5))
        X, y = tied_data(n, d, K, seed)
        weights = rng.integers(1, 5, n) if seed % 2 else rng.random(n) + 1e-3
        options = {"J": int(rng.integers(2, 9)), "least": least, "weights": weights.astype(float)}
        assert_same_model(X, y, K, algorithm, **options)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_fewer_samples_than_leaves_and_constant_features(algorithm):
    y = np.array([0, 1, 2, 0])
    assert_same_model(np.array([[0.0], [1.0], [2.0], [3.0]]), y, 3, algorithm, J=20)
    assert_same_model(np.array([[5.0, 0.0], [5.0, 1.0], [5.0, 1.0], [5.0, 3.0]]), y, 3, algorithm, J=20)
    kernel = assert_same_model(np.full((4, 2), 7.0), y, 3, algorithm, J=20)  # nothing to split: one leaf a tree
    assert len(kernel.forest().arrays()["feature"]) == 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_order_of_rows_does_not_matter(algorithm):
    X, y = tied_data(70, 4, 5, seed=5, n_values=6)
    weights = np.random.default_rng(0).random(70) + 0.5
    order = np.random.default_rng(1).permutation(70)
    models = []
    for rows in (np.arange(70), order):
        kernel = GradientTreeBooster(
            X[rows], y[rows], weights[rows], 5, max_leaf_nodes=6, max_bins=4, least_squares=algorithm.endswith("mart")
        )
        for _ in range(8):
            kernel_round(kernel, algorithm, 5, "second_order")
        models.append(kernel)
    for name, array in models[0].forest().arrays().items():
        np.testing.assert_array_equal(array, models[1].forest().arrays()[name], err_msg=name)
    assert models[0].loss() == models[1].loss()


def test_gain_is_logitboosts_weighted_least_squares_gain():
    """With z = g/h and weights h, the fall of the weighted squared error is S_L^2/W_L + S_R^2/W_R - S^2/W."""
    X, y = load_iris(return_X_y=True)
    kernel = GradientTreeBooster(X, y, np.ones(150), 3, max_leaf_nodes=2)
    for k in range(3):
        for _ in range(4):
            kernel.accept([kernel.grow_class(k, 2 / 3)])
    p = kernel.probabilities()[:, 1]
    g, h = (y == 1) - p, p * (1 - p)

    def error(rows):
        return (h[rows] * (g[rows] / h[rows] - np.average(g[rows] / h[rows], weights=h[rows])) ** 2).sum()

    kernel.accept([kernel.grow_class(1, 2 / 3)])
    arrays = kernel.forest().arrays()
    feature, threshold = arrays["feature"][-1], arrays["threshold"][-1]
    right = X[:, feature] >= threshold
    gain = error(np.full(150, True)) - error(right) - error(~right)
    assert arrays["gain"][-1] == pytest.approx(gain, rel=1e-6)
    for j in range(4):  # and no other split falls by more
        for cut in np.unique(X[:, j])[1:]:
            right = X[:, j] >= cut
            assert error(np.full(150, True)) - error(right) - error(~right) <= gain * (1 + 1e-6)


def test_bins_group_equal_frequencies_only_where_there_are_too_many_values():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 5, 400), rng.normal(size=400), np.zeros(400)])
    codes, start, lowest, highest = bin_columns(X, 10)
    sizes = np.diff(start)
    assert sizes.tolist() == [5, 10, 1]
    assert lowest[:5].tolist() == highest[:5].tolist() == [0, 1, 2, 3, 4]
    assert np.bincount(codes[1]).tolist() == [40] * 10
    for j in range(3):
        low, high = (bound[start[j] : start[j + 1]] for bound in (lowest, highest))
        assert (low[codes[j]] <= X[:, j]).all()
        assert (X[:, j] <= high[codes[j]]).all()
        assert (high[:-1] < low[1:]).all()


def test_training_scores_are_predictions_whatever_the_bins():
    """Cuts between groups of values, and a histogram of more than one block, put rows where prediction does."""
    X = np.random.default_rng(0).normal(size=(600, 90))
    y = (X[:, 3] > 0).astype(int) + (X[:, 80] > 0.5)
    for max_bins in (7, 1000):
        kernel = GradientTreeBooster(X, y, np.ones(600), 3, max_leaf_nodes=8, max_bins=max_bins)
        for _ in range(5):
            kernel_round(kernel, "logitboost", 3, None)
            kernel_round(kernel, "aoso", 3, "second_order")
        scores = np.zeros((600, 3))
        kernel.forest().add_scores(0, 10, X, scores)
        np.testing.assert_array_equal(scores, kernel.scores())
        assert set(kernel.forest().arrays()["feature"]) >= {3, 80}


def test_neighbouring_floats_are_told_apart():
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    kernel = GradientTreeBooster(X, np.array([0, 1]), np.ones(2), 2)
    kernel.accept([kernel.grow_pair(1, 0)])
    assert kernel.scores()[0, 0] > 0 > kernel.scores()[1, 0]
    huge = GradientTreeBooster(np.array([[-1.7e308], [1.7e308]]), np.array([0, 1]), np.ones(2), 2)
    huge.accept([huge.grow_pair(1, 0)])  # the sum overflows, the midpoint must not
    assert np.isfinite(huge.forest().arrays()["threshold"]).all()


def test_probabilities_and_losses_hold_up_far_from_zero():
    """Scores a thousand apart, and losses down to the least that counts."""
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 2])
    kernel = GradientTreeBooster(X, y, np.ones(3), 3, learning_rate=20.0, max_leaf_value=50)
    for _ in range(12):
        kernel_round(kernel, "logitboost", 3, None)
        P = kernel.probabilities()
        np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-15)
        F = kernel.scores()
        np.testing.assert_allclose(P, softmax(F, axis=1), rtol=1e-12, atol=1e-300)
        assert kernel.loss() == pytest.approx(oracle.losses(F, y).sum(), rel=1e-9, abs=1e-23)
        np.testing.assert_allclose(kernel.class_losses().sum(), kernel.loss(), rtol=1e-12)


def test_counted_errors_agree_with_scores_round_by_round():
    X, y = load_iris(return_X_y=True)
    kernel = GradientTreeBooster(X, y, np.ones(150), 3, max_leaf_nodes=3)
    for _ in range(10):
        kernel_round(kernel, "logitboost", 3, None)
    labels = y.copy()
    labels[:5] = -1  # a class not known in training is always an error
    forest, scores, wrong = kernel.forest(), np.zeros((150, 3)), []
    for t in range(10):
        forest.add_scores(t, t + 1, X, scores)
        wrong.append(int((scores.argmax(axis=1) != labels).sum()))
    assert forest.count_errors(X, labels, 3).tolist() == wrong


def test_forest_survives_pickling():
    X, y = load_iris(return_X_y=True)
    kernel = GradientTreeBooster(X, y, np.ones(150), 3)
    for _ in range(3):
        kernel_round(kernel, "aoso", 3, "second_order")
    copy = pickle.loads(pickle.dumps(kernel.forest()))
    for name, array in kernel.forest().arrays().items():
        np.testing.assert_array_equal(array, copy.arrays()[name])
    scores = np.zeros((150, 3))
    copy.add_scores(0, 3, X, scores)
    np.testing.assert_array_equal(scores, kernel.scores())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.array([[np.nan], [1.0]])}, "NaN"),
        ({"X": np.array([1.0, 2.0])}, "matrix"),
        ({"labels": np.array([0])}, "2 rows"),
        ({"labels": np.array([0, 2])}, "labels must lie"),
        ({"sample_weight": np.array([1.0, 0.0])}, "positive"),
        ({"instruction_set": "abacus"}, "instruction set"),
        ({"max_bins": 1}, "max_bins"),
        ({"max_leaf_nodes": 0}, "max_leaf_nodes"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
    ],
)
def test_what_is_not_as_stated_is_refused(change, message):
    good = {"X": np.array([[0.0], [1.0]]), "labels": np.array([0, 1]), "sample_weight": np.ones(2), "n_classes": 2}
    with pytest.raises(ValueError, match=message):
        GradientTreeBooster(**{**good, **change})


def test_classes_and_rules_that_are_not_there_are_refused():
    kernel = GradientTreeBooster(np.array([[0.0], [1.0]]), np.array([0, 1]), np.ones(2), 2)
    with pytest.raises(ValueError, match="no class 2"):
        kernel.grow_class(2, 1.0)
    with pytest.raises(ValueError, match="two different"):
        kernel.grow_pair(1, 1)
    with pytest.raises(ValueError, match="pair rule"):
        kernel.grow_node_pairs("third_order")
    for use in (kernel.accept, kernel.loss_with):
        for tree in (0, -1):
            with pytest.raises(IndexError):
                use([tree])
