"""Files made to do harm, by hand: bombs, names, sizes and patterns; each is refused, or read as what it says."""

import bz2
import gzip
import io
import lzma
import pickle
import struct
import time
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_up_runs import METHODS, make_record, write_records
from scipy.sparse import csc_array
from test_datasets_archives import tar_bytes
from test_datasets_formats import DENSE, DIGITS, SPARSE, idx, xls

from algos.datasets import (
    load_arff,
    load_csv,
    load_feature_text,
    load_idx,
    load_libsvm,
    load_mat,
    load_npz,
    load_parquet,
    load_uci,
    load_xls,
    load_xmlc,
    open_archive,
    read_table,
    textfile,
)
from algos.exceptions import InputError
from algos.experiments import published
from algos.yamlfile import read_yaml

CSV = b"a,b,class\n1,2,x\n3,4,y\n5,6,x\n"
READERS = [load_csv, load_uci, load_arff, load_libsvm, load_xmlc, load_xls, load_parquet]
HOSTILE = "<script>alert(1)</script>``<img src=http://evil.invalid/x.png>](javascript:0)"


@pytest.fixture
def write(tmp_path):
    """Write text or bytes to a file and return its path."""

    def make(content, name="file"):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / name

    return make


def refusal(reader, *args, **options):
    with pytest.raises(InputError) as caught:
        reader(*args, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- bombs -----------------------------------------------------------------------------------------------------------
def compressed_zeros(n_codes):
    """Return what `compress` makes of n_codes (n_codes + 1) / 2 zeros; each code of 9 bits stands for one more."""
    bits = "".join(f"{code:09b}"[::-1] for code in [0, *range(257, 256 + n_codes)])
    bits += "0" * (-len(bits) % 8)
    return b"\x1f\x9d\x90" + bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, len(bits), 8))


def test_a_bomb_of_compress_is_refused(write, monkeypatch):
    path = write(compressed_zeros(250))
    assert textfile.read_bytes(path) == bytes(250 * 251 // 2)
    monkeypatch.setattr(textfile, "RATIO_FREE_BYTES", 2**14)
    monkeypatch.setattr(textfile, "MOST_RATIO", 2)
    assert "unpack to more than" in refusal(load_csv, path)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_file_that_unpacks_to_far_more_is_refused(write, monkeypatch, reader, pack):
    monkeypatch.setattr(textfile, "RATIO_FREE_BYTES", 2**18)
    assert "unpack to more than" in refusal(reader, write(pack(b"1,2,x\n" + b"0" * 2**23)))


def test_a_bomb_is_refused_before_memory_is_full(write):
    """Many zeros, as they come: the limit is 64 MiB for a file this small."""
    packer, content = lzma.LZMACompressor(preset=0), []
    for _ in range(12):
        content.append(packer.compress(bytes(2**24)))
    path = write(b"".join([*content, packer.flush()]))
    begin = time.process_time()
    assert "unpack to more than 64 MiB" in refusal(load_libsvm, path)
    assert time.process_time() - begin < 2


def test_what_packs_well_but_is_small_is_read(write):
    path = write(gzip.compress(CSV + b"1,2,x\n" * 200_000))
    assert load_csv(path).n_samples == 200_003


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_of_a_list_of_labels_are_refused_in_every_encoding(write, encoding):
    xml = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE l [<!ENTITY a "b">]><l><label name="&a;"/></l>'
    path = write(xml.encode(encoding), "labels.xml")
    assert "declares XML entities" in refusal(load_arff, write(SPARSE), labels=path)


# --- sizes that a file only claims -----------------------------------------------------------------------------------
def test_indices_and_counts_that_no_data_have(write, monkeypatch):
    assert "usual 4194304" in refusal(load_libsvm, write("1 1:1\n2 2000000000:1\n"), sparse=True)
    assert "usual 4194304" in refusal(load_xmlc, write("1 2000000000 4\n0 0:1\n"))
    assert "usual 4194304" in refusal(load_xmlc, write("1 4 2000000000\n0 0:1\n"))
    assert "is not `n_samples" in refusal(load_xmlc, write(f"1 4 {'9' * 5000}\n0 0:1\n"))
    many = "4000 4 4000000\n" + "0 0:1\n" * 4000
    assert "would take 15 GiB" in refusal(load_xmlc, write(many))
    assert "has label inf" in refusal(load_xmlc, write(f"1 4 3\n{'9' * 400} 0:1\n"))
    monkeypatch.setattr("algos.datasets.readers.libsvm._MOST_FEATURES", 1000)
    path = write("1 1:1\n2 2:1\n1 5000:1\n")
    assert "or give `n_features`" in refusal(load_libsvm, path)
    assert load_libsvm(path, n_features=5000).n_features == 5000


def test_idx_files_of_nothing_or_of_many_dimensions(write):
    nothing = struct.pack(">HBBIII", 0, 8, 3, 0, 65535, 65535)
    assert "holds nothing" in refusal(load_idx, write(nothing), write(idx(DIGITS[:0]), "labels"))
    deep = struct.pack(">HBB200I", 0, 8, 200, *[1] * 200) + b"\0"
    assert "says 200 dimensions" in refusal(load_idx, write(deep), write(idx(DIGITS), "labels"))


def test_arrays_larger_than_memory(write, monkeypatch):
    import scipy.io

    stream = io.BytesIO()
    scipy.io.savemat(stream, {"fts": csc_array((10**5, 10**5)), "labels": np.arange(3)})
    assert "larger than 4 GiB" in refusal(load_mat, write(stream.getvalue()))
    monkeypatch.setattr("algos.datasets.readers.arrays._MOST_BYTES", 1000)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        packed.writestr("X", bytes(2000))
    assert "larger than" in refusal(load_npz, write(stream.getvalue()))


def test_a_column_of_as_many_words_as_rows_is_not_coded_one_hot(write):
    text = "a,class\n" + "".join(f"v{i},{'xy'[i % 2]}\n" for i in range(40_000))
    assert "has 40000 values; one-hot coded" in refusal(load_csv, write(text), categorical="one_hot")


# --- patterns --------------------------------------------------------------------------------------------------------
ARFF = "@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n1,x\n2,y\n3,x\n"
KEEPS_BUSY = {
    "values without an end": (load_arff, "@relation r\n@attribute c {" + "a," * 60 + "b\n@data\n1\n"),
    "values with a blank": (load_arff, "@relation r\n@attribute c {" + "a," * 60 + "b c}\n@data\n1\n"),
    "no values": (load_arff, "@relation r\n@attribute c {" + " , " * 60 + "b c}\n@data\n1\n"),
    "options": (load_arff, ARFF.replace(" r\n", " '" + ": -a " * 20_000 + "-C x'\n", 1)),
    "backslashes": (load_arff, ARFF + "1,'" + "\\" * 9001 + "\n"),
    "digits": (load_libsvm, "1" * 100_000 + "x\n"),
    "digits of a value": (load_libsvm, "1 1:" + "1" * 100_000 + "x\n"),
    "labels": (load_xmlc, "3 4 3\n" + "1," * 50_000 + "x\n"),
    "blanks": (load_libsvm, "1" + " " * 50_000 + "x\n"),
    "quotes": (load_uci, "1," + '"' * 100_000 + "x\n2,y\n"),
}


@pytest.mark.parametrize("name", KEEPS_BUSY)
def test_lines_made_to_keep_a_pattern_busy(write, name):
    reader, text = KEEPS_BUSY[name]
    path, begin = write(text), time.process_time()
    if name == "options":
        assert reader(path).n_samples == 3
    else:
        refusal(reader, path)
    assert time.process_time() - begin < 2


def test_many_values_of_an_attribute_are_read_whatever_their_quotes(write):
    values = [*(f"v{i}" for i in range(20)), "'two words'", '"a, b"', "'it\\'s'", "a-b", "x/y:z", "é", "'{1}'"]
    text = f"@relation r\n@ATTRIBUTE n numeric\n@ATTRIBUTE name {{ {' , '.join(values)} }}\n@data\n"
    rows = "".join(f"{i},{value}\n" for i, value in enumerate([*values, *values]))
    table = load_arff(write(text + rows))
    assert len(table.label_names) == len(values)
    assert {"two words", "a, b", "it's", "{1}"} <= set(table.label_names)


# --- ARFF ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("index", ["5", "99", "4294967296", "9" * 5000, "-1", "1.5"])
def test_sparse_arff_with_an_index_out_of_range(write, index):
    assert "file: " in refusal(load_arff, write(SPARSE.replace("{}", f"{{{index} 1}}")), labels=2)


def test_arff_with_quotes(write):
    quoted = DENSE.replace("colour", "'a \"colour\" %'").replace("{x,y}", "{'it\\'s',\"an, other\"}")
    quoted = (
        quoted.replace("red,x", "red,'it\\'s'").replace("',y", '\',"an, other"').replace("green,x", "green,'it\\'s'")
    )
    table = load_arff(write(quoted), missing="impute")
    assert table.label_names == ["an, other", "it's"]
    assert 'a "colour" %=red' in table.feature_names
    for text in (DENSE.replace("1.5,1,red,x", "1.5,1,'red,x"), DENSE.replace("'dark blue'}", "'dark blue}")):
        assert "file: " in refusal(load_arff, write(text), missing="impute")


@pytest.mark.parametrize("values", ["{0,,1}", "{,1}", "{?,1}"])
def test_arff_values_with_an_empty_one(write, values):
    sparse = SPARSE.replace("f1 {0,1}", f"f1 {values}")
    assert "'f1' of a multi-label set is text" in refusal(load_arff, write(sparse), labels=2)
    table = load_arff(write(DENSE.replace("bit {0,1}", f"bit {values}").replace(",0,", ",1,")), missing="impute")
    assert table.n_samples == 3


@pytest.mark.parametrize("number", ["1e999", "-inf", "nan"])
@pytest.mark.parametrize("kind", ["numeric", "integer"])
def test_arff_numbers_that_are_none(write, kind, number):
    refusal(load_arff, write(ARFF.replace("numeric", kind).replace("1,x", f"{number},x")))


# --- names -----------------------------------------------------------------------------------------------------------
def test_classes_and_columns_that_differ_only_by_case_or_blanks_are_noted(write):
    table = load_csv(write("a,A,a b,class\n1,2,3,Cat\n1,3,4,cat\n2,3,4,c at\n2,2,3,dog\n2,2,3, cat\n"))
    assert table.label_names == ["Cat", "c at", "cat", "dog"]
    assert "Classes or labels that differ only by case or blanks: 'Cat' and 'c at', 'Cat' and 'cat'." in table.notes
    assert "Columns that differ only by case or blanks: 'a' and 'A'." in table.notes
    assert not [note for note in load_csv(write(CSV)).notes if "differ" in note]


def test_names_that_are_no_utf_8_are_refused(write, tmp_path):
    texts = {f"F/{label}/{i}.txt": b"1 2" for label in ("cow", "caf\udce9") for i in range(2)}
    assert r"the name 'caf\udce9' is no UTF-8 text" in refusal(load_feature_text, write(tar_bytes(texts)))
    assert r"'\ud800' is no UTF-8" in refusal(
        load_arff, write(ARFF.replace("{x,y}", "{'\\ud800',y}").replace(",x", ",'\\ud800'"))
    )


def test_a_member_that_is_there_twice_is_the_later_one(write):
    with open_archive(write(tar_bytes({"a": b"1"})[:1024] + tar_bytes({"a": b"2"}))) as archive:
        assert (archive.names, archive.read("a")) == (["a"], b"2")


class Bomb:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("form", ["object array", "bare pickle", "pickle as npy"])
def test_a_pickle_is_never_run(write, tmp_path, form):
    mark, stream = tmp_path / "ran", io.BytesIO()
    content = pickle.dumps(Bomb(mark))
    if form == "object array":
        np.savez(stream, X=np.array([[Bomb(mark)]], dtype=object), y=np.array(["a"]))
    else:
        with zipfile.ZipFile(stream, "w") as packed:
            packed.writestr("X" if form == "bare pickle" else "X.npy", content)
            packed.writestr("y.npy", content)
    refusal(load_npz, write(stream.getvalue()))
    refusal(load_npz, write(content))
    assert not mark.exists()


def test_html_in_names_is_escaped_in_published_pages(tmp_path):
    origin = {"commit": HOSTILE, "command": HOSTILE, "date": HOSTILE}
    settings = {"title": HOSTILE, "paper": HOSTILE, "seed": 1, "datasets": [HOSTILE], "methods": {"tree": {}}}
    runs = write_records(tmp_path / "runs", [make_record(HOSTILE), make_record(HOSTILE, "svm", error=0.2)])
    published.publish(runs, None, {}, METHODS, tmp_path / "out" / "ours", settings=settings, **origin)
    lines = (tmp_path / "out" / "ours.md").read_text().splitlines()
    assert sum("script" in line for line in lines) >= 6
    for line in lines:
        outside = "".join(line.split("```")[::2]) if "```" in line else line  # a code span is literal
        if not outside.startswith("    "):  # as is a block
            for sign in ("<script", "<img", "]("):
                assert sign not in outside.replace("\\" + sign, ""), line


# --- width -----------------------------------------------------------------------------------------------------------
WIDE = 100_000


def wide(kind):
    names = [f"c{j}" for j in range(WIDE)]
    row = ",".join("1234567"[j % 7] for j in range(WIDE))
    rows = "".join(f"{row},{label}\n" for label in "xyx")
    match kind:
        case "csv":
            return ",".join(names) + ",class\n" + rows
        case "arff":
            head = "@relation r\n" + "".join(f"@attribute {name} numeric\n" for name in names)
            return f"{head}@attribute class {{x,y}}\n@data\n{rows}"
        case "xml":
            return "<l>" + "".join(f'<label name="{name}"/>' for name in names) + "</l>"
        case "labels":
            head = "@relation r\n@attribute f numeric\n" + "".join(f"@attribute {name} {{0,1}}\n" for name in names)
            return head + "@data\n{0 1, 1 1}\n{0 2, 3 1}\n"
        case "libsvm":
            return "".join(f"{label} 1:1 {WIDE}:2\n" for label in "121")
        case "xmlc":
            return f"2 {WIDE} {WIDE}\n" + f"0,{WIDE - 1} 0:1 {WIDE - 1}:2\n" * 2
    return None


@pytest.mark.parametrize("kind", ["csv", "arff", "xml", "libsvm", "xmlc"])
def test_a_hundred_thousand_columns_are_read_in_seconds(write, kind):
    path = write(wide("labels" if kind == "xml" else kind), "wide")
    reader = {"csv": load_csv, "arff": load_arff, "libsvm": load_libsvm, "xmlc": load_xmlc}.get(kind)
    xml = write(wide("xml"), "labels.xml") if kind == "xml" else None
    begin = time.process_time()
    table = load_arff(path, labels=xml) if xml else reader(path)
    assert max(table.n_features, len(table.label_names)) == WIDE
    assert time.process_time() - begin < 20


def test_a_mistyped_column_of_a_hundred_thousand(write):
    begin = time.process_time()
    assert "the nearest is 'class'" in refusal(load_csv, write(wide("csv")), "clas")
    assert time.process_time() - begin < 10


# --- what is not what it says ----------------------------------------------------------------------------------------
def test_a_table_whose_own_description_is_none(write):
    for about in (b"[]", b"3", b"null", b"{", b"\xff"):
        stream = io.BytesIO()
        pq.write_table(pa.table({"label": ["a"]}).replace_schema_metadata({b"algos.table": about}), stream)
        assert "is not a table of this program" in refusal(read_table, write(stream.getvalue()))


@pytest.mark.parametrize("reader", [*READERS, load_npz, load_mat])
@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"\xff\xfe\x00", b"<html>404 Not Found</html>", b"PK\x03\x04"])
def test_each_reader_refuses_what_is_nothing_of_its_kind(write, reader, content):
    assert "file" in refusal(reader, write(content))


def test_cut_at_every_byte(write):
    """A part of a file is refused, or it is one itself: text that ends with a whole line."""
    whole = xls(Data=[["Class", "a"], ["x", 1.0], ["y", 2.0], ["x", 3.0]])
    for reader, content in ((load_xls, whole), (load_uci, gzip.compress(b"1,2,x\n3,4,y\n5,6,x\n", mtime=0))):
        for n_bytes in range(0, len(content), 3):
            refusal(reader, write(content[:n_bytes]))


YAMLS = ["a: 2001-99-99", "a: !!int x", "[" * 3000, "a: \0", "? [1]\n: 2", "a: *b", "a: !!python/object:x {}"]


@pytest.mark.parametrize("text", YAMLS)
def test_yaml_that_cannot_be_read(write, text):
    assert "file" in refusal(read_yaml, write(text))
