"""Every multi-label method as an experiment runs it: choosing, and data that are at the edge of what there is."""

import numpy as np
import pytest

from algos.datasets.table import Table
from algos.evaluation.metrics import DEFAULT_METRICS
from algos.evaluation.splits import Fold
from algos.exceptions import InputError
from algos.experiments.methods import METHODS, make_estimator
from algos.experiments.training import run_fold

NAMES = [name for name, method in METHODS.items() if "multi-label" in method.tasks]
PLAIN = [name for name in NAMES if METHODS[name].kind == "plain"]
GRIDS = {
    "br": {"C": [0.01, 1]},
    "br_hard": {"C": [0.01, 1]},
    "ecc": {"C": [0.01, 1]},
    "rakel": {"C": [0.01, 1], "ties": ["last_first"]},
    "leml": {"alpha": [0.1, 10], "n_components": [0.8, 0.9]},
    "ml2": {"C1": [0.1, 1]},
    "prbr": {"C": [0.01, 1], "max_sweeps": [5], "privileged_constant": [True]},
    "prml": {"C": [0.01, 1], "n_alternations": [1, 2], "max_sweeps": [5], "privileged_constant": [True]},
}
FOLD = Fold("s0", np.arange(60), np.arange(60, 120))
every_method = pytest.mark.parametrize("name", NAMES)


def data(n_labels=6, n_features=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, n_features))
    Y = (X @ rng.normal(size=(n_features, n_labels)) + 0.5 * rng.normal(size=(120, n_labels)) > 0.5).astype(np.int8)
    return X, Y


def run(name, X, Y, grid=None, **changes):
    table = Table(
        X=X, Y=Y, feature_names=list(map(str, range(X.shape[1]))), label_names=list(map(str, range(len(Y.T))))
    )
    settings = {
        "registered": name,
        "params": {"n_estimators": 20} if METHODS[name].kind == "staged" else {},
        "grid": grid or {},
        "preprocess": {},
        "n_selection_folds": 2,
        "stopping": "smoothed",
        "min_rounds": None,
        "best_on_test": False,
        "metrics": list(DEFAULT_METRICS["multi-label"]),
        "selection_metric": "average_precision",
        "seed": 1,
        **changes,
    }
    return run_fold(table, FOLD, settings)


@every_method
def test_grids_are_chosen_from_and_methods_learn(name):
    X, Y = data()
    grid = GRIDS.get(name, {"n_inner_nodes": [1, 3]})
    result = run(name, X, Y, grid)
    assert all(result.chosen[key] in values for key, values in grid.items())
    assert result.metrics.keys() == set(DEFAULT_METRICS["multi-label"])
    assert result.metrics["macro_auc"] > 0.75
    assert result.metrics["hamming_loss"] < Y[60:].mean()


@every_method
def test_a_label_no_training_sample_has_and_samples_without_labels(name):
    X, Y = data()
    Y[:60, 2] = 0
    Y[::4] = 0
    result = run(name, X, Y)
    assert np.isfinite(result.scores).all()
    if METHODS[name].kind == "plain":  # early votes of boosted trees go to several labels at once
        assert not result.predicted[:, 2].any()
    assert result.metrics["average_precision"] > 0.55


@pytest.mark.parametrize("name", PLAIN)
def test_one_label(name):
    X, Y = data(n_labels=1)
    result = run(name, X, Y, metrics=["hamming_loss", "macro_auc"], selection_metric="macro_auc")
    assert result.predicted.shape == result.scores.shape == (60, 1)
    assert result.metrics["macro_auc"] > 0.75


@pytest.mark.parametrize("changes", [{}, {"metrics": ["hamming_loss"]}])
def test_one_label_cannot_be_ranked(changes):
    X, Y = data(n_labels=1)
    with pytest.raises(InputError, match="ranks the labels of a sample, and this data set has one only; give 'metrics"):
        run("br", X, Y, **changes)


def test_one_label_is_two_classes_to_boosting():
    X, Y = data(n_labels=1)
    with pytest.raises(InputError, match="one label only, two classes to adaboost_mh_stump; give it as single-label"):
        run("adaboost_mh_stump", X, Y, metrics=["hamming_loss"], selection_metric="hamming_loss")


@every_method
def test_more_labels_than_features(name):
    X, Y = data(n_labels=12, n_features=2)
    assert np.isfinite(run(name, X, Y).scores).all()


@pytest.mark.parametrize("name", ["leml", "prml"])
def test_more_components_than_features(name):
    X, Y = data(n_labels=12, n_features=2)
    if name == "leml":  # documented: more could not represent more
        few, many = (run(name, X, Y, params={"n_components": k}).scores for k in (3, 10))
        np.testing.assert_array_equal(few, many)
    else:
        with pytest.raises(InputError, match="n_components is 10, more than the 12 labels or 2 features and one"):
            run(name, X, Y, params={"n_components": 10})


@pytest.mark.parametrize("name", PLAIN)
def test_labels_of_other_values_are_refused(name):
    X, Y = data()
    Y[3, 1] = 2
    with pytest.raises(ValueError, match="must hold only 0 and 1; it has 2"):
        make_estimator(name, {}, 0).fit(X, Y)
