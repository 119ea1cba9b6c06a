"""Draw the figures of one experiment."""

from pathlib import Path

from algos.experiments.jobs import job_log

with job_log(snakemake.log[0]):
    from algos.experiments.figures import write_figures

    write_figures(
        snakemake.input.records,
        Path(snakemake.input.tables[0]).parent,
        snakemake.input.get("reported") or None,
        snakemake.params.style,
        Path(snakemake.output[0]).parent,
        snakemake.wildcards.experiment,
    )
