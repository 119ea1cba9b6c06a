"""One module a file format; each function gives a :class:`algos.datasets.Table`."""
