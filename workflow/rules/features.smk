"""Each data set as one table: features, labels, the designated split."""


def dataset_entry(wildcards):
    return CONFIG.datasets[wildcards.dataset]


rule make_features:
    input:
        raw=lambda wildcards: raw_files(wildcards.dataset),
        code=code("algos.datasets.reading", "algos.datasets.storage"),
    output:
        "results/features/{dataset}.parquet",
    log:
        "logs/features/{dataset}.log",
    benchmark:
        "results/benchmarks/features/{dataset}.tsv"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        entry=dataset_entry,
    message:
        "Read {wildcards.dataset}"
    script:
        "../scripts/make_features.py"
