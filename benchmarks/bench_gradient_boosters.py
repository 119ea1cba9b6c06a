"""LogitBoost, MART, ABC and AOSO trees against LightGBM's, and the original programs' lines on digits.

Run by `make bench`. Each measurement is a process of its own, on one core, ours and LightGBM's in turn; times are CPU
milliseconds a tree, and the ratio is taken pair by pair, since machines are noisy. All trees have 20 leaves of at
least 10 samples (AOSO: 1). Data sets that no mirror of ALGOS_DATA_MIRRORS holds are left out, visibly.
"""

from pathlib import Path

from pairs import Data, alternate, fitted, lightgbm, measure, median, ratio, run

LEAVES, LEAST = 20, 10
# Data set -> rounds of one tree a class.
SHAPES = {"digits": 100, "pendigits": 30, "letter": 12, "usps": 8, "isolet": 2}
# Method -> class, and trees grown in a round of K classes.
METHODS = {
    "logitboost": ("LogitBoostClassifier", lambda K: K),
    "mart": ("MARTClassifier", lambda K: K),
    "abc_logitboost": ("ABCLogitBoostClassifier", lambda K: K * (K - 1) // 2),
    "abc_mart": ("ABCMARTClassifier", lambda K: K * (K - 1) // 2),
    "aoso_logitboost": ("AOSOLogitBoostClassifier", lambda K: 1),
}
# Method and rounds -> error in percent and seconds of the original program on digits (None: not recorded).
ORIGINALS = {
    ("logitboost", 200): (7.90, 1.0),
    ("mart", 200): (8.78, 0.9),
    ("abc_logitboost", 200): (7.65, 9.4),
    ("abc_mart", 200): (8.28, 8.2),
    ("aoso_logitboost", 200): (7.53, None),
    ("aoso_logitboost", 500): (6.90, 8.9),
}


def work_of(method: str):
    """What `measure` does for a method: fit it with so many rounds."""

    def work(data: Data, n_rounds: int) -> dict:
        import algos.multiclass

        classifier = getattr(algos.multiclass, METHODS[method][0])
        found = fitted(classifier(n_estimators=n_rounds, max_leaf_nodes=LEAVES), data)
        return {**found, "n_classes": int(data[1].max()) + 1}

    return work


def rival(data: Data, n_rounds: int) -> dict:
    """LightGBM, with trees of the same size."""
    return {**lightgbm(data, LEAVES, n_rounds, LEAST), "n_classes": int(data[1].max()) + 1}


def rounds_of(method: str, name: str) -> int:
    """Rounds that take about as long as `SHAPES` of one tree a class; at least two beside the first."""
    return max(3, SHAPES[name] // 4 if method.startswith("abc") else SHAPES[name])


def ms_per_tree(found: list[dict], trees) -> list[float]:
    """Milliseconds a tree, from rounds of ``trees(K)`` trees."""
    return [f["ms_per_round"] / trees(f["n_classes"]) for f in found]


def compare_trees(names: list[str], raw: Path, repeats: int) -> None:
    """Print CPU time a tree, and a round, pair by pair."""
    print(f"CPU milliseconds a tree, median of {repeats} pairs (ratio: ours / LightGBM, least to most)")
    print("| data set | method | ours | LightGBM | ratio | ours, a round | LightGBM |\n|---|---|---|---|---|---|---|")
    for name in names:
        for method, (_, trees) in METHODS.items():
            ours, theirs = alternate(
                repeats,
                lambda: measure(method, name, raw, rounds_of(method, name)),  # noqa: B023
                lambda: measure("lightgbm", name, raw, max(3, SHAPES[name])),  # noqa: B023
            )
            a, b = ms_per_tree(ours, trees), ms_per_tree(theirs, lambda K: K)
            print(
                f"| {name} | {method} | {sorted(a)[len(a) // 2]:.3f} | {sorted(b)[len(b) // 2]:.3f} | {ratio(a, b)} "
                f"| {median(ours, 'ms_per_round'):.2f} | {median(theirs, 'ms_per_round'):.2f} |",
                flush=True,
            )


def digits_lines(raw: Path) -> None:
    """Print the digits lines of the original programs' settings."""
    print("digits, J = 20, nu = 0.1: percent test error and CPU seconds, ours and the original programs'")
    print("| method | T | error | original | seconds | original |\n|---|---|---|---|---|---|")
    for (method, n_rounds), (error, seconds) in ORIGINALS.items():
        found = measure(method, "digits", raw, n_rounds)
        mine = found["times"][-1] - found["times"][0]
        print(
            f"| {method} | {n_rounds} | {100 * found['errors'][-1]:.2f} | {error:.2f} | {mine:.2f} "
            f"| {'-' if seconds is None else seconds} |",
            flush=True,
        )


def report(names: list[str], raw: Path, repeats: int) -> None:
    """Measure everything."""
    compare_trees(names, raw, repeats)
    if "digits" in names:
        digits_lines(raw)


if __name__ == "__main__":
    run(__doc__, {**{method: work_of(method) for method in METHODS}, "lightgbm": rival}, list(SHAPES), report)
