"""LEML: its steps against plain linear algebra and scikit-learn, optimality, and limit cases."""

import numpy as np
import pytest
from oracles import leml as oracle
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from algos.multilabel import LEML
from algos.multilabel._newton import trust_region_newton
from algos.multilabel.leml import _NewtonSolver, _SquaredSolver

LOSSES = ("squared", "logistic", "squared_hinge")
every_loss = pytest.mark.parametrize("loss", LOSSES)


def random_case(n=40, d=6, L=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=(d, L)) + rng.normal(size=(n, L)) > 0.8).astype(int)


def with_ones(X):
    return np.hstack([X, np.ones((len(X), 1))])


def tight(loss, **options):
    """A model iterated to the optimum."""
    options = {"alpha": 2.0, "max_iter": 5000, "tol": 0, "newton_tol": 1e-10, "max_cg_iter": 200} | options
    return LEML(loss=loss, random_state=0, **options)


# --- the steps -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", [(40, 6), (5, 9)])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_squared_steps_are_exact(shape, form):
    X, Y = random_case(*shape)
    rng = np.random.default_rng(1)
    W, H = rng.normal(size=(shape[1], 3)), rng.normal(size=(5, 3))
    solver = _SquaredSolver(form(X), Y == 1, LEML(alpha=0.7))
    np.testing.assert_allclose(solver.improve_W(W, H), oracle.squared_W(X, Y, H, 0.7), atol=1e-9)
    np.testing.assert_allclose(solver.improve_H(W, H), oracle.squared_H(X, Y, W, 0.7), atol=1e-9)
    assert solver.objective(W, H) == pytest.approx(oracle.objective(X, Y, W, H, "squared", 0.7))


@pytest.mark.parametrize("loss", LOSSES[1:])
def test_newton_step_for_H_is_scikit_learns_classifier_of_each_label(loss):
    X, Y = random_case()
    W = np.random.default_rng(1).normal(size=(6, 3))
    solver = _NewtonSolver(X, Y == 1, LEML(loss=loss, alpha=0.5, newton_tol=1e-9, max_newton_iter=100))
    found = solver.improve_H(W, np.zeros((5, 3)))
    for h, y in zip(found, Y.T, strict=True):
        if loss == "logistic":
            theirs = LogisticRegression(C=1 / 0.5, fit_intercept=False, tol=1e-10, max_iter=1000)
        else:
            theirs = LinearSVC(C=1 / 0.5, fit_intercept=False, dual=False, tol=1e-10)
        np.testing.assert_allclose(h, theirs.fit(X @ W, y).coef_[0], atol=1e-5)


@pytest.mark.parametrize("loss", LOSSES[1:])
def test_newton_step_for_W_has_gradient_0(loss):
    X, Y = random_case()
    H = np.random.default_rng(1).normal(size=(5, 3))
    solver = _NewtonSolver(X, Y == 1, LEML(loss=loss, newton_tol=1e-9, max_newton_iter=100, max_cg_iter=100))
    W = solver.improve_W(np.zeros((6, 3)), H)
    assert np.abs(oracle.gradients(X, Y, W, H, loss, 1.0)[0]).max() < 1e-6


def test_trust_region_newton_minimises_every_column_of_its_own():
    """Quadratics, of curvatures from 1e-3 to 1e3, and a column that begins at its optimum."""
    rng = np.random.default_rng(0)
    curvature = 10 ** rng.uniform(-3, 3, size=(7, 4))
    target = rng.normal(size=(7, 4))
    values = []

    def evaluate(Z, columns):
        c, difference = curvature[:, columns], Z - target[:, columns]
        value = 0.5 * (c * difference**2).sum(axis=0)
        values.append(value.sum())
        return value, c * difference, lambda S: c * S

    start = rng.normal(size=(7, 4))
    start[:, 2] = target[:, 2]
    found = trust_region_newton(evaluate, start, np.full(4, 1e-9), 200, 50)
    np.testing.assert_allclose(found, target, atol=1e-5)
    np.testing.assert_array_equal(found[:, 2], target[:, 2])
    assert (trust_region_newton(evaluate, start, np.full(4, 1e9), 200, 50) == start).all()


# --- the whole -------------------------------------------------------------------------------------------------------
@every_loss
def test_objective_falls_and_is_the_papers(loss):
    X, Y = random_case()
    model = LEML(n_components=3, loss=loss, alpha=0.5, max_iter=30, tol=0, random_state=0).fit(X, Y)
    assert len(model.objective_) == model.n_iter_ == 30
    assert (np.diff(model.objective_) <= 1e-9 * model.objective_[0]).all()
    assert model.objective_[-1] == pytest.approx(
        oracle.objective(with_ones(X), Y, model.W_, model.H_, loss, 0.5), rel=1e-12
    )
    f = with_ones(X) @ model.W_ @ model.H_.T
    np.testing.assert_allclose(model.decision_function(X), f - (loss == "squared") / 2, atol=1e-12)


@every_loss
def test_gradient_is_0_at_the_end(loss):
    X, Y = random_case()
    model = tight(loss, n_components=3, max_iter=3000 if loss == "squared" else 80).fit(X, Y)
    for gradient in oracle.gradients(with_ones(X), Y, model.W_, model.H_, loss, 2.0):
        assert np.abs(gradient).max() < 1e-3


@every_loss
def test_full_rank_is_the_global_optimum(loss):
    """With k = L the problem is convex in Z = WH', of penalty alpha |Z|_*: the loss's gradient G has no singular value
    above alpha, and <G, Z> = -alpha |Z|_*."""
    X, Y = random_case(L=4)
    model = tight(loss, n_components=1.0, alpha=6.0, max_iter=3000 if loss == "squared" else 80).fit(X, Y)
    Z = model.W_ @ model.H_.T
    G = with_ones(X).T @ oracle.slopes(with_ones(X) @ Z, Y, loss)
    assert np.linalg.norm(G, 2) <= 6 * (1 + 1e-3)
    assert (G * Z).sum() == pytest.approx(-6 * np.linalg.norm(Z, "nuc"), rel=1e-4)


def test_tolerance_ends_the_rounds():
    X, Y = random_case()
    model = LEML(max_iter=1000, tol=1e-2, random_state=0).fit(X, Y)
    steps = -np.diff(model.objective_) / model.objective_[:-1]
    assert model.n_iter_ < 1000
    assert steps[-1] < 1e-2 <= steps[:-1].min(initial=1)


@pytest.mark.parametrize(("n_components", "k"), [(0.5, 3), (0.9, 5), (1.0, 5), (1, 1), (4, 4), (99, 5)])
def test_rank(n_components, k):
    X, Y = random_case()
    model = LEML(n_components, max_iter=2, random_state=0).fit(X, Y)
    assert model.n_components_ == k
    assert model.W_.shape == (7, k)
    assert model.H_.shape == (5, k)


def test_rank_above_the_number_of_features():
    X, Y = random_case(d=2)
    model = LEML(5, max_iter=2, random_state=0).fit(X, Y)
    assert model.n_components_ == 3  # two features and the constant one


@every_loss
def test_large_penalty_gives_zero(loss):
    X, Y = random_case()
    model = LEML(loss=loss, alpha=1e6, random_state=0).fit(X, Y)
    assert np.abs(model.W_ @ model.H_.T).max() < 1e-6
