"""The data sets that ship inside scikit-learn and scikit-image, or that scikit-learn makes up: no download."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from algos.datasets.hints import listed, nearest
from algos.datasets.table import Table, single_label_table
from algos.exceptions import InputError

_LOADERS = {
    "digits": "load_digits",
    "iris": "load_iris",
    "wdbc": "load_breast_cancer",
    "wine": "load_wine",
}
# Sets of images, and height and width of each: their rows can be described as patches.
_PATCHES = {"digits": (8, 8), "faces": (25, 25)}
SYNTHETIC = "synthetic_multilabel"
FEATURES = ("pixels", "hog")


def load_builtin(
    dataset: str,
    *,
    positive: str | Sequence[str] | None = None,
    features: str = "pixels",
    hog: Mapping[str, Any] | None = None,
) -> Table:
    """Read a data set that ships inside scikit-learn or ("faces") scikit-image, or that scikit-learn makes up.

    Parameters
    ----------
    dataset : {"digits", "faces", "iris", "synthetic_multilabel", "wdbc", "wine"}
        Which. Classes carry their names ("malignant", "face"), digits "0" to "9". "faces" are 100 faces of Labeled
        Faces in the Wild and 100 crops of its backgrounds, grey, 25 x 25 pixels. "synthetic_multilabel" is no real
        data: 1000 bags of 100 words or so, drawn from those of their labels, of which there are 20 (three a row; some
        rows have none).
    positive : str or sequence of str, optional
        Make it one class, or several, against the rest: `y` is then "positive" or "negative".
    features : {"pixels", "hog"}, default "pixels"
        What describes an image of "digits" or "faces": its pixels row by row, or histograms of oriented gradients.
    hog : mapping, optional
        Parameters of :class:`algos.features.HOG`; such small images need small cells, such as ``{"cell": 2}`` for
        digits and ``{"cell": 5}`` for faces.

    Returns
    -------
    Table
        `X` (n_samples, n_features) and `y` (n_samples,) as text, or `Y` (n_samples, n_labels) of 0 and 1.

    Raises
    ------
    InputError
        When there is no such data set, class or parameter, or the set has no images to describe.

    Examples
    --------
    >>> from algos.datasets import load_builtin
    >>> table = load_builtin("digits", positive=["1", "3", "5", "7", "9"], features="hog", hog={"cell": 2})
    >>> table.X.shape, table.label_names
    ((1797, 324), ['negative', 'positive'])
    """
    known = sorted({*_LOADERS, *_PATCHES, SYNTHETIC})
    if dataset not in known:
        raise InputError(f"there is no built-in data set {dataset!r}{nearest(dataset, known)}")
    if dataset == SYNTHETIC:
        if positive is not None or features != "pixels" or hog is not None:
            raise InputError(f"{SYNTHETIC} has several labels a row and no images; give it no other option")
        return _synthetic_multilabel()
    X, y, names = _faces() if dataset == "faces" else _of_scikit_learn(dataset)
    if features not in FEATURES:
        raise InputError(f"features is {features!r}{nearest(features, FEATURES)}")
    if features == "hog":
        X = _described(dataset, X, hog or {})
        names = [f"hog_{j}" for j in range(X.shape[1])]
    elif hog is not None:
        raise InputError("`hog` says how to describe images: give `features: hog` with it")
    return single_label_table(X, y if positive is None else _against_rest(y, positive), names, dataset)


def _of_scikit_learn(dataset: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, _LOADERS[dataset])()
    y = bunch.target_names.astype(str)[bunch.target]
    return bunch.data.astype("float64"), y, [str(n) for n in bunch.feature_names]


def _synthetic_multilabel() -> Table:
    from sklearn.datasets import make_multilabel_classification

    X, Y = make_multilabel_classification(1000, 100, n_classes=20, n_labels=3, length=100, random_state=0)
    return Table(
        X=X.astype(np.float64),
        Y=Y.astype(np.int8),
        feature_names=[f"word_{j}" for j in range(X.shape[1])],
        label_names=[f"label_{i}" for i in range(Y.shape[1])],
        notes=["Synthetic data, made by scikit-learn's make_multilabel_classification."],
    )


def _faces() -> tuple[np.ndarray, np.ndarray, list[str]]:
    try:
        import skimage.data
    except ImportError:
        raise InputError("the faces ship with scikit-image, which is not installed: pip install scikit-image") from None
    # Not by lfw_subset(): where a package leaves the file out, that would fetch it from the network.
    path = Path(skimage.data.__file__).parent / "lfw_subset.npy"
    if not path.is_file():
        raise InputError(f"{path}: this installation of scikit-image leaves the faces out; install it from PyPI")
    images = np.load(path, allow_pickle=False)
    y = np.repeat(["face", "background"], 100)
    names = [f"pixel_{row}_{column}" for row in range(images.shape[1]) for column in range(images.shape[2])]
    return images.reshape(len(images), -1).astype(np.float64), y, names


def _described(dataset: str, X: np.ndarray, options: Mapping[str, Any]) -> np.ndarray:
    from algos.features.hog import HOG, options_of

    if dataset not in _PATCHES:
        raise InputError(f"{dataset} has no images that HOG could describe; those that do: {listed(sorted(_PATCHES))}")
    descriptor = HOG(**options_of(options))
    return np.array([descriptor(row) for row in X.reshape(-1, *_PATCHES[dataset])], dtype=np.float64)


def _against_rest(y: np.ndarray, positive: str | Sequence[str]) -> np.ndarray:
    wanted, known = [positive] if isinstance(positive, str) else list(positive), sorted(set(y.tolist()))
    for name in wanted:
        if name not in known:
            raise InputError(f"positive: there is no class {name!r}{nearest(name, known)}")
    return np.where(np.isin(y, wanted), "positive", "negative")
