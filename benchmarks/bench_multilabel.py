"""Linear SVMs of all labels against scikit-learn's, PrML on bibtex, and one turn of PrML at eurlex size.

Run by `make bench`, or alone. Needs a mirror (ALGOS_DATA_MIRRORS) that holds bibtex; without one it says so. The eurlex
part, with ``--eurlex``, takes minutes and up to 4 GiB: the real label pattern (eurlex_labels of a mirror), and features
drawn around label prototypes. Times are CPU seconds on one core, each measurement a process of its own.
"""

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
from pairs import alternate, in_own_process, median, ratio
from scipy import sparse

from algos.experiments.records import peak_memory_mib, reset_peak_memory

# The largest tolerance, of 1e-3, 5e-4, 3e-4 and 1e-4, at which scikit-learn's objective is within 1e-4 of the best.
RIVAL_TOLERANCE = 3e-4
PRML_WEIGHTS = (0.001, 0.003, 0.01)


def mirrored(*parts: str) -> Path | None:
    """A file in the first mirror that has it."""
    folders = [Path(folder) for folder in os.environ.get("ALGOS_DATA_MIRRORS", "").split(os.pathsep) if folder]
    return next((path for folder in folders if (path := folder.joinpath(*parts)).is_file()), None)


def bibtex() -> tuple[sparse.csr_matrix, np.ndarray]:
    """Features, sparse, and labels."""
    from algos.datasets import load_arff

    table = load_arff(mirrored("bibtex", "bibtex.arff.gz"), labels=mirrored("bibtex", "bibtex.xml"))
    labels = table.Y.toarray() if sparse.issparse(table.Y) else np.asarray(table.Y)
    return sparse.csr_matrix(table.X, dtype=np.float64), labels.astype(int)


def objective(X: sparse.csr_matrix, Y: np.ndarray, coef: np.ndarray, intercept: np.ndarray) -> float:
    """Sum over labels of the SVM's objective at C = 1, intercepts penalised."""
    losses = np.maximum(0, 1 - (2 * Y - 1) * (X @ coef.T + intercept))
    return float(((coef**2).sum() + (intercept**2).sum()) / 2 + losses.sum())


def binary_relevance() -> dict:
    """Ours, for all labels of bibtex."""
    from algos.multilabel import BinaryRelevance

    X, Y = bibtex()
    model = BinaryRelevance(tol=1e-4, random_state=0)
    start = time.process_time()
    model.fit(X, Y)
    return {"seconds": time.process_time() - start, "objective": objective(X, Y, model.coef_, model.intercept_)}


def linear_svc() -> dict:
    """scikit-learn's, label by label."""
    from sklearn.svm import LinearSVC

    X, Y = bibtex()
    coefs, intercepts = [], []
    warnings.simplefilter("ignore")
    start = time.process_time()
    for column in Y.T:
        model = LinearSVC(loss="hinge", tol=RIVAL_TOLERANCE, max_iter=100000, random_state=0).fit(X, column)
        coefs.append(model.coef_[0])
        intercepts.append(model.intercept_[0])
    seconds = time.process_time() - start
    return {"seconds": seconds, "objective": objective(X, Y, np.array(coefs), np.array(intercepts))}


def prml(C: str) -> dict:
    """One turn of PrML on a random half of bibtex, k = 143."""
    from algos.multilabel import PrML

    X, Y = bibtex()
    half = np.random.default_rng(0).permutation(len(Y))[: len(Y) // 2]
    model = PrML(143, C=float(C), n_alternations=1, tol=1e-3, random_state=0)
    start = time.process_time()
    model.fit(X[half], Y[half])
    return {"seconds": time.process_time() - start, "gaps": model.duality_gaps_.tolist()}


def eurlex(max_sweeps: str) -> dict:
    """One turn of PrML at eurlex size, both steps of so many sweeps."""
    from algos.datasets import make_label_prototypes, read_qrels
    from algos.multilabel import PrML

    Y = read_qrels(mirrored("eurlex_labels", "id2class_eurlex_eurovoc.qrels.gz"))
    rows = np.random.default_rng(0).permutation(Y.shape[0])[:9674]
    Y = sparse.csr_array(Y[rows])
    X = make_label_prototypes(Y, 5000, n_words=400, random_state=0)
    reset = reset_peak_memory()
    model = PrML(0.9, C=0.1, init="random", n_alternations=1, max_sweeps=int(max_sweeps), tol=1e-3, random_state=0)
    start = time.process_time()
    model.fit(X, Y)
    return {
        "seconds": time.process_time() - start,
        "peak_gib": peak_memory_mib(reset) / 1024,
        "shape": [*X.shape, Y.shape[1], model.n_components_, round(X.nnz / X.shape[0])],
        "objectives": model.objectives_.tolist(),
        "gaps": model.duality_gaps_.tolist(),
    }


WORKS = {work.__name__: work for work in (binary_relevance, linear_svc, prml, eurlex)}


def report_bibtex(repeats: int) -> None:
    """Print both comparisons on bibtex."""
    ours, theirs = alternate(repeats, lambda: in_own_process("binary_relevance"), lambda: in_own_process("linear_svc"))
    speeds = ratio([f["seconds"] for f in theirs], [f["seconds"] for f in ours])
    print(f"bibtex, hinge loss, C = 1, all labels, {repeats} pairs: LinearSVC / ours in CPU time {speeds}")
    for name, found in (("BinaryRelevance", ours), ("LinearSVC", theirs)):
        print(f"- {name}: {median(found, 'seconds'):.2f} s, objective {median(found, 'objective'):.3f}")
    print("PrML, half of bibtex, k = 143, one turn, tol = 1e-3, 1000 sweeps at most")
    for C in PRML_WEIGHTS:
        found = in_own_process("prml", C)
        print(
            f"- C = {C}: {found['seconds']:.1f} s, duality gaps {[f'{gap:.1e}' for gap in found['gaps']]}", flush=True
        )


def main() -> None:
    """Be one measurement, or report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--repeats", type=int, default=3, help="pairs")
    parser.add_argument("--eurlex", type=int, metavar="SWEEPS", help="measure one turn at eurlex size, too")
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(WORKS[arguments.child[0]](*arguments.child[1:])))
        return
    if mirrored("bibtex", "bibtex.arff.gz") and mirrored("bibtex", "bibtex.xml"):
        report_bibtex(arguments.repeats)
    else:
        print("left out: no mirror of ALGOS_DATA_MIRRORS holds bibtex")
    if arguments.eurlex and mirrored("eurlex_labels", "id2class_eurlex_eurovoc.qrels.gz"):
        print(f"eurlex size, one turn: {in_own_process('eurlex', arguments.eurlex)}")
    elif arguments.eurlex:
        print("left out: no mirror of ALGOS_DATA_MIRRORS holds eurlex_labels")


if __name__ == "__main__":
    main()
