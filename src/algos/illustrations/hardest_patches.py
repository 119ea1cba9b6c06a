"""The hardest and the easiest positives of some classes, as pictures (Kobetski and Sullivan 2013, figure 1)."""

import base64
import inspect
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from algos.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from algos.datasets.readers.voc_patches import ChosenWindows
    from algos.datasets.table import Table
    from algos.experiments.figure_style import Style

TITLE = "Hardest and easiest positives"
CAPTION = (
    "Training positives of each class that a first pass of LogitBoost scores lowest (upper row: what two-pass "
    "exclusion would leave out first) and highest (lower row), as patches of the size that is learnt from."
)
DEFAULTS: dict[str, Any] = {"n_each": 8, "n_estimators": 300}
#: It is made of data sets of this reader.
NEEDS_DATASETS = True
READER = "voc_patches"
#: The column that holds parts of photographs: their owners have not let us hand them on.
PHOTOGRAPHS = "png"


def check(params: Mapping[str, Any]) -> None:
    """Refuse parameters out of their range.

    Raises
    ------
    InputError
    """
    for name in DEFAULTS:
        if not isinstance(params[name], int) or params[name] < 1:
            raise InputError(f"hardest_patches: {name} is {params[name]!r}; give a whole number from 1")


def compute(
    seed: int, datasets: Mapping[str, tuple[Mapping[str, Any], Sequence[Any], Any]], **params: Any
) -> list[dict[str, Any]]:
    """Return the hardest and the easiest positives.

    Parameters
    ----------
    seed : int
        Not used: nothing is random.
    datasets : dict
        Name -> (registry entry, its files, its table's file).
    **params
        As `DEFAULTS`.

    Returns
    -------
    list of dict
        ``dataset``, ``kind`` ("hardest" or "easiest"), ``rank`` from 1, ``score``, ``image``, ``left``, ``top``,
        ``right``, ``bottom`` and ``png``, the patch as Base64 text.

    Raises
    ------
    InputError
        When a parameter is out of its range, a data set's table does not fit its files, or has fewer positives than are
        asked for.
    """
    from algos.datasets.storage import read_table

    check(params)
    rows = []
    for name, (entry, files, table) in datasets.items():
        rows += _of_class(name, entry, files, read_table(table), params)
    return rows


def _of_class(
    name: str, entry: Mapping[str, Any], files: Sequence[Any], table: "Table", params: Mapping[str, Any]
) -> list[dict[str, Any]]:
    from algos.binary.logitboost import LogitBoost
    from algos.features.patches import cut

    found = _windows(name, entry, files, table)
    windows = found.windows
    train = np.flatnonzero((table.roles == "sample") & (table.split == "train"))
    model = LogitBoost(n_estimators=params["n_estimators"]).fit(table.X[train], table.y[train])
    positives = train[table.y[train] == "positive"]
    if len(positives) < 2 * params["n_each"]:
        raise InputError(f"{name}: has {len(positives)} training positives; ask for fewer pictures (n_each)")
    scores = model.decision_function(table.X[positives])
    order = np.argsort(scores, kind="stable")
    rows = []
    for kind, chosen in (("hardest", order[: params["n_each"]]), ("easiest", order[::-1][: params["n_each"]])):
        patches, _, _ = cut(found.images, windows.take(positives[chosen]), found.size, on_error="raise")
        for rank, (at, patch) in enumerate(zip(chosen.tolist(), patches, strict=True), 1):
            image, box = windows.image[positives[at]], windows.box[positives[at]]
            corners = dict(zip(("left", "top", "right", "bottom"), box.tolist(), strict=True))
            about = {"dataset": name, "kind": kind, "rank": rank, "score": float(scores[at]), "image": str(image)}
            rows.append({**about, **corners, "png": _png(patch)})
    return rows


def _windows(name: str, entry: Mapping[str, Any], files: Sequence[Any], table: "Table") -> "ChosenWindows":
    """Choose a data set's windows anew, in the order of its table."""
    from algos.datasets.readers.voc_patches import choose_windows, load_voc_patches
    from algos.datasets.registry import reader_of

    reader, options = reader_of(entry)
    if reader is not load_voc_patches:
        raise InputError(f"{name}: is read by {entry['reader']!r}; pictures are made of data sets of 'voc_patches'")
    given = inspect.signature(load_voc_patches).bind(list(files), **options)
    given.apply_defaults()
    chosen = choose_windows(**given.arguments)
    # Of an image that could not be decoded the table has no window at all.
    kept = np.isin(chosen.windows.image, table.groups)
    chosen = replace(chosen, windows=chosen.windows.take(kept), split=chosen.split[kept])
    if len(chosen.windows) != len(table.y) or (chosen.windows.image != table.groups).any():
        raise InputError(f"{name}: its table does not hold the windows that its entry tells; make it anew")
    return chosen


def _png(patch: np.ndarray) -> str:
    import PIL.Image

    stream = io.BytesIO()
    PIL.Image.fromarray(patch).save(stream, "PNG", optimize=True)
    return base64.b64encode(stream.getvalue()).decode("ascii")


def draw(rows: Sequence[Mapping[str, Any]], style: "Style") -> "Figure":
    """Draw two rows of pictures a class."""
    import matplotlib.pyplot as plt
    import PIL.Image

    from algos.experiments.figure_style import drawing

    lines: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        lines.setdefault((row["dataset"], row["kind"]), []).append(row)
    n_columns = max(map(len, lines.values()))
    with drawing(style):
        size = (style.full_width, style.full_width / n_columns * len(lines) * 1.1)
        figure, axes = plt.subplots(len(lines), n_columns, figsize=size, squeeze=False, layout="constrained")
        above = 1.2 * style.font_size / 72  # room for the text above each row
        figure.get_layout_engine().set(h_pad=above, rect=(0, 0, 1, 1 - above / size[1]))
        for line, ((dataset, kind), pictures) in zip(axes, lines.items(), strict=True):
            for one, row in zip(line, pictures, strict=False):
                one.imshow(PIL.Image.open(io.BytesIO(base64.b64decode(row["png"]))))
            for one in line:
                one.set(xticks=[], yticks=[])
                one.set_frame_on(False)
            # No title: wider than its picture, it would push the others aside.
            place = {"transform": line[0].transAxes, "va": "bottom", "in_layout": False}
            line[0].text(0, 1.03, f"{dataset}: {kind}", **place)
        return figure
