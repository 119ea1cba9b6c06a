"""One fold: what is fitted on what, what the record says, and the same answer twice."""

import json
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from algos.datasets.table import Table
from algos.evaluation.splits import Fold
from algos.exceptions import InputError
from algos.experiments import methods
from algos.experiments.methods import Method
from algos.experiments.training import make_record, run_fold
from algos.multiclass.adaboost_mh import AdaBoostMHClassifier

LABELS = ["a", "b", "c"]


def made_up(n=90, seed=0, labels=LABELS):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % len(labels)
    X = rng.normal(size=(n, 3)) + codes[:, None]
    return Table(X=X, y=np.array(labels)[codes], feature_names=list("xyz"), label_names=list(labels))


def settings(method="adaboost_mh_hamming_tree", **changes):
    return {
        "experiment": "e",
        "dataset": "d",
        "method": method,
        "registered": method,
        "params": {"n_estimators": 70},
        "grid": {"n_inner_nodes": [1, 3]},
        "preprocess": {},
        "n_selection_folds": 3,
        "stopping": "smoothed",
        "min_rounds": None,
        "best_on_test": False,
        "more_rows": {},
        "metrics": ["test_error"],
        "selection_metric": "test_error",
        "seed": 5,
        **changes,
    }


SVM = {
    "method": "svm_rbf",
    "registered": "svm_rbf",
    "params": {},
    "grid": {"C": [1, 10]},
    "preprocess": {"scale": "standard"},
}
TRAIN, TEST = np.arange(0, 60), np.arange(60, 90)
FOLD = Fold("r0f0", TRAIN, TEST)


def test_staged_method_predicts_at_the_chosen_round_and_records_the_curve_beyond_it():
    table, declared = made_up(), settings()
    result = run_fold(table, FOLD, declared)
    n_rounds = result.chosen["n_estimators"]
    assert 50 < n_rounds <= 70
    refitted = AdaBoostMHClassifier(**result.chosen).fit(table.X[TRAIN], table.y[TRAIN])
    np.testing.assert_array_equal(result.predicted, refitted.predict(table.X[TEST]))
    np.testing.assert_allclose(result.scores, refitted.decision_function(table.X[TEST]), rtol=1e-12)
    record = make_record(table, FOLD, declared, result)
    assert len(record["curve"]["test_error"]) == len(record["curve"]["train_error"]) == 70
    assert record["curve"]["stopped_at"] == n_rounds
    assert record["curve"]["test_error"][n_rounds - 1] == pytest.approx(record["metrics"]["test_error"])
    assert len(record["selection"]["validation_curve"]) == 70
    assert [candidate["params"] for candidate in record["selection"]["candidates"]] == [
        {"n_inner_nodes": 1},
        {"n_inner_nodes": 3},
    ]
    assert record["metrics"] == {"test_error": np.sum(result.predicted != table.y[TEST]) / 30}


def test_plain_method_is_scaled_by_its_training_part():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    table = made_up()
    table.X[TEST] *= 100  # scaling by the test part too would show
    result = run_fold(table, FOLD, settings(**SVM))
    direct = make_pipeline(StandardScaler(), SVC(**result.chosen)).fit(table.X[TRAIN], table.y[TRAIN])
    np.testing.assert_array_equal(result.predicted, direct.predict(table.X[TEST]))
    assert result.curve is None
    assert make_record(table, FOLD, settings(**SVM), result)["curve"] is None


@pytest.mark.parametrize("changes", [{}, SVM], ids=["staged", "plain"])
def test_test_labels_change_nothing_but_the_test_error(changes):
    table, declared = made_up(), settings(**changes)
    first = run_fold(table, FOLD, declared)
    table.y[TEST] = "a"
    second = run_fold(table, FOLD, declared)
    assert first.chosen == second.chosen
    np.testing.assert_array_equal(first.predicted, second.predicted)
    np.testing.assert_array_equal(first.scores, second.scores)


@pytest.mark.parametrize("changes", [{}, SVM], ids=["staged", "plain"])
def test_two_runs_give_the_same_record(changes):
    table, declared = made_up(), settings(**changes)
    texts = [json.dumps(make_record(table, FOLD, declared, run_fold(table, FOLD, declared))) for _ in range(2)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("changes", [{}, SVM], ids=["staged", "plain"])
def test_two_classes_have_two_score_columns(changes):
    table = made_up(labels=["no", "yes"])
    result = run_fold(table, FOLD, settings(**changes))
    assert result.scores.shape == (30, 2)
    np.testing.assert_array_equal(result.scores[:, 0], -result.scores[:, 1])
    np.testing.assert_array_equal(result.predicted == "yes", result.scores[:, 1] > 0)


@pytest.mark.parametrize("changes", [{}, SVM], ids=["staged", "plain"])
def test_a_class_that_the_training_part_lacks_has_no_score_and_counts_as_an_error(changes):
    table = made_up()
    train = np.flatnonzero(table.y[:60] != "b")
    declared = settings(**changes)
    result = run_fold(table, Fold("f", train, TEST), declared)
    assert np.isnan(result.scores[:, 1]).all()
    assert np.isfinite(result.scores[:, [0, 2]]).all()
    record = make_record(table, Fold("f", train, TEST), declared, result)
    assert record["n_classes"] == 3
    assert record["metrics"]["test_error"] >= np.mean(table.y[TEST] == "b")


def test_says_when_each_part_is_done_and_how_far_it_is():
    parts, steps = [], {}

    def progress(part):
        steps[part] = []
        return lambda done, total, text="": steps[part].append((done, total))

    rounds = []
    run_fold(made_up(), FOLD, settings(), parts.append, progress, rounds.append)
    assert parts == ["selection", "fit", "prediction"]
    assert rounds == list(range(1, 71))
    assert steps["selection"] == [(done, 6) for done in range(1, 7)]
    assert steps["fit"] == [(done, 70) for done in range(1, 71)]


@pytest.mark.parametrize("changes", [{}, SVM], ids=["staged", "plain"])
def test_best_on_test_is_the_least_error_of_any_candidate_and_changes_nothing_else(changes):
    table = made_up(seed=3)
    declared = settings(**changes)
    plain = run_fold(table, FOLD, declared)
    result = run_fold(table, FOLD, {**declared, "best_on_test": True})
    assert plain.best_on_test is None
    np.testing.assert_array_equal(plain.scores, result.scores)
    assert plain.chosen == result.chosen
    (key, values), errors = next(iter(declared["grid"].items())), {}
    for value in values:
        fixed = settings(**{**changes, "grid": {key: [value]}, "n_selection_folds": 0})
        one = run_fold(table, FOLD, fixed)
        curve = one.curve["test_error"] if one.curve else [np.mean(one.predicted != table.y[TEST])]
        errors.update({(value, t + 1): error for t, error in enumerate(curve)})
    best = result.best_on_test
    assert best["error"] == min(errors.values())
    assert errors[best["params"][key], best["n_rounds"] or 1] == best["error"]
    assert best["n_candidates"] == len(values)
    record = make_record(table, FOLD, declared, result)
    assert record["best_on_test"] == best
    assert record["metrics"]["test_error"] >= best["error"]


def test_without_inner_folds_the_one_candidate_gets_all_its_rounds():
    table, declared = made_up(), settings(grid={"n_inner_nodes": [3]}, n_selection_folds=0)
    result = run_fold(table, FOLD, declared)
    assert result.chosen == {"n_inner_nodes": 3, "n_estimators": 70}
    assert result.selection.candidates == []
    whole = AdaBoostMHClassifier(n_inner_nodes=3, n_estimators=70).fit(table.X[TRAIN], table.y[TRAIN])
    np.testing.assert_array_equal(result.predicted, whole.predict(table.X[TEST]))
    with pytest.raises(InputError, match="without inner folds nothing can be chosen"):
        run_fold(table, FOLD, settings(n_selection_folds=0))


def test_a_booster_without_any_weak_classifier_predicts_all_the_same(monkeypatch):
    table = made_up()
    table.X[:] = 0
    declared = settings(grid={})
    result = run_fold(table, FOLD, declared)
    assert len(result.curve["test_error"]) == 70
    assert len(result.predicted) == 30


def test_a_method_outside_the_package_joins_by_its_registry_entry(monkeypatch):
    monkeypatch.setitem(
        methods.METHODS,
        "forest",
        Method("forest", "tests_fake_module", "Fake", "a fake"),
    )
    from sklearn.svm import LinearSVC

    class Fake(LinearSVC):
        pass

    monkeypatch.setitem(sys.modules, "tests_fake_module", SimpleNamespace(Fake=Fake))
    result = run_fold(made_up(), FOLD, settings("forest", params={"C": 0.5}, grid={}))
    assert result.chosen == {}
    assert set(result.predicted) <= set(LABELS)


def many_labels(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    Y = (X @ rng.normal(size=(4, 5)) + rng.normal(size=(n, 5)) > 0.5).astype(np.int8)
    return Table(X=X, Y=Y, feature_names=list("wxyz"), label_names=[f"l{i}" for i in range(5)])


SIX = ["hamming_loss", "one_error", "coverage", "ranking_loss", "average_precision", "macro_auc"]


@pytest.mark.parametrize(
    "changes",
    [
        {"metrics": SIX, "selection_metric": "hamming_loss"},
        {
            **{"method": "leml", "registered": "leml", "params": {}, "grid": {"alpha": [0.1, 1e6]}},
            **{"metrics": SIX[1:3], "selection_metric": "average_precision"},
        },
    ],
    ids=["staged", "plain"],
)
def test_multi_label_methods_are_chosen_and_measured(changes):
    from algos.evaluation.multilabel_metrics import multilabel_measures

    table, declared = many_labels(), settings(**changes)
    result = run_fold(table, Fold("s0", np.arange(80), np.arange(80, 120)), declared)
    assert result.predicted.shape == result.scores.shape == (40, 5)
    expected = multilabel_measures(table.Y[80:], result.scores, result.predicted)
    assert result.metrics == {name: expected[name] for name in declared["metrics"]}
    if declared["method"] == "leml":
        losses = [candidate["validation_error"] for candidate in result.selection.candidates]
        assert losses[0] < losses[1]  # 1 - average precision
        assert result.chosen == {"alpha": 0.1}
    else:
        assert 50 < result.chosen["n_estimators"] <= 70
    assert make_record(table, Fold("s0", np.arange(80), np.arange(80, 120)), declared, result)["n_classes"] == 5


@pytest.mark.parametrize("method", ["leml", "adaboost_mh_hamming_tree"])
def test_sparse_features_give_what_dense_ones_give(method):
    dense = many_labels()
    dense.X[dense.X < 0.3] = 0
    sparse = replace(dense, X=csr_array(dense.X))
    declared = settings(method, params={}, grid={}, metrics=SIX, selection_metric="hamming_loss", n_selection_folds=0)
    parts = np.arange(80), np.arange(80, 120)
    first, second = (run_fold(table, Fold("s0", *parts), declared) for table in (dense, sparse))
    np.testing.assert_allclose(first.scores, second.scores, rtol=1e-8, atol=1e-8)


def test_a_method_for_other_data_is_refused():
    with pytest.raises(InputError, match="the data set is multi-label and the method svm_rbf is not for such data"):
        run_fold(many_labels(), FOLD, settings(**SVM))


def test_a_measure_with_nothing_to_count_is_refused():
    table = many_labels()
    table.Y[80:] = 0
    declared = settings(metrics=SIX, selection_metric="hamming_loss")
    with pytest.raises(InputError, match="one-error of this test part has nothing to count"):
        run_fold(table, Fold("s0", np.arange(80), np.arange(80, 120)), declared)


def test_a_validation_part_chooses_and_is_not_fitted():
    table, declared = made_up(), settings(grid={"n_inner_nodes": [1, 3]}, stopping="least")
    fold = Fold("s0", np.arange(0, 40), TEST, np.arange(40, 60))
    result = run_fold(table, fold, declared)
    assert result.selection.n_folds == 1
    assert result.selection.criterion == "least validation error, first of equals"
    errors = {}
    for candidate in (1, 3):
        model = AdaBoostMHClassifier(n_inner_nodes=candidate, n_estimators=70)
        errors[candidate] = model.fit(table.X[:40], table.y[:40]).staged_error(table.X[40:60], table.y[40:60])
    best = min(errors, key=lambda candidate: errors[candidate].min())
    assert result.chosen == {"n_inner_nodes": best, "n_estimators": int(errors[best].argmin()) + 1}
    refitted = AdaBoostMHClassifier(**result.chosen).fit(table.X[:40], table.y[:40])
    np.testing.assert_array_equal(result.predicted, refitted.predict(table.X[TEST]))
    floored = run_fold(table, fold, {**declared, "min_rounds": 60})
    assert floored.chosen["n_estimators"] > 60


def test_noisy_rows_learn_from_their_wrong_labels_and_choosing_and_testing_from_the_true_ones():
    table = made_up()
    noisy = np.arange(0, 40, 3)
    wrong = np.array(LABELS)[(np.searchsorted(sorted(LABELS), table.y[noisy]) + 1) % 3]
    fold = Fold("s0", np.arange(0, 40), TEST, np.arange(40, 60), noisy, wrong)
    result = run_fold(table, fold, settings(**SVM))
    y = table.y.copy()
    y[noisy] = wrong
    clean = replace(table, y=y)
    same = run_fold(clean, Fold("s0", np.arange(0, 40), TEST, np.arange(40, 60)), settings(**SVM))
    np.testing.assert_array_equal(result.predicted, same.predicted)
    assert result.metrics == {"test_error": np.mean(result.predicted != table.y[TEST])}
    record = make_record(table, fold, settings(**SVM), result)
    assert (record["n_train"], record["n_validation"], record["n_noisy"]) == (40, 20, len(noisy))


def test_the_record_says_which_samples_were_in_when():
    table, declared = made_up(), settings("spbl", params={"n_estimators": 12, "pace_factor": 1.1}, grid={})
    noisy = np.array([0, 3, 6])
    fold = Fold("s0", np.arange(0, 60), TEST, None, noisy, np.array([LABELS[1]] * 3))
    samples = run_fold(table, fold, {**declared, "n_selection_folds": 0}).samples
    assert (samples["n_clean"], samples["n_noisy"]) == (57, 3)
    assert samples["rounds"][0] == 1
    assert len(samples["clean_in"]) == len(samples["noisy_weight"]) == len(samples["rounds"])
    assert 0.4 < samples["clean_in"][0] < 0.8  # 60 % at the start
    assert samples["clean_in"][-1] > 0.9
    assert run_fold(table, FOLD, settings(**SVM)).samples is None
