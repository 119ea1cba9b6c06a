"""Binary LogitBoost over decision stumps."""

from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from algos.binary._newton import NewtonBooster
from algos.binary.losses import LogitLoss


class LogitBoost(NewtonBooster):
    """LogitBoost with decision stumps, for two classes: Newton steps on the binomial log-likelihood.

    With ``p = 1/(1 + exp(-2 H))`` and y* in {0, 1} each round fits a stump f by weighted least squares to the working
    response ``z = (y* - p)/(p (1 - p))``, clipped, with the weights ``p (1 - p)``, and adds f/2.

    Parameters
    ----------
    n_estimators : int, default=100
        Boosting rounds T. Fewer are run when no loss is left.
    learning_rate : float, default=1.0
        Multiplies the stumps.
    max_response : float, default=4.0
        z is clipped to plus or minus this; its authors recommend 2 to 4. The smaller, the less a sample that is
        far on the wrong side counts.
    balanced : bool, default=False
        Multiply the sample weights so that both classes have the same sum of them, outliers not counted.

    Attributes
    ----------
    classes_, n_classes_, n_estimators_, stumps_, n_features_in_, feature_names_in_
        As in :class:`AdaBoost`.

    Notes
    -----
    Cuts are searched as in :class:`AdaBoost`, by the weighted squared error. For trees in place of stumps, and more
    classes, see :class:`algos.multiclass.LogitBoostClassifier`.

    References
    ----------
    .. [1] J. Friedman, T. Hastie and R. Tibshirani. Additive logistic regression: a statistical view of boosting.
       Annals of Statistics 28(2), 2000, algorithm 3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from algos.binary import LogitBoost
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogitBoost(n_estimators=50).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.95
    """

    _loss = LogitLoss()
    _parameter_constraints: ClassVar[dict] = {
        **NewtonBooster._parameter_constraints,
        "max_response": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        learning_rate: float = 1.0,
        max_response: float = 4.0,
        balanced: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_response = max_response
        self.balanced = balanced

    def _gradients(self, v: np.ndarray, curvature: np.ndarray) -> np.ndarray:
        return np.minimum(super()._gradients(v, curvature), self.max_response / 2 * curvature)  # the step is z/2
