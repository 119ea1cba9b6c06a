"""What data sets hold, counted from their tables without their features, beside what a paper prints of them."""

import dataclasses

import numpy as np
import pytest
from scipy.sparse import csr_array

from algos.datasets.storage import read_table, write_table
from algos.datasets.table import Table
from algos.exceptions import InputError
from algos.experiments.dataset_statistics import DATASETS, dataset_rows, datasets_layout, published_dataset_rows

X = np.arange(12.0).reshape(4, 3)
SINGLE = Table(
    X=X,
    feature_names=list("abc"),
    label_names=["no", "yes"],
    y=np.array(["no", "yes", "yes", "no"]),
    split=np.array(["train", "train", "train", "test"]),
    roles=np.array(["sample", "sample", "jittered", "sample"]),
)
MULTI = Table(
    X=csr_array(X),
    feature_names=list("abc"),
    label_names=["p", "q"],
    Y=np.array([[0, 1], [1, 1], [0, 0], [1, 0]], dtype=np.int8),
)
IMAGES = Table(X=np.empty((4, 0)), feature_names=[], label_names=["no", "yes"], y=SINGLE.y)


@pytest.fixture
def stored(tmp_path):
    for name, table in (("single", SINGLE), ("multi", MULTI), ("images", IMAGES)):
        write_table(table, tmp_path / f"{name}.parquet")
    return {name: tmp_path / f"{name}.parquet" for name in ("single", "multi", "images")}


def printed(tmp_path, *lines):
    path = tmp_path / "printed.csv"
    path.write_text("\n".join(["dataset,n,d,L,label_cardinality,label_density", *lines]) + "\n")
    return path


@pytest.mark.parametrize("table", [SINGLE, MULTI], ids=["dense", "sparse"])
def test_a_table_is_read_without_its_features(table, tmp_path):
    write_table(table, tmp_path / "t.parquet")
    whole, bare = read_table(tmp_path / "t.parquet"), read_table(tmp_path / "t.parquet", features=False)
    assert bare.X.shape == (4, 0)
    for field in dataclasses.fields(Table):
        if field.name != "X":
            np.testing.assert_array_equal(getattr(bare, field.name), getattr(whole, field.name))


def test_samples_features_and_labels_are_counted(stored):
    single, multi, images = dataset_rows(stored)
    assert all(list(row) == list(DATASETS) for row in (single, multi, images))
    # The jittered row is no sample.
    assert [single[key] for key in ("n_samples", "n_features", "n_classes")] == [3, 3, 2]
    assert (single["n_designated_train"], single["n_designated_test"]) == (2, 1)
    assert single["cardinality"] is None
    assert (multi["n_samples"], multi["cardinality"], multi["density"]) == (4, 1.0, 0.5)
    assert images["n_features"] is None


def test_a_printed_number_is_shown_where_it_is_another(stored, tmp_path):
    path = printed(tmp_path, "theirs,4,3,2,1.00,0.6")
    rows = dataset_rows({"multi": stored["multi"], "single": stored["single"]}, path, {"multi": "theirs"})
    layout = datasets_layout(rows, "Data sets")
    first, second = ([cell.text for cell in row] for row in layout.rows)
    assert layout.header[1:5] == ["samples", "features", "classes or labels", "labels a sample"]
    assert first == ["multi", "4", "3", "2", "1.00", "0.5 (print: 0.6)", "–"]
    assert second == ["single", "3", "3", "2", "–", "–", "2 / 1"]
    assert layout.notes == ["The print has multi; where its number is another, it is in brackets."]


def test_printed_rows_are_published_as_they_are_with_ours_beside(stored, tmp_path):
    path, aliases = printed(tmp_path, "theirs,4,3,2,1.00,0.6", "other,9,9,9,9,9"), {"multi": "theirs"}
    rows = published_dataset_rows(dataset_rows({"multi": stored["multi"]}, path, aliases), path, aliases)
    assert [row["dataset"] for row in rows] == ["theirs", "other"]
    assert (rows[0]["label_cardinality"], rows[0]["reproduced_cardinality"], rows[0]["note"]) == ("1.00", 1.0, "")
    assert (rows[1]["n"], rows[1]["reproduced_n_samples"], rows[1]["note"]) == ("9", None, "not run")


def test_images_have_no_features_yet(stored):
    layout = datasets_layout(dataset_rows({"images": stored["images"], "multi": stored["multi"]}), "Data sets")
    assert [row[2].text for row in layout.rows] == ["–", "3"]
    assert layout.notes == ["No features: images, whose features are made fold by fold."]


def test_printed_numbers_that_cannot_be_read_are_named(stored, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("name,n\nx,1\n")
    with pytest.raises(InputError, match=r"other.csv: what is printed of data sets cannot be read"):
        dataset_rows(stored, path)
