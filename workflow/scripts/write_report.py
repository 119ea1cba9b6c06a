"""Write the report page."""

from algos.experiments.jobs import job_log

with job_log(snakemake.log[0]):
    from algos.experiments.report import write_report

    params = snakemake.params
    write_report(params.experiments, params.data_sources, params.command, snakemake.output[0], params.illustrations)
