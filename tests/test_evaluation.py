"""Splits, smoothed stopping, selection, preprocessing and statistics against hand-made numbers."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import MinMaxScaler

from algos.evaluation import (
    average_ranks,
    binomial_std,
    critical_difference,
    friedman_test,
    make_folds,
    make_preprocessor,
    select,
    smoothed_stopping,
)
from algos.evaluation.selection import error_curve, expand_grid
from algos.evaluation.splits import fold_names, stratified_folds, three_parts
from algos.evaluation.stopping import extend_curve, smoothed_curve
from algos.exceptions import InputError
from algos.experiments.methods import METHODS, get_method, make_estimator
from algos.features import HaarFeatures


def test_smoothed_curve_is_equation_15_term_by_term():
    curve = np.random.default_rng(0).random(200)
    smooth = smoothed_curve(curve)
    for T in (2, 5, 51, 100, 137, 200):
        start = (4 * T) // 5
        window = [curve[t - 1] for t in range(max(start, 1), T + 1)]
        assert smooth[T - 1] == pytest.approx(sum(window) / (T - start))


def test_smoothed_stopping_takes_the_first_least_after_t_min():
    curve = np.ones(100)
    curve[9:12] = 0.0  # a dip before T_min is not seen
    curve[69:90] = 0.1
    T, error = smoothed_stopping(curve, min_rounds=50)
    smooth = smoothed_curve(curve)
    assert np.argmin(smooth[50:]) == T - 51
    assert error == smooth[T - 1]
    assert T > 50
    assert smoothed_stopping(np.ones(30), min_rounds=50)[0] == 30


def test_curves_of_boosters_that_stop_are_extended():
    assert extend_curve([0.3, 0.2], 4).tolist() == [0.3, 0.2, 0.2, 0.2]
    with pytest.raises(ValueError, match="empty"):
        extend_curve([], 3)
    with pytest.raises(ValueError, match="one-dimensional"):
        smoothed_curve([])
    with pytest.raises(ValueError, match="window"):
        smoothed_curve([0.1], window=1.0)


def test_repeated_kfold_covers_each_row_once_a_repetition():
    _, y = load_wine(return_X_y=True)
    protocol = {"kind": "repeated_kfold", "n_splits": 10, "n_repeats": 2}
    folds, notes = make_folds(y, protocol, seed=1)
    assert [f.name for f in folds] == fold_names(protocol) == [f"r{r}f{f}" for r in range(2) for f in range(10)]
    for repeat in (folds[:10], folds[10:]):
        assert sorted(np.concatenate([f.test for f in repeat])) == list(range(len(y)))
        for fold in repeat:
            assert sorted(np.concatenate([fold.train, fold.test])) == list(range(len(y)))
    assert not np.array_equal(folds[0].test, folds[10].test)
    assert notes == []
    again, _ = make_folds(y, protocol, seed=1)
    assert all(np.array_equal(a.test, b.test) for a, b in zip(folds, again, strict=True))


def test_classes_smaller_than_k_are_spread_and_said():
    y = np.array(["big"] * 30 + ["two"] * 2 + ["one"])
    folds, notes = stratified_folds(y, 10, seed=0)
    assert notes == ["class 'one' has 1 samples for 10 folds", "class 'two' has 2 samples for 10 folds"]
    assert max((y[test] == "two").sum() for _, test in folds) == 1
    assert sum("one" not in y[train] for train, _ in folds) == 1
    with pytest.raises(InputError, match="every class"):
        stratified_folds(np.array([0, 0, 1, 1]), 3, seed=0)
    with pytest.raises(InputError, match="one class only"):
        stratified_folds(np.array([0] * 9 + [1]), 3, seed=0)
    with pytest.raises(InputError, match="5 folds of 4 samples"):
        stratified_folds(np.array([0, 0, 1, 1]), 5, seed=0)


def test_designated_and_random_splits():
    split = np.array(["train", "test", "train", "test"])
    folds, _ = make_folds(np.arange(4), {"kind": "designated"}, 0, split)
    assert folds[0].name == "test"
    assert folds[0].train.tolist() == [0, 2]
    assert folds[0].test.tolist() == [1, 3]
    with pytest.raises(InputError, match="no designated"):
        make_folds(np.arange(4), {"kind": "designated"}, 0)
    y = np.repeat([0, 1], 50)
    folds, notes = make_folds(y, {"kind": "random_percentage", "test_percent": 30, "n_repeats": 3}, 0)
    assert [len(f.test) for f in folds] == [30, 30, 30]
    assert [int(y[f.test].sum()) for f in folds] == [15, 15, 15]
    assert notes == []
    _, notes = make_folds(np.append(y, 2), {"kind": "random_percentage", "test_percent": 30, "n_repeats": 1}, 0)
    assert notes
    with pytest.raises(InputError, match="leaves one part empty"):
        make_folds(y, {"kind": "random_percentage", "test_percent": 0.1, "n_repeats": 1}, 0)
    with pytest.raises(InputError, match="unknown kind"):
        make_folds(y, {"kind": "leave_one_out"}, 0)


def booster(grid_values):
    return make_estimator("adaboost_mh_hamming_tree", {"n_estimators": 80, **grid_values}, 0)


def test_selection_is_the_protocol_step_by_step():
    X, y = load_wine(return_X_y=True)
    chosen = select(booster, {"n_inner_nodes": [1, 3]}, X, y, n_inner_folds=3, seed=5, staged=True)
    folds, _ = stratified_folds(y, 3, 5)
    outcomes = []
    for n_inner_nodes in (1, 3):
        curves = []
        for train, validation in folds:
            model = booster({"n_inner_nodes": n_inner_nodes}).fit(X[train], y[train])
            curves.append(extend_curve([(p != y[validation]).mean() for p in model.staged_predict(X[validation])], 80))
        outcomes.append((smoothed_stopping(np.mean(curves, axis=0)), np.mean(curves, axis=0)))
    best = min((0, 1), key=lambda c: outcomes[c][0][1])
    assert chosen.params == {"n_inner_nodes": (1, 3)[best]}
    assert chosen.n_rounds == outcomes[best][0][0]
    np.testing.assert_allclose(chosen.validation_curve, outcomes[best][1])
    assert [c["validation_error"] for c in chosen.candidates] == pytest.approx([o[0][1] for o in outcomes])


def test_selection_of_plain_methods_takes_the_first_of_equals_and_reports_progress():
    X, y = load_iris(return_X_y=True)
    seen = []
    chosen = select(
        lambda grid: make_estimator("svm_rbf", grid, 0),
        {"C": [1e-12, 1e-13, 10.0]},
        X,
        y,
        n_inner_folds=4,
        seed=0,
        staged=False,
        preprocess={"scale": "standard"},
        progress=lambda done, total, text: seen.append((done, total)),
    )
    assert chosen.params == {"C": 10.0}
    assert seen == [(i, 12) for i in range(1, 13)]
    tied = select(lambda grid: make_estimator("svm_rbf", grid, 0), {"C": [1e-12, 1e-13]}, X, y, 4, 0, False)
    assert tied.params == {"C": 1e-12}
    single = select(lambda grid: make_estimator("svm_rbf", grid, 0), {"C": [1.0]}, X, y, 4, 0, False)
    assert single.params == {"C": 1.0}
    assert single.candidates == []
    with pytest.raises(InputError, match="'C' has no values"):
        select(lambda grid: make_estimator("svm_rbf", grid, 0), {"C": []}, X, y, 4, 0, False)


def test_a_booster_without_rounds_has_the_error_of_its_untrained_scores():
    model = booster({}).fit(np.ones((4, 1)), ["a", "b", "a", "b"])
    assert error_curve(model, np.ones((2, 1)), np.array(["a", "b"]), 3).tolist() == [0.5, 0.5, 0.5]


def test_grids_expand_with_the_last_key_fastest():
    assert expand_grid({"a": [1, 2], "b": [3, 4]}) == [
        {"a": 1, "b": 3},
        {"a": 1, "b": 4},
        {"a": 2, "b": 3},
        {"a": 2, "b": 4},
    ]
    assert expand_grid({}) == [{}]


def test_folds_of_many_labels_are_random_and_cover_all_rows():
    Y = np.zeros((21, 3), np.int8)
    folds, notes = make_folds(Y, {"kind": "repeated_kfold", "n_splits": 4, "n_repeats": 2}, seed=3)
    assert [fold.name for fold in folds] == [f"r{r}f{f}" for r in range(2) for f in range(4)]
    assert notes == []
    for repeat in (folds[:4], folds[4:]):
        np.testing.assert_array_equal(np.sort(np.concatenate([fold.test for fold in repeat])), np.arange(21))
    assert folds[0].test.tolist() != folds[4].test.tolist()
    halves, notes = make_folds(Y, {"kind": "random_percentage", "test_percent": 50, "n_repeats": 3}, seed=3)
    assert notes == []
    assert all(len(fold.test) == 10 and len(np.union1d(fold.train, fold.test)) == 21 for fold in halves)
    assert len({tuple(fold.test) for fold in halves}) == 3
    with pytest.raises(InputError, match="22 folds of 21 samples"):
        make_folds(Y, {"kind": "repeated_kfold", "n_splits": 22}, seed=3)


def test_preprocessing_is_fitted_on_the_training_part_only():
    rng = np.random.default_rng(0)
    train, test = rng.normal(3, 2, (40, 5)), rng.normal(-1, 5, (10, 5))
    scaler = make_preprocessor({"scale": "standard"})
    assert scaler.fit_transform(train).std(axis=0) == pytest.approx(np.ones(5))
    np.testing.assert_allclose(scaler.transform(test), (test - train.mean(axis=0)) / train.std(axis=0))
    pca = make_preprocessor({"scale": "minmax", "pca": {"n_components": 99}})
    assert pca.fit_transform(train).shape == (40, 5)
    assert pca.transform(test).shape == (10, 5)
    assert make_preprocessor({"pca": {"n_components": 99}}).fit_transform(train[:3]).shape == (
        3,
        2,
    )  # three rows span two directions
    np.testing.assert_array_equal(make_preprocessor(None).fit_transform(train), train)
    train[3, 0], test[0, 0], test[:, 1] = np.nan, np.nan, np.nan
    filled = make_preprocessor(None)
    assert filled.fit_transform(train)[3, 0] == np.nanmedian(train[:, 0])
    assert filled.transform(test)[0, 0] == np.nanmedian(train[:, 0])
    train[:, 1] = np.nan
    assert make_preprocessor(None).fit(train).transform(test)[:, 1].tolist() == [0.0] * 10
    images = np.random.default_rng(0).integers(0, 9, (5, 16)).astype(float)
    haar = make_preprocessor({"haar": {"n_filters": 3}, "scale": "minmax"}).fit_transform(images)
    direct = HaarFeatures(n_filters=3, random_state=0).fit_transform(images)
    np.testing.assert_allclose(haar, MinMaxScaler().fit_transform(direct), atol=1e-6)
    with pytest.raises(InputError, match=r"haar has no parameter 'filters'; it takes .*n_filters"):
        make_preprocessor({"haar": {"filters": 3}})
    with pytest.raises(InputError, match="unknown key 'sclae'"):
        make_preprocessor({"sclae": "standard"})
    with pytest.raises(InputError, match="scale is 'robust'"):
        make_preprocessor({"scale": "robust"})


def test_statistics_against_known_values():
    assert binomial_std(0.02, 4000) == pytest.approx(0.0022136, rel=1e-4)
    errors = [[1, 2, 3], [1, 3, 2], [2, 2, 3], [1, 2, 3]]
    assert average_ranks(errors).tolist() == [1.125, 2.125, 2.75]
    # Demsar 2006, section 3.2.2: four classifiers on fourteen data sets, q_0.05 = 2.569, CD = 1.25.
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, alpha=0.10) == pytest.approx(1.12, abs=0.005)
    statistic, p_value = friedman_test([[1, 2, 3]] * 6)
    assert statistic == pytest.approx(12)
    assert p_value == pytest.approx(np.exp(-6))
    assert friedman_test(np.ones((3, 3))) == (0.0, 1.0)
    for wrong in (lambda: binomial_std(1.2, 5), lambda: binomial_std(0.5, 0), lambda: friedman_test([[1, 2]])):
        with pytest.raises(ValueError):
            wrong()


def test_registry_of_methods_names_the_nearest():
    assert all(name == method.name for name, method in METHODS.items())
    for name in METHODS:
        assert make_estimator(name, {}, seed=7).get_params().get("random_state", 7) == 7
    with pytest.raises(InputError, match="adaboost_mh_hamming_tree"):
        get_method("adaboost_mh_haming_tree")
    with pytest.raises(InputError, match="'n_inner_nodes'"):
        make_estimator("adaboost_mh_hamming_tree", {"n_iner_nodes": 3}, 0)


# --- training, validation and test -----------------------------------------------------------------------------------
def sizes(y, percent=(50, 20, 30)):
    """Return rows of each class in the three parts."""
    parts, _ = three_parts(y, percent)
    return {label: [int((y[part] == label).sum()) for part in parts] for label in sorted(set(y))}


def test_three_parts_split_each_class():
    protocol = {"kind": "train_validation_test", "percent": [50, 20, 30], "n_repeats": 3}
    _, y = load_wine(return_X_y=True)
    folds, notes = make_folds(y, protocol, seed=5)
    assert [fold.name for fold in folds] == fold_names(protocol) == ["s0", "s1", "s2"]
    assert notes == []
    for fold in folds:
        parts = (fold.train, fold.validation, fold.test)
        assert sorted(np.concatenate(parts)) == list(range(len(y)))
        assert all((np.diff(part) > 0).all() for part in parts)
        for part, share in zip(parts, (0.5, 0.2, 0.3), strict=True):
            assert np.abs(np.bincount(y[part]) - share * np.bincount(y)).max() < 1
    assert not np.array_equal(folds[0].test, folds[1].test)
    again, _ = make_folds(y, protocol, seed=6)
    assert np.array_equal(again[0].validation, folds[1].validation)
    default, _ = make_folds(y, {"kind": "train_validation_test", "n_repeats": 1}, seed=5)
    assert np.array_equal(default[0].test, folds[0].test)


def test_three_parts_round_by_the_stated_rule():
    y = np.repeat([str(m) for m in range(1, 10)] + ["100"], [*range(1, 10), 100])
    assert sizes(y) == {
        "1": [1, 0, 0], "2": [1, 0, 1], "3": [1, 1, 1], "4": [2, 1, 1], "5": [3, 1, 1], "6": [3, 1, 2], "7": [4, 1, 2],
        "8": [4, 2, 2], "9": [4, 2, 3], "100": [50, 20, 30],
    }  # fmt: skip
    assert sizes(np.array(["a"] * 3 + ["b"] * 1000), (98, 1, 1))["a"] == [1, 1, 1]
    assert sizes(np.array(["a"] * 1000), (33.3, 33.3, 33.4))["a"] == [333, 333, 334]


def test_small_classes_are_named_and_never_only_in_the_test_part():
    y = np.array(["big"] * 10 + ["two"] * 2 + ["one"])
    (train, validation, test), notes = three_parts(y, seed=3)
    assert len(notes) == 1
    assert notes[0].endswith(": 'one', 'two'")
    assert set(y[test]) <= set(y[train])
    assert set(y[validation]) == {"big"}
    assert make_folds(y, {"kind": "train_validation_test", "n_repeats": 2}, seed=0)[1] == notes


@pytest.mark.parametrize("percent", [(50, 20), (50, 20, 31), (50, 50, 0), (110, -20, 10)])
def test_wrong_percentages_are_refused(percent):
    with pytest.raises(InputError, match="three numbers above 0 whose sum is 100"):
        three_parts(np.arange(20) % 2, percent)


def test_three_parts_of_too_few_samples_are_refused():
    with pytest.raises(InputError, match="too few for three parts"):
        three_parts(["a", "b", "b"])
