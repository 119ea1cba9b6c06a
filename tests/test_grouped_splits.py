"""Repeated splits that part no group."""

import numpy as np
import pytest

from algos.evaluation import make_folds
from algos.evaluation.splits import fold_names
from algos.exceptions import InputError

PROTOCOL = {"kind": "repeated_grouped", "n_repeats": 6}


@pytest.fixture(scope="module")
def patches():
    """Rows as in a one-vs-rest task: images with 1 to 9 positives, and images with 4 negatives each."""
    rng = np.random.default_rng(0)
    per_image = np.concatenate([rng.integers(1, 10, 80), np.full(300, 4)])
    image = np.repeat(np.arange(380), per_image)
    y = np.where(image < 80, "positive", "negative")
    order = rng.permutation(len(y))
    return y[order], np.array([f"{i:06d}" for i in image])[order]


def test_no_group_is_parted_and_classes_keep_their_shares(patches):
    y, image = patches
    folds, notes = make_folds(y, PROTOCOL, seed=3, groups=image)
    assert [fold.name for fold in folds] == fold_names(PROTOCOL) == [f"s{i}" for i in range(6)]
    assert notes == []
    for fold in folds:
        assert not set(image[fold.train]) & set(image[fold.test])
        np.testing.assert_array_equal(np.sort(np.concatenate([fold.train, fold.test])), np.arange(len(y)))
        assert (np.diff(fold.train) > 0).all()
        for label in ("positive", "negative"):
            rows = np.count_nonzero(y == label)
            # Half of the largest group is as near as the last group can bring it.
            assert abs(np.count_nonzero(y[fold.test] == label) - rows / 3) <= 5


def test_splits_are_seeded_and_differ(patches):
    y, image = patches
    first, again = (make_folds(y, PROTOCOL, seed=3, groups=image)[0] for _ in range(2))
    other, _ = make_folds(y, PROTOCOL, seed=4, groups=image)
    assert all(np.array_equal(a.test, b.test) for a, b in zip(first, again, strict=True))
    assert len({fold.test.tobytes() for fold in first}) == 6
    assert np.array_equal(first[1].test, other[0].test)  # split i uses seed + i
    assert not np.array_equal(first[0].test, other[0].test)


def test_every_group_tests_in_its_share_of_the_splits(patches):
    y, image = patches
    folds, _ = make_folds(y, {**PROTOCOL, "n_repeats": 200}, seed=0, groups=image)
    names, group = np.unique(image, return_inverse=True)
    tested = np.mean([np.isin(np.arange(len(names)), group[fold.test]) for fold in folds], axis=0)
    sizes = np.bincount(group)
    assert tested.min() > 0.15
    assert tested.max() < 0.5
    for large in (sizes >= 8, sizes <= 2):  # neither kind is kept for one side
        assert tested[large].mean() == pytest.approx(1 / 3, abs=0.03)


def test_test_percent_and_mixed_groups():
    rng = np.random.default_rng(1)
    groups, y = rng.integers(0, 60, 900), rng.choice(5, 900, p=[0.5, 0.3, 0.1, 0.07, 0.03])
    folds, _ = make_folds(y, {**PROTOCOL, "test_percent": 20}, seed=0, groups=groups)
    for fold in folds:
        shares = np.bincount(y[fold.test], minlength=5) / np.bincount(y)
        assert shares[:3] == pytest.approx(np.full(3, 0.2), abs=0.08)
        assert (shares > 0).all()


def test_a_small_class_is_in_both_parts_where_it_can_be():
    y = np.array(["a"] * 11 + ["b"] * 100)
    groups = np.array([0] * 10 + [1] + list(range(2, 102)))  # ten rows of "a" in one group, one in another
    folds, notes = make_folds(y, {**PROTOCOL, "n_repeats": 20}, seed=0, groups=groups)
    assert notes == []
    assert all({"a", "b"} == set(y[fold.train]) == set(y[fold.test]) for fold in folds)
    whole = np.where(groups < 2, 0, groups)
    y[-1] = "c"
    folds, notes = make_folds(np.where(y == "a", "a", np.where(groups % 2, "b", "c")), PROTOCOL, 0, groups=whole)
    assert [note.split(" of 6 splits")[0][:35] for note in notes] == ["class 'a' is missing from the test "]


def test_refusals():
    y = np.array([0, 0, 1, 1])
    for wrong, says in (
        (lambda: make_folds(y, PROTOCOL, 0), "give each row its group"),
        (lambda: make_folds(y, PROTOCOL, 0, groups=[1, 2]), "give each row its group"),
        (lambda: make_folds(y, PROTOCOL, 0, groups=[1, 1, 1, 1]), "1 groups leaves one part empty"),
        (lambda: make_folds(y, {**PROTOCOL, "test_percent": 0}, 0, groups=[1, 2, 3, 4]), "leaves one part empty"),
        (lambda: make_folds(y, {**PROTOCOL, "test_percent": 60}, 0, groups=[1, 1, 2, 2]), "one class only"),
    ):
        with pytest.raises(InputError, match=says):
            wrong()
