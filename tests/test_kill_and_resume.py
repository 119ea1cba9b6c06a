"""A run that is stopped at a random moment and goes on has the results of one that nothing stopped."""

import os

import kill_and_resume
import pytest
from workflow_copy import WorkflowCopy, comparable

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return kill_and_resume.reference(tmp_path_factory.mktemp("workflow"))


def test_one_core_gives_the_bytes_that_two_give(whole, tmp_path):
    fresh, results, _ = whole
    workflow = fresh.twin(tmp_path / "one")
    assert workflow.snakemake("--cores", "1").returncode == 0
    assert comparable(workflow.folder) == results
    assert len(results) > 50
    assert {name.split("/")[0] for name in results} >= {"features", "figures", "runs", "splits", "tables"}


@pytest.mark.parametrize("way", kill_and_resume.ON_ANY_DISK, ids=lambda way: way.__name__)
def test_a_stopped_run_goes_on_where_it_stopped(whole, tmp_path, way):
    assert kill_and_resume.stop_and_resume(*whole, way, 7, tmp_path / "stopped").startswith("after ")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
@pytest.mark.parametrize("way", kill_and_resume.ON_A_DISK_OF_ITS_OWN, ids=lambda way: way.__name__)
def test_a_run_goes_on_when_its_disk_can_be_written_again(whole, tmp_path, way):
    assert kill_and_resume.stop_and_resume(*whole, way, 7, tmp_path / "stopped").startswith("after ")


@pytest.mark.skipif(not kill_and_resume.slurm_is_up(), reason="needs the cluster of tests/slurm/up.sh")
@pytest.mark.parametrize("way", kill_and_resume.ON_SLURM, ids=lambda way: way.__name__)
def test_slurm_gives_the_same_bytes_also_where_a_job_or_its_daemon_is_killed(whole, tmp_path, way):
    assert kill_and_resume.stop_and_resume(*whole, way, 7, tmp_path / "stopped").startswith("after ")


def test_what_is_compared_is_what_was_computed(whole, tmp_path):
    """The comparison can fail: a changed prediction is noticed, another speed is not."""
    fresh, results, _ = whole
    other = WorkflowCopy(fresh.folder.parent / "whole").twin(tmp_path / "other")
    record = next((other.folder / "results/runs").rglob("*.json"))
    record.write_text(record.read_text().replace('"wall_seconds": ', '"wall_seconds": 1'))
    assert comparable(other.folder) == results
    record.write_text(record.read_text().replace('"n_test": ', '"n_test": 1'))
    assert comparable(other.folder) != results
