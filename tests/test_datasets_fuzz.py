"""Damaged files: every reader either reads what it is given or refuses it in one sentence, and never breaks."""

import gzip
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from test_datasets_formats import DENSE, DIGITS, IMAGES, LABELS, ROWS, SPARSE, idx, xls

from algos.datasets import (
    load_arff,
    load_csv,
    load_idx,
    load_libsvm,
    load_parquet,
    load_uci,
    load_xls,
    load_xmlc,
    read_table,
    write_table,
)
from algos.datasets.table import single_label_table
from algos.exceptions import InputError

PIECES = [b",", b"\n", b'"', b"\0", b"nan", b"1e999", b"?", b"{", b"%", b"'", b"\xff", b"\xef\xbb\xbf", b":", b"9" * 12]
COMMAS = b'a,b,class\n1,"2",x\n3,4,y\n5,6,x\n'


def damage(content, chance):
    """Return content with one to four places inserted, overwritten, deleted or cut off."""
    content = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at, kind = chance.randrange(len(content) + 1), chance.random()
        if kind < 0.35:
            content[at:at] = chance.choice(PIECES)
        elif kind < 0.6 and at < len(content):
            content[at] = chance.randrange(256)
        elif kind < 0.8:
            del content[at : at + chance.randint(1, 8)]
        else:
            del content[at:]
    return bytes(content)


@pytest.fixture
def whole(tmp_path):
    """Return reader name -> (content of a whole file, how to read it)."""
    pq.write_table(pa.table({"a": [1, 2, 3], "c": ["x", "y", "x"]}), tmp_path / "a.parquet")
    table = single_label_table(np.arange(6.0).reshape(3, 2), np.array(["a", "b", "a"]), ["p", "q"], "toy")
    write_table(table, tmp_path / "table")
    (tmp_path / "labels").write_bytes(idx(DIGITS))
    (tmp_path / "sparse.arff").write_text(SPARSE)
    return {
        "csv": (COMMAS, load_csv),
        "csv, coded": (COMMAS, lambda p: load_csv(p, categorical="one_hot", missing="impute")),
        "whitespace": (b"1 2 x\n3 4 y\n5 6 x\n", lambda p: load_uci(p, delimiter="whitespace")),
        "gzip": (gzip.compress(b"1,2,x\n3,4,y\n5,6,x\n", mtime=0), load_uci),
        "arff": (DENSE.encode(), lambda p: load_arff(p, missing="impute")),
        "sparse arff": (SPARSE.encode(), lambda p: load_arff(p, labels=2)),
        "xml": (LABELS.encode(), lambda p: load_arff(tmp_path / "sparse.arff", labels=p)),
        "libsvm": (b"10,2 1:1\n 2:1\n2 1:3\n", lambda p: load_libsvm(p, multilabel=True)),
        "xmlc": (b"3 4 3\n2,0 0:1 3:2\n 1:1\n0\n", load_xmlc),
        "idx": (idx(IMAGES), lambda p: load_idx(p, tmp_path / "labels")),
        "xls": (xls(Data=ROWS), lambda p: load_xls(p, "Class")),
        "parquet": ((tmp_path / "a.parquet").read_bytes(), load_parquet),
        "table": ((tmp_path / "table").read_bytes(), read_table),
    }


@pytest.mark.parametrize("seed", range(60))
def test_damaged_files(whole, tmp_path, seed):
    chance = random.Random(seed)
    path = tmp_path / "damaged"
    for name, (content, read) in whole.items():
        path.write_bytes(damage(content, chance))
        sentence = ""
        try:
            read(path)
        except InputError as error:
            sentence = str(error)
        assert "\n" not in sentence, name


def test_the_whole_files_read(whole, tmp_path):
    for content, read in whole.values():
        (tmp_path / "whole").write_bytes(content)
        assert read(tmp_path / "whole").n_samples >= 3


def test_a_flipped_bit_of_a_table_is_noticed(whole, tmp_path):
    content, _ = whole["table"]
    at = content.index(b"label") // 2
    (tmp_path / "flipped").write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    with pytest.raises(InputError, match="flipped"):
        read_table(tmp_path / "flipped")
