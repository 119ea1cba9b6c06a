"""Fetch the files of one data set."""

from algos.experiments.jobs import job_log

with job_log(snakemake.log[0]):
    from algos.datasets.fetch import fetch
    from algos.experiments.config import data_mirrors

    fetch(
        snakemake.params.dataset,
        snakemake.params.files,
        directory=snakemake.config.get("data", {}).get("directory"),
        mirrors=data_mirrors(snakemake.config.get("data", {})),
    )
