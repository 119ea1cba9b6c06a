"""Privileged multi-label learning: SVM+ with each label's slacks learnt from the other labels."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from algos._kernels.svm_plus import (
    LabelAdvice,
    Matrix,
    Multipliers,
    Outcome,
    Stop,
    solve_dictionary,
    solve_hinge,
    solve_plus_labels,
)
from algos.exceptions import InputError
from algos.multilabel._linear_svm import STARTS, LinearSVMClassifier, starting_multipliers, with_constant

# Sparse products gather, dense ones run in vector registers: so many times dearer is a non-zero of the former.
SPARSE_COST = 4


class _PrivilegedLabels(LinearSVMClassifier):
    """What PrBR and PrML share: parameters of their SVM+ problems, and the labels' advice to one another."""

    _parameter_constraints: ClassVar[dict] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "gamma1": [Interval(Real, 0, None, closed="neither")],
        "gamma2": [Interval(Real, 0, None, closed="neither")],
        "privileged_constant": ["boolean"],
        "pools": [None, Interval(Integral, 1, None, closed="left"), "array-like"],
        "start": [StrOptions(set(STARTS))],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_sweeps": [Interval(Integral, 1, 2**31 - 1, closed="both")],
        "random_state": ["random_state"],
    }

    def _advice(self, labels: np.ndarray) -> LabelAdvice:
        """Privileged features (3) of each label, and the constant."""
        pools = label_pools(labels, self.pools)
        constant = float(self.privileged_constant)
        if constant == 0 and pools is not None and not pools.any(axis=1).all():
            i = int(pools.any(axis=1).argmin())
            raise InputError(f"pools: label {i} has no privileged label; give it one, or set privileged_constant=True")
        return LabelAdvice(sparse.csr_array(labels, dtype=np.float64), pools, constant)

    def _multipliers(self, advice: LabelAdvice, C: float, gamma: float, samples_first: bool = False) -> Multipliers:
        """Multipliers at the start, with their correcting vectors; the dictionary step has samples first."""
        n, L = advice.Y.shape
        multipliers = starting_multipliers(self.start, C, (n, L) if samples_first else (L, n), L, L)
        if self.start == "zero":  # wt_i = -(C/gamma) sum_j yt_ij
            totals = 2 * np.asarray(advice.Y.sum(axis=0)).ravel() - n
            member = ~np.eye(L, dtype=bool) if advice.pools is None else advice.pools
            correction = -C / gamma * totals * member
            multipliers.correction[:] = correction.T if samples_first else correction
            multipliers.constant[:] = -C / gamma * n * advice.constant
        return multipliers

    def _solve_labels(
        self, score: Matrix, update: Matrix, advice: LabelAdvice, multipliers: Multipliers, stop: Stop
    ) -> tuple[np.ndarray, Outcome]:
        """Solve (7): problem (6) over gamma1."""
        C, gamma = self.C / self.gamma1, self.gamma2 / self.gamma1
        if advice.Y.shape[1] == 1:  # no other label to learn from: slacks are free, the problem an ordinary SVM
            z, outcome = solve_hinge(score, advice.Y, C, stop)
        else:
            z, outcome = solve_plus_labels(score, update, advice, C, gamma, multipliers, stop)
        outcome.primal[:] *= self.gamma1
        outcome.dual[:] *= self.gamma1
        return z, outcome


class PrBR(_PrivilegedLabels):
    """Privileged binary relevance: SVM+ for each label, the other labels of a sample its privileged features.

    This is :class:`PrML` with the dictionary D fixed at the identity. For each label i, with ``yt_ij`` the signs -1, +1
    of sample j's labels but with 0 for label i (3),

    ``min gamma1/2 ||w||^2 + gamma2/2 ||wt||^2 + C sum_j <wt, yt_ij>``
    subject to ``y_ij <w, x_j> >= 1 - <wt, yt_ij>`` and ``<wt, yt_ij> >= 0``.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the slacks.
    gamma1, gamma2 : float, default=1.0
        Weights of ``||w||^2`` and ``||wt||^2``.
    privileged_constant : bool, default=False
        Whether a constant 1 is appended to the privileged features. Without it, as the paper has it, small problems may
        have no feasible point: the multipliers then grow until `max_sweeps`.
    pools : int, array-like of bool of shape (n_labels, n_labels), or None, default=None
        Which labels are privileged features of label i: so many nearest ones by the Hamming distance between columns of
        `y` (the first of equals), those where row i is true, or all others.
    start : {"zero_slack", "zero"}, default="zero_slack"
        Multipliers (a, b) at the start: (0, C/gamma1), so that wt = 0, or (0, 0). It matters where `max_sweeps` ends
        the descent before `tol`.
    tol : float, default=1e-3
        Duality gap at which a label counts as solved, as a part of its objective; 0 does `max_sweeps` plain sweeps.
    max_sweeps : int, default=1000
        Most passes over the multipliers of a label. A few may predict better than the optimum (docs/methods).
    random_state : int, RandomState instance or None, default=None
        Of the order in which samples are visited.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
    intercept_ : ndarray of shape (n_labels,)
    correction_ : ndarray of shape (n_labels, n_labels)
        The correcting vectors wt_i, one a row; 0 for labels that are not in the pool.
    correction_constant_ : ndarray of shape (n_labels,)
        Their component on the constant; 0 without it.
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

    Notes
    -----
    With a single label there is no other one to learn from: slacks are free, and this is :class:`BinaryRelevance` with
    the weight ``C/gamma1``. So it is for a vector of two classes.

    References
    ----------
    .. [1] S. You, C. Xu, Y. Wang, C. Xu and D. Tao. Privileged multi-label learning. IJCAI 2017.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from algos.multilabel import PrBR
    >>> X, Y = make_multilabel_classification(n_samples=200, random_state=0)
    >>> model = PrBR(C=0.1, privileged_constant=True, max_sweeps=5, random_state=0).fit(X[:100], Y[:100])
    >>> model.predict(X[100:]).shape
    (100, 5)
    """

    def __init__(
        self,
        C: float = 1.0,
        gamma1: float = 1.0,
        gamma2: float = 1.0,
        privileged_constant: bool = False,
        pools: Any = None,
        start: str = "zero_slack",
        tol: float = 1e-3,
        max_sweeps: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.privileged_constant = privileged_constant
        self.pools = pools
        self.start = start
        self.tol = tol
        self.max_sweeps = max_sweeps
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> "PrBR":
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
            For values, shapes or parameters that are not as stated, a pool without a label where there is no constant,
            or a vector of one class only.
        """
        X, labels = self._validate_fit(X, y)
        X, advice = with_constant(X), self._advice(labels)
        multipliers = self._multipliers(advice, self.C / self.gamma1, self.gamma2 / self.gamma1)
        z, outcome = self._solve_labels(X, X, advice, multipliers, self._stop())
        self._set_coefficients(z)
        self.correction_, self.correction_constant_ = multipliers.correction, multipliers.constant
        self.objective_ = outcome.primal
        self.duality_gap_ = outcome.gap
        self.n_iter_ = int(outcome.sweeps.max())
        return self


class PrML(_PrivilegedLabels):
    """Privileged multi-label learning: low-rank linear classifiers whose slacks are learnt from the other labels.

    Scores are ``w_i'D x`` with a dictionary D of k rows shared by all labels. Problem (5) is

    ``min 1/2 ||D||^2 + 1/2 sum_i (gamma1 ||w_i||^2 + gamma2 ||wt_i||^2) + C sum_ij <wt_i, yt_ij>``
    subject to ``y_ij <w_i, D x_j> >= 1 - <wt_i, yt_ij>`` and ``<wt_i, yt_ij> >= 0``,

    where ``yt_ij`` holds the signs -1, +1 of sample j's labels, with 0 for label i (3). It is solved by turns for
    (W, Wt) and for (D, Wt), each by dual coordinate descent.

    Parameters
    ----------
    n_components : int or float, default=0.9
        Rows k of D: their number, at most ``min(n_labels, n_features + 1)``; or a part of the number of labels, in
        (0, 1], rounded up (and at most ``n_features + 1``). More could not represent more. Not used where `init` is an
        array.
    C : float, default=1.0
        Weight of the slacks.
    gamma1, gamma2 : float, default=1.0
        Weights of ``||w_i||^2`` and ``||wt_i||^2``.
    n_alternations : int, default=10
        Most turns. With 0 only W is solved for, at the D of the start.
    alternation_tol : float, default=1e-3
        Turns end when Wt changes by less than this, as a part of its norm, from one to the next.
    init : {"ridge", "random"} or array-like of shape (k, n_features + 1), default="ridge"
        D at the start: from the singular value decomposition of a ridge regression of the labels' signs, orthonormal
        and random, or as given, the intercept's column last (such as from a LEML model).
    init_penalty : float, default=1.0
        Penalty of that ridge regression.
    privileged_constant : bool, default=False
        Whether a constant 1 is appended to the privileged features. Without it, as the paper has it, small problems may
        have no feasible point: the multipliers then grow until `max_sweeps`.
    pools : int, array-like of bool of shape (n_labels, n_labels), or None, default=None
        Which labels are privileged features of label i: so many nearest ones by the Hamming distance between columns of
        `y` (the first of equals; figure 1), those where row i is true, or all others.
    start : {"zero_slack", "zero"}, default="zero_slack"
        Multipliers (a, b) at the start: (0, C/gamma1) for W and (0, C) for D, so that wt = 0; or (0, 0).
    tol : float, default=1e-3
        Duality gap at which a subproblem counts as solved, as a part of its objective; 0 does `max_sweeps` plain
        sweeps.
    max_sweeps : int, default=1000
        Most passes over the multipliers of a subproblem. A few may predict better than the optimum (docs/methods).
    random_state : int, RandomState instance or None, default=None
        Of the order in which samples are visited, and of a random `init`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Of the classifiers ``D'w_i``.
    intercept_ : ndarray of shape (n_labels,)
    dictionary_ : ndarray of shape (n_components_, n_features + 1)
        D, the intercept's column last.
    weights_ : ndarray of shape (n_labels, n_components_)
        The w_i.
    n_components_ : int
        Rows of D.
    correction_ : ndarray of shape (n_labels, n_labels)
        The correcting vectors wt_i, one a row; 0 for labels that are not in the pool.
    correction_constant_ : ndarray of shape (n_labels,)
        Their component on the constant; 0 without it.
    objectives_ : ndarray of shape (n_steps,)
        Objective (5) after each step for W and for D in turn, its point made feasible; infinite where no way to do so
        is known.
    duality_gaps_ : ndarray of shape (n_steps,)
        Duality gaps of the steps, as parts of the subproblem's objective.
    sweeps_ : ndarray of shape (n_steps,)
        Passes of the steps; for W the most that any label took.
    changes_ : ndarray of shape (n_turns,)
        Relative change of Wt in each turn.
    n_iter_ : int
        Turns.
    classes_ : ndarray of shape (n_classes,) or (n_labels,)
        The classes where `y` was a vector; of an indicator matrix the columns, 0, 1, ...
    n_labels_ : int
        Number of labels.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With a single label (or a vector of two classes) there is no other one to learn from: slacks are free, D is fixed at
    the identity, and this is :class:`BinaryRelevance` with the weight ``C/gamma1``. A vector of more classes gives
    labels of which one alone is on and which say little of one another: with three and no constant, samples of other
    classes have no slack at all.

    The steps for W and for D keep multipliers of their own and each begins where it last ended. Problem (5) is not
    convex: another start ends elsewhere.

    References
    ----------
    .. [1] S. You, C. Xu, Y. Wang, C. Xu and D. Tao. Privileged multi-label learning. IJCAI 2017.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from algos.multilabel import PrML
    >>> X, Y = make_multilabel_classification(n_samples=200, random_state=0)
    >>> model = PrML(privileged_constant=True, max_sweeps=5, n_alternations=2, random_state=0).fit(X[:100], Y[:100])
    >>> model.predict(X[100:]).shape
    (100, 5)
    """

    _parameter_constraints: ClassVar[dict] = {
        **_PrivilegedLabels._parameter_constraints,
        "n_components": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="right")],
        "n_alternations": [Interval(Integral, 0, None, closed="left")],
        "alternation_tol": [Interval(Real, 0, None, closed="left")],
        "init": [StrOptions({"ridge", "random"}), "array-like"],
        "init_penalty": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_components: int | float = 0.9,
        C: float = 1.0,
        gamma1: float = 1.0,
        gamma2: float = 1.0,
        n_alternations: int = 10,
        alternation_tol: float = 1e-3,
        init: Any = "ridge",
        init_penalty: float = 1.0,
        privileged_constant: bool = False,
        pools: Any = None,
        start: str = "zero_slack",
        tol: float = 1e-3,
        max_sweeps: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.C = C
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.n_alternations = n_alternations
        self.alternation_tol = alternation_tol
        self.init = init
        self.init_penalty = init_penalty
        self.privileged_constant = privileged_constant
        self.pools = pools
        self.start = start
        self.tol = tol
        self.max_sweeps = max_sweeps
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> "PrML":
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
            For values, shapes or parameters that are not as stated, more components than labels or features, a pool
            without a label where there is no constant, or a vector of one class only.
        """
        X, labels = self._validate_fit(X, y)
        X, advice, stop = with_constant(X), self._advice(labels), self._stop()
        alone = labels.shape[1] == 1
        self.dictionary_ = np.eye(X.shape[1]) if alone else self._initial_dictionary(X, labels)
        self.n_components_ = len(self.dictionary_)
        self._steps: list[tuple[float, float, int]] = []
        for_W = self._multipliers(advice, self.C / self.gamma1, self.gamma2 / self.gamma1)
        self._weights_step(X, advice, for_W, stop)
        if self.n_alternations and not alone:
            self._alternate(X, advice, for_W, stop)
        else:
            self.correction_, self.correction_constant_ = for_W.correction, for_W.constant
            self.changes_, self.n_iter_ = np.zeros(0), 0
        self._set_coefficients(self.weights_ @ self.dictionary_)
        objectives, gaps, sweeps = zip(*self._steps, strict=True)
        self.objectives_, self.duality_gaps_, self.sweeps_ = np.array(objectives), np.array(gaps), np.array(sweeps)
        del self._steps
        return self

    def _alternate(self, X: Matrix, advice: LabelAdvice, for_W: Multipliers, stop: Stop) -> None:
        """Algorithm 1, from line 8 of the first turn on."""
        for_D = self._multipliers(advice, self.C, self.gamma2, samples_first=True)
        changes: list[float] = []
        while True:
            before = for_D.correction.copy()
            self._dictionary_step(X, advice, for_D, stop)
            changes.append(_relative_change(before, for_D.correction))
            if len(changes) == self.n_alternations or changes[-1] <= self.alternation_tol:
                break
            self._weights_step(X, advice, for_W, stop)
        self.correction_, self.correction_constant_ = for_D.correction.T.copy(), for_D.constant
        self.changes_, self.n_iter_ = np.array(changes), len(changes)

    def _weights_step(self, X: Matrix, advice: LabelAdvice, multipliers: Multipliers, stop: Stop) -> None:
        """Lines 4 to 7: W and Wt at the current D."""
        D = self.dictionary_
        if sparse.issparse(X) and SPARSE_COST * X.nnz < len(D) * X.shape[0]:
            # <D x_j, D x_q> = <x_j, D'D x_q>: a product with D x_j costs as much as x_j has non-zeros.
            _, outcome = self._solve_labels(X, X @ (D.T @ D), advice, multipliers, stop)
            self.weights_ = _signed_sums(multipliers.a, advice.Y.T, X) @ D.T  # (8)
        else:
            projected = np.ascontiguousarray(X @ D.T)
            self.weights_, outcome = self._solve_labels(projected, projected, advice, multipliers, stop)
        self._record(np.vdot(D, D) / 2, outcome)

    def _dictionary_step(self, X: Matrix, advice: LabelAdvice, multipliers: Multipliers, stop: Stop) -> None:
        """Lines 8 and 9: D and Wt at the current W."""
        W = self.weights_
        gram = W @ W.T
        z = np.ascontiguousarray((gram @ _signed_sums(multipliers.a.T, advice.Y.T, X)).T)
        outcome = solve_dictionary(X, gram, z, advice, self.C, self.gamma2, multipliers, stop)
        self.dictionary_ = W.T @ _signed_sums(multipliers.a.T, advice.Y.T, X)  # (11)
        self._record(self.gamma1 * np.vdot(W, W) / 2, outcome)

    def _record(self, rest: float, outcome: Outcome) -> None:
        self._steps.append((rest + outcome.primal.sum(), outcome.gap, int(outcome.sweeps.max())))

    def _initial_dictionary(self, X: Matrix, labels: np.ndarray) -> np.ndarray:
        d = X.shape[1]
        if not isinstance(self.init, str):
            D = np.array(self.init, dtype=np.float64)
            if D.ndim != 2 or D.shape[1] != d or not len(D) or not np.isfinite(D).all():
                raise InputError(
                    f"init: an array must hold finite numbers in {d} columns (features, then 1 for the intercept)"
                )
            return D
        k = self._n_rows(labels.shape[1], d)
        if self.init == "random":
            return np.linalg.qr(check_random_state(self.random_state).normal(size=(d, k)))[0].T
        _, values, vectors = linalg.svd(ridge_coefficients(X, 2.0 * labels - 1, self.init_penalty), full_matrices=False)
        D = np.zeros((k, d))
        D[: len(values)] = np.sqrt(values[:k, None]) * vectors[:k]  # at the optimum of (5) D has W's singular values
        return D

    def _n_rows(self, n_labels: int, d: int) -> int:
        if not isinstance(self.n_components, Integral):
            return min(int(np.ceil(self.n_components * n_labels)), d)
        if self.n_components > min(n_labels, d):
            raise InputError(
                f"n_components is {self.n_components}, more than the {n_labels} labels or {d - 1} features and one; "
                "take fewer, or a part of the labels such as 0.9"
            )
        return int(self.n_components)


def label_pools(labels: np.ndarray, pools: Any) -> np.ndarray | None:
    """Return which labels are privileged features of which, or None for all others.

    Parameters
    ----------
    labels : ndarray of bool of shape (n_samples, n_labels)
    pools : int, array-like of shape (n_labels, n_labels), or None
        Number of nearest labels by Hamming distance between columns, the first of equals; or a matrix of truth values
        with a false diagonal.

    Raises
    ------
    InputError
        For a matrix of another shape or with a true diagonal.
    """
    L = labels.shape[1]
    if pools is None:
        return None
    if not isinstance(pools, Integral):
        member = np.asarray(pools).astype(bool)
        if member.shape != (L, L) or member.diagonal().any():
            raise InputError(f"pools: must have shape {(L, L)} and be false on the diagonal: no label advises itself")
        return member
    if pools >= L - 1:
        return None
    ones = labels.astype(np.float64)
    distance = ones.sum(axis=0)[:, None] + ones.sum(axis=0) - 2 * ones.T @ ones
    np.fill_diagonal(distance, np.inf)
    member = np.zeros((L, L), dtype=bool)
    np.put_along_axis(member, np.argsort(distance, axis=1, kind="stable")[:, :pools], True, axis=1)
    return member


def ridge_coefficients(X: Matrix, targets: np.ndarray, penalty: float) -> np.ndarray:
    """Coefficients of ``min ||X Z' - targets||^2 + penalty ||Z||^2``, shape (n_targets, n_features)."""
    n, d = X.shape
    few_samples = n < d
    gram = X @ X.T if few_samples else X.T @ X
    gram = gram.toarray() if sparse.issparse(gram) else gram
    gram.flat[:: len(gram) + 1] += penalty
    right = targets if few_samples else X.T @ targets
    solution = linalg.solve(gram, right, assume_a="pos", overwrite_a=True)
    return (X.T @ solution).T if few_samples else solution.T


def _signed_sums(a: np.ndarray, Y: sparse.sparray, X: Matrix) -> np.ndarray:
    """``sum_j a_ij y_ij x_j`` of each label i, with `a` and the indicators `Y` of shape (n_labels, n_samples)."""
    a = sparse.csr_array(a)
    signed = 2 * a.multiply(Y) - a
    total = signed.tocsr() @ X
    return total.toarray() if sparse.issparse(total) else total


def _relative_change(before: np.ndarray, after: np.ndarray) -> float:
    norm = np.linalg.norm(after)
    return float(np.linalg.norm(after - before) / norm) if norm > 0 else 0.0
