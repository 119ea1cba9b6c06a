"""Average precision by hand, against scikit-learn, and under what must not change it."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from algos.evaluation import average_precision_curve, precision_recall_curve, voc_average_precision
from algos.evaluation.precision_recall import KINDS
from algos.exceptions import InputError


def tied_ranking(seed, n=60, n_values=7):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.where(np.arange(n) < n // 3, 1, -1))
    return y, rng.integers(0, n_values, n) + 0.5 * (y == 1)


def eleven_points(y, scores, weight=1.0):
    """VOC2007, section 4.2, one threshold and one recall at a time."""
    points = []
    for level in set(scores):
        tp = sum(1 for label, s in zip(y, scores, strict=True) if s >= level and label == 1)
        fp = sum(1 for label, s in zip(y, scores, strict=True) if s >= level and label != 1)
        points.append((tp, tp / (tp + weight * fp) if tp + fp else 0.0))
    n_positives = int(np.sum(np.asarray(y) == 1))
    best = [max((p for tp, p in points if tp * 10 >= k * n_positives), default=0.0) for k in range(11)]
    return sum(best) / 11


def test_by_hand():
    y, scores = [1, 0, 1, 0, 1], [5.0, 4.0, 3.0, 2.0, 1.0]
    # Thresholds: (recall, precision) = (1/3, 1), (1/3, 1/2), (2/3, 2/3), (2/3, 1/2), (1, 3/5).
    assert voc_average_precision(y, scores, "area") == pytest.approx((1 + 2 / 3 + 3 / 5) / 3)
    # Recalls 0 to .3 reach 1, .4 to .6 reach 2/3, .7 to 1 reach 3/5.
    assert voc_average_precision(y, scores) == pytest.approx((4 * 1 + 3 * 2 / 3 + 4 * 3 / 5) / 11)
    precision, recall = precision_recall_curve(y, scores)
    np.testing.assert_allclose(precision, [1, 1 / 2, 2 / 3, 1 / 2, 3 / 5])
    np.testing.assert_allclose(recall, [1 / 3, 1 / 3, 2 / 3, 2 / 3, 1])


def test_interpolation_takes_the_best_precision_further_on():
    y, scores = [0, 1, 1, 1], [4.0, 3.0, 2.0, 1.0]
    assert voc_average_precision(y, scores, "interpolated_area") == pytest.approx(3 / 4)
    assert voc_average_precision(y, scores) == pytest.approx(3 / 4)
    assert voc_average_precision(y, scores, "area") == pytest.approx((1 / 2 + 2 / 3 + 3 / 4) / 3)


@pytest.mark.parametrize("seed", range(20))
def test_area_is_scikit_learns_and_eleven_points_the_definition(seed):
    y, scores = tied_ranking(seed)
    assert voc_average_precision(y, scores, "area") == pytest.approx(average_precision_score(y, scores), abs=1e-13)
    assert voc_average_precision(y, scores) == pytest.approx(eleven_points(y, scores), abs=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_order_of_rows_and_scale_of_scores_do_not_matter(kind):
    y, scores = tied_ranking(1)
    expected = voc_average_precision(y, scores, kind)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(y))
        assert voc_average_precision(y[order], scores[order], kind) == expected
    assert voc_average_precision(y == 1, np.exp(scores), kind) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_all_scores_equal_give_the_share_of_positives(kind):
    assert voc_average_precision([1, 1, 0, 0, 0], np.zeros(5), kind) == pytest.approx(2 / 5)
    assert voc_average_precision([1, 1, -1], np.zeros(3), kind, negatives_per_positive=9) == pytest.approx(1 / 10)


def test_a_recall_is_reached_exactly():
    # 3 of 10 positives at precision 1: in floating point 3/10 < 0.1 * 3.
    y = [1] * 3 + [0] * 1000 + [1] * 7
    expected = (4 * 1.0 + 7 * 10 / 1010) / 11
    assert voc_average_precision(y, -np.arange(1010.0)) == pytest.approx(expected)


@pytest.mark.parametrize("kind", KINDS)
def test_a_ratio_is_the_same_as_that_many_copies_of_each_negative(kind):
    y, scores = tied_ranking(3)  # two negatives a positive
    copies = np.concatenate([np.flatnonzero(y == 1), np.tile(np.flatnonzero(y == -1), 4)])
    expected = voc_average_precision(y[copies], scores[copies], kind)
    assert voc_average_precision(y, scores, kind, negatives_per_positive=8) == pytest.approx(expected, abs=1e-13)
    assert voc_average_precision(y, scores, kind, 2) == pytest.approx(voc_average_precision(y, scores, kind))


def test_a_ratio_foretells_a_sample_of_that_ratio():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [2000, 40000])
    scores = rng.normal(1.5 * y)
    sample = np.concatenate([np.arange(2000), 2000 + rng.choice(40000, 8000, replace=False)])
    foretold = voc_average_precision(y, scores, "area", negatives_per_positive=4)
    assert foretold == pytest.approx(average_precision_score(y[sample], scores[sample]), abs=0.01)
    assert foretold > average_precision_score(y, scores) + 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_the_curve_falls_with_the_ratio_and_holds_single_values(kind):
    y, scores = tied_ranking(5)
    ratios = [0.01, 1, 4, 20, 1e6]
    curve = average_precision_curve(y, scores, ratios, kind)
    assert (np.diff(curve) < 0).all()
    assert curve[0] > 0.9
    assert curve.tolist() == [voc_average_precision(y, scores, kind, r) for r in ratios]


def test_limits_and_refusals():
    assert voc_average_precision([1, 1], [0.0, 1.0]) == 1.0
    assert voc_average_precision([1, 0], [np.inf, -np.inf]) == 1.0
    for wrong, says in (
        (lambda: voc_average_precision([0, 0], [1.0, 2.0]), "no positive"),
        (lambda: voc_average_precision([], []), "no positive"),
        (lambda: voc_average_precision([1, 0], [1.0, np.nan]), "score 1 is NaN"),
        (lambda: voc_average_precision([1, 2], [1.0, 2.0]), r"labels are \[1, 2\]"),
        (lambda: voc_average_precision([1, 0, -1], [1.0, 2.0, 3.0]), "labels are"),
        (lambda: voc_average_precision([1, 0], [1.0]), "one label and score per row"),
        (lambda: voc_average_precision([1, 0], [1.0, 2.0], "12point"), "kind is '12point'"),
        (lambda: voc_average_precision([1, 1], [1.0, 2.0], negatives_per_positive=4), "no negative"),
        (lambda: voc_average_precision([1, 0], [1.0, 2.0], negatives_per_positive=0), "positive number"),
    ):
        with pytest.raises(InputError, match=says):
            wrong()
