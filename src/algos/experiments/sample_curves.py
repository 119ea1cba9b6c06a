"""Which training samples self-paced methods use round by round, and how well they keep wrong labels out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from algos.experiments.figure_style import (
    MARKERS,
    Style,
    add_legend,
    drawing,
    label_outer,
    literal,
    make_panels,
    method_look,
    set_title,
)
from algos.experiments.layouts import group_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class SampleCurve:
    """Two shares in percent after 1, 2, ... rounds, means over folds: `solid` and `dashed` say how they are drawn.

    `dashed` is None where there is no wrong label.
    """

    method: str
    solid: Sequence[float]
    dashed: Sequence[float] | None


@dataclass(frozen=True)
class SamplePanel:
    """The methods' curves on one data set."""

    dataset: str
    curves: Sequence[SampleCurve]


def collect_samples(records: Sequence[Mapping[str, Any]]) -> list[SamplePanel]:
    """Collect shares of the training samples with a weight above 0: of right labels (solid), of wrong ones (dashed).

    Where some of an experiment's data sets have wrong labels, the others are left out.
    """
    audited = _audited(records)
    noisy = [record for record in audited if record["samples"]["n_noisy"]]
    return _panels(noisy or audited, _shares_in)


def collect_rejection(records: Sequence[Mapping[str, Any]]) -> list[SamplePanel]:
    """Collect, of the samples with weight 0, the share of wrong labels (precision, solid); and of all wrong labels the
    share that has weight 0 (recall, dashed).
    """
    return _panels([record for record in _audited(records) if record["samples"]["n_noisy"]], _precision_and_recall)


def _audited(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the runs whose samples come and go: weights that are always 1 have nothing to show."""
    audited = [record for record in records if record.get("samples")]
    return [record for record in audited if min(record["samples"]["clean_weight"]) < 1]


def _panels(records: Sequence[Mapping[str, Any]], shares: Any) -> list[SamplePanel]:
    panels: dict[str, list[SampleCurve]] = {}
    for (dataset, method), runs in group_rows(records).items():
        curves = [shares(run["samples"]) for run in runs]
        length = max(run["samples"]["rounds"][-1] for run in runs)
        solid, dashed = (
            None if values[0] is None else _mean(values, [run["samples"]["rounds"] for run in runs], length)
            for values in zip(*curves, strict=True)
        )
        panels.setdefault(dataset, []).append(SampleCurve(method, solid, dashed))
    return [SamplePanel(dataset, curves) for dataset, curves in panels.items()]


def _shares_in(samples: Mapping[str, Any]) -> tuple[Any, Any]:
    return samples["clean_in"], samples["noisy_in"]


def _precision_and_recall(samples: Mapping[str, Any]) -> tuple[list[float], list[float]]:
    precision, recall = [], []
    for clean, noisy in zip(samples["clean_in"], samples["noisy_in"], strict=True):
        wrong_out, right_out = samples["n_noisy"] * (1 - noisy), samples["n_clean"] * (1 - clean)
        # Where nothing is out there is no share of it: a gap in the curve.
        precision.append(wrong_out / (wrong_out + right_out) if wrong_out + right_out > 0.5 else math.nan)
        recall.append(1 - noisy)
    return precision, recall


def _mean(curves: Sequence[Sequence[float]], rounds: Sequence[Sequence[int]], length: int) -> list[float]:
    """Mean over folds in percent; a fold that ended early keeps its last value, one without a value does not count."""
    import warnings

    import numpy as np

    grid = np.arange(1, length + 1)
    values = [np.interp(grid, known, curve) for known, curve in zip(rounds, curves, strict=True)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Mean of empty slice")
        return (100 * np.nanmean(values, axis=0)).tolist()


def draw_samples(panels: Sequence[SamplePanel], labels: Mapping[str, str], style: Style) -> "Figure":
    """Draw shares of the training samples that are in."""
    return _draw(panels, labels, style, "samples in (%)", ("right labels", "wrong labels"))


def draw_rejection(panels: Sequence[SamplePanel], labels: Mapping[str, str], style: Style) -> "Figure":
    """Draw precision and recall of keeping wrong labels out."""
    return _draw(panels, labels, style, "wrong labels kept out (%)", ("precision", "recall"))


def _draw(
    panels: Sequence[SamplePanel], labels: Mapping[str, str], style: Style, y_label: str, kinds: tuple[str, str]
) -> "Figure":
    from matplotlib.lines import Line2D

    methods = list(dict.fromkeys(curve.method for panel in panels for curve in panel.curves))
    # Line styles tell the two shares apart: methods beyond the colours have markers.
    looks = {method: method_look(i, style, marker=("", *MARKERS)) for i, method in enumerate(methods)}
    # Later lines are thinner, so that those below them show at their sides where they coincide.
    for i, look in enumerate(looks.values()):
        look["linewidth"] = style.line_width * (1.9 - 1.2 * i / max(len(methods) - 1, 1))
    with drawing(style):
        figure, axes = make_panels(len(panels), style)
        for one, panel in zip(axes, panels, strict=True):
            for curve in panel.curves:
                for values, line in ((curve.solid, "-"), (curve.dashed, "--")):
                    if values is not None:
                        few = max(len(values) // 6, 1)  # a marker at every round would hide the line
                        one.plot(
                            range(1, len(values) + 1), values, linestyle=line, markevery=few, **looks[curve.method]
                        )
            one.set(ylim=(-2, 102), xlim=(1, None))
            set_title(one, panel.dataset)
        label_outer(axes, "rounds", y_label)
        keys = [Line2D([], [], label=literal(labels[method]), **looks[method]) for method in methods]
        keys += [
            Line2D([], [], color="#555555", linestyle=line, label=kind)
            for line, kind in zip(("-", "--"), kinds, strict=True)
        ]
        add_legend(figure, keys, style, (2, 4))
        return figure
