"""Two-pass exclusion and the linear SVM: which samples go, what becomes of them, and the choice of their fraction."""

import numpy as np
import pytest
from oracles import stumps as oracle
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from algos.binary import (
    AdaBoost,
    GentleBoost,
    LinearSVM,
    LogitBoost,
    RobustBoost,
    TangentBoost,
    TwoPassExclusion,
)
from algos.binary.exclusion import difficulty, hardest
from algos.binary.losses import BoundedLogisticLoss

BOOSTERS = [
    AdaBoost(20),
    GentleBoost(20),
    LogitBoost(20),
    RobustBoost(20, error_goal=0.02),
    TangentBoost(40),
]
every_booster = pytest.mark.parametrize("booster", BOOSTERS, ids=lambda model: type(model).__name__)


@pytest.fixture(scope="module")
def noisy():
    """Two normal classes in the plane, and twenty positives far within the negatives: the last rows."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal([0, 0], 1, (200, 2)), rng.normal([4, 0], 1, (180, 2)), rng.normal([-1, 0], 0.8, (20, 2))])
    return X, np.repeat([0, 1], 200), np.arange(400) >= 380


def test_difficulty_is_the_papers():
    scores, signs = np.array([-2.0, 1.0, 3.0, -1.0, 0.5]), np.array([1, 1, 1, -1, -1])
    assert difficulty(scores, signs).tolist() == [5, 2, 0, 1, 2.5]  # max H = 3, min H = -2


def test_hardest_counts_settles_ties_and_leaves_one():
    hard, candidates = np.array([1.0, 5.0, 5.0, 9.0, 0.0]), np.array([True, True, True, False, True])
    assert hardest(hard, candidates, 0.25).tolist() == [1]
    assert hardest(hard, candidates, 0.5).tolist() == [1, 2]
    assert hardest(hard, candidates, 0.99).tolist() == [1, 2, 0]
    assert hardest(hard, candidates, 0.0).tolist() == []
    assert hardest(hard, candidates, 0.12).tolist() == []  # rounds 0.48 to none
    assert hardest(hard, np.zeros(5, dtype=bool), 0.5).tolist() == []


@every_booster
def test_no_fraction_is_the_plain_booster(noisy, booster):
    X, y, _ = noisy
    model = TwoPassExclusion(booster, fraction=0).fit(X, y)
    plain = clone(booster).fit(X, y)
    assert model.excluded_.tolist() == []
    assert model.estimator_ is model.first_pass_
    np.testing.assert_array_equal(model.estimator_.stumps_, plain.stumps_)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


@every_booster
def test_hardest_positives_are_trained_again_under_the_exclusion_loss(noisy, booster):
    X, y, planted = noisy
    model = TwoPassExclusion(booster, fraction=0.1, eta=30.0, peak=2.0).fit(X, y)
    first = clone(booster).fit(X, y)
    H = first.decision_function(X)
    np.testing.assert_array_equal(model.difficulty_, np.where(y == 1, H.max() - H, H - H.min()))
    assert len(model.excluded_) == 20
    assert (y[model.excluded_] == 1).all()
    assert (np.diff(model.difficulty_[model.excluded_]) <= 0).all()
    rest = np.setdiff1d(np.flatnonzero(y == 1), model.excluded_)
    assert model.difficulty_[model.excluded_].min() >= model.difficulty_[rest].max()
    assert planted[model.excluded_].sum() >= 15
    outliers = np.isin(np.arange(400), model.excluded_)
    second = clone(booster).fit(X, y, outliers=outliers, outlier_loss=BoundedLogisticLoss(30.0, 2.0))
    np.testing.assert_array_equal(model.estimator_.stumps_, second.stumps_)
    assert model.n_estimators_ == second.n_estimators_
    assert (second.decision_function(X)[planted] < 0).mean() > 0.7  # given up


@every_booster
def test_planted_outliers_no_longer_bend_the_boundary(noisy, booster):
    """On clean test data the second pass is no worse than the first, and near to training without the planted ones."""
    X, y, planted = noisy
    rng = np.random.default_rng(1)
    X_test = np.vstack([rng.normal([0, 0], 1, (1000, 2)), rng.normal([4, 0], 1, (1000, 2))])
    y_test = np.repeat([0, 1], 1000)
    model = TwoPassExclusion(booster, fraction=0.1).fit(X, y)
    clean = clone(booster).fit(X[~planted], y[~planted])
    assert model.score(X_test, y_test) >= model.first_pass_.score(X_test, y_test) - 0.002
    assert model.score(X_test, y_test) >= clean.score(X_test, y_test) - 0.01


def test_sides_that_may_be_excluded(noisy):
    X, y, _ = noisy
    sides = {
        side: TwoPassExclusion(AdaBoost(20), fraction=0.05, exclude=side).fit(X, y).excluded_
        for side in ("positives", "negatives", "both")
    }
    assert (y[sides["positives"]] == 1).all()
    assert (y[sides["negatives"]] == 0).all()
    np.testing.assert_array_equal(sides["both"], np.concatenate([sides["positives"], sides["negatives"]]))
    hard = TwoPassExclusion(AdaBoost(20), exclude="negatives", fraction=0.05).fit(X, y)
    H = hard.first_pass_.decision_function(X)
    assert H[hard.excluded_].min() >= np.delete(H[y == 0], np.flatnonzero(y == 0).searchsorted(hard.excluded_)).max()


def test_samples_without_weight_are_neither_counted_nor_excluded(noisy):
    X, y, planted = noisy
    model = TwoPassExclusion(AdaBoost(20), fraction=0.1).fit(X, y, sample_weight=np.where(planted, 0.0, 1.0))
    without = TwoPassExclusion(AdaBoost(20), fraction=0.1).fit(X[~planted], y[~planted])
    np.testing.assert_array_equal(model.excluded_, without.excluded_)
    np.testing.assert_array_equal(model.decision_function(X), without.decision_function(X))


def test_order_of_samples_does_not_matter():
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    one = TwoPassExclusion(LogitBoost(60), fraction=0.08).fit(X, y)
    other = TwoPassExclusion(LogitBoost(60), fraction=0.08).fit(X[order], y[order])
    assert len(np.unique(one.difficulty_[one.excluded_])) == len(one.excluded_)  # no ties, which the order would settle
    assert order[other.excluded_].tolist() == one.excluded_.tolist()
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


def test_fraction_by_cross_validation(noisy):
    X, y, _ = noisy
    grid = (0.0, 0.1, 0.3)
    model = TwoPassExclusion(AdaBoost(20), fraction="cv", fractions=grid, cv=3).fit(X, y)
    scores = np.zeros((3, 3))
    for k, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        for f, fraction in enumerate(grid):
            H = TwoPassExclusion(AdaBoost(20), fraction=fraction).fit(X[train], y[train]).decision_function(X[test])
            scores[f, k] = average_precision_score(y[test], H)
    np.testing.assert_array_equal(model.cv_scores_, scores)
    assert model.fraction_ == grid[scores.mean(axis=1).argmax()]
    chosen = TwoPassExclusion(AdaBoost(20), fraction=model.fraction_).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), chosen.decision_function(X))


def test_cross_validation_takes_names_other_scores_and_splits(noisy):
    X, y, _ = noisy
    names = np.where(y == 1, "yes", "no")
    splits = list(StratifiedKFold(2, shuffle=True, random_state=0).split(X, y))
    options = {"fraction": "cv", "fractions": [0.1, 0.0], "cv": splits, "scoring": "accuracy"}
    model = TwoPassExclusion(AdaBoost(10), **options).fit(X, names)
    assert model.cv_scores_.shape == (2, 2)
    assert model.predict(X).dtype == names.dtype
    tied = TwoPassExclusion(AdaBoost(1), **{**options, "fractions": [0.001, 0.0]}).fit(X, names)
    assert tied.fraction_ == 0  # both exclude nobody: the smallest of the best


@every_booster
def test_methods_of_the_booster_are_there(noisy, booster):
    X, y, _ = noisy
    model = TwoPassExclusion(booster).fit(X, y)
    np.testing.assert_array_equal(list(model.staged_decision_function(X))[-1], model.decision_function(X))
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert len(model.staged_error(X, y)) == model.n_estimators_
    assert hasattr(model, "predict_proba") == hasattr(booster, "predict_proba")
    if hasattr(booster, "predict_proba"):
        np.testing.assert_array_equal(model.predict_proba(X), model.estimator_.predict_proba(X))


@pytest.mark.parametrize("svm", [LinearSVM(C=0.1), LinearSVC(C=0.1, dual=False), LogisticRegression()], ids=str)
def test_estimators_without_rounds_weigh_outliers_by_a_fit_without_them(noisy, svm):
    X, y, planted = noisy
    model = TwoPassExclusion(svm, fraction=0.1, eta=5.0).fit(X, y)
    assert planted[model.excluded_].sum() >= 15
    outliers = np.isin(np.arange(400), model.excluded_)
    without = clone(svm).fit(X, y, sample_weight=(~outliers).astype(float))
    v = without.decision_function(X)  # the outliers are positives
    weight = np.where(outliers, 4 / ((1 + np.exp(5 * v)) * (1 + np.exp(-5 * v))), 1.0)
    expected = clone(svm).fit(X, y, sample_weight=weight).decision_function(X)
    np.testing.assert_array_equal(model.decision_function(X), expected)
    assert not hasattr(model, "staged_predict")
    same = TwoPassExclusion(svm, fraction=0).fit(X, y)
    np.testing.assert_array_equal(same.decision_function(X), clone(svm).fit(X, y).decision_function(X))


def test_linear_svm_minimises_its_objective(noisy):
    X, y, _ = noisy
    signs, weight = np.where(y == 1, 1, -1), np.random.default_rng(0).uniform(0.1, 2, 400)
    model = LinearSVM(C=0.3).fit(X, y, sample_weight=weight)
    mean = np.average(X, axis=0, weights=weight)
    Z = (X - mean) / np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
    np.testing.assert_allclose(model.decision_function(X), Z @ model.coef_ + model.intercept_, atol=1e-12)
    slack = weight * signs * np.maximum(0, 1 - signs * model.decision_function(X))
    gradient = np.append(model.coef_, model.intercept_) - 2 * 0.3 * np.append(Z.T @ slack, slack.sum())
    assert np.abs(gradient).max() < 1e-3 * (2 * 0.3 * np.abs(Z.T @ (weight * signs))).max()


def test_linear_svm_chooses_C():
    X, y = load_breast_cancer(return_X_y=True)
    model = LinearSVM(C="cv", C_grid=(10.0, 1e-6, 0.01), scoring="accuracy").fit(X, y)
    means = {}
    for C in (1e-6, 0.01, 10.0):
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        folds = StratifiedKFold(5).split(X, y)
        means[C] = np.mean([LinearSVC(C=C, dual=False).fit(Z[a], y[a]).score(Z[b], y[b]) for a, b in folds])
    assert means[model.C_] == max(means.values())
    assert model.score(X, y) > 0.95
    unit = LinearSVM(normalization="unit").fit(X, y)
    np.testing.assert_allclose(unit.decision_function(2 * X), unit.decision_function(X))


@pytest.mark.parametrize(
    ("model", "data", "message"),
    [
        (TwoPassExclusion(fraction=1.0), ([[0.0], [1.0]], [0, 1]), "fraction"),
        (TwoPassExclusion(fraction="best"), ([[0.0], [1.0]], [0, 1]), "fraction"),
        (TwoPassExclusion(eta=0), ([[0.0], [1.0]], [0, 1]), "eta"),
        (TwoPassExclusion(peak=-1), ([[0.0], [1.0]], [0, 1]), "peak"),
        (TwoPassExclusion(exclude="all"), ([[0.0], [1.0]], [0, 1]), "exclude"),
        (TwoPassExclusion(), ([[0.0], [1.0]], [1, 1]), "one class only"),
        (TwoPassExclusion(), ([[0.0], [1.0], [2.0]], [0, 1, 2]), "Only binary classification"),
        (TwoPassExclusion(), ([[0.0], [np.inf]], [0, 1]), "infinity"),
        (TwoPassExclusion(fraction="cv"), ([[0.0], [1.0]], [0, 1]), "smaller class has 1"),
        (TwoPassExclusion(fraction="cv", fractions=[1.5]), ([[0.0]] * 6, [0, 1] * 3), "fractions"),
        (TwoPassExclusion(KNeighborsClassifier()), ([[0.0], [1.0]], [0, 1]), "decision_function"),
        (TwoPassExclusion(GaussianNB()), ([[0.0], [1.0]], [0, 1]), "decision_function"),
        (LinearSVM(C=0), ([[0.0], [1.0]], [0, 1]), "'C'"),
        (LinearSVM(normalization="l2"), ([[0.0], [1.0]], [0, 1]), "normalization"),
        (LinearSVM(), ([[0.0], [1.0], [2.0]], [0, 1, 2]), "Only binary classification"),
        (LinearSVM(), ([[0.0], [1.0]], [1, 1]), "one class only"),
    ],
)
def test_bad_input_is_named(model, data, message):
    with pytest.raises(ValueError, match=message):
        model.fit(*data)


def test_an_estimator_that_cannot_weigh_samples_is_refused():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    with pytest.raises(ValueError, match=r"LinearDiscriminantAnalysis\.fit takes no sample_weight"):
        TwoPassExclusion(LinearDiscriminantAnalysis()).fit([[0.0], [1.0], [2.0]], [0, 1, 1])


@pytest.mark.parametrize(
    "booster",
    [AdaBoost(20), RobustBoost(20, error_goal=0.01, rules="stump"), RobustBoost(20, error_goal=0.001, rules="stump")],
    ids=["AdaBoost", "RobustBoost", "RobustBoost, strict goal"],
)
def test_outliers_weigh_the_peak_in_the_first_round(noisy, booster):
    """Every score is 0 then, and an inlier weighs 1 in the units of `peak`, whatever its loss's weight there."""
    X, y, _ = noisy
    model = TwoPassExclusion(booster, fraction=0.1, peak=0.5).fit(X, y)
    w = np.where(np.isin(np.arange(400), model.excluded_), 0.5, 1.0)
    cut = oracle.classify(X, w * np.where(y == 1, 1, -1))
    assert (model.estimator_.stumps_[0]["feature"], model.estimator_.stumps_[0]["threshold"]) == (
        cut.feature,
        cut.threshold,
    )


def test_outliers_of_tangentboost_weigh_the_peak_of_its_own_weight_in_the_first_round(noisy):
    """8 at the margin 0; an inlier's working response is 1/2 there, an outlier's 1."""
    X, y, _ = noisy
    model = TwoPassExclusion(TangentBoost(20), fraction=0.1, peak=0.5).fit(X, y)
    outlier = np.isin(np.arange(400), model.excluded_)
    weights = np.where(outlier, 0.5, 1.0) * 8
    cut = oracle.regress(X, np.where(outlier, 1.0, 0.5) * weights * np.where(y == 1, 1, -1), weights)
    first = model.estimator_.stumps_[0]
    assert (first["feature"], first["threshold"]) == (cut.feature, cut.threshold)
    gradients = np.where(outlier, 1.0, 0.5) * np.where(y == 1, 1, -1) * weights
    for name, side in (("minus", ~cut.plus(X)), ("plus", cut.plus(X))):
        assert first[name] == pytest.approx(0.1 * gradients[side].sum() / weights[side].sum())


def test_cross_validation_passes_over_samples_without_weight(noisy):
    X, y, _ = noisy
    weight = (np.random.default_rng(0).random(len(y)) < 0.6).astype(float)
    model = TwoPassExclusion(AdaBoost(n_estimators=10), fraction="cv", fractions=(0.0, 0.1, 0.2))
    with_zeros = clone(model).fit(X, y, sample_weight=weight)
    dropped = clone(model).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(with_zeros.cv_scores_, dropped.cv_scores_)
    # Ready-made splits name rows of all samples.
    halves = [(np.arange(0, len(y), 2), np.arange(1, len(y), 2)), (np.arange(1, len(y), 2), np.arange(0, len(y), 2))]
    of_kept = [tuple((np.cumsum(weight > 0) - 1)[part[weight[part] > 0]] for part in half) for half in halves]
    with_zeros = clone(model).set_params(cv=halves).fit(X, y, sample_weight=weight)
    dropped = clone(model).set_params(cv=of_kept).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(with_zeros.cv_scores_, dropped.cv_scores_)


@pytest.mark.parametrize("scoring", ["average_precision", "accuracy", "roc_auc"])
def test_cross_validation_leaves_labels_to_parameters_that_name_them(noisy, scoring):
    X, y, _ = noisy
    names = np.where(y == np.unique(y)[1], "yes", "no")
    first, second = np.unique(y).tolist()
    model = TwoPassExclusion(fraction="cv", fractions=(0.0, 0.1), cv=2, scoring=scoring)
    by_name = clone(model).set_params(estimator=LinearSVC(class_weight={"yes": 5.0, "no": 1.0})).fit(X, names)
    by_number = clone(model).set_params(estimator=LinearSVC(class_weight={second: 5.0, first: 1.0})).fit(X, y)
    np.testing.assert_array_equal(by_name.cv_scores_, by_number.cv_scores_)


@pytest.mark.parametrize(
    ("model", "fit", "message"),
    [
        (TwoPassExclusion(fraction="cv", cv=[]), {}, "cv has no splits"),
        (TwoPassExclusion(fraction="cv", scoring=lambda *_: np.nan), {}, "no finite number"),
        (TwoPassExclusion(LinearSVM()), {"monitor": lambda *_: None}, "LinearSVM has no rounds to monitor"),
        (TwoPassExclusion(LogitBoost), {}, r"estimator is the class LogitBoost; give one, LogitBoost\(\)"),
        (TwoPassExclusion(), {"sample_weight": np.r_[np.ones(20), np.zeros(20)]}, "of positive weight y has one class"),
        (LinearSVM(class_weight={"typo": 3.0}), {}, "class_weight names 'typo', but the labels are 0 and 1"),
        (LinearSVM(class_weight={1: -3.0}), {}, "class_weight of 1 is -3.0; give a positive number"),
        (LogitBoost(), {"outliers": np.arange(40) < 2, "outlier_loss": "x"}, "outlier_loss is 'x'; give a loss"),
    ],
    ids=["no splits", "NaN", "monitor", "class", "one class", "unknown label", "negative weight", "no loss"],
)
def test_further_bad_input_is_named(model, fit, message):
    X = np.arange(80.0).reshape(40, 2)
    with pytest.raises(ValueError, match=message):
        model.fit(X, np.repeat([0, 1], 20), **fit)


def test_a_path_is_of_numbers(noisy):
    with pytest.raises(ValueError, match="a path is of numbers, not 'cv'"):
        list(TwoPassExclusion(AdaBoost(n_estimators=2)).fit_path(*noisy[:2], ["cv"]))


@pytest.mark.parametrize("given", [(-1,), (0,), ("x",), (np.nan,), (True,), (1.0, -1.0)])
def test_an_exclusion_loss_has_positive_parameters(given):
    with pytest.raises(ValueError, match=r"of the exclusion loss is .*; give a positive number"):
        BoundedLogisticLoss(*given)
