"""Figures of the papers that are no result of an experiment."""

from algos.illustrations.registry import ILLUSTRATIONS


def illustration_files(name):
    return [
        f"results/illustrations/{name}.{suffix}" for suffix in ("csv", "png", "pdf")
    ]


def shown_datasets(wildcards):
    return CONFIG.illustrations[wildcards.illustration].get("datasets", [])


rule make_illustration:
    input:
        raw=lambda wildcards: [
            file for name in shown_datasets(wildcards) for file in raw_files(name)
        ],
        tables=lambda wildcards: [
            f"results/features/{name}.parquet" for name in shown_datasets(wildcards)
        ],
        code=lambda wildcards: code(
            "algos.illustrations.registry",
            ILLUSTRATIONS[CONFIG.illustrations[wildcards.illustration]["kind"]],
        ),
    output:
        illustration_files("{illustration}"),
    log:
        "logs/illustrations/{illustration}.log",
    benchmark:
        "results/benchmarks/illustrations/{illustration}.tsv"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(60),
    params:
        settings=lambda wildcards: CONFIG.illustrations[wildcards.illustration],
        style=CONFIG.figures,
        datasets=lambda wildcards: {
            name: [
                CONFIG.datasets[name],
                [str(file) for file in raw_files(name)],
                f"results/features/{name}.parquet",
            ]
            for name in shown_datasets(wildcards)
        },
    message:
        "Draw {wildcards.illustration}"
    script:
        "../scripts/make_illustration.py"
