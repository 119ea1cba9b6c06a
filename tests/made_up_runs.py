"""Run records made up by hand, for the tests of tables, figures, report and published results."""

import json

from algos.experiments.tables import ShownMethod

METHODS = {
    "tree": ShownMethod("AdaBoost.MH, Hamming trees", ("ADABOOST.MH w Hamming trees",)),
    "svm": ShownMethod("SVM, Gaussian kernel", ("SVM (Gaussian kernel)",)),
    "stump": ShownMethod("AdaBoost.MH, stumps"),
    "rival": ShownMethod("Random forest", rival=True),
}

VERSIONS = {"python": "3.11.2", "algos": "0.1.0", "numpy": "2.4.6", "scipy": "1.17.1", "scikit-learn": "1.8.0"}


def make_record(dataset="wine", method="tree", fold="r0f0", error=0.1, n_test=100, **changes):
    """A record of the run-record schema; `changes` replace its entries."""
    staged = method != "svm"
    record = {
        "schema": 1,
        "experiment": "demo",
        "dataset": dataset,
        "method": method,
        "fold": fold,
        "n_train": 900,
        "n_test": n_test,
        "n_features": 13,
        "n_classes": 3,
        "chosen": {"n_inner_nodes": 4, "n_estimators": 60} if staged else {"C": 10.0, "gamma": 0.1},
        "metrics": {"test_error": error},
        "selection": _staged_selection(error) if staged else _plain_selection(error),
        "curve": _curve(error) if staged else None,
        "seed": 2014,
        "versions": VERSIONS,
        "cost": {
            "selection_cpu_seconds": 2.0,
            "fit_cpu_seconds": 1.0,
            "wall_seconds": 4.0,
            "peak_memory_mib": 120.0,
        },
    }
    return record | changes


def _curve(error):
    rounds = range(1, 101)
    return {
        "train_error": [max(0.0, 0.5 / t - 0.02) for t in rounds],
        "test_error": [error + 0.4 / t for t in rounds],
        "stopped_at": 60,
    }


def _staged_selection(error):
    candidates = [
        {"params": {"n_inner_nodes": n}, "n_rounds": rounds, "validation_error": error + extra}
        for n, rounds, extra in ((1, 90, 0.05), (2, 70, 0.03), (4, 60, 0.01), (8, 55, 0.02))
    ]
    curve = [error + 0.01 + 0.4 / t for t in range(1, 101)]
    return {"criterion": "smoothed", "n_inner_folds": 5, "candidates": candidates, "validation_curve": curve}


def _plain_selection(error):
    candidates = [
        {"params": {"C": C, "gamma": 0.1}, "n_rounds": None, "validation_error": error + extra}
        for C, extra in ((1.0, 0.02), (10.0, 0.01))
    ]
    return {"criterion": "mean error", "n_inner_folds": 5, "candidates": candidates, "validation_curve": None}


def write_records(folder, records):
    """Write records as JSON files; return their paths in the order given."""
    paths = []
    for i, record in enumerate(records):
        path = folder / f"{i:03d}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record), encoding="utf-8")
        paths.append(path)
    return paths


def write_reported(folder, lines, name="printed", header="dataset,method,test_error_percent,std_percent"):
    """Write a file of printed numbers; return its path."""
    path = folder / f"{name}.csv"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    return path


def nine_small_sets():
    """Two methods on nine data sets with ten folds: what table 2 of the paper needs."""
    errors = {
        "balance": (0.05, 0.05),
        "blood": (0.21, 0.25),
        "wdbc": (0.03, 0.02),
        "breast": (0.28, 0.35),
        "ecoli": (0.15, 0.17),
        "iris": (0.06, 0.05),
        "pima": (0.25, 0.24),
        "sonar": (0.12, 0.13),
        "wine": (0.03, 0.03),
    }
    return [
        make_record(dataset, method, f"r0f{fold}", error + 0.002 * (fold - 4.5))
        for dataset, pair in errors.items()
        for method, error in zip(("tree", "svm"), pair, strict=True)
        for fold in range(10)
    ]


def look_of(line):
    """Colour, line style and marker of a drawn line: what tells methods apart."""
    _, dashes = line._unscaled_dash_pattern  # get_linestyle says "--" of all dashes
    return line.get_color(), line.get_linestyle(), str(dashes), str(line.get_marker())
