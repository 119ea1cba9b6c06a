"""The papers' data as they are, where a mirror is named by ALGOS_DATA_MIRRORS."""

import re
from pathlib import Path

import numpy as np
import pytest

from algos.datasets import fetch, load_arff, load_registry, read_dataset, read_table, write_table

REGISTRY = load_registry(Path(__file__).parent.parent / "config" / "datasets.yaml")
# Patches are cut and described anew by each of twenty tables a set: tests of their own read small ones.
DOWNLOADED = [name for name, entry in REGISTRY.items() if entry["files"] and entry["reader"] != "voc_patches"]
N_TEST = {"isolet": 1559, "letter": 4000, "optdigits": 1797, "pendigits": 3498, "usps": 2007, "mnist": 10000}

pytestmark = pytest.mark.mirror


@pytest.mark.parametrize("name", DOWNLOADED)
def test_a_registered_set_reads_as_its_entry_says(name, mirror, tmp_path):
    entry = REGISTRY[name]
    if not any(
        (mirror / (source["folder"] or name) / source["file"]).is_file()
        for f in entry["files"]
        for source in f["sources"]
    ):
        pytest.skip(f"the mirror has no {name}")
    fetch(name, entry, tmp_path, [mirror])
    table = read_dataset(name, entry, tmp_path)  # checks the numbers of rows, features and classes
    if table.holds_images:
        assert table.X.shape == (entry["n_samples"],)
        assert {table.X[i].dtype for i in (0, -1)} == {np.dtype(np.uint8)}
    else:
        assert table.X.shape == (entry["n_samples"], entry["n_features"])
        assert np.isfinite(table.X.data if hasattr(table.X, "toarray") else table.X).all()
    n_test = 0 if table.split is None else np.count_nonzero(table.split == "test")
    assert n_test == N_TEST.get(name, 0)


@pytest.mark.parametrize("name", ["wine", "wdbc"])
def test_scikit_learn_has_the_same_rows(name, mirror, tmp_path):
    fetch(name, REGISTRY[name], tmp_path, [mirror])
    ours = read_dataset(name, REGISTRY[name], tmp_path)
    theirs = read_dataset(f"{name}_sklearn", REGISTRY[f"{name}_sklearn"], tmp_path)
    np.testing.assert_array_equal(ours.X, theirs.X)


def test_iris_differs_in_two_rows(mirror, tmp_path):
    fetch("iris", REGISTRY["iris"], tmp_path, [mirror])
    ours = read_dataset("iris", REGISTRY["iris"], tmp_path)
    theirs = read_dataset("iris_sklearn", REGISTRY["iris_sklearn"], tmp_path)
    assert np.flatnonzero((ours.X != theirs.X).any(axis=1)).tolist() == [34, 37]


@pytest.mark.parametrize("name", ["yeast", "enron", "mediamill_standin"])
def test_multi_label_arff_to_parquet_and_back(name, read_mirrored, tmp_path):
    table = read_mirrored(name)
    write_table(table, tmp_path / "t.parquet")
    back = read_table(tmp_path / "t.parquet")
    assert (back.X != table.X).sum() == 0
    np.testing.assert_array_equal(back.Y, table.Y)


def test_xml_in_another_order_than_the_columns(mirror, read_mirrored):
    """Enron's XML lists the labels in another order: by name, the columns of `Y` are what the file says they are."""
    table = read_mirrored("enron")
    listed = re.findall(r'name="([^"]+)"', (mirror / "enron" / "enron.xml").read_text())
    assert sorted(listed) == sorted(table.label_names)
    assert listed != table.label_names
    alone = load_arff(mirror / "enron" / "enron.arff.gz", labels=listed[:1], drop=listed[1:])
    np.testing.assert_array_equal(alone.Y[:, 0], table.Y[:, table.label_names.index(listed[0])])
