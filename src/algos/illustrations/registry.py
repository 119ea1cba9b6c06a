"""The illustrations a config may ask for by name, and how one is made.

A module of an illustration has ``TITLE`` and ``CAPTION`` (text), ``DEFAULTS`` (its parameters), ``check(params)``,
which refuses those out of their range, ``compute(seed, **params)``, which checks them and returns rows (dicts with the
same keys), and ``draw(rows, style)``, which makes the figure of these rows alone. One with ``NEEDS_DATASETS`` is told
in the config which data sets it is made of, and its ``compute`` gets them: ``datasets``, name -> (registry entry, its
files, its table's file); ``READER`` is the only reader whose data sets will do. ``PHOTOGRAPHS`` names a column with
parts of photographs that are not ours to hand on: it and the figure are drawn, but never published.
"""

import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: Name -> module, imported only where it is asked for.
ILLUSTRATIONS: dict[str, str] = {
    kind: f"algos.illustrations.{kind}"
    for kind in ("self_paced_toy", "exclusion_toy", "hardest_patches", "margin_weights")
}


def load(kind: str) -> Any:
    """Return the module of an illustration."""
    return importlib.import_module(ILLUSTRATIONS[kind])


def needs_datasets(kind: str) -> bool:
    """Tell whether an illustration is made of data sets."""
    return getattr(load(kind), "NEEDS_DATASETS", False)


def needed_reader(kind: str) -> str | None:
    """Return the reader of the data sets that an illustration can be made of, None where any will do."""
    return getattr(load(kind), "READER", None)


def photographs(kind: str) -> str | None:
    """Return the column of an illustration that holds parts of photographs, None where it shows none."""
    return getattr(load(kind), "PHOTOGRAPHS", None)


def make_illustration(
    kind: str,
    params: Mapping[str, Any],
    seed: int,
    style: Mapping[str, Any] | None,
    stem: str | os.PathLike,
    datasets: Mapping[str, Any] | None = None,
) -> None:
    """Compute and draw an illustration: ``<stem>.csv`` with its numbers, ``<stem>.png`` and ``<stem>.pdf``.

    Parameters
    ----------
    kind : str
        A key of `ILLUSTRATIONS`.
    params : dict
        Parameters that differ from the module's ``DEFAULTS``.
    seed : int
    style : dict or None
        The config's ``figures`` section.
    stem : path-like
        Where the files go.
    datasets : dict, optional
        What it is made of, where it needs data sets.

    Raises
    ------
    InputError
        When a parameter, the style or a data set is not usable; it names the illustration.
    """
    from algos.exceptions import InputError
    from algos.experiments.figure_style import Style, save_figure
    from algos.experiments.tables import write_csv

    module, stem = load(kind), Path(stem)
    look = Style.from_config(style)
    made_of = {"datasets": datasets} if needs_datasets(kind) else {}
    try:
        rows = module.compute(seed, **made_of, **{**module.DEFAULTS, **params})
    except ValueError as error:  # InputError is one; so is what an estimator says of a parameter
        raise InputError(f"illustration {stem.name!r}: {error}") from None
    write_csv(stem.with_name(f"{stem.name}.csv"), list(rows[0]), rows)
    save_figure(module.draw(rows, look), stem, look, module.TITLE)
