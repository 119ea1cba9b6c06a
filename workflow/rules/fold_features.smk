"""Features that are fitted on each fold's training part, shared by all methods of an experiment."""

from algos.experiments.config import holds_images


def fold_features(experiment, case, folds):
    """The features of some folds, where an experiment asks for such; levels of label noise share them."""
    if not experiment.features:
        return []
    dataset = experiment.cases[case].dataset
    return [
        f"results/features/{experiment.name}/{dataset}/{fold}.npy" for fold in folds
    ]


def first_case(wildcards):
    """All cases of a data set part its rows alike."""
    cases = CONFIG.experiments[wildcards.experiment].cases
    name = next(
        name for name, case in cases.items() if case.dataset == wildcards.dataset
    )
    return f"results/splits/{wildcards.experiment}/{name}.parquet"


def unreduced(wildcards):
    if holds_images(CONFIG.datasets[wildcards.dataset]):
        return f"results/descriptors/{wildcards.experiment}/{wildcards.dataset}.arrow"
    return f"results/features/{wildcards.dataset}.parquet"


rule describe_images:
    input:
        raw=lambda wildcards: raw_files(wildcards.dataset),
        code=lambda wildcards: code("algos.experiments.fold_features")
        + reading_code(wildcards),
    output:
        "results/descriptors/{experiment}/{dataset}.arrow",
    log:
        "logs/descriptors/{experiment}/{dataset}.log",
    benchmark:
        "results/benchmarks/descriptors/{experiment}/{dataset}.tsv"
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(120),
    params:
        entry=lambda wildcards: CONFIG.datasets[wildcards.dataset],
        directory=CONFIG.data["directory"],
        folder=folder_state,
        pyramid=lambda wildcards: CONFIG.experiments[wildcards.experiment].features[
            "spatial_pyramid"
        ],
    message:
        "Describe the images of {wildcards.dataset}"
    script:
        "../scripts/describe_images.py"


rule make_fold_features:
    input:
        source=unreduced,
        splits=first_case,
        code=code("algos.experiments.fold_features"),
    output:
        "results/features/{experiment}/{dataset}/{fold}.npy",
    log:
        "logs/features/{experiment}/{dataset}/{fold}.log",
    benchmark:
        "results/benchmarks/features/{experiment}/{dataset}/{fold}.tsv"
    threads: 1
    resources:
        mem_mb=growing(8000),
        runtime=growing(120),
    params:
        settings=lambda wildcards: CONFIG.experiments[wildcards.experiment].features,
        seed=lambda wildcards: CONFIG.experiments[wildcards.experiment].seed,
    message:
        "Make the features of {wildcards.dataset} for fold {wildcards.fold}"
    script:
        "../scripts/make_fold_features.py"
