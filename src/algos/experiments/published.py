"""Published results: our numbers in the columns of a printed table, and how they were made.

Written by a rule of the workflow, never by hand, into a folder that is committed.
"""

import os
import re
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from algos.exceptions import InputError
from algos.experiments.dataset_statistics import published_dataset_rows
from algos.experiments.figures import CAPTIONS
from algos.experiments.layouts import best_on_test_layout, capitalised, comparison_layout, summary_layout, with_note
from algos.experiments.markup import Layout, escape_markdown, to_markdown
from algos.experiments.report import component_sentences, read_figure
from algos.experiments.reported import Reported, compare, read_reported
from algos.experiments.tables import LAYOUTS, fold_rows, read_records, read_table, summarise, write_csv
from algos.files import atomic_write

#: Columns that published tables have beside those of the print.
PUBLISHED_COLUMNS: tuple[str, ...] = ("reproduced", "reproduced_std", "best_on_test", "n_runs", "note")


def publish(
    record_paths: Sequence[str | os.PathLike],
    reported_csv: str | os.PathLike | None,
    dataset_aliases: Mapping[str, str],
    methods: Mapping[str, Any],
    out: str | os.PathLike,
    *,
    commit: str,
    command: str,
    date: str,
    settings: Mapping[str, Any],
    figures_dir: str | os.PathLike | None = None,
    tables_dir: str | os.PathLike | None = None,
    notes: Mapping[str, str] | None = None,
    protocols: str = "",
    printed_datasets_csv: str | os.PathLike | None = None,
) -> None:
    """Write ``<out>.csv``, ``<out>.md`` and copies of the figures as ``<out>_<figure>.png``.

    Where there is a printed table, the CSV has its columns and rows as they are in `reported_csv`, then ``reproduced``
    and ``reproduced_std`` in the print's own unit, ``best_on_test`` (the least test error over grid and rounds, where
    runs record it), ``n_runs`` and ``note``. Rows without runs are empty there, with the note "not run". Our numbers
    without a printed one go, as they are shown, to ``<out>_standin.csv`` where the print lacks the data set, and to
    ``<out>_more.csv`` otherwise. Where there is no printed table, the CSV has a row a data set, method and measure.

    Parameters
    ----------
    record_paths : sequence of path-like
        JSON records of the runs.
    reported_csv : path-like or None
        The printed table.
    dataset_aliases, methods, notes
        As in `algos.experiments.tables.write_tables`, and so is `protocols`.
    out : path-like
        E.g. ``docs/reproduction/<name of the printed table>``.
    commit, command, date : str
        The commit of the code, the command that made the runs and the day: they go into the page as given.
    settings : dict
        The experiment's config section.
    figures_dir : path-like, optional
        The experiment's figures; those with nothing to draw are not copied.
    tables_dir : path-like, optional
        The experiment's tables; data sets, gains, ranks, wins and pairs of methods are shown too where they are given.
    printed_datasets_csv : path-like, optional
        What the paper prints of its data sets: goes, with ours in further columns, into a file of the same name beside
        `out`.

    Raises
    ------
    InputError
        See `algos.experiments.tables.read_records` and `algos.experiments.reported.compare`.
    """
    out = Path(out)
    folds = fold_rows(read_records(record_paths))
    summary = summarise(folds, methods)
    reported = None if reported_csv is None else read_reported(reported_csv)
    comparison = compare(summary, reported, dataset_aliases, methods, notes)
    if reported is None:
        columns, rows = ["dataset", "method", "metric", *PUBLISHED_COLUMNS], comparison
        layouts = [summary_layout(summary, "Results")]
    else:
        more = [row for row in comparison if row["printed"] is None]
        comparison = [row for row in comparison if row["printed"] is not None]
        if not any(row["n_runs"] for row in comparison):
            raise InputError(f"none of these runs has a number in {reported.name}.csv, so there is nothing to publish")
        columns, rows = [*reported.columns, *PUBLISHED_COLUMNS], published_rows(reported, comparison)
        shown = [*comparison, *(row for row in more if row["beside"])]
        layouts = [with_note(comparison_layout(shown, "The print beside ours"), protocols)]
        layouts += _publish_more(out, more, {row["dataset"] for row in comparison}, summary)
    layouts.append(best_on_test_layout(summary, "Validated and best-on-test errors"))
    if tables_dir is not None:
        for name in ("datasets", "gains", "ranks", "places", "wins", "pairs", "skipped"):
            source, caption, build = LAYOUTS[name]
            layouts.append(build(read_table(tables_dir, source), capitalised(caption)))
        if printed_datasets_csv is not None:
            held = published_dataset_rows(read_table(tables_dir, "datasets"), printed_datasets_csv, dataset_aliases)
            write_csv(out.with_name(Path(printed_datasets_csv).name), list(held[0]), held)
    write_csv(out.with_name(f"{out.name}.csv"), columns, rows)
    figures = [] if figures_dir is None else _copy_figures(Path(figures_dir), out)
    origin = {"commit": commit, "command": command, "date": date}
    with atomic_write(out.with_name(f"{out.name}.md")) as temporary:
        temporary.write_text(
            _page(out.name, layouts, origin, settings, figures, component_sentences(folds, settings)), encoding="utf-8"
        )


def _publish_more(
    out: Path, more: Sequence[Mapping[str, Any]], printed: set[str], summary: Sequence[Mapping[str, Any]]
) -> list[Layout]:
    """Write our numbers that no printed one stands beside; return the table of all of ours where there are any.

    Those on data sets that the print does not have go to ``<out>_standin.csv``, those of other methods to
    ``<out>_more.csv``.
    """
    for suffix, standin in (("standin", True), ("more", False)):
        path = out.with_name(f"{out.name}_{suffix}.csv")
        rows = [row for row in more if (row["dataset"] not in printed) == standin]
        if rows:
            write_csv(path, ["dataset", "method", "label", "metric", *PUBLISHED_COLUMNS], rows)
        else:
            path.unlink(missing_ok=True)
    return [summary_layout(summary, "All our results")] if more else []


def published_rows(reported: Reported, comparison: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the printed rows as they are, with our numbers in the print's unit; `comparison` is in the same order."""
    rows = []
    for printed, ours in zip(reported.rows, comparison, strict=True):
        row = {**printed, **dict.fromkeys(PUBLISHED_COLUMNS), "n_runs": ours["n_runs"], "note": ours["note"]}
        for column in ("reproduced", "reproduced_std", "best_on_test"):
            if ours[column] is not None:
                row[column] = round(ours[column] / reported.scale, 6)
        rows.append(row)
    return rows


def publish_illustration(
    source: Path, out: Path, settings: Mapping[str, Any], *, commit: str, command: str, date: str
) -> None:
    """Copy ``<source>.png`` and ``.csv`` to ``<out>...`` and write ``<out>.md`` beside them.

    Of an illustration that shows photographs only the numbers are published; the page says how to draw it.

    Parameters
    ----------
    source, out : pathlib.Path
        Names without suffix.
    settings : dict
        ``kind``, ``params`` and ``seed`` of the illustration.
    commit, command, date : str
        As in `publish`.
    """
    import pandas as pd

    from algos.illustrations.registry import load, photographs

    module, column = load(settings["kind"]), photographs(settings["kind"])
    numbers = pd.read_csv(source.with_name(f"{source.name}.csv"), dtype=str, keep_default_na=False)
    numbers = numbers.drop(columns=[] if column is None else column)
    write_csv(out.with_name(f"{out.name}.csv"), list(numbers), numbers.to_dict("records"))
    if column is None:
        picture = f"![{module.TITLE}]({out.name}.png)"
        with atomic_write(out.with_name(f"{out.name}.png")) as temporary:
            shutil.copyfile(source.with_name(f"{source.name}.png"), temporary)
    else:
        picture = (
            "The figure shows parts of photographs that are not ours to hand on; here is the list of them. "
            f"`snakemake {source.name}` with the config of the command above draws it as "
            f"`results/illustrations/{source.name}.png`."
        )
    parts = [f"# {escape_markdown(module.TITLE)}", "", "Written by the workflow; do not edit.", ""]
    parts += [f"- {key}: {_code(value)}" for key, value in (("commit", commit), ("command", command), ("date", date))]
    parts += ["", picture, "", escape_markdown(module.CAPTION), "", *_settings(settings)]
    with atomic_write(out.with_name(f"{out.name}.md")) as temporary:
        temporary.write_text("\n".join(parts), encoding="utf-8")


def _settings(settings: Mapping[str, Any]) -> list[str]:
    """The settings as a part of a page."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """What a config says twice by an alias is written twice."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    options: dict[str, Any] = {"sort_keys": False, "allow_unicode": True, "default_flow_style": None, "width": 110}
    text = yaml.dump(dict(settings), Dumper=Dumper, **options)
    return ["Settings:", "", textwrap.indent(text, "    ")]  # indented, so that no text in it can end the block


def _copy_figures(figures_dir: Path, out: Path) -> list[tuple[str, str, str]]:
    """Copy the figures that show something; return (title, file name, caption) of each.

    Copies of earlier runs are removed.
    """
    copied = []
    for figure in CAPTIONS:
        source, target = figures_dir / f"{figure}.png", out.with_name(f"{out.name}_{figure}.png")
        picture = read_figure(source, figure)
        if picture["why_not"]:
            target.unlink(missing_ok=True)
            continue
        with atomic_write(target) as temporary:
            shutil.copyfile(source, temporary)
        copied.append((picture["title"], target.name, picture["caption"]))
    return copied


def _page(
    name: str,
    layouts: Sequence[Layout],
    origin: Mapping[str, str],
    settings: Mapping[str, Any],
    figures: Sequence[tuple[str, str, str]],
    remarks: Sequence[str],
) -> str:
    """The Markdown page beside the CSV file."""
    title, paper = settings.get("title", name), settings.get("paper", "")
    parts = [f"# {escape_markdown(title)}", "", *([escape_markdown(paper), ""] if paper else [])]
    parts += [f"`{name}`, written by the workflow; do not edit.", ""]
    parts += [f"- {key}: {_code(value)}" for key, value in origin.items()]
    parts += [f"- {escape_markdown(remark)}" for remark in remarks]
    parts += ["", *(to_markdown(layout) for layout in layouts if layout.rows)]
    for title, file, caption in figures:
        parts += [f"![{escape_markdown(title)}]({file})", "", escape_markdown(caption), ""]
    return "\n".join([*parts, *_settings(settings)])


def _code(text: str) -> str:
    """Text as a Markdown code span, whatever backticks are in it."""
    line = " ".join(str(text).split())
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence} {line} {fence}" if "`" in line else f"`{line}`"
