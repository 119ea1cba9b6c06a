"""ARFF, LIBSVM, IDX, XLS, Parquet and scikit-learn's own sets, on made-up files."""

import gzip
import struct
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import algos.datasets
from algos.datasets import load_arff, load_builtin, load_idx, load_libsvm, load_parquet, load_xls, load_xmlc
from algos.exceptions import InputError


@pytest.fixture
def make(tmp_path):
    """Write text or bytes to a file and return its path."""

    def write(content, name):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refusal(reader, *args, **options):
    """Return the sentence with which a reader refuses its input."""
    with pytest.raises(InputError) as caught:
        reader(*args, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- ARFF ------------------------------------------------------------------------------------------------------------
DENSE = """% a comment
@relation toy
@attribute 'first one' numeric
@attribute bit {0,1}
@attribute colour {red,green,'dark blue'}
@attribute class {x,y}
@data
1.5,1,red,x
?,0,'dark blue',y
3,1,green,x
"""


def test_arff_single_label(make):
    table = load_arff(make(DENSE, "toy.arff"), missing="impute")
    assert table.feature_names == ["first one", "bit", "colour=red", "colour=green", "colour=dark blue"]
    np.testing.assert_array_equal(table.X, [[1.5, 1, 1, 0, 0], [np.nan, 0, 0, 0, 1], [3, 1, 0, 1, 0]])
    assert table.y.tolist() == ["x", "y", "x"]
    assert "instance 2: column 'first one' has no value" in refusal(load_arff, make(DENSE, "toy.arff"))


def test_arff_ordinal_follows_the_declaration(make):
    table = load_arff(make(DENSE, "toy.arff"), categorical={"colour": "ordinal"}, missing="impute")
    assert table.X[:, 2].tolist() == [0, 2, 1]


def test_arff_gzip_crlf_and_encoding(make):
    path = make(gzip.compress(DENSE.replace("\n", "\r\n").replace("red", "röt").encode("latin-1")), "toy.arff.gz")
    table = load_arff(path, missing="impute", encoding="latin-1")
    assert "colour=röt" in table.feature_names
    assert "latin-1" in refusal(load_arff, path)


SPARSE = """@relation toy
@attribute f0 numeric
@attribute f1 {0,1}
@attribute f2 numeric
@attribute b {0,1}
@attribute a {0,1}
@data
{0 2.5, 3 1}
{}
{1 1, 2 -1, 3 1, 4 1}
"""
LABELS = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels"><label name="a"></label><label name="b"><label name="f1"/></label>
</labels>"""


def test_arff_sparse_multi_label(make):
    path = make(SPARSE, "toy.arff")
    table = load_arff(path, labels=2)
    assert table.X.format == "csr"
    np.testing.assert_array_equal(table.X.toarray(), [[2.5, 0, 0], [0, 0, 0], [0, 1, -1]])
    np.testing.assert_array_equal(table.Y, [[1, 0], [0, 0], [1, 1]])
    assert table.Y.dtype == np.int8
    assert table.label_names == ["b", "a"]
    assert table.y is None
    assert load_arff(path, labels=["a", "b"]).label_names == ["b", "a"]


def test_arff_labels_from_xml_by_name(make):
    table = load_arff(make(SPARSE, "toy.arff"), labels=make(LABELS, "toy.xml"))
    assert table.label_names == ["f1", "b", "a"]
    np.testing.assert_array_equal(table.Y, [[0, 1, 0], [0, 0, 0], [1, 1, 1]])
    assert table.feature_names == ["f0", "f2"]


def test_arff_dense_multi_label(make):
    text = SPARSE[: SPARSE.index("{0 2.5")] + "2.5,0,0,1,0\n0,1,-1,1,1\n"
    table = load_arff(make(text, "toy.arff"), labels=2, drop=["f1"])
    np.testing.assert_array_equal(table.X, [[2.5, 0], [0, -1]])
    assert isinstance(table.X, np.ndarray)
    assert table.Y.tolist() == [[1, 0], [1, 1]]


def test_arff_sparse_single_label_and_first_category(make):
    """What a sparse row leaves out is the first category, be it not called 0."""
    text = "@relation t\n@attribute f {2,0}\n@attribute c {x,y}\n@data\n{0 0}\n{1 y}\n{}\n"
    table = load_arff(make(text, "toy.arff"))
    assert table.y.tolist() == ["x", "y", "x"]
    assert table.X[:, 0].tolist() == [0, 2, 2]
    multi = "@relation t\n@attribute f {2,0}\n@attribute a {0,1}\n@data\n{0 0}\n{1 1}\n{}\n"
    assert load_arff(make(multi, "toy.arff"), labels=1).X.toarray()[:, 0].tolist() == [0, 2, 2]


def test_arff_several_files(make):
    first, second = make(SPARSE, "one.arff"), make(SPARSE, "two.arff")
    table = load_arff([first, second], labels=2, parts=["train", "test"])
    assert table.split.tolist() == ["train"] * 3 + ["test"] * 3
    other = make(SPARSE.replace("f2", "g2"), "two.arff")
    assert "attributes are not those of one.arff" in refusal(load_arff, [first, other], labels=2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "layout"),
        (DENSE[: DENSE.index("1.5")], "no instance under @data"),
        (DENSE.replace("numeric", "date"), "dates and relations cannot"),
        (DENSE.replace("1.5,1", "1.5"), "line 8"),
        (DENSE.replace("1.5,1,red,x", "1.5,1,100%s,x"), "line 8"),
        (DENSE.replace("1.5,1,red,x", "1.5,%d"), "line 8"),
        (DENSE.replace("3,1", "3q,1"), "line 10"),
        (DENSE.replace("bit", "class"), "class"),
        ("\x00" + DENSE, "NUL"),
    ],
)
def test_arff_refusals(make, text, sentence):
    message = refusal(load_arff, make(text, "toy.arff"))
    assert "toy.arff" in message
    assert sentence in message


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (["bb"], "no attribute 'bb' for that label; the nearest is 'b'"),
        (5, "there are 5 attributes"),
        (["f0"], "instance 1: label 'f0' is 2.5: labels take other values than 0 and 1"),
    ],
)
def test_arff_wrong_labels(make, labels, sentence):
    assert sentence in refusal(load_arff, make(SPARSE, "toy.arff"), labels=labels)


def test_arff_multi_label_values(make):
    text = SPARSE.replace("f2 numeric", "f2 {0,u}").replace("2 -1", "2 u")
    assert "'f2' of a multi-label set is text" in refusal(load_arff, make(text, "toy.arff"), labels=2)
    assert "has no value" in refusal(load_arff, make(SPARSE.replace("-1", "?"), "toy.arff"), labels=2)
    assert "is inf" in refusal(load_arff, make(SPARSE.replace("-1", "1e999"), "toy.arff"), labels=2)
    text = SPARSE.replace("@attribute a {0,1}", "@attribute a {0,1,2}")
    assert "label 'a' takes" in refusal(load_arff, make(text, "toy.arff"), labels=2)


@pytest.mark.parametrize(
    ("xml", "sentence"),
    [
        ("<labels><label", "is not XML"),
        ("<labels/>", "holds no <label"),
        ('<l><label name="a"/><label name="a"/></l>', "names the label 'a' twice"),
        ('<!DOCTYPE l [<!ENTITY a "b">]><l>&a;</l>', "declares XML entities"),
    ],
)
def test_arff_bad_xml(make, xml, sentence):
    assert sentence in refusal(load_arff, make(SPARSE, "toy.arff"), labels=make(xml, "toy.xml"))


def test_arff_label_order_of_the_xml_does_not_matter(make):
    """Matched by name: the columns of `Y` are the same labels, in the file's order, however the XML lists them."""
    path = make(SPARSE, "toy.arff")
    tables = [
        load_arff(path, labels=make(f'<l><label name="{first}"/><label name="{second}"/></l>', "toy.xml"))
        for first, second in ("ab", "ba")
    ]
    for table in tables:
        assert table.label_names == ["b", "a"]
        assert table.Y[:, table.label_names.index("a")].tolist() == [0, 0, 1]


@pytest.mark.parametrize("values", ["{-1,1}", "{0,1,2}", "{FALSE,TRUE}", "{no,yes}"])
def test_arff_labels_that_are_not_0_and_1(make, values):
    text = SPARSE.replace("@attribute a {0,1}", f"@attribute a {values}").replace(", 4 1", "")
    assert "label 'a' takes" in refusal(load_arff, make(text, "toy.arff"), labels=["a"])


def test_arff_numeric_labels(make):
    text = SPARSE.replace("@attribute a {0,1}", "@attribute a numeric")
    assert load_arff(make(text, "toy.arff"), labels=2).Y.tolist() == [[1, 0], [0, 0], [1, 1]]
    message = refusal(load_arff, make(text.replace("4 1", "4 0.5"), "toy.arff"), labels=2)
    assert "instance 3: label 'a' is 0.5" in message


def test_arff_indices_are_what_liblinear_takes(make):
    X = load_arff(make(SPARSE, "toy.arff"), labels=2).X
    assert X.indices.dtype == X.indptr.dtype == np.int32


# --- MEKA ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("relation", "label_names"),
    [
        ("'Toy: -C -2'", ["b", "a"]),
        ('"Toy data: -C -1 -split-percentage 66"', ["a"]),
        ("'Toy: -split-number 3 -C -2'", ["b", "a"]),
        ("Toy:-C -2", None),
    ],
)
def test_meka_labels_at_the_end(make, relation, label_names):
    text = SPARSE.replace("@relation toy", f"@relation {relation}")
    if label_names is None:  # blanks without quotes
        assert "toy.arff" in refusal(load_arff, make(text, "toy.arff"))
        return
    table = load_arff(make(text, "toy.arff"))
    assert table.label_names == label_names
    assert table.notes[0].startswith("Labels by the relation's name, ")


def test_meka_labels_at_the_start(make):
    head = "@relation 'Toy: -C 2'\n@attribute a {0,1}\n@attribute b {0,1}\n@attribute f numeric\n"
    text = head + "@data\n1,0,2\n0,1,3\n1,1,3\n"
    table = load_arff(make(text, "toy.arff"))
    assert table.label_names == ["a", "b"]
    assert table.feature_names == ["f"]
    assert table.Y.tolist() == [[1, 0], [0, 1], [1, 1]]
    # Whoever names the labels, or a target, is not overruled.
    assert load_arff(make(text, "toy.arff"), labels=["b"], drop=["a"]).label_names == ["b"]
    assert load_arff(make(text, "toy.arff"), target="f").y.tolist() == ["2", "3", "3"]


@pytest.mark.parametrize("n", [0, 5, -5, 99])
def test_meka_option_beyond_the_attributes(make, n):
    text = SPARSE.replace("@relation toy", f"@relation 'Toy: -C {n}'")
    assert f"asks for {n} of 5 attributes" in refusal(load_arff, make(text, "toy.arff"))


# --- LIBSVM ----------------------------------------------------------------------------------------------------------
def test_libsvm(make):
    table = load_libsvm(make("+1 1:0.5 3:-2e1 # first\n-1 2:1\n\n+1\n", "toy.svm"))
    np.testing.assert_array_equal(table.X, [[0.5, 0, -20], [0, 1, 0], [0, 0, 0]])
    assert table.y.tolist() == ["1", "-1", "1"]
    assert load_libsvm(make("1 1:1\n2 2:1\n1 1:2\n", "toy.svm"), n_features=5).n_features == 5
    assert load_libsvm(make(gzip.compress(b"1 0:1\n2 2:1\n1 1:2\n"), "toy.svm.gz")).n_features == 3


def test_libsvm_sparse_and_parts(make):
    first, second = make("1 1:1\n2 2:1\n", "one"), make("1 9:1\n", "two")
    table = load_libsvm([first, second], sparse=True, parts=["train", "test"])
    assert table.X.shape == (3, 9)
    assert table.X.format == "csr"
    assert table.split.tolist() == ["train", "train", "test"]


def test_libsvm_multi_label(make):
    table = load_libsvm(make("10,2 1:1\n 2:1\n2 1:3\n", "toy.svm"), multilabel=True)
    assert table.label_names == ["2", "10"]
    assert table.Y.tolist() == [[1, 1], [0, 0], [1, 0]]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the file is empty"),
        ("# nothing\n", "the file is empty"),
        ("1 1:2\nx 1:3\n", "line 2"),
        ("1 1:2\n2 1;3\n", "line 2"),
        ("1 1:2\n2 1:nan\n", "line 2"),
        ("1 1:2\n2 1:1e999\n", "row 2: holds an infinite number"),
        ("1 2:2 1:3\n2 1:3\n", "toy.svm"),
        ("1 1:2\n1 1:3\n", "all 2 rows have the label '1'"),
        ("1 1:2\n" * 200 + "2 4000000:3\n", "give `sparse: true`"),
        ("1 1:2\n2 1000000000:3\n", "1000000000 features are more than the usual"),
    ],
)
def test_libsvm_refusals(make, text, sentence):
    assert sentence in refusal(load_libsvm, make(text, "toy.svm"))


def test_libsvm_multi_label_refusals(make):
    assert "line 2" in refusal(load_libsvm, make("1,2 1:1\n1,x 2:1\n", "toy.svm"), multilabel=True)
    assert "line 1" in refusal(load_libsvm, make("1, 2 1:1\n1 2:1\n", "toy.svm"), multilabel=True)
    assert "no column is a label" in refusal(load_libsvm, make(" 1:1\n 2:1\n", "toy.svm"), multilabel=True)


def test_rows_without_a_label_are_noted(make):
    table = load_libsvm(make("1 1:1\n 2:1\n0 1:3\n", "toy.svm"), multilabel=True)
    assert "Rows without a label: 1 of 3." in table.notes


# --- XMLC ------------------------------------------------------------------------------------------------------------
XMLC = "3 4 3\n2,0 0:0.5 3:-2e1\n 1:1\n0\n"


def test_xmlc(make):
    path = make(XMLC, "toy.txt")
    table = load_xmlc(path)
    assert table.X.format == "csr"
    np.testing.assert_array_equal(table.X.toarray(), [[0.5, 0, 0, -20], [0, 1, 0, 0], [0, 0, 0, 0]])
    assert table.Y.tolist() == [[1, 0, 1], [0, 0, 0], [1, 0, 0]]
    assert table.label_names == ["0", "1", "2"]
    assert "Labels that no row has: '1'." in table.notes
    np.testing.assert_array_equal(load_xmlc(path, sparse=False).X, table.X.toarray())
    packed = make(gzip.compress(XMLC.replace("\n", "\r\n").encode()), "toy.txt.gz")
    np.testing.assert_array_equal(load_xmlc(packed).Y, table.Y)


def test_xmlc_several_files(make):
    first, second = make(XMLC, "one"), make("1 4 3\n1 2:7\n", "two")
    table = load_xmlc([first, second], parts=["train", "test"])
    assert table.split.tolist() == ["train"] * 3 + ["test"]
    assert table.Y[3].tolist() == [0, 1, 0]
    assert "two: has 5 features and 3 labels, one 4 and 3" in refusal(load_xmlc, [first, make("1 5 3\n1 2:7\n", "two")])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: is not `n_samples n_features n_labels`"),
        ("2,0 0:0.5\n", "line 1: is not `n_samples n_features n_labels`"),
        ("3 4\n", "line 1"),
        ("0 4 3\n", "there is no row of data"),
        ("3 0 3\n1 0:1\n", "0 features and 3 labels"),
        ("2 4 3\n1 0:1\n", "has 1 rows where its first line says 2"),
        ("1 4 3\n3 0:1\n", "row 1: has label 3 where the first line says 3 labels"),
        ("1 4 3\n-1 0:1\n", "line 2: labels must be whole numbers"),
        ("1 4 3\n0.5 0:1\n", "line 2: labels must be whole numbers"),
        ("1 4 3\n1 0;1\n", "line 2"),
        ("1 4 3\n1 4:1\n", "toy.txt"),
        ("1 4 3\n1 0:1e999\n", "row 1: holds an infinite number"),
        ("2 4 3\n1 0:1\n1 2:nan\n", "line 3"),
    ],
)
def test_xmlc_refusals(make, text, sentence):
    message = refusal(load_xmlc, make(text, "toy.txt"))
    assert "toy.txt" in message
    assert sentence in message


# --- IDX -------------------------------------------------------------------------------------------------------------
def idx(array, kind=0x08):
    """Return an array in the IDX format."""
    array = np.asarray(array)
    return struct.pack(f">HBB{array.ndim}I", 0, kind, array.ndim, *array.shape) + array.tobytes()


IMAGES = np.arange(24, dtype=np.uint8).reshape(4, 2, 3)
DIGITS = np.array([7, 0, 7, 0], dtype=np.uint8)


def test_idx(make):
    images, labels = make(gzip.compress(idx(IMAGES)), "images.gz"), make(idx(DIGITS), "labels")
    table = load_idx([images, images], [labels, labels], parts=["train", "test"])
    np.testing.assert_array_equal(table.X[:4], np.arange(24).reshape(4, 6))
    assert table.X.dtype == np.float64
    assert table.y.tolist() == ["7", "0"] * 4
    assert table.split.tolist() == ["train"] * 4 + ["test"] * 4
    assert table.feature_names[:4] == ["pixel_0_0", "pixel_0_1", "pixel_0_2", "pixel_1_0"]


def test_idx_other_types(make):
    values = np.array([[-1.5, 2], [3, 4], [5, 6]], dtype=">f8")
    table = load_idx(make(idx(values, 0x0E), "images"), make(idx(np.array([1, 2, 1], "u1")), "labels"))
    assert table.X.tolist() == values.tolist()


@pytest.mark.parametrize(
    ("images", "labels", "sentence"),
    [
        (b"", idx(DIGITS), "is not an IDX file"),
        (b"\x89PNG....", idx(DIGITS), "is not an IDX file"),
        (idx(IMAGES)[:-1], idx(DIGITS), "has 39 bytes where its header says 40"),
        (idx(IMAGES) + b"x", idx(DIGITS), "has 41 bytes"),
        (idx(IMAGES)[:9], idx(DIGITS), "inside its header"),
        (idx(IMAGES), idx(DIGITS[:3]), "holds 4 images, labels 3 labels"),
        (idx(DIGITS), idx(IMAGES), "must hold images"),
    ],
)
def test_idx_refusals(make, images, labels, sentence):
    assert sentence in refusal(load_idx, make(images, "images"), make(labels, "labels"))


def test_idx_files_that_do_not_fit(make):
    images, labels = make(idx(IMAGES), "images"), make(idx(DIGITS), "labels")
    assert "2 files of images and 1 of labels" in refusal(load_idx, [images, images], labels)
    wide = make(idx(IMAGES.reshape(4, 3, 2)), "wide")
    assert "not as large" in refusal(load_idx, [images, wide], [labels, labels])


# --- XLS -------------------------------------------------------------------------------------------------------------
def xls(**sheets):
    """Return a workbook in BIFF 5, the simplest form of .xls that has named sheets."""

    def record(code, content):
        return struct.pack("<HH", code, len(content)) + content

    def sheet(rows):
        cells = b""
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                if isinstance(value, str):
                    text = value.encode("latin-1")
                    cells += record(0x204, struct.pack("<HHHH", i, j, 0, len(text)) + text)
                elif value is not None:
                    cells += record(0x203, struct.pack("<HHHd", i, j, 0, value))
        return record(0x809, struct.pack("<HHHH", 0x500, 0x10, 0, 0)) + cells + record(0x0A, b"")

    start = record(0x809, struct.pack("<HHHH", 0x500, 0x05, 0, 0)) + record(0x42, struct.pack("<H", 1252))
    bodies = [sheet(rows) for rows in sheets.values()]
    position = len(start) + sum(11 + len(name) for name in sheets) + 4
    table = b""
    for name, body in zip(sheets, bodies, strict=True):
        table += record(0x85, struct.pack("<IHB", position, 0, len(name)) + name.encode())
        position += len(body)
    return start + table + record(0x0A, b"") + b"".join(bodies)


ROWS = [["No", "Class", "a", "b"], [1.0, "x", 0.1, 5.0], [2.0, "y", 0.2, 6.0], [], [3.0, "x", 0.3, 7.0]]


def test_xls(make):
    path = make(xls(About=[["words"]], Data=ROWS), "toy.xls")
    table = load_xls(path, "Class", sheet="Data", drop=["No"])
    assert table.X.tolist() == [[0.1, 5], [0.2, 6], [0.3, 7]]
    assert table.y.tolist() == ["x", "y", "x"]
    assert load_xls(path, "Class", sheet=1).feature_names == ["No", "a", "b"]
    assert "no sheet 'Date'; the nearest is 'Data'" in refusal(load_xls, path, sheet="Date")
    assert "no row of data" in refusal(load_xls, path)


def test_xls_values(make):
    rows = [["a", "b", "class"], [1.0, "red", 1.0], [None, "blue", 2.0], [3.0, "red", 1.0]]
    path = make(xls(Data=rows), "toy.xls")
    assert "row 3: column 'a' has no value" in refusal(load_xls, path, categorical="one_hot")
    assert "column 'b' holds text ('red', row 2)" in refusal(load_xls, path)
    table = load_xls(path, categorical={"b": "one_hot"}, missing="impute")
    assert table.feature_names == ["a", "b=blue", "b=red"]
    np.testing.assert_array_equal(table.X, [[1, 0, 1], [np.nan, 1, 0], [3, 0, 1]])


def test_xls_own_missing_values(make):
    path = make(xls(Data=[["a", "c"], [-999.0, "x"], [2.0, "NA"], [3.0, "NA"]]), "toy.xls")
    table = load_xls(path, missing="impute", missing_values=[-999])
    assert np.isnan(table.X[:, 0]).tolist() == [True, False, False]
    assert table.label_names == ["NA", "x"]


def test_xls_labels_are_whole_numbers(make):
    rows = [["a", "class"], [1.0, 1.0], [2.0, 2.0], [3.0, 1.0]]
    assert load_xls(make(xls(Data=rows), "toy.xls")).y.tolist() == ["1", "2", "1"]


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)])
def test_xls_refusals(make, content):
    assert "cannot be read as an .xls workbook" in refusal(load_xls, make(content, "toy.xls"))


def test_empty_xls(make):
    assert "the file is empty" in refusal(load_xls, make(b"", "toy.xls"))


def test_xlsx_is_refused(make):
    assert "xlsx" in refusal(load_xls, make(b"PK\x03\x04rest", "toy.xls"))


# --- Parquet ---------------------------------------------------------------------------------------------------------
def parquet(path, **columns):
    """Write columns as a Parquet file and return its path."""
    pq.write_table(pa.table(columns), path)
    return path


def test_parquet(tmp_path):
    path = parquet(
        tmp_path / "toy.parquet",
        i=pa.array([1, 2, 3], pa.int32()),
        f=pa.array([0.5, 1.5, 2.5], pa.float32()),
        b=pa.array([True, False, True]),
        colour=pa.array(["r", "g", "r"]).dictionary_encode(),
        label=pa.array([1, 2, 1]),
    )
    table = load_parquet(path, "label", categorical={"colour": "one_hot"})
    assert table.feature_names == ["i", "f", "b", "colour=g", "colour=r"]
    np.testing.assert_array_equal(table.X, [[1, 0.5, 1, 0, 1], [2, 1.5, 0, 1, 0], [3, 2.5, 1, 0, 1]])
    assert table.y.tolist() == ["1", "2", "1"]
    assert "column 'colour' holds text ('r', row 1)" in refusal(load_parquet, path, "label")
    both = load_parquet([path, path], "label", drop=["colour"], parts=["train", "test"])
    assert both.split.tolist() == ["train"] * 3 + ["test"] * 3


def test_parquet_missing_and_other_types(tmp_path):
    path = parquet(tmp_path / "toy.parquet", a=[1, None, 3], c=["x", "y", "x"])
    assert "row 2: column 'a' has no value" in refusal(load_parquet, path)
    assert np.isnan(load_parquet(path, missing="impute").X[1, 0])
    path = parquet(tmp_path / "list.parquet", a=[[1], [2], [3]], c=["x", "y", "x"])
    assert "column 'a' is of type list" in refusal(load_parquet, path)


def test_parquet_refusals(make, tmp_path):
    assert "is not a Parquet file" in refusal(load_parquet, make(b"PAR1 but no", "toy.parquet"))
    one = parquet(tmp_path / "one.parquet", a=[1, 2, 3], c=["x", "y", "x"])
    two = parquet(tmp_path / "two.parquet", b=[1, 2, 3], c=["x", "y", "x"])
    assert "are not those of one.parquet" in refusal(load_parquet, [one, two])
    twice = pa.Table.from_arrays([pa.array([1, 2])] * 2 + [pa.array(["x", "y"])], names=["a", "a", "c"])
    pq.write_table(twice, tmp_path / "twice.parquet")
    assert "both called 'a'" in refusal(load_parquet, tmp_path / "twice.parquet")
    assert "no row of data" in refusal(load_parquet, parquet(tmp_path / "none.parquet", a=[], c=[]))


# --- scikit-learn ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "shape", "n_classes", "first"),
    [
        ("digits", (1797, 64), 10, "0"),
        ("wine", (178, 13), 3, "class_0"),
        ("wdbc", (569, 30), 2, "malignant"),
        ("iris", (150, 4), 3, "setosa"),
    ],
)
def test_builtin(name, shape, n_classes, first):
    table = load_builtin(name)
    assert table.X.shape == shape
    assert len(table.label_names) == n_classes
    assert table.y[0] == first


def test_builtin_synthetic_labels():
    table = load_builtin("synthetic_multilabel")
    assert table.y is None
    assert table.X.shape == (1000, 100)
    assert table.Y.shape == (1000, 20)
    assert set(np.unique(table.Y)) == {0, 1}
    assert 0 < (table.Y.sum(axis=1) == 0).sum() < 100
    assert "Synthetic" in table.notes[0]
    assert "no other option" in refusal(load_builtin, "synthetic_multilabel", positive="label_0")


def test_builtin_unknown():
    assert "the nearest is 'digits'" in refusal(load_builtin, "digit")


def test_builtin_one_class_against_the_rest():
    digits = load_builtin("digits")
    three = load_builtin("digits", positive="3")
    assert three.label_names == ["negative", "positive"]
    np.testing.assert_array_equal(three.y == "positive", digits.y == "3")
    np.testing.assert_array_equal(three.X, digits.X)
    odd = load_builtin("digits", positive=["1", "3", "5", "7", "9"])
    np.testing.assert_array_equal(odd.y == "positive", digits.y.astype(int) % 2 == 1)
    assert "no class '10'; the nearest is" in refusal(load_builtin, "digits", positive="10")


def test_builtin_patches_by_hog():
    from algos.features import HOG

    digits = load_builtin("digits", features="hog", hog={"cell": 2})
    assert digits.X.shape == (1797, HOG(cell=2).length((8, 8)))
    raw = load_builtin("digits").X.reshape(-1, 8, 8)
    np.testing.assert_array_equal(digits.X[1000], HOG(cell=2)(raw[1000]))
    assert "no block of HOG" in refusal(load_builtin, "digits", features="hog")
    assert "no parameter 'cel'; the nearest is 'cell'" in refusal(
        load_builtin, "digits", features="hog", hog={"cel": 2}
    )
    assert "iris has no images" in refusal(load_builtin, "iris", features="hog")
    assert "features is 'hogs'; the nearest is 'hog'" in refusal(load_builtin, "digits", features="hogs")
    assert "give `features: hog`" in refusal(load_builtin, "digits", hog={"cell": 2})


def test_builtin_faces_ship_with_scikit_image():
    faces = load_builtin("faces")
    assert faces.X.shape == (200, 625)
    assert faces.y.tolist() == ["face"] * 100 + ["background"] * 100
    assert (faces.X.min(), faces.X.max()) == (pytest.approx(0, abs=0.01), pytest.approx(1, abs=0.01))
    # Faces are alike: their mean explains more of each than the mean of backgrounds explains of those.
    spread = [np.std(faces.X[faces.y == name], axis=0).mean() for name in ("face", "background")]
    assert spread[0] < spread[1]
    described = load_builtin("faces", positive="face", features="hog", hog={"cell": 5})
    assert described.X.shape == (200, 576)
    assert described.label_names == ["negative", "positive"]


def test_builtin_faces_are_never_fetched(monkeypatch, tmp_path):
    import skimage.data

    monkeypatch.setattr(skimage.data, "__file__", str(tmp_path / "__init__.py"))
    assert "leaves the faces out" in refusal(load_builtin, "faces")
    monkeypatch.setitem(sys.modules, "skimage.data", None)
    assert "scikit-image, which is not installed" in refusal(load_builtin, "faces")


# --- the package -----------------------------------------------------------------------------------------------------
def test_every_exported_name_is_there():
    for name in algos.datasets.__all__:
        assert callable(getattr(algos.datasets, name))
    # A second access must not find a module of that name instead.
    assert all(callable(getattr(algos.datasets, name)) for name in algos.datasets.__all__)
    with pytest.raises(AttributeError, match="no attribute 'load_xml'"):
        _ = algos.datasets.load_xml


def test_one_reader_imports_no_other():
    code = (
        "import sys; from algos.datasets import load_csv; "
        "print([m for m in ('pandas', 'sklearn', 'scipy', 'pyarrow', 'arff', 'xlrd', 'yaml', 'jsonschema', 'pooch',"
        " 'algos.datasets.readers.arff') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
