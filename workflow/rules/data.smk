"""Raw files of the data sets, from mirrors or official addresses, checked by their hashes."""

from algos.datasets.registry import raw_paths


def raw_files(dataset):
    """The files of a data set; none for those that an installed package ships."""
    return raw_paths(dataset, CONFIG.datasets[dataset], CONFIG.data["directory"])


for dataset in CONFIG.datasets:
    if raw_files(dataset):

        rule:
            name:
                f"fetch_{dataset}"
            output:
                raw_files(dataset),
            log:
                f"logs/data/{dataset}.log",
            benchmark:
                f"results/benchmarks/data/{dataset}.tsv"
            retries: 2
            threads: 1
            resources:
                mem_mb=500,
                runtime=60,
            params:
                dataset=dataset,
                files=CONFIG.datasets[dataset]["files"],
            message:
                f"Fetch the files of {dataset}"
            script:
                "../scripts/fetch_data.py"
