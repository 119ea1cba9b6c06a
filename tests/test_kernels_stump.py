"""The C++ stump search against the NumPy one: feature, threshold and score of every cut."""

import numpy as np
import pytest
from conftest import tied_data
from oracles import stumps as oracle
from sklearn.datasets import load_breast_cancer, load_digits

from algos._kernels.stump import StumpSearch, exact_sum

GROUPS = {"one row": 1, "few rows": 5, "default": 48, "all rows": 2**20}


def targets(X, seed):
    """Labels that some features tell, positive weights of very different sizes, and responses."""
    rng = np.random.default_rng(seed)
    y = np.where(X[:, :3].sum(axis=1) + rng.normal(size=len(X)) * X.std() > 3 * X.mean(), 1.0, -1.0)
    w = np.exp(3 * rng.normal(size=len(X)))
    return y, w, y * rng.uniform(0.5, 4, size=len(X))


def assert_same_cuts(X, y, w, z, group_rows):
    search = StumpSearch(X, group_rows)
    for found, expected in (
        (search.classify(w * y), oracle.classify(X, w * y)),
        (search.rate(w * y), oracle.rate(X, w * y)),
        (search.regress(w * z, w), oracle.regress(X, w * z, w)),
    ):
        assert (found.feature, found.threshold, found.score) == (expected.feature, expected.threshold, expected.score)


def made_up(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(int(rng.integers(2, 300)), int(rng.integers(1, 12))))
    kind = seed % 4
    if kind == 1:
        X = np.rint(3 * X)  # full of ties
    elif kind == 2:
        X[rng.random(X.shape) < 0.6] = 0.0  # one value is frequent
    elif kind == 3:
        X[:, ::2] = 7.0  # constant columns
    return X


@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize("seed", range(24))
def test_cuts_are_the_exhaustive_searchs(groups, seed):
    X = made_up(seed)
    assert_same_cuts(X, *targets(X, seed), GROUPS[groups])


@pytest.mark.parametrize("seed", range(8))
def test_equal_weights_full_of_ties(seed):
    X, y = tied_data(60, 6, 2, seed)
    signs = np.where(y == 1, 1.0, -1.0)
    assert_same_cuts(X, signs, np.ones(60), signs, 5)


@pytest.mark.parametrize("load", [load_digits, load_breast_cancer])
def test_cuts_through_rounds_of_boosting_on_real_data(load):
    """Weights as boosting makes them: most of them tiny in the end."""
    X, y = load(return_X_y=True)
    X, y = X[:500], np.where(y[:500] % 2 == 1, 1.0, -1.0)
    search, H, G = StumpSearch(X), np.zeros(500), np.zeros(500)
    for _ in range(25):
        w = np.exp(-y * H)
        cut, expected = search.classify(w * y), oracle.classify(X, w * y)
        assert (cut.feature, cut.threshold, cut.score) == (expected.feature, expected.threshold, expected.score)
        h = np.where(expected.plus(X), 1, -1)
        edge = (w * y * h).sum() / w.sum()
        H += 0.5 * np.log((1 + edge) / (1 - edge)) * h
        z, w = oracle.logit(y, G)
        cut, expected = search.regress(w * z, w), oracle.regress(X, w * z, w)
        assert (cut.feature, cut.threshold, cut.score) == (expected.feature, expected.threshold, expected.score)
        for side in (expected.plus(X), ~expected.plus(X)):
            G[side] += (w * z)[side].sum() / w[side].sum() / 2


def test_more_rows_than_16_bits_count():
    X = np.random.default_rng(0).normal(size=(70_000, 2))
    assert_same_cuts(X, *targets(np.column_stack([X, X]), 1), 48)


def test_order_of_rows_does_not_matter():
    X = made_up(4)
    y, w, z = targets(X, 4)
    order = np.random.default_rng(1).permutation(len(X))
    one, other = StumpSearch(X), StumpSearch(X[order])
    assert one.classify(w * y) == other.classify((w * y)[order])
    assert one.rate(w * y) == other.rate((w * y)[order])
    assert one.regress(w * z, w) == other.regress((w * z)[order], w[order])


def test_neighbouring_floats_and_both_zeros():
    """The threshold never equals the lower value, and -0.0 is no other value than 0.0."""
    low = 1.0
    high = np.nextafter(low, 2)
    cut = StumpSearch(np.array([[low], [high]])).classify(np.array([-1.0, 1.0]))
    assert cut.threshold == high
    assert StumpSearch(np.array([[0.0], [-0.0]])).classify(np.array([-1.0, 1.0])).feature == -1
    huge = np.array([[-1.7e308], [1.7e308]])
    assert StumpSearch(huge).classify(np.array([-1.0, 1.0])).threshold == 0.0


def test_no_weight_no_cut():
    search = StumpSearch(np.arange(4.0)[:, None])
    assert search.classify(np.zeros(4)).feature == -1
    assert search.regress(np.zeros(4), np.ones(4)).feature == -1
    assert search.regress(np.ones(4), np.zeros(4)).score == 0


def test_exact_sum_does_not_depend_on_order_and_is_exact():
    rng = np.random.default_rng(0)
    values = rng.normal(size=1000) * 10.0 ** rng.integers(-12, 3, size=1000)
    expected = exact_sum(values)
    assert expected == pytest.approx(np.sum(values, dtype=np.longdouble), rel=1e-13)
    for _ in range(20):
        assert exact_sum(rng.permutation(values)) == expected
    assert exact_sum(np.zeros(3)) == exact_sum(np.array([])) == 0
    assert exact_sum(np.full(7, 1e-300)) == pytest.approx(7e-300)
    assert exact_sum(np.full(7, 1e300)) == pytest.approx(7e300)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: StumpSearch(np.array([[np.nan]])), "NaN"),
        (lambda: StumpSearch(np.ones(3)), "matrix"),
        (lambda: StumpSearch(np.ones((3, 1)), 0), "group_rows"),
        (lambda: StumpSearch(np.ones((3, 1))).classify(np.ones(2)), "signed_weights must have shape"),
        (lambda: StumpSearch(np.ones((3, 1))).rate(np.array([1, 2, np.inf])), "signed_weights has NaN"),
        (lambda: StumpSearch(np.ones((3, 1))).regress(np.ones(3), -np.ones(3)), "negative"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
