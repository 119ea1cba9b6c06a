"""Experiments that report several measures: tables, layouts, figures, report and published results."""

import csv
from dataclasses import replace

import pytest
from made_up_runs import METHODS, make_record, write_records, write_reported

from algos.evaluation.metrics import METRICS
from algos.experiments import figures, layouts, published, report, tables
from algos.experiments.figure_style import Style

HEADER = "dataset,method,metric,mean,std"
PRINTED = [
    "wine,ADABOOST.MH w Hamming trees,one_error,0.30,0.01",
    "wine,ADABOOST.MH w Hamming trees,average_precision,0.60,0.02",
    "wine,SVM (Gaussian kernel),one_error,0.20,0.01",
    "wine,Forest,one_error,0.25,0.01",
]
VALUES = {"tree": (0.305, 0.61), "svm": (0.25, 0.70), "stump": (0.4, 0.5)}


def runs(datasets=("wine", "iris", "sonar")):
    return [
        make_record(
            dataset,
            method,
            f"s{i}",
            metrics={"one_error": one + 0.001 * i, "average_precision": precision - 0.001 * i},
            selection={"candidates": [], "validation_curve": None},
            curve=None,
        )
        for dataset in datasets
        for method, (one, precision) in VALUES.items()
        for i in range(3)
    ]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("measures")
    reported = write_reported(folder, PRINTED, "table9", HEADER)
    paths = write_records(folder / "runs", runs())
    tables.write_tables(paths, reported, {}, METHODS, folder / "tables", "Demo", {"wine": "Why so."})
    figures.write_figures(paths, folder / "tables", reported, {"dpi": 60}, folder / "figures", "demo")
    return folder


def cells(layout, *key):
    (row,) = [row for row in layout.rows if tuple(cell.text for cell in row[: len(key)]) == key]
    return [(cell.text, cell.bold) for cell in row[len(key) :]]


def test_each_measure_has_its_mean_spread_and_print(written):
    summary = tables.read_table(written / "tables", "summary")
    assert len(summary) == 3 * 3 * 2
    assert summary[0]["value"] == pytest.approx(0.306)  # no percentages
    assert summary[0]["std"] == pytest.approx(0.001)
    comparison = tables.read_table(written / "tables", "comparison")
    verdicts = {(row["method"], row["metric"]): row["within_error_bar"] for row in comparison if row["printed"]}
    assert verdicts == {
        ("tree", "one_error"): "yes",
        ("tree", "average_precision"): "yes",
        ("svm", "one_error"): "no",
        (None, "one_error"): None,
    }
    (miss,) = [row for row in comparison if row["within_error_bar"] == "no"]
    assert miss["note"].startswith("0.051 above the print, outside its ±0.01")


def test_the_best_is_bold_whichever_way_is_better(written):
    layout = layouts.summary_layout(tables.read_table(written / "tables", "summary"), "T")
    assert layout.header == ["data set", "method", "one-error ↓", "average precision ↑"]
    assert cells(layout, "iris", METHODS["svm"].label) == [("0.251 ± 0.001", True), ("0.699 ± 0.001", True)]
    assert cells(layout, "iris", METHODS["tree"].label) == [("0.306 ± 0.001", False), ("0.609 ± 0.001", False)]
    compared = layouts.comparison_layout(tables.read_table(written / "tables", "comparison"), "T")
    assert compared.groups == [("", 2), ("one-error ↓", 2), ("average precision ↑", 2)]
    assert compared.notes[2:] == ["wine (AdaBoost.MH, Hamming trees; SVM, Gaussian kernel): Why so."]
    assert cells(compared, "wine", METHODS["svm"].label)[:2] == [("0.200 ± 0.010", True), ("0.251 ± 0.001†", True)]


def test_ranks_by_each_measure(written):
    rows = tables.read_table(written / "tables", "ranks")
    assert [(row["metric"], row["method"], row["average_rank"]) for row in rows] == [
        *(("one_error", method, rank) for rank, method in enumerate(("svm", "tree", "stump"), 1)),
        *(("average_precision", method, rank) for rank, method in enumerate(("svm", "tree", "stump"), 1)),
    ]
    layout = layouts.rank_layout(rows, "T")
    assert layout.header == ["measure", "method", "average rank", "best on"]
    assert [note.split(":")[0] for note in layout.notes[:2]] == ["One-error", "Average precision"]
    data = figures.collect_ranks(rows, tables.read_table(written / "tables", "set_ranks"))
    assert [entry.metric for entry in data] == ["one_error", "average_precision"]
    assert len(figures.draw_ranks(data, Style()).axes) == 2


def test_paper_against_ours_has_a_panel_a_measure(written):
    pairs = figures.collect_pairs(tables.read_table(written / "tables", "comparison"))
    figure = figures.draw_paper_against_ours(pairs, Style())
    assert [axes.get_xlabel() for axes in figure.axes] == ["printed one-error", "printed average precision"]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [METHODS["tree"].label, METHODS["svm"].label]
    assert all(axes.get_xlim()[1] < 1 for axes in figure.axes)


def test_report_and_published_page_name_the_measure(written):
    experiment = {
        **{"name": "demo", "title": "Demo", "paper": "", "protocol": "Three splits.", "settings": {}},
        **{"tables_dir": written / "tables", "figures_dir": written / "figures"},
    }
    described = report.describe_experiment(experiment)
    assert described["verdict"]["headline"] == "2 of 3 printed cells reproduced within the error bar."
    (miss,) = described["verdict"]["misses"]
    assert miss["where"] == f"wine, {METHODS['svm'].label}, one-error"
    assert miss["numbers"] == "print 0.200 ± 0.010, ours 0.251 ± 0.001"
    assert report.best_sentences(tables.read_table(written / "tables", "summary"))[1] == (
        f"iris: {METHODS['svm'].label}, one-error 0.251 ± 0.001"
    )
    published.publish(
        sorted((written / "runs").glob("*.json")),
        written / "table9.csv",
        {},
        METHODS,
        written / "published" / "table9",
        **{"commit": "c", "command": "s", "date": "2026-11-30", "settings": {}},
    )
    with (written / "published" / "table9.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["reproduced"] for row in rows] == ["0.306", "0.609", "0.251", ""]


def test_every_measure_is_named_and_shown_with_its_unit():
    assert {name: metric.name for name, metric in METRICS.items()} == {name: name for name in METRICS}
    assert METRICS["test_error"].axis_label == "test error (%)"
    assert METRICS["macro_auc"].axis_label == "macro AUC"
    assert layouts.capitalised(METRICS["macro_auc"].label) == "Macro AUC"
    assert METRICS["macro_auc"].best([0.5, 0.7]) == 0.7
    assert METRICS["coverage"].best([0.5, 0.7]) == 0.5


def test_a_variant_is_shown_beside_a_print_that_counts_for_another(tmp_path):
    methods = METHODS | {"stump": replace(METHODS["stump"], beside="tree")}
    reported = write_reported(tmp_path, PRINTED, "table9", HEADER)
    paths = write_records(tmp_path / "runs", runs(("wine",)))
    tables.write_tables(paths, reported, {}, methods, tmp_path, "Demo")
    comparison = tables.read_table(tmp_path, "comparison")
    (row,) = (r for r in comparison if r["method"] == "stump" and r["metric"] == "one_error")
    assert (row["beside"], row["printed"], row["within_error_bar"]) == ("tree", None, None)
    layout = layouts.comparison_layout(comparison, "Demo")
    # Outside the other's bar, and no number of the print is bold for it.
    assert cells(layout, "wine", METHODS["stump"].label)[:2] == [("0.300 ± 0.010", False), ("0.401 ± 0.001†", False)]
    assert layout.notes[-1].endswith("for which alone it counts: AdaBoost.MH, stumps (AdaBoost.MH, Hamming trees).")
    assert report.judge(comparison, tables.read_table(tmp_path, "summary"))["n_judged"] == 3
