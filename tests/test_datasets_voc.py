"""The reader of VOC data sets: on small whole ones, and on everything that can be wrong with one."""

import tarfile
from pathlib import Path

import numpy as np
import pytest
from voc_tree import ROOT, annotation, jpeg, tree, write_folder, write_tar

from algos.datasets import load_registry, load_voc, read_dataset, read_table, write_table
from algos.exceptions import InputError
from algos.features import HOG, class_windows, cut, patch_size

REGISTRY = Path(__file__).parent.parent / "config" / "datasets.yaml"
CLASSES = ("cat", "dog")
IMAGES = {
    "000005": [("cat", 1, 1, 30, 20), ("dog", 11, 6, 60, 40)],
    "000007": [("dog", 5, 5, 20, 30), ("dog", 30, 5, 50, 30, 1)],
    "000009": [("cat", 10, 10, 40, 35)],
    "000012": [("cat", 2, 2, 50, 30, 1)],
    "000016": [],
    "000019": [("dog", 3, 3, 30, 30)],
}
SPLITS = {"train": ["000005", "000007", "000016"], "val": ["000019", "000012", "000009"], "trainval": sorted(IMAGES)}
BOMB = (
    b'<!DOCTYPE b [<!ENTITY k0 "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY k%d "%s">' % (i, b"&k%d;" % (i - 1) * 10) for i in range(1, 10))
    + b"]><annotation><object><name>&k9;</name></object></annotation>"
)


@pytest.fixture
def files():
    return tree(IMAGES, SPLITS)


@pytest.fixture
def load(tmp_path):
    def write_and_load(files, **options):
        return load_voc(write_tar(files, tmp_path / "voc.tar"), **{"classes": CLASSES, **options})

    return write_and_load


def problems(table):
    """What was found wrong: the notes after the first but for the count that all multi-label tables have."""
    return [note for note in table.notes[1:] if not note.startswith("Rows without a label")]


def refusal(function, *args, **options):
    with pytest.raises(InputError) as caught:
        function(*args, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- whole data sets -------------------------------------------------------------------------------------------------
def test_images_boxes_and_splits(load, files):
    table = load(files)
    assert [(i.name, i.split) for i in table.X.images] == [
        ("000005", "train"), ("000007", "train"), ("000016", "train"), ("000009", "val"), ("000012", "val"),
        ("000019", "val"),
    ]  # fmt: skip
    assert table.Y.tolist() == [[1, 1], [0, 1], [0, 0], [1, 0], [0, 0], [0, 1]]
    assert (table.holds_images, table.n_samples, table.label_names) == (True, 6, ["cat", "dog"])
    names, boxes = table.X.positives("dog")
    assert names.tolist() == ["000005", "000007", "000019"]
    assert boxes.tolist() == [[10, 5, 60, 40], [4, 4, 20, 30], [2, 2, 30, 30]]  # from 0, right and bottom exclusive
    assert table.X.positives("cat", ["val"])[0].tolist() == ["000009"]
    assert table.X.positives("cat", "val")[0].tolist() == ["000009"]
    assert problems(table) == []
    assert load(files, splits="trainval").n_samples == 6


def test_difficult_objects_are_neither_positives_nor_negatives(load, files):
    out, inside = load(files), load(files, difficult="include")
    assert out.X.positives("cat")[0].tolist() == ["000005", "000009"]
    assert inside.X.positives("cat")[0].tolist() == ["000005", "000009", "000012"]
    assert len(inside.X.positives("dog")[0]) == 4
    for table in (out, inside):
        names, sizes = table.X.images_without("cat")
        assert names.tolist() == ["000007", "000016", "000019"]
        assert sizes.tolist() == [[60, 40]] * 3
    assert "difficult are no positives" in out.notes[0]
    assert "difficult are positives" in inside.notes[0]
    assert inside.Y[:, 0].tolist() == [1, 0, 0, 1, 1, 0]


def test_pixels(load, files):
    files[f"{ROOT}JPEGImages/000016.jpg"] = jpeg(mode="L")
    images = load(files).X
    assert images.shape == (6,)
    assert images[0].shape == (40, 60, 3)
    assert images[0].dtype == np.uint8
    np.testing.assert_array_equal(images[3], images.read_image("000009"))
    grey = images.read_image("000016")
    assert (grey[..., 0] == grey[..., 1]).all()
    assert images[np.array([False, True, False, True, False, False])].images == [images.images[1], images.images[3]]
    assert images.sizes() == dict.fromkeys(IMAGES, (60, 40))


@pytest.mark.parametrize("inside", ["", "VOCdevkit", "VOCdevkit/VOC2007"])
def test_an_unpacked_folder_reads_as_its_tar(load, files, tmp_path, inside):
    folder = write_folder(files, tmp_path / "unpacked") / inside
    tar, unpacked = load(files), load_voc(folder, classes=CLASSES)
    assert tar.X.images == unpacked.X.images
    np.testing.assert_array_equal(tar.X[0], unpacked.X[0])


def test_trainval_and_test_come_in_two_tars(load, files, tmp_path):
    test = tree({"000001": IMAGES["000005"]}, {"test": ["000001"]})
    paths = [write_tar(files, tmp_path / "trainval.tar"), write_tar(test, tmp_path / "test.tar")]
    table = load_voc(paths, splits=["trainval", "test"], classes=CLASSES)
    assert [i.split for i in table.X.images] == ["trainval"] * 6 + ["test"]
    np.testing.assert_array_equal(table.X[6], load_voc(paths[1], splits="test", classes=CLASSES).X[0])
    assert "no split 'test', only 'train', 'trainval', 'val'" in refusal(load_voc, paths[0], splits="test")


def test_a_class_can_be_called_train(load):
    files = tree({"1": [("train", 1, 1, 30, 20)]}, {"train": ["1"], "train_train": ["1"]})
    assert load(files, splits="train", classes="train").X.positives("train")[0].tolist() == ["1"]


# --- what cannot be used: named, and fatal only if asked -------------------------------------------------------------
def with_box(*box):
    return {f"{ROOT}Annotations/000009.xml": annotation([("cat", 10, 10, 40, 35), ("cat", *box)])}


WHOLE = jpeg()
DAMAGE = {
    "box reaching outside": (with_box(50, 30, 61, 40), "reaches outside the image of 60 x 40: it is clipped", 2),
    "box from zero": (with_box(0, 30, 50, 40), "reaches outside", 2),
    "box outside": (with_box(70, 50, 90, 60), "lies outside the image of 60 x 40: it is left out", 1),
    "box without width": (with_box(20, 10, 20, 30), "has no area (20 to 20, 10 to 30): it is left out", 1),
    "box inside out": (with_box(30, 10, 20, 30), "has no area", 1),
    "box of words": (with_box("left", 10, 20, 30), "is not given by four numbers: it is left out", 1),
    "box of NaN": (with_box("nan", 10, 20, 30), "is not given by four numbers", 1),
    "unknown class": (
        {f"{ROOT}Annotations/000009.xml": annotation([("cat", 10, 10, 40, 35), ("dgo", 1, 1, 9, 9)])},
        "unknown class 'dgo'; the nearest is 'dog': the object is left out",
        1,
    ),
    "other size": (
        {f"{ROOT}Annotations/000009.xml": annotation([("cat", 10, 10, 40, 35)], width=600)},
        "Annotations/000009.xml says 600 x 40 pixels, the image has 60 x 40: the image's size counts",
        1,
    ),
    "no size": (
        {f"{ROOT}Annotations/000009.xml": annotation([("cat", 10, 10, 40, 35)]).replace(b"width", b"wide")},
        "says no size, the image has 60 x 40",
        1,
    ),
    "missing image": ({f"{ROOT}JPEGImages/000009.jpg": None}, "there is no JPEGImages/000009.jpg: it is left out", 0),
    "missing annotation": ({f"{ROOT}Annotations/000009.xml": None}, "there is no Annotations/000009.xml", 0),
    "truncated JPEG": (
        {f"{ROOT}JPEGImages/000009.jpg": WHOLE[: len(WHOLE) // 2]},
        "JPEGImages/000009.jpg: cannot be read",
        0,
    ),
    "JPEG header only": ({f"{ROOT}JPEGImages/000009.jpg": WHOLE[:20]}, "cannot be read as an image", 0),
    "empty image": ({f"{ROOT}JPEGImages/000009.jpg": b""}, "cannot be read as an image", 0),
    "no image": ({f"{ROOT}JPEGImages/000009.jpg": b"<html>404</html>"}, "cannot be read as an image", 0),
    "entity bomb": ({f"{ROOT}Annotations/000009.xml": BOMB}, "declares a document type or entities", 0),
    "external entity": (
        {f"{ROOT}Annotations/000009.xml": b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><annotation/>'},
        "declares a document type",
        0,
    ),
    "cut XML": ({f"{ROOT}Annotations/000009.xml": annotation([])[:30]}, "is no whole XML", 0),
    "binary XML": ({f"{ROOT}Annotations/000009.xml": b"\xff\x00\x80"}, "is no whole XML", 0),
    "huge XML": ({f"{ROOT}Annotations/000009.xml": b" " * 2**20 + annotation([])}, "is larger than 1 MiB", 0),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_named_and_the_rest_is_read(load, files, kind):
    changes, says, n_cats = DAMAGE[kind]
    damaged = {name: content for name, content in {**files, **changes}.items() if content is not None}
    table = load(damaged)
    named = [sentence for sentence in problems(table) if "000009" in sentence]
    assert len(named) == 1
    assert says in named[0]
    assert named[0].startswith("image '000009' (val)")
    assert len(table.X.positives("cat", None)[0]) == 1 + n_cats
    assert len(table.X.positives("dog")[0]) == 3
    refused = refusal(load, damaged, on_error="raise")
    way_round = "; mend it, or set on_error: skip, by which "
    reason = says
    for outcome in ("it is left out", "it is clipped", "the object is left out", "the image's size counts"):
        reason = reason.replace(f": {outcome}", way_round + outcome)
    assert reason in refused
    assert way_round in refused
    boxes = table.X.positives("cat")[1]
    assert (boxes >= 0).all()
    assert (boxes[:, 2:] <= (60, 40)).all()


def test_a_clipped_box_ends_at_the_edge(load, files):
    table = load({**files, **with_box(50, 30, 90, 95)})
    assert table.X.positives("cat", ["val"])[1][1].tolist() == [49, 29, 60, 40]


def test_an_image_whose_only_box_is_left_out_is_not_without_the_class(load, files):
    table = load({**files, f"{ROOT}Annotations/000016.xml": annotation([("cat", 9, 9, 9, 9)])})
    assert "000016" not in table.X.images_without("cat")[0]
    assert "000016" in table.X.images_without("dog")[0]


def test_a_class_without_positives_in_a_split_is_named(load, files):
    lists = {f"{ROOT}ImageSets/Main/val.txt": b"000007\n000012\n", f"{ROOT}ImageSets/Main/train.txt": b"000005"}
    table = load({**files, **lists})
    assert problems(table) == ["split 'val': there is no positive of class 'cat': it cannot be used for it"]
    assert "class 'cat' has no positive in val" in refusal(class_windows, table.X, "cat", ["val"])
    assert refusal(load, tree({"1": IMAGES["000009"]}, {"train": ["1"]}), splits="train", on_error="raise").startswith(
        "split 'train': there is no positive of class 'dog'"
    )


def test_damage_that_only_decoding_finds_is_named_by_cut(load, files):
    # Header and end are in place, so that only the decoder sees that there is nothing between them.
    files[f"{ROOT}JPEGImages/000009.jpg"] = WHOLE[: WHOLE.index(b"\xff\xda")] + b"\xff\xd9"
    images = load(files).X
    windows = class_windows(images, "cat", least_negatives=20)
    size = patch_size(windows.box[windows.label == 1], longer_side=32)
    features, kept, named = cut(images, windows, size, HOG())
    assert len(named) == 1
    assert "JPEGImages/000009.jpg: cannot be read as an image" in named[0]
    assert named[0].endswith("its 1 windows are left out")
    assert features.shape == (len(windows) - 1, HOG().length(size))
    assert "000009" not in windows.take(kept).image
    assert "000009" in refusal(cut, images, windows, size, on_error="raise")


# --- what is always refused ------------------------------------------------------------------------------------------
def test_refusals(load, files, tmp_path):
    assert "no folder ImageSets/Main/" in refusal(load, {f"{ROOT}JPEGImages/1.jpg": WHOLE})
    assert "no such file" in refusal(load_voc, tmp_path / "none.tar")
    (tmp_path / "page.tar").write_bytes(b"<html>not found</html>" * 100)
    assert "is no whole tar archive" in refusal(load_voc, tmp_path / "page.tar")
    assert "'000009' is in the splits 'trainval' and 'val'" in refusal(load, files, splits=["trainval", "val"])
    assert "difficult is 'maybe'" in refusal(load, files, difficult="maybe")
    assert "on_error is 'ignore'" in refusal(load, files, on_error="ignore")
    assert "no split 'vall'" in refusal(load, files, splits="vall")
    assert "have no image" in refusal(load, {**files, f"{ROOT}ImageSets/Main/val.txt": b"\n"}, splits="val")
    assert "no class 'cta'; the nearest is 'cat'" in refusal(load(files).X.positives, "cta")
    assert "no images of the split 'test' were loaded" in refusal(load(files).X.positives, "cat", ["test"])
    none = {name: content for name, content in files.items() if "JPEGImages" not in name}
    assert "none of its 6 images is usable" in refusal(load, none)
    two = {name.replace("2007", year): content for name, content in files.items() for year in ("2007", "2012")}
    assert "holds several data sets" in refusal(load, two)


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/b", ".hidden", ""])
def test_a_list_cannot_name_files_elsewhere(load, files, name):
    listed = f"000009\n{name}\n".encode()
    if name:
        assert "cannot name an image" in refusal(load, {**files, f"{ROOT}ImageSets/Main/val.txt": listed})
    else:
        assert load({**files, f"{ROOT}ImageSets/Main/val.txt": listed}).n_samples == 4


def test_hostile_members_of_a_tar(files, tmp_path):
    path = write_tar({**files, f"{ROOT}ImageSets/Main/odd.txt": b"000099"}, tmp_path / "voc.tar")
    with tarfile.open(path, "a") as tar:
        link = tarfile.TarInfo(f"{ROOT}JPEGImages/000099.jpg")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    assert "there is no JPEGImages/000099.jpg" in refusal(load_voc, path, splits="odd", classes=CLASSES)
    write_tar({**files, "../outside.txt": b"x"}, path)
    assert "would lie outside the archive" in refusal(load_voc, path, classes=CLASSES)


def test_a_table_of_images_is_written_without_features(load, files, tmp_path):
    table = load(files)
    write_table(table, tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet")
    np.testing.assert_array_equal(read.Y, table.Y)
    assert read.X.shape == (len(table.Y), 0)


# --- by the registry, and the real subset ----------------------------------------------------------------------------
def test_an_entry_of_ones_own(files, tmp_path):
    paths = [write_tar(files, tmp_path / "trainval.tar")]
    paths.append(write_tar(tree({"000001": IMAGES["000005"]}, {"test": ["000001"]}), tmp_path / "test.tar"))
    entry = {"reader": "voc", "files": list(map(str, paths)), "splits": ["trainval", "test"], "classes": list(CLASSES)}
    registry = load_registry(REGISTRY, {"mine": entry})
    table = read_dataset("mine", registry["mine"], tmp_path)
    assert table.n_samples == 7
    parts = [{"path": str(path), "part": part} for path, part in zip(paths, ("train", "test"), strict=True)]
    says = refusal(load_registry, REGISTRY, {"mine": {**entry, "files": parts}})
    assert "takes one file, without a part" in says


@pytest.mark.mirror
def test_the_subset_is_what_its_description_says(read_mirrored):
    table = read_mirrored("voc2007_subset_standin")
    splits = np.array([image.split for image in table.X.images])
    assert (np.count_nonzero(splits == "train"), np.count_nonzero(splits == "val")) == (1359, 1402)
    counts = [len(table.X.positives(label, [split])[0]) for label in table.label_names for split in ("train", "val")]
    assert (min(counts), max(counts)) == (103, 1067)
    assert problems(table)[1:] == []


@pytest.mark.mirror
def test_annotations_and_lists_of_the_subset_agree(mirror, read_mirrored):
    """ImageSets/Main/<class>_<split>.txt say 1 for a positive, 0 for difficult objects only, -1 for none."""
    table = read_mirrored("voc2007_subset_standin")
    with tarfile.open(mirror / "voc2007" / "VOCtrainval_subset.tar") as tar:
        for label in table.label_names:
            for split in ("train", "val"):
                text = tar.extractfile(f"{ROOT}ImageSets/Main/{label}_{split}.txt").read().decode()
                said = dict(line.split() for line in text.splitlines())
                positives = set(table.X.positives(label, [split])[0].tolist())
                without = set(table.X.images_without(label, [split])[0].tolist())
                assert positives == {name for name, value in said.items() if value == "1"}
                assert without == {name for name, value in said.items() if value == "-1"}
