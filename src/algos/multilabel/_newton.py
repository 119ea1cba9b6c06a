"""Trust-region Newton with conjugate gradients (Lin and More 1999, as in liblinear), on many small problems at once."""

from collections.abc import Callable

import numpy as np

_ENOUGH = 1e-4  # a step is taken if it lowers the function by this share of what the model promised
_POOR, _GOOD = 0.25, 0.75
_SHRINK_MOST, _SHRINK, _GROW = 0.25, 0.5, 4.0
_INNER_TOLERANCE = 0.1

Product = Callable[[np.ndarray], np.ndarray]
Evaluate = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, Product]]


def trust_region_newton(
    evaluate: Evaluate, start: np.ndarray, gradient_tolerance: np.ndarray, max_iter: int, max_cg_iter: int
) -> np.ndarray:
    """Minimise m independent convex functions of p variables each.

    Parameters
    ----------
    evaluate : callable
        ``evaluate(Z, columns)`` of points Z, shape (p, len(columns)), for the functions named by `columns`: their
        values, gradients of shape (p, len(columns)), and the product of their Hessians with a matrix of that shape.
    start : ndarray of shape (p, m)
        Where to begin.
    gradient_tolerance : ndarray of shape (m,)
        A function is done when its gradient's norm is at most this.
    max_iter, max_cg_iter : int
        Newton steps, and conjugate-gradient steps in each, at most.

    Returns
    -------
    ndarray of shape (p, m)
        Where no function has a larger value than at the start.
    """
    Z = start.copy()
    radius = np.full(Z.shape[1], np.nan)
    columns = np.arange(Z.shape[1])
    for _ in range(max_iter):
        values, gradients, product = evaluate(Z[:, columns], columns)
        norms = np.linalg.norm(gradients, axis=0)
        todo = norms > gradient_tolerance[columns]
        if not todo.any():
            break
        if not todo.all():
            columns = columns[todo]
            values, gradients, product = evaluate(Z[:, columns], columns)
            norms = norms[todo]
        new = np.isnan(radius[columns])
        radius[columns[new]] = norms[new]
        steps, residuals = _steihaug(gradients, product, radius[columns], max_cg_iter)
        new_values = evaluate(Z[:, columns] + steps, columns)[0]
        slopes = (gradients * steps).sum(axis=0)
        promised = -0.5 * (slopes - (steps * residuals).sum(axis=0))
        actual = values - new_values
        taken = actual > _ENOUGH * promised
        Z[:, columns[taken]] += steps[:, taken]
        radius[columns] = _new_radius(radius[columns], np.linalg.norm(steps, axis=0), slopes, actual, promised)
        # A step too short to change the value in floating point: nothing more to gain.
        columns = columns[taken | (radius[columns] > 1e-14 * (1 + np.linalg.norm(Z[:, columns], axis=0)))]
        if not len(columns):
            break
    return Z


def _new_radius(
    radius: np.ndarray, length: np.ndarray, slope: np.ndarray, actual: np.ndarray, promised: np.ndarray
) -> np.ndarray:
    """Widen or narrow the regions in which the quadratic models are trusted."""
    curve = -actual - slope  # how far the function bends up from its tangent
    with np.errstate(divide="ignore", invalid="ignore"):
        best = np.where(curve > 0, np.maximum(_SHRINK_MOST, -0.5 * slope / curve), _GROW)  # least of the parabola
    fit = best * length
    poor, fair = actual < _POOR * promised, actual < _GOOD * promised
    return np.select(
        [actual < _ENOUGH * promised, poor, fair],
        [
            np.minimum(np.maximum(fit, _SHRINK_MOST * length), _SHRINK * radius),
            np.maximum(_SHRINK_MOST * radius, np.minimum(fit, _SHRINK * radius)),
            np.maximum(_SHRINK_MOST * radius, np.minimum(fit, _GROW * radius)),
        ],
        np.maximum(radius, np.minimum(fit, _GROW * radius)),
    )


def _steihaug(
    gradients: np.ndarray, product: Product, radius: np.ndarray, max_iter: int
) -> tuple[np.ndarray, np.ndarray]:
    """Minimise the quadratic models within their radii; return the steps s and the residuals -g - H s."""
    steps = np.zeros_like(gradients)
    residuals = -gradients
    directions = residuals.copy()
    squares = (residuals**2).sum(axis=0)
    least = _INNER_TOLERANCE**2 * squares
    running = squares > 0
    for _ in range(max_iter):
        curved = product(directions)
        bend = (directions * curved).sum(axis=0)
        running &= bend > 0
        length = np.where(running, squares / np.where(running, bend, 1), 0)
        outside = running & (np.linalg.norm(steps + length * directions, axis=0) > radius)
        length = np.where(outside, _to_boundary(steps, directions, radius), length)
        steps += length * directions
        residuals -= length * curved
        new_squares = (residuals**2).sum(axis=0)
        running &= ~outside & (new_squares > least)
        if not running.any():
            break
        directions = residuals + np.where(running, new_squares / np.where(running, squares, 1), 0) * directions
        squares = new_squares
    return steps, residuals


def _to_boundary(steps: np.ndarray, directions: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """The t >= 0 with ``|s + t d| = radius``."""
    sd = (steps * directions).sum(axis=0)
    dd = np.maximum((directions**2).sum(axis=0), np.finfo(float).tiny)
    room = np.maximum(radius**2 - (steps**2).sum(axis=0), 0)
    return room / (sd + np.sqrt(sd**2 + dd * room) + np.finfo(float).tiny)
