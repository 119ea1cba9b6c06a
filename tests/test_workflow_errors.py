"""A user's mistakes, seen as a user sees them: one sentence and no stack trace."""

import copy
import re

import pytest
from workflow_copy import TINY, WorkflowCopy

pytestmark = pytest.mark.slow


@pytest.fixture
def config():
    return copy.deepcopy(TINY)


def failed_output(workflow: WorkflowCopy, *arguments: str) -> str:
    done = workflow.snakemake(*arguments, "--cores", "1")
    assert done.returncode == 1
    assert "Traceback" not in done.stdout
    return done.stdout


def test_a_mistake_in_the_config(tmp_path, config):
    config["experiments"]["tiny"]["methods"]["svm_rfb"] = {}
    workflow = WorkflowCopy.make(tmp_path / "w", config)
    assert failed_output(workflow).splitlines()[-1] == (
        "Error: config.yaml: experiments.tiny.methods.svm_rfb: unknown method 'svm_rfb'; "
        "the nearest valid name is 'svm_rbf'"
    )


def test_a_mistake_in_a_data_file_stops_what_hangs_on_it_and_nothing_else(tmp_path, config):
    config["data"] = {"datasets": {"my-set": {"reader": "csv", "files": ["mine.csv"], "target": "class"}}}
    experiment = config["experiments"]["tiny"]
    experiment.update(datasets=["my-set", "iris_sklearn"], dataset_aliases={})
    experiment["methods"] = {"svm_rbf": {}}
    workflow = WorkflowCopy.make(tmp_path / "w", config)
    (workflow.folder / "mine.csv").write_text("a,b,class\n1,2,x\n3,y\n")
    printed = failed_output(workflow)
    assert "\nError: data set 'my-set': mine.csv, line 3: " in printed
    assert (workflow.folder / "results/runs/tiny/iris_sklearn/svm_rbf/r0f0.json").is_file()
    assert not (workflow.folder / "results/features/my-set.parquet").exists()
    assert not (workflow.folder / "results/report.html").exists()
    rows = "".join(f"{value},{value % 3},{'xy'[value % 2]}\n" for value in range(30))
    (workflow.folder / "mine.csv").write_text("a,b,class\n" + rows)
    workflow.run("my-set")
    assert (workflow.folder / "results/runs/tiny/my-set/svm_rbf/r0f2.json").is_file()


def test_a_data_set_without_a_designated_test_set(tmp_path, config):
    config["experiments"]["tiny"]["protocol"] = {"kind": "designated"}
    workflow = WorkflowCopy.make(tmp_path / "w", config)
    printed = failed_output(workflow, "iris_sklearn")
    assert "Error: config.yaml: experiments.tiny.protocol.kind: iris_sklearn has no designated test set" in printed


def test_a_failed_job_says_its_sentence_once_also_where_snakemake_is_quiet(tmp_path, config):
    config["data"] = {"datasets": {"mine": {"reader": "csv", "files": ["mine.csv"], "target": "class"}}}
    config["experiments"]["tiny"].update(datasets=["mine"], dataset_aliases={}, methods={"svm_rbf": {}})
    workflow = WorkflowCopy.make(tmp_path / "w", config)
    (workflow.folder / "mine.csv").write_text("a,b,class\n1,2,x\n3,y\n")
    for quiet in ("reason", "rules", "all"):
        printed = failed_output(workflow, "--quiet", quiet)
        assert printed.count("Error: data set 'mine': mine.csv, line 3: ") == 1, quiet


def test_a_misspelt_target_is_told_the_nearest_one(tmp_path, config):
    workflow = WorkflowCopy.make(tmp_path / "w", config)
    assert failed_output(workflow, "tabels", "--dry-run").splitlines()[-1] == (
        "Error: there is no target 'tabels'; the nearest valid name is 'tables'"
    )
    done = workflow.snakemake("tiny", "iris_sklearn", "write_report", "results/report.html", "--dry-run")
    assert done.returncode == 0, done.stdout


def test_a_config_without_experiments_is_refused(tmp_path, config):
    workflow = WorkflowCopy.make(tmp_path / "w", {"data": {"mirrors": []}})
    assert "Error: config.yaml: the key 'experiments' is missing" in failed_output(workflow, "--dry-run")


def test_snakemakes_own_lint_says_no_more_than_what_is_meant(tmp_path, config):
    """One environment for all rules, from requirements.lock; input functions stand beside the rules that use them."""
    printed = WorkflowCopy.make(tmp_path / "linted", config).snakemake("--lint").stdout
    assert set(re.findall(r"^ +\* (.*)\.:$", printed, re.MULTILINE)) == {
        "Specify a conda environment or container for each rule",
        "Mixed rules and functions in same snakefile",
    }
