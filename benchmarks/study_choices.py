"""What the choices of SPBL and of two-pass exclusion do to digits: the tables of docs/methods/spbl.md and exclusion.md.

One process, one core; a line a setting as it is done. ``--only spbl`` takes four minutes of CPU time, ``--only
exclusion`` half a one.
"""

import argparse
import statistics
import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold

N_TRAIN, NOISE, SEEDS, EXCLUSION_SEEDS = 1000, 0.15, (0, 1, 2), range(10)

#: What each line of SPBL's table changes; the first is MultiBoost.
SPBL_SETTINGS: tuple[Mapping[str, Any], ...] = (
    {},
    {"pace": "per_class"},
    {"pace": "per_class", "pace_end": 0.85},
    {"pace_end": 0.85},
    {"weighting": "hard"},
    {"weighting": "linear"},
    {"weighting": "log"},
    {"zeta_ratio": 1},
    {"nu": 1e-5},
    {"nu": 1e-3},
    {"nu": 1e-2},
    {"ridge": 1e-5},
    {"ridge": 1e-4},
    {"ridge": 1e-3},
    {"base_max_iter": 5},
    {"base_max_iter": 20},
    {"base_max_iter": 50},
    {"weights_max_iter": 10},
    {"weights_max_iter": 200},
    {"weights_tol": 0.1},
)


def spread(errors: list[float]) -> str:
    """Mean of errors in percent, with the least and the most."""
    return f"{statistics.fmean(errors):.1f} ({min(errors):.1f} to {max(errors):.1f})"


def study_spbl() -> None:
    """Test error of SPBL's last iterate without and with wrong labels, a line a setting."""
    from algos.selfpaced import MultiBoostClassifier, SPBLClassifier

    models: list[tuple[str, Any, Mapping[str, Any]]] = [("MultiBoost", MultiBoostClassifier, {})]
    for setting in SPBL_SETTINGS:
        name = ", ".join(f"{key}={value!r}" for key, value in setting.items()) or "SPBL"
        models.append((name, SPBLClassifier, {"pace_factor": 1.02, **setting}))
    print("| setting | no noise | 15 % noise | CPU s, with noise |\n|---|---|---|---|")
    for name, model, params in models:
        plain = [spbl_error(model(random_state=seed, **params), seed, 0.0)[0] for seed in SEEDS]
        noisy, seconds = zip(
            *(spbl_error(model(random_state=seed, **params), seed, NOISE) for seed in SEEDS), strict=True
        )
        print(f"| {name} | {spread(plain)} | {spread(list(noisy))} | {statistics.fmean(seconds):.1f} |", flush=True)


def spbl_error(model: Any, seed: int, noise: float) -> tuple[float, float]:
    """Percent of the last 797 digits that are wrong, and CPU seconds of the fit to the first 1000."""
    from algos.features import add_label_noise

    X, y = load_digits(return_X_y=True)
    X, given = X / 16, y[:N_TRAIN]
    if noise:
        given, _ = add_label_noise(given, noise, seed)
    start = time.process_time()
    model.fit(X[:N_TRAIN], given)
    seconds = time.process_time() - start
    return 100 * (1 - model.score(X[N_TRAIN:], y[N_TRAIN:])), seconds


def study_exclusion() -> None:
    """Test average precision after one pass, and the gain by ways to exclude (mean and deviation of ten seeds)."""
    from algos.binary import AdaBoost, GentleBoost, LogitBoost

    print("| booster | first pass | outliers dropped | eta 100, peak 1 | eta 100, as printed |\n|---|---|---|---|---|")
    for booster in (AdaBoost, GentleBoost, LogitBoost):
        means = [
            np.mean([exclusion_precisions(booster(n_estimators=100), *part) for part in hard_digits(seed)], axis=0)
            for seed in EXCLUSION_SEEDS
        ]
        first = np.array(means)[:, :1]
        columns = " | ".join(f"{np.mean(gain):.1f} ± {np.std(gain, ddof=1):.1f}" for gain in (means - first).T[1:])
        print(f"| {booster.__name__} | {np.mean(first):.1f} | {columns} |", flush=True)


def hard_digits(seed: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Yield four folds of odd against even digits, features noisy; 40 even digits of a training part are called odd."""
    X, digit = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    X, odd = X + rng.normal(scale=4, size=X.shape), digit % 2
    for train, test in StratifiedKFold(4, shuffle=True, random_state=seed).split(X, odd):
        given = odd[train].copy()
        given[rng.choice(np.flatnonzero(given == 0), 40, replace=False)] = 1
        yield X[train], given, X[test], odd[test]


def exclusion_precisions(
    booster: Any, X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray
) -> list[float]:
    """Percent after one pass, without the outliers, and after a second pass with either height of their weight."""
    from algos.binary import TwoPassExclusion

    low, high = (TwoPassExclusion(booster, fraction=0.08, eta=100, peak=peak).fit(X, y) for peak in (1, None))
    kept = np.ones(len(y))
    kept[low.excluded_] = 0
    models = [low.first_pass_, clone(booster).fit(X, y, sample_weight=kept), low, high]
    return [100 * average_precision_score(y_test, model.decision_function(X_test)) for model in models]


STUDIES = {"spbl": study_spbl, "exclusion": study_exclusion}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=STUDIES, help="one of the two tables")
    only = parser.parse_args().only
    for name, study in STUDIES.items():
        if only in (None, name):
            study()
