"""The profile for any scheduler, with a scheduler of a few lines: what jobs ask for, and for more when tried again."""

import copy
import stat

import pytest
from workflow_copy import TINY, WorkflowCopy

pytestmark = pytest.mark.slow

# Writes down what is asked for; refuses the first job; runs the others, and prints their number.
SUBMIT = """#!/bin/sh
echo "$@" >> asked.txt
number=$(wc -l < asked.txt)
[ "$number" != 1 ] || exit 1
for script; do :; done
sh "$script" > job.log 2>&1 &
echo "$number"
"""


def test_jobs_are_submitted_with_what_they_need_and_more_when_tried_again(tmp_path):
    config = copy.deepcopy(TINY)
    config["experiments"]["tiny"]["datasets"] = ["iris_sklearn"]
    config["experiments"]["tiny"]["dataset_aliases"] = {}
    del config["experiments"]["tiny"]["methods"]["adaboost_mh_hamming_tree"]
    workflow = WorkflowCopy.make(tmp_path / "cluster", config)
    submit = workflow.folder / "qsub"
    submit.write_text(SUBMIT)
    submit.chmod(submit.stat().st_mode | stat.S_IXUSR)
    profile = workflow.folder / "profiles/generic/config.yaml"
    text = profile.read_text()
    assert text.count("qsub -N") == 1
    profile.write_text(text.replace("qsub -N", "./qsub -N"))
    done = workflow.snakemake("data", "--profile", "profiles/generic", "--latency-wait", "5", "--jobs", "1")
    assert done.returncode == 0, done.stdout
    assert (workflow.folder / "results/features/iris_sklearn.parquet").is_file()
    asked = [line.split() for line in (workflow.folder / "asked.txt").read_text().splitlines()]
    assert [words[:7] for words in asked] == [
        ["-N", "make_features", "-l", f"select=1:ncpus=1:mem={memory}mb", "-l", f"walltime=00:{minutes}:00", "-j"]
        for memory, minutes in ((4000, 60), (8000, 120))
    ]
