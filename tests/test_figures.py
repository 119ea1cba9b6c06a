"""Figures: the data they show by hand, their layout, their files."""

import itertools
from dataclasses import replace

import matplotlib
import pytest
from made_up_runs import METHODS, make_record, nine_small_sets, write_records, write_reported
from PIL import Image

from algos.exceptions import InputError
from algos.experiments import figures, tables
from algos.experiments.figure_style import broken, plain_log_ticks
from algos.experiments.figures import CurvePanel, GridPanel, Pair, Ranks, Style
from algos.experiments.method_curves import MethodCurve, MethodPanel, draw_round_curves
from algos.experiments.ranks import rank_rows, set_rank_rows
from algos.experiments.report import read_figure

LABELS = {name: method.label for name, method in METHODS.items()}
WIDTHS = pytest.mark.parametrize("style", [Style(width="column"), Style(width="full")], ids=["column", "full"])


# -------------------------------------------------------------------------------------------- collecting data


def test_curves_are_means_over_folds_in_percent():
    def curve(train, test, stop):
        return {"train_error": train, "test_error": test, "stopped_at": stop}

    records = [
        make_record(fold="r0f0", curve=curve([0.4, 0.2, 0.0], [0.5, 0.3, 0.1], 3)),
        make_record(fold="r0f1", curve=curve([0.2], [0.1], 1)),  # ended early: keeps its last value
        make_record(method="svm"),
    ]
    (panel,) = figures.collect_curves(records, LABELS)
    assert panel.title == "wine"
    assert panel.train == pytest.approx([30, 20, 10])
    assert panel.test == pytest.approx([30, 20, 10])
    assert panel.stopped_at == [3, 1]
    assert panel.test_at_stop == pytest.approx(10)  # 0.1 each, although the mean curve is at 30 after one round
    assert len(panel.validation) == 100


def test_curves_of_several_methods_are_named_methods_first():
    records = [make_record(d, m) for d in ("wine", "iris") for m in ("tree", "stump")]
    titles = [panel.title for panel in figures.collect_curves(records, LABELS)]
    assert titles == [f"{d}: {LABELS[m]}" for m in ("tree", "stump") for d in ("wine", "iris")]


def test_curves_without_validation():
    panels = figures.collect_curves([make_record(selection={"candidates": [], "validation_curve": None})], LABELS)
    assert panels[0].validation is None


def test_grid_takes_the_best_of_the_other_parameters():
    def candidate(n, rate, rounds, error):
        params = {"learning_rate": rate, "n_inner_nodes": n} if rate else {"n_inner_nodes": n}
        return {"params": params, "n_rounds": rounds, "validation_error": error}

    searches = [
        [candidate(1, None, 50, 0.3), candidate(2, None, 60, 0.1)],
        [candidate(1, None, 70, 0.5), candidate(2, None, 90, 0.2), candidate(2, None, 80, 0.3)],
    ]
    records = [make_record(fold=f"r0f{i}", selection={"candidates": s}) for i, s in enumerate(searches)]
    (panel,) = figures.collect_grids(records, LABELS)
    assert panel.parameter == "n_inner_nodes"
    assert panel.values == [1, 2]
    assert panel.errors == pytest.approx([40, 15])
    assert panel.stds == pytest.approx([200**0.5, 50**0.5])
    assert panel.rounds == [50, 60]  # the lower median


def test_no_grid_for_methods_without_search_or_rounds():
    fixed = make_record(selection={"candidates": [{"params": {}, "n_rounds": 60, "validation_error": 0.1}]})
    assert figures.collect_grids([make_record(method="svm"), fixed], LABELS) == []


def test_pairs_come_from_the_comparison(tmp_path):
    reported = write_reported(tmp_path, ["wine,ADABOOST.MH w Hamming trees,5,1", "iris,SVM (Gaussian kernel),5,1"])
    paths = write_records(tmp_path / "runs", [make_record(error=0.1), make_record("pima", error=0.1)])
    tables.write_tables(paths, reported, {}, METHODS, tmp_path / "tables", "Demo")
    pairs = figures.collect_pairs(tables.read_table(tmp_path / "tables", "comparison"))
    assert pairs == [Pair("wine", LABELS["tree"], 5.0, 1.0, 10.0, None, False)]


def test_ranks_follow_the_order_of_their_table():
    records = [
        make_record(f"set{i}", method, error=error) for i in range(3) for method, error in (("tree", 0.2), ("svm", 0.1))
    ]
    summary = tables.summarise(tables.fold_rows(records), METHODS)
    set_ranks = set_rank_rows(summary)
    (ranks,) = figures.collect_ranks(rank_rows(set_ranks), set_ranks)
    assert ranks.labels == [LABELS["svm"], LABELS["tree"]]
    assert ranks.ranks == [[1, 2]] * 3
    assert figures.collect_ranks([], []) == []


# ----------------------------------------------------------------------------------------------------- drawing


def shown_texts(figure):
    """The boxes in pixels of every text of a drawn figure that has letters in it."""
    figure.draw_without_rendering()
    found = figure.findobj(lambda artist: isinstance(artist, matplotlib.text.Text) and artist.get_visible())
    unused = {label for axes in figure.axes for label in unused_tick_labels(axes)}
    return [(text, text.get_window_extent()) for text in found if text.get_text().strip() and text not in unused]


def unused_tick_labels(axes):
    """Labels that matplotlib keeps for ticks outside the limits and does not draw."""
    for i, axis in enumerate((axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        for label in axis.get_ticklabels(which="both"):
            if not low * (1 - 1e-9) <= label.get_position()[i] <= high * (1 + 1e-9):
                yield label


def assert_readable(figure, smallest=5.5):
    """All text lies inside the figure and is large enough; titles and notes do not cover each other."""
    width, height = figure.get_size_inches() * figure.dpi
    boxes = shown_texts(figure)
    for text, box in boxes:
        assert text.get_fontsize() >= smallest
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1
        assert inside, f"{text.get_text()!r} leaves the figure"
    ticks = {label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for label in axis.get_ticklabels()}
    loose = [(text, box.padded(-1)) for text, box in boxes if text not in ticks]
    for (one, box), (other, other_box) in itertools.combinations(loose, 2):
        assert not box.overlaps(other_box), f"{one.get_text()!r} covers {other.get_text()!r}"


def curve_panels(n):
    test = [5 + 60 / t for t in range(1, 301)]
    train = [max(0.0, 60 / t - 2) for t in range(1, 301)]
    return [CurvePanel(f"data set {i}", f"data set {i}", train, test, test, [80, 120, 200], 5.25) for i in range(n)]


@WIDTHS
@pytest.mark.parametrize("n", [1, 5, 9])
def test_learning_curves_are_readable(style, n):
    figure = figures.draw_learning_curves(curve_panels(n), style)
    assert_readable(figure)
    assert figure.get_figwidth() == style.figure_width(n)
    assert len(figure.axes) == n
    for axes in figure.axes:
        lines = {line.get_label(): line for line in axes.get_lines()}
        assert {"train", "validation", "test", "stopping point"} <= set(lines)
        dashes = {lines[name].get_linestyle() for name in ("train", "validation", "test")}
        assert len(dashes) == 3  # told apart without colour
        assert lines["stopping point"].get_xdata()[0] == 120
        assert lines["stopping point"].get_ydata()[0] == 5.25  # as tables show it, beside the curve
        assert axes.get_xscale() == "log"
        assert axes.get_yscale() == "log"
    assert "%" in figure.axes[0].get_ylabel()
    assert figure.axes[-1].get_xlabel() == "boosting rounds"


def legend_of(figure):
    """Texts of a figure's only legend, each in one line."""
    (legend,) = figure.legends
    return [" ".join(text.get_text().split()) for text in legend.get_texts()]


def test_the_legend_has_what_any_panel_has():
    panels = curve_panels(2)
    panels[1] = replace(panels[1], validation=None)
    for order in (panels, panels[::-1]):
        legend = legend_of(figures.draw_learning_curves(order, Style()))
        assert legend == ["train", "validation", "test", "stopping point"]


def test_long_labels_and_titles_stay_whole_in_the_figure():
    label = "AdaBoost.MH, single-label trees (Mukherjee 2013), with 1000 leaves and a label that its author made long"
    curve = MethodCurve("m", [1, 2, 3], [30.0, 20.0, 10.0], (2, 20.0))
    panels = [MethodPanel("wine", [curve, replace(curve, method="n")])] * 3
    for style in (Style(width="column"), Style(width="full")):
        figure = draw_round_curves(panels, {"m": label, "n": "short"}, style)
        assert_readable(figure)
        (legend,) = figure.legends
        assert " ".join(legend.get_texts()[0].get_text().split()) == label
    assert broken("wine: single-label trees", 14) == "wine:\nsingle-label\ntrees"
    assert broken("a_name_of_27_letters_noise15", 12) == "a_name_of_\n27_letters_\nnoise15"


@pytest.mark.parametrize(("low", "high"), [(0.4, 0.9), (2.1, 3.9), (12, 45), (3, 700), (1, 5000), (5.1, 5.3)])
@pytest.mark.parametrize("dense", [True, False])
def test_a_logarithmic_axis_has_numbers_however_short_it_is(low, high, dense):
    axes = matplotlib.figure.Figure().subplots()
    axes.set(xscale="log", xlim=(low, high))
    plain_log_ticks(axes.xaxis, dense)
    shown = [tick for tick in axes.get_xticks() if low <= tick <= high]
    assert 2 <= len(shown) <= 12


def test_figures_say_which_methods_they_lack_and_whose_rounds_nothing_chose(tmp_path):
    unchosen = {"candidates": [], "validation_curve": None}
    records = [make_record(method="tree"), make_record(method="stump", selection=unchosen), make_record(method="svm")]
    paths = write_records(tmp_path / "runs", records)
    tables.write_tables(paths, None, {}, METHODS, tmp_path / "tables", "Demo")
    figures.write_figures(paths, tmp_path / "tables", None, {"dpi": 50}, tmp_path / "figures", "demo")
    shown = {
        name: read_figure(tmp_path / f"figures/{name}.png", name) for name in ("methods_by_rounds", "learning_curves")
    }
    assert shown["methods_by_rounds"]["caption"].endswith(
        f"Not shown, for they have no rounds: {LABELS['svm']}. No validation chose the rounds of {LABELS['stump']}."
    )
    assert shown["learning_curves"]["caption"].endswith(f"No validation chose the rounds of {LABELS['stump']}.")
    assert shown["learning_curves"]["why_not"] is None


@pytest.mark.parametrize(
    ("metrics", "chooser", "error", "validation"),
    [
        ({"test_error": 0.1}, "test_error", "error", "error"),
        ({"voc_average_precision": 0.1}, "voc_average_precision", "error", "1 − 11-point average precision"),
        ({"macro_auc": 0.1}, "average_precision", "Hamming loss", "Hamming loss"),  # boosters stop by their own loss
    ],
)
def test_figures_name_the_measure_of_errors(tmp_path, monkeypatch, metrics, chooser, error, validation):
    drawn = {}
    monkeypatch.setattr(figures, "save_figure", lambda figure, stem, *rest: drawn.update({stem.name: (figure, rest)}))
    records = [make_record(method=m, metrics=metrics) for m in ("tree", "stump")]
    records = [record | {"selection": record["selection"] | {"metric": chooser}} for record in records]
    for record in records:
        record["cost"] = record["cost"] | {"rounds": [[1, 1.0], [100, 2.0]]}
    paths = write_records(tmp_path / "runs", records)
    tables.write_tables(paths, None, {}, METHODS, tmp_path / "tables", "Demo")
    figures.write_figures(paths, tmp_path / "tables", None, None, tmp_path / "figures", "demo")
    names = {name: " ".join(figure.axes[0].get_ylabel().split()) for name, (figure, _) in drawn.items() if figure.axes}
    assert names["learning_curves"] == f"{error} (%)"
    assert names["methods_by_rounds"] == names["methods_by_time"] == f"test {error} (%)"
    assert names["error_against_n"] == f"validation {validation} (%)"
    chosen_by = "validation" if validation == error else f"validation: {validation}"
    assert legend_of(drawn["learning_curves"][0])[1] == chosen_by
    notes = {name: rest[-1] for name, (_, rest) in drawn.items()}
    about = {"learning_curves": "", "methods_by_rounds": "", "methods_by_time": "", "error_against_n": ""}
    if error != "error":
        about = dict.fromkeys(about, f"The error is the {error}.")
    elif validation != error:
        about |= dict.fromkeys(("learning_curves", "error_against_n"), f"The validation error is {validation}.")
    assert {name: notes[name] for name in about} == about


def test_a_long_name_of_a_measure_stays_beside_its_panel():
    panels = [GridPanel(f"set {i}", "n_factors", [1, 2], [9.0, 8.0], [1.0, 1.0], [5, 5]) for i in range(5)]
    figure = figures.draw_error_against_n(panels, Style(), "1 − 11-point average precision at 1:10")
    assert_readable(figure)
    label, axes = figure.axes[0].yaxis.label, figure.axes[0].get_window_extent()
    assert label.get_window_extent().height <= 1.25 * axes.height
    figure = figures.draw_error_against_n(panels[:3], Style(), "Hamming loss")
    assert figure.axes[0].get_ylabel() == "validation Hamming\nloss (%)"  # no "(%)" on a line of its own


def test_learning_curves_are_readable_where_rounds_are_chosen_by_another_measure():
    for n in (1, 5):
        name = "1 − 11-point average precision at 1:10"
        figure = figures.draw_learning_curves(curve_panels(n), Style(), validation=name)
        assert_readable(figure)
        assert f"validation: {name}" in legend_of(figure)


def test_curves_of_small_span_are_linear():
    panel = CurvePanel("pima", "pima", [30.0, 20.0], [30.0, 25.0], None, [2], 25.0)
    (axes,) = figures.draw_learning_curves([panel], Style()).axes
    assert axes.get_yscale() == "linear"
    assert "validation" not in [line.get_label() for line in axes.get_lines()]


def test_perfect_curves_can_be_drawn():
    panel = CurvePanel("easy", "easy", [0.0], [0.0], [0.0], [1], 0.0)
    assert_readable(figures.draw_learning_curves([panel], Style()))


@WIDTHS
def test_error_against_n_is_readable(style):
    values = [1, 2, 4, 8, 16, 32, 64]
    panels = [
        GridPanel(f"data set {i}", "n_inner_nodes", values, [9 - v / 16 for v in values], [1.0] * 7, [12345] * 7)
        for i in range(5)
    ]
    figure = figures.draw_error_against_n(panels, style)
    assert_readable(figure)
    for axes in figure.axes:
        assert [text.get_text() for text in axes.texts] == ["12345"] * 7
        assert [label.get_text() for label in axes.get_xticklabels()] == [str(value) for value in values]
        low, high = axes.get_ylim()
        assert low < 4 < 10 < high  # all bars are inside
    assert figure.axes[-1].get_xlabel() == "inner nodes N"


PAIRS = [
    Pair("wine", "AdaBoost.MH", 2.0, 3.0, 2.8, 4.5, True),
    Pair("iris", "AdaBoost.MH", 7.0, 6.0, 6.0, 4.7, True),
    Pair("balance", "SVM", 10.0, 2.0, 5.0, 1.0, False),
    Pair("breast", "SVM", 37.0, None, 30.0, None, None),
]


@WIDTHS
def test_paper_against_ours_is_readable(style):
    figure = figures.draw_paper_against_ours(PAIRS, style)
    assert_readable(figure)
    (axes,) = figure.axes
    assert axes.get_xlim() == axes.get_ylim()
    assert axes.get_xlim()[0] == pytest.approx(1 / 1.15)  # an error bar below half the least number is cut there
    assert {text.get_text() for text in axes.texts} == {"wine", "iris", "balance", "breast"}
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert lines["AdaBoost.MH"].get_marker() != lines["SVM"].get_marker()
    rings = [
        line for line in axes.get_lines() if line.get_markersize() > 2 * style.marker_size and len(line.get_xdata())
    ]
    assert [(list(ring.get_xdata()), list(ring.get_ydata())) for ring in rings] == [([10.0], [5.0])]


@pytest.mark.parametrize("colors", [Style().colors, ("#000000",)])
def test_points_of_fourteen_methods_have_looks_of_their_own(colors):
    pairs = [Pair("wine", f"m{i}", 5.0 + i, 0.1, 5.0 + i, 0.1, True) for i in range(14)]
    handles = figures.draw_paper_against_ours(pairs, Style(colors=colors)).legends[0].legend_handles
    assert len({(line.get_color(), line.get_marker(), line.get_fillstyle()) for line in handles}) == 14
    sizes = {line.get_marker(): line.get_markersize() for line in handles}
    assert sizes["*"] > 1.5 * sizes["o"]  # a star of the same size is hardly seen


def test_paper_against_ours_is_logarithmic_over_a_wide_span():
    pairs = [Pair("a", "m", 1.0, 0.1, 1.1, 0.1, True), Pair("b", "m", 40.0, 1.0, 41.0, 1.0, True)]
    (axes,) = figures.draw_paper_against_ours(pairs, Style()).axes
    assert axes.get_xscale() == axes.get_yscale() == "log"


def test_crowded_points_keep_their_names_apart():
    pairs = [Pair(f"data set {i}", "m", 5 + i / 50, 1.0, 5 + i / 60, 1.0, True) for i in range(40)]
    figure = figures.draw_paper_against_ours(pairs, Style())
    assert_readable(figure)
    assert not figure.axes[0].texts  # of so many points only those outside their bar are named
    pairs += [Pair("far off", "m", 5.0, 0.1, 5.7, 0.1, False)]
    figure = figures.draw_paper_against_ours(pairs, Style())
    assert_readable(figure)
    assert [text.get_text() for text in figure.axes[0].texts] == ["far off"]


@WIDTHS
@pytest.mark.parametrize("n_methods", [2, 10])
def test_ranks_are_readable(style, n_methods):
    labels = [f"Method with a rather long name {i}" for i in range(n_methods)]
    difference = 3.1 if n_methods > 2 else None
    data = Ranks(
        "test_error",
        labels,
        [list(range(1, n_methods + 1))] * 5,
        difference,
        "Friedman test over 5 data sets: p = 0.01.",
    )
    figure = figures.draw_ranks([data], style)
    assert_readable(figure)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == labels
    low, high = axes.get_xlim()
    half = (difference or 0) / 2
    assert low < 1 - half
    assert high > n_methods + half


def rank_data(metric, labels, difference):
    ranks = [list(range(1, len(labels) + 1))] * 5
    sentence = "Friedman test over 5 data sets: p = 3.9e-06; critical difference of ranks (Nemenyi, 5 %): 6.75."
    return Ranks(metric, labels, ranks, difference, sentence + " The methods differ significantly at 5 %.")


@pytest.mark.parametrize(("n_methods", "name"), [(2, "BR"), (11, "AdaBoost.MH, Hamming trees"), (14, "Long name " * 6)])
def test_ranks_by_several_measures_stay_whole(n_methods, name):
    labels = [f"{name} {i}" for i in range(n_methods)]
    data = [rank_data(metric, labels, 6.75) for metric in ("average_precision", "macro_auc")]
    figure = figures.draw_ranks(data, Style())
    assert_readable(figure)
    titles = [part.get_suptitle().split(".")[0] for part in figure.subfigs]
    assert titles == ["Average precision", "Macro AUC"]
    for axes in figure.axes:
        circles = [line for line in axes.get_lines() if line.get_marker() == "o"]
        assert len(circles) == n_methods
        assert not any(circle.get_clip_on() for circle in circles)
        labels = [label.get_window_extent() for label in axes.get_xticklabels()]
        assert not any(one.overlaps(other) for one, other in itertools.pairwise(labels))


def test_hostile_names_are_drawn_literally():
    panel = CurvePanel(r"$\frac{1}$ & <b>", "x", [10.0, 5.0], [10.0, 6.0], None, [1], 10.0)
    pair = Pair(r"$\undefined$", "$m$", 2.0, 1.0, 3.0, 1.0, True)
    for figure in (figures.draw_learning_curves([panel], Style()), figures.draw_paper_against_ours([pair], Style())):
        figure.canvas.draw()  # a formula that cannot be read would raise here
    assert figures.draw_sentence("Costs $5 or $6.", Style())


# ----------------------------------------------------------------------------------------------------- writing


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Figures of three small sets, drawn twice: folder of each."""
    folder = tmp_path_factory.mktemp("figures")
    lines = [f"{d},ADABOOST.MH w Hamming trees,{p},4" for d, p in (("wine", 3), ("pima", 24), ("balance", 15))]
    reported = write_reported(folder, lines)
    records = [record for record in nine_small_sets() if record["dataset"] in ("wine", "pima", "balance")]
    paths = write_records(folder / "runs", records)
    tables.write_tables(paths, reported, {}, METHODS, folder / "tables", "Demo")
    before = dict(matplotlib.rcParams)
    for name, line_width in (("first", 1.0), ("second", 9.0)):
        with matplotlib.rc_context({"lines.linewidth": line_width}):  # as if from a user's matplotlibrc
            figures.write_figures(paths, folder / "tables", reported, {"dpi": 100}, folder / name, "demo")
    assert dict(matplotlib.rcParams) == before
    return folder


@pytest.mark.parametrize(("n_datasets", "titles"), [(30, 60), (31, 2)])
def test_where_panels_are_too_many_data_sets_are_averaged(n_datasets, titles):
    labels = {"tree": "Trees", "stump": "Stumps"}
    records = [make_record(f"set{i}", method, error=0.1 + i / 100) for method in labels for i in range(n_datasets)]
    for panels in (figures.collect_curves(records, labels), figures.collect_grids(records, labels)):
        assert len(panels) == titles
    curves = figures.collect_curves(records, labels)
    if titles == 2:
        assert [panel.title for panel in curves] == [f"mean over 31 data sets: {label}" for label in labels.values()]
        assert curves[0].test == pytest.approx(
            [sum(record["curve"]["test_error"][t] for record in records[:31]) / 0.31 for t in range(100)]
        )


def test_all_figures_are_written_the_same_twice(written):
    first, second = ({p.name: p.read_bytes() for p in (written / name).iterdir()} for name in ("first", "second"))
    assert sorted(first) == sorted(figures.FIGURE_NAMES)
    assert first == second


def test_png_and_pdf_are_what_they_say(written):
    widths = {"learning_curves": 6.9, "error_against_n": 6.9, "paper_against_ours": 3.3, "ranks": 3.3}
    for name, width in widths.items():
        with Image.open(written / "first" / f"{name}.png") as image:
            assert image.width == round(100 * width)
            assert len(image.convert("RGB").getcolors(100_000)) > 20  # something is drawn
            assert image.info["Title"] == f"demo: {name.replace('_', ' ')}"
            assert "Description" not in image.info
        pdf = (written / "first" / f"{name}.pdf").read_bytes()
        assert pdf.startswith(b"%PDF")
        assert b"CreationDate" not in pdf


def test_figures_with_nothing_to_draw_say_so(tmp_path):
    paths = write_records(tmp_path / "runs", [make_record(method="svm")])
    tables.write_tables(paths, None, {}, METHODS, tmp_path / "tables", "Demo")
    figures.write_figures(paths, tmp_path / "tables", None, None, tmp_path / "figures", "demo")
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == sorted(figures.FIGURE_NAMES)
    sentences = {}
    for name in figures.CAPTIONS:
        with Image.open(tmp_path / "figures" / f"{name}.png") as image:
            sentences[name] = image.info["Description"]
    assert sentences == {
        "learning_curves": "No method of this experiment has a learning curve.",
        "methods_by_rounds": "No data set of this experiment has two methods with a learning curve.",
        "methods_by_time": "No data set of this experiment has two methods with a learning curve.",
        "error_against_n": "No boosting method of this experiment searched a grid of numbers.",
        "paper_against_ours": "No printed numbers are named for this experiment.",
        "against_parameter": "No parameter of this experiment is set to several values.",
        "against_negatives": (
            "No average precision of this experiment is measured at three or more numbers of negatives."
        ),
        "samples_by_round": "No method of this experiment weighs its samples anew each round.",
        "noise_rejection": (
            "No method of this experiment weighs its samples anew each round, with wrong labels among them."
        ),
        "ranks": (
            "Ranks need two methods that ran on the same data sets; libraries' methods, controls and variants of a "
            "sweep have no rank."
        ),
    }


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"fontsize": 8}, "unknown key 'fontsize'; the nearest one is 'font_size'"),
        ({"dpi": 0}, "dpi is 0"),
        ({"dpi": "high"}, "dpi is 'high'"),
        ({"line_width": True}, "line_width is True"),
        ({"width": "wide"}, "width is 'wide'"),
        ({"colors": []}, "give colours"),
        ({"colors": ["#12"]}, "give colours"),
    ],
)
def test_unusable_style_is_refused(section, message):
    with pytest.raises(InputError, match=message):
        Style.from_config(section)


def test_style_of_config():
    style = Style.from_config({"font_size": 9, "colors": ["#000000"], "width": "column"})
    assert style.rc()["font.size"] == 9
    assert style.figure_width(9) == 3.3
    assert Style.from_config(None) == Style()
    assert [Style().figure_width(n) for n in (1, 2, 3)] == [3.3, 3.3, 6.9]
    (axes,) = figures.draw_learning_curves([CurvePanel("a", "a", [2.0, 1.0], [3.0, 2.0], None, [1], 3.0)], style).axes
    assert {line.get_color() for line in axes.get_lines()} <= {"#000000", "#555555"}  # one colour: dashes tell apart
