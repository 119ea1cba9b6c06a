"""Data sets: readers of file formats, the registry, the fetch, and the canonical table."""

from algos._lazy import exports

__all__, __getattr__ = exports(
    __name__,
    {
        "Table": "table",
        "VOCImages": "voc",
        "fetch": "fetching",
        "has_split": "registry",
        "load_arff": "readers.arff",
        "load_builtin": "readers.builtin",
        "load_csv": "readers.delimited",
        "load_feature_text": "readers.feature_text",
        "load_idx": "readers.idx",
        "load_image_folder": "readers.image_folder",
        "load_libsvm": "readers.libsvm",
        "load_mat": "readers.arrays",
        "load_npz": "readers.arrays",
        "load_parquet": "readers.parquet",
        "load_registry": "registry",
        "load_uci": "readers.delimited",
        "load_voc": "voc",
        "load_xls": "readers.xls",
        "load_xmlc": "readers.xmlc",
        "make_label_prototypes": "generators",
        "open_archive": "archives",
        "raw_paths": "registry",
        "read_dataset": "reading",
        "read_image": "images",
        "read_qrels": "generators",
        "read_table": "storage",
        "write_table": "storage",
    },
)
