"""Softmax regression, plain (SR) or self-paced (SR-S)."""

import numpy as np
from numpy.typing import ArrayLike

from algos.selfpaced.linear import SelfPacedLinearClassifier


class SoftmaxRegression(SelfPacedLinearClassifier):
    """Softmax regression: linear scores fitted to the log-likelihood, plain (SR) or self-paced (SR-S).

    Minimises ``sum_i v_i (-log p_i,y_i) / n + ridge/2 ||A||^2`` with ``p = softmax(A (x - mean) + b)``. Plain, all v
    are 1. Self-paced, fits alternate with choices of v from the losses, for a rising proportion of samples.

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

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from algos.selfpaced import SoftmaxRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SoftmaxRegression(self_paced=True, random_state=0).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.96
    """

    def _losses(self, scores: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        own = np.arange(len(scores))
        scores -= scores.max(axis=1, keepdims=True)
        true = scores[own, labels].astype(np.float64)
        np.exp(scores, out=scores)
        totals = scores.sum(axis=1, keepdims=True)
        scores /= totals
        scores[own, labels] -= 1
        return np.log(totals[:, 0].astype(np.float64)) - true, scores

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities of the classes, the softmax of the scores.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        from scipy.special import softmax

        return softmax(self._scores(X), axis=1)
