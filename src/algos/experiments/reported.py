"""The numbers the papers print (``config/reported``) and our numbers beside them."""

import csv
import math
import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algos.evaluation.metrics import METRICS
from algos.exceptions import InputError
from algos.experiments.layouts import group_rows
from algos.experiments.rounding import fixed, full_decimals, is_outside

# Column of the printed value -> measure (None: a column "metric" names it) and factor that makes it what we show.
_VALUE_COLUMNS: dict[str, tuple[str | None, float]] = {
    "test_error_percent": ("test_error", 1.0),
    "error_rate": ("test_error", 100.0),
    # The paper tells no number of negatives; at four a positive our numbers are on the level of its own.
    "average_precision_percent": ("voc_average_precision_1to4", 1.0),
    "mean": (None, 1.0),
}
#: Columns that name a printed data set, and those that together name a printed method.
DATASET_COLUMNS = ("dataset", "voc_class")
_METHOD_COLUMNS = ("method", "outliers", "augmentation")
#: The printed data set that is the mean of all others.
MEAN = "mean"
_SPREAD_COLUMNS = ("std_percent", "binomial_std_percent", "std")

#: Names and types of the columns of the comparison.
COMPARISON = {
    "dataset": str,
    "method": str,
    "label": str,
    "metric": str,
    "printed_dataset": str,
    "printed_method": str,
    "printed": float,
    "printed_std": float,
    "reproduced": float,
    "reproduced_std": float,
    "best_on_test": float,
    "n_runs": int,
    "difference": float,
    "within_error_bar": str,
    "note": str,
    "remark": str,
    "beside": str,
}


def printed_method(row: Mapping[str, str]) -> str:
    """Return the name of a line's method: the entries of the columns that together name it."""
    return ", ".join(row[column] for column in _METHOD_COLUMNS if column in row)


@dataclass(frozen=True)
class Reported:
    """A printed table as a file of facts.

    Attributes
    ----------
    name : str
        The file's name without its suffix.
    columns : tuple of str
        The header, in the file's order.
    keys : tuple of str
        The columns that say which cell of the print a row is.
    value : str
        The column with the printed number.
    spread : str or None
        The column with the printed error bar.
    rows : tuple of dict
        The lines, as text: nothing of the print is lost by reading and writing it again.
    """

    name: str
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    value: str
    spread: str | None
    rows: tuple[dict[str, str], ...]

    @property
    def scale(self) -> float:
        """Factor from the printed unit to what is shown."""
        return _VALUE_COLUMNS[self.value][1]

    def cell(self, row: Mapping[str, str]) -> tuple[str, str, str]:
        """Return which number a line is: data set (with its label noise as an experiment calls it), method, measure."""
        noise = f"_noise{row['noise_percent']}" if "noise_percent" in row else ""
        dataset = next(row[column] for column in DATASET_COLUMNS if column in row)
        return f"{dataset}{noise}", printed_method(row), _VALUE_COLUMNS[self.value][0] or row["metric"]


def read_reported(path: str | os.PathLike) -> Reported:
    """Read a file of printed numbers.

    Parameters
    ----------
    path : path-like
        A CSV file of ``config/reported``: key columns, one column of printed values (``test_error_percent``,
        ``error_rate``, ``average_precision_percent`` or ``mean``) and at most one of error bars
        (``std_percent``, ``binomial_std_percent`` or ``std``).

    Raises
    ------
    InputError
        When the file cannot be read, has no column of printed values, has a value that is no number or names
        the same cell twice.
    """
    path = Path(path)
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            rows = tuple(reader)
            columns = tuple(reader.fieldnames or ())
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: the printed numbers cannot be read ({error})") from error
    value = next((column for column in columns if column in _VALUE_COLUMNS), None)
    if value is None:
        raise InputError(f"{path}: none of its columns holds printed results; name one {' or '.join(_VALUE_COLUMNS)}")
    spread = next((column for column in columns if column in _SPREAD_COLUMNS), None)
    keys = tuple(column for column in columns if column not in (value, spread))
    reported = Reported(path.stem, columns, keys, value, spread, rows)
    _check_rows(reported, path)
    return reported


def _check_rows(reported: Reported, path: Path) -> None:
    seen = set()
    for line, row in enumerate(reported.rows, start=2):
        if None in row or None in row.values():
            raise InputError(f"{path}, line {line}: it should have {len(reported.columns)} cells")
        for column in filter(None, (reported.value, reported.spread)):
            _number(row[column], f"{path}, line {line}, column {column}", empty=column == reported.spread)
        key = tuple(row[column] for column in reported.keys)
        if key in seen:
            raise InputError(f"{path}, line {line}: {', '.join(key)} stands there twice; keep one")
        seen.add(key)


def _number(text: str, where: str, empty: bool = False) -> float | None:
    if empty and not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{where}: {text!r} is no number")
    return number


def compare(
    summary: Sequence[Mapping[str, Any]],
    reported: Reported | None,
    dataset_aliases: Mapping[str, str],
    methods: Mapping[str, Any],
    notes: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Put the printed numbers beside ours.

    A cell is *within the error bar* when ``|ours - print| <= printed std``; ours is not rounded first.

    Parameters
    ----------
    summary : sequence of dict
        Rows of `algos.experiments.tables.summarise`.
    reported : Reported or None
        The printed numbers; they must be told apart by ``dataset`` and ``method``, and ``metric`` where there are
        several measures.
    dataset_aliases : dict
        Our data set -> the print's name of the same data.
    methods : dict
        Name in the records -> object with ``printed_labels`` and ``beside``, the method whose print is also shown
        with this one, or None.
    notes : dict, optional
        Our data set -> a sentence that belongs to each of its numbers (e.g. which of two candidates it is);
        ``"<data set>/<method>"`` -> a sentence for that one.

    Returns
    -------
    list of dict
        Columns `COMPARISON`: each printed cell in the print's order (``n_runs`` 0 and the note "not run" where we have
        nothing), then our numbers without a printed one. ``remark`` is the part of ``note`` that `notes` gave.

    Raises
    ------
    InputError
        When the print has other key columns, or when two of our results stand for one printed cell.
    """
    notes = notes or {}
    if reported is None:
        return [_unprinted_row(row, methods, notes) for row in summary]
    _check_keys(reported)
    means = _means(summary, reported, dataset_aliases)
    matches = match_runs([*summary, *means], reported, dataset_aliases, methods)
    rows = [_printed_row(cell, reported, matches.get(reported.cell(cell)), notes) for cell in reported.rows]
    matched = {id(row) for row in matches.values()}
    return rows + [_unprinted_row(row, methods, notes) for row in summary if id(row) not in matched]


def match_runs(
    summary: Sequence[Mapping[str, Any]],
    reported: Reported,
    dataset_aliases: Mapping[str, str],
    methods: Mapping[str, Any],
) -> dict[tuple[str, str, str], Mapping[str, Any]]:
    """Find our result for each printed cell; parameters and errors as in `compare`.

    Returns
    -------
    dict
        (printed data set, printed method, measure) -> row of the summary; cells without a result are left out.
    """
    _check_keys(reported)
    printed = {reported.cell(cell) for cell in reported.rows}
    matches: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    for row in summary:
        dataset = dataset_aliases.get(row["dataset"], row["dataset"])
        for label in methods[row["method"]].printed_labels:
            cell = (dataset, label, row["metric"])
            if cell not in printed:
                continue
            if cell in matches:
                first = matches[cell]
                raise InputError(
                    f"{first['method']} on {first['dataset']} and {row['method']} on {row['dataset']} both "
                    f"stand for the printed cell {dataset}, {label} of {reported.name}.csv; drop one data "
                    "set or its entry in dataset_aliases"
                )
            matches[cell] = row
    return matches


def _check_keys(reported: Reported) -> None:
    several = {"metric"} if _VALUE_COLUMNS[reported.value][0] is None else set()
    keys = set(reported.keys) - {"noise_percent"}
    of_dataset, of_method = keys & set(DATASET_COLUMNS), keys & set(_METHOD_COLUMNS)
    if len(of_dataset) != 1 or not of_method or keys - of_dataset - of_method != several:
        needed = sorted({"dataset", "method", *several})
        raise InputError(
            f"{reported.name}.csv cannot stand beside these runs: its key columns are {', '.join(reported.keys)}, "
            f"where {' and '.join(needed)} are needed"
        )


def _means(
    summary: Sequence[Mapping[str, Any]], reported: Reported, dataset_aliases: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return our mean over the printed data sets for each method and measure, where the print has such a row."""
    printed = {reported.cell(cell)[0] for cell in reported.rows}
    if MEAN not in printed:
        return []
    means = []
    for rows in group_rows(summary, "method", "metric").values():
        known = [row for row in rows if dataset_aliases.get(row["dataset"], row["dataset"]) in printed]
        if len(known) == len(printed) - 1:
            n_runs, n_test = (sum(row[key] for row in known) for key in ("n_runs", "n_test"))
            value = statistics.fmean(row["value"] for row in known)
            nothing = {"std": None, "std_kind": None, "best_on_test": None}
            means.append({**known[0], **nothing, "dataset": MEAN, "n_runs": n_runs, "n_test": n_test, "value": value})
    return means


def _printed_row(
    cell: Mapping[str, str], reported: Reported, ours: Mapping[str, Any] | None, notes: Mapping[str, str]
) -> dict[str, Any]:
    printed = float(cell[reported.value]) * reported.scale
    spread = None
    if reported.spread and cell[reported.spread]:
        spread = float(cell[reported.spread]) * reported.scale
    row = dict.fromkeys(COMPARISON)
    dataset, method, metric = reported.cell(cell)
    row.update(
        metric=metric,
        printed_dataset=dataset,
        printed_method=method,
        printed=printed,
        printed_std=spread,
        n_runs=0,
        note="not run",
    )
    if ours is None:
        return row
    difference = ours["value"] - printed
    row.update(_ours(ours), difference=difference)
    if spread is not None:
        row["within_error_bar"] = "no" if is_outside(ours["value"], printed, spread) else "yes"
    row["remark"] = _dataset_note(row, notes)
    row["note"] = " ".join(filter(None, (_difference_note(row, cell, reported), row["remark"])))
    return row


def _unprinted_row(ours: Mapping[str, Any], methods: Mapping[str, Any], notes: Mapping[str, str]) -> dict[str, Any]:
    row = dict.fromkeys(COMPARISON)
    row.update(_ours(ours), beside=methods[ours["method"]].beside)
    row["remark"] = _dataset_note(row, notes)
    row["note"] = " ".join(filter(None, ("Nothing printed to compare with.", row["remark"])))
    return row


def _ours(ours: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "dataset": ours["dataset"],
        "method": ours["method"],
        "label": ours["label"],
        "metric": ours["metric"],
        "reproduced": ours["value"],
        "reproduced_std": ours["std"],
        "best_on_test": ours["best_on_test"],
        "n_runs": ours["n_runs"],
    }


def _difference_note(row: Mapping[str, Any], cell: Mapping[str, str], reported: Reported) -> str:
    """Say of a cell outside its bar how far off it is, and whether the bars of print and ours overlap."""
    spread = row["printed_std"]
    if spread is None:
        return "No error bar printed."
    if row["within_error_bar"] == "yes":
        return ""
    difference, ours = row["difference"], row["reproduced_std"] or 0.0
    side = "below" if difference < 0 else "above"
    points = " points" if METRICS[row["metric"]].percent else ""
    amount = fixed(abs(difference), full_decimals(row["metric"])) + points
    sentence = f"{amount} {side} the print, outside its ±{spread:g}"
    hidden = sum(_half_unit(cell[column]) for column in (reported.value, reported.spread)) * reported.scale
    if abs(difference) <= spread + hidden:
        return f"{sentence} by less than the rounding of the print."
    together = math.hypot(spread, ours)
    if together > 0:
        sentence += f"; {abs(difference) / together:.1f} times the two error bars combined"
    return f"{sentence}."


def _half_unit(text: str) -> float:
    """Half a unit of the last printed digit: what rounding can have hidden."""
    decimals = len(text.partition(".")[2])
    return 0.5 * 10.0**-decimals


def _dataset_note(row: Mapping[str, Any], notes: Mapping[str, str]) -> str:
    parts = []
    if row["printed_dataset"] and row["dataset"] != row["printed_dataset"]:
        parts.append(f"Our data set is {row['dataset']}.")
    for key in (row["dataset"], f"{row['dataset']}/{row['method']}"):
        if key in notes:
            parts.append(notes[key])
    return " ".join(parts)
