"""Which samples are in round by round, and how well wrong labels are kept out."""

import math

import pytest
from made_up_runs import METHODS, make_record

from algos.experiments.figure_style import Style
from algos.experiments.sample_curves import collect_rejection, collect_samples, draw_rejection, draw_samples

LABELS = {name: method.label for name, method in METHODS.items()}


def samples(clean, noisy, rounds, n_clean=90, n_noisy=10):
    return {
        "rounds": rounds,
        "n_clean": n_clean,
        "n_noisy": n_noisy,
        "clean_in": clean,
        "noisy_in": noisy,
        "clean_weight": [0.5 * share for share in clean],
        "noisy_weight": None if noisy is None else noisy,
    }


def test_shares_are_means_over_folds_and_rounds_between_are_filled():
    records = [
        make_record(method="tree", fold="s0", samples=samples([0.5, 0.9], [0.5, 0.1], [1, 3])),
        make_record(method="tree", fold="s1", samples=samples([0.7, 0.7], [0.3, 0.3], [1, 2])),
        make_record(method="svm", fold="s0", samples=None),
    ]
    ((panel),) = collect_samples(records)
    (curve,) = panel.curves
    assert curve.method == "tree"
    assert curve.solid == pytest.approx([60, 70, 80])
    assert curve.dashed == pytest.approx([40, 30, 20])


def test_weights_that_are_always_one_are_not_drawn():
    fixed = samples([1.0, 1.0], None, [1, 2], n_noisy=0)
    fixed["clean_weight"] = [1.0, 1.0]
    assert collect_samples([make_record(samples=fixed)]) == []


def test_precision_and_recall_of_keeping_wrong_labels_out():
    ((panel),) = collect_rejection([make_record(samples=samples([0.9, 1.0, 1.0], [0.1, 0.5, 1.0], [1, 2, 3]))])
    (curve,) = panel.curves
    assert curve.dashed == pytest.approx([90, 50, 0])
    assert curve.solid[:2] == pytest.approx([50, 100])  # 9 wrong and 9 right labels are out, then 5 wrong ones
    assert math.isnan(curve.solid[2])  # nothing is out
    assert collect_rejection([make_record(samples=samples([0.9], None, [1], n_noisy=0))]) == []


def test_lines_that_coincide_show_beside_each_other_and_methods_need_not_boost():
    records = [make_record(method=m, samples=samples([0.5, 0.9], [0.5, 0.1], [1, 2])) for m in ("tree", "svm")]
    figure = draw_samples(collect_samples(records), LABELS, Style())
    below, above = (line.get_linewidth() for line in figure.axes[0].get_lines()[::2])
    assert below > 2 * above
    assert figure.axes[0].get_xlabel() == "rounds"


def test_the_figures_tell_right_and_wrong_labels_apart():
    records = [make_record(samples=samples([0.5, 0.9], [0.5, 0.1], [1, 2]))]
    for collect, draw in ((collect_samples, draw_samples), (collect_rejection, draw_rejection)):
        figure = draw(collect(records), LABELS, Style())
        lines = figure.axes[0].get_lines()
        assert [line.get_linestyle() for line in lines] == ["-", "--"]
        assert list(lines[0].get_xdata()) == [1, 2]


def test_fourteen_methods_have_looks_of_their_own():
    methods = [f"m{i}" for i in range(14)]
    records = [make_record(method=m, samples=samples([0.5, 0.9], [0.5, 0.1], [1, 2])) for m in methods]
    figure = draw_samples(collect_samples(records), dict(zip(methods, methods, strict=True)), Style())
    handles = figure.legends[0].legend_handles[:14]
    assert len({(line.get_color(), line.get_marker()) for line in handles}) == 14
    drawn = figure.axes[0].get_lines()[::2]
    assert [(line.get_color(), line.get_marker()) for line in drawn] == [
        (h.get_color(), h.get_marker()) for h in handles
    ]
