"""The W-step of (9): class weights of the weak classifiers, by projected L-BFGS to a stated optimality residual.

``min over W >= 0 of  sum_i v_i sum_r log(1 + exp(-rho_ir)) + nu sum_j ||W_j.||_2``, with
``rho_ir = H_i.(w_(y_i) - w_r)`` and a row of W for each weak classifier.

With ``G = -gradient of the loss``, W is optimal when, for each row j: ``||max(G_j., 0)|| <= nu`` if the row is zero;
otherwise ``G_jr = nu W_jr / ||W_j.||`` where ``W_jr > 0`` and ``G_jr <= 0`` where ``W_jr = 0``. What is missing to that
is the subgradient of least norm, and its largest row norm over nu is the residual. Steps are quasi-Newton on the
entries that may move, preconditioned by the loss's second derivatives and projected on W >= 0: a row that a step takes
below zero becomes exactly zero, and comes back only if it violates its condition.
"""

from dataclasses import dataclass

import numpy as np

from algos._kernels.logistic import margin_loss

BLOCK = 512  # samples whose scores stay in the cache between the two products and the loss
MEMORY = 10  # pairs that L-BFGS remembers
REFRESH = 30  # iterations between two looks at the second derivatives
ROUNDING = 2e-7  # relative error of a loss from float32 scores


class MarginObjective:
    """Loss of (9) and its derivatives, for weak classifiers' outputs on the training samples.

    Parameters
    ----------
    outputs : ndarray of shape (n_weak, n_samples), float32
        A row for each weak classifier.
    labels : ndarray of shape (n_samples,), int32
    sample_weight : ndarray of shape (n_samples,), float32
        v.
    n_classes : int
    """

    def __init__(self, outputs: np.ndarray, labels: np.ndarray, sample_weight: np.ndarray, n_classes: int) -> None:
        self._outputs, self._labels, self._sample_weight = outputs, labels, sample_weight
        self._n_classes = n_classes
        self.n_evaluations = 0

    def _blocks(self) -> list[slice]:
        n = len(self._labels)
        return [slice(first, first + BLOCK) for first in range(0, n, BLOCK)]

    def losses(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Each sample's loss, and the derivatives of the weighted losses by the scores, (n_samples, n_classes)."""
        W = W.astype(np.float32)
        scores = self._outputs.T @ W
        return margin_loss(scores, self._labels, self._sample_weight), scores

    def __call__(self, W: np.ndarray) -> tuple[float, np.ndarray]:
        """The weighted loss, and its gradient by W."""
        self.n_evaluations += 1
        W = W.astype(np.float32)
        loss, gradient = 0.0, np.zeros(W.shape, dtype=np.float64)
        for rows in self._blocks():
            outputs, weight = self._outputs[:, rows], self._sample_weight[rows]
            scores = outputs.T @ W
            loss += float(margin_loss(scores, self._labels[rows], weight) @ weight)
            gradient += outputs @ scores
        return loss, gradient

    def curvature(self, W: np.ndarray) -> np.ndarray:
        """The diagonal of the loss's second derivative, shape of W."""
        self.n_evaluations += 1
        W = W.astype(np.float32)
        total = np.zeros(W.shape, dtype=np.float64)
        for rows in self._blocks():
            outputs, labels = self._outputs[:, rows], self._labels[rows]
            scores = outputs.T @ W
            margin_loss(scores, labels, np.ones(len(labels), dtype=np.float32))
            own = np.arange(len(labels))
            scores[own, labels] = 0
            scores *= 1 - scores  # s (1 - s)
            scores[own, labels] = scores.sum(axis=1)
            scores *= self._sample_weight[rows, None]
            total += (outputs * outputs) @ scores
        return total


@dataclass(frozen=True)
class Solution:
    """What the W-step ended with.

    Attributes
    ----------
    W : ndarray of shape (n_weak, n_classes), float32
    objective : float
    residual : float
        How far W is from meeting the conditions, over nu.
    n_evaluations : int
        Losses with gradients that were computed.
    """

    W: np.ndarray
    objective: float
    residual: float
    n_evaluations: int


def least_subgradient(W: np.ndarray, gradient: np.ndarray, nu: float) -> np.ndarray:
    """The subgradient of least norm of the loss plus nu times the row norms over W >= 0: zero where W is optimal."""
    norms = np.linalg.norm(W, axis=1)
    rows = norms > 0
    least = gradient + nu * W / np.where(rows, norms, 1)[:, None]
    least[(W == 0) & (least > 0)] = 0
    rise = np.maximum(-gradient[~rows], 0)
    size = np.linalg.norm(rise, axis=1)
    least[~rows] = -rise * np.maximum(0, 1 - nu / np.maximum(size, 1e-300))[:, None]
    return least


def optimality_residual(W: np.ndarray, gradient: np.ndarray, nu: float) -> float:
    """Largest row norm of the least subgradient, over nu."""
    return float(np.linalg.norm(least_subgradient(W, gradient, nu), axis=1).max() / nu)


class _QuasiNewton:
    """L-BFGS on a changing set of free entries, from a diagonal first guess."""

    def __init__(self) -> None:
        self._pairs: list[tuple[np.ndarray, np.ndarray]] = []

    def forget(self) -> None:
        self._pairs.clear()

    def remember(self, s: np.ndarray, y: np.ndarray) -> None:
        if np.vdot(s, y) > 1e-12:
            self._pairs.append((s, y))
            del self._pairs[:-MEMORY]

    def direction(self, slope: np.ndarray, free: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
        """Minus the inverse Hessian times the slope; `diagonal` is a guess at that inverse's."""
        pairs = []
        for s, y in self._pairs:
            s, y = s * free, y * free
            curvature = np.vdot(s, y)
            if curvature > 1e-10 * np.linalg.norm(s) * np.linalg.norm(y):
                pairs.append((s, y, curvature))
        d, shares = slope * free, []
        for s, y, curvature in reversed(pairs):
            share = np.vdot(s, d) / curvature
            d -= share * y
            shares.append(share)
        d *= diagonal
        if pairs:
            s, y, curvature = pairs[-1]
            d *= curvature / np.vdot(y, y * diagonal)
        for (s, y, curvature), share in zip(pairs, reversed(shares), strict=True):
            d += s * (share - np.vdot(y, d) / curvature)
        return -d * free


class _Descent:
    """A point W with its objective, gradient and slope, and the step to the next."""

    def __init__(self, loss: MarginObjective, W: np.ndarray, nu: float) -> None:
        self._loss, self._nu = loss, nu
        self._model = _QuasiNewton()
        self.W = W.astype(np.float32).astype(np.float64)
        self.objective, self._gradient = self._evaluate(self.W)
        self._curvature = np.zeros_like(W)
        self.update_slope()

    def _evaluate(self, W: np.ndarray) -> tuple[float, np.ndarray]:
        loss, gradient = self._loss(W)
        return loss + self._nu * float(np.linalg.norm(W, axis=1).sum()), gradient

    def update_slope(self) -> None:
        self.slope = least_subgradient(self.W, self._gradient, self._nu)
        self.residual = float(np.linalg.norm(self.slope, axis=1).max() / self._nu)

    def refresh_curvature(self) -> None:
        self._curvature = self._loss.curvature(self.W)

    def _diagonal(self) -> np.ndarray:
        """Inverse of the second derivatives of the loss and of the norms of rows that are not zero."""
        norms = np.linalg.norm(self.W, axis=1)[:, None]
        share = self.W / np.where(norms > 0, norms, 1)
        of_norms = np.where(norms > 0, self._nu * (1 - share**2) / np.where(norms > 0, norms, 1), 0)
        floor = 1e-3 * self._curvature.mean(axis=1, keepdims=True) + 1e-12
        return 1 / (self._curvature + floor + of_norms)

    def _total_gradient(self, W: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        norms = np.linalg.norm(W, axis=1)[:, None]
        return gradient + self._nu * W / np.where(norms > 0, norms, 1)

    def step(self) -> bool:
        """Move to a point of lower objective; False when none is found."""
        free = (self.slope != 0) | (self.W > 0)
        diagonal = self._diagonal()
        direction = self._model.direction(self.slope, free, diagonal)
        if np.vdot(direction, self.slope) >= 0:
            self._model.forget()
            direction = -self.slope * diagonal
        length = 1.0
        for trial in range(20):
            W = np.maximum(self.W + length * direction, 0).astype(np.float32).astype(np.float64)
            objective, gradient = self._evaluate(W)
            move = W - self.W
            fall = np.vdot(self.slope, move)
            total = self._total_gradient(W, gradient)
            if objective <= self.objective + 1e-4 * fall or (
                # Where rounding hides the fall, the slope at the new point tells.
                objective <= self.objective + ROUNDING * abs(self.objective) and np.vdot(total, move) <= -0.8 * fall
            ):
                self._model.remember(move, total - self._total_gradient(self.W, self._gradient))
                self.W, self.objective, self._gradient = W, objective, gradient
                self.update_slope()
                return True
            length *= 0.5 if trial < 2 else 0.2
        return False


def solve_weights(loss: MarginObjective, W: np.ndarray, nu: float, tol: float = 1e-2, max_iter: int = 200) -> Solution:
    """Minimise (9) over W >= 0.

    Parameters
    ----------
    loss : MarginObjective
    W : ndarray of shape (n_weak, n_classes)
        Where to start: the last round's weights, with a row of zeros for the new weak classifier.
    nu : float
        Weight of the row norms.
    tol : float
        Ends when the optimality residual is at most this.
    max_iter : int
        Ends after so many steps in any case.

    Returns
    -------
    Solution
    """
    descent = _Descent(loss, W, nu)
    for t in range(max_iter):
        if descent.residual <= tol:
            break
        if t % REFRESH == 0:
            descent.refresh_curvature()
        if not descent.step():
            break
    return Solution(descent.W.astype(np.float32), descent.objective, descent.residual, loss.n_evaluations)
