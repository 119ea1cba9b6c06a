"""One fold of one method: choose hyper-parameters on its training part, fit, predict its test part."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import get_tags

from algos.evaluation.metrics import METRICS, check_measures, loss_of, measure, staged_loss_of
from algos.evaluation.preprocessing import make_preprocessor
from algos.evaluation.selection import Selection, error_curve, expand_grid, select
from algos.evaluation.splits import Fold
from algos.exceptions import InputError
from algos.experiments.additions import added_rows
from algos.experiments.audit import excluded_rows, sample_audit
from algos.experiments.methods import get_method, is_binary, make_estimator


@dataclass(frozen=True)
class FoldResult:
    """What came out of one fold.

    Attributes
    ----------
    selection : Selection
    chosen : dict
        Chosen hyper-parameters, with the number of rounds of a staged method as ``n_estimators``.
    predicted : ndarray of str, shape (n_test,), or of int8, shape (n_test, n_labels)
    scores : ndarray of float, shape (n_test, n_classes)
        NaN for a class that the training part lacks.
    metrics : dict
        The experiment's measures.
    curve : dict or None
        ``train_error`` and ``test_error`` after each round up to the largest number, ``stopped_at``.
    best_on_test : dict or None
        See `best_on_test`; where the settings ask for it.
    samples : dict or None
        See `algos.experiments.audit.sample_audit`.
    excluded : dict or None
        See `algos.experiments.audit.excluded_rows`.
    added : dict
        Role -> number of rows that trained beside the samples.
    skipped : str or None
        Why the fold was not run.
    """

    selection: Selection
    chosen: dict[str, Any]
    predicted: np.ndarray
    scores: np.ndarray
    metrics: dict[str, float]
    curve: dict[str, Any] | None
    best_on_test: dict[str, Any] | None = None
    samples: dict[str, Any] | None = None
    excluded: dict[str, Any] | None = None
    added: dict[str, int] = field(default_factory=dict)
    skipped: str | None = None


def run_fold(
    table: Any,
    fold: Fold,
    settings: Mapping[str, Any],
    part_done: Callable[[str], None] = lambda name: None,
    progress: Callable[[str], Callable[..., None]] | None = None,
    round_done: Callable[[int], None] = lambda n_done: None,
    selected: Selection | None = None,
) -> FoldResult:
    """Compute one fold.

    The test part is looked at after everything is chosen and fitted. What settings with ``best_on_test`` ask for beside
    (the least test error of any candidate) changes nothing of that.

    Parameters
    ----------
    table : algos.datasets.table.Table
        The data set.
    fold : Fold
        Rows of its parts. A validation part chooses in place of the cross-validation and is no part of what is fitted.
    settings : dict
        `algos.experiments.config.Experiment.training`.
    part_done : callable, optional
        Called with ``"selection"``, ``"fit"``, ``"prediction"`` and, where asked for, ``"best_on_test"`` as they end.
    progress : callable, optional
        ``progress("selection")`` and ``progress("fit")`` give what is called with (done, total) as each goes on.
    round_done : callable, optional
        Called after each round of a staged method's fit with the number of rounds so far.
    selected : Selection, optional
        What was chosen already, by a method of the same settings.

    Returns
    -------
    FoldResult
        A fold that is to be measured by average precision and lacks positives or negatives in a part is `skipped`.

    Raises
    ------
    InputError
        When the method is not for data of this kind, or the training part cannot be folded or fitted.
    """
    name, params, seed = settings["registered"], settings["params"], settings["seed"]
    staged = get_method(name).kind == "staged"
    targets = _checked_targets(table, settings, staged)
    reason = _lacking_class(table, fold, settings["metrics"])
    if reason:
        for part in ("selection", "fit", "prediction"):
            part_done(part)
        return FoldResult(Selection({}), {}, table.y[:0], np.empty((0, 2)), {}, None, skipped=reason)
    X = _features_for(make_estimator(name, params, seed), table.X)
    added, added_counts = added_rows(table, X, fold, settings)
    rows = np.concatenate([fold.train, added])
    X_train, y_train = X[rows], np.concatenate([fold.given(targets), targets[added]])
    selection = selected or _select(table, fold, rows, (X, X_train), (targets, y_train), settings, progress)
    part_done("selection")
    preprocessor = make_preprocessor(settings["preprocess"])
    train = preprocessor.fit_transform(X_train), y_train
    estimator = make_estimator(name, {**params, **selection.params}, seed)
    estimator.fit(*train, **(_round_monitor(estimator, round_done, progress) if staged else {}))
    part_done("fit")
    test = preprocessor.transform(X[fold.test]), targets[fold.test]
    outcome = (
        _staged_outcome(estimator, selection, train, test) if staged else _plain_outcome(estimator, selection, test)
    )
    part_done("prediction")
    single = table.Y is None
    scores = _class_scores(estimator, outcome["scores"], table) if single else outcome["scores"]
    metrics = measure(settings["metrics"], test[1], outcome["predicted"], scores, table.label_names if single else None)
    best = None
    if settings["best_on_test"]:
        curve = outcome["curve"]
        test_errors = curve["test_error"] if curve else [float(np.mean(outcome["predicted"] != test[1]))]
        best = best_on_test(settings, {_key(selection.params): test_errors}, train, test)
        part_done("best_on_test")
    wrong = np.append(fold.is_noisy(), np.zeros(len(added), dtype=bool))
    return FoldResult(
        selection=selection,
        **{**outcome, "scores": scores},
        metrics=metrics,
        best_on_test=best,
        samples=sample_audit(estimator, wrong),
        excluded=excluded_rows(estimator, rows),
        added=added_counts,
    )


def _checked_targets(table: Any, settings: Mapping[str, Any], staged: bool) -> np.ndarray:
    """Return the classes or labels of a data set that the method and the measures are made for."""
    name = settings["registered"]
    task, targets = ("single-label", table.y) if table.Y is None else ("multi-label", table.Y)
    if task not in get_method(name).tasks:
        raise InputError(f"the data set is {task} and the method {name} is not for such data")
    check_measures([*settings["metrics"], settings["selection_metric"]], targets)
    if table.Y is None and len(table.label_names) > 2 and is_binary(name):
        raise InputError(f"the data set has {len(table.label_names)} classes and the method {name} is for two")
    if staged and targets.shape[1:] == (1,):
        raise InputError(f"the data set has one label only, two classes to {name}; give it as single-label data")
    return targets


def _select(
    table: Any,
    fold: Fold,
    rows: np.ndarray,
    features: tuple[Any, Any],
    targets: tuple[np.ndarray, np.ndarray],
    settings: Mapping[str, Any],
    progress: Callable[[str], Callable[..., None]] | None,
) -> Selection:
    """Choose grid values and rounds on the training rows; features and targets are those of all rows, then of these."""
    name = settings["registered"]
    chooser = get_method(name).selects_as or name
    (X, known), (y, truth), n_training = features, targets, None
    if fold.validation is not None:
        known, truth = X[np.r_[rows, fold.validation]], np.concatenate([truth, y[fold.validation]])
        n_training = len(rows)
    return select(
        lambda candidate: make_estimator(chooser, {**settings["params"], **candidate}, settings["seed"]),
        settings["grid"],
        known,
        truth,
        settings["n_selection_folds"],
        settings["seed"],
        get_method(name).kind == "staged",
        settings["preprocess"],
        progress=None if progress is None else progress("selection"),
        loss=loss_of(settings["selection_metric"]),
        n_training=n_training,
        stopping=settings["stopping"],
        min_rounds=settings["min_rounds"],
        staged_loss=staged_loss_of(settings["selection_metric"]),
        groups=None if table.groups is None else table.groups[rows],
        only_train=np.arange(len(rows)) >= len(fold.train),
    )


def _staged_outcome(
    estimator: Any, selection: Selection, train: tuple[Any, np.ndarray], test: tuple[Any, np.ndarray]
) -> dict[str, Any]:
    """Predict the test part after the chosen number of rounds; the curve goes on to the largest number."""
    n_rounds = estimator.n_estimators if selection.n_rounds is None else selection.n_rounds
    X = test[0]
    return {
        "chosen": {**selection.params, "n_estimators": n_rounds},
        "predicted": _stage(estimator.staged_predict(X), n_rounds, estimator.predict, X),
        "scores": _stage(estimator.staged_decision_function(X), n_rounds, estimator.decision_function, X),
        "curve": {
            "train_error": error_curve(estimator, *train, estimator.n_estimators).tolist(),
            "test_error": error_curve(estimator, *test, estimator.n_estimators).tolist(),
            "stopped_at": n_rounds,
        },
    }


def _plain_outcome(estimator: Any, selection: Selection, test: tuple[Any, np.ndarray]) -> dict[str, Any]:
    return {
        "chosen": selection.params,
        "predicted": estimator.predict(test[0]),
        "scores": estimator.decision_function(test[0]),
        "curve": None,
    }


def _lacking_class(table: Any, fold: Fold, metrics: Sequence[str]) -> str | None:
    """Say which part of a fold lacks a class that average precision needs; None where nothing is lacking."""
    if not any(METRICS[name].ranking for name in metrics):
        return None
    for part, rows in (("training", fold.train), ("test", fold.test)):
        missing = sorted(set(table.label_names) - set(table.y[rows].tolist()))
        if missing:
            return f"the {part} part of fold {fold.name} has no row of class {missing[0]!r}"
    return None


def _features_for(estimator: Any, X: Any) -> Any:
    """Return sparse features as a dense matrix to a method that takes no others."""
    return X.toarray() if issparse(X) and not get_tags(estimator).input_tags.sparse else X


def best_on_test(
    settings: Mapping[str, Any],
    known: Mapping[str, Sequence[float]],
    train: tuple[np.ndarray, np.ndarray],
    test: tuple[np.ndarray, np.ndarray],
) -> dict[str, Any]:
    """Find the least test error over the whole grid and all rounds: no estimate of a method's error.

    Some papers quote it ("post-validated", Kegl 2014, section 4), so it is computed beside the validated error to be
    compared with what they print. Each candidate that is not known yet is fitted on the training part.

    Parameters
    ----------
    settings : dict
        As in `run_fold`.
    known : dict
        Test errors after each round of candidates that are fitted already, by `_key`.
    train, test : (X, y)
        Preprocessed parts.

    Returns
    -------
    dict
        ``error``, ``params`` and ``n_rounds`` (None for a method without rounds) of the best candidate, the first of
        equals and its fewest rounds, and ``n_candidates``.
    """
    name, staged = settings["registered"], get_method(settings["registered"]).kind == "staged"
    best: dict[str, Any] | None = None
    candidates = expand_grid(settings["grid"])
    for candidate in candidates:
        errors = known.get(_key(candidate))
        if errors is None:
            estimator = make_estimator(name, {**settings["params"], **candidate}, settings["seed"]).fit(*train)
            errors = estimator.staged_error(*test) if staged else [np.mean(estimator.predict(test[0]) != test[1])]
        if len(errors) and (best is None or min(errors) < best["error"]):
            n_rounds = int(np.argmin(errors)) + 1 if staged else None
            best = {"error": float(min(errors)), "params": candidate, "n_rounds": n_rounds}
    return {**(best or {"error": 1.0, "params": {}, "n_rounds": 0}), "n_candidates": len(candidates)}


def _key(candidate: Mapping[str, Any]) -> str:
    return json.dumps(candidate, sort_keys=True)


def _round_monitor(
    estimator: Any,
    round_done: Callable[[int], None],
    progress: Callable[[str], Callable[..., None]] | None,
) -> dict[str, Any]:
    """Return the argument of a staged method's ``fit`` that reports each round."""
    report = progress("fit") if progress else lambda n_done, n_rounds: None

    def monitor(n_done: int, _: Any) -> None:
        round_done(n_done)
        report(n_done, estimator.n_estimators)

    return {"monitor": monitor}


def _stage(stages: Iterator[np.ndarray], n_rounds: int, whole: Callable, X: np.ndarray) -> np.ndarray:
    """Return what a booster says after some rounds, or at its end when it stopped before."""
    last = deque(islice(stages, n_rounds), maxlen=1)
    return last[0] if last else whole(X)


def _class_scores(estimator: Any, scores: np.ndarray, table: Any) -> np.ndarray:
    """Return scores with a column for each class of the data set, also where the training part has fewer."""
    if scores.ndim == 1:  # two classes: the score is that of the second one
        scores = np.column_stack([-scores, scores])
    columns = {label: scores[:, position] for position, label in enumerate(estimator.classes_)}
    missing = np.full(len(scores), np.nan)
    return np.column_stack([columns.get(label, missing) for label in table.label_names])


def make_record(
    table: Any,
    fold: Fold,
    settings: Mapping[str, Any],
    result: FoldResult,
) -> dict[str, Any]:
    """Return the run record of a fold, all but what it cost and what computed it.

    Parameters
    ----------
    table, fold, settings
        As in `run_fold`; the settings name the ``dataset`` too.
    result : FoldResult
    """
    selection = result.selection
    curve = selection.validation_curve
    return {
        "experiment": settings["experiment"],
        "dataset": settings["dataset"],
        "method": settings["method"],
        "fold": fold.name,
        "n_train": len(fold.train),
        "n_validation": 0 if fold.validation is None else len(fold.validation),
        "n_test": len(fold.test),
        "n_noisy": 0 if fold.noisy is None else len(fold.noisy),
        "n_features": table.X.shape[1],
        "n_classes": len(table.label_names),
        "chosen": result.chosen,
        "metrics": result.metrics,
        "selection": {
            "criterion": selection.criterion,
            "metric": settings["selection_metric"],
            "n_inner_folds": selection.n_folds,
            "candidates": selection.candidates,
            "validation_curve": None if curve is None else np.asarray(curve).tolist(),
            "notes": selection.notes,
        },
        "curve": result.curve,
        "best_on_test": result.best_on_test,
        "samples": result.samples,
        "excluded": result.excluded,
        "n_added": result.added,
        "skipped": result.skipped,
        "seed": settings["seed"],
    }
