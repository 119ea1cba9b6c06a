"""GentleBoost over decision stumps."""

from algos.binary._newton import NewtonBooster
from algos.binary.losses import ExponentialLoss


class GentleBoost(NewtonBooster):
    """GentleBoost with decision stumps, for two classes: Newton steps on the exponential loss.

    Each round adds a stump f fitted by weighted least squares to the labels y in {-1, +1} with the weights
    ``w = exp(-y H(x))``; a side's value is its weighted mean of y, so no step exceeds 1.

    Parameters
    ----------
    n_estimators : int, default=100
        Boosting rounds T. Fewer are run when no loss is left.
    learning_rate : float, default=1.0
        Multiplies the stumps.
    balanced : bool, default=False
        Multiply the sample weights so that both classes have the same sum of them, outliers not counted.

    Attributes
    ----------
    classes_, n_classes_, n_estimators_, stumps_, n_features_in_, feature_names_in_
        As in :class:`AdaBoost`.

    Notes
    -----
    Cuts are searched as in :class:`AdaBoost`, by the weighted squared error.

    References
    ----------
    .. [1] J. Friedman, T. Hastie and R. Tibshirani. Additive logistic regression: a statistical view of boosting.
       Annals of Statistics 28(2), 2000, algorithm 4.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from algos.binary import GentleBoost
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GentleBoost(n_estimators=50).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.94
    """

    _loss = ExponentialLoss()

    def __init__(self, n_estimators: int = 100, learning_rate: float = 1.0, balanced: bool = False) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.balanced = balanced
