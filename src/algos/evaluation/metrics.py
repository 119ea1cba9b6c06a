"""The measures that experiments report: what they are called, how they are shown and which way is better."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from algos.exceptions import InputError


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
    """

    name: str
    label: str
    percent: bool = False
    lower_is_better: bool = True
    task: str = "multi-label"

    @property
    def scale(self) -> float:
        """Factor from the number to what is shown."""
        return 100.0 if self.percent else 1.0

    @property
    def axis_label(self) -> str:
        """The label with its unit."""
        return f"{self.label} (%)" if self.percent else self.label

    @property
    def unit(self) -> str:
        """What follows a number in a sentence."""
        return " %" if self.percent else ""

    def best(self, values: list[float]) -> float:
        """Return the best of some values."""
        return min(values) if self.lower_is_better else max(values)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("test_error", "test error", percent=True, task="single-label"),
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


def measure(names: Sequence[str], truth: np.ndarray, predicted: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """Compute measures of the predictions for a test part.

    Parameters
    ----------
    names : sequence of str
        Keys of `METRICS`, all of one task.
    truth, predicted : ndarray of shape (n_samples,) or (n_samples, n_labels)
        Classes, or labels of 0 and 1.
    scores : ndarray of shape (n_samples, n_classes)

    Raises
    ------
    InputError
        When a measure has nothing to count, such as no sample with a label.
    """
    if truth.ndim == 1:
        computed = {"test_error": float(np.mean(predicted != truth))}
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


def loss_of(name: str) -> Callable[[Any, np.ndarray, np.ndarray], float]:
    """Return the function (fitted estimator, X, truth) -> loss in [0, 1] that chooses by a measure."""

    def loss(estimator: Any, X: np.ndarray, truth: np.ndarray) -> float:
        predicted = estimator.predict(X)
        scores = estimator.decision_function(X) if truth.ndim == 2 else np.empty((len(truth), 0))
        value = measure([name], truth, predicted, scores)[name]
        return value if METRICS[name].lower_is_better else 1 - value

    return loss
