"""AdaBoostMHClassifier with Hamming products and single-label trees."""

import doctest
import importlib
import pickle

import numpy as np
import pytest
from conftest import tied_data
from oracles import hamming_product, single_label_tree
from oracles.hamming_tree import SCALE, initial_weights
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_multilabel_classification
from sklearn.tree import DecisionTreeClassifier

from algos.experiments.methods import METHODS, make_estimator
from algos.multiclass import AdaBoostMHClassifier

TREE_CRITERIA = ["gini", "edge"]
BASES = [
    {"base": "hamming_product", "n_factors": 3},
    {"base": "single_label_tree", "max_leaf_nodes": 8, "tree_criterion": "gini", "random_state": 0},
    {"base": "single_label_tree", "max_leaf_nodes": 8, "tree_criterion": "edge"},
]


def signs_of(y):
    return np.where(y[:, None] == np.unique(y), 1.0, -1.0)


def test_scores_with_products_are_the_oracles():
    X, y = load_wine(return_X_y=True)
    model = AdaBoostMHClassifier("hamming_product", n_factors=3, n_estimators=15).fit(X, y)
    Y = signs_of(y)
    _, alphas, edges, scores = hamming_product.boost(X, Y, initial_weights(Y), 3, 15)
    np.testing.assert_array_equal(model.estimator_weights_, alphas)
    np.testing.assert_array_equal(model.edges_, edges)
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-12)


def test_a_product_of_one_factor_is_the_stump():
    X, y = load_wine(return_X_y=True)
    stump = AdaBoostMHClassifier("stump", n_estimators=12).fit(X, y)
    product = AdaBoostMHClassifier("hamming_product", n_factors=1, n_estimators=12).fit(X, y)
    np.testing.assert_array_equal(stump.decision_function(X), product.decision_function(X))
    np.testing.assert_allclose(stump.feature_importances_, product.feature_importances_, atol=1e-8)


def test_products_take_multilabel_targets():
    X, Y = make_multilabel_classification(n_samples=120, n_classes=5, random_state=0)
    model = AdaBoostMHClassifier("hamming_product", n_factors=2, n_estimators=15).fit(X, Y)
    signs = np.where(Y > 0, 1.0, -1.0)
    _, alphas, _, scores = hamming_product.boost(X, signs, initial_weights(signs, multilabel=True), 2, 15)
    np.testing.assert_array_equal(model.estimator_weights_, alphas)
    np.testing.assert_array_equal(model.predict(X), scores > 0)
    assert model.staged_error(X, Y)[-1] == pytest.approx((model.predict(X) != Y).mean())


@pytest.mark.parametrize("criterion", TREE_CRITERIA)
@pytest.mark.parametrize("weights", ["balanced", "uniform"])
def test_single_label_trees_follow_adaboost_mh(criterion, weights):
    """Figure 1 written out with trees of plain scikit-learn, or of the NumPy twin."""
    X, y = load_wine(return_X_y=True)
    X = X.astype(np.float32).astype(float)
    model = AdaBoostMHClassifier(
        "single_label_tree",
        n_estimators=12,
        max_leaf_nodes=4,
        tree_criterion=criterion,
        initial_weights=weights,
        random_state=3,
    ).fit(X, y)
    Y, rng = signs_of(y), np.random.RandomState(3)
    W = initial_weights(Y, multilabel=weights == "uniform")
    scores = np.zeros(Y.shape)
    for alpha, edge in zip(model.estimator_weights_, model.edges_, strict=True):
        if criterion == "gini":
            tree = DecisionTreeClassifier(max_leaf_nodes=4, random_state=rng.randint(2**31 - 1))
            named = tree.fit(X, y, W.sum(axis=1)).predict(X)
        else:
            named = single_label_tree.grow_tree(X, np.rint(W * Y * SCALE).astype(np.int64), 4)[1]
        H = np.where(named[:, None] == np.arange(3), 1, -1)
        assert edge == pytest.approx((W * Y * H).sum(), rel=1e-9)
        assert alpha == pytest.approx(0.5 * np.log((1 + edge) / (1 - edge)), rel=1e-9)
        W = W * np.exp(-alpha * Y * H)
        W /= W.sum()
        scores += alpha * H
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), scores.argmax(axis=1))


@pytest.mark.parametrize("params", BASES)
def test_loss_falls_by_the_edge_each_round(params):
    X, y = load_digits(return_X_y=True)
    X, y = X[:600], y[:600]
    model = AdaBoostMHClassifier(n_estimators=15, **params).fit(X, y)
    Y = signs_of(y)
    W = initial_weights(Y)
    losses = [(W * np.exp(-Y * f)).sum() for f in model.staged_decision_function(X)]
    np.testing.assert_allclose(losses, np.cumprod(np.sqrt(1 - model.edges_**2)), rtol=1e-9)


@pytest.mark.parametrize("params", BASES)
def test_staged_methods_curve_and_pickle_agree(params):
    X, y = load_iris(return_X_y=True)
    names = np.array(["sétosa", "versi color", "v<3>"])[y]
    model = AdaBoostMHClassifier(n_estimators=15, **params).fit(X[::2], names[::2])
    predictions = list(model.staged_predict(X[1::2]))
    assert len(predictions) == model.n_estimators_
    np.testing.assert_array_equal(predictions[-1], model.predict(X[1::2]))
    np.testing.assert_allclose(
        model.staged_error(X[1::2], names[1::2]), [(p != names[1::2]).mean() for p in predictions]
    )
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    again = AdaBoostMHClassifier(n_estimators=15, **params).fit(X[::2], names[::2])
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert model.feature_importances_.sum() == pytest.approx(1)
    two = AdaBoostMHClassifier(n_estimators=5, **params).fit(X[:100], names[:100])
    assert two.staged_error(X[100:], names[100:]).tolist() == [1.0] * two.n_estimators_  # a class unseen in training


@pytest.mark.parametrize("params", BASES)
def test_fewer_samples_than_leaves_and_no_cut_at_all(params):
    X = np.array([[0.0], [1.0], [2.0]])
    model = AdaBoostMHClassifier(n_estimators=5, **params).fit(X, ["a", "b", "b"])
    assert model.predict(X).tolist() == ["a", "b", "b"]
    assert model.n_estimators_ == 1
    constant = AdaBoostMHClassifier(n_estimators=5, **params).fit(np.ones((5, 2)), ["a", "b", "b", "b", "a"])
    assert constant.predict(np.ones((1, 2))).tolist() == ["b"]
    assert constant.feature_importances_.tolist() == [0, 0]


@pytest.mark.parametrize("params", BASES)
def test_order_of_rows_does_not_matter_on_data_without_ties(params):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 4))
    y = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int) + (X[:, 2] > 1)
    order = rng.permutation(len(X))
    weight = rng.random(150)
    model = AdaBoostMHClassifier(n_estimators=8, **params).fit(X, y, weight)
    other = AdaBoostMHClassifier(n_estimators=8, **params).fit(X[order], y[order], weight[order])
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), rtol=1e-6)


@pytest.mark.parametrize("criterion", TREE_CRITERIA)
def test_two_classes_are_binary_adaboost_with_trees(criterion):
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32).astype(float)
    options = {"max_leaf_nodes": 3, "tree_criterion": criterion, "random_state": 0}
    model = AdaBoostMHClassifier("single_label_tree", n_estimators=10, **options).fit(X, y)
    signs, weights, scores = np.where(y == 1, 1, -1), np.full(len(y), 1 / len(y)), np.zeros(len(y))
    rng = np.random.RandomState(0)
    for alpha in model.estimator_weights_:
        if criterion == "gini":
            tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=rng.randint(2**31 - 1))
            h = 2 * tree.fit(X, y, weights).predict(X) - 1
        else:
            gains = np.rint(weights[:, None] / 2 * signs[:, None] * [-1, 1] * SCALE).astype(np.int64)
            h = 2 * single_label_tree.grow_tree(X, gains, 3)[1] - 1
        error = weights[h != signs].sum()
        assert alpha == pytest.approx(0.5 * np.log((1 - error) / error), rel=1e-6)
        weights = weights * np.exp(-alpha * signs * h)
        weights /= weights.sum()
        scores += alpha * h
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-6, atol=1e-6)


def test_integer_sample_weights_repeat_samples():
    X, y = tied_data(60, 4, 3, seed=2, n_values=30)
    weight = np.arange(60) % 3
    for params in BASES:
        weighted = AdaBoostMHClassifier(n_estimators=5, **params).fit(X, y, sample_weight=weight)
        repeated = AdaBoostMHClassifier(n_estimators=5, **params).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
        np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)


@pytest.mark.parametrize(("n_factors", "printed"), [(3, 0.0552), (8, 0.0652)])
def test_digits_errors_of_products_are_no_worse_than_the_original_programs(n_factors, printed):
    """MultiBoost's errors on this split at T = 1000; the binomial std is 0.8 points."""
    X, y = load_digits(return_X_y=True)
    model = make_estimator("adaboost_mh_hamming_product", {"n_factors": n_factors, "n_estimators": 1000}, seed=0)
    assert 1 - model.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) <= printed + 0.008


@pytest.mark.parametrize("setting", ["zhu", "mukherjee"])
def test_large_single_label_trees_learn_digits(setting):
    X, y = load_digits(return_X_y=True)
    name = f"adaboost_mh_single_label_tree_{setting}"
    model = make_estimator(name, {"max_leaf_nodes": 50, "n_estimators": 100}, seed=0).fit(X[:1000], y[:1000])
    assert 1 - model.score(X[1000:], y[1000:]) < 0.09


def test_small_single_label_trees_lose_their_edge():
    """Kegl 2014: the trees must be grown rather large to satisfy the weak-learning condition."""
    X, y = load_digits(return_X_y=True)
    small = AdaBoostMHClassifier("single_label_tree", n_estimators=60, max_leaf_nodes=4, tree_criterion="edge").fit(
        X, y
    )
    assert small.n_estimators_ < 60
    hamming = AdaBoostMHClassifier("hamming_tree", n_estimators=60, n_inner_nodes=3).fit(X, y)
    assert hamming.n_estimators_ == 60


@pytest.mark.parametrize("module", sorted({m.module for m in METHODS.values() if m.module.startswith("algos.")}))
def test_examples_print_what_they_say(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0
