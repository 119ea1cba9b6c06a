"""Tables: numbers against hand-computed ones, notations, files, faulty input."""

import csv
import filecmp
import math
import os
import re
from pathlib import Path

import numpy as np
import pytest
from made_up_runs import METHODS, make_record, write_records, write_reported

from algos.evaluation.statistics import signed_rank_p_value
from algos.exceptions import InputError
from algos.experiments import layouts, tables
from algos.experiments.figures import collect_curves, collect_ranks
from algos.experiments.markup import Cell, Layout, escape_latex, to_latex, to_markdown
from algos.experiments.protocols import compared_protocols
from algos.experiments.ranks import rank_rows, set_rank_rows
from algos.experiments.report import best_sentences
from algos.experiments.reported import compare, read_reported
from algos.experiments.rounding import fixed, rounded, table_decimals

REPORTED = Path(__file__).parent.parent / "config" / "reported"
HOSTILE = r"a_b & <i>c</i> | 50% $x$ #1 {~^\} [z]"


def summary_of(records):
    return tables.summarise(tables.fold_rows(records), METHODS)


def test_summary_over_folds_has_sample_std():
    (row,) = summary_of([make_record(fold=f"r0f{i}", error=e) for i, e in enumerate((0.1, 0.2, 0.3))])
    assert row["n_runs"] == 3
    assert row["n_test"] == 300
    assert row["value"] == pytest.approx(20)
    assert row["std"] == pytest.approx(10)  # ddof = 1; the population's would be 8.16
    assert row["std_kind"] == "folds"


def test_summary_of_designated_test_set_has_binomial_std():
    (row,) = summary_of([make_record(fold="test", error=0.02, n_test=1000)])
    assert row["std"] == pytest.approx(100 * math.sqrt(0.02 * 0.98 / 1000))
    assert row["std_kind"] == "binomial"


def test_one_fold_alone_has_no_spread():
    (row,) = summary_of([make_record(fold="r0f0")])
    assert row["std"] is None
    assert row["std_kind"] is None


def test_fold_rows_take_the_chosen_candidate():
    (row,) = tables.fold_rows([make_record(error=0.1)])
    assert row["validation_error"] == pytest.approx(11)  # n_inner_nodes = 4, not the first or last
    no_search = make_record("wine", "svm", selection={"candidates": []})
    assert tables.fold_rows([no_search])[0]["validation_error"] is None


def test_times_are_summed_and_memory_is_the_largest():
    cost = {"selection_cpu_seconds": 1.5, "fit_cpu_seconds": 0.5, "wall_seconds": 9.0, "peak_memory_mib": 300.0}
    (row,) = tables.time_rows([make_record(fold="r0f0"), make_record(fold="r0f1", cost=cost)], METHODS)
    assert (row["selection_cpu_seconds"], row["fit_cpu_seconds"], row["wall_seconds"]) == (3.5, 1.5, 13.0)
    assert row["peak_memory_mib"] == 300.0


def test_records_keep_the_order_of_sets_and_sort_folds(tmp_path):
    names = [("wine", "r0f10"), ("iris", "r0f1"), ("wine", "r0f2")]
    records = tables.read_records(write_records(tmp_path, [make_record(d, fold=f) for d, f in names]))
    assert [(r["dataset"], r["fold"]) for r in records] == [("wine", "r0f2"), ("wine", "r0f10"), ("iris", "r0f1")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read"),
        ("[]", "schema 1"),
        ('{"schema": 2}', "schema 1"),
        ('{"schema": 1, "dataset": "a"}', "lacks experiment, method"),
    ],
)
def test_unusable_record_is_named(tmp_path, text, message):
    path = tmp_path / "r0f0.json"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(str(path)) + f".*{message}"):
        tables.read_records([path])


def test_impossible_error_rate_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"test_error is 1\.5"):
        tables.read_records(write_records(tmp_path, [make_record(error=1.5)]))


def test_no_record_and_twice_the_same_run_are_refused(tmp_path):
    with pytest.raises(InputError, match="no run records"):
        tables.read_records([])
    with pytest.raises(InputError, match="demo/wine/tree/r0f0 was given 2 times"):
        tables.read_records(write_records(tmp_path, [make_record(), make_record()]))


def test_unknown_method_is_refused():
    with pytest.raises(InputError, match="'forest'"):
        summary_of([make_record(method="forest")])


# ------------------------------------------------------------------------------------------- print beside ours


def printed(tmp_path, *lines, **options):
    return read_reported(write_reported(tmp_path, lines, **options))


def test_cells_are_judged_by_the_printed_bar(tmp_path):
    reported = printed(
        tmp_path,
        "wine,ADABOOST.MH w Hamming trees,2.1,0.2",
        "iris,ADABOOST.MH w Hamming trees,2.1,0.2",
        "pima,ADABOOST.MH w Hamming trees,2.1,0.2",
        "sonar,ADABOOST.MH w Hamming trees,2.1,0.2",
    )
    errors = {"wine": 0.023, "iris": 0.0235, "pima": 0.03}
    rows = compare(summary_of([make_record(d, error=e) for d, e in errors.items()]), reported, {}, METHODS)
    inside, rounding, outside, missing = rows
    assert inside["within_error_bar"] == "yes"  # exactly on the bar's end, although 2.3 - 2.1 > 0.2 in floats
    assert inside["note"] == ""
    assert rounding["within_error_bar"] == "no"
    assert "less than the rounding of the print" in rounding["note"]
    assert outside["within_error_bar"] == "no"
    assert outside["difference"] == pytest.approx(0.9)
    assert outside["note"] == "0.90 points above the print, outside its ±0.2; 4.5 times the two error bars combined."
    assert missing["n_runs"] == 0
    assert missing["note"] == "not run"
    assert missing["reproduced"] is None


def test_combined_bars_use_both_spreads(tmp_path):
    reported = printed(tmp_path, "wine,ADABOOST.MH w Hamming trees,30.0,3.0")
    runs = [make_record(fold=f"r0f{i}", error=e) for i, e in enumerate((0.16, 0.2, 0.24))]  # 20 ± 4
    (row,) = compare(summary_of(runs), reported, {}, METHODS)
    assert row["note"].endswith("2.0 times the two error bars combined.")  # 10 / sqrt(3² + 4²)


def test_alias_and_notes_and_unprinted(tmp_path):
    reported = printed(tmp_path, "wine,ADABOOST.MH w Hamming trees,10,1")
    summary = summary_of([make_record("my_wine"), make_record("other", "stump")])
    first, second = compare(summary, reported, {"my_wine": "wine"}, METHODS, {"my_wine": "A copy."})
    assert first["printed_dataset"] == "wine"
    assert first["note"] == "Our data set is my_wine. A copy."
    assert second["printed"] is None
    assert second["note"] == "Nothing printed to compare with."


def test_a_remark_can_belong_to_one_method_alone(tmp_path):
    reported = printed(tmp_path, "wine,ADABOOST.MH w Hamming trees,10,1", "wine,SVM (Gaussian kernel),10,1")
    summary = summary_of([make_record("wine"), make_record("wine", "svm")])
    rows = compare(summary, reported, {}, METHODS, {"wine": "Both.", "wine/svm": "One."})
    assert {row["method"]: row["note"] for row in rows} == {"tree": "Both.", "svm": "Both. One."}


def test_two_results_for_one_cell_are_refused(tmp_path):
    reported = printed(tmp_path, "wine,ADABOOST.MH w Hamming trees,10,1")
    with pytest.raises(InputError, match="tree on wine and tree on my_wine both stand for the printed cell wine"):
        compare(summary_of([make_record("wine"), make_record("my_wine")]), reported, {"my_wine": "wine"}, METHODS)


def test_error_rates_are_compared_in_percent(tmp_path):
    header = "dataset,method,error_rate"
    reported = printed(tmp_path, "wine,SVM (Gaussian kernel),0.0921", header=header)
    (row,) = compare(summary_of([make_record(method="svm", error=0.1)]), reported, {}, METHODS)
    assert row["printed"] == pytest.approx(9.21)
    assert row["within_error_bar"] is None
    assert row["note"] == "No error bar printed."


def test_table_of_other_keys_is_refused(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("place,method,average_precision_percent\nhere,A,5\n")
    reported = read_reported(path)
    with pytest.raises(InputError, match="its key columns are place, method, where dataset and method are needed"):
        compare(summary_of([make_record()]), reported, {}, METHODS)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["wine,x,ten,1"], "line 2, column test_error_percent: 'ten' is no number"),
        (["wine,x,10"], "line 2: it should have 4 cells"),
        (["wine,x,10,1,1"], "line 2: it should have 4 cells"),
        (["wine,x,10,1", "wine,x,11,1"], "line 3: wine, x stands there twice"),
    ],
)
def test_faulty_printed_numbers_are_refused(tmp_path, lines, message):
    with pytest.raises(InputError, match=message):
        read_reported(write_reported(tmp_path, lines))


def test_file_without_results_is_refused(tmp_path):
    with pytest.raises(InputError, match="none of its columns holds printed results"):
        read_reported(REPORTED / "self_paced_boost_table2.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read_reported(tmp_path / "absent.csv")


def test_printed_numbers_are_the_shared_ones():
    folder = os.environ.get("ALGOS_REPORTED")
    if not folder:
        pytest.skip("set ALGOS_REPORTED to the folder of the printed numbers to compare with")
    theirs = {path.name: path.read_bytes() for path in Path(folder).glob("*.csv")}
    assert theirs == {path.name: path.read_bytes() for path in REPORTED.glob("*.csv")}


# ------------------------------------------------------------------------------------------------------- ranks


def ranks_of(summary, **options):
    return rank_rows(set_rank_rows(summary, **options))


def runs_of(errors, methods):
    """One run of each method on each data set from a matrix of errors."""
    return [
        make_record(f"set{i}", method, error=error)
        for i, row in enumerate(errors)
        for method, error in zip(methods, row, strict=True)
    ]


def test_ranks_of_three_methods_by_hand():
    rows = ranks_of(summary_of(runs_of([(0.2, 0.1, 0.3)] * 4, ("tree", "svm", "stump"))))
    assert [row["method"] for row in rows] == ["svm", "tree", "stump"]
    assert [row["average_rank"] for row in rows] == [1, 2, 3]
    assert [row["n_best"] for row in rows] == [4, 0, 0]
    assert rows[0]["test"] == "Friedman"
    assert rows[0]["p_value"] == pytest.approx(math.exp(-4))  # chi-square 8 with two degrees of freedom
    assert rows[0]["critical_difference"] == pytest.approx(2.3437 * math.sqrt(3 * 4 / (6 * 4)), abs=1e-3)


def test_rivals_have_no_rank_in_tables_and_figure(tmp_path):
    records = runs_of([(0.2, 0.1, 0.3, 0.01)] * 4, ("tree", "svm", "stump", "rival"))
    paths = write_records(tmp_path / "runs", records)
    tables.write_tables(paths, None, {}, METHODS, tmp_path / "tables", "Demo")
    rows, summary, set_ranks = (
        tables.read_table(tmp_path / "tables", name) for name in ("ranks", "summary", "set_ranks")
    )
    assert [row["method"] for row in rows] == ["svm", "tree", "stump"]
    assert [row["average_rank"] for row in rows] == [1, 2, 3]
    assert {row["method"] for row in summary} == set(METHODS)
    assert [data.ranks for data in collect_ranks(rows, set_ranks)] == [[[1, 2, 3]] * 4]


def test_ranks_share_ties_and_leave_out_incomplete_sets():
    records = [*runs_of([(0.1, 0.1), (0.1, 0.2)], ("tree", "svm")), make_record("lonely", "tree")]
    rows = ranks_of(summary_of(records))
    assert [(row["average_rank"], row["n_best"], row["n_datasets"]) for row in rows] == [(1.25, 2, 2), (1.75, 1, 2)]
    assert rows[0]["test"] is None  # two data sets are too few
    assert "too few" in layouts.rank_sentence(rows)


def test_two_methods_are_compared_by_signed_ranks():
    rows = ranks_of(summary_of(runs_of([(0.1, 0.2 + i / 100) for i in range(5)], ("tree", "svm"))))
    assert rows[0]["test"] == "Wilcoxon signed-rank"
    assert rows[0]["p_value"] == pytest.approx(2 / 2**5)
    assert "do not differ" in layouts.rank_sentence(rows)


def test_signed_rank_test_with_ties_and_zeros():
    assert signed_rank_p_value(np.zeros(4)) == 1.0
    assert signed_rank_p_value(np.array([0.0, 0.3, 0.0])) == 1.0
    # |d| = 1, 1, 1 have equal ranks: 2 of the 8 sign patterns are as extreme as +++.
    assert signed_rank_p_value(np.array([1.0, 1.0, 1.0, 0.0])) == pytest.approx(0.25)
    assert signed_rank_p_value(np.arange(1.0, 21.0)) < 0.001


def test_means_that_are_printed_alike_have_one_rank_in_every_table(tmp_path):
    # 2.288 and 2.255 are both printed as 2.3: a tie for bold type, ranks, places, wins and the headline alike.
    means = {"tree": 0.02288, "svm": 0.02255}
    records = [make_record("wine", m, f"r0f{i}", e + d) for m, e in means.items() for i, d in enumerate((0.01, -0.01))]
    tables.write_tables(write_records(tmp_path / "runs", records), None, {}, METHODS, tmp_path / "tables", "Demo")
    summary, ranks, places, wins = (
        tables.read_table(tmp_path / "tables", name) for name in ("summary", "ranks", "places", "wins")
    )
    layout = layouts.summary_layout(summary, "Results")
    assert [(cell.text, cell.bold) for cell in layout.rows[0][1:]] == [("2.3 ± 1.4", True)] * 2
    assert [(row["average_rank"], row["n_best"]) for row in ranks] == [(1.5, 1)] * 2
    assert [row["n_first"] for row in places] == [1, 1]
    assert [row["n_ties"] for row in wins] == [1, 1]
    assert best_sentences(summary) == [f"wine: {METHODS['tree'].label} and {METHODS['svm'].label}, 2.3 %"]


def test_levels_of_label_noise_are_one_data_set():
    noise = {f"{d}_noise{p}": (d, p) for d in ("wine", "iris") for p in (0, 10, 20)}
    errors = {
        "wine": {"tree": (0.1, 0.2, 0.3), "svm": (0.2, 0.1, 0.1)},
        "iris": {"tree": (0.1,) * 3, "svm": (0.2,) * 3},
    }
    records = [
        make_record(case, method, "s0", errors[dataset][method][percent // 10])
        for case, (dataset, percent) in noise.items()
        for method in ("tree", "svm")
    ]
    set_ranks = set_rank_rows(summary_of(records), noise=noise)
    found = [(row["dataset"], row["method"], row["value"], row["rank"]) for row in set_ranks]
    assert found == [
        ("wine", "tree", 20, 2),
        ("wine", "svm", 13.33, 1),
        ("iris", "tree", 10, 1),
        ("iris", "svm", 20, 2),
    ]
    rows = rank_rows(set_ranks)
    assert [(row["average_rank"], row["n_datasets"], row["test"]) for row in rows] == [(1.5, 2, None)] * 2
    # A level that one of the methods lacks counts for none.
    partial = [r for r in records if (r["dataset"], r["method"]) != ("wine_noise20", "svm")]
    values = [row["value"] for row in set_rank_rows(summary_of(partial), noise=noise)]
    assert values == [15, 15, 10, 20]


def test_no_ranks_of_one_method():
    assert ranks_of(summary_of([make_record()])) == []


def test_rounds_are_those_of_the_model_where_it_ended_before_those_that_were_chosen():
    cost = make_record()["cost"] | {"rounds": [[1, 0.1]]}
    rows = tables.hyperparameter_rows([make_record(cost=cost), make_record(fold="r0f1")], METHODS)
    assert [row["value"] for row in rows if row["parameter"] == "n_estimators"] == ["1", "60"]
    panel = collect_curves([make_record(cost=cost)], {"tree": "Trees"})[0]
    assert panel.stopped_at == [1]


def test_the_comparison_says_which_protocols_it_compares(tmp_path):
    reported = write_reported(tmp_path, ["wine,ADABOOST.MH w Hamming trees,10,1"])
    sentence = compared_protocols({"kind": "repeated_kfold", "n_splits": 3}, "10 × 10 cross-validation")
    assert sentence.startswith("Print: 10 × 10 cross-validation. Ours: stratified 3-fold cross-validation")
    paths = write_records(tmp_path / "runs", [make_record()])
    tables.write_tables(paths, reported, {}, METHODS, tmp_path / "tables", "Demo", protocols=sentence)
    assert "Ours: stratified 3-fold" in (tmp_path / "tables/comparison.md").read_text()
    assert "Ours: stratified" not in (tmp_path / "tables/summary.md").read_text()
    assert compared_protocols("ours", None) == ""


def test_numbers_are_rounded_half_up_and_zero_has_no_sign():
    assert [fixed(x, 2) for x in (0.125, 2.225 - 2.1, -0.125, -2.96e-16)] == ["0.13", "0.13", "-0.13", "0.00"]
    assert fixed(2.5, 0) == "3"
    assert rounded(2.288, 1) == rounded(2.255, 1) == 2.3
    rows = [{"dataset": "a", "metric": "test_error", "std": std} for std in (1.0, 0.5)]
    assert table_decimals(rows[:1]) == {("a", "test_error"): 1}
    assert table_decimals(rows) == {("a", "test_error"): 2}


# ----------------------------------------------------------------------------------------------------- layouts


def texts(layout):
    return [[cell.text for cell in row] for row in layout.rows]


def bold(layout):
    return {cell.text for row in layout.rows for cell in row if cell.bold}


def test_summary_layout_sets_best_in_bold():
    records = [*runs_of([(0.104, 0.2), (0.1, 0.10001)], ("tree", "svm")), make_record("lonely", "tree")]
    layout = layouts.summary_layout(summary_of(records), "Errors")
    assert texts(layout) == [["set0", "10.40", "20.00"], ["set1", "10.00", "10.00"], ["lonely", "10.00", "–"]]
    assert [[cell.bold for cell in row[1:]] for row in layout.rows] == [[True, False], [True, True], [False, False]]


def test_comparison_layout(tmp_path):
    reported = printed(
        tmp_path,
        "set0,ADABOOST.MH w Hamming trees,10,1",
        "set0,SVM (Gaussian kernel),12,1",
        "set1,SVM (Gaussian kernel),12,1",
    )
    runs = runs_of([(0.1, 0.2), (0.3, 0.12)], ("tree", "svm"))
    layout = layouts.comparison_layout(compare(summary_of(runs), reported, {}, METHODS), "Compared")
    assert layout.groups == [("", 1), (METHODS["tree"].label, 2), (METHODS["svm"].label, 2)]
    assert texts(layout) == [
        ["set0", "10.0 ± 1.0", "10.00 (0.00)", "12.0 ± 1.0", "20.00 (+8.00)†"],
        ["set1", "–", "30.00", "12.0 ± 1.0", "12.00 (0.00)"],
    ]
    assert bold(layout) == {"10.0 ± 1.0", "10.00 (0.00)", "12.00 (0.00)"}
    assert any(note.startswith("set0 (SVM, Gaussian kernel): 8.00 points above") for note in layout.notes)


def test_comparison_layout_turns_when_methods_outnumber_sets(tmp_path):
    reported = printed(tmp_path, "set0,ADABOOST.MH w Hamming trees,10,1")
    runs = runs_of([(0.1, 0.2)], ("tree", "svm"))
    layout = layouts.comparison_layout(compare(summary_of(runs), reported, {}, METHODS), "Compared")
    assert layout.groups == [("", 1), ("set0", 2)]
    assert [row[0].text for row in layout.rows] == [METHODS["tree"].label, METHODS["svm"].label]


def test_hyperparameters_are_medians_and_ranges():
    chosen = [{"n_inner_nodes": n, "kind": kind} for n, kind in ((4, "a"), (2, "a"), (16, "b"))]
    records = [make_record(fold=f"r0f{i}", chosen=c) for i, c in enumerate(chosen)]
    layout = layouts.hyperparameter_layout(tables.hyperparameter_rows(records, METHODS), "Chosen")
    assert layout.header == ["data set", "n_inner_nodes", "kind"]
    assert texts(layout) == [["wine", "4 (2–16)", "a (2 of 3)"]]


def test_signed_numbers():
    assert [layouts.signed(value, 1) for value in (-1.26, 0.04, -0.04, 2)] == ["−1.3", "0.0", "0.0", "+2.0"]


# --------------------------------------------------------------------------------------------------- notations


def test_latex_escapes_everything_special():
    assert escape_latex(HOSTILE) == (
        r"a\_b \& \textless{}i\textgreater{}c\textless{}/i\textgreater{} \textbar{} 50\% \$x\$ \#1 "
        r"\{\textasciitilde{}\textasciicircum{}\textbackslash{}\} {[}z{]}"
    )
    assert escape_latex("5.0 ± 1.0\n−2†") == r"5.0 $\pm$ 1.0 $-$2$\dagger$"


def test_latex_table():
    layout = Layout(
        "Errors",
        ["data set", "print", "ours"],
        [[Cell(HOSTILE), Cell("1"), Cell("2", bold=True)]],
        [("", 1), ("A & B", 2)],
        ["50 % off."],
    )
    text = to_latex(layout)
    assert r"\begin{tabular}{lrr}" in text
    assert r" & \multicolumn{2}{c}{A \& B} \\" in text
    assert r"\cmidrule(lr){2-3}" in text
    assert text.index(r"\toprule") < text.index(r"\midrule") < text.index(r"\bottomrule")
    (line,) = [line for line in text.splitlines() if line.startswith(r"a\_b")]
    assert line.endswith(r" & 1 & \textbf{2} \\")
    assert len(re.findall(r"(?<!\\)&", line)) == 2  # two separators, whatever the cells contain
    assert r"50 \% off." in text


def test_markdown_table():
    layout = Layout("Errors", ["data set", "x"], [[Cell("a|b*c"), Cell("1", bold=True)]], [("", 1), ("G", 1)])
    assert to_markdown(layout).splitlines() == [
        "**Errors**",
        "",
        "| data set | G: x |",
        "| --- | ---: |",
        r"| a\|b\*c | **1** |",
    ]


# ------------------------------------------------------------------------------------------------------- files


def write(tmp_path, name, records, reported=None):
    paths = write_records(tmp_path / f"runs_{name}", records)
    tables.write_tables(paths, reported, {}, METHODS, tmp_path / name, "Demo", {})
    return tmp_path / name


def two_runs(seconds):
    cost = {"selection_cpu_seconds": seconds, "fit_cpu_seconds": 1.0, "wall_seconds": 2.0, "peak_memory_mib": 3.0}
    return [make_record(HOSTILE, method, f"r0f{i}", 0.1 * i, cost=cost) for method in ("tree", "svm") for i in (1, 2)]


def test_all_files_are_written_and_only_times_differ(tmp_path):
    reported = write_reported(tmp_path, [f'"{HOSTILE}",ADABOOST.MH w Hamming trees,10,1'])
    first, second = (write(tmp_path, name, two_runs(s), reported) for name, s in (("first", 1.0), ("second", 2.0)))
    names = sorted(tables.TABLE_NAMES)
    assert sorted(path.name for path in first.iterdir()) == names
    _, different, errors = filecmp.cmpfiles(first, second, names, shallow=False)
    assert sorted(different) == ["times.csv", "times.md", "times.tex"]
    assert errors == []


def test_csv_files_read_back_with_types(tmp_path):
    folder = write(tmp_path, "tables", two_runs(1.0))
    for name, schema in tables.SCHEMAS.items():
        rows = tables.read_table(folder, name)
        assert rows or name in ("datasets", "sweeps", "pairs", "gains", "skipped")
        assert all(list(row) == list(schema) for row in rows)
    (row, _) = tables.read_table(folder, "summary")
    assert row["dataset"] == HOSTILE
    assert row["value"] == 15.0
    assert row["n_runs"] == 2
    folds = tables.read_table(folder, "folds")
    assert [fold["value"] for fold in folds] == [10, 20, 10, 20]
    assert tables.read_table(folder, "comparison")[0]["printed"] is None


def test_tables_say_when_nothing_is_printed(tmp_path):
    folder = write(tmp_path, "tables", two_runs(1.0))
    assert "None of these results has a printed number" in (folder / "comparison.md").read_text()
    assert r"\begin{tabular}" not in (folder / "comparison.tex").read_text()


def test_csv_is_plain(tmp_path):
    folder = write(tmp_path, "tables", two_runs(1.0))
    raw = (folder / "folds.csv").read_bytes()
    assert b"\r" not in raw
    with (folder / "folds.csv").open(newline="") as file:
        assert next(csv.reader(file)) == list(tables.SCHEMAS["folds"])
    assert "np.float" not in raw.decode()
