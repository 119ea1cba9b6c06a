"""The data sets that ship inside scikit-learn: no download, the same bytes everywhere."""

from algos.datasets.hints import nearest
from algos.datasets.table import Table, single_label_table
from algos.exceptions import InputError

_LOADERS = {
    "digits": "load_digits",
    "iris": "load_iris",
    "wdbc": "load_breast_cancer",
    "wine": "load_wine",
}


def load_builtin(dataset: str) -> Table:
    """Read a data set of scikit-learn; classes carry their names ("malignant"), digits "0" to "9".

    Parameters
    ----------
    dataset : {"digits", "iris", "wdbc", "wine"}
        Which.

    Raises
    ------
    InputError
        When there is no such data set.
    """
    if dataset not in _LOADERS:
        raise InputError(f"scikit-learn ships no data set {dataset!r} known here{nearest(dataset, _LOADERS)}")
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, _LOADERS[dataset])()
    y = bunch.target_names.astype(str)[bunch.target]
    return single_label_table(bunch.data.astype("float64"), y, [str(n) for n in bunch.feature_names], dataset)
