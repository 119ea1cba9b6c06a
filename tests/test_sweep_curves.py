"""A parameter set to several values: its table, its figure, and that its variants have no rank."""

import pytest
from made_up_runs import METHODS, look_of, make_record, write_records
from matplotlib.lines import Line2D

from algos.experiments import figures, tables
from algos.experiments.figure_style import Style
from algos.experiments.report import read_figure
from algos.experiments.sweep_curves import SweepPanel, collect_ratios, collect_sweeps, draw_sweeps
from algos.experiments.tables import ShownMethod

SWEPT = {f"c{value}": ShownMethod(f"SVM, C = {value}", swept=("SVM", "C", value)) for value in (1, 10, 100)}
ERRORS = {"tree": 0.1, "svm": 0.2, "c1": 0.3, "c10": 0.25, "c100": 0.2}


@pytest.fixture
def written(tmp_path):
    records = [
        make_record(dataset, method, fold, error + spread)
        for dataset in ("wine", "iris")
        for method, error in ERRORS.items()
        for fold, spread in (("r0f0", 0.0), ("r0f1", 0.02))
    ]
    paths = write_records(tmp_path / "runs", records)
    tables.write_tables(paths, None, {}, METHODS | SWEPT, tmp_path / "tables", "Demo")
    return paths, tmp_path


def test_each_value_of_a_swept_parameter_is_a_row(written):
    rows = tables.read_table(written[1] / "tables", "sweeps")
    assert [(row["dataset"], row["setting"], row["label"]) for row in rows[:3]] == [
        ("wine", 1, "SVM"),
        ("wine", 10, "SVM"),
        ("wine", 100, "SVM"),
    ]
    assert len(rows) == 6
    assert rows[1]["value"] == pytest.approx(26)
    assert rows[1]["std"] == pytest.approx(2**0.5)


def test_variants_of_a_sweep_have_no_rank(written):
    ranked = {row["method"] for row in tables.read_table(written[1] / "tables", "ranks")}
    assert ranked == {"tree", "svm"}


def test_the_figure_has_a_line_a_method_and_a_level_for_each_other_one(written):
    summary, sweeps = (tables.read_table(written[1] / "tables", name) for name in ("summary", "sweeps"))
    panels = collect_sweeps(summary, sweeps)
    assert [panel.dataset for panel in panels] == ["wine", "iris"]
    assert panels[0].levels == pytest.approx({METHODS["tree"].label: 11, METHODS["svm"].label: 21})
    figure = draw_sweeps(panels, Style())
    ((line, *_),) = [container.lines for container in figure.axes[0].containers]
    assert list(line.get_xdata()) == [1, 10, 100]
    assert list(line.get_ydata()) == pytest.approx([31, 26, 21])
    assert figure.axes[0].get_xscale() == "log"


@pytest.mark.parametrize(
    ("settings", "all_named"), [((0, 5, 10, 15), True), ((0, 0.5, 10, 15), False), (range(11), False), ((3,), True)]
)
def test_few_settings_are_named_below_the_panel(settings, all_named):
    rows = [{"label": "m", "setting": setting, "value": 1.0, "std": 0.1} for setting in settings]
    figure = draw_sweeps([SweepPanel("d", "macro_auc", "noise", rows, {})], Style())
    assert (list(figure.axes[0].get_xticks()) == list(settings)) == all_named


@pytest.mark.parametrize("colors", [Style().colors, ("#000000",), ("#000000", "#777777")])
@pytest.mark.parametrize("n_swept", [1, 7, 14])
def test_fourteen_methods_have_looks_of_their_own(colors, n_swept):
    rows = [{"label": f"m{m}", "setting": s, "value": m + s, "std": 0.1} for m in range(n_swept) for s in (1, 2)]
    levels = {f"m{m}": float(m) for m in range(n_swept, 14)}
    panels = [SweepPanel(f"set {i}", "macro_auc", "k", rows, levels) for i in range(2)]
    figure = draw_sweeps(panels, Style(colors=colors))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [f"m{m}" for m in range(14)]
    for axes in figure.axes:
        drawn = [look_of(line) for line in axes.get_lines() if line.get_marker() not in ("|", "_")]  # no caps
        assert len(set(drawn)) == len(drawn) == 14
    # A legend draws the lines of error bars and their points one over the other.
    shown = [look_of(line) for line in figure.legends[0].findobj(Line2D)]
    assert {look[:3] for look in drawn} <= {look[:3] for look in shown}
    assert {look[::3] for look in drawn} <= {look[::3] for look in shown}


def test_label_noise_and_two_parameters_have_panels_of_their_own(tmp_path):
    noise = {f"wine_noise{p}": ("wine", p) for p in (0, 10)}
    swept = SWEPT | {f"n{n}": ShownMethod(f"Trees, N = {n}", swept=("Trees", "N", n)) for n in (1, 2)}
    records = [make_record(c, m, "s0", 0.2) for c in noise for m in ("tree", "svm", *swept)]
    paths = write_records(tmp_path / "runs", records)
    tables.write_tables(paths, None, {}, METHODS | swept, tmp_path / "tables", "Demo", noise=noise)
    summary, sweeps = (tables.read_table(tmp_path / "tables", name) for name in ("summary", "sweeps"))
    panels = {(panel.dataset, panel.parameter): panel for panel in collect_sweeps(summary, sweeps)}
    assert set(panels) == {("wine", "noisy labels (%)"), *((c, p) for c in noise for p in ("C", "N"))}
    assert set(panels["wine_noise10", "C"].levels) == {METHODS["tree"].label, METHODS["svm"].label}
    assert not panels["wine", "noisy labels (%)"].levels
    figure = draw_sweeps(list(panels.values()), Style())
    assert [axes.get_xlabel() for axes in figure.axes] == [parameter for _, parameter in panels]


def test_experiments_of_a_sweep_alone_say_why_they_have_no_ranks(tmp_path):
    paths = write_records(tmp_path / "runs", [make_record("wine", method, "s0", 0.2) for method in SWEPT])
    tables.write_tables(paths, None, {}, SWEPT, tmp_path / "tables", "Demo")
    for name in ("ranks", "places", "wins"):
        assert "variants of a sweep have no rank" in (tmp_path / "tables" / f"{name}.md").read_text()


def test_the_figure_says_so_where_nothing_is_swept(written, tmp_path):
    paths = write_records(tmp_path / "unswept", [make_record("wine", method, "r0f0") for method in ("tree", "svm")])
    tables.write_tables(paths, None, {}, METHODS, tmp_path / "plain", "Demo")
    figures.write_figures(paths, tmp_path / "plain", None, {"dpi": 50}, tmp_path / "figures", "demo")
    shown = read_figure(tmp_path / "figures/against_parameter.png", "against_parameter")
    assert shown["why_not"].startswith("No parameter of this experiment")


def test_variants_of_a_sweep_are_in_no_other_figure(written):
    paths, folder = written
    figures.write_figures(paths, folder / "tables", None, {"dpi": 50}, folder / "figures", "demo")
    # The tree alone has rounds beside the sweep: no second method to draw.
    shown = read_figure(folder / "figures/methods_by_rounds.png", "methods_by_rounds")
    assert shown["why_not"].endswith("Variants of a sweep are in the figure against a parameter alone.")
    assert "C = " not in read_figure(folder / "figures/learning_curves.png", "learning_curves")["caption"]


def test_a_sweep_alone_has_its_own_figure_only(tmp_path):
    paths = write_records(tmp_path / "runs", [make_record("wine", method, "r0f0") for method in SWEPT])
    tables.write_tables(paths, None, {}, SWEPT, tmp_path / "tables", "Demo")
    figures.write_figures(paths, tmp_path / "tables", None, {"dpi": 50}, tmp_path / "figures", "demo")
    drawn = [name for name in figures.CAPTIONS if not read_figure(tmp_path / f"figures/{name}.png", name)["why_not"]]
    assert drawn == ["against_parameter"]


def precisions(datasets, label, at, name="voc_average_precision"):
    return [
        {"dataset": dataset, "metric": f"{name}_1to{ratio}", "label": label, "value": value + i}
        for i, dataset in enumerate(datasets)
        for ratio, value in at.items()
    ]


def test_average_precision_against_negatives_is_the_mean_over_data_sets():
    summary = precisions(["cat", "dog"], "svm", {1: 90.0, 4: 70.0, 10: 50.0, 30: 30.0})
    summary += precisions(["cat"], "only on cats", {1: 1.0, 4: 2.0, 10: 3.0})
    summary += precisions(["cat", "dog"], "svm", {1: 90.0, 4: 70.0}, "average_precision_area")  # two are no curve
    summary += [{"dataset": "cat", "metric": "voc_average_precision", "label": "svm", "value": 10.0}]
    (panel,) = collect_ratios(summary)
    assert (panel.dataset, panel.metric) == ("mean over 2 data sets", "voc_average_precision")
    figure = draw_sweeps([panel], Style())
    (axes,) = figure.axes
    (line,) = axes.get_lines()
    assert list(line.get_xdata()) == [1, 4, 10, 30]
    assert list(line.get_ydata()) == [90.5, 70.5, 50.5, 30.5]
    assert list(axes.get_xticks()) == [1, 4, 10, 30]
    assert axes.get_ylabel().replace("\n", " ") == "11-point average precision (%)"
    assert figure.get_supxlabel() == "negatives per positive"


def test_two_numbers_of_negatives_are_no_curve():
    assert collect_ratios(precisions(["cat"], "svm", {1: 90.0, 30: 30.0})) == []
    assert collect_ratios([{"dataset": "a", "metric": "test_error", "label": "svm", "value": 1.0}]) == []
