"""The paper's layout of each tidy table: data sets x methods, error bars, the best in bold, notes below.

The functions take the rows of `algos.experiments.tables`, computed or read back from CSV, and a title, and
return a `Layout` for `algos.experiments.markup` or the report to write.
"""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from algos.experiments.markup import Cell, Layout


def group_rows(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    """Return the rows by (data set, method), in order of first appearance."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["dataset"], row["method"]), []).append(row)
    return groups


def summary_layout(summary: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out mean test errors, data sets x methods, the best of each data set in bold."""
    cells = group_rows(summary)
    datasets, methods = (list(dict.fromkeys(row[key] for row in summary)) for key in ("dataset", "method"))
    labels = {row["method"]: row["label"] for row in summary}
    rows = []
    for dataset in datasets:
        values = {method: cells[dataset, method][0] for method in methods if (dataset, method) in cells}
        decimals = _decimals(row["std_percent"] for row in values.values())
        texts = {m: with_bar(r["test_error_percent"], r["std_percent"], decimals) for m, r in values.items()}
        best = _best({m: r["test_error_percent"] for m, r in values.items()}, decimals)
        rows.append([Cell(dataset), *(Cell(texts.get(method, "–"), method in best) for method in methods)])
    return Layout(title, ["data set", *(labels[m] for m in methods)], rows, notes=[_spread_note(summary)])


def comparison_layout(comparison: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out print and ours side by side, with data sets or methods across, whichever are fewer.

    Cells without a run are left out. The best of each data set is bold, for the print and for ours.
    """
    ran = [row for row in comparison if row["n_runs"]]
    if not any(row["printed_percent"] is not None for row in ran):
        return Layout(title, [], [], notes=["None of these results has a printed number to stand beside."])
    texts = _comparison_texts(ran)
    datasets = list(dict.fromkeys(row["dataset"] for row in ran))
    methods = {row["method"]: row["label"] for row in ran}
    across_methods = len(methods) <= len(datasets)
    down, across = (datasets, list(methods)) if across_methods else (list(methods), datasets)
    rows = []
    for name in down:
        cells = [Cell(name if across_methods else methods[name])]
        for other in across:
            cells += texts.get((name, other) if across_methods else (other, name), (Cell("–"), Cell("–")))
        rows.append(cells)
    header = ["data set" if across_methods else "method", *(["print", "ours (difference)"] * len(across))]
    groups = [("", 1), *((methods[name] if across_methods else name, 2) for name in across)]
    return Layout(title, header, rows, groups, _comparison_notes(ran))


def _comparison_texts(ran: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], tuple[Cell, Cell]]:
    """The two cells, print and ours, of each data set and method."""
    printed_decimals = max(1, *(_needed_decimals(row["printed_percent"]) for row in ran))
    texts = {}
    for dataset in dict.fromkeys(row["dataset"] for row in ran):
        rows = [row for row in ran if row["dataset"] == dataset]
        decimals = _decimals(row["reproduced_std_percent"] for row in rows)
        best_print = _best({row["method"]: row["printed_percent"] for row in rows}, printed_decimals)
        best_ours = _best({row["method"]: row["reproduced_percent"] for row in rows}, decimals)
        for row in rows:
            ours = with_bar(row["reproduced_percent"], row["reproduced_std_percent"], decimals)
            if row["difference_percent"] is not None:
                ours += f" ({signed(row['difference_percent'], decimals)})"
            ours += "†" if row["within_error_bar"] == "no" else ""
            printed = with_bar(row["printed_percent"], row["printed_std_percent"], printed_decimals)
            texts[dataset, row["method"]] = (
                Cell(printed, row["method"] in best_print),
                Cell(ours, row["method"] in best_ours),
            )
    return texts


def _comparison_notes(ran: Sequence[Mapping[str, Any]]) -> list[str]:
    notes = ["Test error in percent ± the error bar; the difference is ours minus the print, in points."]
    if any(row["within_error_bar"] == "no" for row in ran):
        notes.append("† outside the printed error bar.")
    labels: dict[tuple[str, str], list[str]] = {}
    for row in ran:
        if row["note"] and row["printed_percent"] is not None:
            labels.setdefault((row["dataset"], row["note"]), []).append(row["label"])
    return notes + [f"{dataset} ({'; '.join(who)}): {note}" for (dataset, note), who in labels.items()]


def best_on_test_layout(summary: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out the validated error and the least one on the test set, methods x data sets, where runs recorded it."""
    rows = [row for row in summary if row["best_on_test_percent"] is not None]
    if not rows:
        return Layout(title, [], [], notes=["No method of this experiment was told to record it (best_on_test)."])
    cells = group_rows(rows)
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    labels = {row["method"]: row["label"] for row in rows}
    decimals = _decimals(row["std_percent"] for row in rows)
    body = []
    for method, label in labels.items():
        line = [Cell(label)]
        for dataset in datasets:
            found = cells.get((dataset, method))
            values = (found[0]["test_error_percent"], found[0]["best_on_test_percent"]) if found else (None, None)
            line += [Cell(with_bar(value, None, decimals)) for value in values]
        body.append(line)
    notes = [
        "Best on test is the least test error over the whole grid and all rounds: no estimate of a method's error, but "
        "what a paper quotes that chose on the test set. Rounds that nothing chose are the largest number.",
    ]
    header = ["method", *(["validated", "best on test"] * len(datasets))]
    return Layout(title, header, body, [("", 1), *((dataset, 2) for dataset in datasets)], notes)


def hyperparameter_layout(rows: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out the chosen hyper-parameters: the median and range over folds, or the most frequent value."""
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    columns = list(dict.fromkeys((row["method"], row["parameter"]) for row in rows))
    labels = {row["method"]: row["label"] for row in rows}
    values: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        values.setdefault((row["dataset"], row["method"], row["parameter"]), []).append(row["value"])
    body = [
        [Cell(dataset), *(Cell(_typical(values.get((dataset, *key), []))) for key in columns)] for dataset in datasets
    ]
    spans = Counter(method for method, _ in columns)
    groups = [("", 1), *((labels[method], span) for method, span in spans.items())]
    note = "Median over the outer folds (the lower one of two), with the range in brackets where the folds differ."
    notes = [note] if any(len(folds) > 1 for folds in values.values()) else []
    return Layout(title, ["data set", *(name for _, name in columns)], body, groups, notes)


def time_layout(rows: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out times and memory, a line a data set and method."""
    heads = ["data set", "method", "runs", "selection, CPU s", "fit, CPU s", "wall, s", "peak memory, MiB"]
    body = [
        [
            Cell(row["dataset"]),
            Cell(row["label"]),
            Cell(str(row["n_runs"])),
            *(Cell(f"{row[column]:.1f}") for column in ("selection_cpu_seconds", "fit_cpu_seconds", "wall_seconds")),
            Cell(f"{row['peak_memory_mib']:.0f}"),
        ]
        for row in rows
    ]
    notes = ["Seconds are summed over the runs; memory is the largest peak of a run's process."]
    return Layout(title, heads, body, notes=notes, numeric_from=2)


def rank_layout(rows: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out average ranks and the number of data sets each method is best on."""
    if not rows:
        return Layout(title, [], [], notes=["Ranks need two methods that ran on the same data sets."])
    body = [
        [
            Cell(row["label"]),
            Cell(f"{row['average_rank']:.2f}"),
            Cell(f"{row['n_best']} of {row['n_datasets']}"),
        ]
        for row in rows
    ]
    return Layout(
        title,
        ["method", "average rank", "best on"],
        body,
        notes=[rank_sentence(rows), "A tie for the best counts for each of the tied."],
    )


def rank_sentence(rows: Sequence[Mapping[str, Any]]) -> str:
    """Say in words what the test over data sets found."""
    first = rows[0]
    if first["test"] is None:
        return f"Fewer than three common data sets ({first['n_datasets']}) are too few for a test."
    sentence = f"{first['test']} test over {first['n_datasets']} data sets: p = {first['p_value']:.2g}"
    if first["critical_difference"] is not None:
        sentence += f"; critical difference of ranks (Nemenyi, 5 %): {first['critical_difference']:.2f}"
    verdict = "differ" if first["p_value"] < 0.05 else "do not differ"
    return f"{sentence}. The methods {verdict} significantly at 5 %."


def signed(value: float, decimals: int) -> str:
    """Return a difference with its sign; zero after rounding has none."""
    text = f"{abs(value):.{decimals}f}"
    if float(text) == 0:
        return text
    return ("−" if value < 0 else "+") + text


def with_bar(value: float | None, std: float | None, decimals: int) -> str:
    """Return ``value ± std`` with so many decimals; a dash for no value, no bar for no spread."""
    if value is None:
        return "–"
    text = f"{value:.{decimals}f}"
    return text if std is None else f"{text} ± {std:.{decimals}f}"


def _decimals(stds: Iterable[float | None]) -> int:
    """Two decimals where an error bar is below one point, else one: digits beyond that say nothing."""
    return 1 if all(std is not None and std >= 1 for std in stds) else 2


def _needed_decimals(value: float | None) -> int:
    return 0 if value is None else len(f"{value:.6g}".partition(".")[2])


def _best(values: Mapping[str, float | None], decimals: int) -> set[str]:
    """The names with the lowest value as a reader sees it, ties included; none when there is no choice."""
    shown = {name: round(value, decimals) for name, value in values.items() if value is not None}
    if len(shown) < 2:
        return set()
    lowest = min(shown.values())
    return {name for name, value in shown.items() if value == lowest}


def _typical(values: Sequence[str]) -> str:
    """Median and range of numbers, or the most frequent text and how often it was chosen."""
    if not values:
        return "–"
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        value, count = Counter(values).most_common(1)[0]
        return value if count == len(values) else f"{value} ({count} of {len(values)})"
    middle, low, high = (f"{x:.4g}" for x in (statistics.median_low(numbers), min(numbers), max(numbers)))
    return middle if low == high else f"{middle} ({low}–{high})"


def _spread_note(summary: Sequence[Mapping[str, Any]]) -> str:
    kinds = {row["std_kind"] for row in summary}
    sentences = {
        "folds": "± is the sample standard deviation over outer folds (ddof = 1).",
        "binomial": "± is the binomial standard deviation sqrt(R(1 − R)/n) of the designated test set.",
    }
    several = len({row["method"] for row in summary}) > 1
    parts = ["Mean test error in percent" + (", the best of each data set in bold." if several else ".")]
    return " ".join(parts + [sentence for kind, sentence in sentences.items() if kind in kinds])


#: Tables for readers: the tidy table that each is made from, its caption and the function (rows, title) -> Layout.
LAYOUTS: dict[str, tuple[str, str, Callable[[Sequence[Mapping[str, Any]], str], Layout]]] = {
    "summary": ("summary", "test errors", summary_layout),
    "comparison": ("comparison", "the print beside ours", comparison_layout),
    "best_on_test": ("summary", "validated and best-on-test errors", best_on_test_layout),
    "hyperparameters": ("hyperparameters", "chosen hyper-parameters", hyperparameter_layout),
    "ranks": ("ranks", "average ranks", rank_layout),
    "times": ("times", "times and memory", time_layout),
}
