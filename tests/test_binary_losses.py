"""The losses of margins: derivatives by differences, the papers' formulas, links, ends."""

import numpy as np
import pytest
from oracles.stumps import RobustPotential

from algos.binary.losses import BoundedLogisticLoss, ExponentialLoss, LogitLoss, RobustLoss, TangentLoss

V = np.linspace(-4, 4, 801)
ROBUST = [
    RobustLoss.for_error_goal(goal, theta, 0.1, erf).replace(time=t)
    for goal, theta in ((0.1, 0.0), (0.02, 0.3))
    for t in (0.0, 0.1, 0.9, 1.0)
    for erf in ("unit", "standard")
]
EXCLUSION = [BoundedLogisticLoss(1.0), BoundedLogisticLoss(10.0), BoundedLogisticLoss(10.0, peak=1.0)]
LOSSES = [ExponentialLoss(), LogitLoss(), TangentLoss(), *EXCLUSION, *ROBUST]


def slope(function, v, step=1e-6):
    return (function(v + step) - function(v - step)) / (2 * step)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_derivative_is_that_of_the_value(loss):
    v = V
    if getattr(loss, "erf", "") == "standard":
        v = V[np.abs(V - loss.mu) > 1e-3]  # the potential has a kink at mu
    expected = slope(loss.value, v)
    np.testing.assert_allclose(loss.derivative(v), expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_weight_is_the_derivative_turned_and_scaled(loss):
    np.testing.assert_allclose(loss.weight(V), -loss.derivative(V) / loss.weight_scale, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("loss", [ExponentialLoss(), LogitLoss()], ids=repr)
def test_curvature_is_the_second_derivative(loss):
    np.testing.assert_allclose(loss.curvature(V), slope(loss.derivative, V), rtol=1e-6)


def test_tangent_curvature_is_gauss_newtons():
    residual_slope = slope(lambda v: 2 * np.arctan(v) - 1, V)
    np.testing.assert_allclose(TangentLoss().curvature(V), 2 * residual_slope**2, rtol=1e-6)


def test_weights_are_the_papers():
    np.testing.assert_allclose(ExponentialLoss().weight(V), np.exp(-V))  # (5)
    np.testing.assert_allclose(LogitLoss().weight(V), 2 / (1 + np.exp(2 * V)))  # (7), with its factors
    np.testing.assert_allclose(TangentLoss().weight(V), -4 * (2 * np.arctan(V) - 1) / (1 + V**2))  # (15)
    s = lambda x: 1 / (1 + np.exp(-x))  # noqa: E731
    np.testing.assert_allclose(BoundedLogisticLoss(5.0).weight(V), 5 * s(-5 * V) * s(5 * V))  # (17)
    assert BoundedLogisticLoss(8.0).weight(np.zeros(1)) == 2.0
    assert BoundedLogisticLoss(8.0, peak=0.5).weight(np.zeros(1)) == 0.5


def test_tangent_weight_turns_negative_where_its_probability_passes_one():
    loss, edge = TangentLoss(), np.tan(0.5)
    assert loss.weight(np.array([edge - 1e-6]))[0] > 0 > loss.weight(np.array([edge + 1e-6]))[0]
    assert loss.probability(np.array([-9, -edge, 0, edge, 9])).tolist() == pytest.approx([0, 0, 0.5, 1, 1])
    np.testing.assert_allclose(loss.value(np.array([1e12, -1e12])), [(np.pi - 1) ** 2, (np.pi + 1) ** 2])


@pytest.mark.parametrize("erf", ["unit", "standard"])
@pytest.mark.parametrize(("goal", "theta", "sigma_f"), [(0.1, 0.0, 0.1), (0.01, 0.2, 0.1), (0.3, 0.5, 0.5)])
def test_robust_loss_is_the_printed_one(erf, goal, theta, sigma_f):
    loss = RobustLoss.for_error_goal(goal, theta, sigma_f, erf)
    printed = RobustPotential(goal, theta, sigma_f, erf == "unit")
    assert loss.rho == pytest.approx(printed.rho, rel=1e-9)
    assert loss.value(np.zeros(1))[0] == pytest.approx(goal, rel=1e-12)  # Phi(0, 0) = eps fixes rho
    for t in (0.0, 0.3, 0.8, 1.0):
        now = loss.replace(time=t)
        assert (now.mu, now.sigma) == pytest.approx((printed.mu(t), printed.sigma(t)))
        np.testing.assert_allclose(now.value(V), printed.phi(V, t), atol=1e-9)
        np.testing.assert_allclose(now.weight(V), printed.w(V, t), rtol=1e-6, atol=1e-9)
    assert (loss.replace(time=1.0).mu, loss.replace(time=1.0).sigma) == pytest.approx((theta, sigma_f))


def test_rho_of_the_public_implementations_test():
    """0.8604 for the goal 0.1, theta 0 and sigma_f 0.1 with the standard error function."""
    assert RobustLoss.for_error_goal(0.1, 0.0, 0.1, "standard").rho == pytest.approx(0.8604, abs=5e-5)


@pytest.mark.parametrize("loss", [ExponentialLoss(), LogitLoss()], ids=repr)
def test_links_make_the_score_the_minimiser_of_the_expected_loss(loss):
    for H in (-1.5, 0.2, 2.0):
        p = loss.probability(np.array([H]))[0]
        expected = lambda h, p=p: p * loss.value(h) + (1 - p) * loss.value(-h)  # noqa: E731
        assert expected(np.array([H])) < min(expected(np.array([H + 1e-3])), expected(np.array([H - 1e-3])))


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_far_margins_overflow_nowhere(loss):
    far = np.array([-1e4, -800.0, 800.0, 1e4])
    assert np.isfinite(loss.value(far)).all()
    assert np.isfinite(loss.weight(far)).all()
