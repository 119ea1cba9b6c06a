"""Multi-class linear SVM, plain or self-paced (MultiSVM-S)."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from algos.selfpaced.linear import SelfPacedLinearClassifier


class MultiSVM(SelfPacedLinearClassifier):
    """Linear multi-class SVM with the sum of hinges over all other classes, plain or self-paced (MultiSVM-S).

    Minimises ``sum_i v_i sum_(r != y_i) hinge(rho_ir) / n + ridge/2 ||A||^2`` with ``rho_ir = F_(y_i) - F_r``: the
    paper's objective (2) with linear scores and the hinge as its loss, known as Weston and Watkins's SVM. (Crammer and
    Singer's takes the largest hinge instead of the sum.)

    Parameters
    ----------
    self_paced : bool, default=False
        Whether to learn from easy samples to hard ones. Plain, none of the parameters of the pace is used.
    ridge : float, default=1e-4
        Weight of ``1/2 ||A||^2`` beside the mean loss, so it is relative to the number of samples; intercepts are free.
    weighting : {"mixture", "hard", "linear", "log"}, default="mixture"
        How a loss becomes a weight; see :mod:`algos.selfpaced.weights`.
    zeta_ratio : float, default=2
        zeta / lambda of mixture weighting.
    pace : {"proportion", "per_class"}, default="proportion"
        Whether one threshold selects that proportion of all samples, or each class has its own (our extension).
    pace_start, pace_factor, pace_end : float, default=0.6, 1.1, 1
        Proportion of samples selected in the first round (drawn at random in each class), what it is multiplied by a
        round, and where it ends.
    max_rounds : int, default=100
        Fits at most; the pace ends them sooner unless `pace_factor` is close to 1.
    smoothing : float, default=0.1
        The hinge ``max(0, 1 - rho)`` is rounded off by a parabola over this width, so that it has a derivative; it
        becomes smaller by at most half of it.
    tol : float, default=1e-4
        A fit ends when no derivative of its objective is larger.
    max_iter : int, default=500
        A fit ends after that many steps of L-BFGS in any case.
    validation_fraction : float or None, default=None
        Part of each class that is held out to choose the round on.
    random_state : int, RandomState instance or None, default=None
        Draws the first round's samples and the held-out part; nothing else is random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (n_classes, n_features)
        A.
    intercept_ : ndarray of shape (n_classes,)
        b.
    centre_ : ndarray of shape (n_features,)
        Training mean of the features.
    n_rounds_, best_round_ : int
        Fits that were made, and the one (from 1) that predicts: the last, or the one of least validation error.
    n_iter_ : int
        Steps of all fits together.
    sample_weights_path_ : ndarray of float16, shape (n_rounds_, n_samples)
        v of each fit; of the training part, where `validation_fraction` holds some out.
    validation_curve_ : ndarray of shape (n_rounds_,)
        Error on the validation part after each fit; only with one.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Products with the features are in float32. The fit starts from zero, later rounds from the last one's solution;
    it is deterministic.

    References
    ----------
    .. [1] T. Pi et al. Self-paced boost learning for classification. IJCAI 2016, section 4.
    .. [2] J. Weston and C. Watkins. Support vector machines for multi-class pattern recognition. ESANN 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from algos.selfpaced import MultiSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MultiSVM(self_paced=True, random_state=0).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.97
    """

    _parameter_constraints: ClassVar[dict] = {
        **SelfPacedLinearClassifier._parameter_constraints,
        "smoothing": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        self_paced: bool = False,
        ridge: float = 1e-4,
        weighting: str = "mixture",
        zeta_ratio: float = 2.0,
        pace: str = "proportion",
        pace_start: float = 0.6,
        pace_factor: float = 1.1,
        pace_end: float = 1.0,
        max_rounds: int = 100,
        smoothing: float = 0.1,
        tol: float = 1e-4,
        max_iter: int = 500,
        validation_fraction: float | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            self_paced=self_paced,
            ridge=ridge,
            weighting=weighting,
            zeta_ratio=zeta_ratio,
            pace=pace,
            pace_start=pace_start,
            pace_factor=pace_factor,
            pace_end=pace_end,
            max_rounds=max_rounds,
            tol=tol,
            max_iter=max_iter,
            validation_fraction=validation_fraction,
            random_state=random_state,
        )
        self.smoothing = smoothing

    def _losses(self, scores: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        own = np.arange(len(scores))
        scores += np.float32(1) - scores[own, labels][:, None]  # 1 - rho
        scores[own, labels] = 0
        rounded_off = np.clip(scores, 0, np.float32(self.smoothing))
        scores -= rounded_off / 2
        scores *= rounded_off
        losses = scores.sum(axis=1, dtype=np.float64) / self.smoothing
        slope = rounded_off / np.float32(self.smoothing)
        slope[own, labels] = -slope.sum(axis=1)
        return losses, slope
