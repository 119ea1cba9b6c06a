"""What an experiment's data sets hold, beside what a paper prints of them (such as You et al. 2017, table 1)."""

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from algos.exceptions import InputError
from algos.experiments.markup import Cell, Layout
from algos.experiments.rounding import fixed

if TYPE_CHECKING:
    from algos.datasets.table import Table

#: Ours -> its name for readers and what printed tables call it.
_COUNTS = {
    "n_samples": ("samples", "n"),
    "n_features": ("features", "d"),
    "n_classes": ("classes or labels", "L"),
    "cardinality": ("labels a sample", "label_cardinality"),
    "density": ("label density", "label_density"),
}
_WHOLE = ("n_samples", "n_features", "n_classes")

#: Names and types of the columns of the table of data sets. Printed numbers are texts, with the digits they have.
DATASETS: dict[str, type] = {
    "dataset": str,
    **{name: int if name in _WHOLE else float for name in _COUNTS},
    "n_designated_train": int,
    "n_designated_test": int,
    **{f"printed_{name}": str for name in _COUNTS},
}


def dataset_rows(
    tables: Mapping[str, str | os.PathLike],
    printed_csv: str | os.PathLike | None = None,
    dataset_aliases: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Return a row a data set, columns `DATASETS`.

    ``cardinality`` is the mean number of labels of a sample and ``density`` that number over the number of labels;
    both are None where a sample has one class. Rows that only add to the training data are not counted.

    Parameters
    ----------
    tables : dict
        Data set -> its canonical table (`algos.datasets.storage`).
    printed_csv : path-like, optional
        What the paper prints of its data sets: a row a ``dataset``.
    dataset_aliases : dict, optional
        Our data set -> the print's name of the same data.

    Raises
    ------
    InputError
        When a table or the printed numbers cannot be read.
    """
    from algos.datasets.storage import read_table

    printed = {} if printed_csv is None else _read_printed(Path(printed_csv))
    rows = []
    for name, path in tables.items():
        counted = _counted(read_table(path, features=False))
        line = printed.get((dataset_aliases or {}).get(name, name), {})
        theirs = {f"printed_{count}": line.get(count) or line.get(called) for count, (_, called) in _COUNTS.items()}
        rows.append({"dataset": name, **counted, **theirs})
    return rows


def published_dataset_rows(
    rows: Sequence[Mapping[str, Any]], printed_csv: str | os.PathLike, dataset_aliases: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the printed rows as they are, each with ``reproduced_<count>`` of ours and a note.

    Parameters
    ----------
    rows : sequence of dict
        As :func:`dataset_rows` gives them, or as they are read back.
    printed_csv, dataset_aliases
        As there.

    Raises
    ------
    InputError
        When the printed numbers cannot be read.
    """
    ours = {dataset_aliases.get(row["dataset"], row["dataset"]): row for row in rows}
    published = []
    for dataset, printed in _read_printed(Path(printed_csv)).items():
        row = ours.get(dataset, {})
        counts = {f"reproduced_{count}": row.get(count) for count in _COUNTS}
        published.append({**printed, **counts, "note": "" if row else "not run"})
    return published


def _read_printed(path: Path) -> dict[str, dict[str, str]]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return {row["dataset"]: row for row in csv.DictReader(file, strict=True)}
    except (OSError, UnicodeDecodeError, csv.Error, KeyError) as error:
        raise InputError(f"{path}: what is printed of data sets cannot be read ({error!r})") from error


def _counted(table: "Table") -> dict[str, Any]:
    from algos.datasets.table import SAMPLE

    ours = slice(None) if table.roles is None else table.roles == SAMPLE
    parts = None if table.split is None else table.split[ours].tolist()
    cardinality = None if table.Y is None else float(table.Y[ours].sum(axis=1).mean())
    return {
        "n_samples": len((table.Y if table.y is None else table.y)[ours]),
        "n_features": len(table.feature_names) or None,
        "n_classes": len(table.label_names),
        "cardinality": cardinality,
        "density": None if cardinality is None else cardinality / len(table.label_names),
        "n_designated_train": parts.count("train") if parts else None,
        "n_designated_test": parts.count("test") if parts else None,
    }


def datasets_layout(rows: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out what the data sets hold, the print's number in brackets where it is another."""
    if not rows:
        return Layout(title, [], [], notes=["No data set is described."])
    parted = any(row["n_designated_train"] is not None for row in rows)
    shown = [name for name in _COUNTS if any(row[name] is not None for row in rows)]
    body = []
    for row in rows:
        line = [Cell(row["dataset"]), *(_cell(row[name], row[f"printed_{name}"]) for name in shown)]
        both = (row["n_designated_train"], row["n_designated_test"])
        body.append([*line, *([Cell("–" if None in both else "{} / {}".format(*both))] if parted else [])])
    heads = ["data set", *(_COUNTS[name][0] for name in shown), *(["designated: training / test"] if parted else [])]
    printed = [row["dataset"] for row in rows if any(row[f"printed_{name}"] for name in shown)]
    notes = [f"The print has {', '.join(printed)}; where its number is another, it is in brackets."] if printed else []
    if "n_features" in shown and any(row["n_features"] is None for row in rows):
        notes.append("No features: images, whose features are made fold by fold.")
    return Layout(title, heads, body, notes=notes)


def _cell(ours: float | None, printed: str | None) -> Cell:
    if ours is None:
        return Cell("–")
    text = fixed(ours, 0 if isinstance(ours, int) else len(printed.partition(".")[2]) if printed else 3)
    return Cell(text if not printed or float(text) == float(printed) else f"{text} (print: {printed})")
