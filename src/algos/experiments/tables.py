"""Tables of an experiment: from the records of its runs to CSV, Markdown and LaTeX.

The CSV files are tidy (a line an observation, full precision) and are what figures, report and published results are
made from; Markdown and LaTeX are the paper's layout of the same numbers. Numbers are as they are shown: in percent
where their measure is (`algos.evaluation.metrics`). Times stand in a table of their own: they are the only numbers that
differ between two identical runs.
"""

import csv
import json
import math
import os
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algos.evaluation.metrics import METRICS
from algos.exceptions import InputError
from algos.experiments.dataset_statistics import DATASETS, dataset_rows, datasets_layout
from algos.experiments.gains import GAINS, gain_rows, gains_layout
from algos.experiments.layouts import LAYOUTS as OWN_LAYOUTS
from algos.experiments.layouts import group_rows, with_note
from algos.experiments.markup import to_latex, to_markdown
from algos.experiments.pairs import PAIRS, pair_rows
from algos.experiments.ranks import RANKS, SET_RANKS, rank_rows, set_rank_rows
from algos.experiments.reported import COMPARISON, compare, read_reported
from algos.experiments.rounding import table_decimals
from algos.experiments.wins import PLACES, WINS, count_places, count_wins
from algos.files import atomic_write

#: Tables for readers, as in `algos.experiments.layouts`.
LAYOUTS = {
    **OWN_LAYOUTS,
    "datasets": ("datasets", "data sets", datasets_layout),
    "gains": ("gains", "gain of each pair's first method over its second", gains_layout),
}

#: Columns of the tidy tables and their types. A missing value is an empty field.
SCHEMAS: dict[str, dict[str, type]] = {
    "datasets": DATASETS,
    "folds": {
        "dataset": str,
        "method": str,
        "fold": str,
        "n_train": int,
        "n_test": int,
        "n_features": int,
        "n_classes": int,
        "metric": str,
        "value": float,
        "validation_error": float,
        "best_on_test": float,
        "seed": int,
    },
    "summary": {
        "dataset": str,
        "method": str,
        "label": str,
        "metric": str,
        "n_runs": int,
        "n_test": int,
        "value": float,
        "std": float,
        "std_kind": str,
        "best_on_test": float,
    },
    "comparison": COMPARISON,
    "hyperparameters": {
        "dataset": str,
        "method": str,
        "label": str,
        "fold": str,
        "parameter": str,
        "value": str,
    },
    "set_ranks": SET_RANKS,
    "ranks": RANKS,
    "places": PLACES,
    "wins": WINS,
    "pairs": PAIRS,
    "sweeps": {
        "dataset": str,
        "metric": str,
        "method": str,
        "label": str,
        "parameter": str,
        "setting": float,
        "n_runs": int,
        "value": float,
        "std": float,
    },
    "gains": GAINS,
    "skipped": {"dataset": str, "method": str, "label": str, "fold": str, "reason": str},
    "versions": {"package": str, "version": str, "n_runs": int},
    "times": {
        "dataset": str,
        "method": str,
        "label": str,
        "n_runs": int,
        "selection_cpu_seconds": float,
        "fit_cpu_seconds": float,
        "wall_seconds": float,
        "peak_memory_mib": float,
    },
}

#: Every file that `write_tables` writes.
TABLE_NAMES: tuple[str, ...] = (
    *(f"{name}.csv" for name in SCHEMAS),
    *(f"{name}.{suffix}" for name in LAYOUTS for suffix in ("md", "tex")),
)

_RECORD_KEYS = (
    *("experiment", "dataset", "method", "fold", "n_train", "n_test", "n_features", "n_classes", "chosen"),
    *("metrics", "selection", "curve", "seed", "versions", "cost"),
)


@dataclass(frozen=True)
class ShownMethod:
    """What tables say of a method of an experiment.

    Attributes
    ----------
    label : str
        Its name for readers.
    printed_labels : sequence of str
        What the paper's table calls it.
    rival : bool
        Whether it is a library's method, which has no rank among the papers' methods.
    swept : (str, str, float) or None
        Where it stands for one value of a swept parameter: label of the method, parameter, value. It has no rank.
    control : bool
        Whether it is a control, which has neither a rank nor a place in the table of gains.
    beside : str or None
        The method of the experiment whose printed numbers are shown with this one, too; they count for the other alone.
    """

    label: str
    printed_labels: Sequence[str] = ()
    rival: bool = False
    swept: Sequence[Any] | None = None
    control: bool = False
    beside: str | None = None


def read_records(paths: Iterable[str | os.PathLike]) -> list[dict[str, Any]]:
    """Read run records.

    Parameters
    ----------
    paths : iterable of path-like
        The runs' JSON files. Data sets and methods keep the order in which they first appear; the folds of
        each come in their natural order (``r0f2`` before ``r0f10``).

    Raises
    ------
    InputError
        When there is none, one is no record of this version, names a measure that is not known or a number outside
        [0, 1], or one run comes twice.
    """
    records = [_read_record(Path(path)) for path in paths]
    if not records:
        raise InputError("there are no run records to make tables of; run the training rules first")
    datasets, methods = (list(dict.fromkeys(record[key] for record in records)) for key in ("dataset", "method"))
    records.sort(key=lambda r: (datasets.index(r["dataset"]), methods.index(r["method"]), _natural(r["fold"])))
    counts = Counter((r["experiment"], r["dataset"], r["method"], r["fold"]) for r in records)
    run, count = counts.most_common(1)[0]
    if count > 1:
        raise InputError(f"the run {'/'.join(run)} was given {count} times; give each record once")
    return records


def _read_record(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path}: the run record cannot be read ({error}); delete it and run its fold again"
        ) from error
    if not isinstance(record, dict) or record.get("schema") != 1:
        raise InputError(f"{path}: not a run record of schema 1; delete it and run its fold again")
    missing = [key for key in _RECORD_KEYS if key not in record]
    if missing:
        raise InputError(f"{path}: the run record lacks {', '.join(missing)}; delete it and run its fold again")
    for name, value in record["metrics"].items():
        if name not in METRICS:
            raise InputError(f"{path}: the measure {name!r} is not known; delete it and run its fold again")
        if not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise InputError(f"{path}: {name} is {value!r}, which is no number between 0 and 1; run its fold again")
    return record


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Sort key that orders the digits in a name as numbers."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", text) if part]


def read_table(tables_dir: str | os.PathLike, name: str) -> list[dict[str, Any]]:
    """Read one of the tidy CSV tables back, with the types of `SCHEMAS`; empty fields are None."""
    with (Path(tables_dir) / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return [
            {column: kind(row[column]) if row[column] != "" else None for column, kind in SCHEMAS[name].items()}
            for row in csv.DictReader(file)
        ]


def fold_rows(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row a run and measure, columns ``SCHEMAS["folds"]``; measures in the order of `METRICS`, the one
    that hyper-parameters were chosen by first.

    The validation error that the choice was made by and the best-on-test error stand beside the test error alone.
    """
    rows = []
    for record in records:
        chooser = record["selection"].get("metric")
        for name in sorted(record["metrics"], key=lambda name: (name != chooser, list(METRICS).index(name))):
            value = record["metrics"][name]
            scale = METRICS[name].scale
            row = {column: record.get(column) for column in SCHEMAS["folds"]}
            row.update(metric=name, value=scale * value, validation_error=None, best_on_test=None)
            if name == "test_error":
                chosen, best = chosen_candidate(record), record.get("best_on_test")
                row["validation_error"] = None if chosen is None else scale * chosen["validation_error"]
                row["best_on_test"] = None if best is None else scale * best["error"]
            rows.append(row)
    return rows


def chosen_candidate(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the candidate that the run's selection chose; None when there was no selection."""
    for candidate in (record["selection"] or {}).get("candidates") or ():
        if candidate["params"].items() <= record["chosen"].items():
            return candidate
    return None


def summarise(folds: Sequence[Mapping[str, Any]], methods: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row a data set, method and measure: the mean over runs and its spread.

    The spread (``std_kind``) is

    - ``folds``: the sample standard deviation over the outer folds (``ddof=1``), when there are several runs;
    - ``binomial``: ``sqrt(R (1 - R) / n_test)``, for the test error when the only run is the designated test set
    (fold ``test``);
    - nothing for any other single run.

    ``best_on_test`` is the mean of the least test errors over the grid and all rounds, where all runs have it.

    Parameters
    ----------
    folds : sequence of dict
        Rows of `fold_rows`.
    methods : dict
        Name in the records -> `ShownMethod`.

    Raises
    ------
    InputError
        When a method is not in `methods`.
    """
    from algos.evaluation.statistics import binomial_std

    rows = []
    for (dataset, method, metric), runs in group_rows(folds, "dataset", "method", "metric").items():
        if method not in methods:
            raise InputError(f"the runs of {dataset} name the method {method!r}, which the experiment does not name")
        values = [run["value"] for run in runs]
        n_test = sum(run["n_test"] for run in runs)
        mean, std, kind = statistics.fmean(values), None, None
        if len(runs) > 1:
            std, kind = statistics.stdev(values), "folds"
        elif runs[0]["fold"] == "test" and metric == "test_error":
            std, kind = 100 * binomial_std(mean / 100, n_test), "binomial"
        label = methods[method].label
        best = [run["best_on_test"] for run in runs]
        best_on_test = None if None in best else statistics.fmean(best)
        cells = (dataset, method, label, metric, len(runs), n_test, mean, std, kind, best_on_test)
        rows.append(dict(zip(SCHEMAS["summary"], cells, strict=True)))
    return rows


def sweep_rows(
    summary: Sequence[Mapping[str, Any]],
    methods: Mapping[str, Any],
    noise: Mapping[str, tuple[str, float]] | None = None,
) -> list[dict[str, Any]]:
    """Return a row for each number of a swept parameter or of a level of label noise, columns ``SCHEMAS["sweeps"]``.

    Parameters
    ----------
    summary : sequence of dict
        Rows of `summarise`.
    methods : dict
        Name in the records -> `ShownMethod`; those with `swept` have rows.
    noise : dict, optional
        What the records call a data set with label noise -> (data set, percent).
    """
    rows = []
    for row in summary:
        swept = methods[row["method"]].swept
        if swept:
            label, parameter, setting = swept
            rows.append({**row, "label": label, "parameter": parameter, "setting": float(setting)})
        elif noise and row["dataset"] in noise:
            dataset, percent = noise[row["dataset"]]
            rows.append({**row, "dataset": dataset, "parameter": "noisy labels (%)", "setting": float(percent)})
    return [{column: row[column] for column in SCHEMAS["sweeps"]} for row in rows]


def skipped_rows(records: Sequence[Mapping[str, Any]], methods: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row a fold that could not be run, columns ``SCHEMAS["skipped"]``."""
    return [
        {
            **{column: record[column] for column in ("dataset", "method", "fold")},
            "label": methods[record["method"]].label,
            "reason": record["skipped"],
        }
        for record in records
        if record.get("skipped")
    ]


def model_rounds(record: Mapping[str, Any]) -> int | None:
    """Return the rounds of a run's model: those that were chosen, or fewer where nothing was left to learn before."""
    chosen, made = record["chosen"].get("n_estimators"), record["cost"].get("rounds")
    return chosen if chosen is None or not made else min(chosen, made[-1][0])


def hyperparameter_rows(records: Sequence[Mapping[str, Any]], methods: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row a run and chosen hyper-parameter, columns ``SCHEMAS["hyperparameters"]``.

    Rounds are those of the model: it has fewer than were chosen where nothing was left to learn before.
    """
    return [
        {
            "dataset": record["dataset"],
            "method": record["method"],
            "label": methods[record["method"]].label,
            "fold": record["fold"],
            "parameter": parameter,
            "value": _plain(model_rounds(record) if parameter == "n_estimators" else value),
        }
        for record in records
        for parameter, value in record["chosen"].items()
    ]


def time_rows(records: Sequence[Mapping[str, Any]], methods: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row a data set and method: seconds summed over its runs, the largest peak memory (MiB)."""
    rows = []
    for (dataset, method), runs in group_rows(records).items():
        costs = [run["cost"] for run in runs]
        row = {"dataset": dataset, "method": method, "label": methods[method].label, "n_runs": len(runs)}
        for column in ("selection_cpu_seconds", "fit_cpu_seconds", "wall_seconds"):
            row[column] = math.fsum(cost[column] for cost in costs)
        row["peak_memory_mib"] = max(cost["peak_memory_mib"] for cost in costs)
        rows.append(row)
    return rows


def version_rows(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row a package and version that made the runs, with the number of runs it made."""
    counts = Counter(item for record in records for item in record["versions"].items())
    return [{"package": package, "version": version, "n_runs": n} for (package, version), n in sorted(counts.items())]


def write_tables(
    record_paths: Sequence[str | os.PathLike],
    reported_csv: str | os.PathLike | None,
    dataset_aliases: Mapping[str, str],
    methods: Mapping[str, Any],
    out_dir: str | os.PathLike,
    title: str,
    notes: Mapping[str, str] | None = None,
    noise: Mapping[str, tuple[str, float]] | None = None,
    pairs: Sequence[Sequence[str]] = (),
    protocols: str = "",
    datasets: Mapping[str, str | os.PathLike] | None = None,
    printed_datasets_csv: str | os.PathLike | None = None,
) -> None:
    """Write all tables of one experiment (`TABLE_NAMES`).

    Every file but ``times.*`` is the same byte for byte whenever the runs were the same.

    Parameters
    ----------
    record_paths : sequence of path-like
        JSON records of the experiment's runs, data sets and methods in the order the tables shall have.
    reported_csv : path-like or None
        The printed numbers to stand beside ours.
    dataset_aliases : dict
        Our data set -> the print's name of the same data.
    methods : dict
        Name in the records -> `ShownMethod`.
    out_dir : path-like
        Folder of the tables; made when missing.
    title : str
        The experiment's title, for captions.
    notes : dict, optional
        As in :func:`~algos.experiments.reported.compare`.
    noise : dict, optional
        As in :func:`sweep_rows`.
    pairs : sequence of (str, str), optional
        Methods to compare, two by two.
    protocols : str, optional
        What the comparison says of our protocol and the print's.
    datasets : dict, optional
        Data set -> its canonical table, to be described.
    printed_datasets_csv : path-like, optional
        What the paper prints of its data sets.

    Raises
    ------
    InputError
        See `read_records`, `summarise`, `algos.experiments.reported.read_reported`, ``compare`` and
        `algos.experiments.dataset_statistics.dataset_rows`.
    """
    records = read_records(record_paths)
    folds = fold_rows(records)
    summary = summarise(folds, methods)
    reported = None if reported_csv is None else read_reported(reported_csv)
    comparison = compare(summary, reported, dataset_aliases, methods, notes)
    ranked, decimals = [row for row in summary if _is_ranked(methods[row["method"]])], table_decimals(summary)
    set_ranks = set_rank_rows(ranked, decimals, noise)
    rows = {
        "datasets": dataset_rows(datasets or {}, printed_datasets_csv, dataset_aliases),
        "folds": folds,
        "summary": summary,
        "comparison": comparison,
        "hyperparameters": hyperparameter_rows(records, methods),
        "set_ranks": set_ranks,
        "ranks": rank_rows(set_ranks),
        "pairs": pair_rows(folds, pairs, methods, noise),
        "places": count_places(ranked, comparison, decimals, noise),
        "wins": count_wins(folds, ranked, comparison, decimals, noise),
        "sweeps": sweep_rows(summary, methods, noise),
        "gains": gain_rows(folds, pairs, methods),
        "skipped": skipped_rows(records, methods),
        "versions": version_rows(records),
        "times": time_rows(records, methods),
    }
    for name, body in rows.items():
        write_csv(Path(out_dir) / f"{name}.csv", list(SCHEMAS[name]), body)
    for name, (source, caption, build) in LAYOUTS.items():
        layout = with_note(build(rows[source], f"{title}: {caption}"), protocols if name == "comparison" else "")
        _write_text(Path(out_dir) / f"{name}.md", to_markdown(layout))
        _write_text(Path(out_dir) / f"{name}.tex", to_latex(layout))


def _is_ranked(method: ShownMethod) -> bool:
    return not (method.rival or method.swept or method.control)


def write_csv(path: str | os.PathLike, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as CSV (UTF-8, ``\\n``): floats with ten significant digits, None as an empty field."""
    with atomic_write(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow(["" if row[column] is None else _plain(row[column]) for column in columns])


def _plain(value: Any) -> str:
    return format(value, ".10g") if isinstance(value, float) else str(value)


def _write_text(path: Path, text: str) -> None:
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
