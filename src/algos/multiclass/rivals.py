"""What a user would pick instead, with learning curves: LightGBM, XGBoost, scikit-learn's boosting and forests."""

import importlib
from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import cache
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from threadpoolctl import ThreadpoolController

from algos._validation import validate_training_data
from algos.exceptions import InputError
from algos.multiclass._staged import StagedClassifier


def _import_library(name: str) -> Any:
    """Import an optional library.

    Raises
    ------
    InputError
        When it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"this method needs {name}, which is not installed: pip install 'algos[rivals]'") from error


@cache
def _threadpools() -> ThreadpoolController:
    """The thread pools of the process; looking for them takes 10 ms."""
    return ThreadpoolController()


def _one_openmp_thread() -> Any:
    """Context in which OpenMP uses one thread, for libraries that take no number of threads."""
    return _threadpools().limit(limits=1, user_api="openmp")


class RivalClassifier(StagedClassifier):
    """Base of the adapters: a subclass says how its library fits and what its scores are after each round.

    Fitting sets ``model_``, the library's own fitted object, and ``n_estimators_``.
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _fit_rounds(self, X: np.ndarray, labels: np.ndarray, monitor: Callable[[int], Any]) -> Any:
        """Return the fitted model; call ``monitor(t)`` after each round and end when its answer is true."""

    @abstractmethod
    def _count_rounds(self) -> int:
        """Rounds of the fitted model."""

    @abstractmethod
    def _output(self, X: np.ndarray) -> np.ndarray:
        """Return the whole model's output as the library gives it; the shape is that of `_staged_outputs`."""

    @abstractmethod
    def _staged_outputs(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """Yield the output of the first t rounds, shape (n_samples, n_classes), or (n_samples,) with two classes."""

    @property
    def _seed(self) -> int:
        """What the library is seeded with: `random_state` itself where that is a number."""
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def fit(
        self, X: ArrayLike, y: ArrayLike, monitor: Callable[[int, "RivalClassifier"], Any] | None = None
    ) -> "RivalClassifier":
        """Fit the model, on one thread.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Class labels.
        monitor : callable, optional
            Called as ``monitor(t, self)`` after each round t = 1, 2, ...; a true answer ends the fit. Where the library
            tells of no rounds (see the class), called once at the end.

        Raises
        ------
        InputError
            When the library is not installed.
        ValueError
            For values, shapes or parameters that are not as stated, or fewer than two classes.
        """
        self._validate_params()
        X, y = validate_training_data(self, X, y, dtype=self._input_dtype, order="C")
        check_classification_targets(y)
        labels = self._encode_labels(y)
        self.model_ = self._fit_rounds(X, labels, lambda t: monitor is not None and bool(monitor(t, self)))
        self.n_estimators_ = self._count_rounds()
        return self

    def _scores(self, X: ArrayLike) -> np.ndarray:
        return _class_scores(self._output(self._validate_X(X)))

    def _staged_scores(self, X: ArrayLike) -> Iterator[np.ndarray]:
        return map(_class_scores, self._staged_outputs(self._validate_X(X)))

    def _count_errors(self, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
        staged = map(_class_scores, self._staged_outputs(X))
        return np.array([np.count_nonzero(scores.argmax(axis=1) != labels) for scores in staged], dtype=np.int64)


def _class_scores(output: np.ndarray) -> np.ndarray:
    """Return scores of shape (n_samples, n_classes); with two classes of opposite sign."""
    return np.column_stack([-output, output]) if output.ndim == 1 else np.asarray(output, dtype=np.float64)


class StagedLightGBMClassifier(RivalClassifier):
    """LightGBM [1]_ with learning curves: histogram gradient boosting, K trees a round, grown best-first.

    Needs the library (``pip install 'algos[rivals]'``). What is not a parameter here has the library's default.

    Parameters
    ----------
    n_estimators : int, default=100
        Rounds of K trees (one tree with two classes). Fewer are run when no tree can be cut.
    learning_rate : float, default=0.1
        Shrinkage.
    max_leaf_nodes : int, default=31
        ``num_leaves``.
    min_samples_leaf : int, default=20
        ``min_data_in_leaf``.
    random_state : int, RandomState instance or None, default=None
        ``seed``. It matters only where bins are found on a sample: beyond 200000 rows.

    Attributes
    ----------
    model_ : lightgbm.Booster
    classes_, n_classes_, n_estimators_, n_features_in_, feature_names_in_
        As in the other boosters.

    References
    ----------
    .. [1] G. Ke et al. LightGBM: a highly efficient gradient boosting decision tree. NIPS 2017.
    """

    _parameter_constraints: ClassVar[dict] = {
        **RivalClassifier._parameter_constraints,
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "max_leaf_nodes": [Interval(Integral, 2, 131072, closed="both")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 31,
        min_samples_leaf: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def _fit_rounds(self, X: np.ndarray, labels: np.ndarray, monitor: Callable[[int], Any]) -> Any:
        lightgbm = _import_library("lightgbm")
        classes = {"objective": "binary"}
        if self.n_classes_ > 2:
            classes = {"objective": "multiclass", "num_class": self.n_classes_}
        params = {
            **classes,
            "learning_rate": self.learning_rate,
            "num_leaves": self.max_leaf_nodes,
            "min_data_in_leaf": self.min_samples_leaf,
            "seed": self._seed,
            "num_threads": 1,
            "deterministic": True,
            "verbose": -1,
        }
        booster = lightgbm.Booster(params, lightgbm.Dataset(X, labels, params=params))
        for t in range(1, self.n_estimators + 1):
            if booster.update() or monitor(t):  # true: no tree could be cut
                break
        return booster

    def _count_rounds(self) -> int:
        return self.model_.current_iteration()

    def _staged_outputs(self, X: np.ndarray) -> Iterator[np.ndarray]:
        total = 0.0
        for t in range(self.n_estimators_):
            total = total + self._raw(X, t, 1)
            yield total

    def _output(self, X: np.ndarray) -> np.ndarray:
        return self._raw(X, 0, self.n_estimators_)

    def _raw(self, X: np.ndarray, first: int, n_rounds: int) -> np.ndarray:
        return self.model_.predict(X, start_iteration=first, num_iteration=n_rounds, raw_score=True, num_threads=1)

    def _feature_gains(self) -> np.ndarray:
        return self.model_.feature_importance("gain")


class StagedXGBoostClassifier(RivalClassifier):
    """XGBoost [1]_ with learning curves: histogram gradient boosting, K trees a round, grown best-first.

    Needs the library (``pip install 'algos[rivals]'``). Trees are limited by leaves, as those of the other boosters are
    (``grow_policy="lossguide"``, no limit on depth), not by depth, which is the library's default; what is not a
    parameter here has the library's default.

    Parameters
    ----------
    n_estimators : int, default=100
        Rounds of K trees (one tree with two classes).
    learning_rate : float, default=0.1
        Shrinkage; the library's own default is 0.3.
    max_leaf_nodes : int, default=31
        ``max_leaves``.
    min_child_weight : float, default=1
        Least sum of Hessians of a leaf.
    random_state : int, RandomState instance or None, default=None
        ``seed``; nothing is random here.

    Attributes
    ----------
    model_ : xgboost.Booster
    classes_, n_classes_, n_estimators_, n_features_in_, feature_names_in_
        As in the other boosters.

    References
    ----------
    .. [1] T. Chen and C. Guestrin. XGBoost: a scalable tree boosting system. KDD 2016.
    """

    _parameter_constraints: ClassVar[dict] = {
        **RivalClassifier._parameter_constraints,
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "max_leaf_nodes": [Interval(Integral, 2, 2**31 - 1, closed="both")],
        "min_child_weight": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 31,
        min_child_weight: float = 1,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_child_weight = min_child_weight
        self.random_state = random_state

    def _fit_rounds(self, X: np.ndarray, labels: np.ndarray, monitor: Callable[[int], Any]) -> Any:
        xgboost = _import_library("xgboost")
        classes = {"objective": "binary:logistic"}
        if self.n_classes_ > 2:
            classes = {"objective": "multi:softprob", "num_class": self.n_classes_}
        params = {
            **classes,
            "tree_method": "hist",
            "grow_policy": "lossguide",
            "max_depth": 0,
            "learning_rate": self.learning_rate,
            "max_leaves": self.max_leaf_nodes,
            "min_child_weight": self.min_child_weight,
            "seed": self._seed,
            "nthread": 1,
            "verbosity": 0,
        }
        train = xgboost.DMatrix(X, labels, nthread=1)
        booster = xgboost.Booster(params, [train])
        for t in range(1, self.n_estimators + 1):
            booster.update(train, t - 1)
            if monitor(t):
                break
        return booster

    def _count_rounds(self) -> int:
        return self.model_.num_boosted_rounds()

    def _output(self, X: np.ndarray) -> np.ndarray:
        return self.model_.inplace_predict(X, predict_type="margin")

    def _staged_outputs(self, X: np.ndarray) -> Iterator[np.ndarray]:
        margin = None  # the first round's output begins with the intercept
        for t in range(self.n_estimators_):
            # Each round's trees are added to what came before, as the library does, in float32.
            margin = self.model_.inplace_predict(
                X, iteration_range=(t, t + 1), predict_type="margin", base_margin=margin
            )
            yield margin

    def _feature_gains(self) -> np.ndarray:
        gains = self.model_.get_score(importance_type="total_gain")
        return np.array([gains.get(f"f{j}", 0.0) for j in range(self.n_features_in_)])


class StagedHistGradientBoostingClassifier(RivalClassifier):
    """scikit-learn's ``HistGradientBoostingClassifier`` with the staged interface of the other boosters.

    The library tells of no rounds, so ``monitor`` is called once, at the end of the fit, and cannot end it. Early
    stopping is off, whatever the number of samples; what is not a parameter here has the library's default.

    Parameters
    ----------
    n_estimators : int, default=100
        ``max_iter``: rounds of K trees (one tree with two classes).
    learning_rate : float, default=0.1
        Shrinkage.
    max_leaf_nodes : int, default=31
        Largest number of leaves of a tree.
    min_samples_leaf : int, default=20
        Least number of samples of a leaf.
    random_state : int, RandomState instance or None, default=None
        It matters only where bins are found on a sample: beyond 200000 rows.

    Attributes
    ----------
    model_ : sklearn.ensemble.HistGradientBoostingClassifier
    classes_, n_classes_, n_estimators_, n_features_in_, feature_names_in_
        As in the other boosters.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from algos.multiclass import StagedHistGradientBoostingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = StagedHistGradientBoostingClassifier(n_estimators=20).fit(X[::2], y[::2])
    >>> model.staged_error(X[1::2], y[1::2]).round(2)[[0, 19]].tolist()
    [0.05, 0.03]
    """

    _parameter_constraints: ClassVar[dict] = {
        **RivalClassifier._parameter_constraints,
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "max_leaf_nodes": [Interval(Integral, 2, 2**31 - 1, closed="both")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 31,
        min_samples_leaf: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def _fit_rounds(self, X: np.ndarray, labels: np.ndarray, monitor: Callable[[int], Any]) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        model = HistGradientBoostingClassifier(
            max_iter=self.n_estimators,
            learning_rate=self.learning_rate,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            early_stopping=False,
            random_state=self._seed,
        )
        with _one_openmp_thread():
            model.fit(X, labels)
        monitor(model.n_iter_)
        return model

    def _count_rounds(self) -> int:
        return self.model_.n_iter_

    def _output(self, X: np.ndarray) -> np.ndarray:
        with _one_openmp_thread():
            return self.model_.decision_function(X)

    def _staged_outputs(self, X: np.ndarray) -> Iterator[np.ndarray]:
        outputs = self.model_.staged_decision_function(X)
        for _ in range(self.n_estimators_):
            with _one_openmp_thread():
                output = next(outputs)
            yield output

    def _feature_gains(self) -> np.ndarray:
        raise AttributeError("histogram gradient boosting keeps no feature importances")


class StagedRandomForestClassifier(RivalClassifier):
    """scikit-learn's ``RandomForestClassifier`` with a curve over its trees: a round is one tree.

    The output is the mean of the trees' class probabilities.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves of a tree; None for no limit.
    min_samples_leaf : int, default=1
        Least number of samples of a leaf.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Features drawn for each cut.
    random_state : int, RandomState instance or None, default=None
        Draws samples and features.

    Attributes
    ----------
    model_ : sklearn.ensemble.RandomForestClassifier
    classes_, n_classes_, n_estimators_, n_features_in_, feature_names_in_
        As in the other boosters.
    """

    _parameter_constraints: ClassVar[dict] = {
        **RivalClassifier._parameter_constraints,
        "max_leaf_nodes": [Interval(Integral, 2, 2**31 - 1, closed="both"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
            StrOptions({"sqrt", "log2"}),
            None,
        ],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int = 1,
        max_features: int | float | str | None = "sqrt",
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.random_state = random_state

    @property
    def _input_dtype(self) -> type:
        return np.float32  # what scikit-learn's trees work on

    def _fit_rounds(self, X: np.ndarray, labels: np.ndarray, monitor: Callable[[int], Any]) -> Any:
        from sklearn.ensemble import RandomForestClassifier

        model = RandomForestClassifier(
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
            warm_start=True,  # tree by tree; the forest is the one that is grown at once
            random_state=self._seed,
        )
        for t in range(1, self.n_estimators + 1):
            model.set_params(n_estimators=t).fit(X, labels)
            if monitor(t):
                break
        return model

    def _count_rounds(self) -> int:
        return len(self.model_.estimators_)

    def _output(self, X: np.ndarray) -> np.ndarray:
        return self.model_.predict_proba(X)

    def _staged_outputs(self, X: np.ndarray) -> Iterator[np.ndarray]:
        total = np.zeros((len(X), self.n_classes_))
        for t, tree in enumerate(self.model_.estimators_, start=1):
            total += tree.predict_proba(X, check_input=False)
            yield total / t

    def _feature_gains(self) -> np.ndarray:
        return self.model_.feature_importances_
