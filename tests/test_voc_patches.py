"""A VOC data set as tables of patches, one class against the rest: rows, groups, roles; bad input by name."""

import re
from pathlib import Path

import numpy as np
import pytest
from voc_tree import ROOT, annotation, jpeg, tree, write_folder, write_tar

from algos.datasets import load_registry, read_dataset
from algos.datasets.readers.voc_patches import load_voc_patches
from algos.datasets.storage import read_table, write_table
from algos.exceptions import InputError

CAT, DOG = ("cat", 5, 5, 30, 35), ("dog", 20, 10, 55, 35)
SMALL = {"longer_side": 32, "least_negatives": 12, "negatives_per_positive": 2, "candidates": 6, "seed": 3}


@pytest.fixture
def files():
    images = {"c1": [CAT], "c2": [CAT, DOG], "d1": [DOG], "d2": [DOG], "c3": [CAT], "d3": [DOG], "d4": [DOG]}
    return tree(images, {"train": ["c1", "c2", "d1", "d2"], "val": ["c3", "d3", "d4"]})


def read(files, tmp_path, **options):
    path = write_tar(files, tmp_path / "voc.tar")
    return load_voc_patches(path, **{**SMALL, "positive": "cat", "classes": ["cat", "dog"], **options})


def counts(table):
    return {
        (part, role, label): int(np.sum((table.split == part) & (table.roles == role) & (table.y == label)))
        for part in ("train", "test")
        for role, label in (
            ("sample", "positive"),
            ("sample", "negative"),
            ("jittered", "positive"),
            ("candidate", "negative"),
        )
    }


def test_rows_of_each_part_and_role(files, tmp_path):
    table = read(files, tmp_path)
    assert list(counts(table).values()) == [2, 12, 4, 6, 1, 12, 2, 6]
    assert table.X.dtype == np.float32
    assert table.X.shape == (len(table.y), len(table.feature_names))
    assert table.label_names == ["negative", "positive"]
    train = set(table.groups[table.split == "train"].tolist())
    assert train <= {"c1", "c2", "d1", "d2"}
    assert set(table.groups[table.y == "negative"].tolist()) <= {
        "d1",
        "d2",
        "d3",
        "d4",
    }  # none shows it
    assert set(table.samples.tolist()) == set(np.flatnonzero(table.roles == "sample").tolist())


def test_jittered_rows_stay_with_their_image_and_differ_from_it(files, tmp_path):
    table = read(files, tmp_path)
    for part in ("train", "test"):
        own = (table.split == part) & (table.y == "positive")
        positive, near = (np.flatnonzero(own & (table.roles == role)) for role in ("sample", "jittered"))
        assert table.groups[near].tolist() == np.repeat(table.groups[positive], 2).tolist()
        assert (table.X[near] != np.repeat(table.X[positive], 2, axis=0)).any(axis=1).all()


def test_windows_follow_from_the_seed_alone_and_samples_not_from_what_is_beside_them(files, tmp_path):
    first, again, other = read(files, tmp_path), read(files, tmp_path), read(files, tmp_path, seed=4)
    assert np.array_equal(first.X, again.X)
    assert not np.array_equal(first.X, other.X)
    bare = read(files, tmp_path, jittered=0, candidates=0)
    assert (bare.roles == "sample").all()
    assert np.array_equal(bare.X, first.X[first.samples])


def test_test_images_have_no_say_in_sizes(files, tmp_path):
    table = read(files, tmp_path)
    files[f"{ROOT}Annotations/c3.xml"] = annotation([("cat", 2, 15, 58, 20)])  # wide and flat
    other = read(files, tmp_path)
    assert other.X.shape == table.X.shape
    train = table.split == "train"
    assert np.array_equal(other.X[train], table.X[train])


def test_is_kept_whole_on_the_disk(files, tmp_path):
    table = read(files, tmp_path)
    write_table(table, tmp_path / "t.parquet")
    kept = read_table(tmp_path / "t.parquet")
    assert kept.X.dtype == np.float32
    for name in ("X", "y", "split", "groups", "roles"):
        assert np.array_equal(getattr(kept, name), getattr(table, name))
    assert kept.notes == table.notes


def outside(files):
    files[f"{ROOT}Annotations/c2.xml"] = annotation([("cat", 5, 5, 300, 35), DOG])


def flat(files):
    files[f"{ROOT}Annotations/c2.xml"] = annotation([("cat", 5, 5, 5, 35), DOG])


def missing(files):
    del files[f"{ROOT}JPEGImages/c2.jpg"]


def truncated(files):
    files[f"{ROOT}JPEGImages/c2.jpg"] = jpeg()[:700]


def bomb(files):
    entities = '<!DOCTYPE a [<!ENTITY x "xxxx"><!ENTITY y "&x;&x;">]>'
    files[f"{ROOT}Annotations/c2.xml"] = (entities + "<annotation>&y;</annotation>").encode()


def none_in_val(files):
    files[f"{ROOT}Annotations/c3.xml"] = annotation([DOG])


def none_in_train(files):
    files[f"{ROOT}Annotations/c1.xml"] = files[f"{ROOT}Annotations/c2.xml"] = annotation([DOG])


BAD = [
    (outside, "image 'c2' (train), Annotations/c2.xml: a box of 'cat' reaches outside the image of 60 x 40", (2, 1)),
    (flat, "image 'c2' (train), Annotations/c2.xml: a box of 'cat' has no area", (1, 1)),
    (missing, "image 'c2' (train): voc.tar: there is no JPEGImages/c2.jpg", (1, 1)),
    (truncated, "image 'c2' (train): voc.tar: JPEGImages/c2.jpg", (1, 1)),
    (bomb, "Annotations/c2.xml declares a document type or entities", (1, 1)),
    (none_in_val, "split 'val': there is no positive of class 'cat'", (2, 0)),
    (none_in_train, "split 'train': there is no positive of class 'cat'", (0, 1)),
]


@pytest.mark.parametrize(("damage", "sentence", "n_positives"), BAD, ids=[case[0].__name__ for case in BAD])
def test_bad_input_is_named_and_ends_nothing_unless_told_to(files, tmp_path, damage, sentence, n_positives):
    damage(files)
    table = read(files, tmp_path)
    (note,) = [note for note in table.notes if sentence in note]
    assert "\n" not in note
    found = counts(table)
    assert tuple(found[part, "sample", "positive"] for part in ("train", "test")) == n_positives
    with pytest.raises(InputError, match=r"cat|c2"):
        read(files, tmp_path, on_error="raise")


def test_a_class_that_is_nowhere(files, tmp_path):
    with pytest.raises(InputError, match="there is no class 'cow'; the nearest is 'dog'"):
        read(files, tmp_path, positive="cow")
    for name in ("c1", "c2", "c3"):
        files[f"{ROOT}Annotations/{name}.xml"] = annotation([DOG])
    with pytest.raises(InputError, match="class 'cat' has no positive at all"):
        read(files, tmp_path)


def test_one_entry_stands_for_a_data_set_a_class(files, tmp_path):
    write_folder(files, tmp_path / "mine")
    own = {
        "photos": {"reader": "voc", "files": [str(tmp_path / "mine")], "classes": ["cat", "dog"]},
        "animals": {
            "reader": "voc_patches",
            "title": "Patches of {positive}",
            "files_of": "photos",
            "each": {"positive": ["cat", "dog"]},
            "classes": ["cat", "dog"],
            **SMALL,
        },
    }
    registry = load_registry(Path(__file__).parent.parent / "config" / "datasets.yaml", own)
    assert registry["animals_dog"]["title"] == "Patches of dog"
    assert registry["animals_dog"]["family"] == "animals"
    assert "animals" not in registry
    tables = {name: read_dataset(f"animals_{name}", registry[f"animals_{name}"], tmp_path) for name in ("cat", "dog")}
    assert [counts(tables[name])["train", "sample", "positive"] for name in ("cat", "dog")] == [2, 3]


@pytest.mark.parametrize("owner", ["phots", "voc07_bottle"])
def test_files_of_a_data_set_that_has_none(owner):
    own = {"animals": {"reader": "voc_patches", "positive": "cat", "files_of": owner}}
    with pytest.raises(InputError, match="animals: files_of: give the name of an entry that has files of its own"):
        load_registry(Path(__file__).parent.parent / "config" / "datasets.yaml", own)


def test_the_papers_classes_are_twenty_data_sets_of_one_file():
    registry = load_registry(Path(__file__).parent.parent / "config" / "datasets.yaml")
    for family, owner in (("voc07", "voc2007"), ("voc07_standin", "voc2007_subset_standin")):
        members = {name: entry for name, entry in registry.items() if entry.get("family") == family}
        assert len(members) == 20
        assert all(entry["files"] == registry[owner]["files"] for entry in members.values())
        assert members[f"{family}_sofa"]["positive"] == "sofa"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"train_on": ["train", "val"]}, "the list 'val' is in train_on and in test_on"),
        ({"test_on": "train"}, "the list 'train' is in train_on and in test_on"),
        ({"train_on": []}, "train_on is empty"),
        ({"classes": ["dog"]}, "positive: there is no class 'cat'"),
        ({"longer_side": 50}, "longer_side is 50; give a multiple of 8 from 16"),
        ({"hog": {"cel": 4}}, "HOG has no parameter 'cel'; the nearest is 'cell'"),
        ({"hog": {"orientations": True}}, "orientations is True; give a whole number from 1"),
        ({"hog": {"transform_sqrt": "x"}}, "transform_sqrt is 'x'; give true or false"),
        ({"least_negatives": 9, "most_negatives": 3}, "least_negatives is 9, more than most_negatives, 3"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_options_that_no_data_make_good_are_refused_before_any_is_fetched(options, sentence, tmp_path):
    entry = {"reader": "voc_patches", "positive": "cat", "files": [str(tmp_path / "voc.tar")], **options}
    with pytest.raises(InputError, match=re.escape(sentence)):
        load_registry(Path(__file__).parent.parent / "config/datasets.yaml", {"mine": entry})


def test_a_part_without_an_image_for_negatives_is_named(files, tmp_path):
    content = {name: data for name, data in files.items() if not name.endswith("Main/val.txt")}
    content[next(name for name in files if name.endswith("Main/val.txt"))] = b""
    with pytest.raises(InputError, match=r"no image of the test part \(ImageSets/Main/val.txt\) is readable"):
        read(content, tmp_path)
