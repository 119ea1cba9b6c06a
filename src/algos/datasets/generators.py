"""Made-up data of a real shape, for measuring speed and memory where the real features are not to be had."""

import os
import re
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from algos.datasets.textfile import text_lines
from algos.exceptions import InputError

_NUMBER = re.compile("[0-9]{1,18}")


def read_qrels(path: str | os.PathLike) -> sparse.csr_array:
    """Read a label pattern: lines of ``label document 1``, plain or compressed, as EUR-Lex publishes them.

    Returns
    -------
    sparse array of shape (n_documents, n_labels)
        1 where a document has a label. Documents are in the order of their numbers, labels in that of their names.

    Raises
    ------
    InputError
        With the line that is not of that form, or when there is none.
    """
    names, numbers = [], []
    for k, line in enumerate(text_lines(Path(path)), 1):
        fields = line.split()
        if len(fields) != 3 or not _NUMBER.fullmatch(fields[1]):
            raise InputError(f"{path}, line {k}: should be a label, the number of a document, and 1")
        names.append(fields[0])
        numbers.append(int(fields[1]))
    if not names:
        raise InputError(f"{path}: the file is empty")
    labels, columns = np.unique(names, return_inverse=True)
    documents, rows = np.unique(numbers, return_inverse=True)
    pattern = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(documents), len(labels)))
    pattern.data[:] = 1  # a pair that is there twice
    return pattern


def make_label_prototypes(
    Y: sparse.csr_array, n_features: int, n_words: int = 200, noise: float = 0.3, random_state: object = None
) -> sparse.csr_array:
    """Draw sparse features around prototypes of the labels.

    Each label has a prototype, 30 of the features with weights that fall off. A sample draws words, some from the
    prototypes of its labels, others from all features, the first ones most often. Rows have length 1.

    Parameters
    ----------
    Y : sparse array of shape (n_samples, n_labels)
        0/1 indicators.
    n_features : int
        At least 30.
    n_words : int, default=200
        Words that a sample draws; about as many features of it are not 0, or fewer.
    noise : float, default=0.3
        Part of the words that labels say nothing of.
    random_state : int, RandomState instance or None, default=None
        Everything is drawn from it.

    Returns
    -------
    sparse array of shape (n_samples, n_features)
        Logarithms of 1 + the numbers of times a word was drawn, over the length of the row.
    """
    random = check_random_state(random_state)
    Y = sparse.csr_array(Y)
    n_typical = 30
    if n_features < n_typical:
        raise InputError(f"n_features is {n_features}; a label's prototype needs {n_typical}")
    typical = np.array([random.choice(n_features, n_typical, replace=False) for _ in range(Y.shape[1])])
    falling = _chances(n_typical), _chances(n_features)
    rows, columns = [], []
    for j in range(Y.shape[0]):
        labels = Y.indices[Y.indptr[j] : Y.indptr[j + 1]]
        n_noise = n_words if not len(labels) else random.binomial(n_words, noise)
        words = random.choice(n_features, n_noise, p=falling[1])
        if len(labels):
            which = random.choice(labels, n_words - n_noise)
            words = np.append(words, typical[which, random.choice(n_typical, n_words - n_noise, p=falling[0])])
        rows.append(np.full(n_words, j))
        columns.append(words)
    counts = sparse.csr_array(
        (np.ones(Y.shape[0] * n_words), (np.concatenate(rows), np.concatenate(columns))),
        shape=(Y.shape[0], n_features),
    )
    counts.data = np.log1p(counts.data)
    length = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    return sparse.csr_array(sparse.diags_array(1 / length) @ counts)


def _chances(n: int) -> np.ndarray:
    """Chances that fall off as 1 / rank."""
    chances = 1 / np.arange(1.0, n + 1)
    return chances / chances.sum()
