"""CSV and UCI text: what is read, and the one sentence for what cannot be."""

import bz2
import gzip
import lzma

import numpy as np
import pytest

from algos.datasets import load_csv, load_uci
from algos.exceptions import InputError

PLAIN = "a,b,class\n1,2.5,x\n3,4,y\n5,6,x\n"


@pytest.fixture
def make(tmp_path):
    """Write text or bytes to a file and return its path."""

    def write(content, name="mine.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refusal(path, *args, reader=load_csv, **options):
    """Return the sentence with which a file is refused."""
    with pytest.raises(InputError) as caught:
        reader(path, *args, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert "mine.csv" in message
    return message


def test_a_plain_file(make):
    table = load_csv(make(PLAIN), "class")
    assert table.X.dtype == np.float64
    assert table.X.flags.c_contiguous
    np.testing.assert_array_equal(table.X, [[1, 2.5], [3, 4], [5, 6]])
    assert table.y.tolist() == ["x", "y", "x"]
    assert table.feature_names == ["a", "b"]
    assert table.label_names == ["x", "y"]
    assert table.split is None
    assert table.notes == []


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace(",", " , "),
        PLAIN.replace(",", "|"),
        PLAIN + "\n\n  \n",
        "\n" + PLAIN,
        PLAIN.rstrip("\n"),
        '"a","b","class"\n"1","2.5","x"\n3,4,"y"\n5,6,x\n',
    ],
    ids=["crlf", "cr", "semicolon", "tab", "blanks", "bar", "blank end", "blank start", "no last newline", "quoted"],
)
def test_dialects_read_the_same(make, text):
    table = load_csv(make(text), "class")
    np.testing.assert_array_equal(table.X, [[1, 2.5], [3, 4], [5, 6]])
    assert table.y.tolist() == ["x", "y", "x"]
    assert table.feature_names == ["a", "b"]


@pytest.mark.parametrize("target", ["class", 0, -3])
def test_target_by_name_and_position(make, target):
    table = load_csv(make("class,a,b\n1,2,3\n4,5,6\n1,8,9\n"), target)
    assert table.y.tolist() == ["1", "4", "1"]
    assert table.feature_names == ["a", "b"]


def test_semicolon_with_decimal_comma(make):
    path = make("a;class\n1,5;x\n2,5;y\n3;x\n")
    np.testing.assert_array_equal(load_csv(path, decimal=",").X[:, 0], [1.5, 2.5, 3])
    assert '`decimal: ","`' in refusal(path)


def test_whitespace_and_no_header(make):
    table = load_uci(make("N1  1.0   2 -1\nN2\t3   4 +1 \nN3 5 6 1.0\n"), drop=[0], delimiter="whitespace")
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4], [5, 6]])
    assert table.y.tolist() == ["-1", "1", "1"]
    assert table.feature_names == ["x1", "x2"]


def test_names_for_a_file_without_header(make):
    path = make("1,2,x\n3,4,y\n5,6,y\n")
    assert load_uci(path, "kind", names=["p", "q", "kind"]).feature_names == ["p", "q"]
    assert "`names` has 2 names for 3 columns" in refusal(path, reader=load_uci, names=["p", "q"])


def test_several_files_and_their_parts(make):
    first, second = make(PLAIN, "one.csv"), make("a,b,class\n7,8,y\n", "two.csv")
    table = load_csv([first, second], "class", parts=["train", "test"])
    assert table.split.tolist() == ["train"] * 3 + ["test"]
    assert table.X[-1].tolist() == [7, 8]
    with pytest.raises(InputError, match=r"two.csv.*are not those of one.csv"):
        load_csv([first, make("a,c,class\n7,8,y\n", "two.csv")], "class")
    with pytest.raises(InputError, match=r"line 2 of two\.csv.*no value"):
        load_csv([first, make("a,b,class\n7,,y\n", "two.csv")], "class")
    with pytest.raises(InputError, match=r"'train' and 'test'"):
        load_csv([first, second], "class", parts=["train", "train"])


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compression_is_seen_by_content(make, pack):
    path = make(pack(PLAIN.encode()))
    assert load_csv(path, "class").X.shape == (3, 2)
    path.write_bytes(path.read_bytes()[:-9])
    assert "damaged or cut short" in refusal(path)


def lzw(text):
    """Pack as `compress` does, with literal 9-bit codes only (enough below 255 characters)."""
    assert len(text) < 255
    bits = sum(byte << (9 * i) for i, byte in enumerate(text.encode()))
    return b"\x1f\x9d\x90" + bits.to_bytes((9 * len(text) + 7) // 8, "little")


def test_compress_z(make):
    assert load_csv(make(lzw(PLAIN)), "class").X.tolist() == [[1, 2.5], [3, 4], [5, 6]]
    assert "damaged" in refusal(make(b"\x1f\x9d\xff\xff\xff"))


def test_zip_archive_is_refused(make):
    assert "zip archive" in refusal(make(b"PK\x03\x04rest"))


# --- encodings -------------------------------------------------------------------------------------------------------
NAMES = "größe,class\n1,süß\n2,salé\n3,süß\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_known_by_their_mark(make, encoding):
    table = load_csv(make(NAMES.encode(encoding)), "class")
    assert table.feature_names == ["größe"]
    assert table.label_names == ["salé", "süß"]


def test_latin_1_is_never_guessed(make):
    path = make("a,class\n1,x\n2,salé\n".encode("latin-1"))
    message = refusal(path)
    assert "line 3" in message
    assert "latin-1" in message


def test_declared_encoding(make):
    path = make(NAMES.encode("latin-1"))
    assert load_csv(path, encoding="latin-1").label_names == ["salé", "süß"]
    assert "no encoding 'latin-99'" in refusal(path, encoding="latin-99")
    assert load_csv(make(NAMES.encode("utf-8-sig")), encoding="utf-8").feature_names == ["größe"]


def test_nul_bytes(make):
    assert "line 3: holds a NUL byte" in refusal(make("a,class\n1,x\n2,\0y\n"))
    assert "NUL byte" in refusal(make(PLAIN.encode("utf-16-le")))


# --- shape -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["", "\n\n \n"])
def test_empty_file(make, text):
    assert "the file is empty" in refusal(make(text))


def test_header_only(make):
    assert "no row of data" in refusal(make("a,b,class\n"))


def test_missing_file_and_folder(tmp_path, make):
    make(PLAIN, "mine.csv")
    assert "the nearest is 'mine.csv' there" in refusal(tmp_path / "mine.csv2")
    assert "no folder" in refusal(tmp_path / "gone" / "mine.csv")
    (tmp_path / "folder_mine.csv").mkdir()
    assert "cannot be read" in refusal(tmp_path / "folder_mine.csv")


@pytest.mark.parametrize("row", ["1,2", "1,2,3,x"])
def test_ragged_row(make, row):
    message = refusal(make(f"a,b,class\n1,2,x\n\n{row}\n3,4,y\n"))
    assert f"line 4: has {row.count(',') + 1} fields where 3 are expected" in message


def test_line_numbers_count_quoted_newlines(make):
    assert "line 5" in refusal(make('a,b,class\n1,2,"x\ny\nz"\n3,4\n'))


def test_unclosed_quote(make):
    message = refusal(make('a,class\n1,x\n2,"y\n3,x\n'))
    assert "line 3: the quotes are wrong" in message


def test_quoted_fields(make):
    table = load_csv(make('"a, with comma","b ""quoted""",class\n1,2,"x, y"\n3,4,"z\nz"\n5,6,"x, y"\n'), "class")
    assert table.feature_names == ["a, with comma", 'b "quoted"']
    assert table.label_names == ["x, y", "z\nz"]


def test_duplicate_names(make):
    assert "columns 1 and 3 are both called 'a'" in refusal(make("a,b,a,class\n1,2,3,x\n4,5,6,y\n"))


def test_blank_names(make):
    table = load_csv(make(",a,class\n0,1,x\n1,2,y\n2,3,x\n"), "class")
    assert table.feature_names == ["x0", "a"]
    assert "without a name are called 'x0'" in table.notes[0]
    assert load_csv(make(",a,class\n0,1,x\n1,2,y\n2,3,x\n"), "class", drop=["x0"]).feature_names == ["a"]


def test_header_that_looks_like_data(make):
    path = make("1,2,0\n3,4,1\n5,6,0\n7,8,1\n")
    assert "`header: false`" in refusal(path)
    assert load_csv(path, header=False).n_samples == 4
    assert load_csv(path, "0").n_samples == 3


def test_header_in_a_file_said_to_have_none(make):
    assert "line 1: 'a' in column 'x0' is not a number; if this line names" in refusal(make(PLAIN), reader=load_uci)


def test_bad_delimiter(make):
    assert "`delimiter: ab`" in refusal(make(PLAIN), delimiter="ab")
    assert load_csv(make(PLAIN.replace(",", ";")), delimiter="semicolon").n_features == 2


# --- target and labels -----------------------------------------------------------------------------------------------
def test_target_not_there(make):
    message = refusal(make(PLAIN), "Class")
    assert "no column 'Class' (`target`); the nearest is 'class'" in message
    assert "'a', 'b', 'class'" in message
    assert "beyond the 3 columns" in refusal(make(PLAIN), 3)


def test_target_dropped(make):
    assert "both `target` and in `drop`" in refusal(make(PLAIN), "class", drop=[2])


def test_one_class(make):
    assert "all 2 rows have the label 'x'" in refusal(make("a,class\n1,x\n2,x\n"))


def test_each_row_its_own_class(make):
    assert "label of its own" in refusal(make("a,b\n1,0.5\n2,0.7\n3,0.9\n"))


def test_one_class_in_the_training_part(make):
    first, second = make("a,class\n1,x\n2,x\n"), make("a,class\n1,y\n", "mine.csv2")
    assert "training part has less than two classes" in refusal([first, second], parts=["train", "test"])


def test_no_feature(make):
    assert "no feature" in refusal(make("class\nx\ny\nx\n"))


def test_labels_are_text(make):
    table = load_csv(make('a,class\n1,1.0\n2, 1 \n3,2.\n4,+2\n5,007\n6,1.5\n7,12345678901234567890\n8,<b>&"\n'))
    assert table.y.tolist() == ["1", "1", "2", "2", "007", "1.5", "12345678901234567890", '<b>&"']


def test_odd_class_names(make):
    table = load_csv(make("a,class\n1,a/b\n2,../x\n3,ü 漢\n4,100%\n5,'\n6,a/b\n"))
    assert table.label_names == sorted(["a/b", "../x", "ü 漢", "100%", "'"])


def test_single_rows_of_a_class_are_noted(make):
    table = load_csv(make("a,class\n1,x\n2,x\n3,y\n4,x\n"))
    assert table.notes == ["Classes with a single row: 'y'."]


# --- values ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("cell", ["", "?", "NA", "n/a", "NaN", "null"])
def test_missing_values(make, cell):
    path = make(f"a,b,class\n1,2,x\n3,{cell},y\n5,6,y\n7,8,x\n")
    message = refusal(path)
    assert "line 3: column 'b' has no value; 1 of 4 rows" in message
    dropped = load_csv(path, missing="drop_rows")
    assert dropped.X.tolist() == [[1, 2], [5, 6], [7, 8]]
    assert dropped.y.tolist() == ["x", "y", "x"]
    assert dropped.notes[0].startswith("Left out 1 of 4 rows")
    kept = load_csv(path, missing="impute")
    assert np.isnan(kept.X[1, 1])
    assert np.isfinite(np.delete(kept.X, 3)).all()
    assert kept.notes[0].startswith("Missing values in 1 of 4 rows")


def test_unknown_policy(make):
    assert "`missing: drop` is no policy; the nearest is 'drop_rows'" in refusal(make(PLAIN), missing="drop")


def test_missing_label(make):
    path = make("a,class\n1,x\n2,?\n3,y\n4,x\n")
    assert "line 3: column 'class' has no value" in refusal(path)
    assert "label cannot be imputed" in refusal(path, missing="impute")
    assert load_csv(path, missing="drop_rows").y.tolist() == ["x", "y", "x"]


def test_dropping_rows_keeps_the_split_in_step(make):
    first, second = make("a,class\n1,x\n,y\n3,y\n4,x\n", "one.csv"), make("a,class\n5,y\n,x\n", "two.csv")
    table = load_csv([first, second], parts=["train", "test"], missing="drop_rows")
    assert table.split.tolist() == ["train", "train", "train", "test"]


def test_own_missing_values(make):
    path = make("a,class\n1,x\n-999.0,NA\n3,NA\n4,x\n")
    table = load_csv(path, missing="impute", missing_values=[-999])
    assert table.label_names == ["NA", "x"]
    assert np.isnan(table.X[:, 0]).tolist() == [False, True, False, False]
    assert "add 'none'" in refusal(make("a,class\n1,x\nnone,y\n"))
    assert "lists ''" in refusal(make("a,class\n1,x\n,y\n"), missing_values=["-"])


def test_empty_column(make):
    assert "column 'b' is empty; leave it out" in refusal(make("a,b,class\n1,,x\n2,,y\n"), missing="drop_rows")


def test_trailing_delimiters_show_as_an_empty_column(make):
    path = make("a,class,\n1,x,\n2,y,\n3,x,\n")
    assert "column 'x2' is empty" in refusal(path, "class")
    assert load_csv(path, "class", drop=[-1]).X.shape == (3, 1)


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
def test_infinite_values(make, cell):
    message = refusal(make(f"a,b,class\n1,2,x\n3,{cell},y\n"))
    assert "line 3: column 'b' holds an infinite number" in message


@pytest.mark.parametrize("cell", ["12x", "1_000", "0x10", "1 000"])
def test_text_among_numbers(make, cell):
    message = refusal(make(f"a,b,class\n1,2,x\n3,{cell},y\n"))
    assert f"line 3: {cell!r} in column 'b' is not a number" in message
    assert "`categorical`" in message


def test_huge_whole_numbers(make):
    table = load_csv(make("id,a,class\n9007199254740993,1,x\n2,2,y\n3,3,x\n"))
    assert table.X[0, 0] == 9007199254740992
    assert table.notes == ["Column 'id' holds numbers of 2^53 and more, rounded to 16 digits."]


def test_exact_numbers(make):
    values = [0.1, 1e-300, -2.5e10, 123456.789]
    table = load_csv(make("a,class\n" + "".join(f"{v!r},{i % 2}\n" for i, v in enumerate(values))))
    assert table.X[:, 0].tolist() == values


def test_constant_columns_are_kept_and_noted(make):
    table = load_csv(make("a,b,class\n1,7,x\n2,7,y\n3,7,x\n"))
    assert table.n_features == 2
    assert "'b'" in table.notes[0]


def test_duplicated_rows_are_kept(make):
    assert load_csv(make("a,class\n1,x\n1,x\n2,y\n2,y\n")).n_samples == 4


def test_many_blocks(make):
    n = 9000
    text = "a,class\n" + "".join(f"{i},{'xy'[i % 2]}\n" for i in range(n))
    assert load_csv(make(text)).X[:, 0].tolist() == list(range(n))
    assert f"line {n + 2}: 'q'" in refusal(make(text + "q,x\n"))


# --- categories ------------------------------------------------------------------------------------------------------
COLOURS = "colour,size,n,class\nred,S,1,x\nblue,L,2,y\nred,M,3,x\n"


def test_text_needs_a_declaration(make):
    assert "'red' in column 'colour' is not a number" in refusal(make(COLOURS))
    assert load_csv(make(COLOURS), drop=["colour", "size"]).feature_names == ["n"]


def test_one_hot_and_ordinal(make):
    table = load_csv(make(COLOURS), categorical={"colour": "one_hot", "size": ["S", "M", "L"]})
    assert table.feature_names == ["colour=blue", "colour=red", "size", "n"]
    np.testing.assert_array_equal(table.X, [[0, 1, 0, 1], [1, 0, 2, 2], [0, 1, 1, 3]])
    assert len([note for note in table.notes if "coded" in note]) == 2


@pytest.mark.parametrize("coding", ["one_hot", "ordinal"])
def test_one_coding_for_all_text(make, coding):
    table = load_csv(make(COLOURS), categorical=coding)
    expected = {"one_hot": ["colour=blue", "colour=red", "size=L", "size=M", "size=S", "n"]}
    assert table.feature_names == expected.get(coding, ["colour", "size", "n"])
    assert table.X[:, -1].tolist() == [1, 2, 3]


def test_words_late_in_a_column_of_numbers(make):
    text = "a,class\n" + "1.0,x\n2,y\n" * 3000 + "red,x\n"
    assert load_csv(make(text), categorical="one_hot").feature_names == ["a=1.0", "a=2", "a=red"]


def test_missing_categories(make):
    path = make("colour,size,class\nred,S,x\n?,L,y\nred,,x\n")
    table = load_csv(path, categorical={"colour": "one_hot", "size": "ordinal"}, missing="impute")
    assert table.X[1].tolist() == [0, 0]
    assert np.isnan(table.X[2, 1])


def test_wrong_declarations(make):
    path = make(COLOURS)
    assert "the nearest is 'one_hot'" in refusal(path, categorical={"colour": "onehot"})
    assert "the nearest is 'ordinal'" in refusal(path, categorical="ordinals")
    assert "no column 'color'" in refusal(path, categorical={"color": "one_hot"})
    assert "`target`; its classes need no coding" in refusal(path, categorical={"class": "one_hot"})
    assert "line 3: 'L' is not among the categories" in refusal(
        path, categorical={"colour": "one_hot", "size": ["S", "M"]}
    )


def test_names_that_clash_after_coding(make):
    assert "both called 'c=u'" in refusal(make("c=u,c,class\n1,u,x\n2,v,y\n3,u,x\n"), categorical={"c": "one_hot"})


@pytest.mark.parametrize(
    "text",
    ["1,2,a\n3,4,b\n5,6,a\n", "1;red;a\n3;blue;b\n5;red;a\n", "1,2,3\n4,5,6\n7,8,6\n"],
    ids=["label last", "a word among numbers", "numbers only"],
)
def test_a_row_of_data_is_not_taken_for_a_header(tmp_path, text):
    path = tmp_path / "headless.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=r"line 1: the header looks like a row of data; give `header: false`"):
        load_csv(path)
    assert load_csv(path, header=False, categorical=None, drop=[1]).n_samples == text.count("\n")


def test_numbers_may_be_names_of_columns(tmp_path):
    path = tmp_path / "pixels.csv"
    path.write_text("0,1,class\n3,4,b\n5,6,a\n7,8,a\n")
    table = load_csv(path)
    assert table.n_samples == 3
    assert any("if line 1 is data" in note for note in table.notes)
