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
