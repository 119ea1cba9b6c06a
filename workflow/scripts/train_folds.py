"""Compute some folds of a method on a data set."""

from pathlib import Path

from algos.experiments.jobs import job_log, train_folds

with job_log(snakemake.log[0]):
    train_folds(
        snakemake.input.features,
        snakemake.input.splits,
        snakemake.input.code,
        snakemake.params.settings,
        snakemake.output.records,
        snakemake.output.predictions,
        unfinished=Path("results/.unfinished", *Path(snakemake.output.records[0]).parent.parts[-3:]),
        fold_features=snakemake.input.get("fold_features") or [],
        chosen=snakemake.input.get("chosen") or [],
    )
