from snakemake.utils import min_version

min_version("9.14")


# A config named on the command line stands alone; without one this is the default run.
if not workflow.configfiles:

    configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/features.smk"
include: "workflow/rules/splits.smk"
include: "workflow/rules/fold_features.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/illustrations.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/publish.smk"
include: "workflow/rules/targets.smk"


rule all:
    default_target: True
    input:
        [table_files(name) + figure_files(name) for name in CONFIG.experiments],
        [illustration_files(name) for name in CONFIG.illustrations],
        "results/report.html",


# Folds stay where they waited until Snakemake knows that their jobs have ended.
onsuccess:
    forget_published("results/.unfinished", "results/runs")
