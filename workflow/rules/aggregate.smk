"""Tables of each experiment, with the printed numbers beside ours."""

from algos.experiments.protocols import compared_protocols
from algos.experiments.tables import TABLE_NAMES


def table_files(experiment):
    return [f"results/tables/{experiment}/{name}" for name in TABLE_NAMES]


def printed_file(name):
    """A paper's table as a file, where the experiment names one."""
    return f"config/reported/{name}.csv" if name else []


def reported_file(wildcards):
    return printed_file(CONFIG.experiments[wildcards.experiment].reported)


def dataset_tables(wildcards):
    names = CONFIG.experiments[wildcards.experiment].datasets
    return [f"results/features/{name}.parquet" for name in names]


def by_case(experiment, of_dataset):
    """What is said of data sets, said of each with each level of label noise."""
    return {
        name: of_dataset[case.dataset]
        for name, case in experiment.cases.items()
        if case.dataset in of_dataset
    }


def table_settings(experiment):
    """What tables say beside numbers: titles, labels, and where a data set's choice needs a note."""
    entries = {name: CONFIG.datasets[name] for name in experiment.datasets}
    notes = {name: entry["note"] for name, entry in entries.items() if "note" in entry}
    aliases = by_case(experiment, experiment.dataset_aliases)
    return {
        "title": experiment.title,
        "datasets": list(experiment.datasets),
        "dataset_aliases": {
            name: name.replace(experiment.cases[name].dataset, alias, 1)
            for name, alias in aliases.items()
        },
        "methods": {
            name: {
                "label": settings.method.label,
                "printed_labels": settings.method.printed_labels,
                "rival": settings.method.rival,
                "swept": settings.swept,
                "control": settings.method.selects_as is not None,
                "beside": settings.beside,
            }
            for name, settings in experiment.methods.items()
        },
        "notes": by_case(experiment, notes)
        | {
            f"{name}/{method}": sentence
            for name, sentences in by_case(experiment, experiment.remarks).items()
            for method, sentence in sentences.items()
        },
        "pairs": experiment.compare,
        "protocols": compared_protocols(
            experiment.protocol, experiment.printed_protocol
        ),
        "noise": {
            name: [case.dataset, case.label_noise]
            for name, case in experiment.cases.items()
            if case.label_noise is not None
        },
    }


def wildcard_settings(wildcards):
    return table_settings(CONFIG.experiments[wildcards.experiment])


rule write_tables:
    input:
        records=lambda wildcards: records(CONFIG.experiments[wildcards.experiment]),
        datasets=dataset_tables,
        reported=reported_file,
        printed_datasets=lambda wildcards: printed_file(
            CONFIG.experiments[wildcards.experiment].reported_datasets
        ),
        code=code("algos.experiments.tables"),
    output:
        table_files("{experiment}"),
    log:
        "logs/tables/{experiment}.log",
    benchmark:
        "results/benchmarks/tables/{experiment}.tsv"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        settings=wildcard_settings,
    message:
        "Write the tables of {wildcards.experiment}"
    script:
        "../scripts/write_tables.py"
