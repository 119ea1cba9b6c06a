"""AdaBoost.MH with Hamming trees against LightGBM: time and memory a round, error, and time to an error.

Run by `make bench`. Each measurement is a process of its own, on one core, ours and LightGBM's in turn; times are CPU
seconds, and the ratio is taken pair by pair, since machines are noisy. Data sets that no mirror of ALGOS_DATA_MIRRORS
holds are left out, visibly.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

# Data set -> inner nodes and rounds. A Hamming tree of N inner nodes has N + 1 leaves, as LightGBM's trees get.
SHAPES = {
    "digits": (20, 500),
    "pendigits": (20, 300),
    "letter": (20, 200),
    "usps": (20, 60),
    "isolet": (20, 15),
    "mnist": (20, 8),
}
TARGET_ERROR = 0.0305  # LightGBM's best on letter with 21 leaves, learning rate 0.1
REGISTRY = Path(__file__).parent.parent / "config" / "datasets.yaml"


def save(name: str, raw: Path) -> None:
    """Write a data set's training and test part, labels as class numbers, where the measurements find it."""
    from algos.datasets import load_registry, read_dataset

    table = read_dataset(name, load_registry(REGISTRY)[name], raw)
    y = np.unique(np.asarray(table.y), return_inverse=True)[1]
    train, test = np.asarray(table.split) == "train", np.asarray(table.split) == "test"
    for part, array in {"X": table.X[train], "y": y[train], "X_test": table.X[test], "y_test": y[test]}.items():
        np.save(raw / f"{name}-{part}.npy", array)


def load(name: str, raw: Path) -> tuple[np.ndarray, ...]:
    """Read what `save` wrote: X, y, X_test, y_test."""
    return tuple(np.load(raw / f"{name}-{part}.npy") for part in ("X", "y", "X_test", "y_test"))


def ours(data: tuple, n_inner_nodes: int, n_rounds: int) -> dict:
    """Rounds of AdaBoost.MH; preparation is not counted as a round."""
    from algos.multiclass import AdaBoostMHClassifier

    X, y, X_test, y_test = data
    times = [time.process_time()]
    model = AdaBoostMHClassifier(n_inner_nodes=n_inner_nodes, n_estimators=n_rounds)
    model.fit(X, y, monitor=lambda t, _: times.append(time.process_time()))
    return {"times": times, "errors": model.staged_error(X_test, y_test).tolist()}


def lightgbm(data: tuple, n_inner_nodes: int, n_rounds: int) -> dict:
    """Rounds of K trees each; binning is not counted as a round."""
    import lightgbm

    X, y, X_test, y_test = data
    n_classes = int(y.max()) + 1
    params = {
        "objective": "multiclass",
        "num_class": n_classes,
        "num_leaves": n_inner_nodes + 1,
        "num_threads": 1,
        "verbose": -1,
    }
    times = [time.process_time()]
    train = lightgbm.Dataset(X, y, params=params).construct()
    booster = lightgbm.train(params, train, n_rounds, callbacks=[lambda _: times.append(time.process_time())])
    scores, errors = np.zeros((len(X_test), n_classes)), []
    for t in range(n_rounds):
        scores += booster.predict(X_test, start_iteration=t, num_iteration=1, raw_score=True)
        errors.append(float((scores.argmax(axis=1) != y_test).mean()))
    return {"times": times, "errors": errors}


def child(library: str, name: str, raw: Path, n_inner_nodes: int, n_rounds: int) -> None:
    """Measure one library on one data set and print what was found."""
    data = load(name, raw)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = {"ours": ours, "lightgbm": lightgbm}[library](data, n_inner_nodes, n_rounds)
    found["peak_mib"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(json.dumps(found))


def measure(library: str, name: str, raw: Path, n_inner_nodes: int, n_rounds: int) -> dict:
    """Run `child` in a process of its own."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    arguments = ["--child", library, name, str(raw), str(n_inner_nodes), str(n_rounds)]
    command = [sys.executable, __file__, *arguments]
    found = json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    found["ms_per_round"] = 1000 * (found["times"][-1] - found["times"][1]) / (len(found["times"]) - 2)
    return found


def seconds_to(found: dict, error: float) -> float:
    """CPU seconds from the start, preparation included, until the test error is at most `error`."""
    reached = np.flatnonzero(np.array(found["errors"]) <= error)
    return found["times"][reached[0] + 1] - found["times"][0] if len(reached) else float("nan")


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


def compare_rounds(names: list[str], raw: Path, repeats: int) -> None:
    """Print CPU time and memory a round, pair by pair."""
    print(f"CPU milliseconds a round, median of {repeats} pairs (ratio: LightGBM / ours, least to most)")
    print("| data set | N | ours | LightGBM | ratio | peak memory, ours | LightGBM |\n|---|---|---|---|---|---|---|")
    for name in names:
        n_inner_nodes, n_rounds = SHAPES[name]
        pairs = [
            (
                measure("ours", name, raw, n_inner_nodes, n_rounds),
                measure("lightgbm", name, raw, n_inner_nodes, n_rounds),
            )
            for _ in range(repeats)
        ]
        a, b = ([p[i]["ms_per_round"] for p in pairs] for i in (0, 1))
        ratios = sorted(y / x for x, y in zip(a, b, strict=True))
        memory = [statistics.median(p[i]["peak_mib"] for p in pairs) for i in (0, 1)]
        print(
            f"| {name} | {n_inner_nodes} | {statistics.median(a):.2f} | {statistics.median(b):.1f} "
            f"| {statistics.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f}) "
            f"| {memory[0]:.0f} MiB | {memory[1]:.0f} MiB |",
            flush=True,
        )


def letter_to_error(raw: Path) -> None:
    """Print letter's error at T = 2000 and the time to LightGBM's best error."""
    found = measure("ours", "letter", raw, 20, 2000)
    rival = measure("lightgbm", "letter", raw, 20, 500)
    seconds = found["times"][-1] - found["times"][0]
    print(f"letter, N = 20, T = 2000: test error {100 * found['errors'][-1]:.2f} % in {seconds:.1f} CPU s")
    mine, theirs = seconds_to(found, TARGET_ERROR), seconds_to(rival, TARGET_ERROR)
    least = 100 * min(rival["errors"])
    print(
        f"letter, time to {100 * TARGET_ERROR:.2f} %: ours {mine:.2f} s, LightGBM {theirs:.2f} s "
        f"(ratio {theirs / mine:.1f}; its least error in 500 rounds is {least:.2f} %)"
    )


def digits_lines(raw: Path) -> None:
    """Print the digits lines of the original program's settings."""
    for n_inner_nodes in (8, 19):
        found = measure("ours", "digits", raw, n_inner_nodes, 1000)
        error, seconds = 100 * found["errors"][-1], found["times"][-1] - found["times"][0]
        print(f"digits, N = {n_inner_nodes}, T = 1000: test error {error:.2f} % in {seconds:.2f} CPU s")


def main() -> None:
    """Measure everything, or be one measurement (``--child``)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--child", nargs=5, metavar=("LIBRARY", "DATASET", "RAW", "N", "T"), help=argparse.SUPPRESS)
    parser.add_argument("--repeats", type=int, default=5, help="pairs for each data set")
    parser.add_argument("--datasets", nargs="+", choices=list(SHAPES), default=list(SHAPES))
    arguments = parser.parse_args()
    if arguments.child:
        library, name, raw, n_inner_nodes, n_rounds = arguments.child
        child(library, name, Path(raw), int(n_inner_nodes), int(n_rounds))
        return
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder)
        names = fetched(arguments.datasets, raw)
        compare_rounds(names, raw, arguments.repeats)
        if "digits" in names:
            digits_lines(raw)
        if "letter" in names:
            letter_to_error(raw)


if __name__ == "__main__":
    main()
