"""Multi-label measures: against loops, against scikit-learn, and by hand with ties, no labels, all labels."""

import doctest
import warnings

import numpy as np
import pytest
from oracles import multilabel_metrics as oracle
from scipy.sparse import csr_array
from sklearn import metrics as sklearn_metrics

from algos import evaluation

RANKED = ("one_error", "coverage", "ranking_loss", "average_precision")


def random_case(seed, n=40, L=7, n_values=4):
    """Labels and scores full of ties, some samples without labels and some with all."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, L)) < 0.35).astype(int)
    Y[0], Y[1], Y[2:4] = 0, 1, 0
    return Y, rng.integers(0, n_values, size=(n, L)).astype(float)


# --- by hand ---------------------------------------------------------------------------------------------------------
def test_a_sample_by_hand():
    """Ranks 1 to 4 are labels 2, 0, 3, 1; the true ones, 0 and 3, stand second and third."""
    Y, S = [[1, 0, 0, 1]], [[3.0, 1.0, 4.0, 2.0]]
    assert evaluation.one_error(Y, S) == 1
    assert evaluation.coverage(Y, S) == 2 / 4
    assert evaluation.ranking_loss(Y, S) == 2 / 4
    assert evaluation.average_precision(Y, S) == pytest.approx((1 / 2 + 2 / 3) / 2)


@pytest.mark.parametrize(
    ("ties", "one", "cover", "ranking", "precision"),
    [
        # Labels 1, 2, 3 share the top, label 0 is below; the true ones are 0 and 3.
        ("shared", 2 / 3, 3 / 4, (2 + 1) / 4, (1 / 3 + 2 / 4) / 2),
        ("last_first", 0, 3 / 4, 2 / 4, (1 / 1 + 2 / 4) / 2),  # 3, 2, 1, 0
        ("first_first", 1, 3 / 4, 4 / 4, (1 / 3 + 2 / 4) / 2),  # 1, 2, 3, 0
    ],
)
def test_ties_by_hand(ties, one, cover, ranking, precision):
    Y, S = [[1, 0, 0, 1]], [[-1.0, 1.0, 1.0, 1.0]]
    assert evaluation.one_error(Y, S, ties) == pytest.approx(one)
    assert evaluation.coverage(Y, S, ties) == pytest.approx(cover)
    assert evaluation.ranking_loss(Y, S, ties) == pytest.approx(ranking)
    assert evaluation.average_precision(Y, S, ties) == pytest.approx(precision)


def test_hard_decisions_by_hand():
    """The printed BR row's convention: decisions of +-1, of equals the higher index first."""
    Y, S = np.array([[0, 1, 0], [1, 0, 0]]), np.array([[1.0, -1, -1], [-1.0, -1, -1]])
    # The first sample ranks 0, 2, 1 and the second 2, 1, 0.
    assert evaluation.one_error(Y, S, "last_first") == 1
    assert evaluation.coverage(Y, S, "last_first") == 2 / 3
    assert evaluation.ranking_loss(Y, S, "last_first") == 1
    assert evaluation.average_precision(Y, S, "last_first") == pytest.approx(1 / 3)


def test_macro_auc_by_hand():
    """One label is in no sample and one in all: they do not count. The others have areas 3/4 and, by a tie, 1/2."""
    Y = np.array([[0, 1, 1, 1], [0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 0, 0]])
    S = np.array([[5, 1, 3, 1.0], [6, 2, 2, 1], [7, 3, 1, 1], [8, 4, 0, 1]])
    assert evaluation.macro_auc(Y, S) == pytest.approx((3 / 4 + 1 / 2) / 2)


def test_predictions_by_hand():
    Y, P = [[1, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 1]]
    assert evaluation.hamming_loss(Y, P) == pytest.approx(2 / 6)
    assert evaluation.subset_accuracy(Y, P) == 0
    assert evaluation.micro_f1(Y, P) == pytest.approx(2 * 2 / (3 + 3))
    assert evaluation.macro_f1(Y, P) == pytest.approx((1 + 1 + 0) / 3)
    assert evaluation.micro_f1(np.zeros((2, 2)), np.zeros((2, 2))) == 0


# --- samples without labels, samples with all ------------------------------------------------------------------------
@pytest.mark.parametrize("name", RANKED)
def test_samples_without_or_with_all_labels_are_skipped(name):
    Y, S = random_case(1)
    rows = oracle.counted(Y)
    assert len(rows) < len(Y)
    measure = getattr(evaluation, name)
    assert measure(Y, S) == pytest.approx(measure(Y[rows], S[rows]))


@pytest.mark.parametrize("name", [*RANKED, "macro_auc"])
@pytest.mark.parametrize("Y", [np.zeros((3, 4)), np.ones((3, 4))])
def test_nothing_to_count_is_nan(name, Y):
    assert np.isnan(getattr(evaluation, name)(Y, np.arange(12.0).reshape(3, 4)))


def test_one_label():
    Y, S = np.array([[1], [0], [1]]), np.array([[2.0], [1], [0]])
    assert evaluation.macro_auc(Y, S) == 1 / 2
    assert evaluation.hamming_loss(Y, S > 0.5) == 2 / 3
    assert np.isnan(evaluation.ranking_loss(Y, S))


# --- loops and scikit-learn ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("ties", ["shared", "last_first", "first_first"])
@pytest.mark.parametrize("seed", range(5))
def test_measures_are_their_definitions(seed, ties):
    Y, S = random_case(seed)
    for name in RANKED:
        assert getattr(evaluation, name)(Y, S, ties) == pytest.approx(getattr(oracle, name)(Y, S, ties)), name
    assert evaluation.macro_auc(Y, S) == pytest.approx(oracle.macro_auc(Y, S))


@pytest.mark.parametrize("n_values", [3, 10**6])
def test_measures_are_scikit_learns(n_values):
    Y, S = random_case(7, n=200, L=9, n_values=n_values)
    middle = np.median(S)
    P = (middle < S).astype(int)
    rows = oracle.counted(Y)
    y, s = Y[rows], S[rows]
    assert evaluation.coverage(y, s) == pytest.approx((sklearn_metrics.coverage_error(y, s) - 1) / 9)
    assert evaluation.average_precision(y, s) == pytest.approx(
        sklearn_metrics.label_ranking_average_precision_score(y, s)
    )
    if n_values > 3:  # scikit-learn's ranking loss counts a tied pair as wrong
        assert evaluation.ranking_loss(y, s) == pytest.approx(sklearn_metrics.label_ranking_loss(y, s))
    assert evaluation.macro_auc(Y, S) == pytest.approx(sklearn_metrics.roc_auc_score(Y, S, average="macro"))
    assert evaluation.hamming_loss(Y, P) == pytest.approx(sklearn_metrics.hamming_loss(Y, P))
    assert evaluation.subset_accuracy(Y, P) == pytest.approx(sklearn_metrics.accuracy_score(Y, P))
    assert evaluation.micro_f1(Y, P) == pytest.approx(sklearn_metrics.f1_score(Y, P, average="micro"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert evaluation.macro_f1(Y, P) == pytest.approx(sklearn_metrics.f1_score(Y, P, average="macro"))


def test_all_six_at_once_and_in_blocks(monkeypatch):
    Y, S = random_case(3)
    P = S > 1
    expected = {
        name: getattr(evaluation, name)(Y, P if name == "hamming_loss" else S)
        for name in ("hamming_loss", *RANKED, "macro_auc")
    }
    from algos.evaluation import multilabel_metrics

    monkeypatch.setattr(multilabel_metrics, "_CELLS_AT_ONCE", 30)
    found = evaluation.multilabel_measures(csr_array(Y), S, csr_array(P))
    assert list(found) == list(expected)
    assert found == pytest.approx(expected)
    assert all(type(value) is float for value in found.values())
    assert evaluation.multilabel_measures(Y, S, P, "last_first") != pytest.approx(expected)


def test_relabelling_does_not_matter_without_ties():
    Y, S = random_case(4, n_values=10**9)
    order = np.random.default_rng(0).permutation(Y.shape[1])
    first = evaluation.multilabel_measures(Y, S, S > 0)
    second = evaluation.multilabel_measures(Y[:, order], S[:, order], S[:, order] > 0)
    assert first == pytest.approx(second)


def test_many_samples_of_one_label_do_not_overflow():
    n = 120_000
    Y, S = (np.arange(n) % 2)[:, None], (np.arange(n) % 2)[:, None] + 0.0
    assert evaluation.macro_auc(Y, S) == 1


# --- bad input -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("Y", "S", "sentence"),
    [
        ([[1, -1]], [[1.0, 2.0]], "Y must hold only 0 and 1"),
        (csr_array([[2, 0]]), [[1.0, 2.0]], "Y must hold only 0 and 1"),
        ([[1, 0]], [[1.0, np.nan]], "scores hold NaN"),
        ([[1, 0]], [[1.0, 2.0, 3.0]], "scores have shape"),
        ([1, 0], [[1.0, 2.0]], "samples in rows and labels in columns"),
        (np.zeros((0, 2)), np.zeros((0, 2)), "at least one of each"),
    ],
)
def test_refusals(Y, S, sentence):
    for name in ("ranking_loss", "macro_auc"):
        with pytest.raises(ValueError, match=sentence):
            getattr(evaluation, name)(Y, S)


def test_refused_ties_and_predictions():
    with pytest.raises(ValueError, match="ties must be one of 'shared', 'last_first', 'first_first', not 'half'"):
        evaluation.one_error([[1, 0]], [[1.0, 2.0]], "half")
    with pytest.raises(ValueError, match="predictions must hold only 0 and 1"):
        evaluation.hamming_loss([[1, 0]], [[0.5, 0]])
    with pytest.raises(ValueError, match="predictions have shape"):
        evaluation.macro_f1([[1, 0]], [[1, 0], [1, 0]])


def test_the_example_prints_what_it_says():
    from algos.evaluation import multilabel_metrics

    result = doctest.testmod(multilabel_metrics)
    assert (result.attempted > 0, result.failed) == (True, 0)
