"""Self-paced weight schemes, the pace, label noise, and the examples of all that uses them."""

import doctest
import importlib
import re
from pathlib import Path

import numpy as np
import pytest
from oracles.self_paced import mixture_weight

from algos.exceptions import InputError
from algos.features import add_label_noise
from algos.selfpaced.weights import SCHEMES, SelfPace, initial_weights, proportion_threshold, sample_weights

every_scheme = pytest.mark.parametrize("weighting", SCHEMES)


@pytest.mark.parametrize("ratio", [0.5, 2.0])
def test_mixture_is_the_papers_formula_at_its_breakpoints_and_between(ratio):
    lam, zeta = 3.0, ratio * 3.0
    low = zeta * lam / (zeta + lam)
    losses = np.array([0.0, low / 2, low, np.nextafter(low, 9), (low + lam) / 2, np.nextafter(lam, 0), lam, 2 * lam])
    found = SCHEMES["mixture"].weight(losses, lam, ratio)
    np.testing.assert_allclose(found, [mixture_weight(loss, lam, zeta) for loss in losses], atol=1e-12)
    assert found[:3].tolist() == [1, 1, 1]
    assert found[-2:].tolist() == [0, 0]
    np.testing.assert_allclose(found[[3, 5]], [1, 0], atol=1e-12)  # continuous at both ends


@every_scheme
def test_weights_minimise_loss_plus_penalty(weighting):
    """v(l) = argmin over [0, 1] of v l + g(v; lambda), against a fine grid."""
    scheme, grid = SCHEMES[weighting], np.linspace(0, 1, 100001)
    for loss in (0.0, 0.3, 1.1, 1.4, 1.9, 2.1, 5.0):
        v = scheme.weight(np.array([loss]), 2.0, 2.0)
        assert 0 <= v[0] <= 1
        values = grid * loss + scheme.penalty(grid, 2.0, 2.0)
        assert v[0] * loss + scheme.penalty(v, 2.0, 2.0)[0] == pytest.approx(values.min(), abs=1e-8)


@every_scheme
def test_weights_fall_with_the_loss_and_do_not_depend_on_its_unit(weighting):
    losses = np.sort(np.random.default_rng(0).gamma(2, size=200))
    v, _ = sample_weights(losses, 0.7, weighting)
    assert (np.diff(v) <= 0).all()
    assert np.count_nonzero(v) == 140
    np.testing.assert_allclose(sample_weights(losses * 1e3, 0.7, weighting)[0], v, atol=1e-12)


def test_threshold_is_halfway_between_the_wanted_rank_and_the_next():
    losses = np.array([5.0, 1.0, 3.0, 2.0, 4.0])
    assert proportion_threshold(losses, 0.6) == 3.5
    assert proportion_threshold(losses, 0.5) == 3.5  # 2.5 samples are three
    assert proportion_threshold(losses, 1.0) == 5
    assert proportion_threshold(losses, 1e-9) == 1.5


@every_scheme
@pytest.mark.parametrize("losses", [np.zeros(6), np.full(6, 2.0), np.array([1.0, 1, 1, 1, 7, 8])])
def test_ties_at_the_threshold_still_select(weighting, losses):
    v, _ = sample_weights(losses, 0.5, weighting)
    np.testing.assert_array_equal(v, losses <= losses[0])


def test_ties_at_the_top_are_let_in_and_a_single_largest_loss_is_not():
    """A class without a weak classifier has one loss for all its samples: they must not be left out for good."""
    tied = np.array([0.1, 0.2, 0.3, 2.0, 2.0 + 1e-8, 2.0])
    for proportion in (0.8, 1.0):
        assert sample_weights(tied, proportion)[0].tolist() == [1] * 6
    assert sample_weights(tied, 0.5)[0].tolist() == [1, 1, 1, 0, 0, 0]
    assert sample_weights(np.array([0.1, 0.2, 0.3, 2.0]), 1.0)[0].tolist() == [1, 1, 1, 0]


def test_per_class_selects_in_every_class_and_keeps_small_ones_whole():
    rng = np.random.default_rng(1)
    groups = np.repeat([0, 1, 2, 3], [40, 20, 2, 1])
    losses = rng.gamma(2, size=63) + 10 * (groups == 1)  # a class of high losses
    v, thresholds = sample_weights(losses, 0.5, "hard", groups=groups)
    assert [int(v[groups == g].sum()) for g in range(4)] == [20, 10, 2, 1]
    assert len(np.unique(thresholds[groups == 1])) == 1
    assert sample_weights(losses, 0.5, "hard")[0][groups == 1].sum() == 0


def test_pace_starts_at_random_grows_and_ends():
    labels = np.repeat([0, 1], [50, 10])
    options = {"start": 0.6, "factor": 1.2, "end": 0.8, "weighting": "hard", "zeta_ratio": 2, "per_class": False}
    pace = SelfPace(labels, **options, random_state=np.random.RandomState(0))
    assert [int(pace.weights[labels == c].sum()) for c in (0, 1)] == [30, 6]
    losses, seen = np.arange(60.0), []
    for _ in range(4):
        pace.update(losses)
        seen.append((round(pace.proportion, 3), int(pace.weights.sum()), pace.complete))
    assert seen == [(0.6, 36, False), (0.72, 43, False), (0.8, 48, True), (0.8, 48, True)]
    assert initial_weights(np.array([0, 0, 1]), 0.01, np.random.RandomState(0)).sum() == 2  # one of each class


@pytest.mark.parametrize("fraction", [0, 0.05, 0.1, 0.15, 1])
def test_noise_replaces_the_share_of_each_class_by_other_classes(fraction):
    y = np.repeat(["a", "b", "c"], [40, 30, 7])
    noisy, mask = add_label_noise(y, fraction, seed=3)
    assert noisy.dtype == y.dtype
    np.testing.assert_array_equal(mask, noisy != y)
    for c, n in zip("abc", (40, 30, 7), strict=True):
        assert mask[y == c].sum() == int(fraction * n + 0.5)
    again, _ = add_label_noise(y, fraction, seed=3)
    np.testing.assert_array_equal(noisy, again)


def test_noise_is_uniform_over_the_other_classes_and_follows_the_seed():
    y = np.repeat(np.arange(5), 4000)
    noisy, mask = add_label_noise(y, 0.5, seed=0)
    for c in range(5):
        counts = np.bincount(noisy[mask & (y == c)], minlength=5)
        assert counts[c] == 0
        np.testing.assert_allclose(np.delete(counts, c) / 2000, 0.25, atol=0.05)
    assert (add_label_noise(y, 0.5, seed=1)[1] != mask).any()


@pytest.mark.parametrize(
    ("y", "fraction", "message"),
    [([0, 1], -0.1, "between 0 and 1"), ([0, 0], 0.5, "two classes"), ([[0, 1]], 0.5, "one-dimensional")],
)
def test_bad_noise_is_named(y, fraction, message):
    with pytest.raises(InputError, match=message):
        add_label_noise(y, fraction, 0)


@pytest.mark.parametrize("module", ["selfpaced.softmax", "selfpaced.spbl", "selfpaced.svm", "features.noise"])
def test_examples_print_what_they_say(module):
    result = doctest.testmod(importlib.import_module(f"algos.{module}"))
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("page", ["spbl", "self_paced_linear"])
def test_examples_of_the_pages_run(page):
    text = (Path(__file__).parent.parent / "docs" / "methods" / f"{page}.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = {}
    exec(example, names)
    assert names["model"].score(names["X"], names["y"]) > 0.9
