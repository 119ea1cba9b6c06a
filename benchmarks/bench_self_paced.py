"""SPBL: the digits lines of the authors' program, and time and memory at n = 15000, C = 256, d = 512 (made-up data).

Run by `make bench`. Each measurement is a process of its own on one core; times are CPU time. ``--rounds`` says how
many weak classifiers the large fit has, the first of which are cheap.
"""

import argparse
import json
import statistics
import time

import numpy as np
from pairs import in_own_process

from algos.experiments.records import peak_memory_mib, reset_peak_memory

AUTHORS = {"spbl": (5.65, 411), "multiboost": (6.5, 14)}  # the authors' program: percent error, seconds
N_SAMPLES, N_CLASSES, N_FEATURES, N_WEAK = 15000, 256, 512, 50


def digits(method: str) -> dict:
    """Error on the last 797 digits and CPU seconds, of the first 1000 as the authors' program was run on them."""
    from sklearn.datasets import load_digits

    from algos.selfpaced import MultiBoostClassifier, SPBLClassifier

    X, y = load_digits(return_X_y=True)
    X = X / 16
    spbl = method == "spbl"
    errors, seconds, rounds = [], [], []
    for seed in range(3 if spbl else 1):
        model = SPBLClassifier(n_estimators=181, random_state=seed) if spbl else MultiBoostClassifier()
        start = time.process_time()
        model.fit(X[:1000], y[:1000])
        seconds.append(time.process_time() - start)
        errors.append(100 * (1 - model.score(X[1000:], y[1000:])))
        rounds.append(model.n_estimators_)
    return {"errors": errors, "seconds": seconds, "rounds": rounds}


def loss_and_gradient() -> dict:
    """Milliseconds of the fused loss and gradient, and of NumPy's in float32, in turn."""
    from algos.selfpaced.weights_step import MarginObjective

    rng = np.random.default_rng(0)
    outputs = rng.random((N_WEAK, N_SAMPLES), dtype=np.float32)
    W = rng.random((N_WEAK, N_CLASSES), dtype=np.float32) * np.float32(0.2)
    y = rng.integers(0, N_CLASSES, N_SAMPLES).astype(np.int32)
    v = np.ones(N_SAMPLES, dtype=np.float32)
    loss, own = MarginObjective(outputs, y, v, N_CLASSES), np.arange(N_SAMPLES)

    def numpy_loss() -> tuple[float, np.ndarray]:
        scores = outputs.T @ W
        scores -= scores[own, y][:, None]
        np.exp(scores, out=scores)
        value = np.log1p(scores).sum()
        scores /= 1 + scores
        scores[own, y] = 0
        scores[own, y] = -scores.sum(axis=1)
        return float(value), outputs @ scores

    times: dict[str, list[float]] = {"fused": [], "numpy": []}
    for _ in range(30):
        for name, work in (("fused", lambda: loss(W)), ("numpy", numpy_loss)):
            start = time.process_time()
            work()
            times[name].append(1000 * (time.process_time() - start))
    return {name: {"least": min(found), "median": statistics.median(found)} for name, found in times.items()}


def large_fit(n_rounds: int) -> dict:
    """CPU seconds of each round at the paper's size, and the peak of memory."""
    from algos.selfpaced import SPBLClassifier

    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(N_SAMPLES) % N_CLASSES)
    centres = rng.normal(size=(N_CLASSES, N_FEATURES))
    # Variances fall off as those of principal components do.
    X = (0.5 * centres[y] + rng.normal(size=(N_SAMPLES, N_FEATURES))) / np.sqrt(1 + np.arange(N_FEATURES))
    since_reset = reset_peak_memory()
    before = peak_memory_mib(since_reset)
    times = [time.process_time()]
    model = SPBLClassifier(n_estimators=n_rounds, random_state=0)
    model.fit(X, y, monitor=lambda *_: times.append(time.process_time()))
    return {
        "rounds": np.diff(times).tolist(),
        "residuals": model.residuals_.tolist(),
        "peak_mib": peak_memory_mib(since_reset) - before,
    }


WORKS = {"digits": digits, "loss": loss_and_gradient, "large": lambda rounds: large_fit(int(rounds))}


def report(n_rounds: int) -> None:
    """Measure everything."""
    for method, (error, seconds) in AUTHORS.items():
        found = in_own_process("digits", method)
        mine = statistics.mean(found["seconds"])
        print(
            f"digits, {method}: test error {', '.join(f'{e:.2f}' for e in found['errors'])} % after "
            f"{', '.join(map(str, found['rounds']))} rounds in {mine:.1f} CPU s (the authors' program: {error} %, "
            f"{seconds} s, ratio {seconds / mine:.0f})",
            flush=True,
        )
    size = f"n = {N_SAMPLES}, C = {N_CLASSES}"
    found = in_own_process("loss")
    fused, plain = found["fused"], found["numpy"]
    print(
        f"loss and gradient, {size}, k = {N_WEAK}: median {fused['median']:.1f} ms (least {fused['least']:.1f}), "
        f"NumPy {plain['median']:.1f} ms (least {plain['least']:.1f})",
        flush=True,
    )
    found = in_own_process("large", str(n_rounds))
    rounds = found["rounds"]
    print(
        f"rounds of SPBL, {size}, d = {N_FEATURES}: median of the last ten {statistics.median(rounds[-10:]):.2f} "
        f"CPU s, longest {max(rounds):.2f}; growth of memory {found['peak_mib']:.0f} MiB; residual of W at most "
        f"{max(found['residuals']):.2g}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--child", nargs="+", metavar="WORK", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=50, help="weak classifiers of the large fit")
    parser.add_argument("--repeats", type=int, help="not used: the same options serve all benchmarks")
    arguments = parser.parse_args()
    if arguments.child:
        work, *options = arguments.child
        print(json.dumps(WORKS[work](*options)))
    else:
        report(arguments.rounds)
