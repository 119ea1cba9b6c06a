"""ML2: weights, quadratic programmes and regression against plain versions, optimality, and limit cases."""

import numpy as np
import pytest
from oracles import ml2 as oracle
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.datasets import make_multilabel_classification

from algos.multilabel import ML2
from algos.multilabel.ml2 import neighbor_weights, numerical_labels


@pytest.fixture(scope="module")
def data():
    X, Y = make_multilabel_classification(70, 6, n_classes=4, random_state=0)
    return X, Y, np.where(Y, 1.0, -1.0)


@pytest.mark.parametrize("n_neighbors", [1, 5, 12])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_weights_are_the_plain_ones(n_neighbors, form):
    X = np.random.default_rng(0).normal(size=(40, 6))
    found = neighbor_weights(form(X), n_neighbors, 1e-3).toarray()
    np.testing.assert_allclose(found, oracle.weights(X, n_neighbors, 1e-3), atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_weights_of_samples_that_lie_on_one_another():
    W = neighbor_weights(np.ones((6, 2)), 3, 1e-3).toarray()
    np.testing.assert_allclose(W.sum(axis=1), 1)
    assert set(np.round(W.ravel(), 12)) == {0, round(1 / 3, 12)}


def test_quadratic_programmes_against_an_active_set_method(data):
    X, _, y = data
    W = neighbor_weights(X, 5, 1e-3)
    mu, residual = numerical_labels(W, y, 1e-9, 100_000)
    assert residual.max() < 1e-6
    expected = np.transpose([oracle.numerical_label(W.toarray(), y[:, j]) for j in range(4)])
    np.testing.assert_allclose(mu, expected, atol=1e-5)


def test_optimality_conditions_of_the_quadratic_programmes(data):
    """The gradient is 0 where mu is free, and pushes against the bound where it holds mu."""
    X, _, y = data
    W = neighbor_weights(X, 5, 1e-3).toarray()
    mu, residual = numerical_labels(csr_array(W), y, 1e-4, 100_000)
    gradient = (np.eye(70) - W).T @ (np.eye(70) - W) @ mu
    largest = np.abs(gradient).max(axis=0)
    assert (y * mu >= 1).all()
    free = y * mu > 1
    assert free.any()
    assert (np.abs(gradient / largest)[free] < 1e-3).all()
    assert ((y * gradient / largest)[~free] > -1e-3).all()
    assert residual.max() < 1e-3
    rough = numerical_labels(csr_array(W), y, 1e-4, 3)[1]
    assert rough.max() > 1e-2  # the residual tells of an unfinished one


def test_a_label_of_one_sign_needs_no_step():
    y = np.column_stack([np.ones(20), -np.ones(20)])
    W = neighbor_weights(np.random.default_rng(0).normal(size=(20, 3)), 4, 1e-3)
    mu, residual = numerical_labels(W, y, 1e-6, 1000)
    np.testing.assert_array_equal(mu, y)
    assert residual.max() < 1e-3


def fitted(data, **options):
    X, Y, y = data
    model = ML2(n_neighbors=5, tol=1e-12, max_iter=500, **options).fit(X, Y)
    return model, oracle.kernel(X, X, model.gamma_), y


def test_without_insensitivity_and_signs_it_is_kernel_ridge_regression(data):
    model, K, _ = fitted(data, epsilon=0, C2=0, C1=0.7)
    n = len(K)
    system = np.block([[K + np.eye(n) / (2 * 0.7), np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    expected = np.linalg.solve(system, np.vstack([model.mu_, np.zeros(4)]))
    np.testing.assert_allclose(model.dual_coef_, expected[:-1], atol=1e-8)
    np.testing.assert_allclose(model.intercept_, expected[-1], atol=1e-8)


def least_objective(K, mu, y, C1, C2, epsilon, width=1e-4):
    """Of the regression, by a general optimiser, the hinge's kink rounded over `width`."""
    values, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.maximum(values, 0))  # theta in the coordinates of which it is well conditioned
    L = y.shape[1]

    def value(z):
        theta, b = z[:-L].reshape(-1, L), z[-L:]
        f = root @ theta + b
        r = np.linalg.norm(mu - f, axis=1)
        short, wrong = np.maximum(0, r - epsilon), np.maximum(0, -y * f)
        rounded = np.where(wrong > width, wrong - width / 2, wrong**2 / (2 * width))
        slope = C1 * 2 * (short / np.maximum(r, 1e-300))[:, None] * (f - mu) - C2 * y * np.minimum(wrong / width, 1)
        gradient = np.concatenate([(theta + root.T @ slope).ravel(), slope.sum(axis=0)])
        return 0.5 * (theta**2).sum() + C1 * (short**2).sum() + C2 * rounded.sum(), gradient

    start = np.zeros(len(K) * L + L)
    return minimize(value, start, jac=True, method="L-BFGS-B", options={"maxiter": 5000, "maxfun": 5000}).fun


@pytest.mark.parametrize(
    ("options", "gap"),
    [
        ({"C1": 0.3, "C2": 0, "epsilon": 0.5}, 1e-5),
        ({"C1": 3.0, "C2": 0, "epsilon": 1.0}, 1e-5),
        ({"C1": 1.0, "C2": 1.0, "epsilon": 0.1}, 1e-4),
        ({"C1": 0.05, "C2": 0.5, "epsilon": 0.1}, 1e-3),
    ],
)
def test_regression_against_a_general_optimiser(data, options, gap):
    model, K, y = fitted([part[:30] for part in data], **options)
    assert (np.diff(model.objective_) <= 0).all()
    assert model.n_iter_ == len(model.objective_)
    best = least_objective(K, model.mu_, y, **options)
    assert model.objective_[-1] == pytest.approx(best, rel=gap)
    found = oracle.objective(model.dual_coef_, model.intercept_, K, model.mu_, y, **options)
    assert model.objective_[-1] == pytest.approx(found)


def test_everything_within_epsilon_is_zero(data):
    model, _, _ = fitted(data, epsilon=1e6, C2=0)
    assert not model.dual_coef_.any()


def test_relabelling_and_reordering_of_labels_do_not_matter(data):
    X, Y, _ = data
    order = [2, 0, 3, 1]
    first, second = ML2().fit(X, Y), ML2().fit(X, Y[:, order])
    np.testing.assert_allclose(first.decision_function(X)[:, order], second.decision_function(X), atol=1e-8)
    flipped = ML2().fit(X, 1 - Y)
    np.testing.assert_allclose(first.decision_function(X), -flipped.decision_function(X), atol=1e-8)


def test_more_neighbours_than_samples(data):
    X, Y, _ = data
    model = ML2(n_neighbors=500).fit(X[:9], Y[:9])
    assert model.mu_.shape == (9, 4)


def test_gamma(data):
    X, Y, _ = data
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    mean = distances.sum() / (70 * 69)
    assert ML2(max_iter=1).fit(X, Y).gamma_ == pytest.approx(1 / (2 * mean**2))
    assert ML2(gamma=0.25, max_iter=1).fit(X, Y).gamma_ == 0.25
