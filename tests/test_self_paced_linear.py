"""Softmax regression and the multi-class SVM, plain and self-paced."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from algos.features import add_label_noise
from algos.selfpaced import MultiSVM, SoftmaxRegression

every_classifier = pytest.mark.parametrize("classifier", [SoftmaxRegression, MultiSVM])


@parametrize_with_checks(
    [c(self_paced=paced, max_iter=50) for c in (SoftmaxRegression, MultiSVM) for paced in (False, True)]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def test_softmax_regression_is_scikit_learns(wine):
    X, y = wine
    ours = SoftmaxRegression(ridge=1e-2, tol=1e-6).fit(X, y)
    theirs = LogisticRegression(C=1 / (1e-2 * len(X)), tol=1e-8, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)


def hinge_objective(A, X, y, ridge):
    """The paper's (2) with linear scores and the hinge itself."""
    F = X @ A[:-1] + A[-1]
    hinge = np.maximum(0, 1 - F[np.arange(len(y)), y][:, None] + F)
    return (hinge.sum(axis=1) - 1).mean() + ridge / 2 * (A[:-1] ** 2).sum()


def test_the_svm_minimises_the_sum_of_hinges(wine):
    """No random move from its solution, nor a general-purpose solver, does better than smoothing explains."""
    X, y = wine
    model = MultiSVM(ridge=1e-2, smoothing=1e-3, max_iter=2000, tol=1e-7).fit(X, y)
    A = np.vstack([model.coef_.T, model.intercept_])
    value = hinge_objective(A, X - X.mean(axis=0), y, 1e-2)

    def smooth(flat, width=0.02):
        B = flat.reshape(A.shape)
        F = X @ B[:-1] + B[-1]
        t = 1 - F[np.arange(len(y)), y][:, None] + F
        t[np.arange(len(y)), y] = -99
        return width * np.logaddexp(0, t / width).sum() / len(y) + 1e-2 / 2 * (B[:-1] ** 2).sum()

    other = minimize(smooth, np.zeros(A.size), method="L-BFGS-B", options={"maxiter": 300, "maxfun": 10**6}).x
    assert value <= hinge_objective(other.reshape(A.shape), X, y, 1e-2) + 1e-3
    rng = np.random.default_rng(0)
    for size in (1e-2, 1e-1):
        assert value <= hinge_objective(A + size * rng.normal(size=A.shape), X, y, 1e-2) + 1e-4


@pytest.mark.parametrize("classifier", [SoftmaxRegression, MultiSVM])
def test_gradients_are_those_of_the_losses(classifier):
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=(20, 4)), rng.integers(0, 4, 20)
    model = classifier()
    losses, slope = model._losses(scores.astype(np.float32), y)
    assert losses.min() >= 0
    for r in range(4):
        E = np.zeros(4)
        E[r] = 1e-2
        up, down = (model._losses((scores + s * E).astype(np.float32), y)[0] for s in (1, -1))
        np.testing.assert_allclose(
            (up - down) / 2e-2, slope[:, r], atol=2e-2 if classifier is SoftmaxRegression else 0.1
        )


@every_classifier
def test_self_paced_rounds_let_in_more_samples_up_to_the_end(wine, classifier):
    X, y = wine
    model = classifier(self_paced=True, weighting="hard", pace_factor=1.2, random_state=0).fit(X, y)
    counts = (model.sample_weights_path_ > 0).sum(axis=1)
    assert model.n_rounds_ == 5  # random 0.6, then 0.6, 0.72, 0.864, 1
    assert counts[0] == sum(int(0.6 * n + 0.5) for n in np.bincount(y))
    assert (np.diff(counts[1:]) >= 0).all()
    assert classifier(self_paced=False).fit(X, y).n_rounds_ == 1
    assert classifier(self_paced=True, max_rounds=2, random_state=0).fit(X, y).n_rounds_ == 2


@every_classifier
def test_noisy_samples_get_less_weight(classifier):
    X, y = load_digits(return_X_y=True)
    X = X[:600] / 16
    noisy, mask = add_label_noise(y[:600], 0.15, seed=0)
    model = classifier(self_paced=True, pace_end=0.85, ridge=1e-3, random_state=0).fit(X, noisy)
    v = model.sample_weights_path_[-1].astype(float)
    assert v[mask].mean() < 0.3
    assert v[~mask].mean() > 0.8


@every_classifier
def test_validation_chooses_the_round(classifier):
    X, y = load_digits(return_X_y=True)
    X = X / 16
    model = classifier(self_paced=True, random_state=0).fit(X[:200], y[:200], X_val=X[200:400], y_val=y[200:400])
    assert model.best_round_ == np.argmin(model.validation_curve_) + 1
    assert 1 - model.score(X[200:400], y[200:400]) == pytest.approx(model.validation_curve_.min())


@every_classifier
def test_string_labels_two_classes_and_offsets(classifier):
    X, y = load_iris(return_X_y=True)
    names = np.array(["x", "y", "z"])[y]
    model = classifier().fit(X[50:], names[50:])
    assert model.decision_function(X).shape == (150,)
    assert model.score(X[50:], names[50:]) > 0.9
    moved = classifier().fit(X[50:] + 1e6, names[50:])
    np.testing.assert_allclose(moved.decision_function(X + 1e6), model.decision_function(X), atol=2e-2)


@every_classifier
def test_bad_input_is_named(classifier):
    with pytest.raises(ValueError, match="one class only"):
        classifier().fit([[0.0], [1.0]], ["a", "a"])
    with pytest.raises(ValueError, match="ridge"):
        classifier(ridge=-1).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="scale them"):
        classifier().fit([[0.0], [1e30]], [0, 1])
