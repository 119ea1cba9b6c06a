"""The files of a run: splits, predictions and records; what they cost; folds kept by an unfinished job."""

import hashlib
import json
import os
import platform
import resource
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from algos.evaluation.selection import Selection
from algos.evaluation.splits import Fold
from algos.exceptions import InputError
from algos.files import atomic_write, link_or_copy

SCHEMA = 1


@dataclass(frozen=True)
class Predictions:
    """What a method said of the test rows of one fold.

    Attributes
    ----------
    rows : ndarray of int, shape (n_test,)
        Row numbers in the data set's table.
    label, predicted : ndarray of str, shape (n_test,), or of 0 and 1, shape (n_test, n_labels)
    classes : sequence of str, length n_classes
    scores : ndarray of float, shape (n_test, n_classes)
    """

    rows: np.ndarray
    label: np.ndarray
    predicted: np.ndarray
    classes: Sequence[str]
    scores: np.ndarray


def write_predictions(predictions: Predictions, path: str | os.PathLike) -> None:
    """Write predictions as Parquet.

    Columns row, label, predicted, and ``score:<class>`` for each class. Where a sample has several labels, label and
    predicted are lists of 0 and 1 and score is a list of float32, a number a label; the file's metadata ``labels``
    names them (JSON).
    """
    import pyarrow as pa

    if predictions.label.ndim == 2:
        _write_parquet(_multilabel_table(predictions), path)
        return
    names = pa.array([str(name) for name in predictions.classes], pa.string())
    columns = {
        "row": pa.array(predictions.rows, pa.int32()),
        "label": _dictionary(predictions.label, names),
        "predicted": _dictionary(predictions.predicted, names),
    }
    for position, name in enumerate(predictions.classes):
        columns[f"score:{name}"] = pa.array(predictions.scores[:, position], pa.float64())
    _write_parquet(pa.table(columns), path)


def _multilabel_table(predictions: Predictions) -> Any:
    import pyarrow as pa

    def lists(values: np.ndarray, kind: Any) -> Any:
        return pa.FixedSizeListArray.from_arrays(pa.array(np.ravel(values), kind), values.shape[1])

    table = pa.table(
        {
            "row": pa.array(predictions.rows, pa.int32()),
            "label": lists(predictions.label.astype(np.int8), pa.int8()),
            "predicted": lists(predictions.predicted.astype(np.int8), pa.int8()),
            "score": lists(predictions.scores.astype(np.float32), pa.float32()),
        }
    )
    return table.replace_schema_metadata({"labels": json.dumps([str(name) for name in predictions.classes])})


def write_record(record: Mapping[str, Any], path: str | os.PathLike) -> None:
    """Write a run record as JSON, one line for each key, keys in order."""
    lines = [f"{json.dumps(key)}: {json.dumps(record[key], sort_keys=True, allow_nan=False)}" for key in record]
    with atomic_write(path) as temporary:
        temporary.write_text("{\n" + ",\n".join(sorted(lines)) + "\n}\n", encoding="utf-8")


def read_selection(path: str | os.PathLike) -> Selection:
    """Read what a run chose from its record."""
    record = json.loads(Path(path).read_text(encoding="utf-8"))
    kept, chosen = record["selection"], dict(record["chosen"])
    n_rounds, curve = chosen.pop("n_estimators", None), kept["validation_curve"]
    return Selection(
        params=chosen,
        n_rounds=n_rounds,
        candidates=kept["candidates"],
        validation_curve=None if curve is None else np.array(curve),
        n_folds=kept["n_inner_folds"],
        notes=[*kept["notes"], f"chosen by {record['method']}"],
    )


def write_splits(folds: Iterable[Fold], path: str | os.PathLike) -> None:
    """Write folds as Parquet, in the order of folds, then of rows.

    Columns fold, row, role (train, validation, test, or extra: what may train beside the samples) and ``given``: the
    wrong label that a noisy training row learns from, empty elsewhere.
    """
    import pyarrow as pa

    columns: dict[str, list[Any]] = {"fold": [], "row": [], "role": [], "given": []}
    for fold in folds:
        parts = {name: getattr(fold, name) for name in ("train", "validation", "test", "extra")}
        roles = {row: role for role, rows in parts.items() if rows is not None for row in rows.tolist()}
        wrong = {} if fold.noisy is None else dict(zip(fold.noisy.tolist(), fold.noisy_labels.tolist(), strict=True))
        rows = sorted(roles)
        columns["fold"] += [fold.name] * len(rows)
        columns["row"] += rows
        columns["role"] += [roles[row] for row in rows]
        columns["given"] += [wrong.get(row) for row in rows]
    types = {"fold": pa.string(), "row": pa.int32(), "role": pa.string(), "given": pa.string()}
    _write_parquet(pa.table({name: pa.array(values, types[name]) for name, values in columns.items()}), path)


def read_split(path: str | os.PathLike, fold: str) -> Fold:
    """Read one fold.

    Raises
    ------
    InputError
        When the file has no such fold.
    """
    import pyarrow.compute as pc

    from algos.datasets.storage import read_arrow

    table = read_arrow(path)
    table = table.filter(pc.equal(table["fold"], fold))
    if table.num_rows == 0:
        raise InputError(f"{path} has no fold {fold!r}; delete it and run again")
    rows, roles = table["row"].to_numpy(), np.array(table["role"].to_pylist())
    given = table["given"].to_pylist()
    wrong = np.array([label is not None for label in given])
    validation, extra = (rows[roles == role] for role in ("validation", "extra"))
    return Fold(
        fold,
        train=rows[roles == "train"],
        test=rows[roles == "test"],
        validation=validation if len(validation) else None,
        noisy=rows[wrong] if wrong.any() else None,
        noisy_labels=np.array([label for label in given if label is not None]) if wrong.any() else None,
        extra=extra if len(extra) else None,
    )


def _dictionary(values: np.ndarray, names: Any) -> Any:
    """Return labels as codes into the classes' names, so that the file does not depend on which labels occur."""
    import pyarrow as pa

    code_of = {name: code for code, name in enumerate(names.to_pylist())}
    codes = pa.array([code_of[str(value)] for value in values], pa.int32())
    return pa.DictionaryArray.from_arrays(codes, names)


def _write_parquet(table: Any, path: str | os.PathLike) -> None:
    import pyarrow.parquet as pq

    with atomic_write(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def versions() -> dict[str, str]:
    """Return the versions of what computed a fold."""
    from importlib.metadata import version

    packages = ("algos", "numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version(), **{package: version(package) for package in packages}}


class Cost:
    """Time and memory used since it was made.

    Attributes
    ----------
    seconds : dict
        Name of a part -> CPU seconds, filled by `part_done`.
    rounds : list of (int, float)
        Rounds so far and CPU seconds since the last part ended, filled by `round_done`.
    """

    #: About as many rounds as a record keeps the time of, evenly on a logarithmic axis.
    N_TIMED = 150

    def __init__(self) -> None:
        self._wall = time.perf_counter()
        self._cpu = time.process_time()
        self.seconds: dict[str, float] = {}
        self.rounds: list[tuple[int, float]] = []
        # Linux can forget the highest memory so far; elsewhere a fold's peak is that of its process.
        self._peak_was_reset = reset_peak_memory()

    def part_done(self, name: str) -> None:
        """Count the CPU time since the last call, or since the start, as that of one part."""
        now = time.process_time()
        self.seconds[name] = round(now - self._cpu, 4)
        self._cpu = now

    def round_done(self, n_done: int) -> None:
        """Take the time of a round."""
        self.rounds.append((n_done, time.process_time() - self._cpu))

    def total(self) -> dict[str, Any]:
        """Return the record's ``cost``."""
        kept = np.unique(np.geomspace(1, max(len(self.rounds), 1), self.N_TIMED).astype(int)) - 1
        return {
            **{f"{name}_cpu_seconds": seconds for name, seconds in self.seconds.items()},
            "rounds": [[self.rounds[k][0], round(self.rounds[k][1], 4)] for k in kept if self.rounds],
            "wall_seconds": round(time.perf_counter() - self._wall, 4),
            "peak_memory_mib": round(peak_memory_mib(self._peak_was_reset), 1),
        }


def reset_peak_memory() -> bool:
    """Let the process's highest memory so far be forgotten; say whether the system can (Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def peak_memory_mib(since_reset: bool) -> float:
    """Return the highest resident memory in MiB since `reset_peak_memory`, or in the process's life if it could not.

    On Linux that life begins with the memory of the process that started this one.
    """
    if since_reset:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024**2 if sys.platform == "darwin" else peak / 1024


class Progress:
    """Lines that say how far a long computation is and about how long it will take still.

    Parameters
    ----------
    what : str
        What is computed, e.g. ``"selection"``.
    every : float
        Least number of seconds between two lines; a computation shorter than that prints none.
    stream : file, optional
        Where lines go; the standard output by default.
    """

    def __init__(self, what: str, every: float = 15.0, stream: TextIO | None = None) -> None:
        self._what = what
        self._every = every
        self._stream = stream
        self._start = self._last = time.monotonic()

    def __call__(self, done: int, total: int, text: str = "") -> None:
        """Take note that `done` of `total` equal pieces of work are finished; `text` says which was the last."""
        now = time.monotonic()
        if now - self._last < self._every or not 0 < done <= total:
            return
        self._last = now
        spent = now - self._start
        left = spent * (total - done) / done
        print(
            f"{self._what}: {done} of {total} after {duration(spent)}, about {duration(left)} left"
            + (f" ({text})" if text else ""),
            file=self._stream,
            flush=True,
        )


def duration(seconds: float) -> str:
    """Return a time as people say it, e.g. ``"2 min 5 s"``."""
    seconds = round(seconds)
    hours, minutes, rest = seconds // 3600, seconds % 3600 // 60, seconds % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def fingerprint(settings: Mapping[str, Any], files: Iterable[str | os.PathLike]) -> str:
    """Return a hash of settings and of the contents of files."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for file in sorted(map(str, files)):
        digest.update(hashlib.sha256(Path(file).read_bytes()).digest())
    return digest.hexdigest()[:20]


class Unfinished:
    """Folds that a job has finished before all of them are.

    Snakemake removes what a job was to make when the job is killed or run again. So finished folds wait in a folder
    of their own, named by a hash of all that they depend on, and become outputs when the last one is there. A job
    that is run again finds them; after a change of settings, data or code it does not.

    Parameters
    ----------
    directory : path-like
        Where the unfinished folds of one (experiment, data set, method) wait.
    key : str
        The hash; see `fingerprint`.
    """

    def __init__(self, directory: str | os.PathLike, key: str) -> None:
        self._directory = Path(directory) / key
        self._remove_outdated()

    def _remove_outdated(self) -> None:
        for other in self._directory.parent.glob("*"):
            if other.name != self._directory.name:
                shutil.rmtree(other, ignore_errors=True)

    def has(self, fold: str) -> bool:
        """Say whether a fold is finished."""
        return all((self._directory / f"{fold}.{suffix}").is_file() for suffix in ("json", "parquet"))

    def keep(self, fold: str, record: Mapping[str, Any], predictions: Predictions) -> None:
        """Write the files of a finished fold."""
        write_predictions(predictions, self._directory / f"{fold}.parquet")
        write_record(record, self._directory / f"{fold}.json")

    def publish(self, outputs: Iterable[str | os.PathLike]) -> None:
        """Make the finished folds the outputs, each file whole or not at all.

        They stay here, too, as links, until `jobs.forget_published`: where Snakemake is killed before it has noted that
        the job ended, it removes the outputs, and the next run takes them from here.

        Parameters
        ----------
        outputs : iterable of path-like
            The files to make; each is taken from the file of the same name.
        """
        for output in map(Path, outputs):
            kept = self._directory / output.name
            if not (output.exists() and output.samefile(kept)):
                link_or_copy(kept, output)
            os.utime(output)
