"""Kernels of logistics against NumPy, and the same bits from every instruction set."""

import numpy as np
import pytest

from algos._kernels.logistic import instruction_sets, margin_loss, unit_step


def made_up(n, n_classes, scale, seed=0):
    rng = np.random.default_rng(seed)
    scores = (scale * rng.normal(size=(n, n_classes))).astype(np.float32)
    return scores, rng.integers(0, n_classes, n).astype(np.int32), rng.random(n).astype(np.float32)


@pytest.mark.parametrize("instruction_set", instruction_sets())
@pytest.mark.parametrize(
    ("n", "n_classes", "scale"), [(40, 2, 1), (30, 10, 5), (20, 16, 0), (9, 257, 30), (3, 2000, 1)]
)
def test_margin_loss_is_the_formula(instruction_set, n, n_classes, scale):
    scores, y, v = made_up(n, n_classes, scale)
    own = np.arange(n)
    t = scores.astype(float) - scores[own, y].astype(float)[:, None]
    s = np.exp(t - np.logaddexp(0, t))
    derivatives = v[:, None] * s
    derivatives[own, y] = -v * (s.sum(axis=1) - 0.5)
    found = scores.copy()
    losses = margin_loss(found, y, v, instruction_set)
    np.testing.assert_allclose(losses, np.logaddexp(0, t).sum(axis=1), rtol=2e-6)
    np.testing.assert_allclose(found, derivatives, rtol=3e-6, atol=1e-7)


@pytest.mark.parametrize("instruction_set", instruction_sets())
def test_margin_loss_holds_at_extreme_scores(instruction_set):
    scores = np.array([[1e4, -1e4, 0], [-1e4, 1e4, 0], [0, 0, 0]], dtype=np.float32)
    losses = margin_loss(scores, np.zeros(3, np.int32), np.ones(3, np.float32), instruction_set)
    np.testing.assert_allclose(losses, [np.log(2), np.log(2) + 3e4, 3 * np.log(2)], rtol=1e-6)
    np.testing.assert_allclose(scores, [[0, 0, 0], [-2, 1, 1], [-1, 0.5, 0.5]], atol=1e-7)


@pytest.mark.parametrize("instruction_set", instruction_sets())
def test_small_losses_keep_their_digits(instruction_set):
    """Beside the constant log 2 of a sample's own class, losses far below float32's step at 1 are seen."""
    scores = np.full((1, 40), -12.0, dtype=np.float32)
    scores[0, 3] = 6
    loss = margin_loss(scores, np.array([3], np.int32), np.ones(1, np.float32), instruction_set)[0]
    assert loss - np.log(2) == pytest.approx(39 * np.log1p(np.exp(-18.0)), rel=2e-2)


@pytest.mark.parametrize("instruction_set", instruction_sets())
@pytest.mark.parametrize(("n", "n_classes"), [(1, 2), (150, 7), (64, 33)])
def test_unit_step_is_the_formula(instruction_set, n, n_classes):
    logits, _, _ = made_up(n, n_classes, 4)
    direction, coefficients = made_up(n, n_classes, 2, 1)[0], made_up(n, n_classes, 3, 2)[0]
    step = np.linspace(0, 2, n_classes)
    moved, slope = np.empty_like(logits), np.empty_like(logits)
    values = unit_step(logits, direction, step, coefficients, moved, slope, instruction_set)
    z = logits + step * direction.astype(float)
    s = 1 / (1 + np.exp(-z))
    np.testing.assert_allclose(moved, z, rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(slope, coefficients * s * (1 - s), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(values, (coefficients * s).sum(axis=0), rtol=1e-5, atol=1e-4)


def test_instruction_sets_give_the_same_bits():
    scores, y, v = made_up(100, 37, 3)
    seen = set()
    for instruction_set in instruction_sets():
        own, moved, slope = scores.copy(), np.empty_like(scores), np.empty_like(scores)
        losses = margin_loss(own, y, v, instruction_set)
        values = unit_step(scores, own, np.full(37, 0.3), scores, moved, slope, instruction_set)
        seen.add(b"".join(a.tobytes() for a in (losses, own, moved, slope, values)))
    assert len(seen) == 1


def test_bad_arguments_are_named():
    scores, y, v = made_up(5, 3, 1)
    with pytest.raises(ValueError, match="scores must be"):
        margin_loss(scores.astype(float), y, v)
    with pytest.raises(ValueError, match="labels must be"):
        margin_loss(scores, y + 3, v)
    with pytest.raises(ValueError, match="weights must be"):
        margin_loss(scores, y, v[:4])
    with pytest.raises(ValueError, match="instruction set"):
        margin_loss(scores, y, v, "abacus")
    with pytest.raises(ValueError, match="moved has shape"):
        unit_step(scores, scores, np.ones(3), scores, scores[:4].copy(), scores.copy())
    with pytest.raises(ValueError, match="step must have"):
        unit_step(scores, scores, np.ones(2), scores, scores.copy(), scores.copy())
