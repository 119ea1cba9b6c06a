"""Binary boosters: the algorithms in NumPy, RobustBoost's constraints, limit cases, bad input."""

import pickle

import numpy as np
import pytest
from oracles import stumps as oracle
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import GridSearchCV

from algos.binary import AdaBoost, GentleBoost, LogitBoost, RobustBoost, TangentBoost
from algos.binary._robust_step import RobustStep
from algos.binary.losses import BoundedLogisticLoss, RobustLoss

BOOSTERS = (AdaBoost, GentleBoost, LogitBoost, RobustBoost, TangentBoost)
every_booster = pytest.mark.parametrize("booster", BOOSTERS)
ROBUST_KINDS = [(rules, erf) for rules in ("branches", "stump") for erf in ("unit", "standard")]


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def parity():
    """Odd against even digits: 1000 rows to train, 797 to test."""
    X, y = load_digits(return_X_y=True)
    return X[:1000], y[:1000] % 2, X[1000:], y[1000:] % 2


@pytest.mark.parametrize(
    ("model", "loop"),
    [
        (AdaBoost(30), lambda X, y, w: oracle.adaboost(X, y, w, 30)),
        (GentleBoost(30), lambda X, y, w: oracle.additive(X, y, w, 30, oracle.gentle, 1)),
        (LogitBoost(30), lambda X, y, w: oracle.additive(X, y, w, 30, oracle.logit, 0.5)),
        (
            LogitBoost(30, max_response=2.0),
            lambda X, y, w: oracle.additive(X, y, w, 30, lambda y, H: oracle.logit(y, H, 2.0), 0.5),
        ),
        (TangentBoost(30), lambda X, y, w: oracle.additive(X, y, w, 30, oracle.tangent, 0.1)),
        (
            TangentBoost(30, truncation="none", learning_rate=0.3),
            lambda X, y, w: oracle.additive(X, y, w, 30, lambda y, H: oracle.tangent(y, H, "none"), 0.3),
        ),
        (
            TangentBoost(30, truncation="weight", learning_rate=0.3),
            lambda X, y, w: oracle.additive(X, y, w, 30, lambda y, H: oracle.tangent(y, H, "weight"), 0.3),
        ),
    ],
    ids=lambda value: "loop" if callable(value) and not hasattr(value, "fit") else str(value),
)
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_the_papers(cancer, model, loop, weighted):
    X, y = cancer[0][:300], np.where(cancer[1][:300] == 1, 1.0, -1.0)
    weight = np.random.default_rng(0).uniform(0.2, 1, size=300) if weighted else np.ones(300)
    scores = model.fit(X, y, sample_weight=weight).decision_function(X)
    np.testing.assert_allclose(scores, loop(X, y, weight / weight.max()), atol=1e-9)


@pytest.mark.parametrize(("rules", "erf"), ROBUST_KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_robustboost_keeps_its_two_constraints(parity, rules, erf, weighted):
    """Each rule leaves the new weights uncorrelated with it and the average potential as it was, until t = 1."""
    X, y = parity[:2]
    signs = np.where(y == 1, 1.0, -1.0)
    weight = np.random.default_rng(0).uniform(0.2, 1, size=1000) if weighted else np.ones(1000)
    model = RobustBoost(error_goal=0.05, margin_goal=0.05, rules=rules, erf=erf).fit(X, y, sample_weight=weight)
    assert model.n_estimators_ > 10
    potential = oracle.RobustPotential(0.05, 0.05, 0.1, erf == "unit")
    m, t = np.zeros(1000), 0.0
    for stump, t_after in zip(model.stumps_, model.times_, strict=True):
        w = potential.w(m, t) * weight
        cut = (oracle.classify if rules == "stump" else oracle.rate)(X, w * signs)
        assert (stump["feature"], stump["threshold"]) == (cut.feature, cut.threshold)
        plus = cut.plus(X)
        assert stump["decay"] == pytest.approx(np.exp(t - t_after))
        after = m * stump["decay"] + signs * np.where(plus, stump["plus"], stump["minus"])
        last_rule = signs * (np.where(plus, 1, -1) if rules == "stump" else plus)
        drift = np.average(potential.phi(after, t_after) - potential.phi(m, t), weights=weight)
        if t_after < 1 - 1e-9:
            assert abs(np.average(last_rule * potential.w(after, t_after), weights=weight)) < 1e-7
            assert abs(drift) < 1e-7
        else:
            assert drift <= 1e-9
        m, t = after, t_after
    assert model.time_ == t > 0.999
    potential_at_end = np.average(potential.phi(m, t), weights=weight)
    assert 0 < potential_at_end <= 0.05 + 1e-6
    np.testing.assert_allclose(signs * model.decision_function(X), m, atol=1e-9)


def test_margins_of_robustboost_reach_its_goals(parity):
    """At t = 1 nearly the error goal's part of the samples lies below the margin goal."""
    X, y = parity[:2]
    for goal, theta in ((0.03, 0.0), (0.1, 0.2)):
        model = RobustBoost(error_goal=goal, margin_goal=theta, sigma_f=0.01).fit(X, y)
        margins = np.where(y == 1, 1, -1) * model.decision_function(X)
        assert model.time_ > 0.999
        assert goal / 2 < (margins < theta).mean() < 1.2 * goal


@pytest.mark.parametrize("erf", ["unit", "standard"])
@pytest.mark.parametrize("seed", range(12))
def test_steps_of_robustboost_from_anywhere(erf, seed):
    """The Newton and the nested solver both end in a step that fulfils both constraints, or in t = 1."""
    rng = np.random.default_rng(seed)
    goal, theta = rng.uniform(0.01, 0.3), rng.choice([0, 0.2])
    loss = RobustLoss.for_error_goal(goal, theta, 0.1, erf).replace(time=rng.uniform(0, 0.9))
    m, weight = 0.5 * rng.normal(size=80), rng.uniform(0.1, 1, size=80)
    u = rng.choice([-1.0, 0.0, 1.0], size=80, p=[0.3, 0.2, 0.5])
    step = RobustStep(loss, m, u, weight)
    potential = oracle.RobustPotential(goal, theta, 0.1, erf == "unit")
    ds, dt = step.solve()
    correlation, change = oracle.robust_residuals(potential, m, u, weight, loss.time, ds, dt)
    assert abs(correlation) < 1e-7
    assert change < 1e-7
    if loss.time + dt < 1 - 1e-9:
        nested = step._nested(1 - loss.time)
        residuals = oracle.robust_residuals(potential, m, u, weight, loss.time, *nested)
        assert abs(residuals[0]) < 1e-7
        for moved, time in ((change, dt), (residuals[1], nested[1])):
            # The potential is conserved, unless the best ds jumps and with it the potential.
            later = time + 1e-9
            assert abs(moved) < 1e-7 or step.potential_change(step._best_move(later), later) > 0.01 > 0 > moved
    jacobian = [
        [(f(0.1 + d, 0.03 + e) - f(0.1 - d, 0.03 - e)) / 2e-6 for d, e in ((1e-6, 0), (0, 1e-6))]
        for f in (step.correlation, step.potential_change)
    ]
    if erf == "unit":  # the other weight jumps at mu
        np.testing.assert_allclose(step._jacobian(0.1, 0.03), jacobian, rtol=1e-5, atol=1e-7)


# Error goal -> rounds and percent error of JBoost, which has two rules a stump and the standard erf.
JBOOST = {0.01: (102, 8.41), 0.02: (66, 8.66), 0.03: (53, 9.79), 0.05: (27, 10.92), 0.1: (12, 14.55), 0.15: (5, 14.68)}


@pytest.mark.parametrize("goal", JBOOST)
def test_robustboost_is_no_worse_than_jboost_and_as_long(parity, goal):
    X, y, X_test, y_test = parity
    rounds, error = JBOOST[goal]
    model = RobustBoost(error_goal=goal, erf="standard").fit(X, y)
    assert 100 * (1 - model.score(X_test, y_test)) <= error + 1.5
    assert abs(model.n_estimators_ - rounds) <= max(2, 0.15 * rounds)


@pytest.mark.parametrize(("booster", "error"), [(AdaBoost, 8.78), (LogitBoost, 8.28)])
def test_others_are_no_worse_than_jboost(parity, booster, error):
    X, y, X_test, y_test = parity
    assert 100 * (1 - booster(200).fit(X, y).score(X_test, y_test)) <= error + 1.5


def small(booster, **options):
    if booster is RobustBoost:
        options["error_goal"] = 0.01  # the default one is reached in two rounds
    return booster(n_estimators=15, **options)


@every_booster
def test_staged_methods_end_at_the_model(cancer, booster):
    X, y = cancer
    model = small(booster).fit(X[::2], y[::2])
    decisions, predictions = list(model.staged_decision_function(X)), list(model.staged_predict(X))
    assert len(decisions) == len(predictions) == model.n_estimators_
    np.testing.assert_array_equal(decisions[-1], model.decision_function(X))
    np.testing.assert_array_equal(predictions[-1], model.predict(X))
    np.testing.assert_array_equal(predictions[-1], (decisions[-1] > 0).astype(int))
    np.testing.assert_allclose(model.staged_error(X, y), [(p != y).mean() for p in predictions])
    shorter = clone(model).set_params(n_estimators=4).fit(X[::2], y[::2])
    np.testing.assert_array_equal(decisions[3], shorter.decision_function(X))
    assert model.feature_importances_.sum() == pytest.approx(1)


@every_booster
def test_any_two_labels_and_the_second_is_positive(cancer, booster):
    X, y = cancer
    names = np.array(["b ad", "gööd"])[y]
    numbers, named = small(booster).fit(X, y), small(booster).fit(X, names)
    np.testing.assert_array_equal(named.decision_function(X), numbers.decision_function(X))
    np.testing.assert_array_equal(named.predict(X), np.array(["b ad", "gööd"])[numbers.predict(X)])
    assert named.score(X, names) > 0.9


@every_booster
@pytest.mark.parametrize("options", [{}, {"balanced": True}])
def test_order_of_samples_does_not_matter(cancer, booster, options):
    X, y = cancer
    weight = np.random.default_rng(0).uniform(0.1, 1, size=len(y))
    order = np.random.default_rng(1).permutation(len(y))
    one = small(booster, **options).fit(X, y, weight)
    other = small(booster, **options).fit(X[order], y[order], weight[order])
    np.testing.assert_array_equal(one.stumps_, other.stumps_)


@every_booster
def test_weights_of_zero_leave_out_and_only_ratios_matter(cancer, booster):
    X, y = cancer
    weight = np.random.default_rng(0).integers(0, 3, size=len(y)).astype(float)
    model = small(booster).fit(X, y, weight)
    np.testing.assert_array_equal(
        small(booster).fit(X[weight > 0], y[weight > 0], weight[weight > 0]).stumps_, model.stumps_
    )
    np.testing.assert_array_equal(small(booster).fit(X, y, 8 * weight).stumps_, model.stumps_)
    repeated = small(booster).fit(np.repeat(X, weight.astype(int), 0), np.repeat(y, weight.astype(int)))
    np.testing.assert_allclose(repeated.decision_function(X), model.decision_function(X), atol=1e-6)


@every_booster
def test_balance_gives_both_classes_the_same_weight(cancer, booster):
    X, y = cancer[0][:150], cancer[1][:150]
    weight = np.where(y == 1, 1 / (y == 1).sum(), 1 / (y == 0).sum())
    by_hand = small(booster).fit(X, y, weight).decision_function(X)
    np.testing.assert_allclose(small(booster, balanced=True).fit(X, y).decision_function(X), by_hand, atol=1e-8)
    assert not np.allclose(small(booster).fit(X, y).decision_function(X), by_hand, atol=1e-3)


@every_booster
def test_constant_features_leave_the_larger_class(booster):
    X, y = np.ones((10, 2)), np.array([0] * 3 + [1] * 7)
    model = small(booster).fit(X, y)
    assert model.predict(X).tolist() == [1] * 10
    assert model.feature_importances_.tolist() == [0, 0]
    if hasattr(model, "predict_proba") and booster is not TangentBoost:
        assert booster(300).fit(X, y).predict_proba(X)[0, 1] == pytest.approx(0.7, abs=0.01)


@every_booster
def test_no_edge_no_stump(booster):
    """Each value has both labels in equal parts: nothing to learn."""
    X, y = np.repeat(np.arange(5.0), 2)[:, None], np.arange(10) % 2
    model = small(booster).fit(X, y)
    assert model.n_estimators_ == 0
    assert model.decision_function(X).tolist() == [0] * 10


def test_adaboost_ends_at_a_stump_without_error():
    X = np.arange(10.0)[:, None]
    model = AdaBoost(50).fit(X, X[:, 0] > 3)
    assert model.n_estimators_ == 1
    assert model.stumps_["threshold"] == 3.5
    assert model.stumps_["plus"][0] == pytest.approx(0.5 * np.log(2e10), rel=1e-6)


@pytest.mark.parametrize("booster", [AdaBoost, GentleBoost, LogitBoost])
def test_loss_falls_each_round(cancer, booster):
    X, y = cancer
    model = booster(60, **({"max_response": 1e6} if booster is LogitBoost else {})).fit(X, y)
    signs = np.where(y == 1, 1, -1)
    losses = [model._loss.value(signs * H).sum() for H in model.staged_decision_function(X)]
    assert (np.diff([model._loss.value(np.zeros(len(y))).sum(), *losses]) < 0).all()


def test_the_clip_of_the_response_holds_back_the_hard_samples(cancer):
    X, y = cancer
    y = y.copy()
    y[np.random.default_rng(0).choice(len(y), 25, replace=False)] ^= 1
    signs = np.where(y == 1, 1, -1)
    worst = [(signs * LogitBoost(200, max_response=z).fit(X, y).decision_function(X)).min() for z in (1.0, 4.0, 100.0)]
    assert worst[0] < worst[1] < worst[2]


def test_probabilities():
    X, y = load_breast_cancer(return_X_y=True)
    for booster in (AdaBoost, GentleBoost, LogitBoost):
        model = small(booster).fit(X, y)
        H = model.decision_function(X)
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * H)))
    model = TangentBoost(300).fit(X, y)
    P, H = model.predict_proba(X), model.decision_function(X)
    assert H.max() > np.tan(0.5)
    assert P.min() == 0
    assert P.max() == 1
    np.testing.assert_allclose(P[:, 1], np.clip(np.arctan(H) + 0.5, 0, 1))
    assert not hasattr(RobustBoost(), "predict_proba")


def test_truncation_keeps_correct_samples_from_being_pulled_back(cancer):
    X, y = cancer
    highest = [
        np.abs(TangentBoost(400, truncation=kind).fit(X, y).decision_function(X)).max() for kind in ("response", "none")
    ]
    assert highest[0] > highest[1]


@every_booster
def test_outliers_that_weigh_nothing_are_as_good_as_gone(cancer, booster):
    """With a huge eta an outlier weighs nothing once its score has left 0; dropped from the balance too."""
    X, y = cancer
    outliers = np.zeros(len(y), dtype=bool)
    outliers[np.flatnonzero(y == 1)[:20]] = True

    class Nothing(BoundedLogisticLoss):
        def weight(self, v):
            return np.zeros_like(v)

    model = small(booster, balanced=True).fit(X, y, outliers=outliers, outlier_loss=Nothing(1.0))
    without = small(booster, balanced=True).fit(X[~outliers], y[~outliers])
    np.testing.assert_allclose(model.decision_function(X), without.decision_function(X), atol=1e-9)
    none = small(booster).fit(X, y, outliers=np.zeros(len(y), dtype=bool), outlier_loss=Nothing(1.0))
    np.testing.assert_array_equal(none.stumps_, small(booster).fit(X, y).stumps_)


def test_outliers_are_weighed_by_their_own_loss_each_round(cancer):
    """AdaBoost with outliers, as a loop."""
    X, y = cancer[0][:200], np.where(cancer[1][:200] == 1, 1.0, -1.0)
    outliers = np.zeros(200, dtype=bool)
    outliers[np.flatnonzero(y > 0)[:15]] = True
    model = AdaBoost(10).fit(X, y, outliers=outliers, outlier_loss=BoundedLogisticLoss(3.0))
    H = np.zeros(200)
    for _ in range(10):
        v = y * H
        w = np.where(outliers, 3 / ((1 + np.exp(-3 * v)) * (1 + np.exp(3 * v))), np.exp(-v))
        h = np.where(oracle.classify(X, w * y).plus(X), 1, -1)
        edge = (w * y * h).sum() / w.sum()
        H += 0.5 * np.log((1 + edge) / (1 - edge)) * h
    np.testing.assert_allclose(model.decision_function(X), H, atol=1e-9)


@every_booster
def test_monitor_sees_each_round_and_can_end_the_fit(cancer, booster):
    X, y = cancer
    seen = []
    model = small(booster).fit(X, y, monitor=lambda t, _: seen.append(t) or t == 2)
    assert seen == [1, 2]
    assert model.n_estimators_ == 2


@every_booster
def test_works_in_a_grid_search_and_can_be_pickled(cancer, booster):
    X, y = cancer
    search = GridSearchCV(small(booster), {"balanced": [False, True]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.85
    copy = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(copy.decision_function(X), search.best_estimator_.decision_function(X))


@every_booster
@pytest.mark.parametrize(
    ("params", "data", "message"),
    [
        ({"n_estimators": 0}, ([[0.0], [1.0]], [0, 1]), "n_estimators"),
        ({"balanced": "yes"}, ([[0.0], [1.0]], [0, 1]), "balanced"),
        ({}, ([[0.0], [1.0]], ["a", "a"]), "one class"),
        ({}, ([[0.0], [1.0], [2.0]], [0, 1, 2]), "Only binary classification"),
        ({}, ([[0.0], [np.nan]], [0, 1]), "NaN"),
        ({}, ([[0.0], [1.0]], [0, 1], [0, 0]), "non-zero"),
        ({}, ([[0.0], [1.0]], [0, 1], [-1, 1]), "[Nn]egative"),
        ({}, ([[0.0], [1.0]], [0, 1], None, None, [True]), "outliers must be booleans"),
        ({}, ([[0.0], [1.0]], [0, 1], None, None, [1, 0]), "outliers must be booleans"),
        ({}, ([[0.0], [1.0]], [0, 1], None, None, [True, False]), "outlier_loss"),
        ({}, ([[0.0], [1.0]], [0, 1], None, None, [True, True], BoundedLogisticLoss(1.0)), "nothing is left"),
    ],
)
def test_bad_input_is_named(booster, params, data, message):
    with pytest.raises(ValueError, match=message):
        booster(**params).fit(*data)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (RobustBoost(error_goal=0.5), "error_goal"),
        (RobustBoost(margin_goal=-1), "margin_goal"),
        (RobustBoost(sigma_f=0), "sigma_f"),
        (RobustBoost(rules="oak"), "rules"),
        (RobustBoost(erf="half"), "erf"),
        (TangentBoost(truncation="p"), "truncation"),
        (LogitBoost(max_response=0), "max_response"),
        (AdaBoost(learning_rate=0), "learning_rate"),
    ],
)
def test_bad_options_are_named(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit([[0.0], [1.0]], [0, 1])
