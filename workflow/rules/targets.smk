"""What can be asked for by name: everything, one kind of result, one experiment, one data set."""

EXPERIMENTS = CONFIG.experiments.values()


rule data:
    input:
        [f"results/features/{dataset}.parquet" for dataset in CONFIG.datasets],


rule tables:
    input:
        [table_files(name) for name in CONFIG.experiments],


rule figures:
    input:
        [figure_files(name) for name in CONFIG.experiments],
        [illustration_files(name) for name in CONFIG.illustrations],


rule report:
    input:
        "results/report.html",


rule publish:
    input:
        [published_files(experiment) for experiment in EXPERIMENTS],
        [
            f"docs/reproduction/{name}.{suffix}"
            for name in CONFIG.illustrations
            for suffix in ("png", "csv", "md")
        ],


for name in CONFIG.experiments:

    rule:
        name:
            name
        input:
            table_files(name),
            figure_files(name),


for name in CONFIG.illustrations:

    rule:
        name:
            name
        input:
            illustration_files(name),


for dataset in CONFIG.datasets:

    rule:
        name:
            dataset
        input:
            [
                records(experiment, [dataset])
                for experiment in EXPERIMENTS
                if dataset in experiment.datasets
            ],
