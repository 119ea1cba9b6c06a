"""Compute and draw one illustration."""

from pathlib import Path

from algos.experiments.jobs import job_log

with job_log(snakemake.log[0]):
    from algos.illustrations.registry import make_illustration

    settings = snakemake.params.settings
    make_illustration(
        settings["kind"],
        settings["params"],
        settings["seed"],
        snakemake.params.style,
        Path(snakemake.output[0]).with_suffix(""),
        snakemake.params.datasets,
    )
