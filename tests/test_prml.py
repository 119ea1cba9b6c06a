"""PrBR and PrML: scikit-learn's contract, the papers' identities, limit cases, bad input."""

import pickle

import numpy as np
import pytest
from oracles import svm_plus as oracle
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.utils.estimator_checks import parametrize_with_checks

from algos.multilabel import BinaryRelevance, PrBR, PrML
from algos.multilabel.prml import label_pools, ridge_coefficients

LOOSE = {"privileged_constant": True, "random_state": 0}
TIGHT = {**LOOSE, "tol": 1e-5, "max_sweeps": 20000, "C": 0.05}


@parametrize_with_checks(
    [
        PrBR(C=0.01, tol=0, max_sweeps=5),
        PrBR(C=0.01, tol=0, max_sweeps=5, privileged_constant=True),
        PrML(max_sweeps=3, n_alternations=2),
        PrML(max_sweeps=3, n_alternations=2, privileged_constant=True, init="random", start="zero"),
    ],
    expected_failed_checks=lambda estimator: (
        {"check_classifiers_train": "wants classes told apart; labels of which one alone is on teach each other little"}
        if getattr(estimator, "init", None) == "random"
        else {}
    ),
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    X, Y = make_multilabel_classification(n_samples=40, n_features=5, n_classes=4, random_state=1)
    Y[:3] = 0  # samples without labels
    return X / X.std(axis=0), Y


def every(estimator_class, **params):
    return estimator_class(**{**TIGHT, **params})


def test_prbr_solves_its_problem(data):
    X, Y = (part[:14] for part in data)
    model = PrBR(**{**TIGHT, "gamma1": 2.0, "gamma2": 0.5}).fit(X, Y)
    X1 = np.column_stack([X, np.ones(14)])
    for i in range(4):
        Xt = oracle.privileged_labels(Y, i, None, 1.0)
        w, wt, value = oracle.svm_plus_by_qp(X1, Xt, 2.0 * Y[:, i] - 1, 0.05 / 2, 0.5 / 2)
        assert model.objective_[i] == pytest.approx(2 * value, rel=1e-5)
        np.testing.assert_allclose(np.r_[model.coef_[i], model.intercept_[i]], w, atol=1e-3)
        np.testing.assert_allclose(np.r_[model.correction_[i], model.correction_constant_[i]], wt, atol=1e-3)


@pytest.mark.parametrize("max_sweeps", [2, 10**5])
def test_prml_with_the_identity_as_dictionary_is_prbr(data, max_sweeps):
    X, Y = data
    options = {**TIGHT, "max_sweeps": max_sweeps, "gamma2": 0.4}
    prbr = PrBR(**options).fit(X, Y)
    prml = PrML(init=np.eye(6), n_alternations=0, **options).fit(X, Y)
    np.testing.assert_allclose(prml.coef_, prbr.coef_, atol=1e-10)
    np.testing.assert_allclose(prml.correction_, prbr.correction_, atol=1e-10)
    assert prml.n_iter_ == 0


def test_prml_takes_the_turns_of_algorithm_1(data):
    """Few sweeps of each step, against the formulas, with the multipliers of each step going on from turn to turn."""
    X, Y = (part[:12] for part in data)
    X1, signs = np.column_stack([X, np.ones(12)]), 2.0 * Y - 1
    D0 = np.random.default_rng(0).normal(size=(3, 6))
    options = {"C": 0.3, "gamma1": 2.0, "gamma2": 0.5, "tol": 0, "max_sweeps": 2, "random_state": 0}
    model = PrML(init=D0, n_alternations=1, **options).fit(X, Y)
    orders = list(oracle.visit_orders(12, 2, int(np.random.RandomState(0).randint(2**31))))
    advice = [oracle.privileged_labels(Y, i) for i in range(4)]
    W = np.array(
        [oracle.coordinate_descent(X1 @ D0.T, advice[i], signs[:, i], 0.15, 0.25, orders)[0] for i in range(4)]
    )
    D, wt, _, _ = oracle.dictionary_descent(X1, Y, W, advice, 0.3, 0.5, orders)
    np.testing.assert_allclose(model.weights_, W, atol=1e-10)
    np.testing.assert_allclose(model.dictionary_, D, atol=1e-10)
    np.testing.assert_allclose(model.correction_, np.array(wt)[:, :4], atol=1e-10)
    np.testing.assert_allclose(np.column_stack([model.coef_, model.intercept_]), W @ D, atol=1e-10)


@pytest.mark.parametrize("init", ["ridge", "random"])
def test_objective_never_rises(data, init):
    X, Y = data
    model = every(PrML, init=init, n_alternations=4, alternation_tol=0).fit(X[:20], Y[:20])
    assert len(model.objectives_) == 8
    assert model.duality_gaps_.max() <= 1e-5
    assert (np.diff(model.objectives_) <= 1e-5 * model.objectives_[:-1]).all()
    assert model.objectives_[-1] < 0.999 * model.objectives_[0]


def test_turns_end_when_the_corrections_settle(data):
    X, Y = data
    model = every(PrML, n_alternations=100, alternation_tol=0.05, tol=1e-4).fit(X[:20], Y[:20])
    assert 1 < model.n_iter_ < 100
    assert model.changes_[-1] <= 0.05 < model.changes_[-2]


@pytest.mark.parametrize("estimator", [PrBR, PrML])
def test_order_of_labels_does_not_matter(data, estimator):
    X, Y = (part[:20] for part in data)
    order = np.array([2, 0, 3, 1])
    options = {"n_alternations": 1} if estimator is PrML else {}
    plain = every(estimator, **options).fit(X, Y).decision_function(X)
    permuted = every(estimator, **options).fit(X, Y[:, order]).decision_function(X)
    np.testing.assert_allclose(permuted, plain[:, order], atol=0.02)


@pytest.mark.parametrize("estimator", [PrBR(**LOOSE), PrML(**LOOSE, n_alternations=2)])
def test_sparse_and_dense_are_the_same(data, estimator):
    X, Y = data
    X = X * (np.random.default_rng(0).random(X.shape) < 0.4)
    options = {"tol": 0, "max_sweeps": 5}
    dense = clone(estimator).set_params(**options).fit(X, Y).decision_function(X)
    model = clone(estimator).set_params(**options).fit(sparse.csr_matrix(X), sparse.csr_array(Y))
    np.testing.assert_allclose(model.decision_function(sparse.csr_array(X)), dense, atol=1e-8)


def test_very_sparse_features_give_the_same_as_dense_ones():
    """Where samples have few non-zeros beside the rows of D, products go through the data (x_j'D'D x_q)."""
    rng = np.random.default_rng(0)
    X = (rng.random((60, 40)) < 0.03).astype(float)
    Y = rng.random((60, 20)) < 0.2
    model = PrML(n_components=20, tol=0, max_sweeps=3, n_alternations=2, random_state=0)
    dense = clone(model).fit(X, Y.astype(int)).coef_
    np.testing.assert_allclose(clone(model).fit(sparse.csr_array(X), Y.astype(int)).coef_, dense, atol=1e-8)


@pytest.mark.parametrize("estimator", [PrBR, PrML])
def test_the_pool_of_all_labels_is_the_full_method(data, estimator):
    X, Y = data
    options = {"tol": 0, "max_sweeps": 4, "random_state": 0}
    full = estimator(**options).fit(X, Y)
    for pools in (3, 7, ~np.eye(4, dtype=bool)):
        np.testing.assert_allclose(estimator(**options, pools=pools).fit(X, Y).coef_, full.coef_, atol=1e-10)
    few = estimator(**options, pools=1).fit(X, Y)
    assert (few.correction_ != 0).sum(axis=1).max() <= 1
    assert np.abs(few.coef_ - full.coef_).max() > 1e-6


def test_pools_hold_the_nearest_labels():
    labels = np.array([[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1]], dtype=bool)
    member = label_pools(labels, 2)
    for i in range(4):
        distance = (labels != labels[:, [i]]).sum(axis=0)
        others = sorted((int(distance[k]), k) for k in range(4) if k != i)
        assert np.flatnonzero(member[i]).tolist() == sorted(k for _, k in others[:2])


def test_starts_differ_early_and_agree_at_the_optimum(data):
    X, Y = data
    solved = [every(PrBR, start=start).fit(X, Y) for start in ("zero_slack", "zero")]
    np.testing.assert_allclose(solved[0].coef_, solved[1].coef_, atol=1e-3)
    np.testing.assert_allclose(solved[0].correction_, solved[1].correction_, atol=1e-3)
    early = [PrBR(start=start, tol=0, max_sweeps=1, random_state=0).fit(X, Y) for start in ("zero_slack", "zero")]
    assert np.abs(early[0].coef_ - early[1].coef_).max() > 1e-3


def test_ridge_start_holds_the_regression():
    rng = np.random.default_rng(0)
    for n, d in ((30, 6), (6, 30)):
        X, targets = rng.normal(size=(n, d)), np.sign(rng.normal(size=(n, 4)))
        Z = ridge_coefficients(X, targets, 0.7)
        np.testing.assert_allclose(Z, np.linalg.solve(X.T @ X + 0.7 * np.eye(d), X.T @ targets).T, atol=1e-10)
        np.testing.assert_allclose(ridge_coefficients(sparse.csr_array(X), targets, 0.7), Z, atol=1e-10)


def test_a_label_that_is_never_on(data):
    X, Y = data
    Y = np.column_stack([Y, np.zeros(len(Y), dtype=int)])
    for model in (PrBR(**LOOSE, max_sweeps=50), PrML(**LOOSE, max_sweeps=50, n_alternations=2)):
        model.fit(X, Y)
        assert model.predict(X)[:, 4].sum() == 0
        assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("estimator", [PrBR, PrML])
def test_a_single_label_is_an_ordinary_svm(data, estimator):
    X, Y = data
    model = estimator(C=0.2, gamma1=2.0, tol=1e-6, max_sweeps=10**5, random_state=0).fit(X, Y[:, :1])
    same = BinaryRelevance(C=0.1, tol=1e-6, random_state=0).fit(X, Y[:, :1])
    np.testing.assert_allclose(model.coef_, same.coef_, atol=1e-3)
    assert model.predict(X).shape == (len(X), 1)
    assert model.correction_.tolist() == [[0.0]]


def test_number_of_rows_of_the_dictionary(data):
    X, Y = data
    for n_components, expected in ((0.5, 2), (0.51, 3), (1.0, 4), (1, 1), (4, 4)):
        assert PrML(n_components, max_sweeps=1, n_alternations=1, **LOOSE).fit(X, Y).n_components_ == expected
    narrow = PrML(1.0, max_sweeps=1, n_alternations=1, **LOOSE).fit(X[:, :1], Y)  # one feature and the constant
    assert narrow.dictionary_.shape == (2, 2)


def test_few_samples_leave_rows_of_the_start_empty():
    X, Y = np.eye(2, 6), np.array([[1, 0, 1, 0], [0, 1, 1, 0]])
    model = PrML(1.0, max_sweeps=3, n_alternations=1, **LOOSE).fit(X, Y)
    assert np.isfinite(model.coef_).all()


def test_is_deterministic_and_can_be_pickled(data):
    X, Y = data
    model = PrML(**LOOSE, n_alternations=2).fit(X, Y)
    np.testing.assert_array_equal(clone(model).fit(X, Y).coef_, model.coef_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (PrML(n_components=5), "n_components is 5, more than the 4 labels"),
        (PrML(n_components=0.0), "n_components"),
        (PrML(init=np.ones((2, 5))), "6 columns"),
        (PrML(init="oak"), "init"),
        (PrML(gamma2=0.0), "gamma2"),
        (PrML(n_alternations=-1), "n_alternations"),
        (PrBR(pools=0), "pools"),
        (PrBR(pools=np.ones((3, 3))), "must have shape"),
        (PrBR(pools=np.eye(4)), "false on the diagonal"),
        (PrBR(pools=np.zeros((4, 4))), "label 0 has no privileged label"),
        (PrBR(start="oak"), "start"),
    ],
)
def test_bad_parameters_are_named(data, estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*data)


@pytest.mark.parametrize("estimator", [PrBR(), PrML()])
@pytest.mark.parametrize(
    ("Y", "message"), [([[0, 2], [1, 1]], "0 and 1"), ([[-1, 1], [1, -1]], "0 and 1"), ([1, 1], "one class only")]
)
def test_bad_labels_are_named(estimator, Y, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit([[0.0], [1.0]], Y)
