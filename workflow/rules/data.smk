"""Raw files of the data sets, from mirrors or official addresses, checked by their hashes."""

from algos.datasets.registry import folder_of, raw_paths, reader_of


def raw_files(dataset, fetched_only=False):
    """The files of a data set: none where an installed package ships it; a user's own lie where they are."""
    entry = CONFIG.datasets[dataset]
    paths = raw_paths(dataset, entry, CONFIG.data["directory"])
    return [
        path
        for path, file in zip(paths, entry["files"])
        if not (fetched_only and "path" in file)
    ]


# Data sets made of the same files share their folder, and a rule.
FOLDERS = {folder_of(name, entry): name for name, entry in CONFIG.datasets.items()}

for folder, dataset in FOLDERS.items():
    if raw_files(dataset, fetched_only=True):

        rule:
            name:
                f"fetch_{folder}"
            output:
                raw_files(dataset, fetched_only=True),
            log:
                f"logs/data/{folder}.log",
            benchmark:
                f"results/benchmarks/data/{folder}.tsv"
            retries: 2
            threads: 1
            resources:
                mem_mb=growing(500),
                runtime=growing(60),
            params:
                dataset=folder,
                files=CONFIG.datasets[dataset]["files"],
            message:
                f"Fetch the files of {folder}"
            script:
                "../scripts/fetch_data.py"
