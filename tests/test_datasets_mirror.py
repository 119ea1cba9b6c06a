"""The papers' data as they are, where a mirror is named by ALGOS_DATA_MIRRORS."""

from pathlib import Path

import numpy as np
import pytest

from algos.datasets import fetch, load_arff, load_registry, read_dataset, read_table, write_table

REGISTRY = load_registry(Path(__file__).parent.parent / "config" / "datasets.yaml")
DOWNLOADED = [name for name, entry in REGISTRY.items() if entry["files"]]
N_TEST = {"isolet": 1559, "letter": 4000, "optdigits": 1797, "pendigits": 3498, "usps": 2007, "mnist": 10000}
NOT_MIRRORED = {"voc2007"}

pytestmark = pytest.mark.mirror


@pytest.mark.parametrize("name", DOWNLOADED)
def test_a_registered_set_reads_as_its_entry_says(name, mirror, tmp_path):
    entry = REGISTRY[name]
    if not any(source["sha256"] for file in entry["files"] for source in file["sources"]):
        pytest.skip(f"{name} is to be had by download only")
    if name in NOT_MIRRORED:
        pytest.skip(f"the mirror has no {name}")
    fetch(name, entry, tmp_path, [mirror])
    table = read_dataset(name, entry, tmp_path)  # checks the numbers of rows, features and classes
    if table.holds_images:
        assert table.X.shape == (entry["n_samples"],)
        assert {table.X[i].dtype for i in (0, -1)} == {np.dtype(np.uint8)}
    else:
        assert table.X.shape == (entry["n_samples"], entry["n_features"])
        assert np.isfinite(table.X).all()
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


@pytest.mark.parametrize(
    ("name", "shape", "n_labels", "cardinality"),
    [("yeast", (2417, 103), 14, 4.237), ("enron", (1702, 1001), 53, 3.378)],
)
def test_multi_label_arff(name, shape, n_labels, cardinality, mirror, tmp_path):
    folder = mirror / name
    if not folder.is_dir():
        pytest.skip(f"the mirror has no {name}")
    table = load_arff(folder / f"{name}.arff.gz", labels=folder / f"{name}.xml")
    assert table.X.shape == shape
    assert table.Y.shape == (shape[0], n_labels)
    assert table.Y.sum(axis=1).mean() == pytest.approx(cardinality, abs=5e-4)
    write_table(table, tmp_path / "t.parquet")
    back = read_table(tmp_path / "t.parquet")
    assert (back.X != table.X).sum() == 0
    np.testing.assert_array_equal(back.Y, table.Y)
