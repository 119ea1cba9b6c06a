"""Boosting by Newton or Gauss-Newton steps on weighted least-squares stumps; the loss makes the difference."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from algos._kernels.stump import exact_sum
from algos.binary._stumps import BoostedStumps, ProbabilityMixin, Stump, TrainingSet


class NewtonBooster(ProbabilityMixin, BoostedStumps):
    """Each round adds the stump that fits the working response ``z = -y L'(v)/L''(v)`` best by weights ``L''(v)``.

    A side of the stump is worth ``S/W``, the sums of its ``w z`` and ``w``. A subclass sets ``_loss`` and
    ``learning_rate``, and may bend the response.
    """

    _parameter_constraints: ClassVar[dict] = {
        **BoostedStumps._parameter_constraints,
        "learning_rate": BoostedStumps._learning_rate,
    }

    def _gradients(self, v: np.ndarray, curvature: np.ndarray) -> np.ndarray:
        """``w y z``, weight times working response towards a sample's own label, at the margins `v`."""
        return -self._loss.derivative(v)

    def _curvature(self, v: np.ndarray) -> np.ndarray:
        """The weights w of the least-squares fit at the margins `v`."""
        return self._loss.curvature(v)

    def _rounds(self, data: TrainingSet) -> Iterator[Stump]:
        at_margin_0 = float(self._curvature(np.zeros(1))[0])
        while True:
            curvature = self._curvature(data.margins)
            # An outlier has the working response y, so its gradient is its weight.
            gradients = self._gradients(data.margins, curvature)
            gradients, weights = data.weigh(gradients, curvature, at_margin_0=at_margin_0)
            gradients = gradients * data.signs
            cut = data.search.regress(gradients, weights)
            if cut.score == 0:
                return  # no stump lowers the loss
            plus = data.plus_side(cut)
            sides = (_mean_response(gradients[side], weights[side]) for side in (~plus, plus))
            minus_value, plus_value = (self.learning_rate * value for value in sides)
            yield Stump(cut.feature, cut.threshold, minus_value, plus_value)


def _mean_response(gradients: np.ndarray, weights: np.ndarray) -> float:
    total = exact_sum(weights)
    return exact_sum(gradients) / total if total > 0 else 0.0
