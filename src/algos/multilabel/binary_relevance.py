"""Binary relevance: a linear SVM for each label on its own."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils._param_validation import Interval, StrOptions

from algos._kernels.svm_plus import solve_hinge
from algos.multilabel._base import last_label_first
from algos.multilabel._linear_svm import LinearSVMClassifier, with_constant


class BinaryRelevance(LinearSVMClassifier):
    """A linear SVM with the hinge loss for each label, all solved in one call.

    For each label ``min 1/2 (||w||^2 + b^2) + C sum_j max(0, 1 - y_j (w'x_j + b))``, (1) of [1]_ with the intercept
    as the weight of a constant feature.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss.
    ranking : {"scores", "hard"}, default="scores"
        What `decision_function` gives: the scores ``w'x + b``, or the decisions -1 and +1, which leave all ties
        between labels. The rows "BR" printed in [1]_ can only be had from the latter (docs/methods). For a vector of
        classes, which only scores can tell apart, it is always the scores.
    ties : {"shared", "last_first"}, default="shared"
        Equal decisions of a sample: left equal, or lifted by less than their distance, the label of higher index
        first, as the printed rows have it. Scores have no ties.
    tol : float, default=1e-4
        Duality gap at which a label's SVM counts as solved, as a part of its objective.
    max_sweeps : int, default=10000
        Most passes over a label's samples.
    random_state : int, RandomState instance or None, default=None
        Of the order in which samples are visited.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
    intercept_ : ndarray of shape (n_labels,)
    objective_ : ndarray of shape (n_labels,)
        Objectives reached.
    duality_gap_ : float
        Duality gap of all labels together, as a part of the objective.
    n_iter_ : int
        Most passes any label took.
    classes_ : ndarray of shape (n_classes,) or (n_labels,)
        The classes where `y` was a vector; of an indicator matrix the columns, 0, 1, ...
    n_labels_ : int
        Number of labels.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    .. [1] S. You, C. Xu, Y. Wang, C. Xu and D. Tao. Privileged multi-label learning. IJCAI 2017.
    .. [2] C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan. A dual coordinate descent method for
       large-scale linear SVM. ICML 2008.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from algos.multilabel import BinaryRelevance
    >>> X, Y = make_multilabel_classification(n_samples=200, random_state=0)
    >>> model = BinaryRelevance(C=0.1, random_state=0).fit(X[:100], Y[:100])
    >>> model.predict(X[100:]).shape
    (100, 5)
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "ranking": [StrOptions({"scores", "hard"})],
        "ties": [StrOptions({"shared", "last_first"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_sweeps": [Interval(Integral, 1, 2**31 - 1, closed="both")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C: float = 1.0,
        ranking: str = "scores",
        ties: str = "shared",
        tol: float = 1e-4,
        max_sweeps: int = 10000,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.ranking = ranking
        self.ties = ties
        self.tol = tol
        self.max_sweeps = max_sweeps
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> "BinaryRelevance":
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Finite numbers.
        y : array-like or sparse matrix of shape (n_samples, n_labels), or array-like of shape (n_samples,)
            Indicators of 0 and 1, or classes.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated, or a vector of one class only.
        """
        X, labels = self._validate_fit(X, y)
        z, outcome = solve_hinge(with_constant(X), sparse.csr_array(labels, dtype=np.float64), self.C, self._stop())
        self._set_coefficients(z)
        self.objective_ = outcome.primal
        self.duality_gap_ = outcome.gap
        self.n_iter_ = int(outcome.sweeps.max())
        return self

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Scores of the labels, or decisions -1 and +1 (see `ranking` and `ties`).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            (n_samples,) where `y` was a vector of two classes.
        """
        scores = super().decision_function(X)
        if self.ranking == "scores" or not self.multilabel_:
            return scores
        decisions = np.where(scores > 0, 1.0, -1.0)
        return last_label_first(decisions, 2.0) if self.ties == "last_first" else decisions
