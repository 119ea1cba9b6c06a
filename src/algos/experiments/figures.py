"""Figures of an experiment, as PNG and PDF.

Each ``draw_*`` function takes plain data and returns a `matplotlib.figure.Figure`; each ``collect_*``
function makes that data from run records or tidy tables; `write_figures` joins them. Colours are Okabe and
Ito's, told apart by colour-blind readers, and every colour comes with a line style or marker of its own.
"""

import math
import os
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from algos.evaluation.metrics import METRICS, Metric
from algos.experiments.figure_style import (
    MARKER_SCALE,
    MARKERS,
    Style,
    add_legend,
    drawing,
    fitted,
    halo,
    label_outer,
    literal,
    make_panels,
    method_look,
    panel_inches,
    plain_log_ticks,
    save_figure,
    set_title,
    text_inches,
)
from algos.experiments.layouts import TWO_RANKED, capitalised, group_rows, rank_sentence
from algos.experiments.method_curves import (
    MethodPanel,
    collect_round_curves,
    collect_time_curves,
    draw_round_curves,
    draw_time_curves,
    end_of,
    error_at_stop,
    error_name,
    validation_name,
)
from algos.experiments.sample_curves import collect_rejection, collect_samples, draw_rejection, draw_samples
from algos.experiments.sweep_curves import collect_ratios, collect_sweeps, draw_sweeps, swept_methods
from algos.experiments.tables import read_records, read_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Name of each figure -> the sentence below it. The files are ``<name>.png`` and ``<name>.pdf``.
CAPTIONS: dict[str, str] = {
    "learning_curves": (
        "Error against the number of boosting rounds, mean over folds, on the training part, on the inner validation "
        "parts and on the test part; the vertical line marks the rounds of the model (median over folds; shaded: their "
        "range) and the dot the error that tables show, each fold's after its own rounds. Errors too low for the axis "
        "lie on its lower edge. Where that were more than 60 panels, curves are means over data sets."
    ),
    "methods_by_rounds": (
        "Test error against the number of boosting rounds, mean over folds, all methods with rounds of a data set on "
        "one axis, which ends where errors are ten times the least one. Dots stand at the rounds of the model (median "
        "over folds) and the error that tables show, each fold's after its own rounds: beside the mean curve where "
        "folds end at different rounds."
    ),
    "methods_by_time": (
        "Test error against the CPU seconds of the fit so far, on one core, mean over folds. Dots stand at the rounds "
        "of the model (median over folds) and the error that tables show; a method of one round is a dot alone. The "
        "time of choosing hyper-parameters is not included. Times differ from run to run."
    ),
    "error_against_n": (
        "Validation error, by which rounds are chosen, of each grid value at its best number of rounds T* (the number "
        "above it: median over folds); the filled point is the best, and of several folds bars span one standard "
        "deviation to either side. Where that were more than 60 panels, values are means over data sets."
    ),
    "paper_against_ours": (
        "Our results against the printed ones with both error bars; on the diagonal they are equal, and results "
        "outside the printed error bar are ringed. Of many points only these are named."
    ),
    "against_parameter": (
        "Each measure against a parameter that is set to several values, mean over folds with one standard deviation "
        "to either side; lines without points are the experiment's other methods."
    ),
    "against_negatives": (
        "Average precision where the test negatives count as so many per positive, mean over data sets, of the methods "
        "that ran on all of them."
    ),
    "samples_by_round": (
        "Share of the training samples that a self-paced method gives a weight above 0, round by round, mean over "
        "folds: of samples with their right label and of those with a wrong one."
    ),
    "noise_rejection": (
        "Of the training samples with weight 0, the share that has a wrong label (precision); of the wrong labels, the "
        "share that has weight 0 (recall); round by round, mean over folds."
    ),
    "ranks": (
        "Average rank of each method over the data sets (1 is best); circles show how often a method took each rank, "
        "and bars half the critical difference to either side where Friedman's test applies."
    ),
}

#: Name of each figure -> its title in the report.
TITLES: dict[str, str] = {
    "learning_curves": "Learning curves",
    "methods_by_rounds": "Methods by rounds",
    "methods_by_time": "Methods by time",
    "error_against_n": "Validation error against N",
    "paper_against_ours": "Paper against ours",
    "against_parameter": "Against a parameter",
    "against_negatives": "Against the number of negatives",
    "samples_by_round": "Samples in use by rounds",
    "noise_rejection": "Wrong labels kept out",
    "ranks": "Average ranks",
}

#: Figures of single runs, of which a sweep has too many to be told apart.
_OF_RECORDS = (
    "learning_curves",
    "methods_by_rounds",
    "methods_by_time",
    "error_against_n",
    "samples_by_round",
    "noise_rejection",
)
_SWEPT_ELSEWHERE = "Variants of a sweep are in the figure against a parameter alone."

#: More panels of one figure are not looked at.
_MOST_PANELS = 60

#: Every file that `write_figures` writes.
FIGURE_NAMES: tuple[str, ...] = tuple(f"{name}.{suffix}" for name in CAPTIONS for suffix in ("png", "pdf"))


# -------------------------------------------------------------------------------------------- learning curves


@dataclass(frozen=True)
class CurvePanel:
    """Learning curves of one method on one data set; errors in percent after 1, 2, ... rounds, mean over folds.

    `test_at_stop` is the mean of each fold's test error after its own number of rounds, `stopped_at`.
    """

    title: str
    dataset: str
    train: Sequence[float]
    test: Sequence[float]
    validation: Sequence[float] | None
    stopped_at: Sequence[int]
    test_at_stop: float


def collect_curves(records: Sequence[Mapping[str, Any]], labels: Mapping[str, str]) -> list[CurvePanel]:
    """Average the learning curves of run records over folds, a panel a method and data set, methods first.

    A curve that ended early (nothing was left to learn) keeps its last value. Many data sets are averaged, too
    (`_few_panels`).
    """
    panels = []
    staged = _few_panels([record for record in records if record["curve"]])
    methods = list(dict.fromkeys(record["method"] for record in staged))
    groups = group_rows(staged)
    for dataset, method in sorted(groups, key=lambda key: methods.index(key[1])):
        runs = groups[dataset, method]
        curves = [run["curve"] for run in runs]
        validation = [run["selection"]["validation_curve"] for run in runs if run["selection"]]
        title = dataset if len(methods) == 1 else f"{dataset}: {labels[method]}"
        panels.append(
            CurvePanel(
                title,
                dataset,
                _mean_curve([curve["train_error"] for curve in curves]),
                _mean_curve([curve["test_error"] for curve in curves]),
                _mean_curve(validation) if validation and all(validation) else None,
                [end_of(run) for run in runs],
                error_at_stop(curves),
            )
        )
    return panels


def _few_panels(records: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return records as if of one data set where a panel a method and data set were too many to look at."""
    datasets = {record["dataset"] for record in records}
    if len(group_rows(records)) <= _MOST_PANELS or len(datasets) == 1:
        return records
    return [{**record, "dataset": f"mean over {len(datasets)} data sets"} for record in records]


def _mean_curve(curves: Sequence[Sequence[float]]) -> list[float]:
    """Mean of curves in percent, each prolonged by its last value to the longest."""
    import numpy as np

    length = max(map(len, curves))
    padded = [np.pad(np.asarray(curve, dtype=float), (0, length - len(curve)), mode="edge") for curve in curves]
    return (100 * np.mean(padded, axis=0)).tolist()


def draw_learning_curves(
    panels: Sequence[CurvePanel], style: Style, error: str = "error", validation: str = "error"
) -> "Figure":
    """Draw training, validation and test error against rounds, a panel each.

    `error` is the name of training and test errors, `validation` that of the error which chooses rounds; where they
    differ, the legend says so. Rounds are on a logarithmic axis. Errors are, too, when test errors span a factor of
    five or more; an error of zero then lies on the lower edge. Panels of one data set share their limits.
    """
    with drawing(style):
        figure, axes = make_panels(len(panels), style)
        span = max(max(panel.test) / max(min(panel.test), 1e-9) for panel in panels)
        log = span >= 5
        limits = {
            panel.dataset: _curve_limits([p for p in panels if p.dataset == panel.dataset], log) for panel in panels
        }
        handles: dict[str, Any] = {}
        for one, panel in zip(axes, panels, strict=True):
            handles |= {line.get_label(): line for line in _draw_curves(one, panel, limits[panel.dataset], log, style)}
            set_title(one, panel.title)
        label_outer(axes, "boosting rounds", f"{error} (%)")
        if validation != error and "validation" in handles:
            handles["validation"].set_label(f"validation: {validation}")
        add_legend(figure, [handles[label] for label in _CURVE_LABELS if label in handles], style, (2, 4))
        return figure


#: What the legend of learning curves can have; some panels may lack the validation curve.
_CURVE_LABELS = ("train", "validation", "test", "stopping point")


def _curve_limits(panels: Sequence[CurvePanel], log: bool) -> tuple[float, float]:
    values = [v for panel in panels for curve in (panel.train, panel.test, panel.validation or ()) for v in curve]
    if not log:
        return 0.0, 1.05 * max(*values, 1e-9)
    # The training error may fall far below what a test set can resolve: half the lowest test error is low enough.
    lowest = min(v for panel in panels for curve in (panel.test, panel.validation or ()) for v in curve if v > 0)
    return 0.5 * lowest, 1.15 * max(values)


def _draw_curves(axes: "Axes", panel: CurvePanel, limits: tuple[float, float], log: bool, style: Style) -> list[Any]:
    """Draw one panel; return its lines with a label."""
    import numpy as np

    colors = [style.colors[i % len(style.colors)] for i in range(3)]
    curves = [("train", panel.train, colors[2], "--"), ("validation", panel.validation, colors[0], ":")]
    curves.append(("test", panel.test, colors[1], "-"))
    handles = []
    for label, curve, color, dashes in curves:
        if curve is None:
            continue
        rounds = np.arange(1, len(curve) + 1)
        shown = np.maximum(curve, limits[0])
        handles += axes.plot(rounds, shown, color=color, linestyle=dashes, label=label, clip_on=False)
    stop = statistics.median_low(panel.stopped_at)
    axes.axvspan(min(panel.stopped_at), max(panel.stopped_at), color="#000000", alpha=0.08, linewidth=0)
    axes.axvline(stop, color="#555555", linewidth=0.8)
    handles += axes.plot(
        [stop],
        [max(panel.test_at_stop, limits[0])],
        "o",
        color=colors[1],
        markeredgecolor="white",
        label="stopping point",
        clip_on=False,
        zorder=3,
    )
    axes.set(xscale="log", xlim=(1, max(len(panel.test), 2)), ylim=limits, yscale="log" if log else "linear")
    plain_log_ticks(axes.xaxis, dense=len(panel.test) < 30)
    if log:
        plain_log_ticks(axes.yaxis, dense=limits[1] / limits[0] < 300)
    return handles


# ---------------------------------------------------------------------------------------------- error against N


@dataclass(frozen=True)
class GridPanel:
    """Validation error (percent, mean and std over folds) and T* (median over folds) of each value of one parameter."""

    title: str
    parameter: str
    values: Sequence[float]
    errors: Sequence[float]
    stds: Sequence[float]
    rounds: Sequence[int]


def collect_grids(records: Sequence[Mapping[str, Any]], labels: Mapping[str, str]) -> list[GridPanel]:
    """Collect what the selection found for each value of the first parameter that a staged method searched.

    Where more parameters were searched, the best of the others counts for each value. Many data sets are averaged
    (`_few_panels`).
    """
    panels = []
    groups = group_rows(_few_panels([record for record in records if record["curve"] and record["selection"]]))
    searched = {key: _searched_parameter(runs) for key, runs in groups.items()}
    methods = list(dict.fromkeys(method for (_, method), parameter in searched.items() if parameter))
    for dataset, method in sorted((key for key in groups if searched[key]), key=lambda key: methods.index(key[1])):
        parameter = searched[dataset, method]
        title = dataset if len(methods) == 1 else f"{dataset}: {labels[method]}"
        panels.append(
            _grid_panel(title, parameter, [run["selection"]["candidates"] for run in groups[dataset, method]])
        )
    return panels


def _searched_parameter(runs: Sequence[Mapping[str, Any]]) -> str | None:
    """The first numeric parameter of which several values were tried."""
    values: dict[str, set[Any]] = {}
    for run in runs:
        for candidate in run["selection"]["candidates"]:
            for name, value in candidate["params"].items():
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    values.setdefault(name, set()).add(value)
    return next((name for name, tried in values.items() if len(tried) > 1), None)


def _grid_panel(title: str, parameter: str, searches: Sequence[Sequence[Mapping[str, Any]]]) -> GridPanel:
    values = sorted({candidate["params"][parameter] for search in searches for candidate in search})
    errors, stds, rounds = [], [], []
    for value in values:
        best = [
            min((c for c in search if c["params"][parameter] == value), key=lambda c: c["validation_error"])
            for search in searches
        ]
        percents = [100 * candidate["validation_error"] for candidate in best]
        errors.append(statistics.fmean(percents))
        stds.append(statistics.stdev(percents) if len(percents) > 1 else 0.0)
        rounds.append(statistics.median_low([candidate["n_rounds"] for candidate in best]))
    return GridPanel(title, parameter, values, errors, stds, rounds)


_PARAMETER_LABELS = {"n_inner_nodes": "inner nodes N", "n_factors": "factors m", "max_leaf_nodes": "leaves J"}


def draw_error_against_n(panels: Sequence[GridPanel], style: Style, error: str = "error") -> "Figure":
    """Draw validation error (its name: `error`) against the grid of the base learner's size, with T* above."""
    from matplotlib.lines import Line2D

    with drawing(style):
        figure, axes = make_panels(len(panels), style)
        for one, panel in zip(axes, panels, strict=True):
            _draw_grid(one, panel, style)
            set_title(one, panel.title)
        names = [_PARAMETER_LABELS.get(panel.parameter, panel.parameter) for panel in panels]
        label_outer(axes, names[0], f"validation {error} (%)")
        if len(set(names)) > 1:  # methods with base learners of different kinds
            for one, name in zip(axes, names, strict=True):
                one.set_xlabel(name)
        color = style.colors[0]
        mean = "mean ± std" if any(std > 0 for panel in panels for std in panel.stds) else "error"
        handles = [
            Line2D([], [], color=color, marker="o", markerfacecolor="white", label=mean),
            Line2D([], [], color=color, marker="o", linestyle="", label="best"),
            Line2D([], [], linestyle="", label="number: T*"),
        ]
        add_legend(figure, handles, style, (2, 3))
        return figure


def _draw_grid(axes: "Axes", panel: GridPanel, style: Style) -> None:
    color = style.colors[0]
    positions = range(len(panel.values))  # grids are lists of choices: even steps, whatever the values
    axes.errorbar(positions, panel.errors, panel.stds, color=color, marker="o", markerfacecolor="white", capsize=2)
    best = min(positions, key=panel.errors.__getitem__)
    axes.plot([best], [panel.errors[best]], "o", color=color, zorder=3)
    low = min(e - s for e, s in zip(panel.errors, panel.stds, strict=True))
    high = max(e + s for e, s in zip(panel.errors, panel.stds, strict=True))
    room = max(high - low, 0.2)
    axes.set_ylim(max(low - 0.12 * room, 0), high + 0.62 * room)  # room above for the line of T*
    axes.set_xlim(-0.6, len(panel.values) - 0.4)
    axes.set_xticks(list(positions), [f"{value:g}" for value in panel.values])
    axes.grid(False, axis="x")
    _write_rounds(axes, panel.rounds, style.font_size - 1.5)


def _write_rounds(axes: "Axes", rounds: Sequence[int], font_size: float) -> None:
    """Write T* along the upper edge, upright where the numbers would touch each other."""
    slot = panel_inches(axes) * 72 / (len(rounds) + 0.2)
    rotation = 90 if max(len(str(number)) for number in rounds) * 0.72 * font_size > slot else 0
    for position, number in enumerate(rounds):
        axes.text(
            position,
            0.985,
            str(number),
            transform=axes.get_xaxis_transform(),
            fontsize=font_size,
            rotation=rotation,
            ha="center",
            va="top",
            color="#333333",
            path_effects=[halo()],
        )


# ------------------------------------------------------------------------------------------- paper against ours


@dataclass(frozen=True)
class Pair:
    """A printed number and ours, in percent; an error bar may be missing."""

    dataset: str
    label: str
    printed: float
    printed_std: float | None
    ours: float
    ours_std: float | None
    within: bool | None
    metric: str = "test_error"


def collect_pairs(comparison: Sequence[Mapping[str, Any]]) -> list[Pair]:
    """Collect the results that have a printed number from the rows of the comparison."""
    return [
        Pair(
            row["dataset"],
            row["label"],
            row["printed"],
            row["printed_std"],
            row["reproduced"],
            row["reproduced_std"],
            None if row["within_error_bar"] is None else row["within_error_bar"] == "yes",
            row["metric"],
        )
        for row in comparison
        if row["n_runs"] and row["printed"] is not None
    ]


def draw_paper_against_ours(pairs: Sequence[Pair], style: Style) -> "Figure":
    """Draw ours against the print with error bars and the diagonal, a panel a measure.

    Points are named where there is room; of more than `_MOST_NAMES` only those outside their printed bar.
    """
    from matplotlib.figure import Figure

    groups = group_rows(({"metric": pair.metric, "pair": pair} for pair in pairs), "metric")
    with drawing(style):
        columns = min(len(groups), 2)
        rows, width = math.ceil(len(groups) / columns), style.column_width if columns == 1 else style.full_width
        labels = list(dict.fromkeys(pair.label for pair in pairs))
        side = min(width / columns, 4.2)
        figure = Figure(figsize=(width, rows * side + 0.2), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        handles: dict[str, Any] = {}
        for axes, ((metric,), group) in zip(panels, groups.items(), strict=False):
            handles |= _draw_pair_panel(axes, [row["pair"] for row in group], METRICS[metric], labels, style)
        for empty in panels[len(groups) :]:
            empty.remove()
        add_legend(figure, [handles[literal(label)] for label in labels], style, (1, 2))
        for axes, group in zip(panels, groups.values(), strict=False):
            of_panel = [row["pair"] for row in group]
            named = [pair for pair in of_panel if len(of_panel) <= _MOST_NAMES or pair.within is False]
            _name_points(figure, axes, named, of_panel, style)
        return figure


# More names than this in a panel are hardly found beside their points.
_MOST_NAMES = 20


def _draw_pair_panel(
    axes: "Axes", pairs: Sequence[Pair], metric: Metric, labels: Sequence[str], style: Style
) -> dict[str, Any]:
    """Draw the pairs of one measure; return the legend's handle of each label."""
    limits, log = _pair_limits(pairs)
    axes.plot(limits, limits, color="#777777", linewidth=0.8, zorder=1)
    for label in dict.fromkeys(pair.label for pair in pairs):
        _draw_pairs(axes, [p for p in pairs if p.label == label], labels.index(label), limits[0], style)
    name = metric.axis_label
    axes.set(xlim=limits, ylim=limits, xlabel=f"printed {name}", ylabel=f"our {name}")
    axes.set_aspect("equal", adjustable="box")
    if log:
        axes.set(xscale="log", yscale="log")
        plain_log_ticks(axes.xaxis, dense=True)
        plain_log_ticks(axes.yaxis, dense=True)
    handles, texts = axes.get_legend_handles_labels()
    return dict(zip(texts, handles, strict=True))


def _pair_limits(pairs: Sequence[Pair]) -> tuple[tuple[float, float], bool]:
    """The same limits for both axes, and whether they are logarithmic: where points span a factor of four.

    Bars that would reach far below the least point are cut there then.
    """
    values = [value for pair in pairs for value in (pair.printed, pair.ours)]
    lows = [v - (s or 0) for pair in pairs for v, s in ((pair.printed, pair.printed_std), (pair.ours, pair.ours_std))]
    highs = [v + (s or 0) for pair in pairs for v, s in ((pair.printed, pair.printed_std), (pair.ours, pair.ours_std))]
    low, high = min(lows), max(highs)
    if min(values) > 0 and max(values) / min(values) > 4:
        return (max(low, min(values) / 2) / 1.15, high * 1.15), True
    margin = 0.06 * max(high - low, 0.5 if high > 1 else 0.005)
    return (max(low - margin, 0.0), high + margin), False


def _draw_pairs(axes: "Axes", pairs: Sequence[Pair], index: int, lowest: float, style: Style) -> None:
    """Draw one method's points; bars end at the axes' lower limit, rings mark what is outside its printed bar."""
    look = method_look(index, style, MARKERS + "*X", fillstyle=("full", "none"))
    look["markersize"] = style.marker_size * MARKER_SCALE.get(look["marker"], 1.0)
    edge = {"markeredgecolor": "white", "markeredgewidth": 0.6} if look["fillstyle"] == "full" else {}
    printed, ours = [pair.printed for pair in pairs], [pair.ours for pair in pairs]
    bars = {}
    for key, centre, stds in (
        ("xerr", printed, [pair.printed_std or 0.0 for pair in pairs]),
        ("yerr", ours, [pair.ours_std or 0.0 for pair in pairs]),
    ):
        bars[key] = [[min(s, max(c - lowest, 0.0)) for c, s in zip(centre, stds, strict=True)], stds]
    axes.errorbar(printed, ours, **bars, fmt="none", ecolor=look["color"], elinewidth=0.7, alpha=0.55)
    axes.plot(printed, ours, linestyle="", label=literal(pairs[0].label), **look, **edge)
    missed = [pair for pair in pairs if pair.within is False]
    axes.plot(
        [pair.printed for pair in missed],
        [pair.ours for pair in missed],
        "o",
        markersize=2.2 * style.marker_size,
        markerfacecolor="none",
        markeredgecolor="#000000",
        markeredgewidth=0.9,
    )


def _name_points(figure: "Figure", axes: "Axes", named: Sequence[Pair], pairs: Sequence[Pair], style: Style) -> None:
    """Write data sets' names beside points, misses first, each where it covers no other name and none of all points.

    A name for which no place is free is left out: the table has them all.
    """
    from matplotlib.transforms import Bbox

    figure.draw_without_rendering()
    pad = 0.6 * style.marker_size * figure.dpi / 72
    dots = [axes.transData.transform((pair.printed, pair.ours)) for pair in pairs]
    taken = [Bbox.from_extents(x - pad, y - pad, x + pad, y + pad) for x, y in dots]
    frame = axes.get_window_extent()
    offset = style.marker_size * 0.9
    places = [
        (dx, dy) for r in (1, 2.2) for dx, dy in ((r, r), (r, -r), (-r, r), (-r, -r), (0, 1.6 * r), (0, -1.6 * r))
    ]
    for pair in sorted(named, key=lambda pair: pair.within is not False):
        for dx, dy in places:
            name = axes.annotate(
                literal(pair.dataset),
                (pair.printed, pair.ours),
                (dx * offset, dy * offset),
                textcoords="offset points",
                fontsize=style.font_size - 1.5,
                path_effects=[halo()],
                ha="left" if dx > 0 else "right" if dx < 0 else "center",
                va="bottom" if dy > 0 else "top",
            )
            box = name.get_window_extent()
            inside = frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
            if inside and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            name.remove()


# ------------------------------------------------------------------------------------------------------- ranks


@dataclass(frozen=True)
class Ranks:
    """Ranks of methods by one measure, best first: ``ranks[i][j]`` is that of method j on data set i."""

    metric: str
    labels: Sequence[str]
    ranks: Sequence[Sequence[float]]
    critical_difference: float | None
    sentence: str


def collect_ranks(rows: Sequence[Mapping[str, Any]], set_ranks: Sequence[Mapping[str, Any]]) -> list[Ranks]:
    """Collect the ranks on each data set behind the table of average ranks, measure by measure."""
    ranks = {(row["metric"], row["dataset"], row["method"]): row["rank"] for row in set_ranks}
    collected = []
    for (metric,), group in group_rows(rows, "metric").items():
        datasets = dict.fromkeys(dataset for of_metric, dataset, _ in ranks if of_metric == metric)
        of_sets = [[ranks[metric, dataset, row["method"]] for row in group] for dataset in datasets]
        labels, difference = [row["label"] for row in group], group[0]["critical_difference"]
        collected.append(Ranks(metric, labels, of_sets, difference, rank_sentence(group)))
    return collected


def draw_ranks(measures: Sequence[Ranks], style: Style) -> "Figure":
    """Draw average ranks with half the critical difference to either side, and single ranks as circles.

    Two methods whose bars do not overlap differ significantly (Nemenyi's test at 5 %). One panel below the other for
    several measures.
    """
    from matplotlib.figure import Figure

    # Long names and many ranks leave no room in a column.
    width = next(
        (w for w in (style.figure_width(1), style.figure_width(3)) if _inches_a_rank(measures, w, style) >= 0.2),
        style.figure_width(3),
    )
    step = math.ceil(0.2 / _inches_a_rank(measures, width, style))
    titles = [
        fitted(
            (f"{capitalised(METRICS[data.metric].label)}. " if len(measures) > 1 else "") + data.sentence,
            0.97 * width,
            style.font_size - 0.5,
        )
        for data in measures
    ]
    heights = [
        0.34 * len(data.labels) + 0.6 + 0.15 * (title.count("\n") + 1)
        for data, title in zip(measures, titles, strict=True)
    ]
    with drawing(style):
        figure = Figure(figsize=(width, sum(heights)), layout="constrained")
        # A part of the figure for each measure: titles begin at its edge, not where names push the axes to.
        parts = figure.subfigures(len(measures), 1, squeeze=False, height_ratios=heights).ravel()
        for part, data, title in zip(parts, measures, titles, strict=True):
            part.suptitle(title, x=0.01, ha="left", fontsize=style.font_size - 0.5)
            axes = part.subplots()
            _draw_rank_panel(axes, data, style)
            axes.set_xticks(range(1, len(data.labels) + 1, step))
            axes.set_xlabel("rank (1 is best)")
        return figure


def _inches_a_rank(measures: Sequence[Ranks], width: float, style: Style) -> float:
    """Return about how far apart two ranks will be in a figure so wide."""
    names = max(text_inches(literal(label), style.font_size - 1) for data in measures for label in data.labels)
    span = max(len(data.labels) + (data.critical_difference or 0.0) for data in measures)
    return max(width - names - 0.3, 0.1 * width) / span


def _draw_rank_panel(axes: "Axes", data: Ranks, style: Style) -> None:
    from collections import Counter

    n_methods = len(data.labels)
    for y, ranks in enumerate(zip(*data.ranks, strict=True)):
        for rank, count in Counter(ranks).items():
            size = style.marker_size * (1 + 2.2 * math.sqrt(count / len(ranks)))
            look = {"markersize": size, "markerfacecolor": "none", "markeredgecolor": "#999999"}
            axes.plot([rank], [y], "o", clip_on=False, **look)
        half = None if data.critical_difference is None else data.critical_difference / 2
        axes.errorbar([statistics.fmean(ranks)], [y], xerr=half, fmt="D", color=style.colors[0], capsize=3)
    axes.set_yticks(range(n_methods), [literal(label) for label in data.labels])
    left, right = axes.get_xlim()
    axes.set(ylim=(n_methods - 0.5, -0.5), xlim=(min(0.6, left), max(n_methods + 0.4, right)))
    axes.grid(False, axis="y")


# ----------------------------------------------------------------------------------------------------- writing


def draw_sentence(sentence: str, style: Style) -> "Figure":
    """Draw a small figure that says why there is nothing to draw."""
    import textwrap

    from matplotlib.figure import Figure

    with drawing(style):
        figure = Figure(figsize=(style.column_width, 0.8))
        text = textwrap.fill(literal(sentence), int(style.column_width * 72 / (0.6 * style.font_size)))
        figure.text(0.5, 0.5, text, ha="center", va="center", color="#333333")
        return figure


def write_figures(
    record_paths: Sequence[str | os.PathLike],
    tables_dir: str | os.PathLike,
    reported_csv: str | os.PathLike | None,
    style: Mapping[str, Any] | None,
    out_dir: str | os.PathLike,
    experiment: str,
) -> None:
    """Write all figures of one experiment (`FIGURE_NAMES`).

    All but ``methods_by_time`` are the same byte for byte whenever the runs were the same.

    A figure with nothing to draw is written as a small one that says so.

    Parameters
    ----------
    record_paths : sequence of path-like
        JSON records of the experiment's runs.
    tables_dir : path-like
        The experiment's tables (`algos.experiments.tables.write_tables`).
    reported_csv : path-like or None
        Whether, and with what, the experiment is compared.
    style : dict or None
        The config's ``figures`` section, see `Style`.
    out_dir : path-like
        Folder of the figures; made when missing.
    experiment : str
        The experiment's name, for the files' metadata.

    Raises
    ------
    InputError
        When the style or a record is not usable.
    """
    look = Style.from_config(style)
    records = read_records(record_paths)
    summary, sweeps = (read_table(tables_dir, name) for name in ("summary", "sweeps"))
    swept = swept_methods(summary, sweeps)  # a figure of their own shows them
    records = [record for record in records if record["method"] not in swept]
    labels = {row["method"]: row["label"] for row in summary if row["method"] not in swept}
    content = _content(records, labels, (summary, sweeps), tables_dir, reported_csv)
    notes = _notes(records, labels, {name: content[name][1] for name in ("methods_by_rounds", "methods_by_time")})
    for name, (draw, data, reason) in content.items():
        why_not = f"{reason} {_SWEPT_ELSEWHERE}" if swept and name in _OF_RECORDS else reason
        figure = draw(data, style=look) if data else draw_sentence(why_not, look)
        title = f"{experiment}: {name.replace('_', ' ')}"
        save_figure(figure, Path(out_dir) / name, look, title, None if data else why_not, notes.get(name, ""))


def _content(
    records: Sequence[Mapping[str, Any]],
    labels: Mapping[str, str],
    tables: tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]],
    tables_dir: str | os.PathLike,
    reported_csv: str | os.PathLike | None,
) -> dict[str, tuple[Callable[..., "Figure"], Sequence[Any], str]]:
    """For each figure: the function that draws it, its data, and what to say where there are none.

    `tables` are the tables ``summary`` and ``sweeps``.
    """
    summary, sweeps = tables
    source = None if reported_csv is None else Path(reported_csv).name
    unprinted = (
        "No printed numbers are named for this experiment."
        if source is None
        else f"No run of this experiment has a number in {source}."
    )
    too_few = "No data set of this experiment has two methods with a learning curve."
    ranks = collect_ranks(read_table(tables_dir, "ranks"), read_table(tables_dir, "set_ranks"))
    error, validation = error_name(records), validation_name(records)
    return {
        "learning_curves": (
            partial(draw_learning_curves, error=error, validation=validation),
            collect_curves(records, labels),
            "No method of this experiment has a learning curve.",
        ),
        "methods_by_rounds": (
            partial(draw_round_curves, labels=labels, error=error),
            collect_round_curves(records),
            too_few,
        ),
        "methods_by_time": (
            partial(draw_time_curves, labels=labels, error=error),
            collect_time_curves(records),
            too_few,
        ),
        "error_against_n": (
            partial(draw_error_against_n, error=validation),
            collect_grids(records, labels),
            "No boosting method of this experiment searched a grid of numbers.",
        ),
        "paper_against_ours": (draw_paper_against_ours, collect_pairs(read_table(tables_dir, "comparison")), unprinted),
        "against_parameter": (
            draw_sweeps,
            collect_sweeps(summary, sweeps),
            "No parameter of this experiment is set to several values.",
        ),
        "against_negatives": (
            draw_sweeps,
            collect_ratios(summary),
            "No average precision of this experiment is measured at three or more numbers of negatives.",
        ),
        "samples_by_round": (
            partial(draw_samples, labels=labels),
            collect_samples(records),
            "No method of this experiment weighs its samples anew each round.",
        ),
        "noise_rejection": (
            partial(draw_rejection, labels=labels),
            collect_rejection(records),
            "No method of this experiment weighs its samples anew each round, with wrong labels among them.",
        ),
        "ranks": (draw_ranks, ranks, f"Ranks need {TWO_RANKED}."),
    }


def _notes(
    records: Sequence[Mapping[str, Any]], labels: Mapping[str, str], shown: Mapping[str, Sequence[MethodPanel]]
) -> dict[str, str]:
    """Say what the errors are, which methods a figure of curves lacks, and of which curves nothing chose the rounds."""
    fixed = dict.fromkeys(
        record["method"]
        for record in records
        if record["curve"] and not (record["selection"] or {}).get("validation_curve")
    )
    unchosen = f"No validation chose the rounds of {_listed(fixed, labels)}." if fixed else ""
    error, validation = error_name(records), validation_name(records)
    measured = "" if error == "error" else f"The error is the {error}."
    chooser = "" if validation == error else f"The validation error is {validation}."
    notes = {"learning_curves": _joined(measured, chooser, unchosen), "error_against_n": chooser or measured}
    for name, panels in shown.items():
        drawn = {curve.method for panel in panels for curve in panel.curves}
        missing = [method for method in labels if method not in drawn]
        without = f"Not shown, for they have no {_LACKING[name]}: {_listed(missing, labels)}." if missing else ""
        notes[name] = _joined(measured, without, unchosen)
    return notes


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


_LACKING = {"methods_by_rounds": "rounds", "methods_by_time": "rounds whose time is known"}


def _listed(methods: Iterable[str], labels: Mapping[str, str]) -> str:
    return "; ".join(labels[method] for method in methods)
