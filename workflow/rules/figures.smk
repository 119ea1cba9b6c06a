"""Figures of each experiment."""

from algos.experiments.figures import FIGURE_NAMES


def figure_files(experiment):
    return [f"results/figures/{experiment}/{name}" for name in FIGURE_NAMES]


rule draw_figures:
    input:
        records=lambda wildcards: records(CONFIG.experiments[wildcards.experiment]),
        tables=table_files("{experiment}"),
        reported=reported_file,
        code=code("algos.experiments.figures"),
    output:
        figure_files("{experiment}"),
    log:
        "logs/figures/{experiment}.log",
    benchmark:
        "results/benchmarks/figures/{experiment}.tsv"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        style=CONFIG.figures,
        methods=lambda wildcards: wildcard_settings(wildcards)["methods"],
    message:
        "Draw the figures of {wildcards.experiment}"
    script:
        "../scripts/draw_figures.py"
