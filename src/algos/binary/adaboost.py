"""Discrete AdaBoost over decision stumps."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from algos._kernels.stump import exact_sum
from algos.binary._stumps import BoostedStumps, ProbabilityMixin, Stump, TrainingSet
from algos.binary.losses import ExponentialLoss

# A stump that is right on (almost) all the weight would get an infinite coefficient: its edge is taken as this, which
# gives alpha = 11.9, and boosting ends there.
MAX_EDGE = 1 - 1e-10


class AdaBoost(ProbabilityMixin, BoostedStumps):
    """AdaBoost with decision stumps, for two classes.

    Each round adds ``alpha h(x)``, h a stump with outputs -1 and +1 of the largest weighted edge under the weights
    ``w = exp(-y H(x))``, and ``alpha = 1/2 log((1 + edge)/(1 - edge))``, which minimises the exponential loss.

    Parameters
    ----------
    n_estimators : int, default=100
        Boosting rounds T. Fewer are run when no stump has an edge, or one has no error.
    learning_rate : float, default=1.0
        Multiplies the coefficients alpha.
    balanced : bool, default=False
        Multiply the sample weights so that both classes have the same sum of them, outliers not counted.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels; the second one is the positive one.
    n_estimators_ : int
        Rounds of the model.
    stumps_ : structured ndarray of shape (n_estimators_,)
        Fields ``feature`` (-1: a constant), ``threshold``, ``minus`` and ``plus``, what a round adds to the score below
        the threshold and from it on, and ``decay``, which multiplies the score before (1 but for RobustBoost).
    n_classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Every cut of every feature is examined, and the constant classifier. Weights are summed in fixed point, so equal
    edges are exactly equal and are settled by rule: the constant classifier, then the first feature, then the lowest
    threshold. The model does not depend on the order of samples. ``feature_importances_`` is the sum of the
    coefficients of each feature's stumps, normalised.

    References
    ----------
    .. [1] Y. Freund and R. Schapire. A decision-theoretic generalization of on-line learning and an application to
       boosting. JCSS 55(1), 1997.
    .. [2] M. Kobetski and J. Sullivan. Improved boosting performance by exclusion of ambiguous positive examples.
       ICPRAM 2013, section 3.1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from algos.binary import AdaBoost
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoost(n_estimators=50).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.95
    """

    _loss = ExponentialLoss()
    _parameter_constraints: ClassVar[dict] = {
        **BoostedStumps._parameter_constraints,
        "learning_rate": BoostedStumps._learning_rate,
    }

    def __init__(self, n_estimators: int = 100, learning_rate: float = 1.0, balanced: bool = False) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.balanced = balanced

    def _rounds(self, data: TrainingSet) -> Iterator[Stump]:
        edge = 0.0
        while edge <= MAX_EDGE:
            (weights,) = data.weigh(self._loss.weight(data.margins))
            total = exact_sum(weights)
            if total == 0:
                return  # every margin is beyond what exp can tell from 0
            cut = data.search.classify(weights * data.signs)
            outputs = np.where(data.plus_side(cut), 1.0, -1.0)
            signed_edge = exact_sum(weights * data.signs * outputs) / total
            edge = abs(signed_edge)
            if cut.score == 0 or edge == 0:
                return  # no stump has an edge: the weak-learning condition fails
            capped = min(edge, MAX_EDGE)
            alpha = self.learning_rate * 0.5 * np.log((1 + capped) / (1 - capped))
            alpha = float(np.copysign(alpha, signed_edge))
            yield Stump(cut.feature, cut.threshold, -alpha, alpha)
