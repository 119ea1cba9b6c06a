"""Made-up data around label prototypes, and the label pattern they take."""

import gzip

import numpy as np
import pytest
from scipy import sparse

from algos.datasets import make_label_prototypes, read_qrels
from algos.exceptions import InputError

LINES = "b 7 1\na 3 1\nb 3 1\nb 3 1\n"


@pytest.mark.parametrize("name", ["labels.qrels", "labels.qrels.gz"])
def test_label_pattern(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(LINES.encode()) if name.endswith("gz") else LINES.encode())
    np.testing.assert_array_equal(read_qrels(path).toarray(), [[1, 1], [0, 1]])


def test_lines_of_another_form_are_named(tmp_path):
    (tmp_path / "x").write_text("a 1 1\na one 1\n")
    with pytest.raises(InputError, match="line 2"):
        read_qrels(tmp_path / "x")


def test_features_tell_labels_apart_and_are_drawn_from_the_seed():
    Y = sparse.csr_array(np.vstack([np.repeat(np.eye(3), 20, axis=0), np.zeros((1, 3))]))
    X = make_label_prototypes(Y, 100, n_words=60, random_state=0)
    assert X.shape == (61, 100)
    np.testing.assert_allclose((X.toarray() ** 2).sum(axis=1), 1)
    likeness = (X @ X.T).toarray()
    assert likeness[:20, :20].mean() > 1.2 * likeness[:20, 20:].mean()
    np.testing.assert_array_equal(make_label_prototypes(Y, 100, n_words=60, random_state=0).toarray(), X.toarray())
    with pytest.raises(InputError, match="needs 30"):
        make_label_prototypes(Y, 20)


def test_eurlex_labels(mirror):
    path = mirror / "eurlex_labels" / "id2class_eurlex_eurovoc.qrels.gz"
    if not path.is_file():
        pytest.skip("the mirror has no eurlex_labels")
    Y = read_qrels(path)
    assert Y.shape == (19314, 3956)
    assert Y.sum() / Y.shape[0] == pytest.approx(5.32, abs=0.01)
