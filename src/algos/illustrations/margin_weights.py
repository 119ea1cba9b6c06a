"""The weight functions of the boosters against the margin (Kobetski and Sullivan 2013, figure 3)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from algos.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from algos.experiments.figure_style import Style

TITLE = "Weight functions"
CAPTION = (
    "Minus the derivative of each booster's loss at each margin y H, from the code that trains. RobustBoost's depends "
    "on its time t. What training makes of it may be bounded: LogitBoost clips its response, TangentBoost truncates "
    "its. The exclusion weight is what an outlier has in the second pass, where eta is 100 by default."
)
DEFAULTS: dict[str, Any] = {"error_goal": 0.1, "margin_goal": 0.0, "sigma_f": 0.1, "eta": 10.0, "n_points": 401}
_ROBUST_TIMES = (0.1, 0.9)


def check(params: Mapping[str, Any]) -> None:
    """Refuse parameters out of their range.

    Raises
    ------
    InputError
    """
    if not 0 < params["error_goal"] < 0.5 or params["sigma_f"] <= 0 or params["eta"] <= 0 or params["n_points"] < 2:
        raise InputError("margin_weights: give 0 < error_goal < 0.5, sigma_f > 0, eta > 0 and n_points >= 2")


def compute(seed: int, **params: Any) -> list[dict[str, Any]]:
    """Return the weight functions at margins from -4 to 4.

    Returns
    -------
    list of dict
        ``panel`` ("convex" or "robust"), ``name``, ``margin`` and ``weight``.

    Raises
    ------
    InputError
        When a parameter is out of its range.
    """
    from algos.binary.losses import BoundedLogisticLoss, ExponentialLoss, LogitLoss, RobustLoss, TangentLoss

    check(params)
    goals = (params["error_goal"], params["margin_goal"], params["sigma_f"])
    robust = RobustLoss.for_error_goal(*goals, "unit")
    losses = [
        *(("robust", f"RobustBoost (t = {time:g})", robust.replace(time=time)) for time in _ROBUST_TIMES),
        ("robust", "TangentBoost", TangentLoss()),
        ("robust", f"exclusion (eta = {params['eta']:g})", BoundedLogisticLoss(params["eta"], 1.0)),
        ("convex", "AdaBoost, GentleBoost", ExponentialLoss()),
        ("convex", "LogitBoost", LogitLoss()),
    ]
    margins = np.linspace(-4, 4, int(params["n_points"]))
    return [
        {"panel": panel, "name": name, "margin": v, "weight": w}
        for panel, name, loss in losses
        for v, w in zip(margins.tolist(), loss.weight(margins).tolist(), strict=True)
    ]


def draw(rows: Sequence[Mapping[str, Any]], style: "Style") -> "Figure":
    """Draw a panel of robust and one of convex losses."""
    from algos.experiments.figure_style import (
        DASHES,
        add_legend,
        drawing,
        label_outer,
        make_panels,
        method_look,
        set_title,
    )

    titles = {"robust": "robust losses", "convex": "convex losses"}
    with drawing(style):
        figure, axes = make_panels(len(titles), style)
        handles = []
        for one, (panel, title) in zip(axes, titles.items(), strict=True):
            curves: dict[str, tuple[list[float], list[float]]] = {}
            for row in rows:
                if row["panel"] == panel:
                    margins, weights = curves.setdefault(row["name"], ([], []))
                    margins.append(row["margin"])
                    weights.append(row["weight"])
            for name, curve in curves.items():
                handles += one.plot(*curve, label=name, **method_look(len(handles), style, linestyle=DASHES))
            one.axhline(0, color="0.8", linewidth=0.6, zorder=0)
            one.set(xlim=(-4, 4), ylim=(-0.8, 8))
            set_title(one, title)
        label_outer(axes, "margin y H", "weight")
        add_legend(figure, handles, style, (2, 3))
        return figure
