"""Measures against a parameter that an experiment sets to several values."""

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
    cases = {row["dataset"] for row in summary}
    swept = {row["method"] for row in sweeps if row["dataset"] in cases}
    others = group_rows((row for row in summary if row["method"] not in swept), "dataset", "metric")
    return [
        SweepPanel(*key, rows, {row["label"]: row["value"] for row in others.get(key[:2], ())})
        for key, rows in group_rows(sweeps, "dataset", "metric", "parameter").items()
    ]


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
        handles[label] = axes.errorbar(settings, values, yerr=spreads, capsize=2, label=literal(label), **looks[label])
    for label, level in panel.levels.items():
        handles[label] = axes.axhline(level, label=literal(label), **looks[label])
    settings = sorted({row["setting"] for row in panel.rows})
    if settings[0] > 0 and settings[-1] > 50 * settings[0]:
        axes.set_xscale("log")
        plain_log_ticks(axes.xaxis, dense=False)
    elif all(b - a > (settings[-1] - settings[0]) / _MOST_TICKS for a, b in pairwise(settings)):
        axes.set_xticks(settings)  # few, with room for their numbers
    set_title(axes, panel.dataset)
    return handles
