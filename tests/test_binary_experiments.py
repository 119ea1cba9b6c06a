"""Binary methods in experiments: average precision, whole groups, rows that train beside samples, exclusion, gains."""

import functools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from test_training import settings

from algos.binary import AdaBoost, LinearSVM, TwoPassExclusion
from algos.datasets.storage import write_table
from algos.datasets.table import Table
from algos.evaluation.metrics import METRICS, loss_of, measure, positive_class, staged_loss_of
from algos.evaluation.precision_recall import voc_average_precision
from algos.evaluation.selection import select
from algos.evaluation.splits import Fold, grouped_selection_folds, make_folds, on_samples
from algos.exceptions import InputError
from algos.experiments import gains
from algos.experiments.config import check_config
from algos.experiments.jobs import make_splits, train_folds
from algos.experiments.methods import METHODS, make_estimator, validate_value
from algos.experiments.records import read_selection, read_split, write_record
from algos.experiments.tables import ShownMethod, fold_rows, read_records, skipped_rows
from algos.experiments.training import make_record, run_fold

ROOT = Path(__file__).parent.parent
AP = "voc_average_precision_1to4"
FRACTIONS = [0.0, 0.1, 0.3]


def patches(n_groups=60, seed=0, n_wrong=6):
    """Groups of three samples, a jittered row and a candidate each; some positives lie among the negatives."""
    rng = np.random.default_rng(seed)
    kinds = ["sample"] * 3 + ["jittered", "candidate"]
    positive = np.arange(n_groups) % 3 == 0
    groups, roles, y, rows = [], [], [], []
    for group in range(n_groups):
        for kind in kinds:
            label = positive[group] and kind != "candidate"
            if kind == "jittered" and not label:
                continue
            centre = 1.5 if label and group >= n_wrong else 0.0
            groups.append(f"g{group:02d}")
            roles.append(kind)
            y.append("positive" if label else "negative")
            rows.append(rng.normal(centre, 1, 6))
    split = np.where(np.array([int(name[1:]) for name in groups]) < n_groups // 2, "train", "test")
    return Table(
        X=np.array(rows),
        y=np.array(y),
        feature_names=list("abcdef"),
        label_names=["negative", "positive"],
        split=split,
        groups=np.array(groups),
        roles=np.array(roles),
    )


def split_of(table, protocol, seed=1):
    samples = table.samples
    of = (table.y, table.split, table.groups)
    y, split, groups = (values[samples] for values in of)
    made, _ = make_folds(y, protocol, seed, split, groups)
    return on_samples(made, samples, table.groups, table.split if protocol["kind"] == "designated" else None)


def exclusion_settings(method="adaboost_exclusion", **changes):
    given = {"params": {"n_estimators": 60}, "grid": {"fraction": FRACTIONS}, "metrics": [AP], "selection_metric": AP}
    return settings(method, **{**given, **changes})


DESIGNATED = {"kind": "designated"}


# -------------------------------------------------------------------------------------------- measures


def test_average_precision_is_that_of_the_second_class():
    rng = np.random.default_rng(0)
    truth = np.where(rng.random(50) < 0.3, "positive", "negative")
    scores = rng.normal(size=50) + (truth == "positive")
    both = np.column_stack([-scores, scores])
    found = measure([AP, "average_precision_area", "test_error"], truth, truth, both, ["negative", "positive"])
    labels = truth == "positive"
    assert found[AP] == voc_average_precision(labels, scores, negatives_per_positive=4)
    assert found["average_precision_area"] == voc_average_precision(labels, scores, "area")
    assert found["test_error"] == 0
    assert METRICS[AP].axis_label == "11-point average precision at 1:4 (%)"
    assert not METRICS[AP].lower_is_better


def test_average_precision_needs_two_classes_and_both_in_the_test_part():
    scores = np.zeros((3, 2))
    y = np.array(["a", "b", "b"])
    with pytest.raises(InputError, match="ranks two classes and the data set has 3; name the positive one"):
        measure([AP], y, y, scores, ["a", "b", "c"])
    with pytest.raises(InputError, match="has nothing to count"):
        measure([AP], y[1:], y[1:], scores[1:], ["a", "b"])
    assert positive_class(["b", "a"]) == "b"


def test_losses_are_one_minus_the_measure_at_each_round():
    table = patches()
    model = AdaBoost(n_estimators=7).fit(table.X, table.y)
    losses = staged_loss_of(AP)(model, table.X, table.y)
    assert losses.shape == (7,)
    scores = model.decision_function(table.X)
    assert losses[-1] == loss_of(AP)(model, table.X, table.y)
    assert losses[-1] == 1 - voc_average_precision(table.y == "positive", scores, negatives_per_positive=4)
    assert staged_loss_of("test_error") is None
    assert loss_of(AP)(model, table.X[:3], np.repeat("negative", 3)) == 1


# ------------------------------------------------------------------------------------- rows and groups


def test_rows_beside_the_samples_train_where_their_group_is_not_held_out():
    table = patches()
    (fold,) = split_of(table, DESIGNATED)
    assert set(table.roles[fold.train]) == set(table.roles[fold.test]) == {"sample"}
    assert set(table.split[fold.extra]) == {"train"}
    assert set(table.roles[fold.extra]) == {"jittered", "candidate"}
    assert len(fold.train) + len(fold.test) + 2 * len(fold.extra[table.roles[fold.extra] == "candidate"]) == 180 + 60
    for fold in split_of(table, {"kind": "repeated_grouped", "n_repeats": 3}):
        tested = set(table.groups[fold.test])
        assert not tested & set(table.groups[np.r_[fold.train, fold.extra]])
        assert len(fold.extra) == np.sum((table.roles != "sample") & ~np.isin(table.groups, list(tested)))


def test_inner_folds_part_no_group_and_validate_on_samples_alone():
    table = patches()
    only_train = table.roles != "sample"
    folds, _ = grouped_selection_folds(table.y, 3, 0, table.groups, only_train)
    assert sorted(np.concatenate([validation for _, validation in folds])) == np.flatnonzero(~only_train).tolist()
    for train, validation in folds:
        assert not set(table.groups[train]) & set(table.groups[validation])
        missing = np.setdiff1d(np.arange(len(table.y)), np.r_[train, validation])
        assert set(table.groups[missing]) <= set(table.groups[validation])
        assert only_train[missing].all()
    with pytest.raises(InputError, match="70 folds of 60 groups"):
        grouped_selection_folds(table.y, 70, 0, table.groups, only_train)


def test_splits_on_the_disk_keep_what_may_train_beside(tmp_path):
    table = patches()
    write_table(table, tmp_path / "t.parquet")
    make_splits(tmp_path / "t.parquet", tmp_path / "s.parquet", DESIGNATED, 1, ["test"], None)
    (fold,) = split_of(table, DESIGNATED)
    read = read_split(tmp_path / "s.parquet", "test")
    for part in ("train", "test", "extra"):
        assert np.array_equal(getattr(read, part), getattr(fold, part))


def test_hard_negatives_are_the_candidates_that_a_first_model_takes_for_positives():
    table = patches()
    (fold,) = split_of(table, DESIGNATED)
    more = {"jittered": True, "hard_negatives": 5}
    declared = exclusion_settings("adaboost", grid={}, more_rows=more)
    result = run_fold(table, fold, declared)
    assert make_record(table, fold, declared, result)["n_added"] == {"jittered": 10, "candidate": 5}
    jittered, candidates = (fold.extra[table.roles[fold.extra] == role] for role in ("jittered", "candidate"))
    rows = np.r_[fold.train, jittered]
    scores = AdaBoost(n_estimators=60).fit(table.X[rows], table.y[rows]).decision_function(table.X[candidates])
    rows = np.r_[rows, candidates[np.argsort(-scores, kind="stable")[:5]]]
    expected = AdaBoost(n_estimators=60).fit(table.X[rows], table.y[rows])
    stage = list(expected.staged_decision_function(table.X[fold.test]))[result.chosen["n_estimators"] - 1]
    assert np.array_equal(result.scores[:, 1], stage)
    plain = run_fold(table, fold, exclusion_settings("adaboost", grid={}))
    assert plain.added == {}
    assert not np.array_equal(plain.scores, result.scores)


def test_rows_that_a_data_set_does_not_have():
    table = patches()
    bare = Table(table.X, table.feature_names, table.label_names, y=table.y)
    fold = Fold("s0", np.arange(0, 150), np.arange(150, len(table.y)))
    for more in ({"jittered": True}, {"hard_negatives": 3}):
        with pytest.raises(InputError, match="asks for more rows of the kind"):
            run_fold(bare, fold, exclusion_settings(more_rows=more))


# ------------------------------------------------------------------------------------------- exclusion


@pytest.mark.parametrize("base", [AdaBoost(n_estimators=20), LinearSVM(C=0.1)], ids=["booster", "svm"])
def test_a_path_of_fractions_is_what_single_fits_give(base):
    table = patches()
    path = list(TwoPassExclusion(base).fit_path(table.X, table.y, FRACTIONS))
    for fraction, model in zip(FRACTIONS, path, strict=True):
        alone = TwoPassExclusion(base, fraction=fraction).fit(table.X, table.y)
        assert np.array_equal(model.excluded_, alone.excluded_)
        assert np.array_equal(model.decision_function(table.X), alone.decision_function(table.X))
        assert model.fraction == model.fraction_ == fraction


def test_selection_fits_one_first_pass_for_all_fractions(monkeypatch):
    table, fits = patches(), []
    fit = AdaBoost.fit

    @functools.wraps(fit)
    def counted(self, *arguments, **options):
        fits.append("outliers" in options)
        return fit(self, *arguments, **options)

    monkeypatch.setattr(AdaBoost, "fit", counted)
    progress = []
    chosen = select(
        lambda given: TwoPassExclusion(AdaBoost(n_estimators=60), **given),
        {"eta": [50.0, 100.0], "fraction": FRACTIONS},
        table.X,
        table.y,
        2,
        0,
        True,
        progress=lambda *done: progress.append(done[:2]),
    )
    assert Counter(fits) == {False: 2 * 2, True: 2 * 2 * 2}
    assert [c["params"] for c in chosen.candidates[:4]] == [{"eta": 50.0, "fraction": f} for f in FRACTIONS] + [
        {"eta": 100.0, "fraction": 0.0}
    ]
    assert progress == [(done, 12) for done in range(1, 13)]


def test_the_excluded_rows_are_recorded_and_are_the_hardest_positives():
    table = patches()
    (fold,) = split_of(table, DESIGNATED)
    declared = exclusion_settings(grid={"fraction": [0.3]})
    result = run_fold(table, fold, declared)
    excluded = make_record(table, fold, declared, result)["excluded"]
    assert excluded["fraction"] == 0.3
    assert len(excluded["rows"]) == 9  # of 30 positives
    assert set(excluded["rows"]) <= set(fold.train[table.y[fold.train] == "positive"].tolist())
    model = AdaBoost(n_estimators=60).fit(table.X[fold.train], table.y[fold.train])
    positives = fold.train[table.y[fold.train] == "positive"]
    hardest = positives[np.argsort(model.decision_function(table.X[positives]), kind="stable")[:9]]
    assert excluded["rows"] == hardest.tolist()


def test_the_control_excludes_as_many_at_random_and_chooses_as_the_method_does():
    table = patches()
    (fold,) = split_of(table, DESIGNATED)
    method = run_fold(table, fold, exclusion_settings("logitboost_binary_exclusion"))
    control = run_fold(table, fold, exclusion_settings("logitboost_binary_random_exclusion"))
    assert control.selection.candidates == method.selection.candidates
    assert control.chosen == method.chosen
    assert method.chosen["fraction"] > 0
    assert len(control.excluded["rows"]) == len(method.excluded["rows"])
    assert control.excluded["rows"] != method.excluded["rows"]
    again = run_fold(table, fold, exclusion_settings("logitboost_binary_random_exclusion"))
    assert again.excluded == control.excluded


def test_random_exclusion_takes_positives_alone():
    table = patches()
    model = TwoPassExclusion(AdaBoost(n_estimators=5), fraction=0.2, choose="random", random_state=0)
    excluded = model.fit(table.X, table.y).excluded_
    assert len(set(excluded.tolist())) == len(excluded) == 16
    assert (table.y[excluded] == "positive").all()
    assert model.set_params(random_state=1).fit(table.X, table.y).excluded_.tolist() != excluded.tolist()


@pytest.mark.parametrize("fraction", [0.0, 0.2])
def test_rounds_are_reported_by_the_last_pass_alone(fraction):
    table, rounds = patches(), []
    model = TwoPassExclusion(AdaBoost(n_estimators=5), fraction=fraction)
    model.fit(table.X, table.y, monitor=lambda t, _: rounds.append(t))
    assert rounds == [1, 2, 3, 4, 5]


def test_parameters_of_a_wrapped_method_are_those_of_both():
    model = make_estimator("linear_svm_random_exclusion", {"C": 0.5, "fraction": 0.2, "eta": 3.0}, 7)
    assert (model.estimator.C, model.fraction, model.eta, model.choose, model.random_state) == (
        0.5,
        0.2,
        3,
        "random",
        7,
    )
    for key, value in (("C", -1), ("fraction", 1.5)):
        with pytest.raises(ValueError, match=f"The '{key}' parameter"):
            validate_value("linear_svm_exclusion", key, value)
    with pytest.raises(InputError, match="no parameter 'fractoin'; the nearest one is 'fraction'"):
        make_estimator("linear_svm_exclusion", {"fractoin": 0}, 0)


def test_each_binary_method_has_its_exclusion_and_control():
    for name in ("adaboost", "gentleboost", "logitboost_binary", "robustboost", "tangentboost", "linear_svm"):
        exclusion, control = METHODS[f"{name}_exclusion"], METHODS[f"{name}_random_exclusion"]
        assert control.selects_as == exclusion.name
        assert exclusion.kind == METHODS[name].kind


# -------------------------------------------------------------------------------------------- configs


def declared(methods, **changes):
    experiment = {"title": "t", "datasets": ["faces"], "protocol": {"kind": "repeated_kfold"}, "metrics": [AP]}
    return {"experiments": {"e": {**experiment, "methods": methods, **changes}}}


def checked(config, monkeypatch):
    monkeypatch.chdir(ROOT)
    return check_config(config, [], ROOT / "workflow/schemas/config.schema.yaml", ROOT / "src").experiments["e"]


def test_a_family_names_all_its_data_sets(monkeypatch):
    experiment = checked(declared({"adaboost": {}}, datasets=["voc07_standin", "faces"]), monkeypatch)
    assert len(experiment.datasets) == 21
    assert experiment.datasets[0] == "voc07_standin_aeroplane"
    with pytest.raises(InputError, match="voc07_standin_bus is named twice, by itself and by its family"):
        checked(declared({"adaboost": {}}, datasets=["voc07_standin", "voc07_standin_bus"]), monkeypatch)


def test_a_control_takes_the_choice_of_the_method_with_its_settings_alone(monkeypatch):
    grid = {"fraction": [0.0, 0.1]}
    methods = {"adaboost_exclusion": {"grid": grid}, "adaboost_random_exclusion": {"grid": grid}}
    experiment = checked(declared(methods), monkeypatch)
    assert experiment.chooser("adaboost_random_exclusion") == "adaboost_exclusion"
    assert experiment.chooser("adaboost_exclusion") is None
    assert experiment.training("faces", "adaboost_random_exclusion")["defaults"] == {"choose": "random"}
    methods["adaboost_random_exclusion"] = {"grid": {"fraction": [0.0, 0.2]}}
    assert checked(declared(methods), monkeypatch).chooser("adaboost_random_exclusion") is None
    del methods["adaboost_exclusion"]
    assert checked(declared(methods), monkeypatch).chooser("adaboost_random_exclusion") is None


@pytest.mark.parametrize(
    ("settings_of_method", "sentence"),
    [
        ({"params": {"estimator": 1}}, "unknown parameter of adaboost_exclusion 'estimator'"),
        ({"params": {"choose": "sometimes"}}, "'choose' parameter of TwoPassExclusion must be"),
        ({"grid": {"n_estimators": [5]}}, "the number of rounds is chosen along the learning curve"),
        ({"params": {"n_estimators": 0}}, "'n_estimators' parameter of AdaBoost must be"),
        ({"more_rows": {"mirrored": True}}, "unknown key 'mirrored'"),
    ],
)
def test_a_mistake_in_a_method_of_two_classes_is_named(monkeypatch, settings_of_method, sentence):
    with pytest.raises(InputError, match=sentence):
        checked(declared({"adaboost_exclusion": settings_of_method}), monkeypatch)


def test_a_control_is_fitted_with_what_the_method_chose(tmp_path):
    table = patches()
    (fold,) = split_of(table, DESIGNATED)
    own = exclusion_settings()
    result = run_fold(table, fold, own)
    record = {**make_record(table, fold, own, result), "schema": 1}
    write_record(record, tmp_path / "test.json")
    selected = read_selection(tmp_path / "test.json")
    control = run_fold(table, fold, exclusion_settings("adaboost_random_exclusion"), selected=selected)
    alone = run_fold(table, fold, exclusion_settings("adaboost_random_exclusion"))
    assert control.chosen == alone.chosen == result.chosen
    assert np.array_equal(control.scores, alone.scores)
    assert control.selection.notes[-1] == "chosen by adaboost_exclusion"


# ------------------------------------------------------------------------- classes that a part does not have


@pytest.mark.parametrize(("part", "named"), [("train", "training"), ("test", "test")])
def test_a_part_without_positives_is_skipped_and_named(tmp_path, part, named):
    table = patches()
    kept = (table.split != part) | (table.y == "negative")
    columns = {name: getattr(table, name)[kept] for name in ("X", "y", "split", "groups", "roles")}
    lacking = Table(feature_names=table.feature_names, label_names=table.label_names, **columns)
    write_table(lacking, tmp_path / "t.parquet")
    make_splits(tmp_path / "t.parquet", tmp_path / "s.parquet", DESIGNATED, 1, ["test"], None)
    train_folds(
        tmp_path / "t.parquet",
        tmp_path / "s.parquet",
        [],
        exclusion_settings(),
        [tmp_path / "test.json"],
        [tmp_path / "test.parquet"],
        tmp_path / "unfinished",
    )
    (record,) = read_records([tmp_path / "test.json"])
    assert record["skipped"] == f"the {named} part of fold test has no row of class 'positive'"
    assert record["metrics"] == record["chosen"] == {}
    (row,) = skipped_rows([record], {"adaboost_exclusion": ShownMethod("A")})
    assert (row["dataset"], row["label"], row["reason"]) == ("d", "A", record["skipped"])


# ---------------------------------------------------------------------------------------------- gains


def test_the_measure_that_chose_comes_first():
    metrics = {"test_error": 0.1, "voc_average_precision": 0.5, AP: 0.6}
    record = {"dataset": "d", "method": "a", "fold": "s0", "metrics": metrics, "selection": {"metric": AP}}
    assert [row["metric"] for row in fold_rows([record])] == [AP, "test_error", "voc_average_precision"]
    assert fold_rows([{**record, "selection": {}}])[0]["metric"] == "test_error"


SHOWN = {
    "a": ShownMethod("A"),
    "b": ShownMethod("B"),
    "a_x": ShownMethod("A, changed"),
    "b_x": ShownMethod("B, changed"),
    "a_r": ShownMethod("A, control", control=True),
}
PAIRS = [("a_x", "a"), ("b_x", "b"), ("a_x", "a_r"), ("a_r", "a")]
VALUES = {"a": (50, 60, 70), "b": (55, 50, 70), "a_x": (52, 58, 75), "b_x": (56, 50, 74), "a_r": (49, 59, 70)}


def folds(metric=AP):
    return [
        {"dataset": f"d{d}", "method": method, "metric": metric, "fold": f"s{fold}", "value": value + delta * (d + 1)}
        for d in range(3)
        for method, values in VALUES.items()
        for fold, delta in ((0, -1.0), (1, 1.0))
        for value in (values[d],)
    ]


def test_gains_are_paired_by_fold_and_positive_where_the_method_is_better():
    rows = {(row["dataset"], row["method"], row["baseline"]): row for row in gains.gain_rows(folds(), PAIRS, SHOWN)}
    assert set(rows) == {(f"d{d}", f"{name}_x", name) for d in range(3) for name in "ab"}  # none with the control
    assert rows["d0", "a_x", "a"] == {
        **{"dataset": "d0", "metric": AP, "method": "a_x", "label": "A, changed", "baseline": "a"},
        **{"baseline_label": "A", "n_runs": 2, "baseline_value": 50.0, "value": 52.0, "gain": 2.0, "gain_std": 0.0},
    }
    errors = gains.gain_rows(folds("test_error"), PAIRS, SHOWN)
    assert {(row["dataset"], row["method"]): row["gain"] for row in errors}["d0", "a_x"] == -2.0
    halved = [row for row in folds() if (row["method"], row["fold"]) != ("a", "s1")]
    first = gains.gain_rows(halved, PAIRS, SHOWN)[0]
    assert (first["n_runs"], first["gain"], first["gain_std"]) == (1, 2.0, None)


def test_gains_are_laid_out_as_in_the_paper():
    layout = gains.gains_layout(gains.gain_rows(folds(), PAIRS, SHOWN), "T")
    lines = {row[0].text: [cell.text for cell in row[1:]] for row in layout.rows}
    assert layout.groups == [("", 1), ("A, changed", 3), ("B, changed", 3)]
    assert lines["d1"] == ["60.00", "58.00", "−2.00", "50.00", "50.00", "0.00"]
    assert lines["mean"] == ["60.00", "61.67", "+1.67", "58.33", "60.00", "+1.67"]
    assert lines["wins within"] == ["1", "2", "", "0", "2", ""]
    assert lines["wins between"] == ["2", "2", "", "2", "1", ""]
    (first,) = [row for row in layout.rows if row[0].text == "d0"]
    assert [cell.bold for cell in first[1:]] == [False, True, False, False, True, False]
    assert gains.gains_layout([], "T").rows == []


def test_a_method_with_two_baselines_has_a_head_for_each():
    layout = gains.gains_layout(gains.gain_rows(folds(), [("a_x", "a"), ("b_x", "b"), ("a_x", "b")], SHOWN), "T")
    heads = ["", "A, changed in place of A", "A, changed in place of B", "B, changed"]
    assert [head for head, _ in layout.groups] == heads
