"""The methods an experiment may name: registry name -> estimator, labels and fixed settings."""

import importlib
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from algos.exceptions import InputError


@dataclass(frozen=True)
class Method:
    """One entry of the registry.

    Attributes
    ----------
    name : str
        What configs call it, e.g. ``"adaboost_mh_hamming_tree"``.
    module, class_name : str
        Where the estimator lives. It is imported only when an estimator is made.
    label : str
        What tables and figures call it.
    printed_labels : tuple of str
        What the papers' tables (``config/reported``) call it.
    defaults : dict
        Constructor arguments that make the class this method.
    kind : {"staged", "plain"}
        ``"staged"`` methods have a learning curve (``staged_predict``, ``staged_error``) and a number of rounds
        ``n_estimators`` that selection chooses; ``"plain"`` methods are chosen by their grid alone.
    tasks : tuple of str
        Kinds of data that it learns: ``"single-label"``, ``"multi-label"``.
    rival : bool
        Whether it is a library's method, shown for orientation: it has no rank among the papers' methods.
    requires : str or None
        A module that must be installed beside the package's own dependencies (extra ``rivals``).
    wrapper : (str, str) or None
        Module and class of what is put around the estimator, as its parameter ``estimator``. Configs set the parameters
        of both; where both have one of a name it is the estimator's.
    wrapper_defaults : dict
        Arguments of the wrapper that make it this method.
    selects_as : str or None
        The method whose cross-validation chooses this one's hyper-parameters, so that the two differ in the last fit
        alone.
    """

    name: str
    module: str
    class_name: str
    label: str
    printed_labels: tuple[str, ...] = ()
    defaults: dict[str, Any] = field(default_factory=dict)
    kind: str = "plain"
    tasks: tuple[str, ...] = ("single-label",)
    rival: bool = False
    requires: str | None = None
    wrapper: tuple[str, str] | None = None
    wrapper_defaults: dict[str, Any] = field(default_factory=dict)
    selects_as: str | None = None

    @property
    def estimator(self) -> str:
        """The full names of its classes."""
        inner = f"{self.module}.{self.class_name}"
        return f"{'.'.join(self.wrapper)}({inner})" if self.wrapper else inner

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules of its classes."""
        return (self.module, *(self.wrapper or ())[:1])


def _with_exclusion(plain: Method) -> tuple[Method, ...]:
    """Return a binary method, the same as two-pass exclusion, and the control that excludes as many at random."""
    about = {
        "wrapper": ("algos.binary.exclusion", "TwoPassExclusion"),
        "printed_labels": tuple(label.replace("use_all", "exclude") for label in plain.printed_labels),
    }
    exclusion = replace(plain, name=f"{plain.name}_exclusion", label=f"{plain.label}, exclusion", **about)
    control = replace(
        exclusion,
        name=f"{plain.name}_random_exclusion",
        label=f"{plain.label}, random exclusion",
        printed_labels=(),
        wrapper_defaults={"choose": "random"},
        selects_as=exclusion.name,
    )
    return plain, exclusion, control


_BINARY_METHODS = (
    Method(
        name="adaboost",
        module="algos.binary.adaboost",
        class_name="AdaBoost",
        label="AdaBoost",
        printed_labels=("AdaBoost, use_all",),
        kind="staged",
    ),
    Method(
        name="gentleboost",
        module="algos.binary.gentleboost",
        class_name="GentleBoost",
        label="GentleBoost",
        kind="staged",
    ),
    Method(
        name="logitboost_binary",
        module="algos.binary.logitboost",
        class_name="LogitBoost",
        label="LogitBoost",
        printed_labels=("LogitBoost, use_all",),
        kind="staged",
    ),
    Method(
        name="robustboost",
        module="algos.binary.robustboost",
        class_name="RobustBoost",
        label="RobustBoost",
        printed_labels=("RobustBoost, use_all",),
        kind="staged",
    ),
    Method(
        name="tangentboost",
        module="algos.binary.tangentboost",
        class_name="TangentBoost",
        label="TangentBoost",
        printed_labels=("TangentBoost, use_all",),
        kind="staged",
    ),
    Method(
        name="linear_svm",
        module="algos.binary.linear_svm",
        class_name="LinearSVM",
        label="Linear SVM",
        printed_labels=("LinearSVM, use_all",),
    ),
)

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="adaboost_mh_hamming_tree",
            module="algos.multiclass.adaboost_mh",
            class_name="AdaBoostMHClassifier",
            label="AdaBoost.MH, Hamming trees",
            printed_labels=("ADABOOST.MH w Hamming trees",),
            defaults={"base": "hamming_tree"},
            kind="staged",
            tasks=("single-label", "multi-label"),
        ),
        Method(
            name="adaboost_mh_stump",
            module="algos.multiclass.adaboost_mh",
            class_name="AdaBoostMHClassifier",
            label="AdaBoost.MH, stumps",
            defaults={"base": "stump"},
            kind="staged",
            tasks=("single-label", "multi-label"),
        ),
        Method(
            name="adaboost_mh_hamming_product",
            module="algos.multiclass.adaboost_mh",
            class_name="AdaBoostMHClassifier",
            label="AdaBoost.MH, Hamming products",
            printed_labels=("ADABOOST.MH w Hamming products",),
            defaults={"base": "hamming_product"},
            kind="staged",
            tasks=("single-label", "multi-label"),
        ),
        Method(
            name="adaboost_mh_single_label_tree_zhu",
            module="algos.multiclass.adaboost_mh",
            class_name="AdaBoostMHClassifier",
            label="AdaBoost.MH, single-label trees (Zhu 2009)",
            printed_labels=("ADABOOST.MH w single-label trees (Zhu 2009)",),
            defaults={"base": "single_label_tree", "tree_criterion": "gini", "initial_weights": "uniform"},
            kind="staged",
        ),
        Method(
            name="adaboost_mh_single_label_tree_mukherjee",
            module="algos.multiclass.adaboost_mh",
            class_name="AdaBoostMHClassifier",
            label="AdaBoost.MH, single-label trees (Mukherjee 2013)",
            printed_labels=("ADABOOST.MH w single-label trees (Mukherjee 2013)",),
            defaults={"base": "single_label_tree", "tree_criterion": "edge", "initial_weights": "uniform"},
            kind="staged",
        ),
        Method(
            name="samme",
            module="algos.multiclass.samme",
            class_name="SAMMEClassifier",
            label="SAMME, single-label trees",
            printed_labels=("SAMME w single-label trees",),
            kind="staged",
        ),
        Method(
            name="adaboost_mm",
            module="algos.multiclass.adaboost_mm",
            class_name="AdaBoostMMClassifier",
            label="AdaBoost.MM",
            printed_labels=("ADABOOST.MM",),
            kind="staged",
        ),
        Method(
            name="aoso_logitboost",
            module="algos.multiclass.aoso_logitboost",
            class_name="AOSOLogitBoostClassifier",
            label="AOSO-LogitBoost",
            printed_labels=("AOSOLogitBoost J=20 nu=0.1",),
            kind="staged",
        ),
        Method(
            name="abc_logitboost",
            module="algos.multiclass.abc_boost",
            class_name="ABCLogitBoostClassifier",
            label="ABC-LogitBoost",
            printed_labels=("ABCLogitBoost J=20 nu=0.1",),
            kind="staged",
        ),
        Method(
            name="abc_mart",
            module="algos.multiclass.abc_boost",
            class_name="ABCMARTClassifier",
            label="ABC-MART",
            printed_labels=("ABCMART J=20 nu=0.1",),
            kind="staged",
        ),
        Method(
            name="logitboost",
            module="algos.multiclass.logitboost",
            class_name="LogitBoostClassifier",
            label="LogitBoost",
            printed_labels=("LogitBoost J=20 nu=0.1",),
            kind="staged",
        ),
        Method(
            name="mart",
            module="algos.multiclass.logitboost",
            class_name="MARTClassifier",
            label="MART",
            kind="staged",
        ),
        Method(
            name="spbl",
            module="algos.selfpaced.spbl",
            class_name="SPBLClassifier",
            label="SPBL",
            printed_labels=("SPBL",),
            kind="staged",
        ),
        Method(
            name="multiboost",
            module="algos.selfpaced.spbl",
            class_name="MultiBoostClassifier",
            label="MultiBoost",
            printed_labels=("MultiBoost",),
            kind="staged",
        ),
        Method(
            name="softmax_regression",
            module="algos.selfpaced.softmax",
            class_name="SoftmaxRegression",
            label="SR",
            printed_labels=("SR",),
            defaults={"self_paced": False},
        ),
        Method(
            name="softmax_regression_self_paced",
            module="algos.selfpaced.softmax",
            class_name="SoftmaxRegression",
            label="SR-S",
            printed_labels=("SR-S",),
            defaults={"self_paced": True},
        ),
        Method(
            name="multi_svm",
            module="algos.selfpaced.svm",
            class_name="MultiSVM",
            label="MultiSVM",
            printed_labels=("MultiSVM",),
            defaults={"self_paced": False},
        ),
        Method(
            name="multi_svm_self_paced",
            module="algos.selfpaced.svm",
            class_name="MultiSVM",
            label="MultiSVM-S",
            printed_labels=("MultiSVM-S",),
            defaults={"self_paced": True},
        ),
        Method(
            name="svm_rbf",
            module="sklearn.svm",
            class_name="SVC",
            label="SVM, Gaussian kernel",
            printed_labels=("SVM (Gaussian kernel)",),
            defaults={"kernel": "rbf"},
        ),
        Method(
            name="br",
            module="algos.multilabel.binary_relevance",
            class_name="BinaryRelevance",
            label="BR",
            tasks=("multi-label",),
        ),
        # The row "BR" of You et al. 2017 can only be had from decisions: docs/methods/binary_relevance.md.
        Method(
            name="br_hard",
            module="algos.multilabel.binary_relevance",
            class_name="BinaryRelevance",
            label="BR, ranked by its decisions",
            printed_labels=("BR",),
            defaults={"ranking": "hard", "ties": "last_first"},
            tasks=("multi-label",),
        ),
        Method(
            name="ecc",
            module="algos.multilabel.ecc",
            class_name="EnsembleClassifierChains",
            label="ECC",
            printed_labels=("ECC",),
            tasks=("multi-label",),
        ),
        Method(
            name="rakel",
            module="algos.multilabel.rakel",
            class_name="RAkEL",
            label="RAkEL",
            printed_labels=("RAKEL",),
            tasks=("multi-label",),
        ),
        Method(
            name="leml",
            module="algos.multilabel.leml",
            class_name="LEML",
            label="LEML",
            printed_labels=("LEML",),
            tasks=("multi-label",),
        ),
        Method(
            name="ml2",
            module="algos.multilabel.ml2",
            class_name="ML2",
            label="ML2",
            printed_labels=("ML2",),
            tasks=("multi-label",),
        ),
        *(method for plain in _BINARY_METHODS for method in _with_exclusion(plain)),
        Method(
            name="prbr",
            module="algos.multilabel.prml",
            class_name="PrBR",
            label="PrBR",
            printed_labels=("PrBR",),
            tasks=("multi-label",),
        ),
        Method(
            name="prml",
            module="algos.multilabel.prml",
            class_name="PrML",
            label="PrML",
            printed_labels=("PrML",),
            tasks=("multi-label",),
        ),
        Method(
            name="lightgbm",
            module="algos.multiclass.rivals",
            class_name="StagedLightGBMClassifier",
            label="LightGBM",
            kind="staged",
            rival=True,
            requires="lightgbm",
        ),
        Method(
            name="xgboost",
            module="algos.multiclass.rivals",
            class_name="StagedXGBoostClassifier",
            label="XGBoost",
            kind="staged",
            rival=True,
            requires="xgboost",
        ),
        Method(
            name="hist_gradient_boosting",
            module="algos.multiclass.rivals",
            class_name="StagedHistGradientBoostingClassifier",
            label="Histogram gradient boosting",
            kind="staged",
            rival=True,
        ),
        Method(
            name="random_forest",
            module="algos.multiclass.rivals",
            class_name="StagedRandomForestClassifier",
            label="Random forest",
            kind="staged",
            rival=True,
        ),
    )
}


def get_method(name: str) -> Method:
    """Return the registry entry called `name`.

    Raises
    ------
    InputError
        When there is none; the sentence names the nearest one.
    """
    if name not in METHODS:
        near = get_close_matches(name, METHODS, n=1, cutoff=0)
        raise InputError(f"unknown method {name!r}; the nearest known one is {near[0]!r}")
    return METHODS[name]


def make_estimator(name: str, params: dict[str, Any], seed: int) -> Any:
    """Make the unfitted estimator of a method.

    Parameters
    ----------
    name : str
        Registry name.
    params : dict
        Constructor arguments beside the method's own.
    seed : int
        Given as ``random_state`` to a method that draws random numbers.

    Raises
    ------
    InputError
        When the method is unknown or does not take one of the parameters.
    """
    method = get_method(name)
    cls, wrapper = _class(method.module, method.class_name), _class(*method.wrapper) if method.wrapper else None
    known = cls().get_params()
    of_wrapper = {} if wrapper is None else _without(wrapper().get_params(deep=False), {"estimator", *known})
    for key in params:
        if key not in known and key not in of_wrapper:
            near = get_close_matches(key, [*known, *of_wrapper], n=1, cutoff=0)[0]
            raise InputError(f"method {name!r} has no parameter {key!r}; the nearest one is {near!r}")
    seeded = {"random_state": seed}
    given = {**method.defaults, **params, **seeded}
    estimator = cls(**{key: value for key, value in given.items() if key in known})
    if wrapper is None:
        return estimator
    given = {**method.wrapper_defaults, **params, **seeded}
    return wrapper(estimator, **{key: value for key, value in given.items() if key in of_wrapper})


def validate_value(name: str, key: str, value: Any) -> None:
    """Refuse a parameter value that the method's estimator, or what is around it, would refuse.

    Raises
    ------
    ValueError
        As the estimator's ``fit`` would.
    """
    estimator = make_estimator(name, {key: value}, 0)
    estimator._validate_params()
    if get_method(name).wrapper:
        estimator.estimator._validate_params()


def is_binary(name: str) -> bool:
    """Tell whether a method learns two classes only."""
    from sklearn.utils import get_tags

    if get_method(name).rival:  # a library's, which may not be installed; all of them learn several
        return False
    tags = get_tags(make_estimator(name, {}, 0)).classifier_tags
    return tags is not None and not tags.multi_class


def path_parameter(name: str) -> str | None:
    """Return the parameter of which the method fits several values together (``fit_path``), if there is one."""
    return getattr(make_estimator(name, {}, 0), "path_parameter", None)


def default_of(name: str, key: str) -> Any:
    """Return the default value of a method's parameter."""
    known = make_estimator(name, {}, 0).get_params()
    inner = f"estimator__{key}"
    return known[inner] if get_method(name).wrapper and inner in known else known[key]


def _class(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _without(mapping: dict[str, Any], keys: set[str]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in keys}
