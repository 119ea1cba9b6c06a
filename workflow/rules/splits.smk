"""Training and test rows of every fold, shared by all methods."""


def split_settings(wildcards):
    experiment = CONFIG.experiments[wildcards.experiment]
    return {
        "protocol": experiment.protocol,
        "seed": experiment.seed,
        "folds": experiment.fold_names(),
    }


rule make_splits:
    input:
        features="results/features/{dataset}.parquet",
        code=code("algos.evaluation.splits"),
    output:
        "results/splits/{experiment}/{dataset}.parquet",
    log:
        "logs/splits/{experiment}/{dataset}.log",
    benchmark:
        "results/benchmarks/splits/{experiment}/{dataset}.tsv"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        settings=split_settings,
    message:
        "Split {wildcards.dataset} for {wildcards.experiment}"
    script:
        "../scripts/make_splits.py"
