"""Self-paced sample weights: what weight a loss gets, and how many samples are let in.

A scheme is a self-paced function ``g(v; lambda)``; the weight of a sample of loss l is the v in [0, 1] that minimises
``v l + g(v; lambda)``. It falls with the loss and rises with the threshold lambda, and is 0 from ``l = lambda`` on.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

# Losses closer than this, relatively, count as tied: float32 scores tell no more.
TIED = 1e-5
# Logarithmic weighting is defined for a threshold below 1 only, so losses are measured in units that put it here.
LOG_THRESHOLD = 0.5


@dataclass(frozen=True)
class Scheme:
    """A self-paced function.

    Attributes
    ----------
    weight : callable
        ``weight(losses, threshold, zeta_ratio)``: the optimal v of each loss.
    penalty : callable
        ``penalty(v, threshold, zeta_ratio)``: g(v; lambda), for each v.
    """

    weight: Callable[[np.ndarray, np.ndarray, float], np.ndarray]
    penalty: Callable[[np.ndarray, np.ndarray, float], np.ndarray]


def _mixture_weight(losses: np.ndarray, threshold: np.ndarray, zeta_ratio: float) -> np.ndarray:
    zeta = zeta_ratio * threshold
    soft = zeta / np.where(losses > 0, losses, 1.0) - zeta_ratio  # (8); only used between the two breakpoints
    sure = losses <= zeta * threshold / (zeta + threshold)
    return np.where(losses >= threshold, 0.0, np.where(sure, 1.0, soft))


def _mixture_penalty(v: np.ndarray, threshold: np.ndarray, zeta_ratio: float) -> np.ndarray:
    return -zeta_ratio * threshold * np.log(v + zeta_ratio)  # (7): zeta / lambda is the ratio


def _hard_weight(losses: np.ndarray, threshold: np.ndarray, _: float) -> np.ndarray:
    return (losses < threshold).astype(float)


def _hard_penalty(v: np.ndarray, threshold: np.ndarray, _: float) -> np.ndarray:
    return -threshold * v


def _linear_weight(losses: np.ndarray, threshold: np.ndarray, _: float) -> np.ndarray:
    return np.maximum(0.0, 1 - losses / threshold)


def _linear_penalty(v: np.ndarray, threshold: np.ndarray, _: float) -> np.ndarray:
    return threshold * (v**2 / 2 - v)


def _log_weight(losses: np.ndarray, threshold: np.ndarray, _: float) -> np.ndarray:
    zeta = 1 - LOG_THRESHOLD
    scaled = np.minimum(losses / threshold, 1.0) * LOG_THRESHOLD
    return np.maximum(0.0, np.log(scaled + zeta) / np.log(zeta))


def _log_penalty(v: np.ndarray, threshold: np.ndarray, _: float) -> np.ndarray:
    zeta = 1 - LOG_THRESHOLD
    return threshold / LOG_THRESHOLD * (zeta * v - zeta**v / np.log(zeta))


SCHEMES: dict[str, Scheme] = {
    "mixture": Scheme(_mixture_weight, _mixture_penalty),
    "hard": Scheme(_hard_weight, _hard_penalty),
    "linear": Scheme(_linear_weight, _linear_penalty),
    "log": Scheme(_log_weight, _log_penalty),
}


def rounded(x: float) -> int:
    """Nearest whole number, halves up."""
    return int(np.floor(x + 0.5))


class SelfPace:
    """Sample weights v that let in more samples round by round.

    Parameters
    ----------
    labels : ndarray of int, shape (n_samples,)
    start, factor, end : float
        Proportion of the samples in the first round, what it is multiplied by a round, and where it ends.
    weighting : str
        One of SCHEMES.
    zeta_ratio : float
        See :func:`sample_weights`.
    per_class : bool
        Whether each class has a threshold of its own.
    random_state : RandomState
        Draws the first round's samples.

    Attributes
    ----------
    weights : ndarray of shape (n_samples,)
        v.
    proportion : float
        The proportion for which they were chosen.
    complete : bool
        Whether that is the last one.
    """

    def __init__(
        self,
        labels: np.ndarray,
        *,
        start: float,
        factor: float,
        end: float,
        weighting: str,
        zeta_ratio: float,
        per_class: bool,
        random_state: np.random.RandomState,
    ) -> None:
        self._factor, self._end, self._weighting, self._zeta_ratio = factor, end, weighting, zeta_ratio
        self._groups = labels if per_class else None
        self.proportion = self._next = min(start, end)
        self.weights = initial_weights(labels, self.proportion, random_state)
        self.complete = False

    def update(self, losses: np.ndarray) -> None:
        """Choose the weights anew from the samples' losses (8), then raise the proportion."""
        self.proportion = self._next
        self.weights = sample_weights(losses, self.proportion, self._weighting, self._zeta_ratio, self._groups)[0]
        self.complete = self.proportion >= self._end
        self._next = min(self.proportion * self._factor, self._end)


class FixedPace:
    """Sample weights that stay 1, so that the other side of the same loop is learning without a pace."""

    proportion = 1.0
    complete = True

    def __init__(self, labels: np.ndarray) -> None:
        self.weights = np.ones(len(labels))

    def update(self, losses: np.ndarray) -> None:
        """Nothing changes."""


def proportion_threshold(losses: np.ndarray, proportion: float) -> float:
    """The threshold lambda that selects a proportion of the samples.

    Halfway between the loss at the wanted rank, ``round(proportion * n)``, and the next; where there is no next one,
    the largest loss.

    Parameters
    ----------
    losses : ndarray of shape (n_samples,)
    proportion : float
        In (0, 1].
    """
    rank = max(rounded(proportion * len(losses)), 1)
    at = [rank - 1, min(rank, len(losses) - 1)]
    return float(np.partition(losses, at)[at].mean())


def sample_weights(
    losses: np.ndarray,
    proportion: float,
    weighting: str = "mixture",
    zeta_ratio: float = 2.0,
    groups: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Weights v of samples of these losses, when a proportion of them is to be selected.

    The threshold gets weight 0, so many samples of one loss there would all be left out, for good: a class without a
    weak classifier has such losses. So where ties at the threshold leave out more than one of the samples wanted, they
    get weight 1.

    Parameters
    ----------
    losses : ndarray of shape (n_samples,)
        Nonnegative.
    proportion : float
        In (0, 1].
    weighting : {"mixture", "hard", "linear", "log"}
    zeta_ratio : float
        zeta / lambda of mixture weighting: weights are 1 up to ``lambda zeta_ratio / (1 + zeta_ratio)``.
    groups : ndarray of int, shape (n_samples,), optional
        Each group gets a threshold of its own. Groups of fewer than three samples are kept in full: nothing can be
        said of one or two losses.

    Returns
    -------
    weights : ndarray of shape (n_samples,)
    thresholds : ndarray of shape (n_samples,)
        The lambda that each sample's loss was compared with.
    """
    weights, thresholds = np.ones(len(losses)), np.full(len(losses), np.inf)
    for rows in _groups(groups, len(losses)):
        if groups is not None and len(rows) < 3:
            continue
        threshold = proportion_threshold(losses[rows], proportion)
        thresholds[rows] = threshold
        weights[rows] = _weights_at(losses[rows], threshold, rounded(proportion * len(rows)), weighting, zeta_ratio)
    return weights, thresholds


def _weights_at(losses: np.ndarray, threshold: float, wanted: int, weighting: str, zeta_ratio: float) -> np.ndarray:
    """The scheme's weights, but 1 at the threshold where ties there would leave out more than one of those wanted."""
    if threshold <= 0:
        return (losses <= threshold).astype(float)
    weights = SCHEMES[weighting].weight(losses, np.float64(threshold), zeta_ratio)
    below = losses < threshold * (1 - TIED)
    if below.sum() < max(wanted - 1, 1):
        weights[~below & (losses <= threshold * (1 + TIED))] = 1
    return weights


def initial_weights(labels: np.ndarray, proportion: float, random_state: np.random.RandomState) -> np.ndarray:
    """Weight 1 for a random proportion of each class, at least one sample of it, and 0 for the others."""
    weights = np.zeros(len(labels))
    for rows in _groups(labels, len(labels)):
        chosen = random_state.permutation(rows)[: max(rounded(proportion * len(rows)), 1)]
        weights[chosen] = 1
    return weights


def _groups(groups: np.ndarray | None, n: int) -> Iterator[np.ndarray]:
    if groups is None:
        yield np.arange(n)
        return
    order = np.argsort(groups, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
