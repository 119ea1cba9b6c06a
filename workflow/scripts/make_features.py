"""Read one data set into its table."""

from algos.experiments.jobs import job_log

with job_log(snakemake.log[0]):
    from algos.datasets.reading import read_dataset
    from algos.datasets.storage import write_table

    table = read_dataset(snakemake.wildcards.dataset, snakemake.params.entry, snakemake.params.directory)
    for note in table.notes:
        print(note)
    write_table(table, snakemake.output[0])
