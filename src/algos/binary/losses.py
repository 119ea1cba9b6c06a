"""Losses of a margin ``v = y H(x)``, y in {-1, +1}, and the weights that boosting gives to samples by them.

Each class has ``value(v)``, ``derivative(v)`` and ``weight(v)``, the weight function of Kobetski & Sullivan 2013,
figure 3: the derivative with its sign turned, up to the positive factor ``weight_scale``. Losses that are minimised by
Newton or Gauss-Newton steps also have ``curvature(v)``; those with a link have ``probability(H)`` of the class +1.
All take and return arrays.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy.special import erf, erfc, erfinv, expit

MOST_EXPONENT = 700.0  # exp of more overflows


class Loss(ABC):
    """A loss of the margin."""

    weight_scale: float = 1.0

    @abstractmethod
    def value(self, v: np.ndarray) -> np.ndarray:
        """The loss at the margins `v`."""

    @abstractmethod
    def derivative(self, v: np.ndarray) -> np.ndarray:
        """Its derivative with respect to the margin."""

    def weight(self, v: np.ndarray) -> np.ndarray:
        """What a sample weighs in boosting: ``-derivative(v) / weight_scale``."""
        return -self.derivative(v)


@dataclass(frozen=True)
class ExponentialLoss(Loss):
    """AdaBoost and GentleBoost: ``L = exp(-v)`` (4), ``w = exp(-v)`` (5)."""

    def value(self, v: np.ndarray) -> np.ndarray:
        return np.exp(np.minimum(-v, MOST_EXPONENT))

    def derivative(self, v: np.ndarray) -> np.ndarray:
        return -self.value(v)

    def curvature(self, v: np.ndarray) -> np.ndarray:
        """Second derivative."""
        return self.value(v)

    def probability(self, H: np.ndarray) -> np.ndarray:
        """``1 / (1 + exp(-2 H))``, which makes H the minimiser of the expected loss."""
        return expit(2 * H)


@dataclass(frozen=True)
class LogitLoss(Loss):
    """LogitBoost: ``L = log(1 + exp(-2 v))`` (6), ``w = 2 / (1 + exp(2 v))``.

    The paper prints (7), the weight, without the factors 2.
    """

    def value(self, v: np.ndarray) -> np.ndarray:
        return np.logaddexp(0, -2 * v)

    def derivative(self, v: np.ndarray) -> np.ndarray:
        return -2 * expit(-2 * v)

    def curvature(self, v: np.ndarray) -> np.ndarray:
        """Second derivative, ``4 p (1 - p)``."""
        return 4 * expit(2 * v) * expit(-2 * v)

    def probability(self, H: np.ndarray) -> np.ndarray:
        """``1 / (1 + exp(-2 H))``."""
        return expit(2 * H)


@dataclass(frozen=True)
class TangentLoss(Loss):
    """TangentBoost: ``L = (2 arctan(v) - 1)^2`` (14), ``w = -4 (2 arctan(v) - 1) / (1 + v^2)`` (15).

    The weight is negative beyond ``v = tan(1/2)``: larger margins are too correct.
    """

    def value(self, v: np.ndarray) -> np.ndarray:
        return (2 * np.arctan(v) - 1) ** 2

    def derivative(self, v: np.ndarray) -> np.ndarray:
        return 4 * (2 * np.arctan(v) - 1) / (1 + v * v)

    def curvature(self, v: np.ndarray) -> np.ndarray:
        """Gauss-Newton: twice the square of the derivative of ``2 arctan(v) - 1``."""
        return 8 * (1 / (1 + v * v)) ** 2

    def probability(self, H: np.ndarray) -> np.ndarray:
        """``arctan(H) + 1/2`` (12), which leaves [0, 1] for ``|H| > tan(1/2)``, truncated to it."""
        return np.clip(np.arctan(H) + 0.5, 0, 1)


@dataclass(frozen=True)
class RobustLoss(Loss):
    """RobustBoost's potential at a time t in [0, 1] (8) to (11).

    ``sigma^2(t) = (sigma_f^2 + 1) exp(2 (1 - t)) - 1``, ``mu(t) = (theta - 2 rho) exp(1 - t) + 2 rho``, so that
    ``mu(1) = theta`` and ``sigma(1) = sigma_f``. With ``a = (v - mu)/sigma`` the weight is ``exp(-a^2)``.

    Attributes
    ----------
    time : float
        t.
    rho : float
        See :meth:`for_error_goal`.
    margin_goal : float
        theta.
    sigma_f : float
        Positive.
    erf : {"unit", "standard"}
        ``"unit"``: the error function that runs from 0 to 1, ``L = 1 - (1 + erf(a))/2``; the weight is a bell.
        ``"standard"``: the usual one cut at 1, ``L = min(1, 1 - erf(a))``; the weight is 0 left of mu.
    """

    time: float
    rho: float
    margin_goal: float = 0.0
    sigma_f: float = 0.1
    erf: str = "unit"

    @classmethod
    def for_error_goal(cls, error_goal: float, margin_goal: float, sigma_f: float, erf: str) -> "RobustLoss":
        """The loss at t = 0 with the rho that makes the margin 0 lose `error_goal`."""
        start = cls(0.0, 0.0, margin_goal, sigma_f, erf)
        quantile = erfinv(1 - 2 * error_goal) if erf == "unit" else erfinv(1 - error_goal)
        rho = (start.sigma * quantile + np.e * margin_goal) / (2 * (np.e - 1))
        return start.replace(rho=float(rho))

    def replace(self, time: float | None = None, rho: float | None = None) -> "RobustLoss":
        """The same loss at another time, or with another rho."""
        return RobustLoss(
            self.time if time is None else time,
            self.rho if rho is None else rho,
            self.margin_goal,
            self.sigma_f,
            self.erf,
        )

    @property
    def mu(self) -> float:
        """Margin at which the weight is largest."""
        return float((self.margin_goal - 2 * self.rho) * np.exp(1 - self.time) + 2 * self.rho)

    @property
    def sigma(self) -> float:
        """Width."""
        return float(np.sqrt((self.sigma_f**2 + 1) * np.exp(2 * (1 - self.time)) - 1))

    @property
    def weight_scale(self) -> float:
        """``-derivative / weight``."""
        return (1 if self.erf == "unit" else 2) / (np.sqrt(np.pi) * self.sigma)

    def standardised(self, v: np.ndarray) -> np.ndarray:
        """``a = (v - mu) / sigma``."""
        return (v - self.mu) / self.sigma

    def value(self, v: np.ndarray) -> np.ndarray:
        a = self.standardised(v)
        return erfc(a) / 2 if self.erf == "unit" else 1 - erf(np.maximum(a, 0))

    def weight(self, v: np.ndarray) -> np.ndarray:
        a = self.standardised(v)
        bell = np.exp(-a * a)
        return bell if self.erf == "unit" else np.where(a > 0, bell, 0.0)

    def derivative(self, v: np.ndarray) -> np.ndarray:
        return -self.weight_scale * self.weight(v)


@dataclass(frozen=True)
class BoundedLogisticLoss(Loss):
    """The exclusion loss ``L = 1 / (1 + exp(eta v))`` (16), weight ``w = eta s(-eta v) s(eta v)`` (17), s the sigmoid.

    The paper prints (16) with the other sign in the exponent; this is the one whose weight is (17).

    Attributes
    ----------
    eta : float
        Positive; the larger, the thinner is the weight around the boundary v = 0.
    peak : float or None
        Both are scaled to this weight at v = 0; None is no scaling, a weight of ``eta/4`` there.

    Raises
    ------
    ValueError
        When one is no positive number.
    """

    eta: float
    peak: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("eta", self.eta), ("peak", 1.0 if self.peak is None else self.peak)):
            if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value < np.inf:
                raise ValueError(f"{name} of the exclusion loss is {value!r}; give a positive number")

    @property
    def _height(self) -> float:
        return 1.0 if self.peak is None else 4 * self.peak / self.eta

    def value(self, v: np.ndarray) -> np.ndarray:
        return self._height * expit(-self.eta * v)

    def derivative(self, v: np.ndarray) -> np.ndarray:
        return -self._height * self.eta * expit(self.eta * v) * expit(-self.eta * v)
