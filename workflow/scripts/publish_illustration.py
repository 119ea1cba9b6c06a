"""Publish one illustration."""

import datetime
from pathlib import Path

from algos.experiments.jobs import job_log, source_commit

with job_log(snakemake.log[0]):
    from algos.experiments.published import publish_illustration

    publish_illustration(
        Path(snakemake.input.files[0]).with_suffix(""),
        Path(snakemake.output[0]).with_suffix(""),
        snakemake.params.settings,
        commit=source_commit(),
        command=snakemake.params.command,
        date=datetime.date.today().isoformat(),
    )
