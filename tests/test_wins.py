"""Counted wins and places: by hand, and the counts that a paper states of its own table."""

from pathlib import Path

import numpy as np
from made_up_runs import METHODS, make_record, write_records

from algos.experiments import tables
from algos.experiments.layouts import place_layout, win_layout
from algos.experiments.reported import read_reported
from algos.experiments.wins import count_places, count_wins

REPORTED = Path(__file__).parent.parent / "config" / "reported"


def printed_cells(name):
    """The printed numbers of a table as rows of a comparison, as if we had run all of it."""
    reported = read_reported(REPORTED / f"{name}.csv")
    return [
        {"dataset": dataset, "method": method, "label": method, "metric": metric, "n_runs": 10}
        | dict.fromkeys(("printed", "reproduced"), float(row[reported.value]))
        for row in reported.rows
        for dataset, method, metric in [reported.cell(row)]
    ]


def by_name(rows, among="all"):
    return {tuple(row[key] for key in ("method", "rival") if key in row): row for row in rows if row["among"] == among}


def test_the_paper_counts_its_own_table_so():
    # You et al. 2017, section 4.3: first in 52.8 % of 36 cases, the first two in all, 34 wins and 2 ties against PrBR.
    cells = printed_cells("privileged_multilabel_table2")
    places = by_name(count_places([], cells), "print")
    assert [places["PrML",][column] for column in ("n_cases", "n_first", "n_top_two")] == [36, 19, 36]
    wins = by_name(count_wins([], [], cells), "print")
    counts = [wins["PrML", "PrBR"][column] for column in ("n_wins", "n_ties", "n_losses", "n_tested")]
    assert counts == [34, 2, 0, 0]
    assert wins["PrBR", "PrML"]["n_losses"] == 34


def summary_of(records):
    folds = tables.fold_rows(records)
    return folds, tables.summarise(folds, METHODS)


def test_wins_and_places_by_hand():
    runs = {"tree": (0.1, 0.1, 0.3), "svm": (0.1, 0.2, 0.2), "stump": (0.2, 0.3, 0.1)}
    records = [
        make_record(f"set{i}", method, fold="test", error=error)
        for method, errors in runs.items()
        for i, error in enumerate(errors)
    ]
    folds, summary = summary_of([*records, make_record("lonely", "tree", fold="test", error=0.0)])
    places = by_name(count_places(summary, []))
    found = {method: (row["n_cases"], row["n_first"], row["n_top_two"]) for (method,), row in places.items()}
    assert found == {"tree": (3, 2, 2), "svm": (3, 1, 3), "stump": (3, 1, 1)}  # a tie is a first place for both
    wins = by_name(count_wins(folds, summary, []))
    assert [wins["tree", "svm"][key] for key in ("n_wins", "n_ties", "n_losses", "n_tested")] == [1, 1, 1, 0]
    assert [wins["stump", "tree"][key] for key in ("n_wins", "n_ties", "n_losses")] == [1, 0, 2]


def test_more_is_better_where_the_measure_says_so():
    values = {"tree": {"one_error": 0.3, "macro_auc": 0.7}, "svm": {"one_error": 0.2, "macro_auc": 0.7004}}
    folds, summary = summary_of([make_record("a", method, metrics=metrics) for method, metrics in values.items()])
    (row,) = (row for row in count_wins(folds, summary, []) if row["method"] == "svm")
    assert (row["n_wins"], row["n_ties"]) == (1, 1)  # .700 and .700 are equal as shown


def test_only_wins_that_the_test_finds_are_clear():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=10)
    records = []
    for dataset, gap in (("clear", 0.05), ("open", 0.002)):
        for i in range(10):
            records.append(make_record(dataset, "tree", f"s{i}", 0.2 + 0.01 * noise[i], n_train=100))
            records.append(make_record(dataset, "svm", f"s{i}", 0.2 + gap + 0.01 * rng.normal(), n_train=100))
    folds, summary = summary_of(records)
    wins = by_name(count_wins(folds, summary, []))
    columns = ("n_wins", "n_tested", "n_clear_wins", "n_clear_losses")
    assert [wins["tree", "svm"][key] for key in columns] == [2, 2, 1, 0]
    assert [wins["svm", "tree"][key] for key in columns] == [0, 2, 0, 1]


def test_levels_of_label_noise_and_the_printed_mean_are_no_cases_of_their_own():
    noise = {f"set{i}_noise{p}": (f"set{i}", p) for i in range(2) for p in (0, 10)}
    rng = np.random.default_rng(1)
    records = [
        make_record(case, method, f"s{j}", error + 0.05 * (percent > 0) + 1e-3 * rng.normal(), n_train=100)
        for case, (_, percent) in noise.items()
        for method, error in (("tree", 0.1), ("svm", 0.2))
        for j in range(4)
    ]
    folds, summary = summary_of(records)
    assert {row["n_cases"] for row in count_places(summary, [], noise=noise)} == {2}
    wins = by_name(count_wins(folds, summary, [], noise=noise))
    columns = ("n_cases", "n_wins", "n_tested", "n_clear_wins")
    assert [wins["tree", "svm"][key] for key in columns] == [2, 2, 2, 2]
    cells = [
        row | {"dataset": dataset, "method": method, "label": method}
        for row in printed_cells("self_paced_boost_table1")[:1]
        for dataset in ("a", "mean")
        for method in ("tree", "svm")
    ]
    assert {row["n_cases"] for row in count_places([], cells)} == {1}


def test_tables_lay_them_out(tmp_path):
    # The differences of the two folds are nearly, but not quite, the same.
    errors = [(j, m, e * (1 + 1e-4 * j)) for j in range(2) for m, e in RUNS]
    records = [make_record(f"set{i}", m, f"s{j}", e) for i in range(2) for j, m, e in errors]
    paths = write_records(tmp_path / "runs", records)
    tables.write_tables(paths, None, {}, METHODS, tmp_path / "tables", "Demo")
    places, wins = (tables.read_table(tmp_path / "tables", name) for name in ("places", "wins"))
    assert {row["method"] for row in places} == {"tree", "svm"}  # a rival has no place
    layout = place_layout(places, "Places")
    assert [[cell.text for cell in row] for row in layout.rows] == [
        ["AdaBoost.MH, Hamming trees", "2 (100 %)", "2 (100 %)"],
        ["SVM, Gaussian kernel", "0 (0 %)", "2 (100 %)"],
    ]
    assert layout.groups == [("", 1), ("ours, 2 cases", 2)]
    layout = win_layout(wins, "Wins")
    assert [cell.text for cell in layout.rows[0]] == ["ours", "AdaBoost.MH, Hamming trees", "–", "2–0–0 (2, 0)"]
    assert "2–0–0 (2, 0)" in (tmp_path / "tables" / "wins.md").read_text()
    assert not win_layout([], "Wins").rows


RUNS = (("tree", 0.1), ("svm", 0.2), ("rival", 0.05))
