"""Broken files of every kind: a reader either reads what it is given or refuses it in one sentence, and never breaks.

Files are edited whole ones, or texts made of the pieces that a format is written with (hypothesis). The few examples of
each run are always the same; for a search of a quarter of an hour:
``python -m pytest tests/test_datasets_fuzz.py --hypothesis-profile=long``.
"""

import gzip
import io
import resource
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from test_datasets_archives import tar_bytes, zip_bytes
from test_datasets_formats import DENSE, DIGITS, IMAGES, LABELS, ROWS, SPARSE, idx, xls
from voc_tree import ROOT, annotation, jpeg, tree

from algos.datasets import (
    Table,
    load_arff,
    load_csv,
    load_feature_text,
    load_idx,
    load_image_folder,
    load_libsvm,
    load_mat,
    load_npz,
    load_parquet,
    load_uci,
    load_voc,
    load_xls,
    load_xmlc,
    open_archive,
    read_image,
    read_qrels,
    read_table,
    write_table,
)
from algos.datasets.readers.voc_patches import load_voc_patches
from algos.datasets.table import single_label_table
from algos.exceptions import InputError

#: Memory beyond what the process has already; a file of some hundred bytes that needs more is a bomb.
MOST_BYTES = 3 * 2**30

BYTES = [b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\x7f\xff\xff\xff", b"\x1f\x8b", b"PK\x03\x04", b"BZh9"]
NUMBERS = ["0", "1", "2", "-1", "1.5", "1e999", "nan", "inf", "9" * 12, "2000000000", "9" * 5000, "1_0", "0x1", "٣"]
SIGNS = ["\n", "\r\n", "\r", " ", "\t", ",", ";", ":", '"', "'", "?", "{", "}", "%", "#", "\\", "é", "\ufeff", "\0"]
CSV = [*SIGNS, *NUMBERS, "a", "b", "class", "x", "y", '""', '"x"', "NA", "|", "1,2,x\n", "a,b,class\n"]
ARFF = [
    *(*SIGNS, *NUMBERS, "x", "'dark blue'", "\\ud800", "\\8", "\\'", "{0 1, 1 x}\n", "{}\n", "{9 1}\n"),
    *("{4294967296 1}", "@relation", "@attribute", "@data\n"),
    *("@relation r\n", "@relation 'r: -C 1'\n", f"@relation 'r: -C {'9' * 5000}'\n"),
    *("@attribute a numeric\n", "@attribute i integer\n", "@attribute s string\n", "@attribute 'a' {x,y}\n"),
    *("@attribute b {0,1}\n", "@attribute c {}\n", "@attribute d date\n", "@attribute e {'",),
]  # fmt: skip
XML = [
    *("<", ">", "/", "/>", "<labels>", "</labels>", '<label name="a"/>', '<label name="b">', "</label>", "name", "="),
    *("<!DOCTYPE l>", '<?xml version="1.0" encoding="utf-7"?>', "&amp;", "&x;", "&#0;", "&#55296;", "<![CDATA[", "]]>"),
    *SIGNS,
]
SVM = [*SIGNS, *NUMBERS, "1:1", "2:3", "0:1", "1 1:1\n", "2 2:1\n", "qid:3", "1,2", "3 4 3\n", "2147483647:1", "5:"]
WORDS = [*SIGNS, *NUMBERS, "b 7 1\n", "a 3 1\n", "000001", "../x"]
VOC = [
    *("<annotation>", "</annotation>", "<object>", "</object>", "<name>cat</name>", "<name>", "</name>", "<bndbox>"),
    *("</bndbox>", "<xmin>", "</xmin>", "<xmax>9</xmax>", "<ymin>1</ymin>", "<ymax>9</ymax>"),
    *("<difficult>1</difficult>", "<size>", "</size>", "<width>60</width>", *XML, *NUMBERS),
]  # fmt: skip


@dataclass
class Case:
    """A whole file, how to read it, what its format is written with, and what a broken content is wrapped in."""

    whole: bytes
    read: Callable
    pieces: list[str] = ()
    wrap: Callable[[bytes], bytes] = bytes


def picture(kind, mode="RGB"):
    stream = io.BytesIO()
    pixels = np.random.default_rng(0).integers(0, 256, (12, 10, 3), dtype=np.uint8)
    Image.fromarray(pixels).convert(mode).save(stream, kind)
    return stream.getvalue()


def parquet():
    stream = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2, 3], "c": ["x", "y", "x"]}), stream, compression="none")
    return stream.getvalue()


def table(folder):
    made = single_label_table(np.arange(6.0).reshape(3, 2), np.array(["a", "b", "a"]), ["p", "q"], "toy")
    write_table(made, folder / "table")
    return (folder / "table").read_bytes()


def arrays(kind):
    stream, X, y = io.BytesIO(), np.arange(6.0).reshape(3, 2), np.array(["a", "b", "a"])
    if kind == "npz":
        np.savez(stream, X=X, y=y)
    elif kind == "npy":
        np.save(stream, y)
    else:
        import scipy.io

        scipy.io.savemat(stream, {"fts": X, "labels": y}, do_compression=kind == "packed mat")
    return stream.getvalue()


def npz_with(member):
    """Return an .npz whose check sums are right, around a broken array."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(arrays("npz"))) as whole, zipfile.ZipFile(stream, "w") as broken:
        broken.writestr("X.npy", whole.read("X.npy"))
        broken.writestr("y.npy", member)
    return stream.getvalue()


OBJECTS = {"1": [("cat", 1, 1, 30, 20)], "2": [("dog", 5, 5, 40, 30)], "3": [], "4": []}
TREE = tree(OBJECTS, {"train": ["1", "3"], "val": ["2", "4"]})
TEXTS = {"F/cow/1.txt": b"1 2\n", "F/bat/1.txt": b"3 4\n", "F/bat/2.txt": b"5 6\n"}
PICTURES = {"a/1.png": picture("PNG"), "a/2.png": picture("PNG"), "b/1.jpg": picture("JPEG")}


def within(files, name):
    """Return a function that puts content in the place of one file of a tar."""
    return lambda content: tar_bytes({**files, name: content})


def read_members(path):
    with open_archive(path) as archive:
        for name in archive.names:
            archive.read(name)


def read_voc(path):
    read = load_voc(path, classes=["cat", "dog"])
    for i in range(len(read.X)):
        with suppress(InputError):
            read.X[i]
    return read


def read_patches(path):
    few = {"longer_side": 24, "least_negatives": 2, "most_negatives": 3, "jittered": 1, "candidates": 2}
    return load_voc_patches(path, positive="cat", classes=["cat", "dog"], hog={"cell": 8}, **few)


def cases(folder):
    (folder / "labels").write_bytes(idx(DIGITS))
    (folder / "images").write_bytes(idx(IMAGES))
    (folder / "sparse.arff").write_text(SPARSE)
    csv, uci = b'a,b,class\n1,"2",x\n3,4,y\n5,6,x\n', b"1,2,x\n3,4,y\n5,6,x\n"
    meka = b"@relation 'toy: -C 1'\n@attribute l {0,1}\n@attribute i integer\n@data\n1,5\n0,6\n"
    xmlc = b"3 4 3\n2,0 0:1 3:2\n 1:1\n0\n"
    voc = {name[len(ROOT) :]: within(TREE, name) for name in TREE}
    return {
        "csv": Case(csv, load_csv, CSV),
        "csv, coded": Case(csv, lambda p: load_csv(p, categorical="one_hot", missing="impute"), CSV),
        "csv, ordinal": Case(csv, lambda p: load_csv(p, categorical="ordinal", missing="drop_rows"), CSV),
        "whitespace": Case(b"1 2 x\n3 4 y\n5 6 x\n", lambda p: load_uci(p, delimiter="whitespace"), CSV),
        "gzip": Case(gzip.compress(uci, mtime=0), load_uci),
        "gzip of broken text": Case(uci, load_uci, CSV, lambda content: gzip.compress(content, mtime=0)),
        "arff": Case(DENSE.encode(), lambda p: load_arff(p, missing="impute"), ARFF),
        "sparse arff": Case(SPARSE.encode(), lambda p: load_arff(p, labels=2), ARFF),
        "sparse arff, single-label": Case(SPARSE.encode(), load_arff, ARFF),
        "meka": Case(meka, load_arff, ARFF),
        "xml": Case(LABELS.encode(), lambda p: load_arff(folder / "sparse.arff", labels=p), XML),
        "libsvm": Case(b"10,2 1:1\n 2:1\n2 1:3\n", lambda p: load_libsvm(p, multilabel=True), SVM),
        "libsvm, sparse": Case(b"1 1:1\n2 2:1\n2 1:3\n", lambda p: load_libsvm(p, sparse=True), SVM),
        "xmlc": Case(xmlc, load_xmlc, SVM),
        "idx, images": Case(idx(IMAGES), lambda p: load_idx(p, folder / "labels")),
        "idx, labels": Case(idx(DIGITS), lambda p: load_idx(folder / "images", p)),
        "xls": Case(xls(Data=ROWS), lambda p: load_xls(p, "Class")),
        "parquet": Case(parquet(), load_parquet),
        "table": Case(table(folder), read_table),
        "npz": Case(arrays("npz"), load_npz),
        "npz, array": Case(arrays("npy"), load_npz, wrap=npz_with),
        "mat": Case(arrays("mat"), load_mat),
        "packed mat": Case(arrays("packed mat"), load_mat),
        "feature text": Case(b"1 2\n", load_feature_text, WORDS, within(TEXTS, "F/cow/1.txt")),
        "feature text, tar": Case(tar_bytes(TEXTS), load_feature_text),
        "qrels": Case(b"b 7 1\na 3 1\nb 3 1\n", read_qrels, WORDS),
        "image folder": Case(PICTURES["a/1.png"], load_image_folder, wrap=within(PICTURES, "a/1.png")),
        "image folder, tar": Case(tar_bytes(PICTURES), lambda p: load_image_folder(p, corrupt="skip")),
        "voc, annotation": Case(annotation([("cat", 1, 1, 30, 20)]), read_voc, VOC, voc["Annotations/1.xml"]),
        "voc, list": Case(b"2\n4\n", read_voc, WORDS, voc["ImageSets/Main/val.txt"]),
        "voc, image": Case(jpeg(), read_voc, wrap=voc["JPEGImages/1.jpg"]),
        "voc, tar": Case(tar_bytes(TREE), read_voc),
        "voc patches": Case(annotation([("cat", 1, 1, 30, 20)]), read_patches, VOC, voc["Annotations/1.xml"]),
        "tar": Case(tar_bytes(links=[("soft", "/etc/passwd", b"2")]), read_members),
        "tar.gz": Case(gzip.compress(tar_bytes(), mtime=0), read_members),
        "zip": Case(zip_bytes(), read_members),
        **{kind: Case(picture(kind, "P" if kind == "GIF" else "RGB"), read_image) for kind in KINDS},
    }  # fmt: skip


@st.composite
def broken(draw, case):
    """Edits of a whole file, or text of its format's pieces."""
    if case.pieces and draw(st.booleans()):
        return "".join(draw(st.lists(st.sampled_from(case.pieces), max_size=30))).encode("utf-8", "surrogatepass")
    content = bytearray(case.whole)
    pieces = st.sampled_from([*BYTES, *(piece.encode() for piece in case.pieces)])
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        match draw(st.sampled_from(["insert", "overwrite", "overwrite", "delete", "cut", "repeat"])):
            case "insert":
                content[at:at] = draw(pieces)
            case "overwrite":
                new = draw(st.one_of(st.binary(min_size=1, max_size=4), pieces))
                content[at : at + len(new)] = new
            case "delete":
                del content[at : at + draw(st.integers(1, 8))]
            case "cut":
                del content[at:]
            case "repeat":
                content[at:at] = content[at : at + draw(st.integers(1, 40))]
    return bytes(content)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="module")
def known(folder):
    return cases(folder)


@pytest.fixture
def little_memory():
    """Let the process have MOST_BYTES more than it has."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MOST_BYTES, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


KINDS = ("JPEG", "PNG", "BMP", "TIFF", "WEBP", "PPM", "GIF")
NAMES = [
    *("csv", "csv, coded", "csv, ordinal", "whitespace", "gzip", "gzip of broken text"),
    *("arff", "sparse arff", "sparse arff, single-label", "meka", "xml", "libsvm", "libsvm, sparse", "xmlc"),
    *("idx, images", "idx, labels", "xls", "parquet", "table", "npz", "npz, array", "mat", "packed mat"),
    *("feature text", "feature text, tar", "qrels", "image folder", "image folder, tar"),
    *("voc, annotation", "voc, list", "voc, image", "voc, tar", "voc patches", "tar", "tar.gz", "zip"),
    *KINDS,
]  # fmt: skip


def test_the_whole_files_read(known, folder):
    assert sorted(known) == sorted(NAMES)
    for name, case in known.items():
        (folder / "whole").write_bytes(case.wrap(case.whole))
        found = case.read(folder / "whole")
        assert not isinstance(found, Table) or found.n_samples >= 2, name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("little_memory")
def test_broken_files_are_read_or_refused(known, folder, name):
    case = known[name]

    @given(broken(case))
    def check(content):
        (folder / "broken").write_bytes(case.wrap(content))
        found, sentence = None, ""
        try:
            found = case.read(folder / "broken")
        except InputError as error:
            sentence = str(error)
        assert "\n" not in sentence
        if isinstance(found, Table):
            assert_can_be_kept(found, folder / "kept")

    check()


def assert_can_be_kept(found, path):
    """Write and read a table, so that no later job trips over what was read."""
    write_table(found, path)
    kept = read_table(path)
    assert (kept.label_names, kept.feature_names) == (found.label_names, found.feature_names)
    assert (kept.notes, kept.n_samples) == (found.notes, found.n_samples)


def test_a_flipped_bit_of_a_table_is_noticed(known, folder):
    content = known["table"].whole
    at = content.index(b"label") // 2
    (folder / "flipped").write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    with pytest.raises(InputError, match="flipped"):
        read_table(folder / "flipped")
