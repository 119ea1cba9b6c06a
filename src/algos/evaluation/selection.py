"""Choosing hyper-parameters on the training part alone (Kegl 2014, section 4)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from algos.evaluation.preprocessing import make_preprocessor
from algos.evaluation.splits import grouped_selection_folds, selection_folds
from algos.evaluation.stopping import extend_curve, stopping_round
from algos.exceptions import InputError


@dataclass
class Selection:
    """What was chosen, and how every candidate did.

    Attributes
    ----------
    params : dict
        The chosen grid values.
    n_rounds : int or None
        The chosen number of rounds T*, for methods with a learning curve.
    candidates : list of dict
        For each grid point: ``params``, ``n_rounds`` and ``validation_error`` (smoothed where there are rounds).
    validation_curve : ndarray of shape (n_rounds,) or None
        The chosen candidate's validation error after each round, averaged over the inner folds.
    n_folds : int
        Inner folds used; 0 when there was nothing to choose.
    notes : list of str
    """

    params: dict[str, Any]
    n_rounds: int | None = None
    candidates: list[dict[str, Any]] = field(default_factory=list)
    validation_curve: np.ndarray | None = None
    n_folds: int = 0
    notes: list[str] = field(default_factory=list)
    stopping: str = "smoothed"

    @property
    def criterion(self) -> str:
        """How the choice was made, in words."""
        if not self.candidates:
            return "none: one candidate"
        smoothed = self.n_rounds is not None and self.stopping == "smoothed"
        return f"least {'smoothed validation error (15)' if smoothed else 'validation error'}, first of equals"


def expand_grid(grid: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """All combinations of a grid's values, the last key varying fastest."""
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def error_curve(estimator: Any, X: np.ndarray, y: np.ndarray, n_rounds: int) -> np.ndarray:
    """Error after each of `n_rounds` rounds of a fitted booster; one that stopped earlier keeps its last error.

    A booster that found no weak classifier at all predicts by its untrained scores, and that is its error.
    """
    return _curve(estimator, X, y, n_rounds, None, None)


def _curve(estimator: Any, X: np.ndarray, y: np.ndarray, n_rounds: int, loss: Any, staged_loss: Any) -> np.ndarray:
    """Loss after each round; the error rate where `staged_loss` is None."""
    curve = estimator.staged_error(X, y) if staged_loss is None else staged_loss(estimator, X, y)
    if len(curve) == 0:
        curve = np.array([np.mean(estimator.predict(X) != y) if staged_loss is None else loss(estimator, X, y)])
    return extend_curve(curve, n_rounds)


def select(
    make_estimator: Callable[[dict[str, Any]], Any],
    grid: dict[str, list[Any]],
    X: np.ndarray,
    y: np.ndarray,
    n_inner_folds: int,
    seed: int,
    staged: bool,
    preprocess: dict[str, Any] | None = None,
    progress: Callable[[int, int, str], None] | None = None,
    loss: Callable[[Any, np.ndarray, np.ndarray], float] | None = None,
    n_training: int | None = None,
    stopping: str = "smoothed",
    min_rounds: int | None = None,
    staged_loss: Callable[[Any, np.ndarray, np.ndarray], np.ndarray] | None = None,
    groups: np.ndarray | None = None,
    only_train: np.ndarray | None = None,
) -> Selection:
    """Choose grid values, and rounds where the method has them, by stratified cross-validation on (X, y).

    Rounds are chosen by the smoothed criterion (15) on the validation error averaged over the inner folds, one run of
    `n_estimators` rounds serving every T. Equal errors are settled for the earlier grid point, so list
    simpler settings first.

    Parameters
    ----------
    make_estimator : callable
        Gives the unfitted estimator for a dict of grid values.
    grid : dict of lists
        Values to try; empty for none.
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,) or (n_samples, n_labels)
    n_inner_folds : int
        At least 2. With a single plain candidate nothing is fitted. 0 chooses nothing: the grid must have one point,
        which is taken with all its rounds.
    seed : int
        Seeds the inner folds.
    staged : bool
        Whether the estimators have rounds to choose (``staged_error`` and ``n_estimators``).
    preprocess : dict or None
        See :func:`algos.evaluation.preprocessing.make_preprocessor`; fitted on each inner training part.
    loss : callable or None
        (fitted estimator, X, y) -> loss in [0, 1] that plain methods are chosen by; None is the error rate.
    staged_loss : callable or None
        (fitted booster, X, y) -> loss after each round, that methods with rounds are chosen by; None is their
        ``staged_error``.
    groups : ndarray of shape (n_samples,) or None
        Groups that no inner fold parts.
    only_train : ndarray of bool of shape (n_samples,) or None
        With groups: rows that validate nothing and train where their group does not validate.
    progress : callable or None
        Called as ``progress(done, total, text)`` after each fit.
    n_training : int or None
        Where a validation part was set apart: so many first rows are the training part, the others the validation part
        that everything is chosen by, in place of the cross-validation.
    stopping, min_rounds
        As in :func:`~algos.evaluation.stopping.stopping_round`.

    Raises
    ------
    InputError
        When the grid is empty in one key, has several points with nothing to choose by, or the inner folds cannot be
        made.
    """
    candidates = expand_grid(grid)
    if not candidates:
        empty = next(key for key, values in grid.items() if not values)
        raise InputError(f"grid: {empty!r} has no values; list at least one")
    if n_inner_folds == 0 and len(candidates) > 1:
        raise InputError("without inner folds nothing can be chosen; give one value for each entry of the grid")
    if len(candidates) == 1 and (n_inner_folds == 0 or not staged):
        return Selection(params=candidates[0])
    if n_training is not None:
        folds, notes = [(np.arange(n_training), np.arange(n_training, len(y)))], []
    elif groups is None:
        folds, notes = selection_folds(y, n_inner_folds, seed)
    else:
        never = np.zeros(len(y), dtype=bool) if only_train is None else only_train
        folds, notes = grouped_selection_folds(y, n_inner_folds, seed, groups, never)
    curves: list[Any] = [0.0] * len(candidates)
    for f, (train, validation) in enumerate(folds):
        preprocessor = make_preprocessor(preprocess)
        X_train, X_validation = preprocessor.fit_transform(X[train]), preprocessor.transform(X[validation])
        fitted = _fitted(make_estimator, candidates, X_train, y[train])
        for done, (c, estimator) in enumerate(fitted, f * len(candidates) + 1):
            if staged:
                n_rounds = estimator.n_estimators
                error = _curve(estimator, X_validation, y[validation], n_rounds, loss, staged_loss)
            elif loss is None:
                error = np.mean(estimator.predict(X_validation) != y[validation])
            else:
                error = loss(estimator, X_validation, y[validation])
            curves[c] = curves[c] + error / len(folds)
            if progress is not None:
                progress(done, len(folds) * len(candidates), f"inner fold {f + 1} of {len(folds)}, {candidates[c]}")
    outcomes = [stopping_round(curve, stopping, min_rounds) if staged else (None, float(curve)) for curve in curves]
    selection = _choose(candidates, outcomes, curves if staged else None)
    return replace(selection, n_folds=len(folds), notes=notes, stopping=stopping)


def _fitted(
    make_estimator: Callable[[dict[str, Any]], Any], candidates: list[dict[str, Any]], X: np.ndarray, y: np.ndarray
) -> Iterator[tuple[int, Any]]:
    """Yield the position and the fitted estimator of each candidate.

    Candidates that differ in an estimator's ``path_parameter`` alone are fitted together by its ``fit_path``, which
    does once what they have in common.
    """
    together: dict[str, list[int]] = {}
    path = getattr(make_estimator(candidates[0]), "path_parameter", None)
    for c, candidate in enumerate(candidates):
        rest = {key: value for key, value in candidate.items() if key != path}
        together.setdefault(repr(rest), []).append(c)
    for members in together.values():
        estimator = make_estimator(candidates[members[0]])
        if path is None or path not in candidates[members[0]]:
            yield members[0], estimator.fit(X, y)
        else:
            yield from zip(members, estimator.fit_path(X, y, [candidates[c][path] for c in members]), strict=True)


def _choose(
    candidates: list[dict[str, Any]], outcomes: list[tuple[int | None, float]], curves: list[np.ndarray] | None
) -> Selection:
    best = min(range(len(candidates)), key=lambda c: outcomes[c][1])
    return Selection(
        params=candidates[best],
        n_rounds=outcomes[best][0],
        candidates=[
            {"params": candidate, "n_rounds": n_rounds, "validation_error": error}
            for candidate, (n_rounds, error) in zip(candidates, outcomes, strict=True)
        ],
        validation_curve=None if curves is None else curves[best],
    )
