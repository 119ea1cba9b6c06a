"""Weak classifiers with outputs in [0, 1], each fitted to (12): maximise ``sum_i c_ir h(x_i)`` over h and the class r.

A learner is made of the training features once; ``fit(coefficients)`` then gives each round's weak classifier.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from algos._kernels.logistic import unit_step
from algos.exceptions import InputError
from algos.selfpaced.features import centred


class WeakClassifier(Protocol):
    """What a learner returns."""

    def outputs(self, X: np.ndarray) -> np.ndarray:
        """h(x) in [0, 1] of each row, shape (n_samples,)."""

    def importances(self, n_features: int) -> np.ndarray:
        """How much it looks at each feature, nonnegative, shape (n_features,)."""


@dataclass(frozen=True)
class Fitted:
    """A round's weak classifier.

    Attributes
    ----------
    classifier : WeakClassifier
    label : int
        The class r for which it was found.
    score : float
        The value of (12), less the penalty where there is one: the violation that ends boosting when it is small.
    outputs : ndarray of shape (n_samples,), float32
        h(x) of the training samples.
    """

    classifier: WeakClassifier
    label: int
    score: float
    outputs: np.ndarray


@dataclass(frozen=True)
class LogisticUnit:
    """``h(x) = 1 / (1 + exp(-(a'(x - centre) + b)))`` (13)."""

    weights: np.ndarray
    intercept: float
    centre: np.ndarray

    def outputs(self, X: np.ndarray) -> np.ndarray:
        from scipy.special import expit

        return expit((X - self.centre) @ self.weights + self.intercept)

    def importances(self, n_features: int) -> np.ndarray:
        return np.abs(self.weights)


def all_outputs(classifiers: Sequence[WeakClassifier], X: np.ndarray) -> np.ndarray:
    """Outputs of some weak classifiers, shape (n_samples, len(classifiers)); of logistic units in one product."""
    if not classifiers:
        return np.empty((len(X), 0))
    if isinstance(classifiers[0], LogisticUnit):
        weights = np.column_stack([unit.weights for unit in classifiers])
        unit = LogisticUnit(weights, np.array([unit.intercept for unit in classifiers]), classifiers[0].centre)
        return unit.outputs(X)
    return np.column_stack([classifier.outputs(X) for classifier in classifiers])


class LogisticUnitLearner:
    """Logistic units, one for each class, by L-BFGS from zero, all classes side by side; the best one is taken.

    Minimises ``ridge/2 |a|^2 - sum_i c_ir h(x_i)`` for each class r. A step of all classes is two products of the
    features with a matrix in float32; line searches cost none, as they move along rays of the logits. With many classes
    only the promising ones are followed to the end: every two steps the best quarter goes on, down to `n_finalists`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    ridge : float
    max_iter : int
        Steps of L-BFGS at most.
    tol : float
        Ends when no class improves by more than this share of its value in a step.
    n_finalists : int
    memory : int
        Pairs that L-BFGS remembers.
    """

    def __init__(
        self,
        X: np.ndarray,
        ridge: float,
        max_iter: int = 50,
        tol: float = 1e-4,
        n_finalists: int = 16,
        memory: int = 8,
    ) -> None:
        self._centre = X.mean(axis=0, dtype=np.float64)
        self._X = np.ones((len(X), X.shape[1] + 1), dtype=np.float32)  # the last column is the intercept's
        self._X[:, :-1] = centred(X, self._centre)
        self._ridge = np.full(X.shape[1] + 1, ridge)
        self._ridge[-1] = 0
        self._max_iter, self._tol, self._n_finalists, self._memory = max_iter, tol, n_finalists, memory

    def fit(self, coefficients: np.ndarray) -> Fitted:
        """The best unit for coefficients c of shape (n_samples, n_classes), float32, C-contiguous."""
        from scipy.special import expit

        search = _UnitSearch(self._X, coefficients, self._ridge, self._memory)
        for t in range(1, self._max_iter + 1):
            gains = search.step()
            if np.all(gains <= self._tol * np.abs(search.values)):
                break
            if t % 2 == 0 and len(search.classes) > self._n_finalists:
                search.keep_best(max(len(search.classes) // 4, self._n_finalists))
        best = int(search.values.argmax())
        a = search.units[best]
        unit = LogisticUnit(a[:-1].copy(), float(a[-1]), self._centre)
        outputs = expit(self._X @ a.astype(np.float32))
        return Fitted(unit, int(search.classes[best]), float(search.values[best]), outputs)


class _UnitSearch:
    """State of L-BFGS for some classes: a row of `units` for each, their logits, values and gradients."""

    def __init__(self, X: np.ndarray, coefficients: np.ndarray, ridge: np.ndarray, memory: int) -> None:
        self._X, self._ridge, self._memory = X, ridge, memory
        n_classes = coefficients.shape[1]
        self.classes = np.arange(n_classes)
        self.units = np.zeros((n_classes, X.shape[1]))
        self._coefficients = coefficients
        self._logits = np.zeros_like(coefficients)
        self._pairs: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []  # s, y, and 1 / s'y or 0, a row a class
        slope = coefficients / 4
        self.values = coefficients.sum(axis=0, dtype=np.float64) / 2
        self._gradient = self._gradient_of(slope, self.units)

    def _gradient_of(self, slope: np.ndarray, units: np.ndarray) -> np.ndarray:
        """Of the value, to be maximised."""
        return (slope.T @ self._X).astype(np.float64) - units * self._ridge

    def _direction(self) -> np.ndarray:
        """L-BFGS's ascent direction; the gradient where that is none."""
        direction, shares = self._gradient.copy(), []
        for s, y, inverse in reversed(self._pairs):
            share = inverse * (s * direction).sum(axis=1)
            direction -= share[:, None] * y
            shares.append(share)
        if self._pairs:
            s, y, inverse = self._pairs[-1]
            scale = np.where(inverse > 0, (s * y).sum(axis=1) / np.maximum((y * y).sum(axis=1), 1e-300), 1.0)
            direction *= scale[:, None]
        for (s, y, inverse), share in zip(self._pairs, reversed(shares), strict=True):
            direction += s * (share - inverse * (y * direction).sum(axis=1))[:, None]
        downhill = (direction * self._gradient).sum(axis=1) <= 0
        direction[downhill] = self._gradient[downhill]
        return direction

    def step(self) -> np.ndarray:
        """Move every class; returns by how much its value rose."""
        direction = self._direction()
        slope_along = (direction * self._gradient).sum(axis=1)
        ray = self._X @ direction.T.astype(np.float32)
        step = np.ones(len(self.classes))
        if not self._pairs:  # the gradient has no scale: begin with logits of unit spread
            spread = np.sqrt(np.einsum("ij,ij->j", ray, ray) / len(ray))
            step = 1 / np.maximum(spread, 1e-12)
        logits, slope = np.empty_like(self._logits), np.empty_like(self._logits)
        for _ in range(12):
            units = self.units + step[:, None] * direction
            values = unit_step(self._logits, ray, step, self._coefficients, logits, slope)
            values -= (units * units) @ self._ridge / 2
            enough = values >= self.values + 1e-4 * step * slope_along
            if enough.all():
                break
            step = np.where(enough, step, 0.3 * step)
        else:
            step = np.where(enough, step, 0.0)
            units = self.units + step[:, None] * direction
            values = unit_step(self._logits, ray, step, self._coefficients, logits, slope)
            values -= (units * units) @ self._ridge / 2
        gradient = self._gradient_of(slope, units)
        self._remember(units - self.units, self._gradient - gradient)
        gains = values - self.values
        self.units, self.values, self._gradient, self._logits = units, values, gradient, logits
        return gains

    def _remember(self, s: np.ndarray, y: np.ndarray) -> None:
        curvature = (s * y).sum(axis=1)
        usable = curvature > 1e-10 * np.sqrt((s * s).sum(axis=1) * (y * y).sum(axis=1))
        self._pairs.append((s, y, np.where(usable, 1 / np.where(usable, curvature, 1), 0)))
        del self._pairs[: -self._memory]

    def keep_best(self, count: int) -> None:
        """Go on with the classes of the largest values only; of equals, the first."""
        kept = np.sort(np.argsort(-self.values, kind="stable")[:count])
        self.classes, self.units, self.values = self.classes[kept], self.units[kept], self.values[kept]
        self._gradient = self._gradient[kept]
        self._pairs = [(s[kept], y[kept], inverse[kept]) for s, y, inverse in self._pairs]
        self._logits = np.ascontiguousarray(self._logits[:, kept])
        self._coefficients = np.ascontiguousarray(self._coefficients[:, kept])


@dataclass(frozen=True)
class Stump:
    """1 on one side of a threshold of one feature, 0 on the other."""

    feature: int
    threshold: float
    above: bool

    def outputs(self, X: np.ndarray) -> np.ndarray:
        return ((X[:, self.feature] >= self.threshold) == self.above).astype(float)

    def importances(self, n_features: int) -> np.ndarray:
        return np.eye(1, n_features, self.feature)[0]


class StumpLearner:
    """The best stump, exactly: every cut of every feature, both sides, every class. Of equals the first is taken.

    A round costs ``n_samples * n_features * n_classes`` additions.
    """

    def __init__(self, X: np.ndarray) -> None:
        self._X = X
        self._order = np.argsort(X, axis=0, kind="stable")

    def fit(self, coefficients: np.ndarray) -> Fitted:
        """The best stump for coefficients of shape (n_samples, n_classes)."""
        c = coefficients.astype(np.float64)
        total = c.sum(axis=0)
        best = (-np.inf, 0, 0, -np.inf, True)
        for j, order in enumerate(self._order.T):
            x = self._X[order, j]
            cuts = np.flatnonzero(x[1:] > x[:-1])
            below = np.cumsum(c[order], axis=0)[cuts]
            for above, sums in ((True, total - below), (False, below)):
                if sums.size and sums.max() > best[0]:
                    cut, label = np.unravel_index(sums.argmax(), sums.shape)
                    low, high = float(x[cuts[cut]]), float(x[cuts[cut] + 1])
                    middle = low / 2 + high / 2
                    best = (sums.max(), label, j, middle if middle > low else high, above)
        if total.max() > best[0]:  # no cut is better than the classifier that is 1 everywhere
            best = (total.max(), total.argmax(), 0, -np.inf, True)
        score, label, feature, threshold, above = best
        stump = Stump(int(feature), float(threshold), above)
        return Fitted(stump, int(label), float(score), stump.outputs(self._X).astype(np.float32))


@dataclass(frozen=True)
class Tree:
    """A classification tree's answer, 0 or 1."""

    tree: Any

    def outputs(self, X: np.ndarray) -> np.ndarray:
        return self.tree.predict(_as_float32(X)).astype(float)

    def importances(self, n_features: int) -> np.ndarray:
        return self.tree.feature_importances_


class TreeLearner:
    """For each class r scikit-learn's classification tree of the signs of c_r, weighted by their sizes; the best one.

    The tree is grown by the Gini index, a proxy of (12), and a round grows as many trees as there are classes.
    """

    def __init__(self, X: np.ndarray, max_leaf_nodes: int, random_state: np.random.RandomState) -> None:
        self._X = _as_float32(X)
        self._max_leaf_nodes, self._random_state = max_leaf_nodes, random_state

    def fit(self, coefficients: np.ndarray) -> Fitted:
        """The best tree for coefficients of shape (n_samples, n_classes)."""
        from sklearn.tree import DecisionTreeClassifier

        best = None
        for label, c in enumerate(coefficients.T.astype(np.float64)):
            tree = DecisionTreeClassifier(max_leaf_nodes=self._max_leaf_nodes, random_state=self._random_state)
            tree.fit(self._X, (c > 0).astype(int), sample_weight=np.abs(c))
            outputs = tree.predict(self._X)
            score = float(c @ outputs)
            if best is None or score > best.score:
                best = Fitted(Tree(tree), label, score, outputs.astype(np.float32))
        return best


def _as_float32(X: np.ndarray) -> np.ndarray:
    if X.size and np.abs(X).max() > np.finfo(np.float32).max:
        raise InputError("trees take features as float32; some are larger than that can hold: scale them")
    return X.astype(np.float32)
