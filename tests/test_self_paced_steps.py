"""The two optimisations of a round of SPBL: weights W and the new weak classifier."""

import numpy as np
import pytest
from oracles import self_paced as oracle
from sklearn.datasets import load_digits, load_iris

from algos.selfpaced.weak_learners import LogisticUnitLearner, StumpLearner, TreeLearner
from algos.selfpaced.weights_step import MarginObjective, optimality_residual, solve_weights


def problem(n=90, k=8, n_classes=4, seed=0):
    """Outputs of weak classifiers that tell classes apart a little, labels, and weights with zeros."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    H = 1 / (1 + np.exp(-rng.normal(size=(n, k)) - 1.5 * (y[:, None] == np.arange(k) % n_classes)))
    return H, y, rng.choice([0, 0.4, 1], n)


def loss_of(H, y, v, n_classes):
    return MarginObjective(
        np.ascontiguousarray(H.T, dtype=np.float32), y.astype(np.int32), v.astype(np.float32), n_classes
    )


@pytest.mark.parametrize("n_classes", [2, 4])
def test_loss_gradient_and_curvature_are_the_formulas(n_classes):
    H, y, v = problem(n=1200, n_classes=n_classes)
    W = np.random.default_rng(1).random((8, n_classes))
    loss = loss_of(H, y, v, n_classes)
    value, gradient = loss(W)
    U = oracle.dual_weights(H, W, y, v)
    assert value == pytest.approx(v @ oracle.losses(H, W, y), rel=1e-6)
    np.testing.assert_allclose(-gradient, H.T @ oracle.column_coefficients(U.copy(), y), atol=1e-3)
    losses, derivatives = loss.losses(W)
    np.testing.assert_allclose(losses, oracle.losses(H, W, y), rtol=1e-5)
    np.testing.assert_allclose(-derivatives, oracle.column_coefficients(U.copy(), y), atol=1e-5)
    step = 1e-2
    for j, r in ((0, 0), (3, 1), (7, n_classes - 1)):
        E = np.zeros_like(W)
        E[j, r] = step
        difference = (loss(W + E)[1] - loss(W - E)[1])[j, r] / (2 * step)
        assert loss.curvature(W)[j, r] == pytest.approx(difference, rel=2e-2)


@pytest.mark.parametrize("nu", [0.5, 3.0, 12.0])
def test_weights_meet_the_conditions_and_are_those_of_a_slow_solver(nu):
    H, y, v = problem()
    solution = solve_weights(loss_of(H, y, v, 4), np.zeros((8, 4)), nu, tol=1e-3)
    assert solution.residual <= 1e-3
    assert solution.W.min() >= 0
    assert oracle.conditions(H, solution.W.astype(float), y, v, nu).max() <= 2e-3
    slow = oracle.solve(H, y, v, nu, 4)
    assert oracle.conditions(H, slow, y, v, nu).max() < 1e-4
    best = oracle.objective(H, slow, y, v, nu)
    assert solution.objective == pytest.approx(best, rel=1e-6)
    assert oracle.objective(H, solution.W, y, v, nu) == pytest.approx(best, rel=1e-6)
    np.testing.assert_array_equal(solution.W.any(axis=1), slow.any(axis=1))  # rows of zeros are exactly zero


def test_a_large_nu_leaves_no_row_and_the_conditions_can_fail():
    H, y, v = problem()
    loss = loss_of(H, y, v, 4)
    solution = solve_weights(loss, np.ones((8, 4)), 1e4)
    assert not solution.W.any()
    assert optimality_residual(np.zeros((8, 4)), loss(np.zeros((8, 4)))[1], 0.5) > 1
    assert optimality_residual(np.ones((8, 4)), loss(np.ones((8, 4)))[1], 0.5) > 1


def test_a_warm_start_ends_where_a_cold_one_does_and_never_rises():
    H, y, v = problem(n=300, k=12)
    cold = solve_weights(loss_of(H, y, v, 4), np.zeros((12, 4)), 2.0, tol=1e-3)
    before = solve_weights(loss_of(H[:, :11], y, v, 4), np.zeros((11, 4)), 2.0, tol=1e-3)
    start = np.vstack([before.W, np.zeros((1, 4))])
    warm = solve_weights(loss_of(H, y, v, 4), start, 2.0, tol=1e-3)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-6)
    assert warm.objective <= before.objective * (1 + 1e-7)
    np.testing.assert_allclose(warm.W, cold.W, atol=0.02)
    one = solve_weights(loss_of(H, y, v, 4), start, 2.0, tol=1e-3, max_iter=1)
    assert one.objective <= before.objective * (1 + 1e-7)


def coefficients(seed=0):
    """Features, and coefficients (12) of a half-fitted model on them."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:300] / 16, y[:300]
    W = np.random.default_rng(seed).random((5, 10))
    U = oracle.dual_weights(X[:, 20:25], W, y, np.ones(300))
    return X, oracle.column_coefficients(U.copy(), y), U, y


def test_the_units_value_is_12_and_no_single_class_search_beats_it():
    X, c, U, y = coefficients()
    found = LogisticUnitLearner(X, 0.01, max_iter=300, tol=1e-9).fit(c.astype(np.float32))
    unit = found.classifier
    h = unit.outputs(X)
    assert 0 <= h.min() <= h.max() <= 1
    assert oracle.violation(h, U, y)[found.label] - 0.005 * unit.weights @ unit.weights == pytest.approx(
        found.score, rel=1e-5
    )
    values = [oracle.logistic_unit(X - X.mean(axis=0), c[:, r], 0.01)[0] for r in range(10)]
    assert found.score >= max(values) * (1 - 1e-3)
    a = np.append(unit.weights, unit.intercept)
    Z = np.column_stack([X - unit.centre, np.ones(len(X))])
    slope = c[:, found.label] * h * (1 - h) @ Z - 0.01 * np.append(unit.weights, 0)
    assert np.abs(slope).max() < 1e-3 * np.abs(c[:, found.label]) @ np.abs(Z) @ np.ones(len(a)) / len(a)


def test_dropping_classes_early_finds_nearly_as_good_a_unit():
    X, c, _, _ = coefficients(1)
    whole = LogisticUnitLearner(X, 0.01).fit(c.astype(np.float32))
    few = LogisticUnitLearner(X, 0.01, n_finalists=2).fit(c.astype(np.float32))
    assert whole.score >= few.score >= 0.97 * whole.score


def test_units_do_not_mind_a_large_offset():
    X, c, _, _ = coefficients()
    near = LogisticUnitLearner(X, 0.01).fit(c.astype(np.float32))
    far = LogisticUnitLearner(X + 1e6, 0.01).fit(c.astype(np.float32))
    assert far.score == pytest.approx(near.score, rel=1e-4)
    np.testing.assert_allclose(far.classifier.outputs(X + 1e6), near.classifier.outputs(X), atol=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_stumps_are_the_best_of_all(seed):
    X, y = load_iris(return_X_y=True)
    c = oracle.column_coefficients(np.random.default_rng(seed).random((150, 3)), y)
    found = StumpLearner(X).fit(c.astype(np.float32))
    assert found.score == pytest.approx(oracle.best_stump(X, c), rel=1e-5)
    assert found.classifier.outputs(X) @ c[:, found.label] == pytest.approx(found.score, rel=1e-5)
    flat = StumpLearner(np.ones((150, 2))).fit(c.astype(np.float32))
    assert flat.score == pytest.approx(max(c.sum(axis=0).max(), 0), abs=1e-4)


def test_trees_answer_0_or_1_and_their_score_is_12():
    X, c, U, y = coefficients()
    found = TreeLearner(X, 8, np.random.RandomState(0)).fit(c.astype(np.float32))
    h = found.classifier.outputs(X)
    assert set(np.unique(h)) == {0, 1}
    assert oracle.violation(h.astype(float), U, y)[found.label] == pytest.approx(found.score, rel=1e-5)
    assert found.score >= 0.9 * StumpLearner(X).fit(c.astype(np.float32)).score
