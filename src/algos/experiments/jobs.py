"""What a job of the workflow does around its computation: its log, and folds that outlive a killed job."""

import errno
import filecmp
import logging
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from algos.exceptions import InputError

EXIT_FAILED = 1
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # the disk's state, not a mistake of ours


@contextmanager
def job_log(path: str | os.PathLike) -> Iterator[None]:
    """Send all that a job prints, compiled code included, to its log.

    A user's mistake, a disk that is full or read-only, and Ctrl-C become one sentence at the end of the log and a
    failed job, without a stack trace; any other error leaves its stack trace in the log. Where the environment has
    ``ALGOS_TELL_ERRORS``, the sentence, or where that log is, goes to the standard error too, for then Snakemake shows
    no logs.

    Parameters
    ----------
    path : path-like
        The log. Its folder is made when it is missing.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as log:
        sys.stdout.flush()
        sys.stderr.flush()
        told = os.dup(2)
        for descriptor in (1, 2):
            os.dup2(log.fileno(), descriptor)
    logging.basicConfig(level=logging.INFO, format="%(message)s", force=True)
    try:
        yield
    except InputError as error:
        _fail(str(error), told)
    except KeyboardInterrupt:
        _fail("interrupted; the same command goes on where this run stopped", told)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in UNWRITABLE:
            place = error.filename or "results"
            reason = os.strerror(error.errno)
            cure = "mend that and run the same command again, finished folds are kept"
            _fail(f"{place} cannot be written: {reason}; {cure}", told)
        traceback.print_exc()
        _tell(told, f"Error: a job failed; {path} says why")
        sys.exit(EXIT_FAILED)
    finally:
        os.close(told)


def _fail(sentence: str, told: int) -> NoReturn:
    print(f"Error: {sentence}", file=sys.stderr)
    _tell(told, f"Error: {sentence}")
    sys.exit(EXIT_FAILED)


def _tell(descriptor: int, sentence: str) -> None:
    if os.environ.get("ALGOS_TELL_ERRORS"):
        os.write(descriptor, f"{sentence}\n".encode())


def train_folds(
    features: str | os.PathLike,
    splits: str | os.PathLike,
    code: Sequence[str | os.PathLike],
    settings: Mapping[str, Any],
    records: Sequence[str | os.PathLike],
    predictions: Sequence[str | os.PathLike],
    unfinished: str | os.PathLike,
    fold_features: Sequence[str | os.PathLike] = (),
    chosen: Sequence[str | os.PathLike] = (),
) -> None:
    """Compute some folds of a method on a data set, each a file set of its own.

    Folds that a killed run of the same job has finished are not computed again.

    Parameters
    ----------
    features : path-like
        The data set's table.
    splits : path-like
        Its folds.
    code : sequence of path-like
        The source files that the numbers depend on.
    settings : dict
        `algos.experiments.config.Experiment.training`, and ``dataset``.
    records, predictions : sequence of path-like
        Outputs, ``<fold>.json`` and ``<fold>.parquet``.
    unfinished : path-like
        Where finished folds wait for the others.
    fold_features : sequence of path-like
        Each fold's own features (`algos.experiments.fold_features`), in the order of `records`, where the experiment
        has such.
    chosen : sequence of path-like
        Records of another method, in the order of `records`, whose hyper-parameters are taken; none: they are chosen.
    """
    from algos.datasets.storage import read_table
    from algos.experiments.fold_features import read_fold_features
    from algos.experiments.records import Unfinished, fingerprint, read_selection

    kept = Unfinished(unfinished, fingerprint(settings, [features, splits, *fold_features, *chosen, *code]))
    table = read_table(features)
    folds = [Path(record).stem for record in records]
    for position, fold in enumerate(folds, 1):
        head = f"fold {fold} ({position} of {len(folds)})"
        if kept.has(fold):
            print(f"{head}: finished by an earlier run", flush=True)
            continue
        print(f"{head}: started", flush=True)
        if fold_features:
            table = replace(table, X=read_fold_features(fold_features[position - 1]))
        selected = read_selection(chosen[position - 1]) if chosen else None
        record, predictions_of_fold = _train_fold(table, splits, fold, settings, selected)
        kept.keep(fold, record, predictions_of_fold)
        if record["skipped"]:
            print(f"{head}: skipped, {record['skipped']}", flush=True)
            continue
        measures = ", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in record["metrics"].items())
        print(f"{head}: {measures}, {record['cost']['wall_seconds']:.1f} s", flush=True)
    kept.publish([*records, *predictions])


def _train_fold(
    table: Any, splits: str | os.PathLike, fold: str, settings: Mapping[str, Any], selected: Any = None
) -> tuple[dict[str, Any], Any]:
    """Compute one fold; return its record and its predictions."""
    from algos.experiments.records import SCHEMA, Cost, Predictions, Progress, read_split, versions
    from algos.experiments.training import make_record, run_fold

    cost = Cost()
    rows = read_split(splits, fold)
    try:
        result = run_fold(table, rows, settings, cost.part_done, Progress, cost.round_done, selected)
    except InputError as error:
        raise InputError(f"{settings['method']} on {settings['dataset']}, fold {fold}: {error}") from None
    record = make_record(table, rows, settings, result)
    tested = rows.test[: len(result.predicted)]  # none of a fold that was skipped
    truth = (table.y if table.Y is None else table.Y)[tested]
    predictions = Predictions(tested, truth, result.predicted, table.label_names, result.scores)
    return {"schema": SCHEMA, **record, "versions": versions(), "cost": cost.total()}, predictions


def forget_published(unfinished: str | os.PathLike, runs: str | os.PathLike) -> None:
    """Remove what waits in `unfinished` and is an output in `runs`, and folders that are empty then."""
    waiting = sorted(Path(unfinished).rglob("*"), reverse=True)  # what a folder holds comes before it
    for path in waiting:
        if path.is_dir():
            with suppress(OSError):  # other folds of the same method wait here
                path.rmdir()
            continue
        output = Path(runs, *path.relative_to(unfinished).parent.parts[:-1], path.name)
        if output.is_file() and filecmp.cmp(path, output, shallow=False):
            path.unlink()


def source_commit() -> str:
    """Return the commit of the working directory, marked where files differ from it; or that there is none.

    Published results are no sources: the ones that are about to be written anew do not count.
    """
    try:
        commit = _git("describe", "--always", "--abbrev=12")
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)docs/reproduction")
    except (OSError, subprocess.CalledProcessError):
        return "not under version control"
    return f"{commit}-dirty" if changed else commit


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout.strip()


def make_splits(
    features: str | os.PathLike,
    output: str | os.PathLike,
    protocol: Mapping[str, Any],
    seed: int,
    folds: Sequence[str],
    label_noise: float | None,
) -> None:
    """Write the folds of a protocol on a data set.

    Parameters
    ----------
    features : path-like
        The data set's table.
    output : path-like
        The file of splits.
    protocol : dict
    seed : int
    folds : sequence of str
        The names that the workflow expects.
    label_noise : float or None
        Percent of the training labels that are made wrong; None: there is no noise in this experiment.
    """
    from algos.datasets.storage import read_table
    from algos.evaluation import splits
    from algos.experiments.records import write_splits

    table = read_table(features)
    targets = table.y if table.Y is None else table.Y
    samples = table.samples
    split, groups = (None if of_rows is None else of_rows[samples] for of_rows in (table.split, table.groups))
    try:
        made, notes = splits.make_folds(targets[samples], protocol, seed, split, groups)
        made = splits.on_samples(made, samples, table.groups, table.split if protocol["kind"] == "designated" else None)
        if label_noise is not None:
            made = splits.with_label_noise(made, targets, label_noise, seed)
    except InputError as error:
        raise InputError(f"{Path(features).stem}: {error}") from None
    for note in notes:
        print(note)
    if [fold.name for fold in made] != list(folds):
        raise RuntimeError(f"made folds {[fold.name for fold in made]}, expected {list(folds)}")
    write_splits(made, output)
