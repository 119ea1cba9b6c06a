"""Rows that train beside a fold's samples where a method asks for them: jittered positives, mined hard negatives."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from algos.evaluation.preprocessing import make_preprocessor
from algos.evaluation.selection import expand_grid
from algos.evaluation.splits import Fold
from algos.exceptions import InputError
from algos.experiments.methods import make_estimator

#: Their roles in a table.
JITTERED, CANDIDATE = "jittered", "candidate"


def added_rows(table: Any, X: Any, fold: Fold, settings: Mapping[str, Any]) -> tuple[np.ndarray, dict[str, int]]:
    """Choose the rows that train beside the samples of a fold.

    Hard negatives are mined once: a first model, of the first values of the grid, is trained on the samples (and the
    jittered ones), and of the candidates those with the highest scores are taken.

    Parameters
    ----------
    table : algos.datasets.table.Table
        The data set.
    X : matrix of shape (n_rows, n_features)
        Its features as the method takes them.
    fold : Fold
        Its `extra` rows are those that may be added.
    settings : dict
        `algos.experiments.config.Experiment.training`; ``more_rows`` says what the method asks for.

    Returns
    -------
    rows : ndarray of int
        Rows of the table.
    counts : dict
        Role -> how many of them.

    Raises
    ------
    InputError
        When the data set has no rows of a kind that is asked for.
    """
    wanted, none = settings["more_rows"], np.empty(0, dtype=int)
    jittered = _of_role(table, fold, JITTERED) if wanted.get("jittered") else none
    if not wanted.get("hard_negatives"):
        return jittered, {JITTERED: len(jittered)} if len(jittered) else {}
    candidates = _of_role(table, fold, CANDIDATE)
    train = np.concatenate([fold.train, jittered])
    labels = np.concatenate([fold.given(table.y), table.y[jittered]])
    preprocessor = make_preprocessor(settings["preprocess"])
    params = {**settings["params"], **expand_grid(settings["grid"])[0]}
    model = make_estimator(settings["registered"], params, settings["seed"])
    model.fit(preprocessor.fit_transform(X[train]), labels)
    scores = model.decision_function(preprocessor.transform(X[candidates]))
    hard = candidates[np.argsort(-scores, kind="stable")[: wanted["hard_negatives"]]]
    return np.concatenate([jittered, hard]), {JITTERED: len(jittered), CANDIDATE: len(hard)}


def _of_role(table: Any, fold: Fold, role: str) -> np.ndarray:
    extra = np.empty(0, dtype=int) if fold.extra is None else fold.extra
    rows = extra[table.roles[extra] == role] if len(extra) else extra
    if len(rows) == 0:
        raise InputError(f"the method asks for more rows of the kind {role!r}, and the data set has none to train on")
    return rows
