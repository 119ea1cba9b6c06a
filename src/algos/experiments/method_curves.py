"""Test errors of all methods on one axis: against the number of rounds, and against the time that fitting took."""

import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from algos.evaluation.metrics import METRICS
from algos.experiments.figure_style import (
    DASHES,
    MARKERS,
    Style,
    add_legend,
    drawing,
    label_outer,
    literal,
    make_panels,
    method_look,
    plain_log_ticks,
    set_title,
)
from algos.experiments.layouts import group_rows
from algos.experiments.tables import model_rounds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

#: Line styles and markers of the stop that follow each other, both at once, when the colours are used up: methods of
#: one round are told apart by markers alone.
_STROKES = tuple(itertools.islice(zip(itertools.cycle(DASHES), itertools.cycle(MARKERS), strict=False), 30))


@dataclass(frozen=True)
class MethodCurve:
    """Test error of one method, in percent: ``errors[i]`` at ``positions[i]``.

    `stop` is the median position at which folds end, and the mean of each fold's error at its own end: the error that
    tables show, which need not lie on the mean curve.
    """

    method: str
    positions: Sequence[float]
    errors: Sequence[float]
    stop: tuple[float, float]


@dataclass(frozen=True)
class MethodPanel:
    """The methods' curves on one data set."""

    dataset: str
    curves: Sequence[MethodCurve]


def collect_round_curves(records: Sequence[Mapping[str, Any]]) -> list[MethodPanel]:
    """Test error after each round, mean over folds; a curve that ended early keeps its last value."""
    return _collect(records, _curve_over_rounds)


def collect_time_curves(records: Sequence[Mapping[str, Any]]) -> list[MethodPanel]:
    """Test error against the CPU seconds of the fit so far, both as means over folds.

    Only rounds whose time a record keeps are points; where that is the last alone (a library that tells of no rounds),
    rounds are taken to be equally long. The time of choosing hyper-parameters is not in it.
    """
    return _collect([record for record in records if record["cost"].get("rounds")], _curve_over_time)


def _collect(
    records: Sequence[Mapping[str, Any]], make: Callable[[str, Sequence[Mapping[str, Any]]], MethodCurve]
) -> list[MethodPanel]:
    """A panel for each data set on which two methods or more have a learning curve."""
    panels: dict[str, list[MethodCurve]] = {}
    for (dataset, method), runs in group_rows(record for record in records if record["curve"]).items():
        panels.setdefault(dataset, []).append(make(method, runs))
    return [MethodPanel(dataset, curves) for dataset, curves in panels.items() if len(curves) > 1]


def _mean_error(runs: Sequence[Mapping[str, Any]], n_rounds: int) -> float:
    """Mean test error in percent after so many rounds, or at the end of a shorter curve."""
    curves = (run["curve"]["test_error"] for run in runs)
    return 100 * statistics.fmean(curve[min(n_rounds, len(curve)) - 1] for curve in curves)


def end_of(run: Mapping[str, Any]) -> int:
    """Return the number of rounds of a run's model; its curve may be prolonged beyond."""
    return min(run["curve"]["stopped_at"], model_rounds(run) or run["curve"]["stopped_at"])


def error_at_stop(curves: Sequence[Mapping[str, Any]]) -> float:
    """Mean over folds of the test error of the model, in percent: each fold after its own number of rounds."""
    ends = ((curve["test_error"], curve["stopped_at"]) for curve in curves)
    return 100 * statistics.fmean(errors[min(stop, len(errors)) - 1] for errors, stop in ends)


def error_name(records: Sequence[Mapping[str, Any]]) -> str:
    """Return what learning curves of an experiment's runs measure: with several labels a sample it is Hamming loss."""
    tasks = {METRICS[name].task for record in records for name in record["metrics"] or ()}
    return METRICS["hamming_loss"].label if "multi-label" in tasks else "error"


def validation_name(records: Sequence[Mapping[str, Any]]) -> str:
    """Return what validation curves of methods with rounds measure.

    A measure of rankings chooses rounds by what it lacks of 1; by any other measure they are chosen by their error.
    """
    measures = (METRICS.get((record["selection"] or {}).get("metric")) for record in records)
    ranking = next((metric for metric in measures if metric and metric.ranking), None)
    return f"1 − {ranking.label}" if ranking else error_name(records)


def _curve_over_rounds(method: str, runs: Sequence[Mapping[str, Any]]) -> MethodCurve:
    rounds = range(1, max(len(run["curve"]["test_error"]) for run in runs) + 1)
    stop = statistics.median_low([end_of(run) for run in runs])
    end = (stop, error_at_stop([run["curve"] for run in runs]))
    return MethodCurve(method, list(rounds), [_mean_error(runs, t) for t in rounds], end)


def _curve_over_time(method: str, runs: Sequence[Mapping[str, Any]]) -> MethodCurve:
    import numpy as np

    timed = [_evenly_filled(np.array(run["cost"]["rounds"])) for run in runs]
    rounds = max(timed, key=lambda rows: rows[-1, 0])[:, 0]
    # A fold that ended early costs nothing more afterwards.
    seconds = np.mean([np.interp(rounds, rows[:, 0], rows[:, 1]) for rows in timed], axis=0)
    stop = statistics.median_low([end_of(run) for run in runs])
    return MethodCurve(
        method,
        seconds.tolist(),
        [_mean_error(runs, int(t)) for t in rounds],
        (float(np.interp(stop, rounds, seconds)), error_at_stop([run["curve"] for run in runs])),
    )


def _evenly_filled(rows: Any) -> Any:
    """Return (rounds, seconds) with more rows where only the end was timed: rounds that took equally long."""
    import numpy as np

    if len(rows) > 1:
        return rows
    (n_rounds, seconds), rounds = rows[0], np.unique(np.geomspace(1, rows[0, 0], 100).astype(int))
    return np.column_stack([rounds, seconds * rounds / n_rounds])


def draw_round_curves(
    panels: Sequence[MethodPanel], labels: Mapping[str, str], style: Style, error: str = "error"
) -> "Figure":
    """Draw test error (its name: `error`) against rounds, all methods of a data set on one axis."""
    return _draw(panels, labels, style, "boosting rounds", f"test {error} (%)")


def draw_time_curves(
    panels: Sequence[MethodPanel], labels: Mapping[str, str], style: Style, error: str = "error"
) -> "Figure":
    """Draw test error (its name: `error`) against CPU seconds of the fit, all methods of a data set on one axis."""
    return _draw(panels, labels, style, "CPU seconds of the fit", f"test {error} (%)")


def _draw(
    panels: Sequence[MethodPanel], labels: Mapping[str, str], style: Style, x_label: str, y_label: str
) -> "Figure":
    methods = list(dict.fromkeys(curve.method for panel in panels for curve in panel.curves))
    looks = {method: method_look(i, style, stroke=_STROKES) for i, method in enumerate(methods)}
    with drawing(style):
        figure, axes = make_panels(len(panels), style, wide=True)
        handles: dict[str, Any] = {}
        for one, panel in zip(axes, panels, strict=True):
            for curve in panel.curves:
                line = _draw_curve(one, curve, labels[curve.method], **looks[curve.method])
                handles.setdefault(curve.method, line)
            _limit(one, panel)
            set_title(one, panel.dataset)
        label_outer(axes, x_label, y_label)
        add_legend(figure, list(handles.values()), style, (1, 2))
        return figure


def _draw_curve(axes: "Axes", curve: MethodCurve, label: str, color: str, stroke: tuple[Any, str]) -> "Line2D":
    """Draw a curve and the dot at its stop; return what the legend shows of it: a marker only where it is no circle."""
    from matplotlib import rcParams
    from matplotlib.lines import Line2D

    dashes, marker = stroke
    look = {"color": color, "linestyle": dashes, "linewidth": 0.8 * rcParams["lines.linewidth"]}
    axes.plot(curve.positions, curve.errors, label=literal(label), **look)
    dot = {"color": color, "markeredgecolor": "white"}
    axes.plot(*curve.stop, marker, zorder=3, **dot)
    return Line2D([], [], marker="" if marker == MARKERS[0] else marker, label=literal(label), **look | dot)


def _limit(axes: "Axes", panel: MethodPanel) -> None:
    """Logarithmic axes that show where methods differ: first rounds with many times the least error are cut off."""
    lowest = max(min(min(curve.errors) for curve in panel.curves), 1e-3)
    highest = max(curve.errors[0] for curve in panel.curves)
    axes.set(xscale="log", yscale="log", ylim=(0.85 * lowest, min(1.1 * highest, 10 * lowest)))
    plain_log_ticks(axes.xaxis, dense=False)
    plain_log_ticks(axes.yaxis, dense=True)
