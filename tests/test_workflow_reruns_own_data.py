"""What reruns on a user's own data: their file, the print, the measures, the reader, a package."""

import csv
import os

import pytest
from sklearn.datasets import load_iris
from workflow_copy import WorkflowCopy

pytestmark = pytest.mark.slow

RESULTS = {"write_tables": 1, "draw_figures": 1, "write_report": 1}
FOLDS = {"train_own_mine_svm_rbf_r0f0": 1, **RESULTS}
DATA = {"make_features": 1, "make_splits": 1, **FOLDS}


def config_of(file):
    return {
        "data": {"datasets": {"mine": {"reader": "csv", "files": [str(file)], "target": "kind"}}},
        "experiments": {
            "own": {
                "title": "Own data",
                "datasets": ["mine"],
                "protocol": {"kind": "repeated_kfold", "n_splits": 2},
                "selection": {"n_folds": 2},
                "seed": 1,
                "reported": "hamming_trees_table2",
                "dataset_aliases": {"mine": "iris"},
                "methods": {"svm_rbf": {"grid": {"C": [1, 10]}}},
            }
        },
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("workflow")
    with open(folder / "mine.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["a", "b", "c", "d", "kind"])
        rows.writerows([*x, f"kind{y}"] for x, y in zip(*load_iris(return_X_y=True), strict=True))
    workflow = WorkflowCopy.make(folder / "finished", config_of(folder / "mine.csv"))
    assert workflow.planned() == DATA
    workflow.run()
    assert workflow.planned() == {}
    return workflow


@pytest.fixture
def workflow(finished, tmp_path):
    return finished.twin(tmp_path / "twin")


def test_a_changed_data_file_reruns_all_that_hangs_on_it(workflow, finished):
    file = finished.folder.parent / "mine.csv"
    original = file.read_bytes()
    try:
        file.write_bytes(original.replace(b"5.1", b"5.2", 1))
        assert workflow.planned() == DATA
    finally:
        file.write_bytes(original)
    assert workflow.planned() == {}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("src/algos/datasets/readers/delimited.py", DATA),
        ("src/algos/datasets/readers/arff.py", {}),
        ("src/algos/evaluation/splits.py", {"make_splits": 1, **FOLDS}),
        ("src/algos/evaluation/metrics.py", FOLDS),
        ("src/algos/evaluation/preprocessing.py", FOLDS),
        ("src/algos/multilabel/leml.py", {}),
        ("src/algos/_kernels/svm_plus_labels.cpp", {}),
        ("src/algos/evaluation/statistics.py", RESULTS),
        ("src/algos/experiments/tables.py", RESULTS),
        ("src/algos/experiments/figures.py", {"draw_figures": 1, "write_report": 1}),
        ("src/algos/experiments/templates/report.html.j2", {"write_report": 1}),
        ("config/reported/hamming_trees_table2.csv", RESULTS),
    ],
)
def test_an_edited_source_reruns_what_depends_on_it(workflow, source, expected):
    path = workflow.folder / source
    path.write_text(path.read_text() + "\n")
    assert workflow.planned() == expected


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("seed", 2, {"make_splits": 1, **FOLDS}),
        ("selection", {"n_folds": 3}, FOLDS),
        ("protocol", {"kind": "repeated_kfold", "n_splits": 2, "n_repeats": 2}, {"make_splits": 1, **FOLDS}),
        ("remarks", {"mine": {"svm_rbf": "Ours alone."}}, RESULTS),
    ],
)
def test_a_changed_setting_reruns_what_depends_on_it(workflow, finished, key, value, expected):
    config = config_of(finished.folder.parent / "mine.csv")
    config["experiments"]["own"][key] = value
    workflow.write_config(config)
    assert workflow.planned() == expected


def test_another_version_of_a_package_reruns_nothing(workflow, tmp_path):
    """Runs keep the version that made them, and the table `versions` shows it."""
    other = tmp_path / "packages/numpy-99.0.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 99.0\n")
    environment = dict(os.environ, PYTHONPATH=str(other.parent))
    assert workflow.planned(environment=environment) == {}
    assert "99.0" not in (workflow.folder / "results/tables/own/versions.csv").read_text()
