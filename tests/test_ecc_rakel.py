"""Classifier chains and RAkEL: what they are by definition, their rules, and limit cases."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_multilabel_classification
from sklearn.svm import LinearSVC

from algos.evaluation.multilabel_metrics import multilabel_measures
from algos.multilabel import EnsembleClassifierChains, RAkEL
from algos.multilabel.ecc import _cardinality_threshold, _chain_decisions
from algos.multilabel.rakel import _distinct_subsets


@pytest.fixture(scope="module")
def data():
    X, Y = make_multilabel_classification(160, 12, n_classes=5, random_state=1)
    return X[:90], Y[:90], X[90:], Y[90:]


def chain_by_hand(X, Y, X_test, order):
    """Decision values of one chain of linear SVMs."""
    values, predicted = np.empty((len(X_test), Y.shape[1])), np.empty((len(X_test), 0))
    for j, label in enumerate(order):
        svm = LinearSVC(dual=False).fit(np.hstack([X, Y[:, order[:j]]]), Y[:, label])
        values[:, label] = svm.decision_function(np.hstack([X_test, predicted]))
        predicted = np.hstack([predicted, values[:, [label]] > 0])
    return values


# --- chains ----------------------------------------------------------------------------------------------------------
def test_scores_are_means_of_chains(data):
    X, Y, X_test, _ = data
    by_scores = EnsembleClassifierChains(4, resampling="none", combine="scores", threshold=0, random_state=0).fit(X, Y)
    orders = [chain.order_ for chain in by_scores.chains_]
    assert len({tuple(order) for order in orders}) > 1
    chains = np.array([chain_by_hand(X, Y, X_test, order) for order in orders])
    np.testing.assert_allclose(by_scores.decision_function(X_test), chains.mean(axis=0), atol=1e-6)
    by_votes = EnsembleClassifierChains(4, resampling="none", combine="votes", threshold=0.3, random_state=0).fit(X, Y)
    np.testing.assert_allclose(by_votes.decision_function(X_test), (chains > 0).mean(axis=0) - 0.3, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_fast_prediction_is_scikit_learns(data, form):
    X, Y, X_test, _ = data
    model = EnsembleClassifierChains(2, random_state=0).fit(form(X), Y)
    for chain in model.chains_:
        found = _chain_decisions(chain, form(X_test))
        np.testing.assert_allclose(found, chain.decision_function(form(X_test)), atol=1e-9)


def test_one_label_is_a_plain_svm(data):
    X, Y, X_test, _ = data
    svm = LinearSVC(C=0.3, dual=False).fit(X, Y[:, 0])
    model = EnsembleClassifierChains(2, C=0.3, resampling="none", combine="scores", threshold=0).fit(X, Y[:, [0]])
    np.testing.assert_allclose(model.decision_function(X_test)[:, 0], svm.decision_function(X_test), atol=1e-9)


@pytest.mark.parametrize(
    ("options", "least", "most", "distinct"),
    [
        ({}, 60, 60, True),
        ({"subsample": 0.5}, 45, 45, True),
        ({"subsample": 1e-9}, 1, 1, True),
        ({"resampling": "bootstrap"}, 90, 90, False),
        ({"resampling": "none"}, 90, 90, True),
    ],
)
def test_training_rows(options, least, most, distinct):
    rows = EnsembleClassifierChains(**options)._training_rows(90, np.random.RandomState(0))
    assert least <= len(rows) <= most
    assert (len(set(rows)) == len(rows)) == distinct
    assert rows.max() < 90


def test_cardinality_threshold_is_the_nearest_of_all():
    rng = np.random.default_rng(0)
    for _ in range(50):
        confidences = rng.integers(0, 6, size=(8, 3)) / 5
        n_true = rng.integers(0, 25)
        found = (confidences > _cardinality_threshold(confidences, n_true)).sum()
        best = min(abs((confidences > t).sum() - n_true) for t in [-1, *confidences.ravel()])
        assert abs(found - n_true) == best


def test_cardinality_of_the_training_predictions(data):
    X, Y, _, _ = data
    model = EnsembleClassifierChains(combine="scores", random_state=0).fit(X, Y)
    assert model.predict(X).sum() == Y.sum()  # scores are all different, so it can be met


# --- RAkEL -----------------------------------------------------------------------------------------------------------
def test_votes_are_those_of_label_powersets(data):
    X, Y, X_test, _ = data
    model = RAkEL(random_state=0).fit(X, Y)
    assert len(model.subsets_) == min(2 * 5, math.comb(5, 3))
    votes, counts = np.zeros((len(X_test), 5)), np.zeros(5)
    for subset in model.subsets_:
        codes = Y[:, subset] @ [4, 2, 1]
        predicted = LinearSVC(dual=False).fit(X, codes).predict(X_test)
        votes[:, subset] += predicted[:, None] // np.array([4, 2, 1]) % 2
        counts[list(subset)] += 1
    np.testing.assert_array_equal(model.n_votes_, counts)
    np.testing.assert_allclose(model.decision_function(X_test), votes / counts - 0.5, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X_test), votes / counts >= 0.5)


def test_a_share_equal_to_the_threshold_predicts(data):
    X, Y, X_test, _ = data
    model = RAkEL(k=2, n_estimators=10, random_state=0).fit(X, Y)  # all pairs: four votes a label
    scores = model.decision_function(X_test)
    even = (scores > 0) & (scores < 1e-9)
    assert even.any()
    assert model.predict(X_test)[even].all()


def test_k_1_is_an_svm_for_each_label(data):
    X, Y, X_test, _ = data
    model = RAkEL(k=1).fit(X, Y)
    expected = [LinearSVC(dual=False).fit(X, y).predict(X_test) for y in Y.T]
    np.testing.assert_array_equal(model.predict(X_test), np.transpose(expected))


@pytest.mark.parametrize("k", [5, 9])
def test_k_of_all_labels_or_more_is_the_label_powerset(data, k):
    X, Y, X_test, _ = data
    model = RAkEL(k=k).fit(X, Y)
    assert model.subsets_ == [(0, 1, 2, 3, 4)]
    seen = {tuple(row) for row in Y}
    assert all(tuple(row) in seen for row in model.predict(X_test))


def test_a_label_in_no_subset_is_not_predicted(data):
    X, Y, X_test, _ = data
    model = RAkEL(k=2, n_estimators=1, random_state=0).fit(X, Y)
    out = [label for label in range(5) if label not in model.subsets_[0]]
    assert model.n_votes_[out].tolist() == [0, 0, 0]
    assert not model.predict(X_test)[:, out].any()


@pytest.mark.parametrize(("L", "k", "m"), [(5, 3, 10), (5, 3, 4), (60, 3, 120), (4, 4, 1), (7, 1, 7)])
def test_subsets_are_distinct(L, k, m):
    subsets = _distinct_subsets(L, k, m, np.random.RandomState(0))
    assert len(set(subsets)) == len(subsets) == m
    assert all(len(set(subset)) == k and list(subset) == sorted(subset) for subset in subsets)
    assert max(map(max, subsets)) < L


def test_too_many_subsets_are_refused(data):
    X, Y, _, _ = data
    with pytest.raises(ValueError, match="n_estimators=11: there are only 10 subsets of 3 of 5 labels"):
        RAkEL(n_estimators=11).fit(X, Y)


def test_equal_shares_are_settled_for_the_label_of_higher_index(data):
    X, Y, _, _ = data
    settled = RAkEL(ties="last_first", random_state=0).fit(X, Y)
    shared = RAkEL(random_state=0).fit(X, Y)
    np.testing.assert_array_equal(settled.predict(X), shared.predict(X))
    np.testing.assert_array_equal(settled.predict(X), settled.decision_function(X) > 0)
    expected = multilabel_measures(Y, shared.decision_function(X), shared.predict(X), ties="last_first")
    found = multilabel_measures(Y, settled.decision_function(X), settled.predict(X))
    assert found == pytest.approx(expected)
    assert found["coverage"] < multilabel_measures(Y, shared.decision_function(X), shared.predict(X))["coverage"]
