"""Methods compared two by two: differences split by split, over data sets, and against label noise."""

import numpy as np
import pytest
from made_up_runs import METHODS, make_record
from scipy.stats import ttest_rel

from algos.evaluation.statistics import corrected_resampled_t_test
from algos.experiments.layouts import ALL_DATASETS, pair_layout, pair_sentences
from algos.experiments.pairs import PAIRS, pair_rows
from algos.experiments.tables import fold_rows


def rows_of(errors, noise=None, metric="test_error"):
    """Compare tree with svm; `errors` is data set -> a pair of errors for each fold."""
    records = [
        make_record(dataset, method, f"s{i}", 0.0, metrics={metric: pair[j]})
        for dataset, pairs in errors.items()
        for j, method in enumerate(("tree", "svm"))
        for i, pair in enumerate(pairs)
    ]
    return pair_rows(fold_rows(records), [("tree", "svm")], METHODS, noise)


def test_the_test_over_splits_is_the_paired_one_where_nothing_is_shared():
    differences = np.array([0.3, 1.2, -0.4, 0.9])
    plain = ttest_rel(differences, np.zeros(4)).pvalue
    assert corrected_resampled_t_test(differences, 1, 0) == pytest.approx(plain)
    # 1/4 + 30/50 in place of 1/4
    t = differences.mean() / (differences.std(ddof=1) * np.sqrt(0.25 + 0.6))
    from scipy.stats import t as student

    assert corrected_resampled_t_test(differences, 50, 30) == pytest.approx(2 * student.sf(t, 3))
    assert corrected_resampled_t_test([1.0, 1.0], 50, 30) == 1  # no spread, no test
    assert corrected_resampled_t_test([0.1 + 0.2, 0.3], 50, 30) == 1
    assert corrected_resampled_t_test([0.0, 0.0], 50, 30) == 1
    with pytest.raises(ValueError, match="at least two"):
        corrected_resampled_t_test([1.0], 50, 30)


def test_differences_are_first_minus_second_split_by_split_and_over_sets():
    rows = rows_of({"wine": [(0.1, 0.2), (0.3, 0.5)], "iris": [(0.3, 0.2)]})
    assert [(row["dataset"], row["n"]) for row in rows] == [("wine", 2), ("iris", 1), (ALL_DATASETS, 2)]
    assert [row["mean"] for row in rows] == pytest.approx([-15, 10, -2.5])
    assert rows[0]["p_value"] == pytest.approx(corrected_resampled_t_test([-10, -20], 900, 100))
    assert rows[1]["p_value"] is None
    assert rows[2]["test"] is None  # two data sets cannot tell
    assert all(list(row) == list(PAIRS) for row in rows)


def test_five_data_sets_are_tested_by_ranks():
    rows = rows_of({f"d{i}": [(0.1, 0.2 + i / 100)] for i in range(6)})
    assert rows[-1]["test"] == "Wilcoxon signed-rank"
    assert rows[-1]["p_value"] == pytest.approx(2 / 2**6)


def test_with_label_noise_each_data_set_counts_once_and_the_slope_is_told():
    noise = {f"{d}_noise{p}": (d, p) for d in ("wine", "iris") for p in (0, 10, 20)}
    errors = {
        case: [(0.2 + shift, 0.2 + shift + percent / 1000 * steep) for shift in (0, 0.1)]
        for case, (dataset, percent) in noise.items()
        for steep in [1 if dataset == "wine" else 3]
    }
    rows = rows_of(errors, noise)
    over = [row for row in rows if row["dataset"] == ALL_DATASETS]
    assert [(row["kind"], row["n"]) for row in over] == [("difference", 2), ("slope", 2)]
    slopes = {row["dataset"]: row["mean"] for row in rows if row["kind"] == "slope"}
    assert slopes == pytest.approx({"wine": -1.0, "iris": -3.0, ALL_DATASETS: -2.0})


def test_the_layout_and_the_sentences_say_who_is_better():
    rows = rows_of({"wine": [(0.1, 0.2), (0.3, 0.4), (0.3, 0.401)], "iris": [(0.3, 0.2), (0.3, 0.3)]})
    layout = pair_layout(rows, "Pairs")
    assert layout.rows[0][3].text.startswith("−10.03 ± 0.06")
    assert layout.rows[0][5].bold
    tree, svm = METHODS["tree"].label, METHODS["svm"].label
    assert pair_sentences(rows) == [
        f"{tree} against {svm}, test error: better on 1 of 2 (1 significantly), worse on 1 of 2 (0 significantly)"
    ]
    assert "'compare'" in pair_layout([], "Pairs").notes[0]


def test_a_difference_that_is_printed_as_zero_is_neither_better_nor_worse():
    rows = rows_of({"wine": [(0.3, 0.1 + 0.2), (0.2, 0.2)], "iris": [(0.30001, 0.3)], "pima": [(0.3, 0.2)]})
    assert rows[0]["mean"] != 0  # 1e-15 or so
    (sentence,) = pair_sentences(rows)
    assert "better on 0 of 3 (0 significantly), worse on 1 of 3" in sentence


def test_where_more_is_better_the_sentence_knows():
    (sentence,) = pair_sentences(rows_of({"wine": [(0.9, 0.2), (0.8, 0.3)]}, metric="average_precision"))
    assert "better on 1 of 1" in sentence
