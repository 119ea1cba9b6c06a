"""Part the rows of one data set into training and test rows, fold by fold."""

from algos.experiments.jobs import job_log

with job_log(snakemake.log[0]):
    from algos.experiments.jobs import make_splits

    make_splits(snakemake.input.features, snakemake.output[0], **snakemake.params.settings)
