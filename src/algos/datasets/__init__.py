"""Data sets: readers of file formats, the registry, the fetch, and the canonical table."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "Table": "table",
        "fetch": "fetching",
        "has_split": "registry",
        "load_arff": "readers.arff",
        "load_builtin": "readers.builtin",
        "load_csv": "readers.delimited",
        "load_idx": "readers.idx",
        "load_libsvm": "readers.libsvm",
        "load_parquet": "readers.parquet",
        "load_registry": "registry",
        "load_uci": "readers.delimited",
        "load_xls": "readers.xls",
        "make_label_prototypes": "generators",
        "raw_paths": "registry",
        "read_dataset": "reading",
        "read_qrels": "generators",
        "read_table": "storage",
        "write_table": "storage",
    },
)
