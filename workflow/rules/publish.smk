"""Results to be committed: docs/reproduction, in the columns of the printed tables."""

from algos.illustrations.registry import photographs


def published_files(experiment):
    """What an experiment that asks for it publishes; the copies of its figures come beside these."""
    if not experiment.publish:
        return []
    files = [
        f"docs/reproduction/{experiment.publish}.{suffix}" for suffix in ("csv", "md")
    ]
    if experiment.reported_datasets:
        files.append(f"docs/reproduction/{experiment.reported_datasets}.csv")
    return files


def stands_beside_print(experiment):
    """Whether an experiment publishes in the columns of its printed table, on the table's data or on stand-ins."""
    name = experiment.reported
    return name and experiment.publish in (name, f"{name}_standin")


for experiment in CONFIG.experiments.values():
    if experiment.publish:

        rule:
            name:
                f"publish_{experiment.name}"
            input:
                records=records(experiment),
                figures=figure_files(experiment.name),
                tables=table_files(experiment.name),
                reported=printed_file(
                    experiment.reported if stands_beside_print(experiment) else None
                ),
                printed_datasets=printed_file(experiment.reported_datasets),
                code=code("algos.experiments.published"),
            output:
                published_files(experiment),
            log:
                f"logs/publish/{experiment.name}.log",
            benchmark:
                f"results/benchmarks/publish/{experiment.name}.tsv"
            threads: 1
            resources:
                mem_mb=growing(2000),
                runtime=growing(30),
            params:
                settings=config["experiments"][experiment.name],
                tables=table_settings(experiment),
                command=command_line("publish"),
            message:
                f"Publish {experiment.publish} in docs/reproduction"
            script:
                "../scripts/publish.py"


def published_illustration(name):
    """What an illustration publishes: no picture where it shows photographs, which are not ours to hand on."""
    shown = photographs(CONFIG.illustrations[name]["kind"]) is None
    suffixes = ("csv", "md", "png") if shown else ("csv", "md")
    return [f"docs/reproduction/{name}.{suffix}" for suffix in suffixes]


for name in CONFIG.illustrations:

    rule:
        name:
            f"publish_{name}"
        input:
            files=illustration_files(name),
            code=code("algos.experiments.published"),
        output:
            published_illustration(name),
        log:
            f"logs/publish/{name}.log",
        benchmark:
            f"results/benchmarks/publish/{name}.tsv"
        threads: 1
        resources:
            mem_mb=growing(500),
            runtime=growing(10),
        params:
            settings=CONFIG.illustrations[name],
            command=command_line("publish"),
        message:
            f"Publish {name} in docs/reproduction"
        script:
            "../scripts/publish_illustration.py"
