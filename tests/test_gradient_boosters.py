"""LogitBoost, MART, ABC and AOSO classifiers: scikit-learn's contract, the papers' identities, and limit cases."""

import pickle

import numpy as np
import pytest
from oracles import gradient_boosting as oracle
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from algos._kernels.gradient_tree import PAIR_RULES
from algos.multiclass import (
    ABCLogitBoostClassifier,
    ABCMARTClassifier,
    AOSOLogitBoostClassifier,
    LogitBoostClassifier,
    MARTClassifier,
)

CLASSIFIERS = (
    LogitBoostClassifier,
    MARTClassifier,
    ABCLogitBoostClassifier,
    ABCMARTClassifier,
    AOSOLogitBoostClassifier,
)
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)


@parametrize_with_checks(
    [
        *(classifier(n_estimators=20) for classifier in CLASSIFIERS),
        ABCLogitBoostClassifier(n_estimators=20, search=1, gap=5),
        *(AOSOLogitBoostClassifier(n_estimators=20, pair_rule=rule) for rule in PAIR_RULES[1:]),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def training_losses(model, X, y):
    """-sum log p of the samples' classes after each round, for more than two classes."""
    return np.array([oracle.losses(F, y).sum() for F in model.staged_decision_function(X)])


def loops(X, y, classifier, n_rounds):
    """The classifier's algorithm in NumPy: the scores after the last round, and the base classes of ABC."""
    least_squares = classifier in (MARTClassifier, ABCMARTClassifier)
    aoso = classifier is AOSOLogitBoostClassifier
    twin = oracle.Booster(
        X, y, len(np.unique(y)), J=5, least=1 if aoso else 10, max_value=5.0 if aoso else 50.0,
        least_squares=least_squares,
    )  # fmt: skip
    bases = []
    for _ in range(n_rounds):
        if aoso:
            oracle.aoso_round(twin)
        elif issubclass(classifier, ABCLogitBoostClassifier):
            bases.append(oracle.abc_round(twin, range(twin.K))[0])
        else:
            oracle.logitboost_round(twin)
    return twin.F, bases


@every_classifier
def test_scores_are_the_papers(wine, classifier):
    X, y = wine
    model = classifier(n_estimators=12, max_leaf_nodes=5).fit(X, y)
    F, bases = loops(X, y, classifier, 12)
    np.testing.assert_allclose(model.decision_function(X), F, atol=1e-9)
    np.testing.assert_allclose(model.train_loss_, training_losses(model, X, y), rtol=1e-9)
    if bases:
        assert model.base_classes_.tolist() == bases


@pytest.mark.parametrize("classifier", CLASSIFIERS[2:])
def test_scores_sum_to_zero(classifier):
    X, y = load_digits(return_X_y=True)
    model = classifier(n_estimators=15, max_leaf_nodes=6).fit(X[:400], y[:400])
    np.testing.assert_allclose(model.decision_function(X).sum(axis=1), 0, atol=1e-12)


@pytest.mark.parametrize("rule", PAIR_RULES)
def test_training_loss_of_aoso_never_rises(rule):
    """A leaf moves F_a and F_c by at most nu * 5 = 1/2, and within that a shrunken Newton step lowers loss (docs)."""
    X, y = load_digits(return_X_y=True)
    model = AOSOLogitBoostClassifier(n_estimators=150, max_leaf_nodes=8, pair_rule=rule).fit(X[:500], y[:500])
    assert (np.diff(model.train_loss_) < 0).all()


@every_classifier
def test_two_classes_are_binary_logitboost(classifier):
    """One function f = F_1 = -F_0, stepping by half of sum(r - p) / sum(p (1 - p)); its loss falls each round."""
    X, y = load_breast_cancer(return_X_y=True)
    model = classifier(n_estimators=12, max_leaf_nodes=2, min_samples_leaf=10, max_bins=569).fit(X, y)
    f = np.zeros(len(y))
    counts = np.ones(len(y), dtype=int)
    for _ in range(12):
        p = 1 / (1 + np.exp(-2 * f))
        g, h = np.rint((y - p) * 2.0**45).astype(np.int64), np.rint(p * (1 - p) * 2.0**30).astype(np.int64)
        w = counts * 2**30 if classifier._least_squares else h
        _, feature, threshold = oracle.best_split(X, g, w, counts, 10)
        for side in (X[:, feature] < threshold, X[:, feature] >= threshold):
            f[side] += 0.1 * 0.5 * (y - p)[side].sum() / (p * (1 - p))[side].sum()
    np.testing.assert_allclose(model.decision_function(X), f, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * f)), atol=1e-6)
    assert (np.diff(model.train_loss_) < 0).all()


def test_abc_takes_the_base_of_least_loss_and_its_economies_try_fewer(wine):
    X, y = wine
    whole = ABCLogitBoostClassifier(n_estimators=9, max_leaf_nodes=4).fit(X, y)
    every = ABCLogitBoostClassifier(n_estimators=9, max_leaf_nodes=4, search=3).fit(X, y)
    np.testing.assert_array_equal(whole.decision_function(X), every.decision_function(X))
    seldom = ABCLogitBoostClassifier(n_estimators=9, max_leaf_nodes=4, gap=2).fit(X, y)
    assert (seldom.base_classes_.reshape(3, 3) == seldom.base_classes_[::3, None]).all()
    worst = ABCLogitBoostClassifier(n_estimators=9, max_leaf_nodes=4, search=1).fit(X, y)
    F = np.zeros((len(y), 3))
    for base, after in zip(worst.base_classes_, worst.staged_decision_function(X), strict=True):
        assert base == np.bincount(y, oracle.losses(F, y)).argmax()
        F = after
    assert whole.train_loss_[0] <= min(seldom.train_loss_[0], worst.train_loss_[0])


@every_classifier
def test_staged_methods_end_at_the_model_and_agree_with_the_curve(wine, classifier):
    X, y = wine
    model = classifier(n_estimators=25, max_leaf_nodes=4).fit(X[::2], y[::2])
    predictions = list(model.staged_predict(X[1::2]))
    assert len(predictions) == model.n_estimators_
    np.testing.assert_array_equal(predictions[-1], model.predict(X[1::2]))
    curve = model.staged_error(X[1::2], y[1::2])
    np.testing.assert_allclose(curve, [(p != y[1::2]).mean() for p in predictions])
    assert curve[-1] == pytest.approx(1 - model.score(X[1::2], y[1::2]))
    F, P = model.decision_function(X), model.predict_proba(X)
    np.testing.assert_allclose(P, np.exp(F) / np.exp(F).sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(list(model.staged_decision_function(X))[-1], F)


@every_classifier
def test_labels_may_be_strings_and_a_class_unseen_in_training_is_an_error(classifier):
    X, y = load_iris(return_X_y=True)
    names = np.array(["sétosa", "versi color", "v<3>"])[y]
    model = classifier(n_estimators=10).fit(X[:100], names[:100])
    assert set(model.predict(X)) <= set(names[:100])
    assert model.staged_error(X[100:], names[100:]).tolist() == [1.0] * model.n_estimators_
    with pytest.raises(ValueError, match="50 samples and y has 49"):
        model.staged_error(X[100:], names[101:])


@every_classifier
def test_integer_sample_weights_repeat_samples_and_zero_ones_leave_out(wine, classifier):
    X, y = wine
    weight = np.arange(len(y)) % 3
    options = {"n_estimators": 8, "max_leaf_nodes": 3}  # small nodes have ties that rounding of w g would break
    weighted = classifier(**options).fit(X, y, sample_weight=weight)
    repeated = classifier(**options).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)
    halved = classifier(**options).fit(X, y, sample_weight=weight / 8)  # only ratios of weights matter
    np.testing.assert_array_equal(weighted.decision_function(X), halved.decision_function(X))


@every_classifier
def test_order_of_samples_does_not_matter(wine, classifier):
    X, y = wine
    order = np.random.default_rng(0).permutation(len(y))
    model = classifier(n_estimators=15, max_leaf_nodes=6)
    np.testing.assert_array_equal(
        clone(model).fit(X, y).decision_function(X), clone(model).fit(X[order], y[order]).decision_function(X)
    )


@every_classifier
def test_constant_features_find_the_priors(classifier):
    y = np.array(["a"] * 3 + ["b"] * 5 + ["c"] * 2)
    model = classifier(n_estimators=400).fit(np.ones((10, 2)), y)
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 2)))[0], [0.3, 0.5, 0.2], atol=1e-3)
    assert model.feature_importances_.tolist() == [0, 0]


@every_classifier
def test_importances_name_the_feature_that_tells(classifier):
    X = np.random.default_rng(0).normal(size=(300, 5))
    model = classifier(n_estimators=10, max_leaf_nodes=4).fit(X, (X[:, 3] > 0).astype(int) + (X[:, 3] > 1))
    assert model.feature_importances_.argmax() == 3
    assert model.feature_importances_.sum() == pytest.approx(1)


@every_classifier
def test_boosting_ends_where_no_loss_is_left(classifier):
    """A large step soon makes every probability 1; the loss of the last round alone is below the limit."""
    X = np.arange(60.0)[:, None]
    model = classifier(n_estimators=500, learning_rate=1.0).fit(X, np.arange(60) // 20)
    assert model.n_estimators_ < 500
    assert model.train_loss_[-1] < model._least_loss <= model.train_loss_[-2]


@every_classifier
def test_monitor_sees_each_round_and_can_end_the_fit(wine, classifier):
    X, y = wine
    seen = []
    model = classifier(n_estimators=50).fit(X, y, monitor=lambda t, _: seen.append(t) or t == 7)
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    assert model.n_estimators_ == 7


@every_classifier
def test_works_in_a_grid_search_is_deterministic_and_can_be_pickled(wine, classifier):
    X, y = wine
    search = GridSearchCV(classifier(n_estimators=40), {"max_leaf_nodes": [2, 5]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.85
    model = search.best_estimator_
    np.testing.assert_array_equal(clone(model).fit(X, y).decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), model.decision_function(X))


@every_classifier
@pytest.mark.parametrize(
    ("params", "data", "message"),
    [
        ({"max_leaf_nodes": 1}, ([[0.0], [1.0]], [0, 1]), "max_leaf_nodes"),
        ({"learning_rate": 0.0}, ([[0.0], [1.0]], [0, 1]), "learning_rate"),
        ({"n_estimators": 2.5}, ([[0.0], [1.0]], [0, 1]), "n_estimators"),
        ({"max_bins": 1}, ([[0.0], [1.0]], [0, 1]), "max_bins"),
        ({}, ([[0.0], [1.0]], ["a", "a"]), "one class only"),
        ({}, ([[0.0], [np.nan]], [0, 1]), "NaN"),
        ({}, ([[0.0], [1.0]], [0.5, 1.5]), "Unknown label type"),
    ],
)
def test_bad_input_is_named(classifier, params, data, message):
    with pytest.raises(ValueError, match=message):
        classifier(**params).fit(*data)


def test_bad_options_are_named():
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(ValueError, match="pair_rule"):
        AOSOLogitBoostClassifier(pair_rule="oak").fit(X, y)
    with pytest.raises(ValueError, match="search"):
        ABCLogitBoostClassifier(search=-1).fit(X, y)
    with pytest.raises(ValueError, match="gap"):
        ABCLogitBoostClassifier(gap=-1).fit(X, y)


@pytest.mark.parametrize(
    ("classifier", "n_rounds", "printed"),
    [
        (LogitBoostClassifier, 200, 7.90),
        (MARTClassifier, 200, 8.78),
        (ABCLogitBoostClassifier, 200, 7.65),
        (ABCMARTClassifier, 200, 8.28),
        (AOSOLogitBoostClassifier, 200, 7.53),
        (AOSOLogitBoostClassifier, 500, 6.90),
    ],
)
def test_digits_error_is_no_worse_than_the_original_programs(classifier, n_rounds, printed):
    """The original programs' error in percent on this split, J = 20, nu = 0.1; the binomial std is 0.8 points."""
    X, y = load_digits(return_X_y=True)
    model = classifier(n_estimators=n_rounds).fit(X[:1000], y[:1000])
    assert 100 * (1 - model.score(X[1000:], y[1000:])) <= printed + 0.8
