"""SVM+: a linear SVM whose slacks are learnt from features that only the training data have."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_consistent_length

from algos._kernels.svm_plus import Matrix, Outcome, solve_hinge, solve_plus_rows
from algos.multilabel._linear_svm import STARTS, LinearSVMClassifier, starting_multipliers, with_constant


class SVMPlus(LinearSVMClassifier):
    """Linear SVM+ by dual coordinate descent: learning with privileged information.

    With x and the privileged features xt of each sample (a constant 1 inside x), for each label

    ``min 1/2 ||w||^2 + gamma/2 ||wt||^2 + C sum_j <wt, xt_j>``
    subject to ``y_j <w, x_j> >= 1 - <wt, xt_j>`` and ``<wt, xt_j> >= 0``.

    Privileged features are needed to fit, not to predict.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the slacks.
    gamma : float, default=1.0
        Weight of ``||wt||^2``: the larger, the less freely slacks follow the privileged features.
    privileged_constant : bool, default=True
        Whether a constant 1 is appended to the privileged features [1]_. Without it there may be no feasible point.
    start : {"zero_slack", "zero"}, default="zero_slack"
        Multipliers (a, b) at the start: (0, C), so that wt = 0, or (0, 0). It matters where `max_sweeps` ends the
        descent before `tol`.
    tol : float, default=1e-3
        Duality gap at which a label counts as solved, as a part of its objective; 0 does `max_sweeps` plain sweeps.
    max_sweeps : int, default=1000
        Most passes over the multipliers of a label.
    random_state : int, RandomState instance or None, default=None
        Of the order in which samples are visited.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
    intercept_ : ndarray of shape (n_labels,)
    correction_ : ndarray of shape (n_labels, n_privileged)
        The correcting vectors wt, the constant's component last; not set where no privileged features were given.
    objective_ : ndarray of shape (n_labels,)
        Objective at the last point, made feasible; infinite where no way to do so is known.
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
    .. [1] W. Li, D. Dai, M. Tan, D. Xu and L. Van Gool. Fast algorithms for linear and kernel SVM+. CVPR 2016.
    .. [2] V. Vapnik and A. Vashist. A new learning paradigm: learning using privileged information. Neural Networks
       22(5), 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from algos.multilabel import SVMPlus
    >>> rng = np.random.default_rng(0)
    >>> clean = rng.normal(size=(300, 5))
    >>> y = (clean.sum(axis=1) > 0).astype(int)
    >>> X = clean + rng.normal(size=clean.shape)  # what will be seen at test time, too
    >>> doubt = np.abs(X - clean).sum(axis=1, keepdims=True)  # known in training alone: how far a sample is off
    >>> model = SVMPlus(C=0.1, random_state=0).fit(X[:100], y[:100], privileged=doubt[:100])
    >>> model.predict(X[100:]).shape
    (200,)
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "privileged_constant": ["boolean"],
        "start": [StrOptions(set(STARTS))],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_sweeps": [Interval(Integral, 1, 2**31 - 1, closed="both")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C: float = 1.0,
        gamma: float = 1.0,
        privileged_constant: bool = True,
        start: str = "zero_slack",
        tol: float = 1e-3,
        max_sweeps: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.privileged_constant = privileged_constant
        self.start = start
        self.tol = tol
        self.max_sweeps = max_sweeps
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, privileged: ArrayLike | None = None) -> "SVMPlus":
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,), or array-like or sparse matrix of shape (n_samples, n_labels)
            Classes (one SVM+ against the others for each, where there are more than two), or indicators of 0 and 1.
        privileged : array-like or sparse matrix of shape (n_samples, n_privileged), optional
            Privileged features. Without them slacks are free: an ordinary linear SVM with the hinge loss.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated, or a vector of one class only.
        """
        X, labels = self._validate_fit(X, y)
        X, Y = with_constant(X), sparse.csr_array(labels, dtype=np.float64)
        if privileged is None:
            z, outcome = solve_hinge(X, Y, self.C, self._stop())
        else:
            privileged = check_array(privileged, accept_sparse="csr", dtype=np.float64, input_name="privileged")
            check_consistent_length(X, privileged)
            z, outcome = self._solve(X, Y, with_constant(privileged) if self.privileged_constant else privileged)
        self._set_coefficients(z)
        self.objective_ = outcome.primal
        self.duality_gap_ = outcome.gap
        self.n_iter_ = int(outcome.sweeps.max())
        return self

    def _solve(self, X: Matrix, Y: sparse.csr_array, privileged: Matrix) -> tuple[np.ndarray, Outcome]:
        (n, L), p = Y.shape, privileged.shape[1]
        multipliers = starting_multipliers(self.start, self.C, (L, n), p, L)
        total = np.asarray(privileged.sum(axis=0)).ravel()
        if self.start == "zero":
            multipliers.correction[:] = -self.C / self.gamma * total  # wt of a = b = 0
        # The constant raises all slacks alike; failing it, most samples' features have something in common.
        direction = np.eye(p)[-1] if self.privileged_constant else total / n
        solved = solve_plus_rows(X, privileged, direction, Y, self.C, self.gamma, multipliers, self._stop())
        self.correction_ = multipliers.correction
        return solved
