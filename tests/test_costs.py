"""What folds have cost, and what a job should ask for."""

import json
import subprocess
import sys

import pytest

from algos.experiments.costs import method_costs


def record(method, fit, wall, peak):
    cost = {"selection_cpu_seconds": 100.0, "fit_cpu_seconds": fit, "prediction_cpu_seconds": 0.5, "rounds": []}
    return {"experiment": "e", "method": method, "cost": {**cost, "wall_seconds": wall, "peak_memory_mib": peak}}


RECORDS = [record("tree", 79.5, 240.0, 900.0), record("svm", 19.5, 60.0, 200.0), record("tree", 79.5, 120.0, 1100.0)]


def test_costs_are_sums_and_maxima_of_a_methods_folds():
    tree, svm = method_costs(RECORDS)
    assert (tree.method, tree.n_folds, tree.longest_minutes, tree.peak_mib) == ("tree", 2, 4, 1100)
    assert tree.cpu_hours == pytest.approx(0.1)
    assert svm.cpu_hours == pytest.approx(120 / 3600)


def test_a_job_asks_for_more_than_was_used():
    tree, _ = method_costs(RECORDS)
    assert tree.resources(1) == {"mem_mb": 2500, "runtime_minutes": 11}
    assert tree.resources(10) == {"mem_mb": 2500, "runtime_minutes": 65}


def test_the_command_prints_a_line_a_method_or_one_sentence(tmp_path):
    command = [sys.executable, "-m", "algos.experiments.costs", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"Error: {tmp_path} holds no finished fold; name the folder 'results' of a run\n"
    for number, content in enumerate(RECORDS):
        path = tmp_path / "runs/e/d" / content["method"] / f"f{number}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[0] for line in printed] == ["experiment,", "e", "svm", "tree"]
    assert printed[1].split() == ["e", "3", "0.13"]
    assert printed[3].endswith("{mem_mb: 2500, runtime_minutes: 11}")
