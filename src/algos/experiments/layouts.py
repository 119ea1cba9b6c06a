"""The paper's layout of each tidy table: data sets x methods, error bars, the best in bold, notes below.

The functions take the rows of `algos.experiments.tables`, computed or read back from CSV, and a title, and
return a `Layout` for `algos.experiments.markup` or the report to write.
"""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from algos.evaluation.metrics import METRICS
from algos.experiments.markup import Cell, Layout
from algos.experiments.rounding import (
    decimals_of,
    fixed,
    full_decimals,
    is_outside,
    print_decimals,
    rounded,
    table_decimals,
)

# More rows than this are no table for readers: then it is the means over data sets alone.
_MOST_PAIR_ROWS = 150

#: What ranks and counts of wins need.
TWO_RANKED = (
    "two methods that ran on the same data sets; libraries' methods, controls and variants of a sweep have no rank"
)

#: What the table of pairs calls the mean over data sets.
ALL_DATASETS = "all data sets"


def group_rows(rows: Iterable[Mapping[str, Any]], *keys: str) -> dict[tuple[str, ...], list[Mapping[str, Any]]]:
    """Return the rows by (data set, method), or by other keys, in order of first appearance."""
    keys = keys or ("dataset", "method")
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def _distinct(rows: Iterable[Mapping[str, Any]], key: str) -> list[Any]:
    return list(dict.fromkeys(row[key] for row in rows))


def summary_layout(summary: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out means, the best of each data set in bold: data sets x methods, or with several measures a line each."""
    datasets, methods, metrics = (_distinct(summary, key) for key in ("dataset", "method", "metric"))
    labels = {row["method"]: row["label"] for row in summary}
    cells = _summary_cells(summary)
    if len(metrics) == 1:
        rows = [
            [Cell(dataset), *(cells.get((dataset, method, metrics[0]), Cell("–")) for method in methods)]
            for dataset in datasets
        ]
        return Layout(title, ["data set", *(labels[m] for m in methods)], rows, notes=[_spread_note(summary)])
    rows = [
        [Cell(dataset), Cell(labels[method]), *(cells.get((dataset, method, m), Cell("–")) for m in metrics)]
        for dataset, method in group_rows(summary)
    ]
    header = ["data set", "method", *(_heading(metric) for metric in metrics)]
    return Layout(title, header, rows, notes=[_spread_note(summary)], numeric_from=2)


def _summary_cells(summary: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str, str], Cell]:
    """The cell of each data set, method and measure."""
    cells, shown = {}, table_decimals(summary)
    for (dataset, metric), rows in group_rows(summary, "dataset", "metric").items():
        decimals = shown[dataset, metric]
        best = best_values({row["method"]: row["value"] for row in rows}, decimals, metric)
        for row in rows:
            text = with_bar(row["value"], row["std"], decimals)
            cells[dataset, row["method"], metric] = Cell(text, row["method"] in best)
    return cells


def _heading(metric: str) -> str:
    """A measure's column head, with an arrow to where it is better."""
    return f"{METRICS[metric].axis_label} {'↓' if METRICS[metric].lower_is_better else '↑'}"


def comparison_layout(comparison: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out print and ours side by side, with data sets or methods across, whichever are fewer; or measures.

    Cells without a run are left out. The best of each data set is bold, for the print and for ours.
    """
    ran = [row for row in comparison if row["n_runs"]]
    if not any(row["printed"] is not None for row in ran):
        return Layout(title, [], [], notes=["None of these results has a printed number to stand beside."])
    metrics = _distinct(ran, "metric")
    if len(metrics) > 1:
        return _measures_compared(ran, metrics, title)
    texts = {(dataset, method): cells for (dataset, method, _), cells in _comparison_texts(ran).items()}
    datasets = _distinct(ran, "dataset")
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


def _measures_compared(ran: Sequence[Mapping[str, Any]], metrics: Sequence[str], title: str) -> Layout:
    """Lay out print and ours side by side for each measure, a line a data set and method."""
    texts, nothing = _comparison_texts(ran, differences=False), (Cell("–"), Cell("–"))
    body = []
    for (dataset, method), rows in group_rows(ran).items():
        line = [Cell(dataset), Cell(rows[0]["label"])]
        for metric in metrics:
            line += texts.get((dataset, method, metric), nothing)
        body.append(line)
    header = ["data set", "method", *(["print", "ours"] * len(metrics))]
    groups = [("", 2), *((_heading(metric), 2) for metric in metrics)]
    return Layout(title, header, body, groups, _comparison_notes(ran), numeric_from=2)


def _comparison_texts(
    ran: Sequence[Mapping[str, Any]], differences: bool = True
) -> dict[tuple[str, str, str], tuple[Cell, Cell]]:
    """The two cells, print and ours, of each data set, method and measure."""
    texts = {}
    for (dataset, metric), rows in group_rows(ran, "dataset", "metric").items():
        decimals = decimals_of(metric, (row["reproduced_std"] for row in rows))
        printed_decimals = print_decimals(metric, (row["printed"] for row in ran if row["metric"] == metric))
        best_print = best_values({row["method"]: row["printed"] for row in rows}, printed_decimals, metric)
        best_ours = best_values({row["method"]: row["reproduced"] for row in rows}, decimals, metric)
        by_method = {row["method"]: row for row in rows}
        for row in rows:
            theirs = by_method.get(row["beside"], row)
            ours = with_bar(row["reproduced"], row["reproduced_std"], decimals)
            if differences and row["difference"] is not None:
                ours += f" ({signed(row['difference'], decimals)})"
            barred = theirs["printed_std"] is not None
            ours += "†" if barred and is_outside(row["reproduced"], theirs["printed"], theirs["printed_std"]) else ""
            printed = with_bar(theirs["printed"], theirs["printed_std"], printed_decimals)
            texts[dataset, row["method"], metric] = (
                Cell(printed, row["method"] in best_print),
                Cell(ours, row["method"] in best_ours),
            )
    return texts


def _comparison_notes(ran: Sequence[Mapping[str, Any]]) -> list[str]:
    metrics = _distinct(ran, "metric")
    barred = any(row[std] is not None for row in ran for std in ("printed_std", "reproduced_std"))
    notes = [f"{named_metrics(metrics)}{' ± the error bar' if barred else ''}."]
    if len(metrics) == 1:
        points = ", in points" if METRICS[metrics[0]].percent else ""
        notes[0] = f"{notes[0][:-1]}; the difference is ours minus the print{points}."
    if any(row["within_error_bar"] == "no" for row in ran):
        notes.append("† outside the printed error bar.")
    labels = {row["method"]: row["label"] for row in ran}
    variants = {row["label"]: labels[row["beside"]] for row in ran if row["beside"] in labels}
    if variants:
        named = "; ".join(f"{variant} ({other})" for variant, other in variants.items())
        notes.append(f"Variants, each beside the print of the method in brackets, for which alone it counts: {named}.")
    # What is said of each number would be too much for several measures; the report and the CSV have it.
    column = "note" if len(metrics) == 1 else "remark"
    said: dict[tuple[str, str], dict[str, None]] = {}
    for row in ran:
        if row[column] and row["printed"] is not None:
            said.setdefault((row["dataset"], row[column]), {})[row["label"]] = None
    return notes + [f"{dataset} ({'; '.join(who)}): {note}" for (dataset, note), who in said.items()]


def best_on_test_layout(summary: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out the validated error and the least one on the test set, methods x data sets, where runs recorded it."""
    rows = [row for row in summary if row["best_on_test"] is not None]
    if not rows:
        return Layout(title, [], [], notes=["No method of this experiment was told to record it (best_on_test)."])
    cells = group_rows(rows)
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    labels = {row["method"]: row["label"] for row in rows}
    decimals = decimals_of("test_error", (row["std"] for row in rows))
    body = []
    for method, label in labels.items():
        line = [Cell(label)]
        for dataset in datasets:
            found = cells.get((dataset, method))
            values = (found[0]["value"], found[0]["best_on_test"]) if found else (None, None)
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
            *(Cell(fixed(row[column], 1)) for column in ("selection_cpu_seconds", "fit_cpu_seconds", "wall_seconds")),
            Cell(fixed(row["peak_memory_mib"], 0)),
        ]
        for row in rows
    ]
    notes = ["Seconds are summed over the runs; memory is the largest peak of a run's process."]
    return Layout(title, heads, body, notes=notes, numeric_from=2)


def pair_layout(rows: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out the comparison of pairs, a line a pair, measure and data set."""
    if not rows:
        return Layout(title, [], [], notes=["No two methods are named to be compared ('compare')."])
    shown = rows if len(rows) <= _MOST_PAIR_ROWS else [row for row in rows if row["dataset"] == ALL_DATASETS] or rows
    body = []
    for row in shown:
        decimals = full_decimals(row["metric"])
        spread = "" if row["std"] is None else f" ± {fixed(row['std'], decimals)}"
        p_value = "–" if row["p_value"] is None else f"{row['p_value']:.2g}"
        body.append(
            [
                Cell(f"{row['first_label']} − {row['second_label']}"),
                Cell(METRICS[row["metric"]].axis_label),
                Cell(row["dataset"] + (", per 10 % noise" if row["kind"] == "slope" else "")),
                Cell(f"{signed(row['mean'], decimals)}{spread}"),
                Cell(str(row["n"])),
                Cell(p_value, row["p_value"] is not None and row["p_value"] < 0.05),
            ]
        )
    notes = [
        "Mean difference ± sample standard deviation over n splits, or over n data sets; p below 0.05 in bold. Splits "
        "of one data set depend on each other: the corrected resampled t-test allows for it. Over five data sets and "
        "more: Wilcoxon's signed-rank test."
    ]
    notes += [] if shown is rows else ["Single data sets are in the CSV file."]
    heads = ["pair", "measure", "data set", "difference", "n", "p"]
    return Layout(title, heads, body, notes=notes, numeric_from=3)


def pair_sentences(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say of each pair how often the first was better and worse by the first measure, and how often significantly.

    Differences are judged as the table of pairs prints them: what is 0.00 there is neither.
    """
    sentences = []
    for (metric, first, second), group in group_rows(rows, "metric", "first_label", "second_label").items():
        if metric != rows[0]["metric"]:
            continue
        sign = 1 if METRICS[metric].lower_is_better else -1
        single = [row for row in group if row["kind"] == "difference" and row["dataset"] != ALL_DATASETS]
        counts = []
        for side in (-1, 1):
            there = [row for row in single if side * sign * rounded(row["mean"], full_decimals(metric)) > 0]
            sure = sum(row["p_value"] is not None and row["p_value"] < 0.05 for row in there)
            counts.append(f"{len(there)} of {len(single)} ({sure} significantly)")
        sentences.append(
            f"{first} against {second}, {METRICS[metric].label}: better on {counts[0]}, worse on {counts[1]}"
        )
    return sentences


def capitalised(text: str) -> str:
    """Return text with its first letter in upper case and the rest as it is: "macro AUC" keeps its capitals."""
    return text[:1].upper() + text[1:]


def rank_layout(rows: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out average ranks and the number of data sets each method is best on."""
    if not rows:
        return Layout(title, [], [], notes=[f"Ranks need {TWO_RANKED}."])
    metrics = group_rows(rows, "metric")
    several = len(metrics) > 1
    body = [
        [
            *([Cell(METRICS[row["metric"]].label)] if several else []),
            Cell(row["label"]),
            Cell(fixed(row["average_rank"], 2)),
            Cell(f"{row['n_best']} of {row['n_datasets']}"),
        ]
        for row in rows
    ]
    sentences = [
        f"{capitalised(METRICS[metric].label)}: {rank_sentence(group)}" if several else rank_sentence(group)
        for (metric,), group in metrics.items()
    ]
    return Layout(
        title,
        [*(["measure"] if several else []), "method", "average rank", "best on"],
        body,
        notes=[*sentences, _RANKED],
        numeric_from=1 + several,
    )


_RANKED = (
    "Means are ranked as rounded in the table of results, the levels of label noise of a data set averaged; a tie for "
    "the best counts for each of the tied. Libraries' methods, controls and variants of a sweep have no rank."
)


def place_layout(rows: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out how often each method is first and among the first two, ours and the print side by side."""
    if not rows:
        return Layout(title, [], [], notes=[f"Places need {TWO_RANKED}."])
    contests = group_rows(rows, "among")
    cells = {(row["among"], row["method"]): row for row in rows}
    labels = {row["method"]: row["label"] for row in rows}
    body = []
    for method, label in labels.items():
        line = [Cell(label)]
        for (among,) in contests:
            row = cells.get((among, method))
            line += [Cell(_share(row[column], row["n_cases"]) if row else "–") for column in ("n_first", "n_top_two")]
        body.append(line)
    groups = [
        ("", 1),
        *((f"{_CONTESTS[among]}, {_cases(group[0]['n_cases'])}", 2) for (among,), group in contests.items()),
    ]
    notes = [f"{_CASE} A tie counts for each.", _LEFT_OUT]
    return Layout(title, ["method", *(["first", "first two"] * len(contests))], body, groups, notes)


def win_layout(rows: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out wins, ties and losses of each method (line) against each other one (column), and the clear ones."""
    if not rows:
        return Layout(title, [], [], notes=[f"Wins need {TWO_RANKED}."])
    labels = {row["method"]: row["label"] for row in rows}
    body = []
    for (among, method), pairs in group_rows(rows, "among", "method").items():
        cells = {row["rival"]: Cell(_wins_text(row)) for row in pairs}
        line = [cells.get(rival, Cell("–")) for rival in labels]
        body.append([Cell(_CONTESTS[among]), Cell(labels[method]), *line])
    notes = [f"Cases won – tied – lost by the method of the line. {_CASE}", _LEFT_OUT]
    if any(row["n_tested"] for row in rows):
        notes.append(
            "In brackets the clear wins and losses, which the corrected resampled t-test over the folds (Nadeau and "
            "Bengio, 2003) finds at 5 %, each case by itself."
        )
    return Layout(title, ["counted among", "method", *labels.values()], body, notes=notes, numeric_from=2)


_CONTESTS = {"all": "ours", "same cells": "ours, printed cells", "print": "print"}
_CASE = (
    "A case is a data set (its levels of label noise averaged) and a measure that all methods have. Means are compared "
    "as rounded in the tables."
)
_LEFT_OUT = (
    "Libraries' methods, controls and variants of a sweep are not counted, nor among printed cells methods that the "
    "print does not have."
)


def _cases(n: int) -> str:
    return f"{n} case" + ("" if n == 1 else "s")


def _share(count: int, n: int) -> str:
    return f"{count} ({100 * count / n:.0f} %)"


def _wins_text(row: Mapping[str, Any]) -> str:
    text = f"{row['n_wins']}–{row['n_ties']}–{row['n_losses']}"
    return f"{text} ({row['n_clear_wins']}, {row['n_clear_losses']})" if row["n_tested"] else text


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
    text = fixed(abs(value), decimals)
    if float(text) == 0:
        return text
    return ("−" if value < 0 else "+") + text


def with_bar(value: float | None, std: float | None, decimals: int) -> str:
    """Return ``value ± std`` with so many decimals; a dash for no value, no bar for no spread."""
    if value is None:
        return "–"
    text = fixed(value, decimals)
    return text if std is None else f"{text} ± {fixed(std, decimals)}"


def best_values(values: Mapping[str, float | None], decimals: int, metric: str) -> set[str]:
    """The names with the best value as a reader sees it, ties included; none when there is no choice."""
    shown = {name: rounded(value, decimals) for name, value in values.items() if value is not None}
    if len(shown) < 2:
        return set()
    best = METRICS[metric].best(list(shown.values()))
    return {name for name, value in shown.items() if value == best}


def with_note(layout: Layout, note: str) -> Layout:
    """Return a layout with a sentence more below it, where it has rows and there is one."""
    return replace(layout, notes=[*layout.notes, note]) if note and layout.rows else layout


def named_metrics(metrics: Sequence[str]) -> str:
    """The measures in words, e.g. ``Test error in percent``."""
    names = [METRICS[metric].label + (" in percent" if METRICS[metric].percent else "") for metric in metrics]
    return capitalised(", ".join(names))


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
    named = named_metrics(_distinct(summary, "metric"))
    parts = [f"Mean {named[:1].lower()}{named[1:]}" + (", the best of each data set in bold." if several else ".")]
    return " ".join(parts + [sentence for kind, sentence in sentences.items() if kind in kinds])


def skipped_layout(rows: Sequence[Mapping[str, Any]], title: str) -> Layout:
    """Lay out the folds that could not be run, and why."""
    if not rows:
        return Layout(title, [], [], notes=["Every fold was run."])
    body = [
        [Cell(dataset), Cell("; ".join(_distinct(of_reason, "label"))), Cell(reason)]
        for (dataset, reason), of_reason in group_rows(rows, "dataset", "reason").items()
    ]
    return Layout(title, ["data set", "methods", "why it was not run"], body, numeric_from=3)


#: Tables for readers: the tidy table that each is made from, its caption and the function (rows, title) -> Layout.
LAYOUTS: dict[str, tuple[str, str, Callable[[Sequence[Mapping[str, Any]], str], Layout]]] = {
    "summary": ("summary", "results", summary_layout),
    "comparison": ("comparison", "the print beside ours", comparison_layout),
    "best_on_test": ("summary", "validated and best-on-test errors", best_on_test_layout),
    "hyperparameters": ("hyperparameters", "chosen hyper-parameters", hyperparameter_layout),
    "ranks": ("ranks", "average ranks", rank_layout),
    "skipped": ("skipped", "folds that were not run", skipped_layout),
    "pairs": ("pairs", "methods two by two", pair_layout),
    "places": ("places", "first and second places", place_layout),
    "wins": ("wins", "wins of each method against each other", win_layout),
    "times": ("times", "times and memory", time_layout),
}
