"""RobustBoost's step: how far a rule moves the margins, and time."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from algos._kernels.stump import exact_sum
from algos.binary.losses import RobustLoss

NEWTON_STEPS = 30
TOLERANCE = 1e-9  # of both residuals, as a fraction of the sample weights
FARTHEST = 1e3  # no rule moves margins farther
CLOSEST = 1e-12  # of two times that are told apart


@dataclass
class RobustStep:
    """The two constraints on a step (ds, dt) of one rule (Freund 2009).

    With ``m' = m exp(-dt) + ds u`` and ``t' = t + dt``: (1) the new weights are uncorrelated with the rule,
    ``sum u w(m', t') = 0``, and (2) the average potential is conserved, ``sum Phi(m', t') - Phi(m, t) = 0``.

    Attributes
    ----------
    loss : RobustLoss
        At t.
    margins, agreement, sample_weight : ndarray of shape (n_samples,)
        m; ``u_i = y_i h(x_i)`` in {-1, 0, +1}; positive weights that multiply a sample's terms of the sums.
    """

    loss: RobustLoss
    margins: np.ndarray
    agreement: np.ndarray
    sample_weight: np.ndarray

    def __post_init__(self) -> None:
        self._share = self.sample_weight / exact_sum(self.sample_weight)
        self._before = self._mean(self.loss.value(self.margins))

    def _mean(self, values: np.ndarray) -> float:
        """Weighted mean that does not depend on the order of samples."""
        return exact_sum(self._share * values)

    def _moved(self, ds: float, dt: float) -> tuple[RobustLoss, np.ndarray]:
        return self.loss.replace(time=min(1.0, self.loss.time + dt)), self.margins * np.exp(-dt) + ds * self.agreement

    def correlation(self, ds: float, dt: float) -> float:
        """(1), as a fraction of the sample weights."""
        loss, margins = self._moved(ds, dt)
        return self._mean(self.agreement * loss.weight(margins))

    def potential_change(self, ds: float, dt: float) -> float:
        """(2), as a fraction of the sample weights."""
        loss, margins = self._moved(ds, dt)
        return self._mean(loss.value(margins)) - self._before

    def solve(self) -> tuple[float, float]:
        """Return (ds, dt); t + dt = 1 if the potential can still fall there."""
        left = 1 - self.loss.time
        if self.correlation(0, 0) == 0:
            return 0.0, 0.0
        last = self._best_move(left)
        if self.potential_change(last, left) <= 0:
            return last, left
        return self._newton(left) or self._nested(left)

    def _newton(self, left: float) -> tuple[float, float] | None:
        """Both constraints at once, from half of AdaBoost's coefficient; None unless it ends well."""
        edge = self.correlation(0, 0) / self._mean(self.loss.weight(self.margins))
        ds = float(np.clip(edge, -0.5, 0.5))
        dt = min(ds * ds, left / 2)
        for _ in range(NEWTON_STEPS):
            residuals = np.array([self.correlation(ds, dt), self.potential_change(ds, dt)])
            if np.abs(residuals).max() < TOLERANCE:
                is_minimum = self._jacobian(ds, dt)[0, 0] < 0
                return (ds, dt) if is_minimum and dt > 0 and ds * edge > 0 else None
            try:
                step = np.linalg.solve(self._jacobian(ds, dt), residuals)
            except np.linalg.LinAlgError:
                return None
            ds, dt = ds - step[0], dt - step[1]
            if not (abs(ds) < FARTHEST and 0 <= dt <= left):
                return None
        return None

    def _jacobian(self, ds: float, dt: float) -> np.ndarray:
        """Derivatives of (correlation, potential_change) with respect to ds and dt."""
        loss, margins = self._moved(ds, dt)
        a, sigma = loss.standardised(margins), loss.sigma
        w = loss.weight(margins)
        by_ds = self.agreement / sigma
        by_dt = -(self.margins * np.exp(-dt) - loss.mu + 2 * loss.rho) / sigma + a * (sigma**2 + 1) / sigma**2
        u_w_a, slope = self.agreement * w * a, loss.weight_scale * sigma
        return np.array(
            [
                [-2 * self._mean(u_w_a * by_ds), -2 * self._mean(u_w_a * by_dt)],
                [-slope * self._mean(w * by_ds), -slope * self._mean(w * by_dt)],
            ]
        )

    def _best_move(self, dt: float) -> float:
        """The nearest ds that solves (1) for this dt, in the direction in which the potential falls."""
        direction = np.sign(self.correlation(0, dt))
        if direction == 0:
            return 0.0
        near, far = 0.0, 0.05 * direction
        while self.correlation(far, dt) * direction > 0:
            near, far = far, 1.5 * far
            if abs(far) > FARTHEST:
                return far  # every sample it could move is won; any farther is as good
        return brentq(self.correlation, near, far, args=(dt,), xtol=1e-13, rtol=1e-14)

    def _nested(self, left: float) -> tuple[float, float]:
        """The largest dt, to rounding, by bisection, at which the potential with the best ds has not risen.

        At dt = 0 it falls, at `left` it has risen. Where the best ds jumps, no dt may conserve it; then it falls.
        """
        kept, ds, risen = 0.0, 0.0, left
        while risen - kept > CLOSEST:
            dt = (kept + risen) / 2
            move = self._best_move(dt)
            if self.potential_change(move, dt) > 0:
                risen = dt
            else:
                kept, ds = dt, move
        return ds, kept
