"""The table, and its form on disk."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_array

from algos.datasets import Table, read_table, write_table
from algos.datasets.table import label_text, labels_of, multi_label_table, single_label_table, split_of
from algos.exceptions import InputError


@pytest.fixture
def single():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    X[3, 2] = np.nan
    y = np.array(["b", "a", "<ü>", "10", "9"] * 10)
    split = np.where(np.arange(50) < 40, "train", "test")
    return single_label_table(X, y, ["a", "label", "split", "x\n1"], "toy", split, ["A note with 'quotes' and ü."])


@pytest.fixture(params=["dense", "sparse"])
def multi(request):
    X = np.array([[0.0, 1.5, 0], [0, 0, 0], [2, 0, -1]])
    Y = np.array([[1, 0], [0, 0], [1, 1]], dtype=np.int8)
    return multi_label_table(X if request.param == "dense" else csr_array(X), Y, ["a", "b", "c"], ["q", "p"], "toy")


def equal(one, two):
    """Compare two tables in all their parts."""
    for a, b in ((one.X, two.X), (one.y, two.y), (one.Y, two.Y), (one.split, two.split)):
        assert type(a) is type(b)
        if a is not None:
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(*(v if isinstance(v, np.ndarray) else v.toarray() for v in (a, b)))
    assert one.feature_names == two.feature_names
    assert one.label_names == two.label_names
    assert one.notes == two.notes


def test_single_label_there_and_back(single, tmp_path):
    write_table(single, tmp_path / "new" / "toy.parquet")
    back = read_table(tmp_path / "new" / "toy.parquet")
    equal(single, back)
    assert back.X.flags.c_contiguous
    assert back.label_names == sorted({"b", "a", "<ü>", "10", "9"})


def test_multi_label_there_and_back(multi, tmp_path):
    write_table(multi, tmp_path / "toy.parquet")
    equal(multi, read_table(tmp_path / "toy.parquet"))


def test_the_same_bytes(single, multi, tmp_path):
    for table in (single, multi):
        write_table(table, tmp_path / "one")
        write_table(table, tmp_path / "two")
        assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_file_reads_elsewhere(single, tmp_path):
    write_table(single, tmp_path / "toy.parquet")
    arrow = pq.ParquetFile(tmp_path / "toy.parquet").read()
    expected = ["feature:a", "feature:label", "feature:split", "feature:x\n1", "label", "split"]
    assert arrow.column_names == expected
    assert arrow.schema.field("feature:a").type == pa.float64()


def test_nothing_half_written(single, tmp_path):
    path = tmp_path / "toy.parquet"
    write_table(single, path)
    before = path.read_bytes()
    broken = Table(single.X, ["one name for four"], single.label_names, y=single.y[:-1])
    with pytest.raises(pa.ArrowInvalid):
        write_table(broken, path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["toy.parquet"]


def test_read_table_refuses_other_files(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_table(tmp_path / "gone.parquet")
    (tmp_path / "text").write_text("a,b\n")
    with pytest.raises(InputError, match="is not a Parquet file"):
        read_table(tmp_path / "text")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "foreign")
    with pytest.raises(InputError, match="is not a table of this program"):
        read_table(tmp_path / "foreign")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"), ("6.0000", "6"), ("1.", "1"), ("+1", "1"), (-1, "-1"), (" a ", "a"), ("1.5", "1.5"), (1.5, "1.5"),
        ("007", "007"), (1e22, "1" + "0" * 22), ("1e3", "1e3"), ("-", "-"), ("", ""), (2**70, str(2**70)),
    ],
)  # fmt: skip
def test_label_text(value, text):
    assert label_text(value) == text


def test_labels_of_is_text_of_full_length():
    assert labels_of(["a", "long name", 3.0]).tolist() == ["a", "long name", "3"]


def test_split_of():
    assert split_of([2, 1], None) is None
    assert split_of([1, 2, 1], ["train", "test", "train"]).tolist() == ["train", "test", "test", "train"]
    with pytest.raises(InputError, match="2 files and 1 parts"):
        split_of([1, 2], ["train"])


def test_notes_of_constant_columns_and_unused_labels():
    X, Y = csr_array([[1.0, 0.0], [1.0, 2.0]]), np.array([[0, 1], [0, 1]], dtype=np.int8)
    table = multi_label_table(X, Y, ["a", "b"], ["never", "ever"], "toy")
    assert table.notes == [
        "Labels that no row has: 'never'.",
        "Constant columns, kept though they tell nothing: 'a'.",
    ]
    with pytest.raises(InputError, match="no column is a label"):
        multi_label_table(X, Y[:, :0], ["a", "b"], [], "toy")
