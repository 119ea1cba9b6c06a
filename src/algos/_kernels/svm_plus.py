"""Dual coordinate descent for linear SVM and SVM+ problems: checks arguments, then calls C++.

Labels are a sparse 0/1 matrix throughout; the signs y of the papers are -1 and +1. Matrices of samples by features are
dense arrays or compressed sparse rows. All solvers are deterministic and single-threaded.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from algos._kernels import _svm_plus

# What the extension is built from; a method that uses this module depends on them.
KERNEL_SOURCES = (
    "common.hpp",
    "numpy_arrays.hpp",
    "svm_plus_module.cpp",
    "svm_plus_loops.hpp",
    "svm_plus_solvers.hpp",
    "svm_plus_steps.hpp",
    "svm_plus_vectors.hpp",
    "svm_plus_labels.cpp",
    "svm_plus_dictionary.cpp",
)

Matrix = np.ndarray | sparse.csr_array | sparse.csr_matrix


def instruction_sets() -> list[str]:
    """Names of the instruction sets this machine can run, the fastest first; all give the same bits."""
    return list(_svm_plus.instruction_sets())


@dataclass(frozen=True)
class Stop:
    """When a descent ends, and in which order it visits.

    Attributes
    ----------
    tolerance : float
        Duality gap, as a part of the primal value, that ends it. The primal value is that of the current point made
        feasible. With 0 there are `max_sweeps` plain sweeps (unless nothing moves any more): the papers' steps, one
        multiplier at a time. Else steps are longer by a factor, and those of SVM+ take one b of the example visited
        before along, the two to their joint optimum, since what examples share makes single steps short.
    max_sweeps : int
        Most passes over the multipliers.
    shrinking : bool
        Whether multipliers that rest at a bound are passed over until the gap is computed. Not in plain sweeps.
    seed : int
        Of the random order of visits. The order is the same for all labels.
    instruction_set : str or None
        One of :func:`instruction_sets`; None takes the fastest.
    """

    tolerance: float = 1e-3
    max_sweeps: int = 1000
    shrinking: bool = True
    seed: int = 0
    instruction_set: str | None = None

    def checked(self) -> tuple[str, Any]:
        """The instruction set and the kernel's form of the rest; ValueError where something is not as stated."""
        known = instruction_sets()
        name = known[0] if self.instruction_set is None else self.instruction_set
        if name not in known:
            raise ValueError(f"instruction set {name!r} is not one of {known}")
        if not self.tolerance >= 0 or not 1 <= self.max_sweeps < 2**31 or not 0 <= self.seed < 2**64:
            raise ValueError(f"{self}: tolerance and seed must not be negative, max_sweeps must lie in 1..2**31 - 1")
        return name, _svm_plus.Stop(float(self.tolerance), self.max_sweeps, self.shrinking, self.seed)


@dataclass(frozen=True)
class Outcome:
    """How descents ended, one entry each.

    Attributes
    ----------
    sweeps : ndarray of int
    primal : ndarray
        Value of the primal problem at the last point, made feasible; infinite where no way to do so is known.
    dual : ndarray
        Value of the dual problem, a lower bound of the least primal value.
    """

    sweeps: np.ndarray
    primal: np.ndarray
    dual: np.ndarray

    @classmethod
    def empty(cls, n: int) -> "Outcome":
        """Zeros for `n` descents."""
        return cls(np.zeros(n, dtype=np.int64), np.zeros(n), np.zeros(n))

    @property
    def gap(self) -> float:
        """Duality gap of all descents together, as a part of their primal value."""
        primal = self.primal.sum()
        return float((primal - self.dual.sum()) / primal) if np.isfinite(primal) and primal > 0 else np.inf

    def for_kernel(self) -> Any:
        """The kernel's view of the arrays, which it fills."""
        return _svm_plus.Outcomes(self.sweeps, self.primal, self.dual)


@dataclass
class Multipliers:
    """The state of SVM+ descents, changed in place: a descent goes on where the last one ended.

    Attributes
    ----------
    a, b : ndarray of shape (n_labels, n_samples), or for the dictionary step (n_samples, n_labels)
        Multipliers, not negative.
    correction : ndarray of shape (n_labels, n_privileged), or for the dictionary step (n_labels, n_labels)
        Correcting vectors ``wt_i``; in the dictionary step entry (l, i) is that of label l for label i. The solvers
        rely on them to be ``(1/gamma) sum_j (a_j + b_j - C) xt_j``.
    constant : ndarray of shape (n_labels,)
        Their component on the constant privileged feature of labels.
    """

    a: np.ndarray
    b: np.ndarray
    correction: np.ndarray
    constant: np.ndarray

    def for_kernel(self) -> Any:
        """The kernel's view of the arrays."""
        return _svm_plus.State(self.a, self.b, self.correction, self.constant)


@dataclass(frozen=True)
class LabelAdvice:
    """Labels as privileged features of one another.

    Attributes
    ----------
    Y : sparse array of shape (n_samples, n_labels)
        0/1 indicators in compressed sparse rows.
    pools : ndarray of bool of shape (n_labels, n_labels), or None
        Entry (i, l): whether label l is a privileged feature of label i; the diagonal is False. None takes all others.
    constant : float
        Value of one more privileged feature, the same for all samples; 0 for none.
    """

    Y: sparse.csr_array
    pools: np.ndarray | None = None
    constant: float = 0.0

    def for_kernel(self) -> Any:
        """The kernel's view; ValueError for pools of another shape or with a label in its own pool."""
        pools = self.pools
        if pools is not None:
            L = self.Y.shape[1]
            if pools.shape != (L, L) or pools.diagonal().any():
                raise ValueError(f"pools must have shape {(L, L)} and a diagonal of False")
            pools = np.ascontiguousarray(pools, dtype=np.uint8)
        return _svm_plus.Advice(_ones(self.Y), pools, float(self.constant))


def solve_hinge(X: Matrix, Y: sparse.csr_array, C: float, stop: Stop) -> tuple[np.ndarray, Outcome]:
    """Solve ``min 1/2 ||z||^2 + C sum_j max(0, 1 - y_j z'x_j)`` for every label.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    Y : sparse array of shape (n_samples, n_labels)
    C : float
        Positive.

    Returns
    -------
    z : ndarray of shape (n_labels, n_features)
    outcome : Outcome
        One entry a label.

    Raises
    ------
    ValueError
        When a shape or a value is not as stated.
    """
    _check_positive(C=C)
    _check_rows(X, Y)
    name, kernel_stop = stop.checked()
    z, outcome = np.empty((Y.shape[1], X.shape[1])), Outcome.empty(Y.shape[1])
    _svm_plus.hinge(name, _matrix(X), _columns(Y), float(C), kernel_stop, z, outcome.for_kernel())
    return z, outcome


def solve_plus_rows(
    X: Matrix,
    privileged: Matrix,
    direction: np.ndarray,
    Y: sparse.csr_array,
    C: float,
    gamma: float,
    multipliers: Multipliers,
    stop: Stop,
) -> tuple[np.ndarray, Outcome]:
    """Solve SVM+ for every label, with the same privileged features xt_j for all of them.

    The problem is ``min 1/2 ||w||^2 + gamma/2 ||wt||^2 + C sum_j <wt, xt_j>`` subject to
    ``y_j <w, x_j> >= 1 - <wt, xt_j>`` and ``<wt, xt_j> >= 0``.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    privileged : matrix of shape (n_samples, n_privileged)
    direction : ndarray of shape (n_privileged,)
        Adding it to a correcting vector should raise all slacks: the way to a feasible point.
    Y : sparse array of shape (n_samples, n_labels)
    C, gamma : float
        Positive.
    multipliers : Multipliers
        Changed in place.

    Returns
    -------
    w : ndarray of shape (n_labels, n_features)
    outcome : Outcome
        One entry a label.

    Raises
    ------
    ValueError
        When a shape or a value is not as stated.
    """
    _check_positive(C=C, gamma=gamma)
    _check_rows(X, Y, privileged)
    (n, L), p = Y.shape, privileged.shape[1]
    _check_multipliers(multipliers, (L, n), (L, p))
    if direction.shape != (p,):
        raise ValueError(f"direction must have shape {(p,)}, not {direction.shape}")
    name, kernel_stop = stop.checked()
    w, outcome = np.empty((L, X.shape[1])), Outcome.empty(L)
    direction = np.ascontiguousarray(direction, dtype=np.float64)
    _svm_plus.plus_rows(
        name, _matrix(X), _matrix(privileged), direction, _columns(Y), float(C), float(gamma), kernel_stop,
        multipliers.for_kernel(), w, outcome.for_kernel(),
    )  # fmt: skip
    return w, outcome


def solve_plus_labels(
    score: Matrix,
    update: Matrix,
    advice: LabelAdvice,
    C: float,
    gamma: float,
    multipliers: Multipliers,
    stop: Stop,
) -> tuple[np.ndarray, Outcome]:
    """Solve SVM+ for every label, with the other labels as privileged features.

    Parameters
    ----------
    score, update : matrix of shape (n_samples, width)
        Rows s_j and u_j with ``<s_j, u_q>`` the inner product of the features of j and q. Both are the features
        themselves; or, for features D x, s_j = x_j and u_j = D'D x_j, which is cheaper where x_j is sparse.
    advice : LabelAdvice
    C, gamma : float
        Positive.
    multipliers : Multipliers
        Changed in place.

    Returns
    -------
    z : ndarray of shape (n_labels, width)
        ``sum_j a_j y_j u_j``; scores are ``<z, s_j>``.
    outcome : Outcome
        One entry a label.

    Raises
    ------
    ValueError
        When a shape or a value is not as stated.
    """
    _check_positive(C=C, gamma=gamma)
    _check_rows(score, advice.Y, update)
    n, L = advice.Y.shape
    if score.shape != update.shape:
        raise ValueError(f"score has shape {score.shape} and update {update.shape}")
    _check_multipliers(multipliers, (L, n), (L, L))
    name, kernel_stop = stop.checked()
    z, outcome = np.empty((L, score.shape[1])), Outcome.empty(L)
    scores = _matrix(score)
    updates = scores if update is score else _matrix(update)
    _svm_plus.plus_labels(
        name, scores, updates, _columns(advice.Y), advice.for_kernel(), float(C), float(gamma), kernel_stop,
        multipliers.for_kernel(), z, outcome.for_kernel(),
    )  # fmt: skip
    return z, outcome


def solve_dictionary(
    X: Matrix,
    gram: np.ndarray,
    z: np.ndarray,
    advice: LabelAdvice,
    C: float,
    gamma: float,
    multipliers: Multipliers,
    stop: Stop,
) -> Outcome:
    """Solve the dictionary step ``min_D 1/2 ||D||^2 + gamma/2 sum_i ||wt_i||^2 + C sum_ij <wt_i, yt_ij>``.

    It is subject to ``y_ij <w_i, D x_j> >= 1 - <wt_i, yt_ij>`` and ``<wt_i, yt_ij> >= 0``; D is
    ``sum_ij a_ij y_ij w_i x_j'``.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    gram : ndarray of shape (n_labels, n_labels)
        ``W W'``, inner products of the w_i.
    z : ndarray of shape (n_features, n_labels)
        ``(W D)'`` of the multipliers at the start; changed in place.
    advice : LabelAdvice
    C, gamma : float
        Positive.
    multipliers : Multipliers
        Changed in place. Here samples come first.

    Returns
    -------
    Outcome
        One entry.

    Raises
    ------
    ValueError
        When a shape or a value is not as stated.
    """
    _check_positive(C=C, gamma=gamma)
    _check_rows(X, advice.Y)
    n, L = advice.Y.shape
    _check_array("gram", gram, (L, L))
    _check_array("z", z, (X.shape[1], L))
    _check_multipliers(multipliers, (n, L), (L, L))
    name, kernel_stop = stop.checked()
    outcome = Outcome.empty(1)
    _svm_plus.dictionary(
        name, _matrix(X), gram, advice.for_kernel(), float(C), float(gamma), kernel_stop, multipliers.for_kernel(), z,
        outcome.for_kernel(),
    )  # fmt: skip
    return outcome


def _matrix(X: Matrix) -> Any:
    if not sparse.issparse(X):
        return _svm_plus.Matrix(np.ascontiguousarray(X, dtype=np.float64))
    X = X.tocsr()
    values = np.ascontiguousarray(X.data, dtype=np.float64)
    return _svm_plus.Matrix(values, X.indptr.astype(np.int64), X.indices.astype(np.int32, copy=False), X.shape[1])


def _ones(Y: sparse.csr_array) -> Any:
    """For each row of a 0/1 matrix its columns of 1, ascending."""
    if not Y.has_sorted_indices:
        Y = Y.sorted_indices()
    return _svm_plus.Ones(Y.indptr.astype(np.int64), Y.indices.astype(np.int32, copy=False))


def _columns(Y: sparse.csr_array) -> Any:
    return _ones(Y.tocsc())


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not (value > 0 and np.isfinite(value)):
            raise ValueError(f"{name} must be positive and finite, not {value}")


def _check_rows(X: Matrix, Y: sparse.csr_array, other: Matrix | None = None) -> None:
    for matrix in (X, Y, other):
        if matrix is None:
            continue
        if matrix.ndim != 2 or matrix.shape[0] != X.shape[0] or 0 in matrix.shape:
            raise ValueError(f"matrices must not be empty and have {X.shape[0]} rows, but one has shape {matrix.shape}")
        if not np.isfinite(matrix.data if sparse.issparse(matrix) else matrix).all():
            raise ValueError("a matrix has NaN or infinite values")
    if not (sparse.issparse(Y) and Y.format == "csr" and (Y.data == 1).all()):
        raise ValueError("labels must be compressed sparse rows in which every stored value is 1")


def _check_array(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if array.shape != shape or array.dtype != np.float64 or not array.flags.c_contiguous:
        raise ValueError(f"{name} must be a contiguous float64 array of shape {shape}, not {array.dtype} {array.shape}")


def _check_multipliers(multipliers: Multipliers, shape: tuple[int, int], correction: tuple[int, int]) -> None:
    _check_array("a", multipliers.a, shape)
    _check_array("b", multipliers.b, shape)
    _check_array("correction", multipliers.correction, correction)
    _check_array("constant", multipliers.constant, correction[:1])
    if (multipliers.a < 0).any() or (multipliers.b < 0).any():
        raise ValueError("multipliers must not be negative")
