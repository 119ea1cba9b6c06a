"""What all rules share: the checked config, and which files belong to what."""

import os
import sys
from pathlib import Path


from snakemake.settings.enums import Quietness

from algos.exceptions import InputError
from algos.experiments.config import check_config
from algos.experiments.jobs import forget_published
from algos.experiments.sources import import_closure, write_code_list

# Jobs run side by side, one a core; libraries that start threads of their own would only get in their way.
for variable in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ[f"{variable}_NUM_THREADS"] = "1"

# Snakemake shows no failed job's log when it is quiet about rules: then the job itself says its sentence.
if workflow.is_main_process and {Quietness.RULES, Quietness.ALL} & set(
    workflow.output_settings.quiet or ()
):
    os.environ.update(ALGOS_TELL_ERRORS="1")  # set here, not asked of the user

SOURCES = os.path.relpath(Path(workflow.basedir) / "src")
SCHEMA = Path(workflow.basedir) / "workflow/schemas/config.schema.yaml"


wildcard_constraints:
    experiment=r"[A-Za-z][A-Za-z0-9_-]*",
    dataset=r"[A-Za-z][A-Za-z0-9_-]*",
    case=r"[A-Za-z][A-Za-z0-9_-]*",
    fold=r"[a-z0-9]+",
    illustration=r"[A-Za-z][A-Za-z0-9_-]*",


def checked_config():
    """The config, or one sentence that says what is wrong with it."""
    try:
        return check_config(
            config, workflow.configfiles, SCHEMA, SOURCES, "results/.checked"
        )
    except InputError as error:
        sys.exit(f"Error: {error}")


CONFIG = checked_config()


def growing(amount):
    """An amount of memory or time that is that much more at each attempt of a job."""
    return lambda wildcards, attempt: amount * attempt


def code_list(files):
    """An input that changes where one of these source files does."""
    try:
        return [str(write_code_list(files, "results/.code"))]
    except InputError as error:
        sys.exit(f"Error: {error}")


def code(*modules):
    """The source files of some modules and of all that they import: a rule's results depend on them."""
    return code_list(
        import_closure(modules, SOURCES, without={"algos.experiments.methods"})
    )


def runs(experiment, case, method, folds, suffix):
    """The files of some folds."""
    return [
        f"results/runs/{experiment}/{case}/{method}/{fold}.{suffix}" for fold in folds
    ]


def records(experiment, datasets=None):
    """The run records of an experiment, on all its data sets or on some."""
    return [
        record
        for name, case in experiment.cases.items()
        if datasets is None or case.dataset in datasets
        for method in experiment.methods
        for record in runs(
            experiment.name, name, method, experiment.fold_names(), "json"
        )
    ]
