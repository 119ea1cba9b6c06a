"""What a run does: reading and checking a config, and what follows from it without reading any data."""

import csv
import hashlib
import importlib.util
import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from algos.evaluation import splits
from algos.evaluation.metrics import DEFAULT_METRICS, METRICS
from algos.exceptions import InputError
from algos.experiments.checker import Checker, number_hint, one_line, valid_names
from algos.experiments.methods import METHODS, Method, default_of, is_binary, path_parameter, validate_value
from algos.experiments.reported import DATASET_COLUMNS, printed_method
from algos.experiments.sources import constructor_parameters
from algos.illustrations import registry as illustrations
from algos.illustrations.registry import ILLUSTRATIONS
from algos.yamlfile import read_yaml

# Targets that a run has always; an experiment or a data set that is a target too cannot take their names.
FIXED_TARGETS = ("all", "data", "tables", "figures", "report", "publish")

DATA_DEFAULTS = {"directory": "data/raw", "mirrors": [], "registry": "config/datasets.yaml", "datasets": {}}
PROTOCOL_DEFAULTS = {
    "repeated_kfold": {"n_splits": 10, "n_repeats": 1},
    "designated": {},
    "random_percentage": {"test_percent": 50, "n_repeats": 10},
    "repeated_grouped": {"test_percent": 100 / 3, "n_repeats": 10},
    "train_validation_test": {"percent": [50, 20, 30], "n_repeats": 5},
}
# Readers of a user's own folders.
FOLDER_READERS = ("image_folder", "feature_text", "voc", "voc_patches")
# How hyper-parameters and rounds are chosen; see algos.evaluation.selection.
SELECTION_DEFAULTS = {"n_folds": 5, "stopping": "smoothed", "min_rounds": None}
RESOURCES_DEFAULTS = {"mem_mb": 2000, "runtime_minutes": 720}

PathLike = str | os.PathLike


@dataclass(frozen=True)
class MethodSettings:
    """One method of an experiment, as declared.

    Attributes
    ----------
    method : Method
        Its entry in the registry, under the name and the label that it has in the experiment.
    registered : str
        The entry's own name in the registry; several methods of an experiment can be variants of one entry.
    declared_as : str
        Its name in the config: one for all values of a swept parameter.
    swept : tuple of (str, str, float) or None
        Label of the method whose parameter is swept, the parameter, and its value here.
    params : dict
        Fixed constructor arguments.
    grid : dict
        Constructor argument -> list of the values that validation chooses from.
    preprocess : dict
        What is fitted on the training part before the method sees it.
    per_dataset : dict
        Data set -> ``{"params": ..., "grid": ..., "selection": ...}`` that replace single entries of the others there.
    selection : dict
        ``n_folds`` (folds that choose among the grid and the rounds, 0 where nothing is to be chosen), ``stopping`` and
        ``min_rounds``, as far as they differ from the experiment's.
    more_rows : dict
        ``jittered`` (bool) and ``hard_negatives`` (number): rows of the data set that train beside its samples.
    best_on_test : bool
        Whether the least test error over grid and rounds is recorded beside the validated one.
    folds_per_job : dict
        ``"default"`` or data set -> number of folds that one process computes.
    resources : dict
        ``mem_mb`` and ``runtime_minutes`` that a job asks a cluster for.
    beside : str or None
        The method of the experiment whose printed numbers are shown with this one, too.
    """

    method: Method
    registered: str
    declared_as: str
    swept: tuple[str, str, float] | None = None
    params: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, list] = field(default_factory=dict)
    preprocess: dict[str, Any] = field(default_factory=dict)
    per_dataset: dict[str, dict] = field(default_factory=dict)
    selection: dict[str, Any] = field(default_factory=dict)
    more_rows: dict[str, Any] = field(default_factory=dict)
    best_on_test: bool = False
    folds_per_job: dict[str, int] = field(default_factory=dict)
    resources: dict[str, int] = field(default_factory=dict)
    beside: str | None = None


@dataclass(frozen=True)
class Case:
    """A data set as an experiment uses it; `label_noise` in percent of the training labels, None without noise."""

    dataset: str
    label_noise: float | None = None


@dataclass(frozen=True)
class Experiment:
    """One declared experiment.

    `cases` are what it runs on: its data sets, or each of them with each level of label noise; the key is what runs,
    tables and figures call the case. `features` are made anew for each fold, for all methods. `publish` is the name of
    the files that publishing writes; `reported` that of the printed table, if there is one, and `printed_protocol` says
    how that was measured; `reported_datasets` that of what is printed of the data sets.
    """

    name: str
    title: str
    paper: str
    datasets: tuple[str, ...]
    cases: dict[str, Case]
    protocol: dict[str, Any]
    features: dict[str, Any]
    selection: dict[str, Any]
    metrics: tuple[str, ...]
    selection_metric: str
    seed: int
    reported: str | None
    reported_datasets: str | None
    printed_protocol: str | None
    publish: str | None
    dataset_aliases: dict[str, str]
    remarks: dict[str, dict[str, str]]
    compare: tuple[tuple[str, str], ...]
    methods: dict[str, MethodSettings]

    def fold_names(self) -> list[str]:
        """Return the names of the folds, in order, from the protocol alone."""
        return splits.fold_names(self.protocol)

    def folds_per_job(self, case: str, method: str) -> int:
        """Return how many folds of a method on a case one process computes."""
        sizes = self.methods[method].folds_per_job
        return sizes.get(self.cases[case].dataset, sizes.get("default", 10))

    def chunks(self, case: str, method: str) -> list[list[str]]:
        """Return the folds of a method on a case, parted into jobs."""
        names, size = self.fold_names(), self.folds_per_job(case, method)
        return [names[start : start + size] for start in range(0, len(names), size)]

    def chooser(self, method: str) -> str | None:
        """Return the experiment's method whose selection is this one's too, where there is one of the same settings."""
        settings = self.methods[method]
        name = settings.method.selects_as
        if name not in self.methods or settings.registered != method:
            return None
        same = ("params", "grid", "preprocess", "per_dataset", "selection", "more_rows")
        equal = all(getattr(settings, key) == getattr(self.methods[name], key) for key in same)
        return name if equal else None

    def training(self, case: str, method: str) -> dict[str, Any]:
        """Return all that a fold's numbers depend on beside its data and its sources, as plain values.

        How folds are parted into jobs is no part of it, nor are titles: a change there reruns no fold.
        """
        settings = self.methods[method]
        here = settings.per_dataset.get(self.cases[case].dataset, {})
        selection = {**self.selection, **settings.selection, **here.get("selection", {})}
        return {
            "experiment": self.name,
            "dataset": case,
            "method": method,
            "registered": settings.registered,
            "estimator": settings.method.estimator,
            "defaults": _sorted({**settings.method.defaults, **settings.method.wrapper_defaults}),
            "params": _sorted({**settings.params, **here.get("params", {})}),
            "grid": _sorted({**settings.grid, **here.get("grid", {})}),
            "preprocess": _sorted(settings.preprocess),
            "more_rows": _sorted(settings.more_rows),
            "n_selection_folds": selection["n_folds"],
            "stopping": selection["stopping"],
            "min_rounds": selection["min_rounds"],
            "best_on_test": settings.best_on_test,
            "metrics": list(self.metrics),
            "selection_metric": self.selection_metric,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Config:
    """A checked config.

    Attributes
    ----------
    experiments : dict
        Name -> `Experiment`.
    datasets : dict
        Name -> registry entry, of the data sets that the experiments use.
    data : dict
        ``directory``, ``mirrors``, ``registry``.
    figures : dict
        The look of figures.
    illustrations : dict
        Name -> ``kind``, ``params``, ``seed``.
    """

    experiments: dict[str, Experiment]
    datasets: dict[str, dict]
    data: dict[str, Any]
    figures: dict[str, Any]
    illustrations: dict[str, dict[str, Any]]


def load_config(files: Iterable[PathLike], schema: PathLike, source_root: PathLike) -> Config:
    """Read config files, later ones over earlier ones, and check the result.

    Parameters
    ----------
    files : iterable of path-like
        YAML files.
    schema : path-like
        The JSON schema, as YAML.
    source_root : path-like
        The folder that holds the package, where constructors are looked up.

    Returns
    -------
    Config

    Raises
    ------
    InputError
        As `check_config`; also for a file that is missing or not YAML.
    """
    files = [Path(file) for file in files]
    merged: dict[str, Any] = {}
    for file in files:
        merged = _merge(merged, read_yaml(file))
    return check_config(merged, files, schema, source_root)


def check_config(
    config: Mapping[str, Any],
    files: Iterable[PathLike],
    schema: PathLike,
    source_root: PathLike,
    approvals: PathLike | None = None,
) -> Config:
    """Check a config against its schema and the registries, and fill in defaults.

    Parameters
    ----------
    config : mapping
        The merged config.
    files : iterable of path-like
        The files it was read from, so that a mistake can be shown where it stands.
    schema, source_root : path-like
        As in `load_config`.
    approvals : path-like, optional
        A folder where parameter values found good are remembered, since checking them imports the estimators.

    Returns
    -------
    Config

    Raises
    ------
    InputError
        One sentence with the unknown or wrong name, the file it stands in and the nearest valid name.
    """
    checker = Checker([Path(file) for file in files])
    checker.check_schema(config, read_yaml(schema))
    data = {**DATA_DEFAULTS, **config.get("data", {})}
    known = _known_datasets(data, schema, checker)
    experiments = {
        name: _experiment(name, declared, known, checker, Path(source_root))
        for name, declared in config["experiments"].items()
    }
    drawn = {
        name: _illustration(name, declared, known, checker)
        for name, declared in config.get("illustrations", {}).items()
    }
    _check_designated(experiments.values(), known, checker)
    shown = [experiment.datasets for experiment in experiments.values()]
    shown += [illustration.get("datasets", []) for illustration in drawn.values()]
    used = sorted({dataset for datasets in shown for dataset in datasets})
    _check_files({name: known[name] for name in used}, checker)
    _check_mirrors({name: known[name] for name in used}, data, checker)
    for experiment in experiments.values():
        _check_choice(experiment, checker)
    _check_values(experiments.values(), known, checker, approvals)
    _check_targets(experiments, drawn, used, checker)
    _check_publication(experiments.values(), checker)
    return Config(
        experiments=experiments,
        datasets={name: known[name] for name in used},
        data=data,
        figures=dict(config.get("figures", {})),
        illustrations=drawn,
    )


def _merge(first: Mapping, second: Mapping) -> dict:
    """Return `second` laid over `first`, mapping by mapping, as Snakemake merges config files."""
    merged = dict(first)
    for key, value in second.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merge(merged[key], value) if both else value
    return merged


def _sorted(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping with its keys in order, so that reordering a config changes no rule's parameters."""
    return {key: _sorted(value) if isinstance(value, Mapping) else value for key, value in sorted(settings.items())}


def _experiment(
    name: str, declared: Mapping[str, Any], datasets: Mapping[str, dict], checker: Checker, source_root: Path
) -> Experiment:
    """Check one experiment against the registries."""
    at = ("experiments", name)
    declared = {**declared, "datasets": _datasets(declared["datasets"], datasets, (*at, "datasets"), checker)}
    aliases = declared.get("dataset_aliases", {})
    for dataset in aliases:
        if dataset not in declared["datasets"]:
            raise checker.unknown((*at, "dataset_aliases", dataset), "data set", dataset, declared["datasets"])
    reported = _reported(declared.get("reported"), (*at, "reported"), checker)
    if declared.get("publish") is True and reported is None:
        sentence = "true needs a printed table in 'reported' to publish beside; or give the published files a name"
        raise checker.error((*at, "publish"), sentence)
    printed, printed_methods = _printed_names(reported)
    for dataset, alias in aliases.items():
        if printed and alias not in printed:
            raise checker.unknown((*at, "dataset_aliases", dataset), f"data set of {reported}", alias, printed)
    declared = {**declared, "methods": _variants(declared["methods"], (*at, "methods"), checker)}
    for method, settings in declared["methods"].items():
        label = settings.get("printed_as")
        if label and printed_methods and label not in printed_methods:
            place = (*at, "methods", settings.get("declared_as", method), "printed_as")
            raise checker.unknown(place, f"method of {reported}", label, printed_methods)
    remarks = declared.get("remarks", {})
    for dataset, sentences in remarks.items():
        if dataset not in declared["datasets"]:
            raise checker.unknown((*at, "remarks", dataset), "data set", dataset, declared["datasets"])
        for method in sentences:
            if method not in declared["methods"]:
                raise checker.unknown((*at, "remarks", dataset, method), "method", method, declared["methods"])
    protocol = declared["protocol"]
    if abs(sum(protocol.get("percent", [100])) - 100) > 1e-9:
        raise checker.error((*at, "protocol", "percent"), f"{protocol['percent']} must have the sum 100")
    cases = _cases(declared["datasets"], declared.get("label_noise"))
    if len(cases) < len(declared["datasets"]) * len(declared.get("label_noise", [0])):
        raise checker.error((*at, "label_noise"), "two levels would have one name; let them differ more")
    metrics, selection_metric = _metrics(declared, datasets, at, checker)
    experiment = Experiment(
        name=name,
        title=declared["title"],
        paper=declared.get("paper", ""),
        datasets=tuple(declared["datasets"]),
        cases=cases,
        protocol={"kind": protocol["kind"], **PROTOCOL_DEFAULTS[protocol["kind"]], **protocol},
        features=_features(declared, datasets, at, checker, source_root),
        selection={**SELECTION_DEFAULTS, **_rounds_settings(declared)},
        metrics=metrics,
        selection_metric=selection_metric,
        seed=declared.get("seed", 0),
        reported=reported,
        reported_datasets=_reported(declared.get("reported_datasets"), (*at, "reported_datasets"), checker),
        printed_protocol=_printed_protocol(reported),
        publish=reported if declared.get("publish") is True else declared.get("publish") or None,
        dataset_aliases=dict(aliases),
        remarks=dict(remarks),
        compare=_compared(declared, (*at, "compare"), checker),
        methods={
            method: _method(method, settings, declared["datasets"], (*at, "methods"), checker, source_root)
            for method, settings in declared["methods"].items()
        },
    )
    _check_names(experiment, (*at, "methods"), checker)
    return experiment


def _check_names(experiment: Experiment, at: tuple, checker: Checker) -> None:
    """Refuse two methods that readers, or the printed table, could not tell apart, and names of none."""
    labels: dict[str, str] = {}
    printed: dict[str, str] = {}
    for name, settings in experiment.methods.items():
        other = labels.setdefault(settings.method.label, name)
        if other != name:
            sentence = f"has the label {settings.method.label!r} of {other}; give it its own 'label'"
            raise checker.error((*at, settings.declared_as), sentence)
        for label in settings.method.printed_labels:
            other = printed.setdefault(label, name)
            if other != name:
                sentence = f"stands beside the printed {label!r}, as {other} does; only one can ('printed_as')"
                raise checker.error((*at, settings.declared_as), sentence)
    for settings in experiment.methods.values():
        if settings.beside is not None and settings.beside not in experiment.methods:
            place = (*at, settings.declared_as, "beside")
            raise checker.unknown(place, "method", settings.beside, experiment.methods)


def _datasets(names: Iterable[str], known: Mapping[str, dict], at: tuple, checker: Checker) -> list[str]:
    """Return the data sets of an experiment, for the name of a family all its members."""
    datasets = []
    for position, name in enumerate(names):
        family = [member for member, entry in known.items() if entry.get("family") == name]
        if name not in known and not family:
            raise checker.unknown((*at, position), "data set", name, known)
        datasets += [name] if name in known else family
    twice = next((name for name in datasets if datasets.count(name) > 1), None)
    if twice:
        raise checker.error(at, f"{twice} is named twice, by itself and by its family; keep one")
    return datasets


def _cases(datasets: Iterable[str], label_noise: Iterable[float] | None) -> dict[str, Case]:
    """Return what an experiment runs on, all levels of noise of a data set one after the other."""
    if label_noise is None:
        return {dataset: Case(dataset) for dataset in datasets}
    return {f"{d}_noise{_slug(percent)}": Case(d, percent) for d in datasets for percent in label_noise}


def holds_images(entry: Mapping[str, Any]) -> bool:
    """Tell whether a data set's rows are images, whose features are yet to be made."""
    return entry["reader"] in ("image_folder", "voc")


def _compared(declared: Mapping[str, Any], at: tuple, checker: Checker) -> tuple[tuple[str, str], ...]:
    """Return the pairs of methods that are compared."""
    pairs = declared.get("compare", [])
    for i, pair in enumerate(pairs):
        for j, name in enumerate(pair):
            if name not in declared["methods"]:
                raise checker.unknown((*at, i, j), "method of this experiment", name, declared["methods"])
        earlier = next((k for k, other in enumerate(pairs[:i]) if set(other) == set(pair)), None)
        if earlier is not None:
            raise checker.error((*at, i), f"{' and '.join(pair)} are compared by entry {earlier} already; keep one")
    return tuple((first, second) for first, second in pairs)


def _features(
    declared: Mapping[str, Any], datasets: Mapping[str, dict], at: tuple, checker: Checker, source_root: Path
) -> dict[str, Any]:
    """Return what an experiment's features are made by; images need a pyramid, and only images have one."""
    features = declared.get("features", {})
    images = [name for name in declared["datasets"] if holds_images(datasets[name])]
    if images and "spatial_pyramid" not in features:
        raise checker.error((*at, "features"), f"{images[0]} holds images; say 'spatial_pyramid: {{}}', or how, here")
    if "spatial_pyramid" in features and not images:
        raise checker.error((*at, "features", "spatial_pyramid"), "no data set of this experiment holds images")
    if "normalise" in features and len(images) == len(declared["datasets"]):
        raise checker.error(
            (*at, "features", "normalise"), "all data sets hold images; say 'spatial_pyramid: {normalise: ...}'"
        )
    known = constructor_parameters("algos.features.spatial_pyramid", "SpatialPyramid", source_root)
    for key in features.get("spatial_pyramid", {}):
        if key not in known or key == "random_state":
            raise checker.unknown(
                (*at, "features", "spatial_pyramid", key), "parameter of the pyramid", key, known[:-1]
            )
    return _sorted(features)


def _rounds_settings(declared: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in declared.get("selection", {}).items() if key in SELECTION_DEFAULTS}


def _slug(value: float) -> str:
    """Return a number as a part of a name."""
    return re.sub("[^A-Za-z0-9-]", "_", f"{value:g}")


def _metrics(
    declared: Mapping[str, Any], datasets: Mapping[str, dict], at: tuple, checker: Checker
) -> tuple[tuple[str, ...], str]:
    """Return an experiment's measures and the one that chooses; its data sets and methods must be of one kind."""
    tasks = {dataset: datasets[dataset].get("task", "single-label") for dataset in declared["datasets"]}
    if declared["protocol"]["kind"] == "train_validation_test" and "multi-label" in tasks.values():
        sentence = (
            "train_validation_test parts each class, and these data have several labels a sample; take another kind"
        )
        raise checker.error((*at, "protocol", "kind"), sentence)
    if "label_noise" in declared and "multi-label" in tasks.values():
        raise checker.error((*at, "label_noise"), "noise on labels is made for data with one label a sample only")
    task = tasks[declared["datasets"][0]]
    other = next((dataset for dataset, kind in tasks.items() if kind != task), None)
    if other:
        first = declared["datasets"][0]
        sentence = f"{other} is {tasks[other]} and {first} is {task}; give each kind its own experiment"
        raise checker.error((*at, "datasets"), sentence)
    known = [name for name, metric in METRICS.items() if metric.task == task]
    names = declared.get("metrics", DEFAULT_METRICS[task])
    chosen = declared.get("selection", {}).get("metric", names[0])
    for place, name in [*((("metrics", i), name) for i, name in enumerate(names)), (("selection", "metric"), chosen)]:
        if name in METRICS and name not in known:
            sentence = (
                f"{name} measures {METRICS[name].task} data, and these are {task} (`task` in a data set's entry); "
                f"{valid_names('', known)}"
            )
            raise checker.error((*at, *place), sentence)
        if name not in known:
            raise checker.unknown((*at, *place), f"measure of {task} data", name, known)
    for method, settings in declared["methods"].items():
        entry = METHODS.get(settings.get("method", method))
        if entry and task not in entry.tasks:
            fitting = [name for name, entry in METHODS.items() if task in entry.tasks]
            sentence = f"{entry.name} is not for {task} data; {valid_names('', fitting)}"
            raise checker.error((*at, "methods", settings.get("declared_as", method)), sentence)
    return tuple(names), chosen


def _variants(methods: Mapping[str, Any], at: tuple, checker: Checker) -> dict[str, dict[str, Any]]:
    """Return the methods of an experiment, one whose parameter is swept as a method for each value."""
    variants: dict[str, dict[str, Any]] = {}
    for name, declared in methods.items():
        settings = dict(declared or {})
        sweep = settings.pop("sweep", None)
        if sweep is None:
            variants[name] = settings
            continue
        ((parameter, values),) = sweep.items()
        for part in ("params", "grid"):
            if parameter in settings.get(part, {}):
                raise checker.error((*at, name, part, parameter), "is swept in 'sweep' too; keep one")
        registered = settings.get("method", name)
        label = settings.get("label") or (METHODS[registered].label if registered in METHODS else name)
        for value in values:
            variant = f"{name}_{parameter}_{_slug(value)}"
            if variant in variants or variant in methods:
                sentence = f"two methods would be called {variant}; call one otherwise, or let its values differ more"
                raise checker.error((*at, name, "sweep", parameter), sentence)
            variants[variant] = {
                **settings,
                "method": registered,
                "label": f"{label}, {parameter} = {value}",
                "params": {**settings.get("params", {}), parameter: value},
                "swept": (label, parameter, value),
                "declared_as": name,
            }
    return variants


def _reported(name: str | None, at: tuple, checker: Checker) -> str | None:
    folder = Path("config/reported")
    if name is not None and not (folder / f"{name}.csv").is_file():
        known = sorted(path.stem for path in folder.glob("*.csv"))
        raise checker.unknown(at, "printed table", name, known)
    return name


def _printed_protocol(name: str | None) -> str | None:
    """Return how a printed table was measured, where we know."""
    file = Path("config/reported/protocols.yaml")
    return read_yaml(file).get(name) if name is not None and file.is_file() else None


def _printed_names(name: str | None) -> tuple[list[str], list[str]]:
    """Return the data sets and the methods of a printed table, as far as it has columns of them."""
    if name is None:
        return [], []
    with open(f"config/reported/{name}.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    datasets = {row[key] for row in rows for key in DATASET_COLUMNS if key in row}
    return sorted(datasets), sorted({printed_method(row) for row in rows} - {""})


def _method(
    name: str,
    declared: Mapping[str, Any],
    datasets: Iterable[str],
    at: tuple,
    checker: Checker,
    source_root: Path,
) -> MethodSettings:
    """Check one method of an experiment."""
    registered, at = declared.get("method", name), (*at, declared.get("declared_as", name))
    if registered not in METHODS:
        raise checker.unknown((*at, "method") if registered != name else at, "method", registered, METHODS)
    if name in METHODS and name != registered:
        sentence = f"{name} is a registered method; give your variant of {registered} a name of its own"
        raise checker.error(at, sentence)
    method = METHODS[registered]
    if method.requires and importlib.util.find_spec(method.requires) is None:
        raise checker.error(
            at, f"needs the package {method.requires}, which is not installed here: pip install 'algos[rivals]'"
        )
    # What makes the class this method, and the seed, are not the config's to set.
    own = {*method.defaults, *method.wrapper_defaults, "random_state", *(["estimator"] if method.wrapper else [])}
    classes = [(method.module, method.class_name), *([method.wrapper] if method.wrapper else [])]
    settable = [key for names in classes for key in constructor_parameters(*names, source_root) if key not in own]
    per_dataset = declared.get("per_dataset", {})
    for dataset in per_dataset:
        if dataset not in datasets:
            raise checker.unknown((*at, "per_dataset", dataset), "data set", dataset, datasets)
    params, grid = declared.get("params", {}), declared.get("grid", {})
    swept = declared.get("swept")
    _check_parameters(method, params, grid, settable, at, checker, swept[1] if swept else "")
    for dataset, here in per_dataset.items():
        place = (*at, "per_dataset", dataset)
        _check_parameters(method, here.get("params", {}), here.get("grid", {}), settable, place, checker)
        fixed, searched = {**params, **here.get("params", {})}, {**grid, **here.get("grid", {})}
        for key in fixed.keys() & searched.keys():
            raise checker.error(place, f"{key!r} is fixed in 'params' and searched in 'grid'; keep one")
    sizes = declared.get("folds_per_job", {})
    sizes = {"default": sizes} if isinstance(sizes, int) else dict(sizes)
    for key in sizes:
        if key not in ("default", *datasets):
            raise checker.unknown((*at, "folds_per_job", key), "data set", key, ("default", *datasets))
    return MethodSettings(
        method=_shown_as(method, name, declared),
        registered=registered,
        swept=swept,
        declared_as=declared.get("declared_as", name),
        params=dict(params),
        grid=dict(grid),
        preprocess=dict(declared.get("preprocess", {})),
        per_dataset=dict(per_dataset),
        selection=dict(declared.get("selection", {})),
        more_rows=dict(declared.get("more_rows", {})),
        best_on_test=declared.get("best_on_test", False),
        folds_per_job=sizes,
        resources={**RESOURCES_DEFAULTS, **declared.get("resources", {})},
        beside=declared.get("beside"),
    )


def _shown_as(method: Method, name: str, declared: Mapping[str, Any]) -> Method:
    """Return a registry entry under an experiment's own name and label for it; a variant is no printed method."""
    own = name == method.name
    label = declared.get("label") or (method.label if own else f"{method.label} ({name})")
    printed = (declared["printed_as"],) if "printed_as" in declared else method.printed_labels if own else ()
    return replace(method, name=name, label=label, printed_labels=printed)


def _known_datasets(data: dict[str, Any], schema: PathLike, checker: Checker) -> dict[str, dict[str, Any]]:
    """Return the registry with the config's own data sets, a mistake in which is said with the config's file."""
    from algos.datasets.registry import OWN_ENTRIES, load_registry

    own = data.pop("datasets")
    try:
        return load_registry(data["registry"], own, Path(schema).with_name("datasets.schema.yaml"))
    except InputError as error:
        if not str(error).startswith(OWN_ENTRIES):
            raise
        raise checker.error(("data", "datasets"), str(error).removeprefix(f"{OWN_ENTRIES}: ")) from None


def _check_files(entries: Mapping[str, dict], checker: Checker) -> None:
    """Refuse a user's data set whose file is not there, before anything is computed."""
    for name, entry in entries.items():
        for path in (Path(file["path"]) for file in entry.get("files", ()) if "path" in file):
            if path.is_file() or (path.is_dir() and entry["reader"] in FOLDER_READERS):
                continue
            there = sorted(other.name for other in path.parent.glob("*") if other.is_file())
            near = get_close_matches(path.name, there, n=1)
            hint = f"; did you mean {str(path.parent / near[0])!r}?" if near else "; correct it"
            what = f"{str(path)!r} is a folder, not a file" if path.is_dir() else f"there is no file {str(path)!r}"
            raise checker.error(("data", "datasets", name, "files"), f"{what}{hint}")


def _check_designated(experiments: Iterable[Experiment], known: Mapping[str, dict], checker: Checker) -> None:
    """Refuse the protocol of designated test sets for a data set that has none."""
    from algos.datasets.registry import has_split

    for experiment in experiments:
        if experiment.protocol["kind"] != "designated":
            continue
        for dataset in experiment.datasets:
            # Readers of folders find the parts in the data.
            if not has_split(known[dataset]) and known[dataset]["reader"] not in FOLDER_READERS:
                sentence = f"{dataset} has no designated test set; take another kind, such as repeated_kfold"
                raise checker.error(("experiments", experiment.name, "protocol", "kind"), sentence)


def _check_mirrors(entries: Mapping[str, dict], data: Mapping[str, Any], checker: Checker) -> None:
    """Refuse a mirror that is no folder where something is still to be fetched."""
    from algos.datasets.registry import raw_paths

    paths = [
        path
        for name, entry in entries.items()
        for path, file in zip(raw_paths(name, entry, data["directory"]), entry["files"], strict=True)
        if "path" not in file
    ]
    if all(path.exists() for path in paths):
        return
    for position, place in enumerate(data["mirrors"]):
        if "://" not in place and not Path(place).is_dir():
            sentence = f"there is no folder {place!r}; correct it, or drop it to fetch from the official addresses"
            raise checker.error(("data", "mirrors", position), sentence)


def _check_parameters(
    method: Method, params: Mapping, grid: Mapping, settable: list[str], at: tuple, checker: Checker, swept: str = ""
) -> None:
    """Refuse a parameter that the method's constructor does not take, or that is both fixed and searched.

    `swept` is the parameter among `params` that the config names in 'sweep'.
    """
    if method.kind == "staged" and "n_estimators" in grid:
        raise checker.error(
            (*at, "grid", "n_estimators"),
            "the number of rounds is chosen along the learning curve; give its largest value in 'params'",
        )
    for part, keys in (("params", params), ("grid", grid)):
        for key in keys:
            if key not in settable:
                stands = "sweep" if key == swept else part
                raise checker.unknown((*at, stands, key), f"parameter of {method.name}", key, settable)
            if key in params and key in grid:
                raise checker.error((*at, "grid", key), "is fixed in 'params' and searched in 'grid'; keep one")


def _check_choice(experiment: Experiment, checker: Checker) -> None:
    """Refuse a single fold, and a grid of several points where no fold is there to choose by."""
    for case in experiment.cases:
        for method in experiment.methods:
            settings = experiment.training(case, method)
            n_folds = settings["n_selection_folds"]
            at = ("experiments", experiment.name, "methods", experiment.methods[method].declared_as)
            if n_folds == 1:
                raise checker.error(
                    at, f"on {case} selection.n_folds is 1, but cross-validation needs at least 2; 0 chooses nothing"
                )
            searched = next((key for key, values in settings["grid"].items() if len(values) > 1), None)
            if n_folds == 0 and searched:
                raise checker.error(
                    at,
                    f"on {case} selection.n_folds is 0, so nothing can be chosen, and the grid has several values "
                    f"of {searched!r}; keep one, or give folds",
                )


def _many_classes(experiment: Experiment, known: Mapping[str, dict]) -> tuple[str, int] | None:
    """The first data set of an experiment that is known to have more than two classes, and their number."""
    counts = ((name, known[name].get("n_classes") or 0) for name in experiment.datasets)
    return next(((name, count) for name, count in counts if count > 2), None)


def _check_values(
    experiments: Iterable[Experiment], known: Mapping[str, dict], checker: Checker, approvals: PathLike | None
) -> None:
    """Refuse parameter values that an estimator would refuse, before any job starts.

    A job that fails has already lost the results it was to replace, so what can be known early must be.
    """
    settings = [
        (("experiments", experiment.name, "methods", method.declared_as), method, _many_classes(experiment, known))
        for experiment in experiments
        for method in experiment.methods.values()
    ]
    content = json.dumps(
        [(at, m.registered, m.method.defaults, m.params, m.grid, m.per_dataset, many) for at, m, many in settings],
        default=str,
    )
    approval = Path(approvals, hashlib.sha256(content.encode()).hexdigest()) if approvals else None
    if approval and approval.exists():
        return
    for at, method, many in settings:
        if many and is_binary(method.registered):
            raise checker.error(at, f"{method.registered} is for two classes, and {many[0]} has {many[1]}")
        parts = [(at, method.params, method.grid)]
        parts += [
            ((*at, "per_dataset", dataset), here.get("params", {}), here.get("grid", {}))
            for dataset, here in method.per_dataset.items()
        ]
        for place, params, grid in parts:
            for key, value in params.items():
                swept = place == at and method.swept is not None and method.swept[1] == key
                _check_value(method.registered, key, value, (*place, "sweep" if swept else "params", key), checker)
            for key, values in grid.items():
                for position, value in enumerate(values):
                    if isinstance(value, str) and key == path_parameter(method.registered):
                        sentence = f"{value!r} chooses inside the fit; write it in params, or numbers here"
                        raise checker.error((*place, "grid", key, position), sentence)
                    _check_value(method.registered, key, value, (*place, "grid", key, position), checker)
    if approval:
        with suppress(OSError):  # in a folder that cannot be written it is checked again each time
            approval.parent.mkdir(parents=True, exist_ok=True)
            approval.touch()


def _check_value(name: str, key: str, value: Any, at: tuple, checker: Checker) -> None:
    default = default_of(name, key)
    if isinstance(value, bool) and isinstance(default, int | float) and not isinstance(default, bool):
        raise checker.error(at, f"{value} is no number; give one")
    try:
        validate_value(name, key, value)
    except ValueError as error:
        raise checker.error(at, one_line(str(error)) + number_hint(value)) from None


def _illustration(
    name: str, declared: Mapping[str, Any], datasets: Mapping[str, dict], checker: Checker
) -> dict[str, Any]:
    """Check one illustration against its registry."""
    at, kind, params = ("illustrations", name), declared["kind"], declared.get("params", {})
    if kind not in ILLUSTRATIONS:
        raise checker.unknown((*at, "kind"), "kind of illustration", kind, ILLUSTRATIONS)
    module = illustrations.load(kind)
    known = module.DEFAULTS
    for key, value in params.items():
        if key not in known:
            raise checker.unknown((*at, "params", key), f"parameter of {kind}", key, known)
        if isinstance(known[key], int | float) and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise checker.error((*at, "params", key), f"{value!r} is no number.{number_hint(value) or ' Give one.'}")
        if isinstance(known[key], str) and not isinstance(value, str):
            raise checker.error((*at, "params", key), f"{value!r} is not text; correct it")
    checked = {"kind": kind, "params": _sorted(params), "seed": declared.get("seed", 0)}
    if illustrations.needs_datasets(kind) != ("datasets" in declared):
        need = (
            "is made of data sets; name some in" if illustrations.needs_datasets(kind) else "needs no data sets; drop"
        )
        raise checker.error(at, f"{kind} {need} 'datasets'")
    if "datasets" in declared:
        checked["datasets"] = _datasets(declared["datasets"], datasets, (*at, "datasets"), checker)
        reader = illustrations.needed_reader(kind)
        for dataset in checked["datasets"]:
            if reader not in (None, datasets[dataset]["reader"]):
                sentence = f"{dataset} is read by {datasets[dataset]['reader']!r}; {kind} is made of data of {reader!r}"
                raise checker.error((*at, "datasets"), sentence)
    try:
        module.check({**known, **params})
    except InputError as error:
        raise checker.error((*at, "params"), str(error)) from None
    return checked


def _check_targets(
    experiments: Iterable[str], illustrations: Iterable[str], datasets: Iterable[str], checker: Checker
) -> None:
    """Refuse a name that would be two targets at once."""
    for name in illustrations:
        if name in FIXED_TARGETS or name in datasets or name in experiments:
            sentence = f"the name {name!r} is another target; call the illustration otherwise"
            raise checker.error(("illustrations", name), sentence)
    for name in experiments:
        if name in FIXED_TARGETS or name in datasets:
            other = "a target of its own" if name in FIXED_TARGETS else "a data set"
            raise checker.error(("experiments", name), f"the name {name!r} is {other}; call the experiment otherwise")
    for name in datasets:
        if name in FIXED_TARGETS:
            raise checker.error(
                ("data", "datasets", name),
                f"the name {name!r} is a target of its own; call the data set otherwise",
            )


def _check_publication(experiments: Iterable[Experiment], checker: Checker) -> None:
    """Refuse an experiment that publishes into another's file, or under the name of a printed table not its own."""
    publishers: dict[str, str] = {}
    for experiment in experiments:
        at = ("experiments", experiment.name, "publish")
        name = experiment.publish
        for file in (name, experiment.reported_datasets) if name else ():
            if file and publishers.setdefault(file, experiment.name) != experiment.name:
                raise checker.error(at, f"{publishers[file]} publishes {file} already")
        if name and name != experiment.reported and Path(f"config/reported/{name}.csv").exists():
            raise checker.error(at, f"{name} is a printed table, which this experiment does not name in 'reported'")
