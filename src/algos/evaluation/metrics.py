"""The measures that experiments report: what they are called, how they are shown and which way is better."""

from dataclasses import dataclass


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
    """

    name: str
    label: str
    percent: bool = False
    lower_is_better: bool = True

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
        Metric("test_error", "test error", percent=True),
        # One class against the rest: the area, or the mean of eleven points, of precision against recall.
        Metric("voc_average_precision", "average precision (11 points)", percent=True, lower_is_better=False),
        Metric("area_average_precision", "average precision (area)", percent=True, lower_is_better=False),
        # Several labels a sample.
        Metric("hamming_loss", "Hamming loss"),
        Metric("one_error", "one-error"),
        Metric("coverage", "coverage"),
        Metric("ranking_loss", "ranking loss"),
        Metric("average_precision", "average precision", lower_is_better=False),
        Metric("macro_auc", "macro AUC", lower_is_better=False),
    )
}
