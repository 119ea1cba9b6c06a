"""What all estimators ask of labels and sample weights, and what their curves ask of labels."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine

from algos._validation import check_sample_weight, known_class_indices
from algos.binary import AdaBoost, GentleBoost, LinearSVM, LogitBoost, RobustBoost, TangentBoost, TwoPassExclusion
from algos.exceptions import InputError
from algos.multiclass import (
    ABCLogitBoostClassifier,
    ABCMARTClassifier,
    AdaBoostMHClassifier,
    AdaBoostMMClassifier,
    AOSOLogitBoostClassifier,
    LogitBoostClassifier,
    MARTClassifier,
    SAMMEClassifier,
    StagedHistGradientBoostingClassifier,
)
from algos.multilabel import LEML, ML2, BinaryRelevance, EnsembleClassifierChains, PrBR, PrML, RAkEL, SVMPlus
from algos.selfpaced import MultiBoostClassifier, MultiSVM, SoftmaxRegression, SPBLClassifier

N = 6
WEIGHTED = [
    AOSOLogitBoostClassifier(N),
    ABCLogitBoostClassifier(N),
    ABCMARTClassifier(N),
    LogitBoostClassifier(N),
    MARTClassifier(N),
    AdaBoostMHClassifier(n_inner_nodes=2, n_estimators=N),
    AdaBoostMHClassifier("single_label_tree", n_estimators=N, max_leaf_nodes=2, random_state=0),
    AdaBoostMHClassifier("stump", votes="real", n_estimators=N),
    SAMMEClassifier(N, max_leaf_nodes=2, random_state=0),
    AdaBoostMMClassifier(N, max_leaf_nodes=2),
    AdaBoost(N),
    GentleBoost(N),
    LogitBoost(N),
    LogitBoost(N, balanced=True),
    TangentBoost(N),
    RobustBoost(n_estimators=N, error_goal=0.02),
    TwoPassExclusion(LogitBoost(N), fraction=0.1),
]
PACED = [MultiBoostClassifier(N), SPBLClassifier(N, random_state=0)]
STAGED = [*WEIGHTED, *PACED, StagedHistGradientBoostingClassifier(N)]
OTHERS = [
    LinearSVM(),
    SoftmaxRegression(),
    MultiSVM(),
    BinaryRelevance(),
    EnsembleClassifierChains(),
    LEML(),
    ML2(),
    PrBR(),
    PrML(),
    RAkEL(),
    SVMPlus(),
]


def each(estimators):
    return pytest.mark.parametrize("estimator", estimators, ids=lambda e: type(e).__name__)


def data_for(estimator):
    binary = type(estimator).__module__.startswith("algos.binary")
    X, y = load_breast_cancer(return_X_y=True) if binary else load_wine(return_X_y=True)
    return X[::3], y[::3]


@each(WEIGHTED)
@pytest.mark.parametrize("exponent", [-1060, -1000, -66, -9, 1000])
def test_only_ratios_of_small_and_of_huge_weights_matter(estimator, exponent):
    X, y = data_for(estimator)
    weight = np.random.default_rng(0).integers(0, 4, len(y)) / 4
    if exponent > 0:
        weight *= 2.0**22  # beyond the mean of weights that count repetitions
    model = clone(estimator).fit(X, y, sample_weight=weight)
    scaled = clone(estimator).fit(X, y, sample_weight=np.ldexp(weight, exponent))
    np.testing.assert_array_equal(scaled.decision_function(X), model.decision_function(X))
    assert scaled.n_estimators_ == model.n_estimators_ > 1


def test_training_loss_is_that_of_the_weights_given():
    X, y = data_for(None)
    weight = np.ldexp(np.random.default_rng(0).random(len(y)), -70)
    model = LogitBoostClassifier(5).fit(X, y, sample_weight=weight)
    P = model.predict_proba(X)[np.arange(len(y)), y]
    np.testing.assert_allclose(model.train_loss_[-1], -(weight * np.log(P)).sum(), rtol=1e-9)


@pytest.mark.parametrize(
    ("weights", "exponent"),
    [
        ([1, 1, 1], 0),
        ([0, 3, 5], 0),
        ([0.6, 0.5, 0.5], 0),
        ([0.5, 0.5, 0.5], -1),
        ([0, 0, 0.5], -1),
        ([1e-300, 1e-300, 1e-300], -996),
        ([5e-324] * 3, -1074),
        ([2**20] * 3, 0),
        ([2**21] * 3, 1),
        ([1.7e308] * 3, 1004),
    ],
)
def test_weights_are_scaled_by_the_power_of_two_that_is_documented(weights, exponent):
    scaled, k = check_sample_weight(weights, np.zeros((3, 1)))
    assert k == exponent
    np.testing.assert_array_equal(np.ldexp(scaled, k), weights)


def test_weights_that_are_nothing_beside_the_largest_are_left_out():
    assert check_sample_weight([1e308, 1e-10, 1.0], np.zeros((3, 1)))[0].tolist()[1] == 0
    X, y = data_for(None)
    weight = np.where(np.arange(len(y)) % 5, 1e150, 1e-200)
    kept = weight > 1
    model, without = (LogitBoostClassifier(3).fit(X[k], y[k], weight[k]) for k in (slice(None), kept))
    np.testing.assert_array_equal(model.decision_function(X), without.decision_function(X))


@each(STAGED)
def test_probabilities_after_every_round_end_at_the_model(estimator):
    X, y = data_for(estimator)
    model = clone(estimator).fit(X, y)
    assert hasattr(model, "staged_predict_proba") == hasattr(model, "predict_proba")
    if hasattr(model, "predict_proba"):
        staged = list(model.staged_predict_proba(X))
        assert len(staged) == model.n_estimators_
        np.testing.assert_allclose(staged[-1], model.predict_proba(X), rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(np.sum(staged, axis=2), 1)
        assert not np.allclose(staged[0], staged[-1])


@each(STAGED)
def test_curves_refuse_labels_of_another_type_and_count_unseen_ones_as_errors(estimator):
    X, y = data_for(estimator)
    names = np.array(["a", "b", "c"])[y]
    model = clone(estimator).fit(X, names)
    for wrong in (y, y.astype(float), y.astype(object)):
        with pytest.raises(InputError, match="fitted to labels such as 'a'"):
            model.staged_error(X, wrong)
    with pytest.raises(InputError, match="no label at position 3"):
        model.staged_error(X, np.where(np.arange(len(y)) == 3, None, names))
    np.testing.assert_array_equal(model.staged_error(X, np.full(len(y), "new")), 1)
    np.testing.assert_array_equal(model.staged_error(X, names.astype(object)), model.staged_error(X, names))
    model = clone(estimator).fit(X, y)
    with pytest.raises(InputError, match="fitted to labels such as 0"):
        model.staged_error(X, names)
    with pytest.raises(InputError, match=r"y holds 0\.5, which is no class label"):
        model.staged_error(X, y + 0.5)
    np.testing.assert_array_equal(model.staged_error(X, y + 0.0), model.staged_error(X, y))


@each([*PACED, SoftmaxRegression(), MultiSVM()])
def test_a_validation_part_of_labels_of_another_type_is_refused(estimator):
    X, y = data_for(estimator)
    with pytest.raises(InputError, match="y_val holds labels such as 0, but"):
        clone(estimator).fit(X, np.array(["a", "b", "c"])[y], X_val=X, y_val=y)


def test_class_indices_of_labels():
    assert known_class_indices(np.array([1, 5]), [5, 1, 3, 9]).tolist() == [1, 0, -1, -1]
    assert known_class_indices(np.array(["a", "b"]), pd.Series(["b", "x"])).tolist() == [1, -1]
    assert known_class_indices(np.array([False, True]), [True, False]).tolist() == [1, 0]
    assert known_class_indices(np.array([0, 1]), []).tolist() == []


def replaced(y, value, dtype=object):
    y = np.asarray(y, dtype=dtype).copy()
    y[2] = value
    return y


@each([*STAGED, *OTHERS])
def test_missing_labels_are_named(estimator):
    X, y = data_for(estimator)
    names = np.array(["a", "b", "c"])[y]
    missing = [
        replaced(names, None),
        replaced(names, np.nan),
        replaced(names, pd.NA),
        replaced(names, None).tolist(),
        replaced(y, None),
        replaced(y, np.nan, float),
        pd.Series(replaced(y, pd.NA), dtype="Int64"),
        pd.Series(replaced(names, None), dtype="category"),
    ]
    for labels in missing:
        with pytest.raises(InputError, match=r"^y has no label at position 2, only (None|nan|<NA>); label it or leave"):
            clone(estimator).fit(X, labels)
    with pytest.raises(InputError, match=r"mixes text with other labels, .* at position 0 and 7 at position 2"):
        clone(estimator).fit(X, replaced(names, 7))


@each([BinaryRelevance(), PrML(), AdaBoostMHClassifier(n_estimators=2)])
def test_missing_indicators_are_named(estimator):
    Y = np.ones((4, 3))
    Y[2, 1] = np.nan
    with pytest.raises(InputError, match=r"y has no label at position \(2, 1\), only nan"):
        clone(estimator).fit(np.eye(4), Y)
