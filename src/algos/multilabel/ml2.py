"""ML2: multi-label manifold learning (Hou, Geng and Zhang 2016): numerical labels, then a kernel regression on them."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from scipy.sparse import csr_array, eye_array
from sklearn.utils._param_validation import Interval, StrOptions

from algos.multilabel._base import MultiLabelClassifier


class ML2(MultiLabelClassifier):
    """Multi-label manifold learning.

    1. Each sample is written as a combination of its nearest neighbours, of weights that sum to 1: W, the local
       linearity of the feature manifold.
    2. Labels +-1 become numbers mu of the same sign and at least 1 in size, which the same weights reproduce best:
       ``min mu'M mu`` under ``y_i mu_i >= 1``, M = (I - W)'(I - W), a quadratic programme a label.
    3. All mu are fitted by one kernel regression with an eps-insensitive loss of the samples' residuals r_i and a hinge
       of the signs: ``1/2 sum_j |theta_j|^2 + C1 sum_i max(0, r_i - eps)^2 + C2 sum_ij max(0, -y_ij f_ij)``.

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Neighbours of a sample, at most n_samples - 1. None is the number of labels plus 1.
    neighbor_ridge : float, default=1e-3
        Added to the diagonal of a sample's Gram matrix of neighbours, times its trace, before it is solved for weights.
    C1, C2 : float, default=1.0, 1.0
        Weights of the residuals and of the signs.
    epsilon : float, default=0.1
        Residuals up to this cost nothing.
    gamma : float or "mean_distance", default="mean_distance"
        Of the kernel ``exp(-gamma |x - z|^2)``; ``"mean_distance"`` is 1/(2 s^2), s the mean distance of two samples.
    qp_tol : float, default=1e-3
        The quadratic programme of a label ends at about this residual; see ``qp_residual_``.
    max_qp_iter : int, default=5000
        Its steps after the first whole one, at most.
    tol : float, default=1e-4
        The regression ends when a step lowers its objective by less than this share of it.
    max_iter : int, default=100
        Its steps after the first whole one, at most.

    Attributes
    ----------
    mu_ : ndarray of shape (n_samples, n_labels)
        Numerical labels of the training samples.
    qp_residual_ : ndarray of shape (n_labels,)
        Of the quadratic programmes: the largest ``|(M mu)_i|``, over the i that are not held by their constraint, as a
        share of the largest of all. 0 at the optimum.
    dual_coef_, intercept_ : ndarray of shape (n_samples, n_labels), (n_labels,)
        Scores are ``K dual_coef_ + intercept_``, K the kernel between samples and training samples.
    objective_ : ndarray of shape (n_iter_,)
        The regression's objective after each step; it never rises.
    gamma_ : float
        The kernel's parameter.
    n_iter_ : int
        Steps of the regression, the first one included.
    X_fit_ : ndarray or CSR matrix of shape (n_samples, n_features)
        Training samples.
    classes_, n_labels_, n_features_in_, feature_names_in_
        As in the other multi-label estimators.

    Notes
    -----
    The regression's steps treat the hinge as a slope, so where C2 is much larger than C1 they may end at its kinks,
    short of the optimum: by 2e-4 of the objective at C2 = 10 C1 and 6 % at C2 = 100 C1 on the tests' made-up data.

    The numbers' least size lambda is 1: another only scales mu, eps and 1/C1. Memory is n_samples^2 numbers, twice, and
    time n_samples^3 a step of the regression.

    References
    ----------
    .. [1] P. Hou, X. Geng and M.-L. Zhang. Multi-label manifold learning. AAAI 2016.
    .. [2] S. You, C. Xu, Y. Wang, C. Xu and D. Tao. Privileged multi-label learning. IJCAI 2017 (as a rival).

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from algos.multilabel import ML2
    >>> X, Y = make_multilabel_classification(300, 20, n_classes=5, random_state=0)
    >>> model = ML2().fit(X[:200], Y[:200])
    >>> model.predict(X[200:203])
    array([[0, 0, 1, 0, 0],
           [0, 0, 1, 1, 1],
           [0, 0, 0, 0, 0]])
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "neighbor_ridge": [Interval(Real, 0, None, closed="neither")],
        "C1": [Interval(Real, 0, None, closed="neither")],
        "C2": [Interval(Real, 0, None, closed="left")],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "gamma": [StrOptions({"mean_distance"}), Interval(Real, 0, None, closed="neither")],
        "qp_tol": [Interval(Real, 0, None, closed="left")],
        "max_qp_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_neighbors: int | None = None,
        neighbor_ridge: float = 1e-3,
        C1: float = 1.0,
        C2: float = 1.0,
        epsilon: float = 0.1,
        gamma: float | str = "mean_distance",
        qp_tol: float = 1e-3,
        max_qp_iter: int = 5000,
        tol: float = 1e-4,
        max_iter: int = 100,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.neighbor_ridge = neighbor_ridge
        self.C1 = C1
        self.C2 = C2
        self.epsilon = epsilon
        self.gamma = gamma
        self.qp_tol = qp_tol
        self.max_qp_iter = max_qp_iter
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: ArrayLike, y: ArrayLike) -> "ML2":
        """Fit the numerical labels and the regression.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Finite numbers; at least two samples.
        y : array-like or sparse matrix of shape (n_samples, n_labels), or array-like of shape (n_samples,)
            0 and 1; or classes.

        Raises
        ------
        ValueError
            For values, shapes or parameters that are not as stated.
        """
        X, labels = self._validate_fit(X, y, min_samples=2)
        signs = np.where(labels, 1.0, -1.0)
        wanted = self.n_labels_ + 1 if self.n_neighbors is None else self.n_neighbors
        weights = neighbor_weights(X, min(wanted, X.shape[0] - 1), self.neighbor_ridge)
        self.mu_, self.qp_residual_ = numerical_labels(weights, signs, self.qp_tol, self.max_qp_iter)
        self.X_fit_ = X
        self.gamma_ = _mean_distance_gamma(X) if self.gamma == "mean_distance" else float(self.gamma)
        self._regress(self._kernel(X), signs)
        return self

    def _kernel(self, X: Any) -> np.ndarray:
        from sklearn.metrics.pairwise import rbf_kernel

        return rbf_kernel(X, self.X_fit_, gamma=self.gamma_)

    def _scores(self, X: Any) -> np.ndarray:
        return self._kernel(X) @ self.dual_coef_ + self.intercept_

    def _regress(self, K: np.ndarray, signs: np.ndarray) -> None:
        """Step 3 by iteratively reweighted least squares, each step shortened until it lowers the objective.

        It begins at the first step from 0 whole: at 0 every label's hinge has its kink, where no slope is right.
        """
        b = np.zeros(signs.shape[1])
        beta, b = self._reweighted(K, np.zeros_like(signs), b, signs)
        K_beta = K @ beta
        objectives = [self._objective(beta, K_beta, b, signs)]
        for _ in range(self.max_iter):
            new_beta, new_b = self._reweighted(K, K_beta + b, b, signs)
            step, new_K_beta = 1.0, K @ new_beta
            while True:
                trial = (beta + step * (new_beta - beta), K_beta + step * (new_K_beta - K_beta), b + step * (new_b - b))
                value = self._objective(*trial, signs)
                if value <= objectives[-1] or step < 1e-8:
                    break
                step /= 2
            if value > objectives[-1]:
                break  # at a kink of the hinge no step along this direction helps
            beta, K_beta, b = trial
            objectives.append(value)
            if objectives[-2] - value <= self.tol * objectives[-2]:
                break
        self.dual_coef_, self.intercept_ = beta, b
        self.objective_, self.n_iter_ = np.array(objectives), len(objectives)

    def _objective(self, beta: np.ndarray, K_beta: np.ndarray, b: np.ndarray, signs: np.ndarray) -> float:
        f = K_beta + b
        residuals = np.linalg.norm(self.mu_ - f, axis=1)
        fit = (np.maximum(0, residuals - self.epsilon) ** 2).sum()
        return 0.5 * (beta * K_beta).sum() + self.C1 * fit + self.C2 * np.maximum(0, -signs * f).sum()

    def _reweighted(
        self, K: np.ndarray, f: np.ndarray, b: np.ndarray, signs: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Minimise the objective with residual i weighted by a_i = 2 (r_i - eps)/r_i and the hinge by its slope, at f.

        The optimum has ``beta = C1 a (mu - K beta - b) + C2 s y`` with s_ij = 1 where y_ij f_ij < 0, and 1'beta = 0.
        With q = sqrt(C1 a) and ``beta = C2 s y + q g`` the matrix to factor, ``I + (q q') K``, is well conditioned.
        """
        residuals = np.linalg.norm(self.mu_ - f, axis=1)
        outside = residuals > self.epsilon
        a = np.where(outside, 2 * (residuals - self.epsilon) / np.where(outside, residuals, 1), 0)
        q = np.sqrt(self.C1 * a)
        wrong = self.C2 * np.where(signs * f < 0, signs, 0)
        if not outside.any():
            return wrong, b
        matrix = K * q[:, None] * q
        matrix[np.diag_indices_from(matrix)] += 1
        factor = linalg.cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        g_mu = linalg.cho_solve(factor, q[:, None] * (self.mu_ - K @ wrong), check_finite=False)
        g_1 = linalg.cho_solve(factor, q, check_finite=False)
        new_b = (wrong.sum(axis=0) + q @ g_mu) / (q @ g_1)
        return wrong + q[:, None] * (g_mu - g_1[:, None] * new_b), new_b


def neighbor_weights(X: Any, n_neighbors: int, ridge: float) -> csr_array:
    """Weights of each sample's nearest neighbours that reproduce it best and sum to 1.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    n_neighbors : int
        At most n_samples - 1.
    ridge : float
        Share of its trace added to the diagonal of a Gram matrix, which is singular for more neighbours than features.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
    """
    from sklearn.neighbors import NearestNeighbors

    n = X.shape[0]
    neighbors = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors(return_distance=False)
    weights = np.empty(neighbors.shape)
    step = max(1, 2**24 // n_neighbors**2)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        gram = _gram_of_differences(X, rows, neighbors[rows])
        trace = np.trace(gram, axis1=1, axis2=2)
        # A sample with copies of itself for neighbours: any weights will do, so equal ones.
        gram += (ridge * np.where(trace > 0, trace, 1))[:, None, None] * np.eye(n_neighbors)
        solved = np.linalg.solve(gram, np.ones((len(gram), n_neighbors, 1)))[:, :, 0]
        weights[rows] = solved / solved.sum(axis=1, keepdims=True)
    return csr_array((weights.ravel(), neighbors.ravel(), np.arange(0, n * n_neighbors + 1, n_neighbors)), shape=(n, n))


def _gram_of_differences(X: Any, rows: slice, neighbors: np.ndarray) -> np.ndarray:
    """``(x_i - x_j)'(x_i - x_k)`` over pairs of neighbours j, k of each sample i of `rows`."""
    grams = np.empty((len(neighbors), neighbors.shape[1], neighbors.shape[1]))
    for gram, i, near in zip(grams, range(rows.start, X.shape[0]), neighbors, strict=False):
        x, z = X[[i]], X[near]
        differences = (z.toarray() - x.toarray()) if hasattr(X, "toarray") else z - x
        np.matmul(differences, differences.T, out=gram)
    return grams


def numerical_labels(weights: csr_array, signs: np.ndarray, tol: float, max_iter: int) -> tuple[np.ndarray, np.ndarray]:
    """Minimise ``mu'M mu``, M = (I - W)'(I - W), under ``y_i mu_i >= 1``, for every label.

    Accelerated projected gradient on all labels side by side, each with a momentum of its own that is dropped when it
    points uphill; a label is done when its residual is about `tol`.

    Parameters
    ----------
    weights : csr_array of shape (n_samples, n_samples)
        W.
    signs : ndarray of shape (n_samples, n_labels)
        Labels, +-1.
    tol : float
        Residual.
    max_iter : int
        Steps, at most.

    Returns
    -------
    mu : ndarray of shape (n_samples, n_labels)
    residual : ndarray of shape (n_labels,)
        ``ML2.qp_residual_``.
    """
    reach = (eye_array(weights.shape[0], format="csr") - weights).tocsr()
    back = reach.T.tocsr()
    # A bound on the largest eigenvalue of M, so the step never overshoots.
    curvature = abs(reach).sum(axis=0).max() * abs(reach).sum(axis=1).max()
    mu, columns = signs.copy(), np.arange(signs.shape[1])
    y, point, ahead, momentum = signs, mu.copy(), mu.copy(), np.ones(signs.shape[1])
    for _ in range(max_iter):
        gradient = back @ (reach @ ahead)
        # y mu >= 1 is a bound on y mu; the projection sets what is below to 1.
        new = y * np.maximum(1, y * (ahead - gradient / curvature))
        uphill = ((ahead - new) * (new - point)).sum(axis=0) > 0
        todo = curvature * np.abs(new - ahead).max(axis=0) > tol * _largest_multiplier(gradient)
        next_momentum = np.where(uphill, 1.0, (1 + np.sqrt(1 + 4 * momentum**2)) / 2)
        ahead = new + np.where(uphill, 0.0, (momentum - 1) / next_momentum) * (new - point)
        point, momentum = new, next_momentum
        mu[:, columns] = point
        if not todo.any():
            break
        if not todo.all():
            columns, momentum = columns[todo], momentum[todo]
            y, point, ahead = y[:, todo], point[:, todo], ahead[:, todo]
    return mu, _kkt_residual(mu, back @ (reach @ mu), signs)


def _kkt_residual(mu: np.ndarray, gradient: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """What is left of the gradient where mu could still move down it, as a share of the largest multiplier."""
    bound = signs * mu <= 1
    left = np.where(bound, np.minimum(signs * gradient, 0), gradient)
    return np.abs(left).max(axis=0) / _largest_multiplier(gradient)


def _largest_multiplier(gradient: np.ndarray) -> np.ndarray:
    # A label that all samples have, or none, is reproduced exactly: its gradient is rounding, 0 next to |mu| >= 1.
    return np.maximum(np.abs(gradient).max(axis=0), 1e-10)


def _mean_distance_gamma(X: Any) -> float:
    """1/(2 s^2), s the mean distance between two different samples."""
    from sklearn.metrics.pairwise import euclidean_distances

    n = X.shape[0]
    mean = euclidean_distances(X).sum() / (n * (n - 1))
    return float(1 / (2 * mean**2)) if mean > 0 else 1.0
