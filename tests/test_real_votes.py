"""Real AdaBoost.MH: real-valued votes of stumps, Hamming trees and products against formulas in NumPy."""

import pickle
from functools import partial

import numpy as np
import pytest
from conftest import tied_data
from oracles import hamming_product
from oracles.hamming_tree import SCALE, grow_tree, initial_weights
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_multilabel_classification

from algos._kernels.hamming import HammingTreeGrower, instruction_sets
from algos.multiclass import AdaBoostMHClassifier

BASES = [{"base": "stump"}, {"base": "hamming_tree", "n_inner_nodes": 4}, {"base": "hamming_product", "n_factors": 3}]


def leaves_of(X, Q, base, n_inner_nodes=1, n_factors=1):
    """Each row's block of the partition that the base classifier makes."""
    if base != "hamming_product":
        return grow_tree(X, Q, n_inner_nodes)[2]
    sides = np.ones(len(X))
    for factor in hamming_product.fit_product(X, Q, n_factors):
        if factor.feature >= 0:
            sides *= np.where(X[:, factor.feature] >= factor.threshold, 1, -1)
    return (sides < 0).astype(int)


def real_boost(X, Y, W, n_rounds, sample_weight=None, **base):
    """Schapire and Singer 1999, section 4: returns the scores and the loss after each round."""
    f, n = np.zeros(Y.shape), len(Y)
    if sample_weight is not None:
        W = W * (sample_weight / sample_weight.max())[:, None]  # D has their ratios; few digits are left below 1e-308
        n = max(sample_weight.sum(), np.count_nonzero(sample_weight))
    smoothing = 1 / (n * Y.shape[1])
    stages, losses = [], []
    for _ in range(n_rounds):
        D = W * np.exp(-Y * f)
        D /= D.sum()
        leaf_of = leaves_of(X, np.rint(D * Y * SCALE).astype(np.int64), **base)
        for leaf in np.unique(leaf_of):
            rows = leaf_of == leaf
            plus, minus = (D * (Y > 0))[rows].sum(axis=0), (D * (Y < 0))[rows].sum(axis=0)
            f[rows] += 0.5 * np.log((plus + smoothing) / (minus + smoothing))
        stages.append(f.copy())
        losses.append((W * np.exp(-Y * f)).sum())
    return stages, np.array(losses)


def signs_of(y):
    return np.where(y[:, None] == np.unique(y), 1.0, -1.0)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("load", [load_wine, load_digits])
def test_scores_and_losses_are_schapire_and_singers(load, base):
    X, y = load(return_X_y=True)
    X, y = X[::2], y[::2]
    model = AdaBoostMHClassifier(votes="real", n_estimators=6, **base).fit(X, y)
    Y = signs_of(y)
    stages, losses = real_boost(X, Y, initial_weights(Y), 6, **base)
    for ours, twin in zip(model.staged_decision_function(X), stages, strict=True):
        np.testing.assert_allclose(ours, twin, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(np.cumprod(np.sqrt(1 - model.edges_**2)), losses, rtol=1e-7)
    assert model.estimator_weights_.tolist() == [1.0] * 6


@pytest.mark.parametrize("instruction_set", instruction_sets())
@pytest.mark.parametrize("K", [2, 3, 10, 17, 63])
def test_every_instruction_set_gives_the_same_votes(K, instruction_set):
    X, y = tied_data(90, 4, K, seed=K)
    Y = signs_of(y)
    S = initial_weights(Y) * Y
    votes = []
    for name in (instruction_set, "baseline"):
        grower = HammingTreeGrower(X, S, instruction_set=name)
        for _ in range(4):
            grower.grow(5)
            grower.accept_real(1 / S.size)
        votes.append(grower.forest().arrays()["real_votes"])
    np.testing.assert_array_equal(*votes)


@pytest.mark.parametrize("base", BASES)
def test_loss_never_rises(base):
    X, y = load_digits(return_X_y=True)
    model = AdaBoostMHClassifier(votes="real", n_estimators=60, **base).fit(X, y)
    Y = signs_of(y)
    losses = [(initial_weights(Y) * np.exp(-Y * f)).sum() for f in model.staged_decision_function(X)]
    assert (np.diff([1.0, *losses]) < 0).all()


def test_a_round_of_real_votes_lowers_the_loss_more_than_one_of_discrete_votes():
    X, y = load_digits(return_X_y=True)
    for base in BASES:
        real, discrete = (AdaBoostMHClassifier(votes=v, n_estimators=1, **base).fit(X, y) for v in ("real", "discrete"))
        assert real.edges_[0] > discrete.edges_[0]


def test_two_classes_are_binary_real_adaboost():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostMHClassifier("stump", votes="real", n_estimators=10).fit(X, y)
    sign, weights, scores = np.where(y == 1, 1, -1), np.full(len(y), 1 / len(y)), np.zeros(len(y))
    for _ in range(10):
        Q = np.rint(weights[:, None] / 2 * sign[:, None] * [-1, 1] * SCALE).astype(np.int64)
        leaf_of = grow_tree(X, Q, 1)[2]
        for leaf in (0, 1):
            rows = leaf_of == leaf
            plus, minus = weights[rows & (sign > 0)].sum(), weights[rows & (sign < 0)].sum()
            scores[rows] += 0.5 * np.log((plus + 1 / len(y)) / (minus + 1 / len(y)))
        weights = np.exp(-sign * scores)
        weights /= weights.sum()
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-9)


def test_multilabel_strings_curves_and_pickle():
    X, Y = make_multilabel_classification(n_samples=120, n_classes=5, random_state=0)
    model = AdaBoostMHClassifier(votes="real", n_inner_nodes=3, n_estimators=8).fit(X, Y)
    signs = np.where(Y > 0, 1.0, -1.0)
    stages, _ = real_boost(X, signs, initial_weights(signs, multilabel=True), 8, base="hamming_tree", n_inner_nodes=3)
    np.testing.assert_allclose(model.decision_function(X), stages[-1], rtol=1e-8)
    np.testing.assert_allclose(model.staged_error(X, Y), [((f > 0) != Y).mean() for f in stages])
    X, y = load_iris(return_X_y=True)
    names = np.array(["sétosa", "versi color", "v<3>"])[y]
    model = AdaBoostMHClassifier(votes="real", n_estimators=8).fit(X[::2], names[::2])
    np.testing.assert_allclose(
        model.staged_error(X[1::2], names[1::2]), [(p != names[1::2]).mean() for p in model.staged_predict(X[1::2])]
    )
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))


def test_perfect_and_useless_base_classifiers_end_the_fit():
    X = np.array([[0.0], [1.0], [2.0]])
    model = AdaBoostMHClassifier(votes="real", n_estimators=50).fit(X, ["a", "b", "b"])
    assert model.n_estimators_ == 1
    assert np.isfinite(model.decision_function(X)).all()
    assert model.predict(X).tolist() == ["a", "b", "b"]
    assert AdaBoostMHClassifier(votes="real").fit(np.ones((4, 2)), ["a", "b", "a", "b"]).n_estimators_ == 0


def test_order_of_rows_does_not_matter():
    X, y = tied_data(80, 4, 5, seed=3)
    order = np.random.default_rng(0).permutation(80)
    model = AdaBoostMHClassifier(votes="real", n_inner_nodes=4, n_estimators=8).fit(X, y)
    other = AdaBoostMHClassifier(votes="real", n_inner_nodes=4, n_estimators=8).fit(X[order], y[order])
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("scale", [1, 3, 0.25, 1 / 150, 1e-30, 2.0**-1040])
def test_sample_weights_smooth_by_their_sum_or_by_the_number_of_samples(scale):
    X, y = load_iris(return_X_y=True)
    Y, weight = signs_of(y), scale * np.random.default_rng(0).integers(1, 4, len(y)) / 2
    model = AdaBoostMHClassifier("stump", votes="real", n_estimators=6).fit(X, y, sample_weight=weight)
    stages, _ = real_boost(X, Y, initial_weights(Y), 6, sample_weight=weight, base="stump")
    np.testing.assert_allclose(model.decision_function(X), stages[-1], rtol=1e-7, atol=1e-8)


def test_weights_of_sum_1_or_n_give_one_model_and_whole_ones_repeat_samples():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    make = partial(AdaBoostMHClassifier, "stump", votes="real", n_estimators=20)
    of_sum_1, of_sum_n = (
        make().fit(X, y, sample_weight=weight / weight.sum() * total).predict_proba(X)
        for total in (1, np.count_nonzero(weight))
    )
    np.testing.assert_allclose(of_sum_1, of_sum_n, atol=1e-7)
    repeated = make().fit(np.repeat(X, weight, 0), np.repeat(y, weight)).predict_proba(X)
    np.testing.assert_allclose(make().fit(X, y, sample_weight=weight).predict_proba(X), repeated, atol=1e-7)


def test_smoothing_must_be_positive():
    grower = HammingTreeGrower(np.array([[0.0], [1.0]]), np.array([[0.25, -0.25], [-0.25, 0.25]]))
    grower.grow(1)
    with pytest.raises(ValueError, match="smoothing"):
        grower.accept_real(0.0)


def test_digits_error_is_no_worse_than_the_discrete_original():
    """MultiBoost's discrete Hamming trees reached 4.89 % with N = 19 and T = 1000; the binomial std is 0.8 points."""
    X, y = load_digits(return_X_y=True)
    model = AdaBoostMHClassifier(votes="real", n_inner_nodes=19, n_estimators=300).fit(X[:1000], y[:1000])
    assert 1 - model.score(X[1000:], y[1000:]) <= 0.0489 + 0.008
