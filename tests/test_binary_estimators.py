"""Binary boosters, linear SVM and two-pass exclusion: scikit-learn's contract, and the examples of their pages."""

import doctest
import importlib
import re
from pathlib import Path

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from algos.binary import (
    AdaBoost,
    GentleBoost,
    LinearSVM,
    LogitBoost,
    RobustBoost,
    TangentBoost,
    TwoPassExclusion,
)

BOOSTERS = (AdaBoost, GentleBoost, LogitBoost, RobustBoost, TangentBoost)


@parametrize_with_checks(
    [
        *(booster(n_estimators=20) for booster in BOOSTERS),
        RobustBoost(n_estimators=20, rules="stump", erf="standard"),
        LinearSVM(),
        TwoPassExclusion(AdaBoost(n_estimators=20), fraction=0.1),
        TwoPassExclusion(LinearSVM(), fraction=0.1),
    ],
    expected_failed_checks=lambda estimator: (
        {"check_sample_weight_equivalence_on_dense_data": "a fraction of the samples, whatever they weigh, is excluded"}
        if isinstance(estimator, TwoPassExclusion)
        else {}
    ),
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "module", ["adaboost", "exclusion", "gentleboost", "linear_svm", "logitboost", "robustboost", "tangentboost"]
)
def test_examples_print_what_they_say(module):
    result = doctest.testmod(importlib.import_module(f"algos.binary.{module}"))
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("page", ["binary_boosters", "exclusion"])
def test_examples_of_the_pages_run(page):
    text = (Path(__file__).parent.parent / "docs" / "methods" / f"{page}.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = {}
    exec(example, names)
    assert names["model"].score(names["X"], names["y"]) > 0.9
