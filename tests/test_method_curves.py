"""Curves of all methods on one axis: the numbers they show by hand, and their layout."""

import pytest
from made_up_runs import METHODS, look_of, make_record

from algos.experiments.figure_style import Style
from algos.experiments.method_curves import (
    MethodCurve,
    MethodPanel,
    collect_round_curves,
    collect_time_curves,
    draw_round_curves,
    draw_time_curves,
)

LABELS = {name: method.label for name, method in METHODS.items()}
COST = {"selection_cpu_seconds": 0, "fit_cpu_seconds": 9, "wall_seconds": 9, "peak_memory_mib": 9}


def run(method, fold, test, stop, rounds=None, dataset="wine"):
    curve = {"train_error": test, "test_error": test, "stopped_at": stop}
    cost = COST if rounds is None else {**COST, "rounds": rounds}
    return make_record(dataset, method, fold, curve=curve, cost=cost)


RUNS = [
    run("tree", "r0f0", [0.5, 0.3, 0.2, 0.1], 3, [[1, 1.0], [2, 2.0], [4, 4.0]]),
    run("tree", "r0f1", [0.3, 0.1], 2, [[1, 3.0], [2, 5.0]]),  # ended early: keeps its error, costs no more
    run("stump", "r0f0", [0.6], 1, [[1, 0.5]]),
    make_record(method="svm"),
]


def test_errors_over_rounds_are_means_over_folds_in_percent():
    (panel,) = collect_round_curves(RUNS)
    assert panel.dataset == "wine"
    tree, stump = panel.curves
    assert (tree.method, stump.method) == ("tree", "stump")
    assert tree.positions == [1, 2, 3, 4]
    assert tree.errors == pytest.approx([40, 20, 15, 10])
    # Where the folds end, and the error that tables show: 20 and 10 %, each fold's after its own rounds.
    assert tree.stop == pytest.approx((2, 15))
    assert stump.errors == pytest.approx([60])


def test_errors_over_time_stand_at_the_mean_seconds_of_the_rounds_that_were_timed():
    (panel,) = collect_time_curves(RUNS)
    tree, stump = panel.curves
    assert tree.positions == pytest.approx([2, 3.5, 4.5])
    assert tree.errors == pytest.approx([40, 20, 10])
    assert tree.stop == pytest.approx((3.5, 15))
    assert stump.stop == pytest.approx((0.5, 60))


def test_a_library_that_times_its_end_alone_gets_even_rounds():
    panel = collect_time_curves([run("tree", "test", [0.5, 0.3, 0.2, 0.1], 2, [[4, 8.0]]), RUNS[2]])[0]
    assert panel.curves[0].positions == pytest.approx([2, 4, 6, 8])
    assert panel.curves[0].errors == pytest.approx([50, 30, 20, 10])
    assert panel.curves[0].stop == pytest.approx((4, 30))


def test_a_data_set_with_a_single_curve_has_no_panel():
    alone = [run("tree", "r0f0", [0.5], 1, dataset="iris"), make_record("iris", "svm")]
    assert [panel.dataset for panel in collect_round_curves([*RUNS, *alone])] == ["wine"]
    assert collect_time_curves([run("tree", "r0f0", [0.5], 1), run("stump", "r0f0", [0.4], 1)]) == []


@pytest.mark.parametrize("draw", [draw_round_curves, draw_time_curves])
@pytest.mark.parametrize("n_sets", [1, 5])
def test_each_method_has_one_look_on_all_axes_and_one_entry_in_the_legend(draw, n_sets):
    methods = [f"m{i}" for i in range(10)]
    runs = [
        run(m, "test", [0.5, 0.2, 0.1 / (i + 1)], 2, [[1, 1.0], [3, 2.0]], f"set{d}")
        for d in range(n_sets)
        for i, m in enumerate(methods)
    ]
    collect = collect_round_curves if draw is draw_round_curves else collect_time_curves
    figure = draw(collect(runs), {m: f"label {m}" for m in methods}, Style())
    looks = [
        [
            (line.get_label(), line.get_color(), line.get_linestyle())
            for line in axes.lines
            if "label" in line.get_label()
        ]
        for axes in figure.axes
    ]
    assert len(looks) == n_sets
    assert all(look == looks[0] for look in looks)
    assert len({look[1:] for look in looks[0]}) == 10
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [f"label {m}" for m in methods]
    figure.draw_without_rendering()
    box = legend.get_window_extent()
    assert not any(box.overlaps(axes.get_window_extent()) for axes in figure.axes)
    assert figure.bbox.x0 <= box.x0 <= box.x1 <= figure.bbox.x1


@pytest.mark.parametrize("colors", [Style().colors, ("#000000",)])
def test_fourteen_methods_have_looks_of_their_own_whose_dots_differ(colors):
    curves = [MethodCurve(f"m{i}", [1, 2], [30.0, 20.0 + i], (2, 20.0 + i)) for i in range(14)]
    figure = draw_time_curves(
        [MethodPanel("wine", curves)], {f"m{i}": f"m{i}" for i in range(14)}, Style(colors=colors)
    )
    handles = figure.legends[0].legend_handles
    assert len({look_of(line) for line in handles}) == 14
    dots = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 1]
    if len(colors) > 1:  # a method of one round is a dot alone
        assert len({(dot.get_color(), dot.get_marker()) for dot in dots}) == 14
    assert [handle.get_marker() for handle in handles] == [
        "" if d.get_marker() == "o" else d.get_marker() for d in dots
    ]
