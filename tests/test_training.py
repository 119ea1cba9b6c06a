"""One fold: what is fitted on what, what the record says, and the same answer twice."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from algos.datasets.table import Table
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
        "params": {"n_estimators": 70},
        "grid": {"n_inner_nodes": [1, 3]},
        "preprocess": {},
        "n_selection_folds": 3,
        "best_on_test": False,
        "seed": 5,
        **changes,
    }


SVM = {"method": "svm_rbf", "params": {}, "grid": {"C": [1, 10]}, "preprocess": {"scale": "standard"}}
TRAIN, TEST = np.arange(0, 60), np.arange(60, 90)


def test_staged_method_predicts_at_the_chosen_round_and_records_the_curve_beyond_it():
    table, declared = made_up(), settings()
    result = run_fold(table, TRAIN, TEST, declared)
    n_rounds = result.chosen["n_estimators"]
    assert 50 < n_rounds <= 70
    refitted = AdaBoostMHClassifier(**result.chosen).fit(table.X[TRAIN], table.y[TRAIN])
    np.testing.assert_array_equal(result.predicted, refitted.predict(table.X[TEST]))
    np.testing.assert_allclose(result.scores, refitted.decision_function(table.X[TEST]), rtol=1e-12)
    record = make_record(table, "r0f0", TRAIN, TEST, declared, result)
    assert len(record["curve"]["test_error"]) == len(record["curve"]["train_error"]) == 70
    assert record["curve"]["stopped_at"] == n_rounds
    assert record["curve"]["test_error"][n_rounds - 1] == pytest.approx(record["test_error"])
    assert len(record["selection"]["validation_curve"]) == 70
    assert [candidate["params"] for candidate in record["selection"]["candidates"]] == [
        {"n_inner_nodes": 1},
        {"n_inner_nodes": 3},
    ]
    assert record["n_test_errors"] == np.sum(result.predicted != table.y[TEST]) == round(record["test_error"] * 30)


def test_plain_method_is_scaled_by_its_training_part():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    table = made_up()
    table.X[TEST] *= 100  # scaling by the test part too would show
    result = run_fold(table, TRAIN, TEST, settings(**SVM))
    direct = make_pipeline(StandardScaler(), SVC(**result.chosen)).fit(table.X[TRAIN], table.y[TRAIN])
    np.testing.assert_array_equal(result.predicted, direct.predict(table.X[TEST]))
    assert result.curve is None
    assert make_record(table, "test", TRAIN, TEST, settings(**SVM), result)["curve"] is None


@pytest.mark.parametrize("changes", [{}, SVM], ids=["staged", "plain"])
def test_test_labels_change_nothing_but_the_test_error(changes):
    table, declared = made_up(), settings(**changes)
    first = run_fold(table, TRAIN, TEST, declared)
    table.y[TEST] = "a"
    second = run_fold(table, TRAIN, TEST, declared)
    assert first.chosen == second.chosen
    np.testing.assert_array_equal(first.predicted, second.predicted)
    np.testing.assert_array_equal(first.scores, second.scores)


@pytest.mark.parametrize("changes", [{}, SVM], ids=["staged", "plain"])
def test_two_runs_give_the_same_record(changes):
    table, declared = made_up(), settings(**changes)
    texts = [
        json.dumps(make_record(table, "f", TRAIN, TEST, declared, run_fold(table, TRAIN, TEST, declared)))
        for _ in range(2)
    ]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("changes", [{}, SVM], ids=["staged", "plain"])
def test_two_classes_have_two_score_columns(changes):
    table = made_up(labels=["no", "yes"])
    result = run_fold(table, TRAIN, TEST, settings(**changes))
    assert result.scores.shape == (30, 2)
    np.testing.assert_array_equal(result.scores[:, 0], -result.scores[:, 1])
    np.testing.assert_array_equal(result.predicted == "yes", result.scores[:, 1] > 0)


@pytest.mark.parametrize("changes", [{}, SVM], ids=["staged", "plain"])
def test_a_class_that_the_training_part_lacks_has_no_score_and_counts_as_an_error(changes):
    table = made_up()
    train = np.flatnonzero(table.y[:60] != "b")
    declared = settings(**changes)
    result = run_fold(table, train, TEST, declared)
    assert np.isnan(result.scores[:, 1]).all()
    assert np.isfinite(result.scores[:, [0, 2]]).all()
    record = make_record(table, "f", train, TEST, declared, result)
    assert record["n_classes"] == 3
    assert record["n_test_errors"] >= np.sum(table.y[TEST] == "b")


def test_says_when_each_part_is_done_and_how_far_it_is():
    parts, steps = [], {}

    def progress(part):
        steps[part] = []
        return lambda done, total, text="": steps[part].append((done, total))

    rounds = []
    run_fold(made_up(), TRAIN, TEST, settings(), parts.append, progress, rounds.append)
    assert parts == ["selection", "fit", "prediction"]
    assert rounds == list(range(1, 71))
    assert steps["selection"] == [(done, 6) for done in range(1, 7)]
    assert steps["fit"] == [(done, 70) for done in range(1, 71)]


@pytest.mark.parametrize("changes", [{}, SVM], ids=["staged", "plain"])
def test_best_on_test_is_the_least_error_of_any_candidate_and_changes_nothing_else(changes):
    table = made_up(seed=3)
    declared = settings(**changes)
    plain = run_fold(table, TRAIN, TEST, declared)
    result = run_fold(table, TRAIN, TEST, {**declared, "best_on_test": True})
    assert plain.best_on_test is None
    np.testing.assert_array_equal(plain.scores, result.scores)
    assert plain.chosen == result.chosen
    (key, values), errors = next(iter(declared["grid"].items())), {}
    for value in values:
        fixed = settings(**{**changes, "grid": {key: [value]}, "n_selection_folds": 0})
        one = run_fold(table, TRAIN, TEST, fixed)
        curve = one.curve["test_error"] if one.curve else [np.mean(one.predicted != table.y[TEST])]
        errors.update({(value, t + 1): error for t, error in enumerate(curve)})
    best = result.best_on_test
    assert best["error"] == min(errors.values())
    assert errors[best["params"][key], best["n_rounds"] or 1] == best["error"]
    assert best["n_candidates"] == len(values)
    record = make_record(table, "test", TRAIN, TEST, declared, result)
    assert record["best_on_test"] == best
    assert record["test_error"] >= best["error"]


def test_without_inner_folds_the_one_candidate_gets_all_its_rounds():
    table, declared = made_up(), settings(grid={"n_inner_nodes": [3]}, n_selection_folds=0)
    result = run_fold(table, TRAIN, TEST, declared)
    assert result.chosen == {"n_inner_nodes": 3, "n_estimators": 70}
    assert result.selection.candidates == []
    whole = AdaBoostMHClassifier(n_inner_nodes=3, n_estimators=70).fit(table.X[TRAIN], table.y[TRAIN])
    np.testing.assert_array_equal(result.predicted, whole.predict(table.X[TEST]))
    with pytest.raises(InputError, match="without inner folds nothing can be chosen"):
        run_fold(table, TRAIN, TEST, settings(n_selection_folds=0))


def test_a_booster_without_any_weak_classifier_predicts_all_the_same(monkeypatch):
    table = made_up()
    table.X[:] = 0
    declared = settings(grid={})
    result = run_fold(table, TRAIN, TEST, declared)
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
    result = run_fold(made_up(), TRAIN, TEST, settings("forest", params={"C": 0.5}, grid={}))
    assert result.chosen == {}
    assert set(result.predicted) <= set(LABELS)


def test_multi_label_data_are_refused():
    table = Table(X=np.zeros((4, 1)), Y=np.zeros((4, 2), np.int8), feature_names=["x"], label_names=["l", "m"])
    with pytest.raises(InputError, match="multi-label"):
        run_fold(table, np.arange(2), np.arange(2, 4), settings())
