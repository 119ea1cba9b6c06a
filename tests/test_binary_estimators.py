"""Binary boosters, linear SVM and two-pass exclusion: scikit-learn's contract."""

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
