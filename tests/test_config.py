"""A config's mistakes are named with their place and the nearest valid name; a good one says what it means."""

import copy
import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from workflow_copy import ROOT, TINY

from algos.exceptions import InputError
from algos.experiments.config import check_config, load_config, read_yaml
from algos.experiments.methods import METHODS

SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
SOURCES = ROOT / "src"


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def config():
    return copy.deepcopy(TINY)


def check(config, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(config))
    return check_config(config, [file], SCHEMA, SOURCES)


# A config that is laid over another one.
OVER = {"ci.yaml": "config.yaml", "hamming_trees_rivals.yaml": "hamming_trees.yaml"}


@pytest.mark.parametrize("name", sorted({path.name for path in (ROOT / "config").glob("*.yaml")} - {"datasets.yaml"}))
def test_the_configs_of_the_repository_are_good(name, monkeypatch):
    for rival in ("lightgbm", "xgboost"):  # also where these packages are not installed
        monkeypatch.setitem(METHODS, rival, replace(METHODS[rival], requires=None))
    loaded = load_config([f"config/{file}" for file in (OVER.get(name), name) if file], SCHEMA, SOURCES)
    assert loaded.experiments
    assert set(loaded.datasets) == {d for e in loaded.experiments.values() for d in e.datasets}


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("figure", {}, "figure: unknown key 'figure'; the nearest valid name is 'figures'"),
        ("figures.dp", 3, "figures.dp: unknown key 'dp'; the nearest valid name is 'dpi'"),
        ("figures.dpi", "fine", "figures.dpi: 'fine' is not a whole number. Correct it."),
        ("data.mirors", [], "unknown key 'mirors'; the nearest valid name is 'mirrors'"),
        ("experiments.tiny.sed", 1, "experiments.tiny.sed: unknown key 'sed'; the nearest valid name is 'seed'"),
        ("experiments.tiny.seed", -1, "experiments.tiny.seed: -1 must be at least 0"),
        ("experiments.tiny.methods.svm_rbf.beside", "svm", "svm_rbf.beside: unknown method 'svm'; the nearest valid"),
        ("experiments.2nd", {}, "experiments: '2nd' may have letters, digits, _ and - only, and begins with a letter"),
        ("experiments.tiny.datasets", ["irs"], "datasets.0: unknown data set 'irs'; the nearest valid name is 'iris'"),
        (
            "experiments.tiny.dataset_aliases",
            {"wine": "wine"},
            "unknown data set 'wine'; the nearest valid name is 'wine_",
        ),
        ("experiments.tiny.protocol.kind", "kfold", "unknown kind 'kfold'; the nearest valid name is 'repeated_kfold'"),
        ("experiments.tiny.protocol.n_split", 3, "unknown key 'n_split'; the nearest valid name is 'n_splits'"),
        ("experiments.tiny.protocol", {"kind": "designated", "n_splits": 2}, "protocol.n_splits: unknown key"),
        ("experiments.tiny.protocol", {"n_splits": 2}, "protocol: the key 'kind' is missing"),
        ("experiments.tiny.reported", "table2", "unknown printed table 'table2'; the nearest valid name is '"),
        ("experiments.tiny.methods.svm_rfb", {}, "unknown method 'svm_rfb'; the nearest valid name is 'svm_rbf'"),
        ("experiments.tiny.methods.svm_rbf.gird", {}, "unknown key 'gird'; the nearest valid name is 'grid'"),
        (
            "experiments.tiny.methods.svm_rbf.grid.gama",
            [1],
            "unknown parameter of svm_rbf 'gama'; the nearest valid name is 'g",
        ),
        ("experiments.tiny.methods.svm_rbf.params", {"kernel": "poly"}, "unknown parameter of svm_rbf 'kernel'"),
        ("experiments.tiny.methods.svm_rbf.params", {"C": 1}, "grid.C: is fixed in 'params' and searched in 'grid'"),
        ("experiments.tiny.methods.svm_rbf.grid.C", [], "methods.svm_rbf.grid.C: is empty; list at least one entry"),
        (
            "experiments.tiny.methods.svm_rbf.preprocess.scale",
            "std",
            "unknown scale 'std'; the nearest valid name is 'standard'",
        ),
        ("experiments.tiny.methods.svm_rbf.folds_per_job", {"wine": 1}, "unknown data set 'wine'; the nearest valid"),
        (
            "experiments.tiny.methods.adaboost_mh_hamming_tree.grid.n_estimators",
            [10],
            "the number of rounds is chosen along the learning curve",
        ),
        ("experiments.tiny.datasets", "enron", "tiny.datasets: 'enron' is not a list; write [enron]"),
        ("experiments.tiny.datasets", [], "tiny.datasets: is empty; list at least one data set"),
        ("experiments.tiny.datasets", ["enron", "enron"], "tiny.datasets: 'enron' stands there twice; keep one"),
        ("experiments.tiny.label_noise", 100, "tiny.label_noise: 100 is not a list; write [100]"),
        ("experiments.tiny.label_noise", [120], "tiny.label_noise.0: 120 must be at most 100"),
        ("experiments.tiny.methods", None, "tiny.methods: is empty; list at least one method"),
        ("experiments.tiny.methods", {}, "tiny.methods: is empty; list at least one method"),
        (
            "experiments.tiny.methods",
            ["svm_rbf"],
            "['svm_rbf'] is not 'key: value' lines; write a line for each method, such as svm_rbf: {}",
        ),
        (
            "experiments.tiny.methods.svm_rbf",
            None,
            "svm_rbf: is empty; write svm_rbf: {} where there is",
        ),
        ("experiments.tiny.methods.svm_rbf.folds_per_job", 0, "0 must be a whole number of 1 or more, or one for each"),
        ("experiments.tiny.methods.svm_rbf.sweep", {"C": [2]}, "sweep.C: has 1 of what must be at least 2"),
        ("experiments.tiny.seed", "3", "tiny.seed: '3' is not a whole number. Write 3 without quotes."),
        ("experiments.tiny.title", 3, "tiny.title: 3 is not text; put it in quotes"),
        ("experiments.tiny.compare", [["svm_rbf"]], "compare.0: has 1 of what must be at least 2"),
        ("figures.colors", ["red"], "figures.colors.0: 'red' is no colour; write one like '#0072B2'"),
        ("experiments.tiny.reported", "xyz", "unknown printed table 'xyz'; valid names are hamming_trees_table1, "),
        ("experiments.tiny.datasets", ["zzzz"], "valid names the nearest are"),
        (
            "experiments.tiny.methods.svm_rbf.printed_as",
            "SVM (Gausian kernel)",
            "unknown method of hamming_trees_table2 'SVM (Gausian kernel)'; the nearest valid name is 'SVM (Gaussian",
        ),
        ("experiments.wine_sklearn", TINY["experiments"]["tiny"], "the name 'wine_sklearn' is a data set"),
        ("experiments.tables", TINY["experiments"]["tiny"], "the name 'tables' is a target of its own"),
    ],
)
def test_a_mistake_is_one_sentence_with_file_place_and_nearest_name(config, tmp_path, path, value, sentence):
    *parents, last = path.split(".")
    section = config
    for key in parents:
        section = section.setdefault(key, {})
    section[last] = value
    if path == "experiments.tiny.dataset_aliases":
        section["reported"] = None
    with pytest.raises(InputError) as caught:
        check(config, tmp_path)
    message = str(caught.value)
    assert sentence in message
    assert message.startswith(f"{tmp_path}/mine.yaml: ")
    assert "\n" not in message


def test_a_publishing_experiment_has_a_table_of_its_own(config, tmp_path):
    tiny = config["experiments"]["tiny"]
    tiny["publish"] = True
    assert check(config, tmp_path).experiments["tiny"].publish == "hamming_trees_table2"
    config["experiments"]["again"] = dict(tiny)
    with pytest.raises(InputError, match=r"experiments\.again\.publish: tiny publishes hamming_trees_table2 already"):
        check(config, tmp_path)
    tiny["publish"] = "hamming_trees_table1"
    with pytest.raises(InputError, match="hamming_trees_table1 is a printed table, which this experiment does"):
        check(config, tmp_path)
    tiny["publish"] = "stand_ins"
    assert check(config, tmp_path).experiments["tiny"].publish == "stand_ins"
    tiny.update(publish=True, reported=None)
    with pytest.raises(InputError, match="true needs a printed table in 'reported'"):
        check(config, tmp_path)


def test_a_mistake_is_shown_in_the_file_it_stands_in(config, tmp_path):
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text(yaml.safe_dump(config))
    second.write_text("figures: {dpy: 3}\n")
    with pytest.raises(InputError, match=r"second\.yaml: figures\.dpy: unknown key"):
        load_config([first, second], SCHEMA, SOURCES)
    second.write_text("figures: {dpi: 99}\n")
    assert load_config([first, second], SCHEMA, SOURCES).figures == {"dpi": 99}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"a: 1\nb: 2\na: 3\n", "line 1: the key 'a' stands twice"),
        (b"a: [1\n", "not valid YAML"),
        (b"- 1\n", "holds no 'key: value' lines"),
        (b"", "holds no 'key: value' lines"),
        (b"a: \xff\n", "is not UTF-8 text"),
        (b"a: &a {x: 1}\nb: {<<: *a, y: 2}\n", "line 2: '<<' is not taken here; write the keys out"),
    ],
)
def test_a_file_that_is_no_config(tmp_path, text, sentence):
    (tmp_path / "c.yaml").write_bytes(text)
    with pytest.raises(InputError, match=sentence):
        read_yaml(tmp_path / "c.yaml")
    with pytest.raises(InputError, match="there is no file"):
        read_yaml(tmp_path / "other.yaml")


@pytest.mark.parametrize(
    ("protocol", "names"),
    [
        ({"kind": "repeated_kfold", "n_splits": 2, "n_repeats": 2}, ["r0f0", "r0f1", "r1f0", "r1f1"]),
        ({"kind": "random_percentage", "test_percent": 30, "n_repeats": 2}, ["s0", "s1"]),
        ({"kind": "repeated_grouped", "n_repeats": 3}, ["s0", "s1", "s2"]),
    ],
)
def test_fold_names_follow_from_the_protocol_alone(config, tmp_path, protocol, names):
    config["experiments"]["tiny"]["protocol"] = protocol
    assert check(config, tmp_path).experiments["tiny"].fold_names() == names


def test_folds_are_parted_into_jobs_as_told(config, tmp_path):
    experiment = check(config, tmp_path).experiments["tiny"]
    assert experiment.chunks("iris_sklearn", "adaboost_mh_hamming_tree") == [["r0f0", "r0f1"], ["r0f2"]]
    assert experiment.chunks("wine_sklearn", "adaboost_mh_hamming_tree") == [["r0f0"], ["r0f1"], ["r0f2"]]
    assert experiment.chunks("iris_sklearn", "svm_rbf") == [["r0f0", "r0f1", "r0f2"]]


def test_what_folds_depend_on_leaves_out_how_they_are_parted(config, tmp_path):
    before = check(config, tmp_path).experiments["tiny"].training("iris_sklearn", "svm_rbf")
    declared = config["experiments"]["tiny"]
    declared.update(title="other", paper="other")
    declared["methods"]["svm_rbf"].update(folds_per_job=1, resources={"mem_mb": 1})
    assert check(config, tmp_path).experiments["tiny"].training("iris_sklearn", "svm_rbf") == before
    declared["seed"] += 1
    assert check(config, tmp_path).experiments["tiny"].training("iris_sklearn", "svm_rbf") != before


def test_remarks_belong_to_a_data_set_and_method_of_the_experiment(config, tmp_path):
    declared = config["experiments"]["tiny"]
    declared["remarks"] = {"iris_sklearn": {"svm_rbf": "Why."}}
    assert check(config, tmp_path).experiments["tiny"].remarks == declared["remarks"]
    declared["remarks"] = {"iris_sklern": {"svm_rbf": "Why."}}
    with pytest.raises(InputError, match="unknown data set 'iris_sklern'; the nearest valid name is 'iris_sklearn'"):
        check(config, tmp_path)
    declared["remarks"] = {"iris_sklearn": {"svm": "Why."}}
    with pytest.raises(InputError, match="unknown method 'svm'; the nearest valid name is 'svm_rbf'"):
        check(config, tmp_path)


def test_a_data_set_can_have_params_and_grid_of_its_own(config, tmp_path):
    method = config["experiments"]["tiny"]["methods"]["svm_rbf"]
    method["per_dataset"] = {"iris_sklearn": {"params": {"shrinking": False}, "grid": {"gamma": [3.0]}}}
    experiment = check(config, tmp_path).experiments["tiny"]
    here, elsewhere = (experiment.training(name, "svm_rbf") for name in ("iris_sklearn", "wine_sklearn"))
    assert here["params"] == {**elsewhere["params"], "shrinking": False}
    assert here["grid"] == {**elsewhere["grid"], "gamma": [3.0]}
    method["per_dataset"] = {"irsi_sklearn": {}}
    with pytest.raises(InputError, match=r"per_dataset.irsi_sklearn: unknown data set .* is 'iris_sklearn'"):
        check(config, tmp_path)
    method["per_dataset"] = {"iris_sklearn": {"params": {"gama": 1}}}
    with pytest.raises(InputError, match=r"iris_sklearn.params.gama: unknown parameter .* is 'gamma'"):
        check(config, tmp_path)
    key = next(iter(method["grid"]))
    method["per_dataset"] = {"iris_sklearn": {"params": {key: 1}}}
    with pytest.raises(InputError, match="is fixed in 'params' and searched in 'grid'"):
        check(config, tmp_path)


def test_folds_that_choose_can_be_set_for_a_method_and_for_a_data_set(config, tmp_path):
    methods = config["experiments"]["tiny"]["methods"]
    svm = methods["svm_rbf"]
    svm["selection"] = {"n_folds": 4}
    svm["per_dataset"] = {"iris_sklearn": {"selection": {"n_folds": 0}, "grid": {"C": [1]}}}
    experiment = check(config, tmp_path).experiments["tiny"]
    folds = [experiment.training(d, m)["n_selection_folds"] for d in experiment.datasets for m in methods]
    assert folds == [2, 0, 2, 4]
    svm["per_dataset"]["iris_sklearn"].pop("grid")
    with pytest.raises(InputError, match=r"svm_rbf: on iris_sklearn selection.n_folds is 0, .* several values of 'C'"):
        check(config, tmp_path)
    svm.update(selection={"n_folds": 1}, per_dataset={})
    with pytest.raises(InputError, match=r"on iris_sklearn selection.n_folds is 1, .* at least 2"):
        check(config, tmp_path)


def test_a_method_can_have_variants_with_a_name_and_a_label_of_their_own(config, tmp_path):
    methods = config["experiments"]["tiny"]["methods"]
    methods["small_trees"] = {"method": "adaboost_mh_hamming_tree", "params": {"n_inner_nodes": 1}}
    methods["large_trees"] = {**methods["small_trees"], "label": "Large", "printed_as": "SVM (Gaussian kernel)"}
    del methods["svm_rbf"]
    methods["adaboost_mh_hamming_tree"]["label"] = "Trees"
    experiment = check(config, tmp_path).experiments["tiny"]
    shown = {name: settings.method for name, settings in experiment.methods.items()}
    assert shown["adaboost_mh_hamming_tree"].label == "Trees"
    assert shown["adaboost_mh_hamming_tree"].printed_labels == ("ADABOOST.MH w Hamming trees",)
    assert shown["small_trees"].label == "AdaBoost.MH, Hamming trees (small_trees)"
    assert shown["small_trees"].printed_labels == ()
    assert (shown["large_trees"].label, *shown["large_trees"].printed_labels) == (
        "Large",
        methods["large_trees"]["printed_as"],
    )
    trained = experiment.training("iris_sklearn", "small_trees")
    assert (trained["method"], trained["registered"]) == ("small_trees", "adaboost_mh_hamming_tree")
    methods["mart"] = methods.pop("large_trees")
    with pytest.raises(InputError, match=r"methods.mart: mart is a registered method; give your variant of .* own"):
        check(config, tmp_path)
    methods["mine"] = methods.pop("mart") | {"method": "marrt"}
    with pytest.raises(InputError, match=r"methods.mine.method: unknown method 'marrt'; the nearest .* is 'mart'"):
        check(config, tmp_path)


def test_a_swept_parameter_makes_a_method_of_each_value(config, tmp_path):
    methods = config["experiments"]["tiny"]["methods"]
    methods["svm_rbf"] = {"sweep": {"C": [0.5, 1, 10]}, "params": {"gamma": 0.1}}
    experiment = check(config, tmp_path).experiments["tiny"]
    assert list(experiment.methods)[1:] == ["svm_rbf_C_0_5", "svm_rbf_C_1", "svm_rbf_C_10"]
    swept = experiment.methods["svm_rbf_C_0_5"]
    assert swept.params == {"gamma": 0.1, "C": 0.5}
    assert swept.swept == ("SVM, Gaussian kernel", "C", 0.5)
    assert swept.method.label == "SVM, Gaussian kernel, C = 0.5"
    methods["svm_rbf"]["grid"] = {"C": [1, 2]}
    with pytest.raises(InputError, match=r"methods.svm_rbf.grid.C: is swept in 'sweep' too; keep one"):
        check(config, tmp_path)
    methods["svm_rbf"] = {"sweep": {"c": [1, 2]}}
    with pytest.raises(InputError, match=r"methods.svm_rbf.sweep.c: unknown parameter of svm_rbf 'c'"):
        check(config, tmp_path)
    methods["svm_rbf"] = {"sweep": {"C": [1, -2]}}
    with pytest.raises(InputError, match=r"methods.svm_rbf.sweep.C: The 'C' parameter of SVC .* Got -2"):
        check(config, tmp_path)
    methods["svm_rbf"] = {"sweep": {"C": [1, 2]}, "selection": {"n_folds": 1}}
    with pytest.raises(InputError, match=r"methods.svm_rbf: on iris_sklearn selection.n_folds is 1"):
        check(config, tmp_path)
    methods["svm_rbf"] = {"sweep": {"C": ["a", 2]}}
    with pytest.raises(InputError, match=r"svm_rbf.sweep.C.0: 'a' is not a number"):
        check(config, tmp_path)


def test_label_noise_makes_a_case_of_each_data_set_and_level(config, tmp_path):
    declared = config["experiments"]["tiny"]
    declared.update(label_noise=[0, 7.5], protocol={"kind": "train_validation_test", "percent": [50, 20, 30]})
    declared["methods"]["svm_rbf"]["per_dataset"] = {"iris_sklearn": {"grid": {"C": [3]}}}
    declared["selection"] = {"stopping": "least", "min_rounds": 9}
    experiment = check(config, tmp_path).experiments["tiny"]
    assert list(experiment.cases) == [f"{d}_noise{s}" for d in ("iris_sklearn", "wine_sklearn") for s in ("0", "7_5")]
    assert experiment.cases["wine_sklearn_noise7_5"].label_noise == 7.5
    assert experiment.fold_names() == [f"s{i}" for i in range(5)]
    trained = experiment.training("iris_sklearn_noise7_5", "svm_rbf")
    assert (trained["dataset"], trained["grid"]) == ("iris_sklearn_noise7_5", {"C": [3]})
    assert (trained["stopping"], trained["min_rounds"]) == ("least", 9)
    assert experiment.folds_per_job("wine_sklearn_noise0", "adaboost_mh_hamming_tree") == 1
    declared["protocol"] = {"kind": "random_percentage"}
    declared["datasets"] = ["yeast"]
    declared["methods"] = {"leml": {}}
    del declared["dataset_aliases"]
    with pytest.raises(InputError, match=r"tiny.label_noise: noise on labels is made for data with one label"):
        check(config, tmp_path)


def test_a_mistake_in_a_users_own_data_set_is_shown_with_its_file(config, tmp_path):
    config["data"] = {"datasets": {"mine": {"reader": "csv", "files": ["mine.csv"], "targt": "class"}}}
    with pytest.raises(InputError, match=r"\.yaml: data\.datasets: mine.*'targt'"):
        check(config, tmp_path)


def test_a_users_own_data_set_joins_by_five_lines(config, tmp_path):
    config["data"] = {"datasets": {"mine": {"reader": "csv", "files": ["mine.csv"], "target": "class"}}}
    config["experiments"]["tiny"]["datasets"].append("mine")
    with pytest.raises(InputError, match=r"data.datasets.mine.files: there is no file"):
        check(config, tmp_path)
    file = tmp_path / "mine.csv"
    file.write_text("x,class\n1,a\n2,b\n")
    config["data"]["datasets"]["mine"]["files"] = [str(file.with_name("mien.csv"))]
    with pytest.raises(InputError, match=r"mien.csv'; did you mean '.*mine.csv'"):
        check(config, tmp_path)
    config["data"]["datasets"]["mine"]["files"] = [str(file)]
    assert check(config, tmp_path).datasets["mine"]["reader"] == "csv"


@pytest.mark.parametrize(
    ("method", "part", "key", "value", "sentence"),
    [
        (
            "adaboost_mh_hamming_tree",
            "params",
            "n_estimators",
            "60",
            r"params.n_estimators: .* Write 60 without quotes",
        ),
        ("svm_rbf", "grid", "C", ["1e-7"], r"grid.C.0: .* Write 1.0e-07: YAML takes 1e-7 for text"),
        ("svm_rbf", "grid", "C", ["0.5"], r"grid.C.0: .* Write 0.5 without quotes"),
        (
            "adaboost_mh_hamming_tree",
            "params",
            "n_estimators",
            -5,
            r"params.n_estimators: The 'n_estimators' parameter",
        ),
        ("adaboost_mh_hamming_tree", "params", "n_estimators", True, r"params.n_estimators: True is no number"),
        ("adaboost_mh_hamming_tree", "grid", "n_inner_nodes", [1, None], r"grid.n_inner_nodes.1: .* Got None"),
        ("adaboost_mh_hamming_tree", "grid", "n_inner_nodes", [1.5], r"grid.n_inner_nodes.0: .* Got 1.5"),
        ("svm_rbf", "grid", "C", [1, -1], r"grid.C.1: The 'C' parameter of SVC .* Got -1"),
        ("svm_rbf", "grid", "C", ["1e-3"], r"grid.C.0: .* Write 0.001: YAML takes 1e-3 for text"),
    ],
)
def test_values_an_estimator_would_refuse_are_refused_before_any_job(
    config, tmp_path, method, part, key, value, sentence
):
    settings = config["experiments"]["tiny"]["methods"][method]
    settings.setdefault(part, {})[key] = value
    with pytest.raises(InputError, match=sentence):
        check(config, tmp_path)
    del settings[part][key]
    settings["per_dataset"] = {"iris_sklearn": {part: {key: value}}}
    with pytest.raises(InputError, match="per_dataset.iris_sklearn." + sentence):
        check(config, tmp_path)


def test_binary_methods_are_refused_for_data_known_to_have_more_classes(config, tmp_path):
    methods = config["experiments"]["tiny"]["methods"]
    methods["logitboost_binary_exclusion"] = {"grid": {"fraction": [0.1, 0.2]}}
    with pytest.raises(InputError, match=r"logitboost_binary_exclusion: .* is for two classes, and iris_sklearn has 3"):
        check(config, tmp_path)


def test_a_path_of_values_takes_no_word_that_chooses(config, tmp_path):
    tiny = config["experiments"]["tiny"]
    tiny.update(datasets=["digits_odd"], dataset_aliases={})
    tiny["methods"] = {"logitboost_binary_exclusion": {"grid": {"fraction": [0.1, "cv"]}}}
    with pytest.raises(InputError, match=r"grid.fraction.1: 'cv' chooses inside the fit; write it in params"):
        check(config, tmp_path)


def test_values_found_good_are_not_checked_again(config, tmp_path, monkeypatch):
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(config))
    check_config(config, [file], SCHEMA, SOURCES, tmp_path / "checked")
    monkeypatch.setattr("algos.experiments.config.validate_value", None)
    check_config(config, [file], SCHEMA, SOURCES, tmp_path / "checked")
    config["experiments"]["tiny"]["methods"]["svm_rbf"]["grid"]["C"] = [-1]
    with pytest.raises(TypeError):
        check_config(config, [file], SCHEMA, SOURCES, tmp_path / "checked")


def test_measures_and_methods_must_fit_the_data(config, tmp_path):
    tiny = config["experiments"]["tiny"]
    assert check(config, tmp_path).experiments["tiny"].metrics == ("test_error",)
    tiny["metrics"] = ["test_eror"]
    with pytest.raises(InputError, match=r"unknown measure of single-label data 'test_eror'; .* 'test_error'"):
        check(config, tmp_path)
    del tiny["metrics"]
    tiny["selection"] = {"metric": "macro_auc"}
    with pytest.raises(InputError, match=r"selection.metric: macro_auc measures multi-label data, and these are"):
        check(config, tmp_path)
    del tiny["selection"]
    tiny.update(datasets=["iris_sklearn", "enron"], dataset_aliases={})
    with pytest.raises(InputError, match="enron is multi-label and iris_sklearn is single-label"):
        check(config, tmp_path)
    tiny.update(datasets=["enron"], methods={"svm_rbf": {}})
    with pytest.raises(InputError, match=r"methods.svm_rbf: svm_rbf is not for multi-label data; valid .*leml"):
        check(config, tmp_path)
    tiny.update(methods={"leml": {}}, metrics=["one_error", "coverage"], selection={"metric": "macro_auc"})
    experiment = check(config, tmp_path).experiments["tiny"]
    assert experiment.training("enron", "leml")["metrics"] == ["one_error", "coverage"]
    assert experiment.training("enron", "leml")["selection_metric"] == "macro_auc"


def test_a_method_whose_package_is_missing_says_which(config, tmp_path, monkeypatch):
    config["experiments"]["tiny"]["methods"]["lightgbm"] = {}
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "lightgbm" else find(name))
    with pytest.raises(InputError, match=r"methods.lightgbm: needs the package lightgbm, .*: pip install 'algos"):
        check(config, tmp_path)


def test_an_alias_must_be_a_data_set_of_the_print(config, tmp_path):
    config["experiments"]["tiny"].update(reported="hamming_trees_table2", dataset_aliases={"iris_sklearn": "irs"})
    with pytest.raises(InputError, match=r"iris_sklearn: unknown data set of hamming_trees_table2 'irs'.* is 'iris'"):
        check(config, tmp_path)


def test_no_module_of_the_library_imports_the_workflow():
    for path in (ROOT / "src").rglob("*.py"):
        assert "import snakemake" not in path.read_text()
        assert "from snakemake" not in path.read_text()


def test_scripts_are_thin():
    scripts = sorted((ROOT / "workflow/scripts").glob("*.py"))
    assert scripts
    for path in scripts:
        lines = path.read_text().splitlines()
        assert len(lines) < 30, path
        assert not [line for line in lines if line.lstrip().startswith("if ")], path


def test_each_rule_has_its_script_log_benchmark_and_resources():
    rules = [path.read_text() for path in Path("workflow/rules").glob("*.smk")]
    with_script = [text for text in rules if "script:" in text]
    assert len(with_script) == 10
    for text in with_script:
        for directive in ("log:", "benchmark:", "message:", "resources:", "threads: 1", "mem_mb", "runtime"):
            assert directive in text


def test_a_config_can_be_looked_at_before_snakemake_reads_it(tmp_path):
    def look(text):
        file = tmp_path / "c.yaml"
        file.write_text(text)
        command = [sys.executable, "-m", "algos.yamlfile", str(file)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert look("a: 1\n").returncode == 0
    broken = look("a: [1,\n")
    assert broken.returncode == 1
    assert broken.stderr.startswith(f"Error: {tmp_path / 'c.yaml'}, line 2: not valid YAML")
    assert "Traceback" not in broken.stderr


def test_pairs_to_compare_are_methods_of_the_experiment(config, tmp_path):
    declared = config["experiments"]["tiny"]
    declared["compare"] = [["svm_rbf", "adaboost_mh_hamming_tree"]]
    assert check(config, tmp_path).experiments["tiny"].compare == (("svm_rbf", "adaboost_mh_hamming_tree"),)
    declared["compare"] = [["svm_rbf", "adaboost_mh_haming_tree"]]
    with pytest.raises(
        InputError, match=r"compare.0.1: unknown method of this experiment .* 'adaboost_mh_hamming_tree'"
    ):
        check(config, tmp_path)


def test_a_pair_is_compared_once(config, tmp_path):
    pair = ["svm_rbf", "adaboost_mh_hamming_tree"]
    config["experiments"]["tiny"]["compare"] = [pair, pair[::-1]]
    with pytest.raises(InputError, match=r"compare.1: adaboost_mh_hamming_tree and svm_rbf are compared by entry 0"):
        check(config, tmp_path)


def test_what_no_data_can_change_is_refused_before_data_are_read(config, tmp_path):
    tiny = config["experiments"]["tiny"]
    tiny["protocol"] = {"kind": "designated"}
    with pytest.raises(InputError, match=r"tiny.protocol.kind: iris_sklearn has no designated test set; take another"):
        check(config, tmp_path)
    tiny.update(datasets=["pendigits"], dataset_aliases={}, reported=None)
    tiny["methods"]["adaboost_mh_hamming_tree"].pop("folds_per_job")
    config["data"] = {"directory": str(tmp_path / "raw"), "mirrors": ["https://a.invalid", str(tmp_path / "absent")]}
    with pytest.raises(InputError, match=r"data.mirrors.1: there is no folder '.*absent'"):
        check(config, tmp_path)
    (tmp_path / "absent").mkdir()
    assert check(config, tmp_path)


def test_a_config_without_experiments_is_told_how_to_change_another(tmp_path):
    with pytest.raises(InputError, match=r"'experiments' is missing, .*--configfile config/config.yaml <this file>"):
        check({"data": {"mirrors": []}}, tmp_path)


def test_images_need_a_pyramid_and_only_images_have_one(config, tmp_path):
    declared = config["experiments"]["tiny"]
    declared["features"] = {"spatial_pyramid": {}}
    with pytest.raises(InputError, match=r"features.spatial_pyramid: no data set of this experiment holds images"):
        check(config, tmp_path)
    declared["datasets"].append("caltech101_20_standin")
    del declared["dataset_aliases"], declared["reported"]
    declared["features"] = {"spatial_pyramid": {"n_wods": 9}}
    with pytest.raises(InputError, match=r"spatial_pyramid.n_wods: unknown parameter .* is 'n_words'"):
        check(config, tmp_path)
    declared["features"] = {"pca": {"n_components": 4}}
    with pytest.raises(InputError, match=r"features: caltech101_20_standin holds images; say 'spatial_pyramid: \{\}'"):
        check(config, tmp_path)
    declared.update(datasets=["voc2007"], methods={"leml": {}})
    with pytest.raises(InputError, match=r"features: voc2007 holds images"):
        check(config, tmp_path)
    declared["features"]["spatial_pyramid"] = {"n_words": 9}
    features = check(config, tmp_path).experiments["tiny"].features
    assert features == {"pca": {"n_components": 4}, "spatial_pyramid": {"n_words": 9}}
    declared["features"]["normalise"] = "l2"
    with pytest.raises(InputError, match=r"features.normalise: all data sets hold images; say"):
        check(config, tmp_path)


def test_methods_that_could_not_be_told_apart_are_refused(config, tmp_path):
    methods = config["experiments"]["tiny"]["methods"]
    methods["mine"] = {"method": "svm_rbf", "label": "SVM, Gaussian kernel"}
    with pytest.raises(InputError, match=r"methods.mine: has the label 'SVM, Gaussian kernel' of svm_rbf"):
        check(config, tmp_path)
    methods["mine"] = {"method": "svm_rbf", "printed_as": "SVM (Gaussian kernel)"}
    with pytest.raises(
        InputError, match=r"methods.mine: stands beside the printed 'SVM \(Gaussian kernel\)', as svm_rbf"
    ):
        check(config, tmp_path)
    methods["svm_rbf"] = {"sweep": {"C": [1, 10]}}
    methods["svm_rbf_C_1"] = methods.pop("mine")
    with pytest.raises(InputError, match=r"svm_rbf.sweep.C: two methods would be called svm_rbf_C_1"):
        check(config, tmp_path)
    del methods["svm_rbf_C_1"]
    methods["svm_rbf"]["sweep"]["C"] = [1.00000001, 1.00000002]
    with pytest.raises(InputError, match=r"svm_rbf.sweep.C: two methods would be called svm_rbf_C_1"):
        check(config, tmp_path)


def test_parts_must_add_up_and_levels_of_noise_have_names_of_their_own(config, tmp_path):
    declared = config["experiments"]["tiny"]
    declared["protocol"] = {"kind": "train_validation_test", "percent": [50, 20, 20]}
    with pytest.raises(InputError, match=r"protocol.percent: \[50, 20, 20\] must have the sum 100"):
        check(config, tmp_path)
    declared["protocol"].pop("percent")
    declared["label_noise"] = [1.0000001, 1.0000002]
    with pytest.raises(InputError, match=r"label_noise: two levels would have one name"):
        check(config, tmp_path)
    del declared["label_noise"], declared["dataset_aliases"]
    declared.update(datasets=["yeast"], methods={"leml": {}})
    with pytest.raises(InputError, match=r"protocol.kind: train_validation_test parts each class"):
        check(config, tmp_path)
