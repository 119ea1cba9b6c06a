"""Write the tables of one experiment."""

from pathlib import Path

from algos.experiments.jobs import job_log

with job_log(snakemake.log[0]):
    from algos.experiments.tables import ShownMethod, write_tables

    settings = snakemake.params.settings
    write_tables(
        snakemake.input.records,
        snakemake.input.get("reported") or None,
        settings["dataset_aliases"],
        {name: ShownMethod(**shown) for name, shown in settings["methods"].items()},
        Path(snakemake.output[0]).parent,
        settings["title"],
        settings["notes"],
        settings["noise"],
        settings["pairs"],
        settings["protocols"],
        dict(zip(settings["datasets"], snakemake.input.datasets, strict=True)),
        snakemake.input.get("printed_datasets") or None,
    )
