"""What reruns after which change, asked of Snakemake itself on a finished run."""

import copy
import os
import time

import pytest
from workflow_copy import TINY, WorkflowCopy

pytestmark = pytest.mark.slow

TREES = {
    # two folds a job on iris, one on wine: three jobs of one rule
    "train_tiny_iris_sklearn_adaboost_mh_hamming_tree_r0f0": 1,
    "train_tiny_iris_sklearn_adaboost_mh_hamming_tree_r0f2": 1,
    "train_tiny_wine_sklearn_adaboost_mh_hamming_tree_fold": 3,
}
SVM = {"train_tiny_iris_sklearn_svm_rbf_r0f0": 1, "train_tiny_wine_sklearn_svm_rbf_r0f0": 1}
FIGURES = {"draw_figures": 1, "write_report": 1}
RESULTS = {"write_tables": 1, **FIGURES}
METHOD_MODULE = "src/algos/multiclass/adaboost_mh.py"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    workflow = WorkflowCopy.make(tmp_path_factory.mktemp("workflow") / "finished", TINY)
    assert workflow.planned() == {"make_features": 2, "make_splits": 2, **TREES, **SVM, **RESULTS}
    workflow.run()
    return workflow


@pytest.fixture
def workflow(finished, tmp_path):
    return finished.twin(tmp_path / "twin")


@pytest.fixture
def config():
    return copy.deepcopy(TINY)


def test_a_finished_run_has_nothing_left_to_do_or_lying_about(finished):
    assert finished.planned() == {}
    assert not list((finished.folder / "results").rglob(".*.part*"))
    assert not [path for path in (finished.folder / "results/.unfinished").rglob("*") if path.is_file()]


def test_touching_without_changing_reruns_nothing(workflow):
    later = time.time() + 60
    for pattern in (
        "src/**/*.py",
        "src/**/*.cpp",
        "config/**/*",
        "config.yaml",
        "results/features/*",
        "results/splits/*/*",
    ):
        for path in workflow.folder.glob(pattern):
            os.utime(path, (later, later))
    assert workflow.planned() == {}


@pytest.mark.parametrize("source", [METHOD_MODULE, "src/algos/_kernels/hamming_search.cpp"])
def test_editing_one_methods_sources_reruns_its_folds_and_their_dependants_only(workflow, source):
    path = workflow.folder / source
    original = path.read_text()
    path.write_text(original + "\n")
    assert workflow.planned() == {**TREES, **RESULTS}
    path.write_text(original)
    assert workflow.planned() == {}


def test_editing_selection_reruns_all_folds(workflow):
    workflow.edit("src/algos/evaluation/selection.py", '"""', '"""\n')
    assert workflow.planned() == {**TREES, **SVM, **RESULTS}


def test_editing_the_registry_of_methods_reruns_no_other_method(workflow):
    workflow.edit("src/algos/experiments/methods.py", '"""', '"""\n')
    assert workflow.planned() == {}


def test_changing_one_data_sets_entry_reruns_that_set_only(workflow):
    workflow.edit("config/datasets.yaml", "note: The same rows as wine.", "note: The rows of wine.")
    expected = {name: count for name, count in {**TREES, **SVM}.items() if "wine_sklearn" in name}
    assert workflow.planned() == {"make_features": 1, "make_splits": 1, **expected, **RESULTS}


def test_changing_the_look_of_figures_reruns_figures_and_the_page_that_shows_them(workflow, config):
    config["figures"] = {"font_size": 9}
    workflow.write_config(config)
    assert workflow.planned() == FIGURES


def test_changing_a_title_reruns_no_fold(workflow, config):
    config["experiments"]["tiny"]["title"] = "Two other small sets"
    workflow.write_config(config)
    assert workflow.planned() == RESULTS


def test_changing_a_methods_grid_reruns_that_methods_folds(workflow, config):
    config["experiments"]["tiny"]["methods"]["svm_rbf"]["grid"]["C"].append(100)
    workflow.write_config(config)
    assert workflow.planned() == {**SVM, **RESULTS}


def test_parting_folds_into_other_jobs_and_resources_rerun_no_fold(workflow, config):
    methods = config["experiments"]["tiny"]["methods"]
    methods["adaboost_mh_hamming_tree"]["folds_per_job"] = 3
    methods["svm_rbf"].update(folds_per_job=1, resources={"mem_mb": 9000})
    workflow.write_config(config)
    assert workflow.planned("tables", "figures") == {}


def test_reordering_a_config_reruns_no_fold(workflow, config):
    experiment = config["experiments"]["tiny"]
    experiment["methods"]["svm_rbf"] = dict(reversed(experiment["methods"]["svm_rbf"].items()))
    config["experiments"]["tiny"] = dict(reversed(experiment.items()))
    workflow.write_config(config)
    assert workflow.planned("tables", "figures") == {}


def test_targets_ask_for_what_their_names_say(tmp_path, config):
    config["experiments"]["other"] = copy.deepcopy(config["experiments"]["tiny"])
    config["experiments"]["other"].update(datasets=["wdbc_sklearn"], dataset_aliases={}, methods={"svm_rbf": {}})
    workflow = WorkflowCopy.make(tmp_path / "fresh", config)
    assert workflow.planned("data") == {"make_features": 3}
    iris = {name: count for name, count in {**TREES, **SVM}.items() if "iris_sklearn" in name}
    assert workflow.planned("iris_sklearn") == {"make_features": 1, "make_splits": 1, **iris}
    tiny = {"make_features": 2, "make_splits": 2, **TREES, **SVM, "write_tables": 1}
    assert workflow.planned("tiny") == {**tiny, "draw_figures": 1}
    assert workflow.planned("tables")["write_tables"] == 2
    assert "draw_figures" not in workflow.planned("tables")
    assert workflow.planned("figures")["draw_figures"] == 2
    assert workflow.planned("report") == workflow.planned()
    assert workflow.planned("publish") == {}
