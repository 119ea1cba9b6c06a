"""The dual coordinate descents against plain NumPy, a general QP solver, and the conditions of optimality."""

import numpy as np
import pytest
from oracles import svm_plus as oracle
from scipy import sparse
from sklearn.svm import LinearSVC

from algos._kernels.svm_plus import (
    LabelAdvice,
    Multipliers,
    Stop,
    instruction_sets,
    solve_dictionary,
    solve_hinge,
    solve_plus_labels,
    solve_plus_rows,
)

C, GAMMA = 0.7, 0.4
TIGHT = Stop(tolerance=1e-9, max_sweeps=200000)


@pytest.fixture(scope="module")
def data():
    """Few labels on many examples, so that slacks have to be shared out; one never on, one example without labels."""
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=(14, 3)) * (rng.random((14, 3)) < 0.7), np.ones(14)])
    Y = (rng.random((14, 5)) < 0.35).astype(float)
    Y[:, 4] = 0
    Y[0] = 0
    return X, Y


def advice_of(Y, pools=None, constant=1.0):
    return LabelAdvice(sparse.csr_array(Y), pools, constant)


def started(shape, n_privileged, n_labels, start=C):
    return Multipliers(np.zeros(shape), np.full(shape, start), np.zeros((n_labels, n_privileged)), np.zeros(n_labels))


def some_pools(L):
    pools = np.random.default_rng(1).random((L, L)) < 0.6
    np.fill_diagonal(pools, False)
    return pools


def either_form(X):
    return (X, sparse.csr_array(X))


def label_descent(X, Y, pools, constant, stop):
    n, L = Y.shape
    multipliers = started((L, n), L, L)
    z, outcome = solve_plus_labels(X, X, advice_of(Y, pools, constant), C, GAMMA, multipliers, stop)
    return z, outcome, multipliers


def dictionary_descent(X, Y, W, pools, constant, stop):
    n, L = Y.shape
    multipliers = started((n, L), L, L)
    z = np.zeros((X.shape[1], L))
    outcome = solve_dictionary(X, W @ W.T, z, advice_of(Y, pools, constant), C, GAMMA, multipliers, stop)
    return z, outcome, multipliers


@pytest.mark.parametrize("n_sweeps", [1, 7])
@pytest.mark.parametrize("constant", [0.0, 1.0])
@pytest.mark.parametrize("pooled", [False, True])
def test_label_steps_are_the_papers(data, n_sweeps, constant, pooled):
    X, Y = data
    pools = some_pools(Y.shape[1]) if pooled else None
    stop = Stop(tolerance=0, max_sweeps=n_sweeps, shrinking=False, seed=5)
    orders = list(oracle.visit_orders(len(X), n_sweeps, 5))
    for matrix in either_form(X):
        z, _, found = label_descent(matrix, Y, pools, constant, stop)
        for i in range(Y.shape[1]):
            Xt = oracle.privileged_labels(Y, i, pools[i] if pooled else None, constant)
            w, wt, a, b = oracle.coordinate_descent(X, Xt, 2 * Y[:, i] - 1, C, GAMMA, orders)
            np.testing.assert_allclose(z[i], w, atol=1e-12)
            np.testing.assert_allclose(np.r_[found.correction[i], found.constant[i]], wt, atol=1e-12)
            np.testing.assert_allclose(found.a[i], a, atol=1e-12)
            np.testing.assert_allclose(found.b[i], b, atol=1e-12)


@pytest.mark.parametrize("n_sweeps", [1, 7])
@pytest.mark.parametrize("constant", [0.0, 1.0])
@pytest.mark.parametrize("pooled", [False, True])
def test_dictionary_steps_are_the_papers(data, n_sweeps, constant, pooled):
    X, Y = data
    L = Y.shape[1]
    pools = some_pools(L) if pooled else None
    W = np.random.default_rng(0).normal(size=(L, 3))
    orders = list(oracle.visit_orders(len(X), n_sweeps, 5))
    advice = [oracle.privileged_labels(Y, i, pools[i] if pooled else None, constant) for i in range(L)]
    D, wt, a, b = oracle.dictionary_descent(X, Y, W, advice, C, GAMMA, orders)
    for matrix in either_form(X):
        stop = Stop(tolerance=0, max_sweeps=n_sweeps, seed=5)
        z, _, found = dictionary_descent(matrix, Y, W, pools, constant, stop)
        np.testing.assert_allclose(z, (W @ D).T, atol=1e-11)
        np.testing.assert_allclose(np.column_stack([found.correction.T, found.constant]), wt, atol=1e-11)
        np.testing.assert_allclose(found.a, a, atol=1e-11)
        np.testing.assert_allclose(found.b, b, atol=1e-11)


@pytest.mark.parametrize("constant", [0.0, 1.0])
def test_label_solution_is_that_of_a_qp_solver_and_dual_equals_primal(data, constant):
    """Without the constant only where the problem has feasible points, which eight wide labels see to."""
    X, Y = data
    if constant == 0:
        Y = (np.random.default_rng(8).random((14, 8)) < 0.2).astype(float)
    z, outcome, found = label_descent(X, Y, None, constant, TIGHT)
    for i in range(Y.shape[1]):
        Xt, y = oracle.privileged_labels(Y, i, None, constant), 2 * Y[:, i] - 1
        w, wt, value = oracle.svm_plus_by_qp(X, Xt, y, C, GAMMA)
        assert outcome.primal[i] == pytest.approx(value, rel=1e-7)
        assert outcome.dual[i] == pytest.approx(value, rel=1e-7)
        assert oracle.dual(found.a[i], found.b[i], X, Xt, y, C, GAMMA) == pytest.approx(outcome.dual[i], rel=1e-9)
        np.testing.assert_allclose(z[i], w, atol=1e-3)
        np.testing.assert_allclose(np.r_[found.correction[i], found.constant[i]], wt, atol=1e-3)


def test_dictionary_solution_is_that_of_a_qp_solver_and_dual_equals_primal():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=(7, 2)), np.ones(7)])
    Y, W = (rng.random((7, 3)) < 0.4).astype(float), rng.normal(size=(3, 2))
    advice = [oracle.privileged_labels(Y, i, None, 1.0) for i in range(3)]
    D, value = oracle.dictionary_by_qp(X, Y, W, advice, C, GAMMA)
    z, outcome, _ = dictionary_descent(X, Y, W, None, 1.0, TIGHT)
    assert outcome.primal[0] == pytest.approx(value, rel=1e-6)
    assert outcome.dual[0] == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(z, (W @ D).T, atol=1e-3)


@pytest.mark.parametrize("n_sweeps", [1, 3, 30])
def test_bounds_hold_the_optimum_between_them_at_any_time(data, n_sweeps):
    X, Y = data
    W = np.random.default_rng(0).normal(size=(5, 3))
    stop = Stop(tolerance=0, max_sweeps=n_sweeps)
    for descent in (lambda s: label_descent(X, Y, None, 1.0, s), lambda s: dictionary_descent(X, Y, W, None, 1.0, s)):
        best, early = descent(TIGHT)[1], descent(stop)[1]
        assert (early.primal >= best.dual - 1e-7).all()
        assert (early.dual <= best.primal + 1e-7).all()
        assert best.gap < 1e-8 <= early.gap or n_sweeps == 30


def signs_of_others(Y):
    """Privileged features yt_ij (3): label x example x label."""
    signs = np.repeat((2 * Y - 1)[None], Y.shape[1], axis=0)
    for i in range(Y.shape[1]):
        signs[i, :, i] = 0
    return signs


@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("form", [0, 1])
def test_steps_of_two_multipliers_keep_vectors_and_multipliers_together(data, form, pooled):
    """What is kept up to date is what the multipliers say, after any number of sweeps; steps are of pairs."""
    X, Y = data
    W = np.random.default_rng(0).normal(size=(5, 3))
    pools = some_pools(5) if pooled else None
    features, advice = either_form(X)[form], signs_of_others(Y) * (1 if pools is None else pools[:, None])
    for max_sweeps in (1, 2, 5, 12):
        stop = Stop(tolerance=1e-12, max_sweeps=max_sweeps)
        z, _, label = label_descent(features, Y, pools, 0.5, stop)
        turned, _, pair = dictionary_descent(features, Y, W, pools, 0.5, stop)
        signed = pair.a.T * (2 * Y.T - 1)
        np.testing.assert_allclose(z, label.a * (2 * Y.T - 1) @ X, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(turned.T, W @ W.T @ signed @ X, rtol=1e-9, atol=1e-9)
        for found, moved in ((label, label.a + label.b), (pair, (pair.a + pair.b).T)):
            corrections = np.einsum("ij,ijl->il", moved - C, advice) / GAMMA
            correction = found.correction if found is label else found.correction.T
            np.testing.assert_allclose(correction, corrections, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(found.constant, 0.5 * (moved - C).sum(axis=1) / GAMMA, rtol=1e-9, atol=1e-9)


def test_dual_value_never_falls(data):
    """Neither with the papers' steps nor with steps of two multipliers that go beyond where the objective is least."""
    X, Y = data
    W = np.random.default_rng(0).normal(size=(5, 3))
    for descent in (lambda s: label_descent(X, Y, None, 1.0, s), lambda s: dictionary_descent(X, Y, W, None, 1.0, s)):
        for tolerance in (0, 1e-12):
            duals = [descent(Stop(tolerance=tolerance, max_sweeps=s))[1].dual.sum() for s in range(1, 25)]
            assert (np.diff(duals) >= -1e-9).all()
            assert duals[-1] > duals[0]


def test_multipliers_meet_the_conditions_of_optimality(data):
    """a, b >= 0; where one is positive its constraint is tight, elsewhere it is kept."""
    X, Y = data
    z, _, found = label_descent(X, Y, None, 1.0, TIGHT)
    signs = 2 * Y - 1
    for i in range(Y.shape[1]):
        Xt = oracle.privileged_labels(Y, i, None, 1.0)
        slack = Xt @ np.r_[found.correction[i], found.constant[i]]
        margin = signs[:, i] * (X @ z[i]) + slack - 1
        for multiplier, constraint in ((found.a[i], margin), (found.b[i], slack)):
            assert multiplier.min() >= 0
            assert constraint.min() > -1e-4
            np.testing.assert_allclose(multiplier * constraint, 0, atol=1e-3)
        assert found.correction[i, i] == 0


def test_shrinking_changes_nothing_but_the_work(data):
    X, Y = data
    with_it = label_descent(X, Y, None, 1.0, TIGHT)
    without = label_descent(X, Y, None, 1.0, Stop(1e-9, 200000, shrinking=False))
    np.testing.assert_allclose(with_it[1].primal, without[1].primal, rtol=1e-8)
    np.testing.assert_allclose(with_it[0], without[0], atol=1e-3)


def test_a_descent_goes_on_where_it_ended(data):
    """One more sweep from a solution keeps it; one sweep from the start is far from it."""
    X, Y = data
    W, one = np.random.default_rng(0).normal(size=(5, 3)), Stop(tolerance=0, max_sweeps=1)
    z, done, multipliers = label_descent(X, Y, None, 1.0, TIGHT)
    again, more = solve_plus_labels(X, X, advice_of(Y), C, GAMMA, multipliers, one)
    np.testing.assert_allclose(again, z, atol=1e-4)
    assert (more.dual > done.dual - 1e-9).all()
    assert (label_descent(X, Y, None, 1.0, one)[1].dual < done.dual - 1e-3).any()
    z, done, multipliers = dictionary_descent(X, Y, W, None, 1.0, TIGHT)
    kept = z.copy()
    more = solve_dictionary(X, W @ W.T, z, advice_of(Y), C, GAMMA, multipliers, one)
    np.testing.assert_allclose(z, kept, atol=1e-4)
    assert more.dual > done.dual - 1e-9
    assert dictionary_descent(X, Y, W, None, 1.0, one)[1].dual < done.dual - 1e-3


def test_products_through_the_data_are_products_of_projections(data):
    """Rows x_j and D'D x_j give the same scores as D x_j."""
    X, Y = data
    D = np.random.default_rng(0).normal(size=(3, 4))
    stop = Stop(tolerance=0, max_sweeps=5)
    projected, through = started((5, 14), 5, 5), started((5, 14), 5, 5)
    w, _ = solve_plus_labels(X @ D.T, X @ D.T, advice_of(Y), C, GAMMA, projected, stop)
    z, _ = solve_plus_labels(sparse.csr_array(X), X @ D.T @ D, advice_of(Y), C, GAMMA, through, stop)
    np.testing.assert_allclose(z, w @ D, atol=1e-10)
    np.testing.assert_allclose(through.a, projected.a, atol=1e-10)


@pytest.mark.parametrize("constant", [False, True])
def test_privileged_rows_are_the_formulas(data, constant):
    X, Y = data
    Xt = np.random.default_rng(4).normal(size=(14, 3)) + 1
    if constant:
        Xt[:, -1] = 1
    direction = np.eye(3)[-1] if constant else Xt.mean(axis=0)
    orders = list(oracle.visit_orders(14, 4, 0))
    for matrix in either_form(X):
        for privileged in either_form(Xt):
            multipliers = started((5, 14), 3, 5)
            stop = Stop(tolerance=0, max_sweeps=4, shrinking=False)
            w, _ = solve_plus_rows(matrix, privileged, direction, sparse.csr_array(Y), C, GAMMA, multipliers, stop)
            for i in range(5):
                expected = oracle.coordinate_descent(X, Xt, 2 * Y[:, i] - 1, C, GAMMA, orders)
                np.testing.assert_allclose(w[i], expected[0], atol=1e-12)
                np.testing.assert_allclose(multipliers.correction[i], expected[1], atol=1e-12)


def test_privileged_rows_solution_is_that_of_a_qp_solver(data):
    X, Y = data
    Xt = np.column_stack([np.random.default_rng(4).normal(size=(14, 2)), np.ones(14)])
    multipliers = started((5, 14), 3, 5)
    w, outcome = solve_plus_rows(X, Xt, np.eye(3)[-1], sparse.csr_array(Y), C, GAMMA, multipliers, TIGHT)
    for i in range(5):
        expected, _, value = oracle.svm_plus_by_qp(X, Xt, 2 * Y[:, i] - 1, C, GAMMA)
        assert outcome.primal[i] == pytest.approx(value, rel=1e-7)
        np.testing.assert_allclose(w[i], expected, atol=1e-3)


def test_infeasible_problem_has_no_finite_primal_value():
    """Two labels that take all four patterns leave no slack at all, and the signs cannot be told apart."""
    X, Y = np.ones((4, 1)), np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    _, outcome, multipliers = label_descent(X, Y, None, 0.0, Stop(1e-3, 50))
    assert np.isinf(outcome.primal).all()
    assert np.isinf(outcome.gap)
    assert np.isfinite(multipliers.a).all()


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("weight", [0.05, 2.0])
def test_hinge_solution_is_liblinears(binary, weight):
    rng = np.random.default_rng(0)
    X = (rng.random((120, 15)) < 0.3).astype(float) if binary else rng.normal(size=(120, 15))
    Y = (X @ rng.normal(size=(15, 4)) + rng.normal(size=(120, 4)) > 0.5).astype(float)
    Y[:, 3] = 0
    X1 = np.column_stack([X, np.ones(120)])
    for matrix in either_form(X1):
        z, outcome = solve_hinge(matrix, sparse.csr_array(Y), weight, Stop(1e-6, 100000))
        losses = np.maximum(0, 1 - (2 * Y - 1) * (X1 @ z.T)).sum(axis=0)
        np.testing.assert_allclose(outcome.primal, (z * z).sum(axis=1) / 2 + weight * losses, rtol=1e-9)
        assert outcome.gap < 1e-6
        assert (X1 @ z[3]).max() < 0  # a label that is never on
        for i in range(3):
            rival = LinearSVC(loss="hinge", C=weight, tol=1e-8, max_iter=1000000, random_state=0).fit(X, Y[:, i])
            np.testing.assert_allclose(z[i], np.r_[rival.coef_[0], rival.intercept_], atol=5e-3)


def test_instruction_sets_give_the_same_bits(data):
    X, Y = data
    W = np.random.default_rng(0).normal(size=(5, 3))
    wide = np.random.default_rng(0).normal(size=(14, 37))
    found = []
    for name in instruction_sets():
        stop = Stop(tolerance=1e-4, max_sweeps=50, instruction_set=name)
        found.append(
            np.concatenate(
                [
                    solve_hinge(wide, sparse.csr_array(Y), C, stop)[0].ravel(),
                    label_descent(wide, Y, None, 1.0, stop)[0].ravel(),
                    dictionary_descent(X, Y, W, None, 1.0, stop)[0].ravel(),
                ]
            )
        )
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"C": 0.0}, "C must be positive"),
        ({"gamma": np.inf}, "gamma must be positive"),
        ({"stop": Stop(instruction_set="abacus")}, "instruction set"),
        ({"stop": Stop(max_sweeps=0)}, "max_sweeps"),
        ({"score": np.full((14, 4), np.nan)}, "NaN"),
        ({"score": np.ones((13, 4))}, "13 rows"),
        ({"update": np.ones((14, 5))}, "update"),
        ({"advice": advice_of(np.full((14, 5), 2.0))}, "every stored value is 1"),
        ({"advice": advice_of(np.ones((14, 5)), np.ones((5, 5), dtype=bool))}, "diagonal of False"),
        ({"multipliers": started((14, 5), 5, 5)}, "a must be"),
        ({"multipliers": started((5, 14), 5, 5, start=-1.0)}, "must not be negative"),
    ],
)
def test_bad_arguments_are_named(data, change, message):
    X, Y = data
    good = {
        "score": X, "update": X, "advice": advice_of(Y), "C": C, "gamma": GAMMA,
        "multipliers": started((5, 14), 5, 5), "stop": Stop(),
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        solve_plus_labels(**{**good, **change})
