"""Binary boosted stumps against LightGBM with two leaves and scikit-learn's AdaBoost, and JBoost's lines on digits.

Run by `make bench`. Each measurement is a process of its own, on one core, ours and the rivals' in turn; times are CPU
milliseconds a round, and ratios are taken pair by pair, since machines are noisy. The data are made up: 5000 rows of
2000 normal features, labels from 30 of them with noise, the same in every process.
"""

from pathlib import Path

import numpy as np
from pairs import Data, alternate, fitted, lightgbm, measure, median, ratio, run

ROWS, FEATURES = 5000, 2000
ROUNDS = {"adaboost": 50, "gentleboost": 50, "logitboost": 50, "robustboost": 30, "lightgbm": 50, "sklearn": 3}
CLASSES = {
    "adaboost": ("AdaBoost", {}),
    "gentleboost": ("GentleBoost", {}),
    "logitboost": ("LogitBoost", {}),
    "robustboost": ("RobustBoost", {"error_goal": 0.01}),
}
# Error goal -> rounds and percent error of JBoost's RobustBoost on odd against even digits.
JBOOST = {0.01: (102, 8.41), 0.02: (66, 8.66), 0.03: (53, 9.79), 0.05: (27, 10.92), 0.1: (12, 14.55), 0.15: (5, 14.68)}
# Ours -> percent error of JBoost's AdaBoost and LogLoss after 200 rounds.
JBOOST_CONVEX = {"AdaBoost": 8.78, "LogitBoost": 8.28}


def made_up() -> Data:
    """X, y, and a short test part."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS + 100, FEATURES))
    noise = 0.5 * rng.normal(size=len(X))
    y = (X[:, :30] @ rng.normal(size=30) / 3 + noise > 0).astype(int)
    return X[:ROWS], y[:ROWS], X[ROWS:], y[ROWS:]


def work_of(name: str):
    """What `measure` does for a booster of ours."""

    def work(_: Data) -> dict:
        import algos.binary

        class_name, options = CLASSES[name]
        return fitted(getattr(algos.binary, class_name)(n_estimators=ROUNDS[name], **options), made_up())

    return work


def lightgbm_stumps(_: Data) -> dict:
    """LightGBM: one tree of two leaves a round, 255 bins."""
    return lightgbm(made_up(), 2, ROUNDS["lightgbm"], objective="binary")


def sklearn_adaboost(_: Data) -> dict:
    """scikit-learn: the difference between fits of one round and of more; its loop cannot be watched."""
    import time

    from sklearn.ensemble import AdaBoostClassifier

    X, y, X_test, y_test = made_up()
    times = []
    for n_rounds in (1, ROUNDS["sklearn"]):
        start = time.process_time()
        model = AdaBoostClassifier(n_estimators=n_rounds).fit(X, y)
        times.append(time.process_time() - start)
    each = (times[1] - times[0]) / (ROUNDS["sklearn"] - 1)
    return {"times": [0.0, each, 2 * each], "errors": [1 - model.score(X_test, y_test)]}


def compare_rounds(raw: Path, repeats: int) -> None:
    """Print CPU time a round, pair by pair."""
    works = [*CLASSES, "lightgbm", "sklearn"]
    found = alternate(repeats, *(lambda work=work: measure(work, "digits", raw) for work in works))
    found = dict(zip(works, found, strict=True))
    rival = [f["ms_per_round"] for f in found["lightgbm"]]
    print(f"CPU milliseconds a round on {ROWS} x {FEATURES}, median of {repeats} (ratio: it / LightGBM, least to most)")
    print("| method | ms a round | it / LightGBM |\n|---|---|---|")
    for work in works:
        own = [f["ms_per_round"] for f in found[work]]
        print(f"| {work} | {median(found[work], 'ms_per_round'):.2f} | {ratio(own, rival)} |")


def compare_digits() -> None:
    """Print rounds and test error beside JBoost's."""
    from sklearn.datasets import load_digits

    import algos.binary

    X, y = load_digits(return_X_y=True)
    y = y % 2
    kinds = [(rules, erf) for erf in ("standard", "unit") for rules in ("branches", "stump")]
    print("\nRobustBoost, odd against even digits: rounds / percent error (binomial std 1.0 points)")
    print("| error goal | JBoost |", " | ".join(f"{rules}, {erf} erf" for rules, erf in kinds), "|")
    print("|---|---|" + "---|" * len(kinds))
    for goal, (rounds, error) in JBOOST.items():
        cells = []
        for rules, erf in kinds:
            model = algos.binary.RobustBoost(error_goal=goal, rules=rules, erf=erf).fit(X[:1000], y[:1000])
            cells.append(f"{model.n_estimators_} / {100 * (1 - model.score(X[1000:], y[1000:])):.2f}")
        print(f"| {goal} | {rounds} / {error:.2f} |", " | ".join(cells), "|")
    print("\n| 200 rounds | JBoost | ours |\n|---|---|---|")
    for name, error in JBOOST_CONVEX.items():
        model = getattr(algos.binary, name)(n_estimators=200).fit(X[:1000], y[:1000])
        print(f"| {name} | {error:.2f} | {100 * (1 - model.score(X[1000:], y[1000:])):.2f} |")


def report(_: list[str], raw: Path, repeats: int) -> None:
    """Print everything."""
    compare_rounds(raw, repeats)
    compare_digits()


if __name__ == "__main__":
    works = {**{name: work_of(name) for name in CLASSES}, "lightgbm": lightgbm_stumps, "sklearn": sklearn_adaboost}
    run(__doc__, works, ["digits"], report)
