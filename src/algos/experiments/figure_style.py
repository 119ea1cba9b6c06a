"""How figures look: the config's style, grids of panels, labels, and files without dates in them."""

import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from algos.exceptions import InputError
from algos.files import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Style:
    """How figures look: the ``figures`` section of a config.

    Attributes
    ----------
    width : {"auto", "column", "full"}
        Which of the two widths figures have; ``auto`` gives figures of more than two panels the full one.
    column_width, full_width : float
        Inches.
    font_size, line_width, marker_size : float
        Points.
    dpi : int
        Pixels an inch of the PNG files.
    colors : tuple of str
        Hexadecimal colours, used in this order.
    """

    width: str = "auto"
    column_width: float = 3.3
    full_width: float = 6.9
    font_size: float = 8.0
    line_width: float = 1.3
    marker_size: float = 4.5
    dpi: int = 200
    colors: tuple[str, ...] = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

    @classmethod
    def from_config(cls, section: Mapping[str, Any] | None) -> "Style":
        """Return the style of a config section.

        Raises
        ------
        InputError
            When a key is unknown or a value is not usable.
        """
        section = dict(section or {})
        known = [field.name for field in fields(cls)]
        for key in section:
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1, cutoff=0)[0]
                raise InputError(f"figures: unknown key {key!r}; the nearest one is {near!r}")
        if "colors" in section:
            section["colors"] = tuple(section["colors"])
        style = cls(**section)
        style._check()
        return style

    def _check(self) -> None:
        from matplotlib.colors import is_color_like

        if self.width not in ("auto", "column", "full"):
            raise InputError(f"figures: width is {self.width!r}; it is one of auto, column, full")
        for key in ("column_width", "full_width", "font_size", "line_width", "marker_size", "dpi"):
            value = getattr(self, key)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 2000:
                raise InputError(f"figures: {key} is {value!r}; it must be a positive number")
        if not self.colors or not all(isinstance(color, str) and is_color_like(color) for color in self.colors):
            raise InputError(f"figures: colors is {list(self.colors)!r}; give colours like '#0072B2'")

    def figure_width(self, n_panels: int) -> float:
        """Return the width in inches of a figure with so many panels."""
        full = self.width == "full" or (self.width == "auto" and n_panels > 2)
        return self.full_width if full else self.column_width

    def rc(self) -> dict[str, Any]:
        """Return the settings for matplotlib that this style means."""
        return {
            "font.family": "DejaVu Sans",  # comes with matplotlib: the same letters on every machine
            "font.size": self.font_size,
            "axes.titlesize": self.font_size,
            "axes.labelsize": self.font_size,
            "xtick.labelsize": self.font_size - 1,
            "ytick.labelsize": self.font_size - 1,
            "legend.fontsize": self.font_size,
            "legend.frameon": False,
            "lines.linewidth": self.line_width,
            "lines.markersize": self.marker_size,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": "#dddddd",
            "grid.linewidth": 0.5,
            "pdf.fonttype": 42,  # text stays text
        }


#: Markers that are told apart at the size of a point.
MARKERS = "osD^vP"

#: Line styles that are told apart.
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)), (0, (7, 1.5, 1, 1.5, 1, 1.5)))

#: How much larger a marker is drawn that covers little of its square.
MARKER_SCALE = {"*": 1.7, "P": 1.3, "X": 1.3}


def method_look(index: int, style: Style, markers: str = "", **slower: Sequence[Any]) -> dict[str, Any]:
    """Return how a figure draws its method number `index`, as arguments of matplotlib's ``plot``.

    With each method the colour changes, and so does the marker where `markers` are given. Where all pairs of these are
    used up, the next value of the first `slower` property follows, where these are used up, too, that of the second:
    no two methods look the same before all combinations have been used.

    Parameters
    ----------
    index : int
    style : Style
    markers : str
    **slower : sequence
        Name of a property -> its values.
    """
    n_colors = len(style.colors)
    look: dict[str, Any] = {"color": style.colors[index % n_colors]}
    period = n_colors
    if markers:
        look["marker"] = markers[index % len(markers)]
        period = math.lcm(n_colors, len(markers))
    for name, values in slower.items():
        look[name] = values[index // period % len(values)]
        period *= len(values)
    return look


@contextmanager
def drawing(style: Style) -> Iterator[None]:
    """Draw with the style's settings on matplotlib's own defaults, whatever a user's matplotlibrc says."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(style.rc())
        yield


def make_panels(n: int, style: Style, wide: bool = False) -> tuple["Figure", list["Axes"]]:
    """Return a figure with `n` axes in a grid that fits its width; `wide` panels are at most two in a row."""
    from matplotlib.figure import Figure

    width = style.figure_width(n)
    columns = min(n, max(1, int(width / (3.2 if wide else 1.6))))
    if n > columns:  # no nearly empty last row: 9 panels are 3 x 3, not 4 + 4 + 1
        columns = min((columns, max(columns - 1, 2)), key=lambda c: (-n % c, -c))
    rows = math.ceil(n / columns)
    height = min(max(0.72 * width / columns, 1.45), 2.4 if wide else 2.2)
    figure = Figure(figsize=(width, rows * height + 0.45), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for empty in axes[n:]:
        empty.remove()
    return figure, list(axes[:n])


def set_title(axes: "Axes", text: str) -> None:
    """Set a panel's title, in lines as long as a panel is wide."""
    letters = int(panel_inches(axes) / letter_inches(axes.title.get_fontsize()))
    axes.set_title(broken(literal(text), max(12, letters)), loc="left")


def letter_inches(font_size: float) -> float:
    """Return the mean width of a letter of DejaVu Sans, in inches."""
    return 0.58 * font_size / 72


def broken(text: str, letters: int) -> str:
    """Return text in lines of so many letters, broken between words; in a name only where it alone is longer."""
    import re
    import textwrap

    lines: list[str] = []
    for line in textwrap.wrap(text, letters, break_long_words=False, break_on_hyphens=False):
        lines.append("")
        # A name that fits on no line is parted after its own joints.
        for piece in re.findall(r".+?(?:[_/-]|$)", line) if len(line) > letters else [line]:
            if lines[-1] and len(lines[-1] + piece) > letters:
                lines.append("")
            lines[-1] += piece
    return "\n".join(lines)


def text_inches(text: str, font_size: float) -> float:
    """Return the width of the longest line of a text, in inches."""
    from matplotlib.textpath import TextPath

    lines = [line for line in text.split("\n") if line.strip()]
    return max((TextPath((0, 0), line, size=font_size).get_extents().width / 72 for line in lines), default=0.0)


def fitted(text: str, inches: float, font_size: float) -> str:
    """Return text in lines that are no wider than so many inches, broken as by `broken`."""
    letters = max(int(1.25 * inches / letter_inches(font_size)), 12)
    while letters > 12 and text_inches(literal(broken(text, letters)), font_size) > inches:
        letters -= 1
    return literal(broken(text, letters))


def panel_inches(axes: "Axes") -> float:
    """Return about how wide a panel of the grid will be, before the layout is computed."""
    return axes.figure.get_figwidth() / axes.get_gridspec().ncols - 0.45


def halo() -> Any:
    """Return a white outline that keeps small text legible on lines."""
    from matplotlib.patheffects import withStroke

    return withStroke(linewidth=1.5, foreground="white")


def literal(text: str) -> str:
    """Return text in which a dollar sign is a dollar sign and starts no formula."""
    return text.replace("$", r"\$")


def label_outer(axes: Sequence["Axes"], x: str, y: str) -> None:
    """Label y in the first column and x below the last panel of each column."""
    columns = axes[0].get_gridspec().ncols
    for i, one in enumerate(axes):
        if i % columns == 0:
            set_y_label(one, y)
        if i + columns >= len(axes):
            one.set_xlabel(x)


def set_y_label(axes: "Axes", text: str) -> None:
    """Label the y axis, in lines as long as a panel is high; a unit stays beside the last word."""
    inches = axes.figure.get_figheight() / axes.get_gridspec().nrows - 0.6
    lines = fitted(text.replace(" (", "\N{NO-BREAK SPACE}("), inches, axes.yaxis.label.get_fontsize())
    axes.set_ylabel(lines.replace("\N{NO-BREAK SPACE}", " "))


def add_legend(figure: "Figure", handles: Sequence[Any], style: Style, columns: tuple[int, int]) -> None:
    """Put a legend above the panels and make the figure higher by as much.

    `columns` are the most of a narrow figure and of a wide one. There are fewer where labels are long, and a label
    longer than the figure is wide has several lines.
    """
    em, labels = style.font_size / 72, [str(handle.get_label()) for handle in handles]

    def room(n_columns: int) -> float:
        # A line of 2 em and spaces of 0.8 and 2 em belong to each label.
        return figure.get_figwidth() / n_columns - 5 * em

    longest = max(labels, key=len, default="")
    inches = text_inches(longest, style.font_size)
    most = columns[0] if figure.get_figwidth() < 5 else columns[1]
    n_columns = next((n for n in range(most, 0, -1) if inches <= room(n)), 1)
    if inches > room(n_columns):
        labels = [broken(label, int(room(n_columns) / letter_inches(style.font_size))) for label in labels]
    n_rows = math.ceil(len(labels) / n_columns)
    lines = max(
        (sum(label.count("\n") + 1 for label in labels[i : i + n_rows]) for i in range(0, len(labels), n_rows or 1)),
        default=0,
    )
    figure.set_figheight(figure.get_figheight() + lines * 1.6 * em)
    figure.legend(handles, labels, loc="outside upper center", ncols=n_columns)


def plain_log_ticks(axis: Any, dense: bool) -> None:
    """Put plain numbers on a logarithmic axis whose limits are set: 1, 2, 5, 10 ... when `dense`, else powers of ten.

    Where fewer than two of these lie within the limits there are more of them.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    locator: Any = MaxNLocator(3, min_n_ticks=2)
    for steps in ((1,), (1, 2, 5), range(1, 10))[dense:]:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        shown = sum(low <= step * 10.0**power <= high for power in powers for step in steps)
        if shown > 1 and (len(steps) < 9 or shown < 5):  # more of them, less than a decade apart, would overlap
            locator = LogLocator(10, subs=tuple(steps), numticks=20)
            break
    axis.set_major_locator(locator)
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def save_figure(
    figure: "Figure", stem: Path, style: Style, title: str, why_not: str | None = None, note: str = ""
) -> None:
    """Write ``<stem>.png`` and ``<stem>.pdf`` without dates or program versions in them.

    `why_not`, the sentence of a figure with nothing to draw, goes into the PNG's description, and `note`, what is to be
    said of this one beside the caption, into its comment: there the report finds them.
    """
    about = {"Title": title, "Description": why_not, "Comment": note}
    with drawing(style):
        with atomic_write(stem.with_name(f"{stem.name}.png")) as temporary:
            _save_png(figure, temporary, style.dpi, {key: text for key, text in about.items() if text})
        with atomic_write(stem.with_name(f"{stem.name}.pdf")) as temporary:
            metadata = {"CreationDate": None, "Creator": None, "Producer": None, "Title": title}
            figure.savefig(temporary, format="pdf", metadata=metadata)


def _save_png(figure: "Figure", path: Path, dpi: int, metadata: Mapping[str, str]) -> None:
    """Save with a palette of 128 colours: charts look the same and take a third of the space."""
    import io

    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    for key, text in metadata.items():
        info.add_itxt(key, text)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, facecolor="white", metadata={"Software": None})
    with Image.open(buffer) as image:
        palette = image.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    palette.save(path, format="PNG", optimize=True, dpi=(dpi, dpi), pnginfo=info)
