"""Paired measurements: the same work by two libraries in turn, each in a process of its own, on one core, in CPU time.

Machines are noisy, so ratios are taken pair by pair. A benchmark calls `run`, which makes data ready and hands over, or
is one measurement (``--child``).
"""

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from algos.experiments.records import peak_memory_mib, reset_peak_memory

LIBRARIES = ("algos.multiclass.adaboost_mh", "lightgbm")
REGISTRY = Path(__file__).parent.parent / "config" / "datasets.yaml"

Data = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def save(name: str, raw: Path) -> None:
    """Write a data set's training and test part, labels as class numbers, where the measurements find it."""
    from algos.datasets import load_registry, read_dataset

    table = read_dataset(name, load_registry(REGISTRY)[name], raw)
    y = np.unique(np.asarray(table.y), return_inverse=True)[1]
    train, test = np.asarray(table.split) == "train", np.asarray(table.split) == "test"
    for part, array in {"X": table.X[train], "y": y[train], "X_test": table.X[test], "y_test": y[test]}.items():
        np.save(raw / f"{name}-{part}.npy", array)


def load(name: str, raw: Path) -> Data:
    """Read what `save` wrote: X, y, X_test, y_test."""
    return tuple(np.load(raw / f"{name}-{part}.npy") for part in ("X", "y", "X_test", "y_test"))


def fetched(names: list[str], raw: Path) -> list[str]:
    """The data sets that need no download or that a mirror holds; says which it leaves out."""
    from algos.datasets import fetch, load_registry

    registry, present = load_registry(REGISTRY), []
    mirrors = [Path(folder) for folder in os.environ.get("ALGOS_DATA_MIRRORS", "").split(os.pathsep) if folder]
    for name in names:
        if registry[name].get("files") and not any((mirror / name).is_dir() for mirror in mirrors):
            print(f"{name}: left out, no folder of ALGOS_DATA_MIRRORS holds it")
            continue
        fetch(name, registry[name], raw)
        save(name, raw)
        present.append(name)
    return present


def lightgbm(
    data: Data, n_leaves: int, n_rounds: int, min_samples_leaf: int = 20, objective: str = "multiclass"
) -> dict:
    """Rounds of K trees each, or of one if `objective` is "binary"; binning is not counted as a round.

    20 samples a leaf are LightGBM's default.
    """
    import lightgbm

    X, y, X_test, y_test = data
    n_classes = int(y.max()) + 1 if objective == "multiclass" else 1
    params = {
        "objective": objective,
        "num_class": n_classes,
        "num_leaves": n_leaves,
        "min_data_in_leaf": min_samples_leaf,
        "num_threads": 1,
        "verbose": -1,
    }
    times = [time.process_time()]
    train = lightgbm.Dataset(X, y, params=params).construct()
    booster = lightgbm.train(params, train, n_rounds, callbacks=[lambda _: times.append(time.process_time())])
    scores, errors = np.zeros((len(X_test), n_classes)), []
    for t in range(n_rounds):
        scores += booster.predict(X_test, start_iteration=t, num_iteration=1, raw_score=True).reshape(scores.shape)
        predicted = scores.argmax(axis=1) if n_classes > 1 else scores[:, 0] > 0
        errors.append(float((predicted != y_test).mean()))
    return {"times": times, "errors": errors}


def fitted(model: object, data: Data) -> dict:
    """Rounds of a booster of ours; preparation is not counted as a round."""
    X, y, X_test, y_test = data
    times = [time.process_time()]
    model.fit(X, y, monitor=lambda *_: times.append(time.process_time()))
    return {"times": times, "errors": model.staged_error(X_test, y_test).tolist()}


def in_own_process(work: str, *options: object) -> dict:
    """Run this benchmark with ``--child``, the work and its options, on one core; return the JSON that it prints."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    command = [sys.executable, sys.argv[0], "--child", work, *map(str, options)]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def measure(work: str, name: str, raw: Path, *options: int) -> dict:
    """Do a piece of work in a process of its own; adds the CPU milliseconds of a round."""
    found = in_own_process(work, name, raw, *options)
    found["ms_per_round"] = 1000 * (found["times"][-1] - found["times"][1]) / (len(found["times"]) - 2)
    return found


def seconds_to(found: dict, error: float) -> tuple[float | None, int | None]:
    """CPU seconds, preparation included, and rounds until the test error is at most `error`; None if it never is."""
    reached = np.flatnonzero(np.array(found["errors"]) <= error)
    if not len(reached):
        return None, None
    return found["times"][reached[0] + 1] - found["times"][0], int(reached[0]) + 1


def alternate(repeats: int, *works: Callable[[], dict]) -> list[list[dict]]:
    """Do the works in turn, `repeats` times; for each work the list of what it found."""
    return [list(found) for found in zip(*([work() for work in works] for _ in range(repeats)), strict=True)]


def ratio(numerators: list[float], denominators: list[float]) -> str:
    """Median, least and most of the pairs' ratios."""
    ratios = sorted(a / b for a, b in zip(numerators, denominators, strict=True))
    return f"{statistics.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})"


def median(found: list[dict], key: str) -> float:
    """Median of one figure over the repeats."""
    return statistics.median(f[key] for f in found)


def run(
    description: str,
    works: dict[str, Callable[..., dict]],
    names: list[str],
    report: Callable[[list[str], Path, int], None],
    libraries: tuple[str, ...] = (),
) -> None:
    """Be one measurement, or prepare the data sets and report.

    Parameters
    ----------
    description : str
        Help text.
    works : dict
        What `measure` may name: functions of the data and some numbers.
    names : list of str
        Data sets.
    report : callable
        Called as ``report(names, folder, repeats)`` with the data sets that are there.
    libraries : tuple of str
        Modules that the works import beside `LIBRARIES`.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--child", nargs="+", metavar=("WORK", "DATASET"), help=argparse.SUPPRESS)
    parser.add_argument("--repeats", type=int, default=5, help="pairs for each data set")
    parser.add_argument("--datasets", nargs="+", choices=names, default=names)
    arguments = parser.parse_args()
    if arguments.child:
        work, name, raw, *options = arguments.child
        data = load(name, Path(raw))
        for module in (*LIBRARIES, *libraries):  # their own memory and import time are no part of the comparison
            importlib.import_module(module)
        since_reset = reset_peak_memory()
        before = peak_memory_mib(since_reset)
        found = works[work](data, *map(int, options))
        found["peak_mib"] = peak_memory_mib(since_reset) - before
        print(json.dumps(found))
        return
    with tempfile.TemporaryDirectory() as folder:
        report(fetched(arguments.datasets, Path(folder)), Path(folder), arguments.repeats)
