"""The report: one HTML page that carries its figures and styles in itself and needs no network."""

import base64
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from algos.evaluation.metrics import METRICS
from algos.exceptions import InputError
from algos.experiments.figures import CAPTIONS, TITLES
from algos.experiments.layouts import best_values, capitalised, group_rows, pair_sentences, signed, with_bar, with_note
from algos.experiments.markup import Cell, Layout
from algos.experiments.protocols import NOTHING, describe, describe_protocol
from algos.experiments.rounding import full_decimals, print_decimals, table_decimals
from algos.experiments.tables import LAYOUTS, read_table
from algos.files import atomic_write

_TEMPLATE = "report.html.j2"


def write_report(
    experiments: Sequence[Mapping[str, Any]],
    data_sources: Sequence[Mapping[str, Any]],
    command: str,
    path: str | os.PathLike,
    illustrations: Sequence[Mapping[str, str]] = (),
) -> None:
    """Write the report page.

    Parameters
    ----------
    experiments : sequence of dict
        In the order of the page, each with

        - ``name``, ``title``, ``paper``: text;
        - ``protocol``: the config's protocol section, or a sentence;
        - ``tables_dir``, ``figures_dir``: what ``write_tables`` and ``write_figures`` wrote;
        - ``compared_protocols`` (optional): what the comparison says of our protocol and the print's;
        - ``settings``: the experiment's config section (``methods``, ``selection``, ``seed`` ... are shown).
    data_sources : sequence of dict
        A row a file: ``dataset``, ``file``, ``source`` (URL or package), ``sha256``, ``licence``, ``note``; missing
        keys and None are shown as a dash.
    command : str
        What makes these results again.
    path : path-like
        The HTML file.
    illustrations : sequence of dict
        ``kind`` and ``png``, the file, of each illustration.

    Raises
    ------
    InputError
        When there is no experiment, or a table or figure of one is missing.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    if not experiments:
        raise InputError("the report has no experiment to show; name one under 'experiments' in the config")
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    described = [describe_experiment(experiment) for experiment in experiments]
    page = environment.get_template(_TEMPLATE).render(
        experiments=described,
        total=total_sentence([experiment["verdict"] for experiment in described]),
        sources=source_layout(data_sources) if data_sources else None,
        command=command,
        illustrations=[_read_illustration(illustration) for illustration in illustrations],
    )
    with atomic_write(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def describe_experiment(experiment: Mapping[str, Any]) -> dict[str, Any]:
    """Collect what the page shows of one experiment: verdict, layouts, figures and how they were made."""
    tables_dir, settings = experiment["tables_dir"], experiment["settings"]
    try:
        sources = dict.fromkeys((*(source for source, _, _ in LAYOUTS.values()), "comparison", "folds", "versions"))
        rows = {name: read_table(tables_dir, name) for name in sources}
        figures = [read_figure(Path(experiment["figures_dir"]) / f"{name}.png", name) for name in CAPTIONS]
    except FileNotFoundError as error:
        raise InputError(
            f"{error.filename} is missing; make the tables and figures of {experiment['name']} first"
        ) from error
    layouts = {name: build(rows[source], capitalised(caption)) for name, (source, caption, build) in LAYOUTS.items()}
    layouts["comparison"] = with_note(layouts["comparison"], experiment.get("compared_protocols", ""))
    return {
        "name": experiment["name"],
        "title": experiment["title"],
        "paper": experiment["paper"],
        "verdict": judge(rows["comparison"], rows["summary"]),
        "claims": pair_sentences(rows["pairs"]),
        "layouts": layouts,
        "cells": cell_layout(rows["comparison"]),
        "figures": figures,
        "protocol": " ".join(
            [describe_protocol(experiment["protocol"]), *component_sentences(rows["folds"], settings)]
        ),
        "settings": describe_settings(settings),
        "methods": method_layout(settings.get("methods", {}), rows["summary"]),
        "versions": ", ".join(f"{row['package']} {row['version']}" for row in rows["versions"]),
    }


# ----------------------------------------------------------------------------------------------------- verdict


def judge(comparison: Sequence[Mapping[str, Any]], summary: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Say how much of the print was reproduced, or, with nothing printed, which method is best where.

    Returns
    -------
    dict
        ``headline`` (a sentence), ``good`` (True, False or None: nothing to judge), ``n_inside`` and ``n_judged``,
        ``misses`` (dicts ``where``, ``numbers``, ``note``), ``remarks`` (sentences) and ``best`` (sentences, one a
        data set).
    """
    printed = [row for row in comparison if row["printed"] is not None]
    ran = [row for row in printed if row["n_runs"]]
    judged = [row for row in ran if row["within_error_bar"] is not None]
    misses = [row for row in judged if row["within_error_bar"] == "no"]
    inside = len(judged) - len(misses)
    remarks = []
    if len(ran) > len(judged) > 0:
        remarks.append(f"{len(ran) - len(judged)} of the compared cells have no printed error bar.")
    if len(printed) > len(ran):
        remarks.append(f"{_cells(len(printed) - len(ran))} of the same table not run here: {_not_run(printed)}.")
    if judged:
        headline = f"{inside} of {_cells(len(judged))} reproduced within the error bar."
    elif ran:
        headline = f"{_cells(len(ran))} beside ours, none with an error bar to judge by; best method per data set:"
    else:
        headline = "Nothing printed to compare with; best method per data set:"
    return {
        "headline": headline,
        "good": not misses if judged else None,
        "n_inside": inside,
        "n_judged": len(judged),
        "misses": [_describe_miss(row) for row in misses],
        "remarks": remarks,
        "best": [] if judged or not summary else best_sentences(summary),
    }


def _cells(n: int) -> str:
    return f"{n} printed cell" + ("" if n == 1 else "s")


def _not_run(printed: Sequence[Mapping[str, Any]]) -> str:
    """The printed methods without any run by name, then the data sets missing for the others."""
    missing = [row for row in printed if not row["n_runs"]]
    ran_methods = {row["printed_method"] for row in printed if row["n_runs"]}
    whole = dict.fromkeys(row["printed_method"] for row in missing if row["printed_method"] not in ran_methods)
    single = dict.fromkeys(row["printed_dataset"] for row in missing if row["printed_method"] in ran_methods)
    return "; ".join([*whole, *([f"data sets {', '.join(single)}"] if single else [])])


def total_sentence(verdicts: Sequence[Mapping[str, Any]]) -> str | None:
    """Sum up several experiments; None when fewer than two have anything printed."""
    judged = [verdict for verdict in verdicts if verdict["n_judged"]]
    if len(judged) < 2:
        return None
    inside, total = (sum(verdict[key] for verdict in judged) for key in ("n_inside", "n_judged"))
    return f"In all, {inside} of {_cells(total)} reproduced within the error bar, over {len(judged)} experiments."


def _describe_miss(row: Mapping[str, Any]) -> dict[str, str]:
    printed, ours = _printed_text(row), _our_text(row)
    metric = METRICS[row["metric"]]
    where = f"{row['dataset']}, {row['label']}" + ("" if metric.name == "test_error" else f", {metric.label}")
    numbers = f"print {printed}{metric.unit}, ours {ours}{metric.unit}"
    return {"where": where, "numbers": numbers, "note": row["note"] or ""}


def best_sentences(summary: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the methods that are best on each data set by the experiment's first measure, as the table prints it."""
    sentences = []
    metric, shown = METRICS[summary[0]["metric"]], table_decimals(summary)
    for rows in group_rows((row for row in summary if row["metric"] == metric.name), "dataset").values():
        decimals = shown[rows[0]["dataset"], metric.name]
        names = best_values({row["method"]: row["value"] for row in rows}, decimals, metric.name)
        best = [row for row in rows if row["method"] in names] or rows  # a single method has no rival
        text = with_bar(best[0]["value"], best[0]["std"] if len(best) == 1 else None, decimals)
        name = "" if metric.name == "test_error" else f"{metric.label} "
        sentences.append(
            f"{rows[0]['dataset']}: {' and '.join(row['label'] for row in best)}, {name}{text}{metric.unit}"
        )
    return sentences


def _printed_text(row: Mapping[str, Any]) -> str:
    return with_bar(row["printed"], row["printed_std"], print_decimals(row["metric"], [row["printed"]]))


def _our_text(row: Mapping[str, Any]) -> str:
    return with_bar(row["reproduced"], row["reproduced_std"], full_decimals(row["metric"]))


# ---------------------------------------------------------------------------------------------------- contents


def cell_layout(comparison: Sequence[Mapping[str, Any]]) -> Layout | None:
    """Lay out each compared cell on a line of its own; None when there is none."""
    rows = [row for row in comparison if row["n_runs"] and row["printed"] is not None]
    if not rows:
        return None
    body = [
        [
            Cell(row["dataset"]),
            Cell(row["label"]),
            Cell(METRICS[row["metric"]].axis_label),
            Cell({"yes": "inside", "no": "outside"}.get(row["within_error_bar"], "no bar")),
            Cell(row["note"] or ""),
            Cell(_printed_text(row)),
            Cell(_our_text(row)),
            Cell(signed(row["difference"], full_decimals(row["metric"]))),
            Cell(str(row["n_runs"])),
        ]
        for row in rows
    ]
    header = ["data set", "method", "measure", "error bar", "note", "print", "ours", "difference", "runs"]
    note = "Inside means |ours − print| is at most the printed error bar."
    return Layout("Cell by cell", header, body, notes=[note], numeric_from=5)


def source_layout(data_sources: Sequence[Mapping[str, Any]]) -> Layout:
    """Lay out where the data came from."""
    columns = ["dataset", "file", "source", "licence", "note", "sha256"]
    heads = ["data set", "file", "source", "licence", "note", "sha256"]
    body = [[Cell(str(source.get(column) or NOTHING)) for column in columns] for source in data_sources]
    return Layout("Data sources", heads, body, numeric_from=len(heads))


def method_layout(methods: Mapping[str, Any], summary: Sequence[Mapping[str, Any]]) -> Layout:
    """Lay out each method's fixed parameters, grid and preprocessing."""
    labels = {row["method"]: row["label"] for row in summary}
    body = []
    for name, section in methods.items():
        cells = [describe((section or {}).get(key)) for key in ("params", "grid", "preprocess")]
        body.append([Cell(labels.get(name, name)), Cell(name), *map(Cell, cells)])
    heads = ["method", "name in the config", "fixed parameters", "grid", "preprocessing"]
    return Layout("Methods and their grids", heads, body, numeric_from=len(heads))


def component_sentences(folds: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> list[str]:
    """Say where fewer principal components were kept than asked for: a training part of n rows has at most n - 1.

    Parameters
    ----------
    folds : sequence of dict
        Rows of `algos.experiments.tables.fold_rows`.
    settings : dict
        The experiment's config section.
    """
    asked = (settings.get("features") or {}).get("pca", {}).get("n_components")
    kept: dict[int, dict[str, list[int]]] = {}
    for row in folds:
        method = (settings.get("methods") or {}).get(row["method"]) or {}
        own = (method.get("preprocess") or {}).get("pca", {}).get("n_components")
        # Features of the experiment are counted after the reduction, those that a method reduces itself before it.
        for n, most, name in (
            (asked, row["n_features"], row["dataset"]),
            (own, min(row["n_features"], row["n_train"] - 1), f"{row['dataset']} ({row['method']})"),
        ):
            if n and most < n:
                kept.setdefault(n, {}).setdefault(name, []).append(most)
    return [
        f"Of {n} principal components asked for, no more were there than "
        + "; ".join(f"{_span(counts)} on {name}" for name, counts in of_names.items())
        + "."
        for n, of_names in kept.items()
    ]


def _span(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def describe_settings(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the settings that say something and have no place of their own on the page, as pairs of text."""
    elsewhere = ("methods", "title", "paper", "protocol")
    pairs = [(key.replace("_", " "), describe(value)) for key, value in settings.items() if key not in elsewhere]
    return [(key, text) for key, text in pairs if text != NOTHING]


def _read_illustration(illustration: Mapping[str, str]) -> dict[str, Any]:
    from algos.illustrations.registry import load

    module = load(illustration["kind"])
    return read_picture(Path(illustration["png"]), module.TITLE, module.CAPTION)


def read_figure(path: Path, name: str) -> dict[str, Any]:
    """Return a PNG figure of an experiment for the page; see `read_picture`."""
    return read_picture(path, TITLES[name], CAPTIONS[name])


def read_picture(path: Path, title: str, caption: str) -> dict[str, Any]:
    """Return a PNG file for the page.

    Returns
    -------
    dict
        ``caption`` (with what the file says of itself), ``title``, ``why_not`` (the sentence of a figure with nothing
        to draw, else None), ``uri`` (the image as a data URI), ``width`` and ``height`` (CSS pixels at the figure's
        size in print times 1.25).
    """
    from PIL import Image

    data = path.read_bytes()
    with Image.open(path) as image:
        dpi = image.info.get("dpi", (200, 200))[0]
        scale = 1.25 * 96 / dpi
        width, height = (round(side * scale) for side in image.size)
        why_not, note = image.info.get("Description"), image.info.get("Comment")
    return {
        "title": title,
        "caption": " ".join(filter(None, (caption, note))),
        "why_not": why_not,
        "uri": "data:image/png;base64," + base64.b64encode(data).decode("ascii"),
        "width": width,
        "height": height,
    }
