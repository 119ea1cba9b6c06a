"""A job: its log, one sentence for a user's mistake, and folds that outlive a killed job."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from algos.datasets.storage import write_table
from algos.datasets.table import Table
from algos.evaluation.splits import Fold
from algos.experiments import jobs, training
from algos.experiments.jobs import train_folds
from algos.experiments.records import write_splits

FOLDS = ["r0f0", "r0f1", "r0f2"]


@pytest.fixture
def job(tmp_path):
    """The arguments of a job of three folds, all of whose files lie in a folder of their own."""
    rng = np.random.default_rng(0)
    y = np.array(["a", "b"])[np.arange(60) % 2]
    X = rng.normal(size=(60, 2)) + (y == "b")[:, None]
    write_table(Table(X=X, y=y, feature_names=["u", "v"], label_names=["a", "b"]), tmp_path / "features.parquet")
    parts = [np.arange(start, 60, 3) for start in range(3)]
    folds = [
        Fold(name, test=part, train=np.setdiff1d(np.arange(60), part)) for name, part in zip(FOLDS, parts, strict=True)
    ]
    write_splits(folds, tmp_path / "splits.parquet")
    code = tmp_path / "method.py"
    code.write_text("# a method\n")
    return {
        "features": tmp_path / "features.parquet",
        "splits": tmp_path / "splits.parquet",
        "code": [code],
        "settings": {
            "experiment": "e",
            "dataset": "d",
            "method": "adaboost_mh_stump",
            "registered": "adaboost_mh_stump",
            "params": {"n_estimators": 60},
            "grid": {},
            "preprocess": {},
            "n_selection_folds": 2,
            "stopping": "smoothed",
            "min_rounds": None,
            "best_on_test": False,
            "more_rows": {},
            "metrics": ["test_error"],
            "selection_metric": "test_error",
            "seed": 0,
        },
        "records": [tmp_path / f"runs/{fold}.json" for fold in FOLDS],
        "predictions": [tmp_path / f"runs/{fold}.parquet" for fold in FOLDS],
        "unfinished": tmp_path / "unfinished",
    }


@pytest.fixture
def computed(monkeypatch):
    """The folds that were computed, in order; a number in `kill_at` kills the job when it comes to that one."""
    run_fold, seen = training.run_fold, SimpleNamespace(folds=0, kill_at=None)

    def watched(*arguments, **options):
        if seen.folds == seen.kill_at:
            raise KeyboardInterrupt
        seen.folds += 1
        return run_fold(*arguments, **options)

    monkeypatch.setattr(training, "run_fold", watched)
    return seen


def without_cost(path):
    return [line for line in path.read_text().splitlines() if not line.startswith('"cost"')]


def test_a_killed_job_goes_on_where_it_was_and_ends_the_same(job, computed, capsys, tmp_path):
    computed.kill_at = 2
    with pytest.raises(KeyboardInterrupt):
        train_folds(**job)
    assert computed.folds == 2
    assert not any(path.exists() for path in job["records"])
    computed.kill_at = None
    train_folds(**job)
    assert computed.folds == 3
    assert "fold r0f1 (2 of 3): finished by an earlier run" in capsys.readouterr().out
    again = {name: [tmp_path / "again" / path.name for path in job[name]] for name in ("records", "predictions")}
    train_folds(**{**job, **again, "unfinished": tmp_path / "other"})
    assert computed.folds == 6
    for first, second in zip(job["records"], again["records"], strict=True):
        assert without_cost(first) == without_cost(second)
    for first, second in zip(job["predictions"], again["predictions"], strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_folds_in_other_jobs_are_the_same_folds(job, computed):
    computed.kill_at = 2
    with pytest.raises(KeyboardInterrupt):
        train_folds(**job)
    computed.kill_at = None
    train_folds(**{**job, "records": job["records"][:1], "predictions": job["predictions"][:1]})
    assert computed.folds == 2  # taken from what the larger job had finished
    train_folds(**{**job, "records": job["records"][1:], "predictions": job["predictions"][1:]})
    assert computed.folds == 3
    assert all(path.is_file() for path in [*job["records"], *job["predictions"]])


def test_outputs_that_snakemake_removes_are_not_computed_again(job, computed, tmp_path):
    """It does where it was killed after the job's end, before it had noted that."""
    job["records"] = [tmp_path / "runs/e/d/m" / path.name for path in job["records"]]
    job["predictions"] = [path.with_suffix(".parquet") for path in job["records"]]
    job["unfinished"] = tmp_path / "unfinished/e/d/m"
    train_folds(**job)
    contents = [path.read_bytes() for path in job["records"]]
    for path in [*job["records"], *job["predictions"]]:
        path.unlink()
    train_folds(**job)
    assert computed.folds == 3
    assert [path.read_bytes() for path in job["records"]] == contents
    for name in ("records", "predictions"):
        job[name][0].unlink()
    jobs.forget_published(tmp_path / "unfinished", tmp_path / "runs")
    waiting = {path.name for path in (tmp_path / "unfinished").rglob("*") if path.is_file()}
    assert waiting == {job["records"][0].name, job["predictions"][0].name}
    train_folds(**{**job, "records": job["records"][:1], "predictions": job["predictions"][:1]})
    assert computed.folds == 3
    jobs.forget_published(tmp_path / "unfinished", tmp_path / "runs")
    assert not any((tmp_path / "unfinished").iterdir())


@pytest.mark.parametrize("change", ["code", "settings"])
def test_after_a_change_nothing_old_is_taken(job, computed, change):
    computed.kill_at = 2
    with pytest.raises(KeyboardInterrupt):
        train_folds(**job)
    computed.kill_at = None
    if change == "code":
        job["code"][0].write_text("# another\n")
    else:
        job["settings"]["seed"] = 1
    train_folds(**job)
    assert computed.folds == 5


def run_script(tmp_path: Path, body: str) -> tuple[int, str, str]:
    """Run a script as Snakemake does; return its exit code, what it printed and its log."""
    log = tmp_path / "logs/some.log"
    script = f"from algos.experiments.jobs import job_log\nwith job_log({str(log)!r}):\n"
    script += "\n".join(f"    {line}" for line in body.splitlines())
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr, log.read_text()


def test_a_users_mistake_is_one_sentence_and_exit_code_1(tmp_path):
    code, printed, log = run_script(
        tmp_path, "from algos.exceptions import InputError\nprint('before')\nraise InputError('the file is empty')"
    )
    assert (code, printed, log) == (1, "", "before\nError: the file is empty\n")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            "OSError(errno.ENOSPC, 'any', 'x.parquet')",
            "x.parquet cannot be written: No space left on device; mend that",
        ),
        ("OSError(errno.EROFS, 'any')", "results cannot be written: Read-only file system; mend that"),
        ("KeyboardInterrupt", "interrupted; the same command goes on"),
    ],
)
def test_what_befalls_a_run_is_one_sentence_too(tmp_path, error, sentence):
    code, printed, log = run_script(tmp_path, f"import errno\nraise {error}")
    assert (code, printed) == (1, "")
    assert log.startswith(f"Error: {sentence}")
    assert log.count("\n") == 1


def test_a_fault_of_ours_leaves_its_stack_trace(tmp_path):
    code, _, log = run_script(tmp_path, "1 / 0")
    assert code == 1
    assert "Traceback" in log
    assert "ZeroDivisionError" in log


def test_the_log_takes_what_compiled_code_and_loggers_print(tmp_path):
    body = "import logging, os\nos.system('echo from outside; echo to stderr >&2')\nlogging.getLogger('x').info('told')"
    assert run_script(tmp_path, body) == (0, "", "from outside\nto stderr\ntold\n")


def test_source_commit_says_when_there_is_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert jobs.source_commit() == "not under version control"
