"""Describe the images of one data set."""

from algos.experiments.jobs import job_log

with job_log(snakemake.log[0]):
    from algos.experiments.fold_features import describe_images

    params = snakemake.params
    describe_images(snakemake.wildcards.dataset, params.entry, params.directory, params.pyramid, snakemake.output[0])
