"""Fetch the files of one data set."""

from pathlib import Path

from algos.experiments.jobs import job_log

with job_log(snakemake.log[0]):
    from algos.datasets.fetching import fetch

    fetch(
        snakemake.params.dataset,
        {"files": snakemake.params.files},
        Path(snakemake.output[0]).parent.parent,
        # Not a parameter of the rule: where a file is looked for first changes nothing about it.
        snakemake.config.get("data", {}).get("mirrors", []),
    )
