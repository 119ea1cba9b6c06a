"""Measures against a parameter set to several values, and average precision against the number of negatives."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from algos.evaluation.metrics import METRICS
from algos.experiments.figure_style import (
    DASHES,
    MARKERS,
    Style,
    add_legend,
    drawing,
    literal,
    make_panels,
    method_look,
    plain_log_ticks,
    set_title,
    set_y_label,
)
from algos.experiments.layouts import group_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Line styles of levels that follow each other when the colours are used up.
_LEVEL_DASHES = ("--", "-.", ":", DASHES[-1])
#: That many numbers have room below a panel.
_MOST_TICKS = 6
#: A curve against the number of negatives needs so many of them.
_LEAST_RATIOS = 3


@dataclass(frozen=True)
class SweepPanel:
    """A measure on a data set against a parameter: rows of the table of sweeps, and levels of the other methods."""

    dataset: str
    metric: str
    parameter: str
    rows: Sequence[Mapping[str, Any]]
    levels: Mapping[str, float]


def collect_sweeps(summary: Sequence[Mapping[str, Any]], sweeps: Sequence[Mapping[str, Any]]) -> list[SweepPanel]:
    """Group the table of sweeps into panels; `summary` gives the levels of methods without values of a parameter.

    The table calls a data set with label noise as runs do where a method's parameter is swept on it, and the data set
    by its own name where the level of noise is the parameter.
    """
    swept = swept_methods(summary, sweeps)
    others = group_rows((row for row in summary if row["method"] not in swept), "dataset", "metric")
    return [
        SweepPanel(*key, rows, {row["label"]: row["value"] for row in others.get(key[:2], ())})
        for key, rows in group_rows(sweeps, "dataset", "metric", "parameter").items()
    ]


def swept_methods(summary: Sequence[Mapping[str, Any]], sweeps: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the variants that a sweep of a method's parameter makes; levels of label noise make none."""
    cases = {row["dataset"] for row in summary}
    return {row["method"] for row in sweeps if row["dataset"] in cases}


def collect_ratios(summary: Sequence[Mapping[str, Any]]) -> list[SweepPanel]:
    """Average the table `summary` over data sets, for each average precision at three or more numbers of negatives.

    Methods that did not run on all data sets, whose means would be of others, are left out.
    """
    datasets = {row["dataset"] for row in summary}
    title = f"mean over {len(datasets)} data sets" if len(datasets) > 1 else "".join(datasets)
    at_ratio = [row for row in summary if METRICS[row["metric"]].ratio is not None]
    panels = []
    for metric in dict.fromkeys(METRICS[row["metric"]].without_ratio for row in at_ratio):
        of_kind = [row for row in at_ratio if METRICS[row["metric"]].without_ratio == metric]
        rows = [
            {
                "label": label,
                "setting": METRICS[name].ratio,
                "value": statistics.fmean(row["value"] for row in cells),
                "std": None,
            }
            for (label, name), cells in group_rows(of_kind, "label", "metric").items()
            if len(cells) == len(datasets)
        ]
        if len({row["setting"] for row in rows}) >= _LEAST_RATIOS:
            panels.append(SweepPanel(title, metric, "negatives per positive", rows, {}))
    return panels


def draw_sweeps(panels: Sequence[SweepPanel], style: Style) -> "Figure":
    """Draw a panel a data set and measure, a line a swept method, a level without points for each other method."""
    parameters = list(dict.fromkeys(panel.parameter for panel in panels))
    lines = dict.fromkeys(row["label"] for panel in panels for row in panel.rows)
    levels = dict.fromkeys(label for panel in panels for label in panel.levels)
    looks = {label: method_look(i, style, MARKERS, linestyle=DASHES) for i, label in enumerate(lines)}
    for i, label in enumerate(levels, len(looks)):
        looks.setdefault(label, method_look(i, style, linestyle=_LEVEL_DASHES, marker=("", *MARKERS)))
    with drawing(style):
        figure, axes = make_panels(len(panels), style, wide=True)
        handles: dict[str, Any] = {}
        for one, panel in zip(axes, panels, strict=True):
            handles |= _draw_panel(one, panel, looks)
        if len(parameters) == 1:
            figure.supxlabel(_shown(parameters[0]), fontsize=style.font_size)
        for one, panel in zip(axes, panels, strict=True):
            set_y_label(one, METRICS[panel.metric].axis_label)
            if len(parameters) > 1:
                one.set_xlabel(_shown(panel.parameter))
        add_legend(figure, [handles[label] for label in looks if label in handles], style, (1, 2))
        return figure


def _shown(parameter: str) -> str:
    return literal(parameter.replace("_", " "))


def _draw_panel(axes: "Axes", panel: SweepPanel, looks: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Draw one panel; return what its labels stand for in the legend."""
    handles = {}
    for (label,), rows in group_rows(panel.rows, "label").items():
        points = sorted((row["setting"], row["value"], row["std"] or 0.0) for row in rows)
        settings, values, spreads = zip(*points, strict=True)
        bars = spreads if any(spreads) else None
        handles[label] = axes.errorbar(settings, values, yerr=bars, capsize=2, label=literal(label), **looks[label])
    for label, level in panel.levels.items():
        handles[label] = axes.axhline(level, label=literal(label), **looks[label])
    _scale_settings(axes, sorted({row["setting"] for row in panel.rows}))
    set_title(axes, panel.dataset)
    return handles


def _scale_settings(axes: "Axes", settings: Sequence[float]) -> None:
    """Choose a linear or logarithmic axis for a parameter's settings, each with its number where these have room."""
    log = settings[0] > 0 and settings[-1] > 20 * settings[0]
    places = [math.log(setting) for setting in settings] if log else settings
    if log:
        axes.set_xscale("log")
        plain_log_ticks(axes.xaxis, dense=False)
    if all(b - a > (places[-1] - places[0]) / _MOST_TICKS for a, b in pairwise(places)):
        axes.set_xticks(settings)
