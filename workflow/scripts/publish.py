"""Publish the results of one experiment."""

import datetime
from pathlib import Path

from algos.experiments.jobs import job_log, source_commit

with job_log(snakemake.log[0]):
    from algos.experiments.published import publish
    from algos.experiments.tables import ShownMethod

    publish(
        snakemake.input.records,
        snakemake.input.get("reported") or None,
        snakemake.params.tables["dataset_aliases"],
        {name: ShownMethod(**shown) for name, shown in snakemake.params.tables["methods"].items()},
        Path(snakemake.output[0]).with_suffix(""),
        commit=source_commit(),
        command=snakemake.params.command,
        date=datetime.date.today().isoformat(),
        settings=snakemake.params.settings,
        figures_dir=Path(snakemake.input.figures[0]).parent,
        tables_dir=Path(snakemake.input.tables[0]).parent,
        notes=snakemake.params.tables["notes"],
        protocols=snakemake.params.tables["protocols"],
        printed_datasets_csv=snakemake.input.get("printed_datasets") or None,
    )
