"""Folds: select, fit, predict. One process computes several; each is a file set of its own."""

from algos.experiments.sources import method_sources
from algos.features.registry import feature_modules


def jobs(experiment, case, method):
    """The folds of each job. A job of one fold needs no rule of its own: its fold is a wildcard.

    A rule for each of thousands of jobs would cost more time at each start than all else.
    """
    if experiment.folds_per_job(case, method) == 1:
        return [["{fold}"]]
    return experiment.chunks(case, method)


def titles(folds):
    """What a job's message calls its folds."""
    first, last = folds[0].replace("{", "{wildcards."), folds[-1]
    return f"fold {first}" if len(folds) == 1 else f"folds {first} to {last}"


def modules(settings):
    """What a method imports by name: its estimator and the features it asks for."""
    return (*settings.method.modules, *feature_modules(settings.preprocess))


# Looked up once for each module, not for each of thousands of jobs.
METHOD_CODE = {
    needed: code_list(method_sources(needed, SOURCES))
    for needed in {
        modules(settings)
        for experiment in CONFIG.experiments.values()
        for settings in experiment.methods.values()
    }
}

TRAINING = [
    (experiment, case, method, folds)
    for experiment in CONFIG.experiments.values()
    for case in experiment.cases
    for method in experiment.methods
    for folds in jobs(experiment, case, method)
]


def chosen(experiment, case, method, folds):
    """The records whose choice of hyper-parameters is this method's too: it is not made twice."""
    chooser = experiment.chooser(method)
    return runs(experiment.name, case, chooser, folds, "json") if chooser else []


for experiment, case, method, folds in TRAINING:
    place = f"{experiment.name}/{case}/{method}"
    settings = experiment.methods[method]

    rule:
        name:
            f"train_{place}/{folds[0]}".translate(str.maketrans("/", "_", "{}"))
        input:
            features=f"results/features/{experiment.cases[case].dataset}.parquet",
            splits=f"results/splits/{experiment.name}/{case}.parquet",
            fold_features=fold_features(experiment, case, folds),
            chosen=chosen(experiment, case, method, folds),
            code=METHOD_CODE[modules(settings)],
        output:
            records=runs(experiment.name, case, method, folds, "json"),
            predictions=runs(experiment.name, case, method, folds, "parquet"),
        log:
            f"logs/train/{place}/{folds[0]}.log",
        benchmark:
            f"results/benchmarks/train/{place}/{folds[0]}.tsv"
        threads: 1
        resources:
            mem_mb=growing(settings.resources["mem_mb"]),
            runtime=growing(settings.resources["runtime_minutes"]),
        params:
            settings=experiment.training(case, method),
        message:
            f"Train {method} on {case}: {titles(folds)}"
        script:
            "../scripts/train_folds.py"
