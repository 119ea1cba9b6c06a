"""AdaBoost.MH's bases, AdaBoost.MM and SAMME: the original programs' lines on digits, and time to an error.

Run by `make bench`. Each measurement is a process of its own, on one core; times are CPU seconds. The original
programs' figures were measured once, at another time: trust the order of magnitude of their seconds. scikit-learn's
SAMME and the rivals are measured here, in turn with ours. Data sets that no mirror of ALGOS_DATA_MIRRORS holds are left
out, visibly.
"""

import time
from pathlib import Path

from pairs import Data, alternate, fitted, measure, ratio, run, seconds_to

# Name -> registry name and parameters.
METHODS = {
    "Hamming trees, N = 8": ("adaboost_mh_hamming_tree", {"n_inner_nodes": 8}),
    "Hamming trees, N = 19": ("adaboost_mh_hamming_tree", {"n_inner_nodes": 19}),
    "Hamming products, m = 3": ("adaboost_mh_hamming_product", {"n_factors": 3}),
    "Hamming products, m = 8": ("adaboost_mh_hamming_product", {"n_factors": 8}),
    "single-label trees (Zhu), J = 20": ("adaboost_mh_single_label_tree_zhu", {"max_leaf_nodes": 20}),
    "single-label trees (Mukherjee), J = 20": ("adaboost_mh_single_label_tree_mukherjee", {"max_leaf_nodes": 20}),
    "AdaBoost.MM, J = 20": ("adaboost_mm", {"max_leaf_nodes": 20}),
    "SAMME, J = 20": ("samme", {"max_leaf_nodes": 20}),
    "LightGBM, J = 21": ("lightgbm", {"max_leaf_nodes": 21}),
    "XGBoost, J = 21": ("xgboost", {"max_leaf_nodes": 21}),
    "random forest": ("random_forest", {}),
}
# Method and rounds on digits -> the original program, its error in percent and its seconds (None: not recorded).
LINES = {
    ("Hamming trees, N = 8", 1000): ("MultiBoost", 5.52, 13.4),
    ("Hamming trees, N = 19", 1000): ("MultiBoost", 4.89, 20.9),
    ("Hamming products, m = 3", 1000): ("MultiBoost", 5.52, 10.4),
    ("Hamming products, m = 8", 1000): ("MultiBoost", 6.52, 19.9),
    ("SAMME, J = 20", 200): ("scikit-learn", 5.90, None),
    ("single-label trees (Zhu), J = 20", 200): ("-", None, None),
    ("single-label trees (Mukherjee), J = 20", 200): ("-", None, None),
    ("AdaBoost.MM, J = 20", 200): ("-", None, None),
}
# Data set -> rounds in which an error is to be reached.
TARGETED = {"digits": 500, "pendigits": 300, "letter": 300}


def work_of(name: str):
    """What `measure` does for a method: fit it with so many rounds."""

    def work(data: Data, n_rounds: int) -> dict:
        from algos.experiments.methods import make_estimator

        method, params = METHODS[name]
        return fitted(make_estimator(method, {**params, "n_estimators": n_rounds}, 0), data)

    return work


def scikit_learn_samme(data: Data, n_rounds: int) -> dict:
    """scikit-learn's AdaBoostClassifier over the same trees."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    X, y, X_test, y_test = data
    started = time.process_time()
    model = AdaBoostClassifier(DecisionTreeClassifier(max_leaf_nodes=20), n_estimators=n_rounds, random_state=0)
    model.fit(X, y)
    times = [started, started, time.process_time()]  # it tells of no rounds
    return {"times": times, "errors": [float((stage != y_test).mean()) for stage in model.staged_predict(X_test)]}


def seconds(found: dict) -> float:
    """CPU seconds of the whole fit."""
    return found["times"][-1] - found["times"][0]


def figure(value: float | None, digits: int) -> str:
    """A number, or a dash for none."""
    return "-" if value is None else f"{value:.{digits}f}"


def digits_lines(raw: Path, repeats: int) -> None:
    """Print the digits lines of the original programs' settings."""
    print("digits: percent test error and CPU seconds, ours and the original programs'")
    print(
        "| method | T | error | original | seconds | original | faster | program |\n|---|---|---|---|---|---|---|---|"
    )
    for (name, n_rounds), (program, error, original) in LINES.items():
        (found,) = alternate(repeats, lambda: measure(name, "digits", raw, n_rounds))  # noqa: B023
        mine = sorted(map(seconds, found))[repeats // 2]
        faster = None if original is None else original / mine
        print(
            f"| {name} | {n_rounds} | {100 * found[0]['errors'][-1]:.2f} | {figure(error, 2)} | {mine:.2f} "
            f"| {figure(original, 1)} | {figure(faster, 0)} | {program} |",
            flush=True,
        )
    ours, theirs = alternate(
        repeats,
        lambda: measure("SAMME, J = 20", "digits", raw, 200),
        lambda: measure("scikit-learn SAMME", "digits", raw, 200),
    )
    print(
        f"SAMME, T = 200, scikit-learn in the same run: error {100 * theirs[0]['errors'][-1]:.2f} %, "
        f"seconds ours / scikit-learn {ratio(list(map(seconds, ours)), list(map(seconds, theirs)))}"
    )


def to_error(name: str, raw: Path) -> None:
    """Print each method's CPU seconds to LightGBM's least error, preparation included."""
    found = {method: measure(method, name, raw, TARGETED[name]) for method in METHODS}
    target = min(found["LightGBM, J = 21"]["errors"])
    print(
        f"{name}: CPU seconds to a test error of {100 * target:.2f} %, the least of LightGBM in {TARGETED[name]} rounds"
    )
    print("| method | seconds | rounds | least error, percent | at the end |\n|---|---|---|---|---|")
    for method, f in found.items():
        took, rounds = seconds_to(f, target)
        least, last = 100 * min(f["errors"]), 100 * f["errors"][-1]
        print(f"| {method} | {figure(took, 2)} | {figure(rounds, 0)} | {least:.2f} | {last:.2f} |", flush=True)


def report(names: list[str], raw: Path, repeats: int) -> None:
    """Measure everything."""
    if "digits" in names:
        digits_lines(raw, repeats)
    for name in names:
        to_error(name, raw)


if __name__ == "__main__":
    works = {name: work_of(name) for name in METHODS}
    works["scikit-learn SAMME"] = scikit_learn_samme
    run(__doc__, works, list(TARGETED), report, ("sklearn.ensemble", "xgboost"))
