"""The registry: its checks, a user's own entries, and reading by entry."""

import csv
import hashlib
from pathlib import Path

import numpy as np
import pytest
import yaml

from algos.datasets import has_split, load_registry, raw_paths, read_dataset
from algos.exceptions import InputError

ROOT = Path(__file__).parent.parent
REGISTRY = ROOT / "config" / "datasets.yaml"
SCHEMA = ROOT / "workflow" / "schemas" / "datasets.schema.yaml"
TABLE_1 = {"isolet", "letter", "optdigits", "pendigits", "usps"}
TABLE_2 = {"balance", "blood", "wdbc", "breast", "ecoli", "iris", "pima", "sonar", "wine"}
MULTI_LABEL = {"enron", "yeast", "corel5k", "bibtex", "eurlex", "mediamill"}
BUILTIN = {"digits", "wine_sklearn", "wdbc_sklearn", "iris_sklearn", "faces", "digit_3", "digit_8", "digits_odd"}
# The mirror does not have them, and their checksums are not known.
DOWNLOADS = {"caltech256", "caltech101", "awa_decaf", "eurlex", "mediamill"}
STAND_INS = {
    f"{name}_standin"
    for name in (
        "corel5k_images",
        "caltech101_20",
        "caltech256_clip",
        "awa_sift",
        "awa_phog",
        "voc2007_subset",
        "mediamill",
        "voc07",
    )
}
CSV = "a,b,class\n1,2,x\n3,4,y\n5,6,x\n7,8,y\n"


@pytest.fixture(scope="module")
def registry():
    return load_registry(REGISTRY)


@pytest.fixture
def toy():
    """A complete entry, to be made wrong."""
    return {
        "title": "Toy", "task": "single-label", "reader": "csv", "target": "class",
        "files": [{"name": "toy.csv", "url": "https://example.org/toy.csv", "sha256": None}],
        "n_samples": 4, "n_features": 2, "n_classes": 2, "licence": "none", "paper": "none",
    }  # fmt: skip


@pytest.fixture
def load(tmp_path):
    """Load a registry given as a dict."""

    def write(entries, user=None):
        path = tmp_path / "datasets.yaml"
        path.write_text(yaml.safe_dump(entries))
        return load_registry(path, user, schema=SCHEMA)

    return write


def refusal(function, *args):
    """Return the sentence with which something is refused."""
    with pytest.raises(InputError) as caught:
        function(*args)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- the registry that is shipped ------------------------------------------------------------------------------------
def test_the_papers_sets_are_registered(registry):
    assert TABLE_1 | TABLE_2 | BUILTIN | MULTI_LABEL | {"mnist", "breast_ljubljana"} <= set(registry)
    assert {entry.get("family", name) for name, entry in registry.items()} >= DOWNLOADS | STAND_INS


def test_multi_label_sets_are_those_of_the_papers_table(registry):
    with open(ROOT / "config" / "reported" / "privileged_multilabel_table1.csv") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["dataset"] for row in rows} == MULTI_LABEL
    for row in rows:
        entry = registry[row["dataset"]]
        found = (entry["n_samples"], entry["n_features"], entry["n_classes"])
        assert found == (int(row["n"]), int(row["d"]), int(row["L"]))
        assert entry["cardinality"] == float(row["label_cardinality"])
        assert entry["cardinality"] / entry["n_classes"] == pytest.approx(float(row["label_density"]), abs=6e-4)


def test_designated_splits(registry):
    assert {name for name, entry in registry.items() if has_split(entry)} == TABLE_1 | {"mnist", "digits"}


def test_every_file_has_an_official_address_and_the_mirror_a_checksum(registry):
    for name, entry in registry.items():
        for file in entry["files"]:
            stand_in = entry.get("family", name) in STAND_INS
            assert any(source["urls"] for source in file["sources"]) or file["archive"] or stand_in, name
            assert file["sources"][0]["sha256"] or name in DOWNLOADS, name


def test_a_stand_in_says_so_and_never_bears_the_originals_name(registry):
    stand_ins = {name: entry for name, entry in registry.items() if "standin" in name}
    assert {entry.get("family", name) for name, entry in stand_ins.items()} == STAND_INS
    for entry in stand_ins.values():
        assert "stand-in" in entry["title"]
        assert entry["note"].startswith("A stand-in for ")
        assert entry["paper"].startswith("none (stand-in for ")


def test_entries_are_plain_json(registry):
    assert yaml.safe_load(yaml.safe_dump(registry)) == registry


@pytest.mark.parametrize("name", sorted(BUILTIN))
def test_builtin_sets_read_without_files(registry, name, tmp_path):
    table = read_dataset(name, registry[name], tmp_path)
    assert table.n_samples == registry[name]["n_samples"]
    assert raw_paths(name, registry[name], tmp_path) == []
    assert table.notes[0] == registry[name]["note"]


def test_digits_split(registry, tmp_path):
    split = read_dataset("digits", registry["digits"], tmp_path).split
    assert (split[:1000] == "train").all()
    assert (split[1000:] == "test").all()
    assert len(split) == 1797


# --- mistakes --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"readers": "csv"}, "toy: unknown key 'readers'; the nearest is 'reader'"),
        ({"reader": "cvs"}, "toy.reader: 'cvs' is not among"),
        ({"reader": "cvs"}, "the nearest is 'csv'"),
        ({"n_samples": "4"}, "toy.n_samples: '4' should be of type integer"),
        ({"target": True}, "put quotes"),
        ({"task": None}, "toy.task"),
        ({"title": ...}, "the key 'title' is missing"),
        ({"sheet": "Data"}, "the reader 'csv' has no option 'sheet'"),
        ({"n_features": 0}, "toy.n_features"),
        ({"split": {"first": 3}}, "unknown key 'first'; the nearest is 'train_first'"),
        ({"split": {"train_first": 3}, "missing": "drop_rows"}, "would shift the rows"),
        ({"files": []}, "`files` must name a file for the reader 'csv'"),
        ({"files": [{"name": "a", "role": "images"}]}, "no files of role 'images'"),
        ({"files": [{"name": "../a"}]}, "'../a' does not match"),
        ({"files": [{"name": ".a"}]}, "'.a' does not match"),
        ({"files": [{"name": "a/b"}]}, "'a/b' does not match"),
        ({"files": [{"name": "a", "url": "file:///etc/passwd"}]}, "does not match"),
        ({"files": [{"name": "a", "sha256": "abc"}]}, "does not match"),
        ({"files": [{"url": "https://example.org/a"}]}, "toy.files.0"),
        ({"files": [{"name": "a", "part": "train"}, {"name": "b"}]}, "1 of 2 files have a `part`"),
        ({"files": [{"name": "a", "part": "train"}], "split": {"train_first": 2}}, "has both `split` and parts"),
        ({"reader": "xls", "files": ["a", "b"]}, "takes one file"),
        (
            {"reader": "arff", "target": ..., "labels": 3, "files": ["a", {"name": "b", "role": "labels"}]},
            "has both `labels` and a file of `role: labels`; keep one",
        ),
        ({"reader": "idx", "target": ..., "files": [{"name": "a", "role": "images"}]}, "with `role: labels`"),
        ({"reader": "builtin", "target": ..., "dataset": "iris"}, "has no files of role 'path'"),
    ],
)
def test_mistakes_in_an_entry(toy, load, change, sentence):
    changed = {key: value for key, value in {**toy, **change}.items() if value is not ...}
    message = refusal(load, {"toy": changed})
    assert sentence in message
    assert "datasets.yaml" in message


@pytest.mark.parametrize("name", ["a/b", "../x", "", "a b", ".a"])
def test_names_that_make_no_folder(toy, load, name):
    assert "cannot name a data set" in refusal(load, {name: toy})


def test_unreadable_registry(tmp_path):
    path = tmp_path / "datasets.yaml"
    assert "there is no file" in refusal(load_registry, path, None, SCHEMA)
    assert "cannot be read" in refusal(load_registry, tmp_path, None, SCHEMA)
    path.write_text("a: [1,\n")
    assert "not valid YAML" in refusal(load_registry, path, None, SCHEMA)
    path.write_text("iris: {}\nwine: {}\niris: {}\n")
    assert "the key 'iris' stands twice" in refusal(load_registry, path, None, SCHEMA)
    path.write_text("- iris\n")
    assert "holds no 'key: value' lines" in refusal(load_registry, path, None, SCHEMA)
    path.write_text("!!python/object/apply:os.system [ls]\n")
    assert "not valid YAML" in refusal(load_registry, path, None, SCHEMA)


# --- a user's own sets -----------------------------------------------------------------------------------------------
def own(tmp_path, **changes):
    """Return a registry with a user's own set, beside the shipped ones."""
    path = tmp_path / "mine.csv"
    path.write_text(CSV)
    return load_registry(REGISTRY, {"mine": {"reader": "csv", "files": [str(path)], "target": "class", **changes}})


def test_a_users_set_in_five_lines(tmp_path):
    entry = own(tmp_path)["mine"]
    assert raw_paths("mine", entry, "data/raw") == [tmp_path / "mine.csv"]
    table = read_dataset("mine", entry, "data/raw")
    assert table.X.shape == (4, 2)
    assert table.split is None
    assert not has_split(entry)


def test_a_users_wrong_counts_are_notes(tmp_path):
    table = read_dataset("mine", own(tmp_path, n_samples=5, n_classes=2)["mine"], tmp_path)
    assert table.notes == ["Not as declared: n_samples is 4 where the entry says 5."]


def test_a_users_mistakes(tmp_path):
    where = "data.datasets of the config"
    assert f"{where}: mine: unknown key 'targt'; the nearest is 'target'" in refusal(
        lambda: own(tmp_path, targt="class")
    )
    user = {"iris": {"reader": "csv", "files": ["a.csv"]}}
    assert "'iris' is a registered data set" in refusal(load_registry, REGISTRY, user)
    message = refusal(read_dataset, "mine", own(tmp_path, target="Class")["mine"], tmp_path)
    assert message.startswith("data set 'mine': mine.csv: there is no column 'Class'")


def test_a_user_may_split_by_files_or_rows(tmp_path):
    (tmp_path / "test.csv").write_text(CSV)
    files = [
        {"path": str(tmp_path / "mine.csv"), "part": "train"},
        {"path": str(tmp_path / "test.csv"), "part": "test"},
    ]
    entry = own(tmp_path, files=files)["mine"]
    assert has_split(entry)
    assert read_dataset("mine", entry, tmp_path).split.tolist() == ["train"] * 4 + ["test"] * 4
    entry = own(tmp_path, split={"train_first": 3})["mine"]
    assert read_dataset("mine", entry, tmp_path).split.tolist() == ["train"] * 3 + ["test"]
    message = refusal(read_dataset, "mine", own(tmp_path, split={"train_first": 4})["mine"], tmp_path)
    assert "leaves no row of 4 for the test" in message


def test_a_users_multi_label_arff(tmp_path):
    arff = "@relation t\n@attribute a numeric\n@attribute p {0,1}\n@attribute q {0,1}\n@data\n1,0,1\n2,1,1\n"
    (tmp_path / "t.arff").write_text(arff)
    (tmp_path / "t.xml").write_text('<labels><label name="q"/><label name="p"/></labels>')
    files = [str(tmp_path / "t.arff"), {"path": str(tmp_path / "t.xml"), "role": "labels"}]
    entries = {"xml": {"reader": "arff", "files": files}, "count": {"reader": "arff", "files": files[:1], "labels": 2}}
    registry = load_registry(REGISTRY, entries)
    for name in entries:
        assert read_dataset(name, registry[name], tmp_path).Y.tolist() == [[0, 1], [1, 1]]


def test_cardinality_is_compared(tmp_path):
    (tmp_path / "t.txt").write_text("3 2 2\n0 0:1\n0,1 1:1\n1 0:2\n")
    for cardinality, notes in ((1.333, 0), (1.34, 1)):
        entry = {"reader": "xmlc", "files": [str(tmp_path / "t.txt")], "cardinality": cardinality}
        found = read_dataset("t", load_registry(REGISTRY, {"t": entry})["t"], tmp_path).notes
        assert sum("cardinality is 1.333 where the entry says 1.34" in note for note in found) == notes


def test_a_users_libsvm_may_state_n_features(tmp_path):
    (tmp_path / "t.svm").write_text("1 1:1\n2 2:1\n1 1:2\n")
    entry = {"reader": "libsvm", "files": [str(tmp_path / "t.svm")], "n_features": 7}
    assert read_dataset("t", load_registry(REGISTRY, {"t": entry})["t"], tmp_path).X.shape == (3, 7)


# --- reading by entry ------------------------------------------------------------------------------------------------
def stored(toy, load, tmp_path, **changes):
    """Put the toy's file in the folder of raw data and return its entry."""
    (tmp_path / "toy").mkdir(exist_ok=True)
    (tmp_path / "toy" / "toy.csv").write_text(CSV)
    return load({"toy": {**toy, **changes}})["toy"]


def test_read_dataset(toy, load, tmp_path):
    table = read_dataset("toy", stored(toy, load, tmp_path, note="A choice."), tmp_path)
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4], [5, 6], [7, 8]])
    assert table.notes == ["A choice."]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"n_samples": 5}, "n_samples is 4 where the entry says 5"),
        ({"n_features": 3}, "n_features is 2 where the entry says 3"),
        ({"n_classes": 3}, "n_classes is 2 where the entry says 3"),
        ({"cardinality": 1.5}, "cardinality is None where the entry says 1.5"),
        ({"task": "multi-label"}, "task is single-label where the entry says multi-label"),
    ],
)
def test_wrong_counts_of_a_registered_set(toy, load, tmp_path, change, sentence):
    message = refusal(read_dataset, "toy", stored(toy, load, tmp_path, **change), tmp_path)
    assert message.startswith("data set 'toy': ")
    assert sentence in message


def test_checksum_before_parsing(toy, load, tmp_path):
    digest = hashlib.sha256(CSV.encode()).hexdigest()
    entry = stored(toy, load, tmp_path, files=[{"name": "toy.csv", "sha256": digest}])
    assert read_dataset("toy", entry, tmp_path).n_samples == 4
    (tmp_path / "toy" / "toy.csv").write_bytes(b"\0 no csv at all")
    message = refusal(read_dataset, "toy", entry, tmp_path)
    assert f"not {digest}; delete it and fetch it again" in message
    (tmp_path / "toy" / "toy.csv").unlink()
    assert "no such file; fetch the data set first" in refusal(read_dataset, "toy", entry, tmp_path)
