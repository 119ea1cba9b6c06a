"""Loops over matrices of logistics, fused: checks arguments, then calls C++."""

import numpy as np

from algos._kernels import _logistic

# What the extension is built from; a method that uses this module depends on them.
KERNEL_SOURCES = ("common.hpp", "numpy_arrays.hpp", "logistic_module.cpp", "logistic.cpp", "logistic.hpp")


def instruction_sets() -> list[str]:
    """Names of the instruction sets this machine can run, the fastest first; all give the same bits."""
    return list(_logistic.instruction_sets())


FASTEST = instruction_sets()[0]


def margin_loss(
    scores: np.ndarray, labels: np.ndarray, weights: np.ndarray, instruction_set: str = FASTEST
) -> np.ndarray:
    """Each sample's loss ``l_i = sum_r log(1 + exp(-(f_iy - f_ir)))``; the scores are replaced by the gradient.

    The sum runs over all classes r, so that the sample's own one, y, adds log 2. With
    ``s_ir = 1 / (1 + exp(f_iy - f_ir))`` the derivative of ``w_i l_i`` is ``w_i s_ir`` for another class and minus the
    sum of these for the sample's own.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes), float32, C-contiguous
        Overwritten by the derivatives.
    labels : ndarray of shape (n_samples,), int32
        Class indices.
    weights : ndarray of shape (n_samples,), float32
        The w_i; they do not enter the losses that are returned.
    instruction_set : str
        One of :func:`instruction_sets`.

    Returns
    -------
    ndarray of shape (n_samples,), float64

    Raises
    ------
    ValueError
        When a shape, a type or a label is not as stated.
    """
    _check(instruction_set, scores=scores)
    n, n_classes = scores.shape
    if labels.dtype != np.int32 or labels.shape != (n,) or (n and not 0 <= labels.min() <= labels.max() < n_classes):
        raise ValueError(f"labels must be {n} int32 numbers from 0 to {n_classes - 1}, one for each row of scores")
    if weights.dtype != np.float32 or weights.shape != (n,):
        raise ValueError(f"weights must be {n} float32 numbers, one for each row of scores")
    losses = np.empty(n)
    _logistic.margin_loss(scores, np.ascontiguousarray(labels), np.ascontiguousarray(weights), losses, instruction_set)
    return losses


def unit_step(
    logits: np.ndarray,
    direction: np.ndarray,
    step: np.ndarray,
    coefficients: np.ndarray,
    moved: np.ndarray,
    slope: np.ndarray,
    instruction_set: str = FASTEST,
) -> np.ndarray:
    """Move one logistic unit a class along a ray of its logits, and sum its outputs.

    Parameters
    ----------
    logits, direction, coefficients : ndarray of shape (n_samples, n_classes), float32, C-contiguous
        z, d and c.
    step : ndarray of shape (n_classes,)
    moved, slope : ndarray of shape (n_samples, n_classes), float32, C-contiguous
        Overwritten by ``z + step d`` and, with s its logistic, ``c s (1 - s)``.

    Returns
    -------
    ndarray of shape (n_classes,), float64
        Sums over the samples of ``c s``.

    Raises
    ------
    ValueError
        When a shape or a type is not as stated.
    """
    matrices = {"direction": direction, "coefficients": coefficients, "moved": moved, "slope": slope}
    _check(instruction_set, logits=logits, **matrices)
    for name, matrix in matrices.items():
        if matrix.shape != logits.shape:
            raise ValueError(f"{name} has shape {matrix.shape} and logits {logits.shape}")
    step = np.ascontiguousarray(step, dtype=np.float32)
    if step.shape != logits.shape[1:]:
        raise ValueError(f"step must have a number for each of the {logits.shape[1]} classes, not shape {step.shape}")
    values = np.empty(len(step))
    _logistic.unit_step(logits, direction, step, coefficients, moved, slope, values, instruction_set)
    return values


def _check(instruction_set: str, **matrices: np.ndarray) -> None:
    for name, matrix in matrices.items():
        if matrix.dtype != np.float32 or matrix.ndim != 2 or not matrix.flags.c_contiguous:
            raise ValueError(f"{name} must be a C-contiguous float32 matrix")
    if instruction_set not in instruction_sets():
        raise ValueError(f"instruction set {instruction_set!r} is not one of {instruction_sets()}")
