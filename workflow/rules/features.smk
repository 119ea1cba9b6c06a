"""Each data set as one table: features, labels, the designated split."""

from algos.files import listing


def reading_code(wildcards):
    """The reader of a data set is looked up by name, so that its module must be named too."""
    reader, _ = reader_of(CONFIG.datasets[wildcards.dataset])
    return code("algos.datasets.reading", "algos.datasets.storage", reader.__module__)


def folder_state(wildcards):
    """What a user's own folder holds: Snakemake sees of a folder only when it was touched itself."""
    folders = [path for path in raw_files(wildcards.dataset) if os.path.isdir(path)]
    return listing(folders) if folders else None


rule make_features:
    input:
        raw=lambda wildcards: raw_files(wildcards.dataset),
        code=reading_code,
    output:
        "results/features/{dataset}.parquet",
    log:
        "logs/features/{dataset}.log",
    benchmark:
        "results/benchmarks/features/{dataset}.tsv"
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        entry=lambda wildcards: CONFIG.datasets[wildcards.dataset],
        directory=CONFIG.data["directory"],
        folder=folder_state,
    message:
        "Read {wildcards.dataset}"
    script:
        "../scripts/make_features.py"
