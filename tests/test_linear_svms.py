"""BinaryRelevance and SVMPlus: scikit-learn's contract, rivals and oracles, limit cases, bad input."""

import numpy as np
import pytest
from oracles import svm_plus as oracle
from scipy import sparse
from sklearn.datasets import make_multilabel_classification
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from algos.evaluation.multilabel_metrics import multilabel_measures
from algos.multilabel import BinaryRelevance, SVMPlus


@parametrize_with_checks(
    [BinaryRelevance(max_sweeps=200), BinaryRelevance(max_sweeps=200, ranking="hard"), SVMPlus(max_sweeps=200)]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def labelled():
    X, Y = make_multilabel_classification(n_samples=150, n_classes=6, random_state=0)
    return X / X.std(axis=0), Y


@pytest.fixture(scope="module")
def taught():
    """A noisy view of what the label depends on, and how much the noise is against it as a privileged feature."""
    rng = np.random.default_rng(0)
    clean, noise = rng.normal(size=(2, 240, 4))
    y = (clean.sum(axis=1) > 0).astype(int)
    against = np.maximum(0, -noise.sum(axis=1) * (2 * y - 1))
    return clean + noise, y, np.column_stack([against, clean[:, 0]])


def test_binary_relevance_is_a_linear_svm_a_label(labelled):
    X, Y = labelled
    model = BinaryRelevance(C=0.3, tol=1e-5, random_state=0).fit(X, Y)
    for i in range(Y.shape[1]):
        rival = LinearSVC(loss="hinge", C=0.3, tol=1e-8, max_iter=10**6, random_state=0).fit(X, Y[:, i])
        np.testing.assert_allclose(model.decision_function(X)[:, i], rival.decision_function(X), atol=0.05)
    assert model.duality_gap_ < 1e-5


def test_hard_ranking_has_the_same_labels_and_scores_of_plus_and_minus_one(labelled):
    X, Y = labelled
    soft = BinaryRelevance(random_state=0).fit(X, Y)
    hard = BinaryRelevance(ranking="hard", random_state=0).fit(X, Y)
    np.testing.assert_array_equal(hard.predict(X), soft.predict(X))
    np.testing.assert_array_equal(hard.decision_function(X), np.where(soft.decision_function(X) > 0, 1, -1))


def test_equal_decisions_are_settled_for_the_label_of_higher_index(labelled):
    X, Y = labelled
    settled = BinaryRelevance(ranking="hard", ties="last_first", random_state=0).fit(X, Y)
    shared = BinaryRelevance(ranking="hard", random_state=0).fit(X, Y)
    scores, decisions = settled.decision_function(X), shared.decision_function(X)
    np.testing.assert_array_equal(scores > 0, decisions > 0)
    expected = multilabel_measures(Y, decisions, shared.predict(X), ties="last_first")
    assert multilabel_measures(Y, scores, settled.predict(X)) == pytest.approx(expected)
    assert expected["coverage"] != pytest.approx(multilabel_measures(Y, decisions, shared.predict(X))["coverage"])


@pytest.mark.parametrize("estimator", [BinaryRelevance(random_state=0), SVMPlus(random_state=0)])
def test_sparse_and_dense_are_the_same(labelled, estimator):
    X, Y = labelled
    dense = estimator.fit(X, Y).decision_function(X)
    sparsely = estimator.fit(sparse.csr_array(X), sparse.csr_matrix(Y)).decision_function(sparse.csr_array(X))
    np.testing.assert_allclose(sparsely, dense, atol=0.05)


def test_a_label_that_is_never_on_and_a_sample_without_labels(labelled):
    X, Y = labelled
    Y = Y.copy()
    Y[:, 2], Y[0] = 0, 0
    model = BinaryRelevance(random_state=0).fit(X, Y)
    assert model.decision_function(X)[:, 2].max() < 0
    assert model.predict(X)[:, 2].sum() == 0


def test_a_single_label(labelled):
    X, Y = labelled
    column = BinaryRelevance(random_state=0).fit(X, Y[:, :1])
    vector = BinaryRelevance(random_state=0).fit(X, Y[:, 0])
    assert column.predict(X).shape == (len(X), 1)
    np.testing.assert_array_equal(column.predict(X)[:, 0], vector.predict(X))


def test_svm_plus_solves_its_problem(taught):
    X, y, privileged = (part[:16] for part in taught)
    model = SVMPlus(C=0.5, gamma=2.0, tol=1e-9, max_sweeps=10**6, random_state=0).fit(X, y, privileged=privileged)
    X1, Xt = (np.column_stack([part, np.ones(16)]) for part in (X, privileged))
    w, wt, value = oracle.svm_plus_by_qp(X1, Xt, 2.0 * y - 1, 0.5, 2.0)
    assert model.objective_[0] == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(np.r_[model.coef_[0], model.intercept_], w, atol=1e-3)
    np.testing.assert_allclose(model.correction_[0], wt, atol=1e-3)


@pytest.mark.parametrize("constant", [True, False])
def test_starts_lead_to_the_same_solution(taught, constant):
    X, y, privileged = taught
    privileged = np.column_stack([np.abs(privileged), np.ones(len(y))])  # feasible without a constant of our own, too
    models = [
        SVMPlus(start=start, privileged_constant=constant, tol=1e-6, max_sweeps=10**5, random_state=0).fit(
            X, y, privileged=privileged
        )
        for start in ("zero_slack", "zero")
    ]
    assert all(model.duality_gap_ < 1e-6 for model in models)
    np.testing.assert_allclose(models[0].coef_, models[1].coef_, atol=1e-2)
    early = [model.set_params(max_sweeps=1, tol=0).fit(X, y, privileged=privileged).coef_ for model in models]
    assert np.abs(early[0] - early[1]).max() > 1e-3


def test_svm_plus_without_privileged_features_is_a_linear_svm(taught):
    X, y, _ = taught
    model = SVMPlus(C=0.2, tol=1e-6, max_sweeps=10**5, random_state=0).fit(X, y)
    same = BinaryRelevance(C=0.2, tol=1e-6, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.coef_, same.coef_, atol=1e-3)


def test_privileged_features_follow_the_samples_in_a_grid_search(taught):
    X, y, privileged = taught
    search = GridSearchCV(SVMPlus(random_state=0), {"C": [0.01, 0.1]}, cv=3).fit(X, y, privileged=privileged)
    assert search.best_score_ > 0.7


@pytest.mark.parametrize(
    ("params", "data", "message"),
    [
        ({"C": 0.0}, ([[0.0], [1.0]], [[0], [1]]), "C"),
        ({"ranking": "oak"}, ([[0.0], [1.0]], [[0], [1]]), "ranking"),
        ({}, ([[0.0], [1.0]], [[0, 2], [1, 1]]), "0 and 1"),
        ({}, ([[0.0], [1.0]], [[-1, 1], [1, 1]]), "0 and 1"),
        ({}, ([[0.0], [np.inf]], [[0, 1], [1, 1]]), "infinity"),
        ({}, ([[0.0], [1.0]], [3, 3]), "one class only"),
    ],
)
def test_bad_input_is_named(params, data, message):
    with pytest.raises(ValueError, match=message):
        BinaryRelevance(**params).fit(*data)


@pytest.mark.parametrize(
    ("privileged", "message"),
    [([[1.0]], "inconsistent numbers"), ([[1.0], [np.nan]], "privileged contains NaN"), ([1.0, 2.0], "2D array")],
)
def test_bad_privileged_features_are_named(privileged, message):
    with pytest.raises(ValueError, match=message):
        SVMPlus().fit([[0.0], [1.0]], [0, 1], privileged=privileged)
