"""One page that shows everything."""


def data_sources():
    """What the report says of the origin of each file."""
    rows = []
    for name, entry in CONFIG.datasets.items():
        about = {
            "dataset": name,
            "licence": entry.get("licence"),
            "note": entry.get("note"),
        }
        if not entry["files"]:
            rows.append({**about, "source": "scikit-learn, which has it with it"})
        for file in entry["files"]:
            for source in file.get(
                "sources",
                [{"file": file.get("path"), "urls": [], "sha256": file.get("sha256")}],
            ):
                origin = source["urls"][0] if source["urls"] else None
                rows.append(
                    {
                        **about,
                        "file": source["file"],
                        "source": origin,
                        "sha256": source["sha256"],
                    }
                )
    return rows


def report_settings():
    """What the report says of each experiment beside its tables and figures."""
    return [
        {
            "name": experiment.name,
            "title": experiment.title,
            "paper": experiment.paper,
            "protocol": experiment.protocol,
            "compared_protocols": table_settings(experiment)["protocols"],
            "settings": config["experiments"][experiment.name],
            "tables_dir": os.path.dirname(table_files(experiment.name)[0]),
            "figures_dir": os.path.dirname(figure_files(experiment.name)[0]),
        }
        for experiment in CONFIG.experiments.values()
    ]


def command_line(target=""):
    """What makes these results again, on as many cores as there are."""
    files = [os.path.relpath(file) for file in workflow.configfiles]
    named = (
        ""
        if files in ([], ["config/config.yaml"])
        else f" --configfile {' '.join(files)}"
    )
    return f"snakemake {target and target + ' '}--cores all{named}"


def illustration_settings():
    """What the report shows of each illustration."""
    return [
        {"kind": settings["kind"], "png": f"results/illustrations/{name}.png"}
        for name, settings in CONFIG.illustrations.items()
    ]


rule write_report:
    input:
        tables=[table_files(name) for name in CONFIG.experiments],
        figures=[figure_files(name) for name in CONFIG.experiments],
        illustrations=[illustration_files(name) for name in CONFIG.illustrations],
        template=sorted(Path(SOURCES).glob("algos/experiments/templates/*")),
        code=code("algos.experiments.report"),
    output:
        "results/report.html",
    log:
        "logs/report.log",
    benchmark:
        "results/benchmarks/report.tsv"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        experiments=report_settings(),
        illustrations=illustration_settings(),
        data_sources=data_sources(),
        command=command_line(),
    message:
        "Write the report"
    script:
        "../scripts/write_report.py"
