"""TangentBoost over decision stumps."""

from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from algos.binary._newton import NewtonBooster
from algos.binary.losses import TangentLoss

TRUNCATIONS = ("response", "weight", "none")


class TangentBoost(NewtonBooster):
    """TangentBoost with decision stumps, for two classes: Gauss-Newton steps on the tangent loss.

    With ``p = arctan(H) + 1/2`` and y* in {0, 1} each round adds a stump fitted by weighted least squares to
    ``z = (y* - p)(1 + H^2)`` with the weights ``1/(1 + H^2)^2``, times the learning rate.

    Parameters
    ----------
    n_estimators : int, default=100
        Boosting rounds T. Fewer are run when no stump lowers the loss.
    learning_rate : float, default=0.1
        Multiplies the stumps. The paper lowers it without saying how far.
    truncation : {"response", "weight", "none"}, default="response"
        What is done where p leaves [0, 1], for ``|H| > tan(1/2) = 0.546``. ``"response"``: z is made of p truncated to
        [0, 1], so samples that are more than correct are not pulled back, they want no step. ``"weight"``: beside that,
        the weight is 0 there, as Kobetski & Sullivan describe. ``"none"``: nothing.
    balanced : bool, default=False
        Multiply the sample weights so that both classes have the same sum of them, outliers not counted.

    Attributes
    ----------
    classes_, n_classes_, n_estimators_, stumps_, n_features_in_, feature_names_in_
        As in :class:`AdaBoost`.

    Notes
    -----
    The loss is not convex and there is no line search: a step may raise it. ``predict_proba`` is p, truncated to
    [0, 1]. Cuts are searched as in :class:`AdaBoost`, by the weighted squared error.

    References
    ----------
    .. [1] H. Masnadi-Shirazi, V. Mahadevan and N. Vasconcelos. On the design of robust classifiers for computer vision.
       CVPR 2010.
    .. [2] M. Kobetski and J. Sullivan. Improved boosting performance by exclusion of ambiguous positive examples.
       ICPRAM 2013, sections 3.2.2 and 5.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from algos.binary import TangentBoost
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = TangentBoost(n_estimators=100).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.91
    """

    _loss = TangentLoss()
    _parameter_constraints: ClassVar[dict] = {
        **NewtonBooster._parameter_constraints,
        "truncation": [StrOptions(set(TRUNCATIONS))],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        truncation: str = "response",
        balanced: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.truncation = truncation
        self.balanced = balanced

    def _curvature(self, v: np.ndarray) -> np.ndarray:
        curvature = super()._curvature(v)
        return np.where(np.abs(v) > np.tan(0.5), 0.0, curvature) if self.truncation == "weight" else curvature

    def _gradients(self, v: np.ndarray, curvature: np.ndarray) -> np.ndarray:
        if self.truncation == "none":
            return super()._gradients(v, curvature)
        return curvature * (1 - self._loss.probability(v)) * (1 + v * v)
