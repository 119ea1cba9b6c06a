"""Training and test rows of every fold, shared by all methods."""


def split_settings(wildcards):
    experiment = CONFIG.experiments[wildcards.experiment]
    return {
        "protocol": experiment.protocol,
        "seed": experiment.seed,
        "folds": experiment.fold_names(),
        "label_noise": experiment.cases[wildcards.case].label_noise,
    }


def split_features(wildcards):
    case = CONFIG.experiments[wildcards.experiment].cases[wildcards.case]
    return f"results/features/{case.dataset}.parquet"


rule make_splits:
    input:
        features=split_features,
        code=code("algos.evaluation.splits"),
    output:
        "results/splits/{experiment}/{case}.parquet",
    log:
        "logs/splits/{experiment}/{case}.log",
    benchmark:
        "results/benchmarks/splits/{experiment}/{case}.tsv"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        settings=split_settings,
    message:
        "Split {wildcards.case} for {wildcards.experiment}"
    script:
        "../scripts/make_splits.py"
