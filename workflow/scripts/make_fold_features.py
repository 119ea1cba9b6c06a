"""Make the features of a data set that are fitted on one fold's training part."""

from algos.experiments.jobs import job_log

with job_log(snakemake.log[0]):
    from algos.experiments.fold_features import make_fold_features

    make_fold_features(
        snakemake.input.source,
        snakemake.input.splits,
        snakemake.wildcards.fold,
        snakemake.params.settings,
        snakemake.params.seed,
        snakemake.output[0],
    )
