"""Tables of each experiment, with the printed numbers beside ours."""

from algos.experiments.methods import METHODS
from algos.experiments.tables import TABLE_NAMES


def table_files(experiment):
    return [f"results/tables/{experiment}/{name}" for name in TABLE_NAMES]


def reported_file(wildcards):
    """The paper's table as a file, where the experiment has one."""
    name = CONFIG.experiments[wildcards.experiment].reported
    return f"config/reported/{name}.csv" if name else []


def table_settings(wildcards):
    """What tables say beside numbers: titles, labels, and where a data set's choice needs a note."""
    experiment = CONFIG.experiments[wildcards.experiment]
    return {
        "title": experiment.title,
        "dataset_aliases": experiment.dataset_aliases,
        "labels": {
            name: (METHODS[name].label, METHODS[name].printed_labels)
            for name in experiment.methods
        },
        "notes": {
            name: CONFIG.datasets[name]["note"]
            for name in experiment.datasets
            if "note" in CONFIG.datasets[name]
        },
    }


rule write_tables:
    input:
        records=lambda wildcards: records(CONFIG.experiments[wildcards.experiment]),
        reported=reported_file,
        code=code("algos.experiments.tables"),
    output:
        table_files("{experiment}"),
    log:
        "logs/tables/{experiment}.log",
    benchmark:
        "results/benchmarks/tables/{experiment}.tsv"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        settings=table_settings,
    message:
        "Write the tables of {wildcards.experiment}"
    script:
        "../scripts/write_tables.py"
