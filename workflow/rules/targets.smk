"""What can be asked for by name: everything, one kind of result, one experiment, one data set."""

from snakemake.cli import get_argument_parser

from algos.experiments.checker import valid_names
from algos.experiments.config import FIXED_TARGETS

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
        [published_illustration(name) for name in CONFIG.illustrations],


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


def check_named_targets():
    """Refuse a misspelt target with the nearest name; Snakemake itself would say only that no rule makes it."""
    if not workflow.is_main_process:
        return
    named = get_argument_parser().parse_known_args(sys.argv[1:])[0].targets
    known = [
        *FIXED_TARGETS,
        *CONFIG.experiments,
        *CONFIG.illustrations,
        *CONFIG.datasets,
    ]
    rules_too = {*known, *(rule.name for rule in workflow.rules)}
    for target in named or ():
        if (
            target not in rules_too
            and not os.path.exists(target)
            and not {"/", "."} & set(target)
        ):
            sys.exit(
                f"Error: there is no target {target!r}; {valid_names(target, known)}"
            )


check_named_targets()
