"""Adapters of other libraries against those libraries' own predictions, at the end and after some rounds."""

import pickle
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from algos.exceptions import InputError
from algos.experiments.methods import METHODS, make_estimator
from algos.multiclass import (
    StagedHistGradientBoostingClassifier,
    StagedLightGBMClassifier,
    StagedRandomForestClassifier,
    StagedXGBoostClassifier,
    rivals,
)

NEEDED = {StagedLightGBMClassifier: "lightgbm", StagedXGBoostClassifier: "xgboost"}
CLASSIFIERS = (*NEEDED, StagedHistGradientBoostingClassifier, StagedRandomForestClassifier)


@pytest.fixture(autouse=True)
def library(request):
    """Skip what needs a library that is not there."""
    classifier = request.node.callspec.params.get("classifier") if hasattr(request.node, "callspec") else None
    if classifier in NEEDED:
        pytest.importorskip(NEEDED[classifier], reason="pip install 'algos[rivals]'")


every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)


@parametrize_with_checks([classifier(n_estimators=4) for classifier in CLASSIFIERS])
def test_scikit_learn_contract(estimator, check):
    if type(estimator) in NEEDED:
        pytest.importorskip(NEEDED[type(estimator)], reason="pip install 'algos[rivals]'")
    check(estimator)


def lightgbm_itself(n_rounds, X, y, seed):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=n_rounds, num_leaves=7, min_child_samples=5, learning_rate=0.2, random_state=seed, n_jobs=1,
        verbose=-1,
    ).fit(X, y)  # fmt: skip


def xgboost_itself(n_rounds, X, y, seed):
    from xgboost import XGBClassifier

    return XGBClassifier(
        n_estimators=n_rounds, max_leaves=7, max_depth=0, grow_policy="lossguide", learning_rate=0.2, n_jobs=1,
        random_state=seed,
    ).fit(X, y)  # fmt: skip


def hist_gradient_boosting_itself(n_rounds, X, y, seed):
    return HistGradientBoostingClassifier(
        max_iter=n_rounds, max_leaf_nodes=7, min_samples_leaf=5, learning_rate=0.2, random_state=seed,
        early_stopping=False,
    ).fit(X, y)  # fmt: skip


def random_forest_itself(n_rounds, X, y, seed):
    return RandomForestClassifier(n_rounds, max_leaf_nodes=7, min_samples_leaf=5, random_state=seed).fit(X, y)


ITSELF = {
    StagedLightGBMClassifier: (lightgbm_itself, {"learning_rate": 0.2, "min_samples_leaf": 5}),
    StagedXGBoostClassifier: (xgboost_itself, {"learning_rate": 0.2}),
    StagedHistGradientBoostingClassifier: (
        hist_gradient_boosting_itself,
        {"learning_rate": 0.2, "min_samples_leaf": 5},
    ),
    StagedRandomForestClassifier: (random_forest_itself, {"min_samples_leaf": 5}),
}


def probabilities(scores):
    """Softmax, or the logistic function of one score."""
    if scores.ndim == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@every_classifier
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_each_stage_is_the_library_itself_with_so_many_rounds(classifier, load):
    X, y = load(return_X_y=True)
    y = np.array([f"class {label}" for label in y])
    codes = np.unique(y, return_inverse=True)[1]
    X, X_test, y, codes, y_test = X[::2], X[1::2], y[::2], codes[::2], y[1::2]
    fit, params = ITSELF[classifier]
    model = classifier(n_estimators=9, max_leaf_nodes=7, random_state=4, **params).fit(X, y)
    assert model.n_estimators_ == 9
    predicted, scores = list(model.staged_predict(X_test)), list(model.staged_decision_function(X_test))
    errors = model.staged_error(X_test, y_test)
    assert len(predicted) == len(scores) == len(errors) == 9
    for t in (1, 2, 5, 9):
        itself = fit(t, X, codes, 4)
        np.testing.assert_array_equal(predicted[t - 1], model.classes_[itself.predict(X_test)])
        expected = itself.predict_proba(X_test)
        if classifier is StagedRandomForestClassifier:
            found = scores[t - 1]
            expected = expected[:, 1] - 0.5 if found.ndim == 1 else expected
        else:
            found = probabilities(scores[t - 1])
        np.testing.assert_allclose(found, expected, atol=2e-6)
        assert errors[t - 1] == np.mean(predicted[t - 1] != y_test)
    np.testing.assert_array_equal(predicted[-1], model.predict(X_test))
    np.testing.assert_allclose(scores[-1], model.decision_function(X_test), rtol=1e-6, atol=1e-6)


@every_classifier
def test_monitor_sees_the_rounds(classifier):
    X, y = load_wine(return_X_y=True)
    seen = []
    model = classifier(n_estimators=7).fit(X, y, monitor=lambda t, _: seen.append(t) or t == 4)
    if classifier is StagedHistGradientBoostingClassifier:
        assert seen == [7]
        assert model.n_estimators_ == 7
    else:
        assert seen == [1, 2, 3, 4]
        assert model.n_estimators_ == 4


@every_classifier
def test_unseen_classes_importances_and_pickle(classifier):
    X, y = load_iris(return_X_y=True)
    names = np.array(["sétosa", "versi color", "v<3>"])[y]
    model = classifier(n_estimators=5, random_state=0).fit(X[:100], names[:100])
    assert model.staged_error(X[100:], names[100:]).tolist() == [1.0] * 5
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.staged_error(X, names), model.staged_error(X, names))
    if classifier is StagedHistGradientBoostingClassifier:
        assert not hasattr(model, "feature_importances_")
    else:
        assert model.feature_importances_.shape == (4,)
        assert model.feature_importances_.sum() == pytest.approx(1)
        assert model.feature_importances_.argmax() in (2, 3)


@every_classifier
def test_data_without_any_cut(classifier):
    model = classifier(n_estimators=3).fit(np.ones((30, 2)), ["a", "c"] + ["b"] * 28)
    assert model.predict(np.ones((1, 2))).tolist() == ["b"]
    assert len(model.staged_error(np.ones((2, 2)), ["b", "a"])) == model.n_estimators_


@every_classifier
@pytest.mark.parametrize(
    ("params", "y", "message"),
    [({"n_estimators": 0}, [0, 1], "n_estimators"), ({"max_leaf_nodes": 1}, [0, 1], "max_leaf_nodes"),
     ({}, ["a", "a"], "one class only")],
)  # fmt: skip
def test_bad_input_is_named(classifier, params, y, message):
    with pytest.raises(ValueError, match=message):
        classifier(**params).fit([[0.0], [1.0]], y)


@pytest.mark.parametrize("name", NEEDED.values())
def test_a_missing_library_is_named(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=rf"needs {name}, which is not installed: pip install 'algos\[rivals\]'"):
        make_estimator(name, {"n_estimators": 2}, 0).fit([[0.0], [1.0]], [0, 1])


def test_registry():
    staged = {m.name: m.class_name for m in METHODS.values() if m.module == rivals.__name__}
    assert sorted(staged) == ["hist_gradient_boosting", "lightgbm", "random_forest", "xgboost"]
    assert all(METHODS[name].kind == "staged" for name in staged)
