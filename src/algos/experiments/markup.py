"""One table in several notations: a layout of cells as Markdown, LaTeX (booktabs) or, in the report, HTML."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from algos.datasets.hints import one_line


@dataclass(frozen=True)
class Cell:
    """One cell: its plain text, and whether it is set in bold (the best of its row)."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class Layout:
    """A table as a reader sees it.

    Attributes
    ----------
    title : str
        One line above the table.
    header : list of str
        The column heads; the first column names the row.
    rows : list of list of Cell
        Each as long as the header.
    groups : list of (str, int)
        An optional line above the header: text and the number of columns it spans (they sum to the header's
        length).
    notes : list of str
        Sentences below the table.
    numeric_from : int
        Index of the first column that is aligned to the right.
    """

    title: str
    header: list[str]
    rows: list[list[Cell]]
    groups: list[tuple[str, int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    numeric_from: int = 1


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # a bracket after \\ would be read as its optional argument
    "]": "{]}",
    "±": r"$\pm$",
    "−": "$-$",
    "–": "--",
    "†": r"$\dagger$",
    "×": r"$\times$",
}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def escape_latex(text: str) -> str:
    """Return `text` as LaTeX that prints it literally, on one line."""
    return "".join(_LATEX.get(character, character) for character in one_line(text))


def escape_markdown(text: str) -> str:
    """Return `text` as Markdown that shows it literally, on one line."""
    return _MARKDOWN.sub(r"\\\1", one_line(text))


def to_markdown(layout: Layout) -> str:
    """Return the layout as Markdown: title, table, notes. A group's head is joined to its columns' heads."""
    heads = [escape_markdown(head) for head in layout.header]
    if layout.groups:
        above = [escape_markdown(text) for text, span in layout.groups for _ in range(span)]
        heads = [f"{group}: {head}" if group else head for group, head in zip(above, heads, strict=True)]
    lines = [f"**{escape_markdown(layout.title)}**", ""]
    if layout.rows:
        marks = ["---" if i < layout.numeric_from else "---:" for i in range(len(heads))]
        lines += [_markdown_row(heads), _markdown_row(marks)]
        lines += [_markdown_row(map(_markdown_cell, row)) for row in layout.rows]
        lines.append("")
    for note in layout.notes:
        lines += [escape_markdown(note), ""]
    return "\n".join(lines)


def _markdown_cell(cell: Cell) -> str:
    text = escape_markdown(cell.text)
    return f"**{text}**" if cell.bold and text else text


def _markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def to_latex(layout: Layout) -> str:
    """Return the layout as a LaTeX ``table`` that needs the package booktabs."""
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{escape_latex(layout.title)}}}"]
    if layout.rows:
        columns = "".join("l" if i < layout.numeric_from else "r" for i in range(len(layout.header)))
        lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
        if layout.groups:
            lines += _latex_groups(layout.groups)
        lines += [_latex_row(map(escape_latex, layout.header)), r"\midrule"]
        lines += [_latex_row(map(_latex_cell, row)) for row in layout.rows]
        lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\smallskip{{\footnotesize {escape_latex(note)}}}" for note in layout.notes]
    lines += [r"\end{table}", ""]
    return "\n".join(lines)


def _latex_groups(groups: Sequence[tuple[str, int]]) -> list[str]:
    """The line of heads that span columns, and the rules below them."""
    cells, rules, column = [], [], 1
    for text, span in groups:
        cells.append(rf"\multicolumn{{{span}}}{{c}}{{{escape_latex(text)}}}" if text else " & " * (span - 1))
        if text:
            rules.append(rf"\cmidrule(lr){{{column}-{column + span - 1}}}")
        column += span
    return [_latex_row(cells), "".join(rules)]


def _latex_cell(cell: Cell) -> str:
    text = escape_latex(cell.text)
    return rf"\textbf{{{text}}}" if cell.bold and text else text


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
