"""What the workflow costs beside its own work: a dry run of 5000 finished jobs, and the overhead of a fold.

Run it by `make bench`, or alone: python benchmarks/bench_workflow.py
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from workflow_copy import WorkflowCopy

from algos.experiments.config import load_config
from algos.experiments.figures import FIGURE_NAMES
from algos.experiments.tables import TABLE_NAMES

METHODS = ("adaboost_mh_hamming_tree", "adaboost_mh_stump", "svm_rbf")
DATASETS = ("digits", "wine_sklearn", "wdbc_sklearn", "iris_sklearn")

# Snakemake's own --touch, which sleeps a tenth of a second for each job so that time stamps differ, without that.
TOUCH = """
import types, snakemake.cli, snakemake.executors.touch as touch
touch.time = types.SimpleNamespace(sleep=lambda seconds: None)
snakemake.cli.main()
"""


def many_jobs(n_repeats: int) -> dict:
    """A config of 12 n_repeats jobs of one fold."""
    return {
        "experiments": {
            "many": {
                "title": "Many jobs",
                "datasets": list(DATASETS),
                "protocol": {"kind": "random_percentage", "n_repeats": n_repeats},
                "methods": {method: {"folds_per_job": 1} for method in METHODS},
            }
        }
    }


def ten_folds() -> dict:
    """A config of one job of ten folds that take no time."""
    return {
        "experiments": {
            "ten": {
                "title": "Ten folds",
                "datasets": ["iris_sklearn"],
                "protocol": {"kind": "repeated_kfold", "n_splits": 10},
                "selection": {"n_folds": 2},
                "methods": {"adaboost_mh_stump": {"params": {"n_estimators": 60}}},
            }
        }
    }


def pretend_finished(workflow: WorkflowCopy) -> None:
    """Make every output, empty, and let Snakemake take it for its own."""
    os.chdir(workflow.folder)
    config = load_config(["config.yaml"], "workflow/schemas/config.schema.yaml", "src")
    files = [f"results/features/{dataset}.parquet" for dataset in config.datasets] + ["results/report.html"]
    for name, experiment in config.experiments.items():
        for dataset in experiment.datasets:
            files.append(f"results/splits/{name}/{dataset}.parquet")
            stems = [f"{method}/{fold}" for method in experiment.methods for fold in experiment.fold_names()]
            files += [
                f"results/runs/{name}/{dataset}/{stem}.{suffix}" for stem in stems for suffix in ("json", "parquet")
            ]
        files += [f"results/tables/{name}/{table}" for table in TABLE_NAMES]
        files += [f"results/figures/{name}/{figure}" for figure in FIGURE_NAMES]
    for file in files:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).touch()
    command = [sys.executable, "-c", TOUCH, "--touch", "--forceall", "--cores", "1", "--configfile", "config.yaml"]
    subprocess.run(command, check=True, capture_output=True)


def cpu_seconds(function) -> float:
    """CPU time of the processes that a function starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    function()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_dry_run(folder: Path, n_repeats: int) -> None:
    workflow = WorkflowCopy.make(folder, many_jobs(n_repeats))
    pretend_finished(workflow)
    planned = {}
    seconds = min(cpu_seconds(lambda: planned.update(workflow.planned())) for _ in range(3))
    assert planned == {}, planned
    n_jobs = len(METHODS) * len(DATASETS) * n_repeats
    print(f"dry run with nothing to do, {n_jobs} training jobs: {seconds:.1f} s CPU")
    config = many_jobs(n_repeats)
    config["experiments"]["many"]["methods"]["softmax_regression"] = {"folds_per_job": 1}
    workflow.write_config(config)
    seconds = cpu_seconds(lambda: planned.update(workflow.planned()))
    training = {name: count for name, count in planned.items() if name.startswith("train_")}
    expected = {f"train_many_{dataset}_softmax_regression_fold": n_repeats for dataset in DATASETS}
    assert training == expected, training
    print(f"a method more: its {sum(training.values())} training jobs and what shows them; {seconds:.1f} s CPU")


def measure_fold(folder: Path) -> None:
    workflow = WorkflowCopy.make(folder, ten_folds())
    workflow.run("data")
    workflow.run("results/splits/ten/iris_sklearn.parquet")
    nothing = cpu_seconds(lambda: workflow.run("data"))
    with_folds = cpu_seconds(lambda: workflow.run("iris_sklearn"))
    records = [json.loads(path.read_text()) for path in (folder / "results/runs").rglob("*.json")]
    own = sum(r["cost"]["selection_cpu_seconds"] + r["cost"]["fit_cpu_seconds"] for r in records)
    overhead = (with_folds - nothing - own) / len(records)
    print(f"overhead of a fold, {len(records)} folds in one job: {overhead:.2f} s CPU (its own work: {own / 10:.3f} s)")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        measure_fold(Path(temporary) / "fold")
        for n_repeats in (42, 417):
            measure_dry_run(Path(temporary) / f"many{n_repeats}", n_repeats)
