"""LEML: low-rank empirical risk minimisation for multi-label learning (Yu et al. 2014), all labels observed."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from algos.multilabel._base import MultiLabelClassifier
from algos.multilabel._newton import Product, trust_region_newton


class LEML(MultiLabelClassifier):
    """Low-rank linear classifiers of all labels: scores ``X W H'`` with W of shape (d, k) and H of shape (L, k).

    Minimises ``sum_ij loss(Y_ij, x_i' W h_j) + alpha/2 (||W||^2 + ||H||^2)`` by turns: W for fixed H, then H for W.

    Parameters
    ----------
    n_components : int or float, default=0.9
        The rank k; a float is a share of the number of labels, rounded up. At most ``min(d + 1, L)`` are used, since
        the objective gains nothing by more.
    loss : {"squared", "logistic", "squared_hinge"}, default="squared"
        ``(y - f)^2 / 2`` with y in {0, 1}; ``log(1 + exp(-y f))`` or ``max(0, 1 - y f)^2`` with y in {-1, 1}.
    alpha : float, default=1.0
        Weight lambda of the penalty.
    max_iter : int, default=25
        Rounds of W and H, at most.
    tol : float, default=1e-3
        Rounds end when one lowers the objective by less than this share of it; 0 does them all.
    newton_tol : float, default=1e-3
        For the other losses than the squared one: a step for W or H ends when its gradient's norm is at most this share
        of that at 0 (for H label by label).
    max_newton_iter, max_cg_iter : int, default=20, 25
        Newton steps of a step for W or H, and conjugate-gradient steps of each, at most; not for the squared loss.
    random_state : int, RandomState instance or None, default=None
        Draws the first H, uniform on [0, 1].

    Attributes
    ----------
    W_ : ndarray of shape (n_features + 1, k)
        Left factor; the last row belongs to a constant feature 1.
    H_ : ndarray of shape (n_labels, k)
        Right factor.
    n_components_ : int
        k.
    objective_ : ndarray of shape (n_iter_,)
        The objective after each round; it never rises.
    n_iter_ : int
        Rounds done.
    classes_ : ndarray of shape (n_classes,) or (n_labels,)
        The classes where `y` was a vector; of an indicator matrix the columns, 0, 1, ...
    n_labels_ : int
        Number of labels.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    `decision_function` is ``X W H'``, less 1/2 for the squared loss, whose targets are 0 and 1.

    With the squared loss both steps are exact: H solves ridge equations, and W is read off the eigenvectors of X'X and
    H'H. With the others they are trust-region Newton steps. Memory is n_samples x n_labels numbers, a few times.

    References
    ----------
    .. [1] H.-F. Yu, P. Jain, P. Kar and I. S. Dhillon. Large-scale multi-label learning with missing labels. ICML 2014.
    .. [2] S. You, C. Xu, Y. Wang, C. Xu and D. Tao. Privileged multi-label learning. IJCAI 2017 (as a rival).

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from algos.multilabel import LEML
    >>> X, Y = make_multilabel_classification(300, 20, n_classes=5, random_state=0)
    >>> model = LEML(n_components=3, random_state=0).fit(X[:200], Y[:200])
    >>> model.W_.shape, model.H_.shape
    ((21, 3), (5, 3))
    >>> model.predict(X[200:203])
    array([[0, 1, 1, 0, 0],
           [0, 0, 1, 0, 1],
           [0, 0, 0, 0, 0]])
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="right")],
        "loss": [StrOptions({"squared", "logistic", "squared_hinge"})],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "newton_tol": [Interval(Real, 0, None, closed="left")],
        "max_newton_iter": [Interval(Integral, 1, None, closed="left")],
        "max_cg_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: float = 0.9,
        loss: str = "squared",
        alpha: float = 1.0,
        max_iter: int = 25,
        tol: float = 1e-3,
        newton_tol: float = 1e-3,
        max_newton_iter: int = 20,
        max_cg_iter: int = 25,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.loss = loss
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.newton_tol = newton_tol
        self.max_newton_iter = max_newton_iter
        self.max_cg_iter = max_cg_iter
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> "LEML":
        """Fit the factors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Finite numbers.
        y : array-like or sparse matrix of shape (n_samples, n_labels), or array-like of shape (n_samples,)
            0 and 1; or classes.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated.
        """
        X, labels = self._validate_fit(X, y)
        X = _with_constant(X)
        L = self.n_labels_
        whole = isinstance(self.n_components, Integral)
        wanted = self.n_components if whole else int(np.ceil(float(self.n_components) * L))
        self.n_components_ = min(wanted, X.shape[1], L)
        H = check_random_state(self.random_state).uniform(size=(L, self.n_components_))
        solver = _SquaredSolver(X, labels, self) if self.loss == "squared" else _NewtonSolver(X, labels, self)
        W = np.zeros((X.shape[1], self.n_components_))
        objectives: list[float] = []
        for _ in range(self.max_iter):
            W = solver.improve_W(W, H)
            H = solver.improve_H(W, H)
            objectives.append(solver.objective(W, H))
            if len(objectives) > 1 and objectives[-2] - objectives[-1] < self.tol * abs(objectives[-2]):
                break
        self.W_, self.H_, self.objective_, self.n_iter_ = W, H, np.array(objectives), len(objectives)
        return self

    def _scores(self, X: Any) -> np.ndarray:
        scores = (X @ self.W_[:-1] + self.W_[-1]) @ self.H_.T
        return scores - 0.5 if self.loss == "squared" else scores


class _SquaredSolver:
    """Exact steps for the squared loss."""

    def __init__(self, X: Any, labels: np.ndarray, model: LEML) -> None:
        self.X, self.Y, self.alpha = X, labels.astype(np.float64), model.alpha
        self.XtY = X.T @ self.Y
        self.eigenvalues, self.eigenvectors = _eigen_of_gram(X)
        self.rotated = self.eigenvectors.T @ self.XtY

    def improve_W(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Solve ``X'X W H'H + alpha W = X'Y H``: in the eigenvectors of X'X and H'H a division cell by cell."""
        values, vectors = linalg.eigh(H.T @ H)
        cells = self.rotated @ (H @ vectors)
        cells /= self.eigenvalues[:, None] * np.maximum(values, 0) + self.alpha
        return self.eigenvectors @ cells @ vectors.T

    def improve_H(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Solve ``(A'A + alpha I) h_j = A'y_j``, A = XW, for all labels at once."""
        A = self.X @ W
        ridge = A.T @ A + self.alpha * np.eye(A.shape[1])
        return linalg.solve(ridge, A.T @ self.Y, assume_a="pos").T

    def objective(self, W: np.ndarray, H: np.ndarray) -> float:
        return 0.5 * ((self.Y - (self.X @ W) @ H.T) ** 2).sum() + _penalty(self.alpha, W, H)


class _NewtonSolver:
    """Trust-region Newton steps for a loss of the margin y f."""

    def __init__(self, X: Any, labels: np.ndarray, model: LEML) -> None:
        self.X, self.model, self.alpha = X, model, model.alpha
        self.loss = _LOSSES[model.loss]
        self.signs = np.where(labels, 1.0, -1.0)

    def improve_W(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        def evaluate(point: np.ndarray, _: np.ndarray) -> tuple[np.ndarray, np.ndarray, Product]:
            V = point.reshape(W.shape)
            losses, slopes, curvatures = self.loss((self.X @ V) @ H.T, self.signs)
            value = losses.sum() + 0.5 * self.alpha * (V**2).sum()
            gradient = self.X.T @ (slopes @ H) + self.alpha * V

            def product(S: np.ndarray) -> np.ndarray:
                S = S.reshape(W.shape)
                return (self.X.T @ ((curvatures * ((self.X @ S) @ H.T)) @ H) + self.alpha * S).reshape(-1, 1)

            return np.array([value]), gradient.reshape(-1, 1), product

        return self._newton(evaluate, W.reshape(-1, 1)).reshape(W.shape)

    def improve_H(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        A = self.X @ W

        def evaluate(V: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, Product]:
            losses, slopes, curvatures = self.loss(A @ V, self.signs[:, labels])
            values = losses.sum(axis=0) + 0.5 * self.alpha * (V**2).sum(axis=0)
            return values, A.T @ slopes + self.alpha * V, lambda S: A.T @ (curvatures * (A @ S)) + self.alpha * S

        return self._newton(evaluate, np.ascontiguousarray(H.T)).T

    def _newton(self, evaluate: Any, start: np.ndarray) -> np.ndarray:
        _, at_zero, _ = evaluate(np.zeros_like(start), np.arange(start.shape[1]))
        tolerance = self.model.newton_tol * np.linalg.norm(at_zero, axis=0)
        return trust_region_newton(evaluate, start, tolerance, self.model.max_newton_iter, self.model.max_cg_iter)

    def objective(self, W: np.ndarray, H: np.ndarray) -> float:
        return self.loss((self.X @ W) @ H.T, self.signs)[0].sum() + _penalty(self.alpha, W, H)


def _logistic(f: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``log(1 + exp(-y f))`` with its first and second derivative in f."""
    from scipy.special import expit

    p = expit(-y * f)
    return np.logaddexp(0, -y * f), -y * p, p * (1 - p)


def _squared_hinge(f: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``max(0, 1 - y f)^2`` with its first and (generalised) second derivative in f."""
    short = np.maximum(0, 1 - y * f)
    return short**2, -2 * y * short, 2.0 * (short > 0)


_LOSSES = {"logistic": _logistic, "squared_hinge": _squared_hinge}


def _penalty(alpha: float, W: np.ndarray, H: np.ndarray) -> float:
    return 0.5 * alpha * ((W**2).sum() + (H**2).sum())


def _with_constant(X: Any) -> Any:
    """X with a last column of ones."""
    ones = np.ones((X.shape[0], 1))
    if not hasattr(X, "toarray"):
        return np.hstack([X, ones])
    from scipy.sparse import csr_array, hstack

    return hstack([csr_array(X), csr_array(ones)], format="csr")


def _eigen_of_gram(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and orthonormal eigenvectors of X'X, all that matter: X' Y lies in their span."""
    n, d = X.shape
    gram = X @ X.T if n < d else X.T @ X
    values, vectors = linalg.eigh(gram.toarray() if hasattr(gram, "toarray") else gram)
    if n >= d:
        return np.maximum(values, 0), vectors
    kept = values > n * np.finfo(float).eps * values[-1]
    values = values[kept]
    return values, (X.T @ vectors[:, kept]) / np.sqrt(values)
