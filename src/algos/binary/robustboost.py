"""RobustBoost over decision stumps."""

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from algos.binary._robust_step import RobustStep
from algos.binary._stumps import BoostedStumps, Stump, TrainingSet
from algos.binary.losses import RobustLoss

LAST_STRETCH = 1e-3  # boosting ends when this much time or less is left


class RobustBoost(BoostedStumps):
    """RobustBoost with decision stumps, for two classes: it gives up on samples that stay far from the margin goal.

    Samples weigh ``exp(-((v - mu(t))/sigma(t))^2)`` at the margin v, by a clock t that runs from 0 to 1. Each round
    fits a stump on these weights and finds how far it moves the margins, ds, and the clock, dt: the new weights are
    uncorrelated with the stump and the average potential is conserved. All scores are multiplied by ``exp(-dt)`` first.
    Boosting ends by itself when t reaches 1; the potential there is about the part of the training samples with margins
    below the goal.

    Parameters
    ----------
    n_estimators : int, default=1000
        Most rounds. If they do not suffice, ``time_`` is below 1: the error goal may be out of reach.
    error_goal : float, default=0.1
        The average potential eps, which is kept all the time, between 0 and 1/2.
    margin_goal : float, default=0.0
        The margin theta aimed at, in units of the final scores.
    sigma_f : float, default=0.1
        Width of the potential at t = 1.
    rules : {"branches", "stump"}, default="branches"
        ``"branches"``: the two sides of a stump are two rules, each 0 on the other side; ds and dt are found for one
        after the other, and stumps are chosen by the sum over sides of ``sqrt(W_right W_wrong)``, as in the program
        JBoost. ``"stump"``: ds and dt are found once for a stump with outputs -1 and +1 of the largest edge, as in
        Freund's text.
    erf : {"unit", "standard"}, default="unit"
        The potential's error function. ``"unit"``: from 0 to 1, so the weight is a bell, on both sides of mu.
        ``"standard"``: from -1 to 1, the potential cut at 1, as in JBoost: the weight is 0 left of mu.
    balanced : bool, default=False
        Multiply the sample weights so that both classes have the same sum of them, outliers not counted.

    Attributes
    ----------
    time_ : float
        t after the last round; at least 0.999, mostly 1, when boosting ended by itself.
    times_ : ndarray of shape (n_estimators_,)
        t after each round.
    loss_ : RobustLoss
        The potential at t = 0; ``loss_.replace(time=t)`` is the one at t.
    classes_, n_classes_, n_estimators_, stumps_, n_features_in_, feature_names_in_
        As in :class:`AdaBoost`; ``stumps_["decay"]`` is ``exp(-dt)``.

    Notes
    -----
    Outliers of two-pass exclusion weigh in the choice of a stump; ds and dt are found for the other samples. Cuts are
    searched as in :class:`AdaBoost`, by the edge or that sum.

    References
    ----------
    .. [1] Y. Freund. A more robust boosting algorithm. arXiv:0905.2138, 2009.
    .. [2] M. Kobetski and J. Sullivan. Improved boosting performance by exclusion of ambiguous positive examples.
       ICPRAM 2013, (8) to (11).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from algos.binary import RobustBoost
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RobustBoost(error_goal=0.02).fit(X[::2], y[::2])
    >>> model.time_, round(model.score(X[1::2], y[1::2]), 2)
    (1.0, 0.92)
    """

    _parameter_constraints: ClassVar[dict] = {
        **BoostedStumps._parameter_constraints,
        "error_goal": [Interval(Real, 0, 0.5, closed="neither")],
        "margin_goal": [Interval(Real, 0, None, closed="left")],
        "sigma_f": [Interval(Real, 0, None, closed="neither")],
        "rules": [StrOptions({"branches", "stump"})],
        "erf": [StrOptions({"unit", "standard"})],
    }

    def __init__(
        self,
        n_estimators: int = 1000,
        error_goal: float = 0.1,
        margin_goal: float = 0.0,
        sigma_f: float = 0.1,
        rules: str = "branches",
        erf: str = "unit",
        balanced: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.error_goal = error_goal
        self.margin_goal = margin_goal
        self.sigma_f = sigma_f
        self.rules = rules
        self.erf = erf
        self.balanced = balanced

    def _boost(self, data: TrainingSet, monitor: Any) -> None:
        self.loss_ = RobustLoss.for_error_goal(self.error_goal, self.margin_goal, self.sigma_f, self.erf)
        self._clock: list[float] = []  # t after each round
        super()._boost(data, monitor)
        self.times_ = np.array(self._clock)
        self.time_ = self._clock[-1] if self._clock else 0.0
        del self._clock

    def _rounds(self, data: TrainingSet) -> Iterator[Stump]:
        loss = self.loss_
        at_first = float(loss.weight(np.zeros(1))[0])
        while 1 - loss.time > LAST_STRETCH:
            (weights,) = data.weigh(loss.weight(data.margins), at_margin_0=at_first)
            search = data.search.classify if self.rules == "stump" else data.search.rate
            cut = search(weights * data.signs)
            plus = data.plus_side(cut)
            rules = (
                [np.where(plus, 1.0, -1.0)] if self.rules == "stump" else [(~plus).astype(float), plus.astype(float)]
            )
            moves, loss, decay = self._move(data, loss, rules)
            if decay == 1:
                return  # no stump has an edge, or its edge came from outliers alone
            minus_value, plus_value = (-moves[0], moves[0]) if self.rules == "stump" else moves
            self._clock.append(loss.time)
            yield Stump(cut.feature, cut.threshold, minus_value, plus_value, decay)

    @staticmethod
    def _move(data: TrainingSet, loss: RobustLoss, rules: list[np.ndarray]) -> tuple[list[float], RobustLoss, float]:
        """Find ds and dt for one rule after the other; return what each adds in the end, the new loss and the decay."""
        inliers = ~data.outliers
        margins, moves, decay = data.margins[inliers], [], 1.0
        for rule in rules:
            agreement = (rule * data.signs)[inliers]
            ds, dt = 0.0, 0.0
            if 1 - loss.time > LAST_STRETCH:
                ds, dt = RobustStep(loss, margins, agreement, data.sample_weight[inliers]).solve()
            shrink = float(np.exp(-dt))
            margins = margins * shrink + ds * agreement
            moves = [shrink * move for move in moves] + [ds]
            decay *= shrink
            loss = loss.replace(time=min(1.0, loss.time + dt))
        return moves, loss, decay
