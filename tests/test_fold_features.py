"""Features that are fitted fold by fold: on the training part only, shared by methods, whole or not at all."""

import numpy as np
import pytest

from algos.datasets.storage import read_table, write_table
from algos.datasets.table import Table
from algos.evaluation.splits import Fold
from algos.exceptions import InputError
from algos.experiments.fold_features import make_fold_features, read_fold_features
from algos.experiments.records import write_splits
from algos.features import PrincipalComponents, SpatialPyramid, StoredDescriptors, store_descriptors

TRAIN, TEST = np.arange(0, 12), np.arange(12, 20)


@pytest.fixture
def splits(tmp_path):
    write_splits([Fold("s0", TRAIN, TEST)], tmp_path / "splits.parquet")
    return tmp_path / "splits.parquet"


def test_principal_components_are_those_of_the_training_part(tmp_path, splits):
    X = np.random.default_rng(0).normal(size=(20, 6))
    y = np.array(["a", "b"] * 10)
    write_table(Table(X=X, y=y, feature_names=list("uvwxyz"), label_names=["a", "b"]), tmp_path / "t.parquet")
    make_fold_features(tmp_path / "t.parquet", splits, "s0", {"pca": {"n_components": 3}}, 7, tmp_path / "s0.npy")
    made = read_fold_features(tmp_path / "s0.npy")
    expected = PrincipalComponents(3, random_state=7).fit(X[TRAIN]).transform(X)
    assert made.dtype == np.float32
    np.testing.assert_array_equal(made, expected)
    X[TEST] += 100  # test rows do not change what training rows become
    write_table(Table(X=X, y=y, feature_names=list("uvwxyz"), label_names=["a", "b"]), tmp_path / "t.parquet")
    make_fold_features(tmp_path / "t.parquet", splits, "s0", {"pca": {"n_components": 3}}, 7, tmp_path / "s1.npy")
    np.testing.assert_array_equal(read_fold_features(tmp_path / "s1.npy")[TRAIN], made[TRAIN])


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("l1", [[0.1, 0.9, 0], [0, 0, 0]]),
        ("l2", [[1 / 82**0.5, 9 / 82**0.5, 0], [0, 0, 0]]),
        ("power", [[1 / 10**0.5, 3 / 10**0.5, 0], [0, 0, 0]]),
    ],
)
def test_rows_of_a_table_are_brought_to_one_scale(tmp_path, splits, how, expected):
    make_fold_features(
        _table(tmp_path, [[1, 9, 0], [0, 0, 0]]), splits, "s0", {"normalise": how}, 0, tmp_path / "o.npy"
    )
    np.testing.assert_allclose(read_fold_features(tmp_path / "o.npy")[:2], expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("value", "message"),
    [(-2, r"takes square roots, and a value is -2; use l2"), (np.nan, r"missing values .* fill them")],
)
def test_rows_that_cannot_be_normalised_are_named(tmp_path, splits, value, message):
    with pytest.raises(InputError, match=rf"t.parquet: .*{message}"):
        make_fold_features(
            _table(tmp_path, [[1, value, 0]]), splits, "s0", {"normalise": "power"}, 0, tmp_path / "o.npy"
        )
    assert not (tmp_path / "o.npy").exists()


def _table(tmp_path, rows):
    """A table of 20 rows of three features, the given ones first."""
    X = np.ones((20, 3))
    X[: len(rows)] = rows
    y = np.array(["a", "b"] * 10)
    write_table(Table(X=X, y=y, feature_names=list("uvw"), label_names=["a", "b"]), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_the_dictionary_is_learnt_from_training_images(tmp_path, splits):
    images = [np.random.default_rng(i).integers(0, 256, (40, 48), dtype=np.uint8) for i in range(20)]
    store_descriptors(images, tmp_path / "d.arrow")
    settings = {"spatial_pyramid": {"n_words": 5, "n_levels": 2}}
    make_fold_features(tmp_path / "d.arrow", splits, "s0", settings, 3, tmp_path / "s0.npy")
    stored = StoredDescriptors(tmp_path / "d.arrow")
    pyramid = SpatialPyramid(5, n_levels=2, random_state=3).fit(stored[TRAIN])
    np.testing.assert_array_equal(read_fold_features(tmp_path / "s0.npy"), pyramid.transform(stored))


def test_a_table_of_images_keeps_its_labels(tmp_path):
    images = np.empty(4, dtype=object)
    table = Table(X=images, y=np.array(["a", "b", "a", "b"]), feature_names=[], label_names=["a", "b"])
    write_table(table, tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet")
    assert read.X.shape == (4, 0)
    assert read.y.tolist() == ["a", "b", "a", "b"]


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / "s0.npy").write_bytes(b"\x93NUMPY no")
    with pytest.raises(
        InputError, match=r"s0.npy: the features of the fold cannot be read .*; delete it and run again"
    ):
        read_fold_features(tmp_path / "s0.npy")
