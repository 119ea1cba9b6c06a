"""The measures that experiments report: what they are called, how they are shown and which way is better."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from algos.exceptions import InputError

#: Negatives per positive at which average precisions are reported beside the one of the rows as they are.
RATIOS = (1, 4, 10, 30)


@dataclass(frozen=True)
class Metric:
    """A measure of predictions on a test part, a number in [0, 1].

    Attributes
    ----------
    name : str
        What configs and tables call it, e.g. ``"test_error"``.
    label : str
        What readers see.
    percent : bool
        Whether it is shown in percent.
    lower_is_better : bool
    task : {"single-label", "multi-label"}
        What data it measures.
    ranking : (str, float or None) or None
        Where it measures a ranking of rows of two classes: kind and number of negatives per positive, as
        `algos.evaluation.voc_average_precision` takes them. The positive class is the second one in sorted order, as
        for scikit-learn's estimators; the registry's key `positive` makes it the one called "positive".
    """

    name: str
    label: str
    percent: bool = False
    lower_is_better: bool = True
    task: str = "multi-label"
    ranking: tuple[str, float | None] | None = None

    @property
    def scale(self) -> float:
        """Factor from the number to what is shown."""
        return 100.0 if self.percent else 1.0

    @property
    def axis_label(self) -> str:
        """The label with its unit."""
        return f"{self.label} (%)" if self.percent else self.label

    @property
    def ratio(self) -> float | None:
        """The number of negatives per positive at which it is measured, if at a stated one."""
        return self.ranking[1] if self.ranking else None

    @property
    def without_ratio(self) -> str:
        """The name of the same measure of the rows as they are."""
        return self.name.partition("_1to")[0]

    @property
    def unit(self) -> str:
        """What follows a number in a sentence."""
        return " %" if self.percent else ""

    def best(self, values: list[float]) -> float:
        """Return the best of some values."""
        return min(values) if self.lower_is_better else max(values)


def _average_precisions() -> list[Metric]:
    """The two average precisions of PASCAL VOC, of the rows as they are and at each of `RATIOS`."""
    kinds = (
        ("voc_average_precision", "11point", "11-point average precision"),
        ("average_precision_area", "area", "average precision (area)"),
    )
    metrics = []
    for name, kind, label in kinds:
        for ratio in (None, *RATIOS):
            suffix, at = ("", "") if ratio is None else (f"_1to{ratio}", f" at 1:{ratio}")
            metrics.append(
                Metric(
                    name + suffix, label + at, True, lower_is_better=False, task="single-label", ranking=(kind, ratio)
                )
            )
    return metrics


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("test_error", "test error", percent=True, task="single-label"),
        *_average_precisions(),
        Metric("hamming_loss", "Hamming loss"),
        Metric("one_error", "one-error"),
        Metric("coverage", "coverage"),
        Metric("ranking_loss", "ranking loss"),
        Metric("average_precision", "average precision", lower_is_better=False),
        Metric("macro_auc", "macro AUC", lower_is_better=False),
    )
}

#: What an experiment reports when it says nothing.
DEFAULT_METRICS = {
    "single-label": ("test_error",),
    "multi-label": tuple(name for name, metric in METRICS.items() if metric.task == "multi-label"),
}


def measure(
    names: Sequence[str],
    truth: np.ndarray,
    predicted: np.ndarray,
    scores: np.ndarray,
    classes: Sequence[Any] | None = None,
) -> dict[str, float]:
    """Compute measures of the predictions for a test part.

    Parameters
    ----------
    names : sequence of str
        Keys of `METRICS`, all of one task.
    truth, predicted : ndarray of shape (n_samples,) or (n_samples, n_labels)
        Classes, or labels of 0 and 1.
    scores : ndarray of shape (n_samples, n_classes)
    classes : sequence of length n_classes, optional
        The classes of a single-label set, sorted; average precision needs them, to know the positive one.

    Raises
    ------
    InputError
        When a measure has nothing to count, such as no sample with a label, or does not measure data of this kind.
    """
    if truth.ndim == 1:
        computed = {"test_error": float(np.mean(predicted != truth))}
        ranked = [name for name in names if METRICS[name].ranking]
        if ranked:
            positive = positive_class(classes)
            computed |= _precisions(ranked, truth == positive, scores[:, 1])
    else:
        from algos.evaluation.multilabel_metrics import multilabel_measures

        computed = multilabel_measures(truth, scores, predicted)
    empty = next((name for name in names if math.isnan(computed[name])), None)
    if empty:
        raise InputError(f"the {METRICS[empty].label} of this test part has nothing to count; use a larger test part")
    return {name: computed[name] for name in names}


def check_measures(names: Sequence[str], truth: np.ndarray) -> None:
    """Refuse measures of rankings for data of one label, where there is nothing to rank.

    Parameters
    ----------
    names : sequence of str
        Keys of `METRICS`.
    truth : ndarray of shape (n_samples,) or (n_samples, n_labels)
        Classes, or labels of 0 and 1.

    Raises
    ------
    InputError
        With the first such measure.
    """
    if truth.ndim == 1 or truth.shape[1] > 1:
        return
    ranking = next((name for name in names if name not in ("hamming_loss", "macro_auc")), None)
    if ranking:
        raise InputError(
            f"{METRICS[ranking].label} ranks the labels of a sample, and this data set has one only; "
            "give 'metrics: [hamming_loss, macro_auc]' and choose by one of them"
        )


def positive_class(classes: Sequence[Any] | None) -> Any:
    """Return the positive one of two classes: the second in sorted order.

    Raises
    ------
    InputError
        When there are not two classes.
    """
    if classes is None or len(classes) != 2:
        n = "an unknown number of" if classes is None else len(classes)
        raise InputError(
            f"average precision ranks two classes and the data set has {n}; name the positive one in its entry "
            "(`positive`), or choose another measure"
        )
    return sorted(classes)[1]


def _precisions(names: Sequence[str], positive: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """Average precisions of a ranking; NaN for one that has no positive, or no negative to count at a ratio."""
    from algos.evaluation.precision_recall import average_precision_curve

    computed = dict.fromkeys(names, math.nan)
    if not positive.any() or positive.all():
        return computed
    for kind in {METRICS[name].ranking[0] for name in names}:
        of_kind = [name for name in names if METRICS[name].ranking[0] == kind]
        ratios = [METRICS[name].ranking[1] for name in of_kind]
        values = average_precision_curve(positive, scores, ratios, kind)
        computed.update(zip(of_kind, values.tolist(), strict=True))
    return computed


def loss_of(name: str) -> Callable[[Any, np.ndarray, np.ndarray], float]:
    """Return the function (fitted estimator, X, truth) -> loss in [0, 1] that chooses by a measure.

    A validation part without positives, or without negatives, has the loss 1 whatever is chosen.
    """
    metric = METRICS[name]

    def ranking_loss(estimator: Any, X: np.ndarray, truth: np.ndarray) -> float:
        return _ranking_loss(metric, estimator.classes_, estimator.decision_function(X), truth)

    def loss(estimator: Any, X: np.ndarray, truth: np.ndarray) -> float:
        predicted = estimator.predict(X)
        scores = estimator.decision_function(X) if truth.ndim == 2 else np.empty((len(truth), 0))
        value = measure([name], truth, predicted, scores)[name]
        return value if metric.lower_is_better else 1 - value

    return ranking_loss if metric.ranking else loss


def staged_loss_of(name: str) -> Callable[[Any, np.ndarray, np.ndarray], np.ndarray] | None:
    """Return the function (fitted booster, X, truth) -> loss after each round; None for its own ``staged_error``."""
    metric = METRICS[name]
    if not metric.ranking:
        return None

    def losses(estimator: Any, X: np.ndarray, truth: np.ndarray) -> np.ndarray:
        stages = estimator.staged_decision_function(X)
        return np.array([_ranking_loss(metric, estimator.classes_, scores, truth) for scores in stages])

    return losses


def _ranking_loss(metric: Metric, classes: Sequence[Any], scores: np.ndarray, truth: np.ndarray) -> float:
    value = _precisions([metric.name], truth == positive_class(classes), scores)[metric.name]
    return 1.0 if math.isnan(value) else 1 - value
