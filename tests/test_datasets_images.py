"""Collections of images and of feature files, on made-up ones, also hostile."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image
from test_datasets_archives import tar_bytes, zip_bytes

import algos.datasets.images as images_module
from algos.datasets import (
    load_feature_text,
    load_image_folder,
    load_mat,
    load_npz,
    load_registry,
    read_dataset,
    read_image,
    read_table,
    write_table,
)
from algos.datasets.images import decode_image
from algos.exceptions import InputError


def encoded(pixels, kind="PNG", mode=None, **options):
    """Return an image file of an array (or of a Pillow image)."""
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(np.asarray(pixels, dtype=np.uint8), mode)
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def grey_file(seed, shape=(20, 30), kind="PNG"):
    return encoded(np.random.default_rng(seed).integers(0, 256, shape), kind)


def refusal(function, *args, **options):
    """Return the sentence with which something is refused."""
    with pytest.raises(InputError) as caught:
        function(*args, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def png_claiming(width, height):
    """Return a PNG of a few bytes that says it has so many pixels."""

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


@pytest.fixture
def write(tmp_path):
    """Write bytes to a file and return its path."""

    def write(content, name="set.tar"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


FILES = {
    "set/002.b/b_10.png": grey_file(0),
    "set/002.b/b_02.jpg": grey_file(1, kind="JPEG"),
    "set/001.a/a_02.PNG": grey_file(2),
    "set/001.a/a_01.png": grey_file(3),
    "set/010.c/c.bmp": grey_file(4, kind="BMP"),
}
ORDER = ["001.a/a_01.png", "001.a/a_02.PNG", "002.b/b_02.jpg", "002.b/b_10.png", "010.c/c.bmp"]


# --- images ----------------------------------------------------------------------------------------------------------
def test_colours_become_grey_by_the_stated_rules():
    colour = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 20, 30]]])
    grey = (colour @ [299, 587, 114] / 1000).round()
    np.testing.assert_allclose(decode_image(encoded(colour), "x"), grey, atol=1)
    assert (decode_image(encoded(colour), "x", "rgb") == colour).all()
    levels = np.array([[0, 100, 255]], dtype=np.uint8)
    assert (decode_image(encoded(levels), "x") == levels).all()
    assert (decode_image(encoded(levels), "x", "rgb") == levels[..., None]).all()


def test_transparency_lies_over_white():
    pixels = np.array([[[0, 0, 0, 255], [0, 0, 0, 0], [0, 0, 0, 51]]])
    np.testing.assert_allclose(decode_image(encoded(pixels), "x"), [[0, 255, 204]], atol=1)
    palette = Image.new("P", (2, 1))
    palette.putpalette([0, 0, 0, 200, 200, 200])
    palette.putpixel((1, 0), 1)
    np.testing.assert_array_equal(decode_image(encoded(palette, transparency=0), "x"), [[255, 200]])
    assert read_image(pixels.astype(np.uint8)).tolist() == [[0, 255, 204]]


def test_cmyk_sixteen_bits_and_animations():
    cmyk = Image.new("CMYK", (8, 8), (0, 255, 255, 0))  # red
    np.testing.assert_allclose(decode_image(encoded(cmyk, "JPEG", quality=95), "x"), 76, atol=3)
    deep = Image.fromarray(np.array([[0, 256, 65535]], dtype=np.uint16))
    assert decode_image(encoded(deep), "x").tolist() == [[0, 1, 255]]
    frames = [Image.new("L", (4, 4), value) for value in (10, 200)]
    content = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert decode_image(content, "x").tolist() == [[10] * 4] * 4


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html><body>404</body></html>",
        b"GIF89a",
        grey_file(0, (200, 200), "JPEG")[:3000],
        grey_file(0, (200, 200))[:3000],
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n",  # Pillow would start another program for it
    ],
    ids=["empty", "html", "cut gif", "cut jpeg", "cut png", "postscript"],
)
def test_what_is_no_whole_image_is_refused_by_name(content):
    assert refusal(decode_image, content, "a.jpg").startswith("a.jpg: cannot be read as an image (")


def test_a_bomb_of_pixels_is_refused(monkeypatch):
    for side in (9000, 60_000, 2**31 - 1):
        sentence = refusal(decode_image, png_claiming(side, side), "bomb.png")
        assert sentence.startswith("bomb.png: ")
        assert "pixels" in sentence
    monkeypatch.setattr(images_module, "MOST_PIXELS", 599)
    assert "pixels" in refusal(decode_image, grey_file(0), "x")


@pytest.mark.parametrize("seed", range(40))
def test_damaged_images_are_read_or_refused(seed):
    chance = np.random.default_rng(seed)
    for content in FILES.values():
        damaged = bytearray(content)
        for _ in range(5):
            damaged[chance.integers(len(damaged))] = chance.integers(256)
        try:
            assert decode_image(bytes(damaged), "x").dtype == np.uint8
        except InputError as error:
            sentence = str(error)
            assert "\n" not in sentence


def test_arrays_and_paths(write):
    pixels = np.random.default_rng(0).integers(0, 256, (5, 6), dtype=np.uint8)
    assert (read_image(write(encoded(pixels), "a.png")) == pixels).all()
    assert (read_image(pixels) == pixels).all()
    assert read_image(pixels, "rgb").shape == (5, 6, 3)
    for wrong in (pixels / 255.0, pixels[0], np.zeros((4, 4, 2), np.uint8), np.zeros((0, 4), np.uint8)):
        assert "an image is an array of uint8" in refusal(read_image, wrong)
    assert "no such file" in refusal(read_image, "nothing.png")
    assert "there is no mode 'gray'" in refusal(read_image, write(encoded(pixels), "a.png"), "gray")


# --- image folders ---------------------------------------------------------------------------------------------------
def test_image_folder_in_every_container(write, tmp_path):
    for name, content in FILES.items():
        path = tmp_path / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    outer = zip_bytes({"x/in.tar": tar_bytes(FILES)})
    for path, options in (
        (write(tar_bytes(FILES)), {}),
        (write(tar_bytes(dict(reversed(FILES.items()))), "other.tar"), {}),
        (write(zip_bytes(FILES), "set.zip"), {}),
        (tmp_path / "folder", {}),
        (write(outer, "outer.zip"), {"inner": "x/in.tar"}),
    ):
        table = load_image_folder(path, **options)
        assert table.X.names == [f"set/{name}" for name in ORDER]
        assert table.y.tolist() == ["001.a", "001.a", "002.b", "002.b", "010.c"]
        assert table.label_names == ["001.a", "002.b", "010.c"]
        assert (table.X.shape, table.n_samples, table.n_features, table.holds_images) == ((5,), 5, 0, True)
        for i, name in enumerate(ORDER):
            assert (table.X[i] == decode_image(FILES[f"set/{name}"], name)).all()


def test_parts_of_a_collection_read_nothing(write):
    X = load_image_folder(write(tar_bytes(FILES))).X
    assert X[1:3].names == X.names[1:3]
    assert X[np.array([4, 0])].names == [X.names[4], X.names[0]]
    assert X[X.shape[0] * [False]].names == []
    assert (X[-1] == X[np.arange(5) == 4][0]).all()
    assert load_image_folder(write(tar_bytes(FILES)), mode="rgb").X[:2][0].shape == (20, 30, 3)


def test_a_corrupt_image_is_named_and_refused_or_skipped(write, caplog):
    bad = {"set/001.a/bad.jpg": FILES["set/002.b/b_02.jpg"][:300], "set/777.d/bad.png": b"<html>"}
    path = write(tar_bytes({**FILES, **bad}))
    assert "set/001.a/bad.jpg: cannot be read as an image" in refusal(load_image_folder, path)
    assert "corrupt: skip" in refusal(load_image_folder, path)
    table = load_image_folder(path, corrupt="skip")
    assert table.X.names == [f"set/{name}" for name in ORDER]
    assert "Corrupt images, left out (2): 'set/001.a/bad.jpg', 'set/777.d/bad.png'." in table.notes
    assert "Classes without any image that can be read: '777.d'." in table.notes
    assert "bad.jpg" in caplog.text
    assert "corrupt is 'skp'; the nearest is 'skip'" in refusal(load_image_folder, path, corrupt="skp")


def test_empty_class_folders_and_other_files_are_named(write):
    more = {"set/README.txt": b"x", "set/001.a/deep/x.png": grey_file(5), "set/.DS_Store": b"x", "labels/w": b""}
    table = load_image_folder(write(tar_bytes({**FILES, **more}, folders=["set/005.e"])), root="set")
    assert table.n_samples == 5
    assert "Class folders without such a file, left out: '005.e'." in table.notes
    assert any("'set/001.a/deep/x.png', 'set/README.txt'" in note for note in table.notes)


def test_hidden_files_are_no_images(write):
    more = {"set/001.a/._a_01.png": b"x", "__MACOSX/set/001.a/a.png": b"x"}
    assert load_image_folder(write(tar_bytes({**FILES, **more}))).n_samples == 5


def test_classes_can_be_left_out(write):
    path = write(tar_bytes(FILES))
    table = load_image_folder(path, drop=["010.c"])
    assert table.label_names == ["001.a", "002.b"]
    assert "Class folders left out as asked: '010.c'." in table.notes
    assert "no class folder '010.d'; the nearest is '010.c'" in refusal(load_image_folder, path, drop=["010.d"])


def test_layouts_that_are_none_are_refused(write):
    assert "lie in no class folder" in refusal(load_image_folder, write(tar_bytes({"set/x.png": grey_file(0)})))
    assert "lie in no class folder" in refusal(
        load_image_folder, write(tar_bytes({**FILES, "set/x.png": grey_file(0)}))
    )
    assert "holds no file of the wanted kind" in refusal(load_image_folder, write(tar_bytes({"a/b.txt": b""})))
    assert "holds no folder 'sett'; the nearest is 'set'" in refusal(
        load_image_folder, write(tar_bytes(FILES)), root="sett"
    )
    one = {"set/001.a/a.png": grey_file(0), "set/001.a/b.png": grey_file(1)}
    assert "a classifier needs two classes" in refusal(load_image_folder, write(tar_bytes(one)), root="set")


def test_hostile_archives_are_refused(write):
    assert "outside the archive" in refusal(load_image_folder, write(tar_bytes({"../x/a.png": grey_file(0)})))
    assert "outside the archive" in refusal(load_image_folder, write(zip_bytes({"/x/a.png": grey_file(0)})))
    bomb = {**FILES, "set/001.a/bomb.png": png_claiming(60_000, 60_000)}
    assert "set/001.a/bomb.png" in refusal(load_image_folder, write(tar_bytes(bomb)))


def test_a_table_of_images_is_written_without_features(write, tmp_path):
    table = load_image_folder(write(tar_bytes(FILES)))
    write_table(table, tmp_path / "x.parquet")
    read = read_table(tmp_path / "x.parquet")
    assert read.y.tolist() == table.y.tolist()
    assert read.X.shape == (len(table.y), 0)


def test_a_users_own_folder_through_the_registry(tmp_path):
    for name, content in FILES.items():
        path = tmp_path / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/datasets.yaml").write_text("{}")
    schema = images_module.Path(__file__).parent.parent / "workflow/schemas/datasets.schema.yaml"
    own = {"mine": {"reader": "image_folder", "files": [str(tmp_path / "mine")], "drop": ["010.c"], "mode": "rgb"}}
    registry = load_registry(tmp_path / "config/datasets.yaml", own, schema=schema)
    table = read_dataset("mine", registry["mine"], tmp_path)
    assert table.label_names == ["001.a", "002.b"]
    own["mine"]["files"] = [{"path": str(tmp_path / "mine"), "sha256": "0" * 64}]
    registry = load_registry(tmp_path / "config/datasets.yaml", own, schema=schema)
    assert "a folder, which has no sha256" in refusal(read_dataset, "mine", registry["mine"], tmp_path)
    own["mine"]["rot"] = "x"
    assert "unknown key 'rot'" in refusal(load_registry, tmp_path / "config/datasets.yaml", own, schema=schema)


# --- features as text ------------------------------------------------------------------------------------------------
TEXTS = {
    "F/decaf/cow/cow_0002.txt": b"1.5\n0\n-2e-3\n",
    "F/decaf/cow/cow_0001.txt": b"1 2 3 \n",
    "F/decaf/bat/bat_0001.txt": b"\t4\r\n5 6",
}


def test_features_as_text(write):
    table = load_feature_text(write(tar_bytes({**TEXTS, "F/decaf/readme.md": b"x"})), root="F/decaf")
    assert table.y.tolist() == ["bat", "cow", "cow"]
    np.testing.assert_array_equal(table.X, [[4, 5, 6], [1, 2, 3], [1.5, 0, -2e-3]])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"1 2", "holds 2 numbers, 'F/decaf/bat/bat_0001.txt' 3"),
        (b"1 2 x", "no number"),
        (b"", "no number"),
        (b"1 2 nan", "NaN or an infinite"),
        (b"1 2 1e999", "NaN or an infinite"),
        (b"\xff\xfe1", "no number"),
    ],
)
def test_wrong_feature_texts_are_refused_by_name(write, content, sentence):
    found = refusal(load_feature_text, write(tar_bytes({**TEXTS, "F/decaf/cow/cow_0002.txt": content})))
    assert "'F/decaf/cow/cow_0002.txt'" in found
    assert sentence in found


# --- arrays ----------------------------------------------------------------------------------------------------------
X = np.arange(12).reshape(4, 3).astype(np.float16)
Y = np.array(["a.x", "b", "a.x", "b"])


def npz(**arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def mat(**arrays):
    import scipy.io

    stream = io.BytesIO()
    scipy.io.savemat(stream, arrays, do_compression=True)
    return stream.getvalue()


def test_npz(write):
    table = load_npz(write(npz(X=X, y=Y)))
    np.testing.assert_array_equal(table.X, X)
    assert table.X.dtype == np.float64
    assert table.y.tolist() == Y.tolist()
    assert table.feature_names == ["X_0", "X_1", "X_2"]


def test_npz_members_positions_and_parts(write):
    one, two = (
        npz(f=X.T, t=np.array([1, 0, 1, 0], np.int16), c=np.array(["no", "yes"])),
        npz(f=X.T, t=Y == "b", c=["n"]),
    )
    options = {"features": "f", "target": "t", "classes": "c", "transpose": True}
    packed = write(tar_bytes({"d/1.npz": one, "d/2.npz": one}))
    table = load_npz(packed, member=["d/1.npz", "d/2.npz"], **options)
    assert table.y.tolist() == ["yes", "no"] * 4
    assert table.X.shape == (8, 3)
    table = load_npz([write(one, "1.npz"), write(one, "2.npz")], parts=["train", "test"], **options)
    assert table.split.tolist() == ["train"] * 4 + ["test"] * 4
    assert "no position in 1 names" in refusal(load_npz, write(two, "2.npz"), **options)


def test_npz_refusals(write):
    good = {"X": X, "y": Y}
    for changed, sentence in (
        ({"y": Y.astype(object)}, "pickled objects"),
        ({"X": X.astype(object)}, "pickled objects"),
        ({"y": Y[:3]}, "has 4 rows where there are 3 classes"),
        ({"X": X.T[:, :4]}, "give `transpose: true`"),
        ({"X": X[0]}, "no matrix of real numbers"),
        ({"X": X * 1j}, "no matrix of real numbers"),
        ({"X": np.where(X == 4, np.nan, X)}, "row 2: holds NaN"),
        ({"y": np.stack([Y, Y])}, "no vector"),
        ({"y": np.array([0, 1, np.nan, 1])}, "entry 3: is no text and no number"),
        ({"y": np.array(["x"] * 4)}, "two classes"),
    ):
        assert sentence in refusal(load_npz, write(npz(**{**good, **changed})))
    path = write(npz(**good))
    assert "holds no array 'Xs'; the nearest is 'X'; it holds 'X', 'y'" in refusal(load_npz, path, features="Xs")
    assert "no whole .npz" in refusal(load_npz, write(b"<html>"))
    assert "no such file" in refusal(load_npz, "nothing.npz")
    two = [write(npz(**good), "1.npz"), write(npz(X=X[:, :2], y=Y), "2.npz")]
    assert "has 2 features" in refusal(load_npz, two)


def test_an_npz_that_claims_terabytes_is_refused(write, monkeypatch):
    monkeypatch.setattr("algos.datasets.readers.arrays._MOST_BYTES", 200)
    assert "larger than" in refusal(load_npz, write(npz(X=np.zeros((4, 100)), y=Y)))


def test_mat(write):
    from scipy.sparse import csc_array

    labels = np.array([[1], [2], [1], [2]], np.uint8)
    cells = np.array([["a"], ["bc"], ["a"], ["bc"]], dtype=object)
    for target, expected in ((labels, "1212"), (labels.T, "1212"), (labels.astype(float), "1212")):
        table = load_mat(write(mat(fts=X, labels=target)))
        assert table.y.tolist() == list(expected)
        np.testing.assert_array_equal(table.X, X)
    assert load_mat(write(mat(fts=csc_array(X.astype(float)), labels=cells))).y.tolist() == ["a", "bc"] * 2
    assert load_mat(write(mat(fts=X, labels=np.array(["a ", "bc"] * 2)))).y.tolist() == ["a", "bc"] * 2
    named = write(mat(x=X.T, l=labels, n=np.array(["cow", "bat"], dtype=object)))
    table = load_mat(named, "l", features="x", classes="n", transpose=True)
    assert table.y.tolist() == ["cow", "bat"] * 2
    assert load_mat(write(zip_bytes({"m/1.mat": mat(fts=X, labels=labels)})), member="m/1.mat").n_samples == 4


def test_mat_refusals(write):
    labels = np.array([[1], [2], [1], [2]])
    new = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512) + b"\x89HDF\r\n\x1a\n"
    assert "version 7.3 (HDF5); save it by" in refusal(load_mat, write(new))
    assert "holds no array 'fts'" in refusal(load_mat, write(mat(f=X, labels=labels)))
    assert "cannot be read" in refusal(load_mat, write(b"<html>404</html>" * 20))
    assert "cannot be read" in refusal(load_mat, write(mat(fts=X, labels=labels)[:200]))
    assert "no text and no number" in refusal(load_mat, write(mat(fts=X, labels=np.array([{"a": 1}] * 4))))


@pytest.mark.parametrize("seed", range(30))
def test_damaged_array_files_are_read_or_refused(write, seed):
    chance = np.random.default_rng(seed)
    for content, load in ((npz(X=X, y=Y), load_npz), (mat(fts=X, labels=np.array([1, 2, 1, 2])), load_mat)):
        damaged = bytearray(content)
        for _ in range(3):
            damaged[chance.integers(len(damaged))] = chance.integers(256)
        sentence = ""
        try:
            load(write(damaged))
        except InputError as error:
            sentence = str(error)
        assert "\n" not in sentence
