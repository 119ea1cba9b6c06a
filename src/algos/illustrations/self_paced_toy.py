"""Decision boundaries of boosting and SPBL on a toy with wrong labels (Pi et al. 2016, figure 1)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from algos.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from algos.experiments.figure_style import Style

TITLE = "Boundaries of boosting and SPBL"
CAPTION = (
    "Two classes parted by a sine wave, with some wrong labels (crosses): ground truth, MultiBoost and SPBL, both with "
    "logistic units and after their last round. In brackets the error against the ground truth over the square, here "
    "and as mean over several draws of the sample."
)
#: `n_draws` samples give the mean errors; the first of them is drawn.
DEFAULTS: dict[str, Any] = {
    "n_samples": 200,
    "wrong_percent": 10,
    "nu": 1e-3,
    "n_estimators": 100,
    "pace_factor": 1.02,
    "grid_points": 81,
    "n_draws": 20,
}
_PANELS = {"truth": "ground truth", "boosting": "MultiBoost", "spbl": "SPBL"}


def truth(X: np.ndarray) -> np.ndarray:
    """Return the class, 0 or 1, of points of the square [-1, 1]^2: above or below half a sine wave."""
    return (X[:, 1] > 0.5 * np.sin(np.pi * X[:, 0])).astype(int)


def check(params: Mapping[str, Any]) -> None:
    """Refuse parameters out of their range.

    Raises
    ------
    InputError
    """
    if params["n_samples"] < 10 or params["n_draws"] < 1 or not 0 <= params["wrong_percent"] < 50:
        raise InputError("self_paced_toy: give n_samples >= 10, n_draws >= 1 and 0 <= wrong_percent < 50")


def compute(seed: int, **params: Any) -> list[dict[str, Any]]:
    """Return the points of the first sample, and a grid with each method's decisions.

    Returns
    -------
    list of dict
        ``kind`` ("sample" or "grid"), ``x``, ``y``, ``truth``, ``given`` (the label learned from, of a sample),
        ``boosting`` and ``spbl`` (decisions, of the grid), ``boosting_error``, ``spbl_error``, ``boosting_mean_error``
        and ``spbl_mean_error`` (percent, in each row).

    Raises
    ------
    InputError
        When a parameter is out of its range.
    """
    check(params)
    axis = np.linspace(-1, 1, params["grid_points"])
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    draws = [_draw_sample(seed + i, params) for i in range(params["n_draws"])]
    decided = [_decide(X, given, grid, params, seed) for X, given in draws]
    errors = 100 * np.mean(np.array(decided) != truth(grid), axis=2)
    told = {
        f"{method}_{name}": float(values[i])
        for name, values in (("error", errors[0]), ("mean_error", errors.mean(axis=0)))
        for i, method in enumerate(("boosting", "spbl"))
    }
    X, given = draws[0]
    rows = [
        {"kind": "sample", "x": x, "y": y, "truth": t, "given": g, "boosting": None, "spbl": None, **told}
        for (x, y), t, g in zip(X.tolist(), truth(X).tolist(), given.tolist(), strict=True)
    ]
    return rows + [
        {"kind": "grid", "x": x, "y": y, "truth": t, "given": None, "boosting": b, "spbl": s, **told}
        for (x, y), t, b, s in zip(
            grid.tolist(), truth(grid).tolist(), *(part.tolist() for part in decided[0]), strict=True
        )
    ]


def _draw_sample(seed: int, params: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (params["n_samples"], 2))
    given = truth(X)
    wrong = rng.permutation(len(X))[: round(params["wrong_percent"] / 100 * len(X))]
    given[wrong] = 1 - given[wrong]
    return X, given


def _decide(
    X: np.ndarray, given: np.ndarray, grid: np.ndarray, params: Mapping[str, Any], seed: int
) -> tuple[np.ndarray, np.ndarray]:
    from algos.selfpaced.spbl import MultiBoostClassifier, SPBLClassifier

    common = {"n_estimators": params["n_estimators"], "nu": params["nu"], "random_state": seed}
    boosting = MultiBoostClassifier(**common).fit(X, given)
    spbl = SPBLClassifier(**common, pace_factor=params["pace_factor"]).fit(X, given)
    return boosting.predict(grid), spbl.predict(grid)


def draw(rows: Sequence[Mapping[str, Any]], style: "Style") -> "Figure":
    """Draw a panel each for ground truth, boosting and SPBL."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    from algos.experiments.figure_style import add_legend, drawing, make_panels, set_title

    sample, grid = ([row for row in rows if row["kind"] == kind] for kind in ("sample", "grid"))
    n = round(len(grid) ** 0.5)
    with drawing(style):
        figure, axes = make_panels(3, style)
        for one, (method, name) in zip(axes, _PANELS.items(), strict=True):
            decided = np.array([row[method] for row in grid]).reshape(n, n)
            shades = [style.colors[0], style.colors[1]]
            one.contourf(*_axes_of(grid, n), decided, levels=[-0.5, 0.5, 1.5], colors=shades, alpha=0.2)
            for label in (0, 1):
                for right, marker in ((True, "o"), (False, "x")):
                    points = [p for p in sample if p["given"] == label and (p["given"] == p["truth"]) == right]
                    places = ([p["x"] for p in points], [p["y"] for p in points])
                    one.plot(*places, marker, color=shades[label], markersize=0.55 * style.marker_size)
            told = "" if method == "truth" else _errors(rows[0], method)
            one.set(xlim=(-1, 1), ylim=(-1, 1), xticks=[], yticks=[], aspect="equal")
            set_title(one, name + told)
        kinds = {"o": "right label", "x": "wrong label"}
        look = {"linestyle": "", "color": "#555555", "markersize": 0.8 * style.marker_size}
        handles = [Line2D([], [], marker=marker, label=kind, **look) for marker, kind in kinds.items()]
        handles += [Patch(color=style.colors[i], alpha=0.4, label=f"class {i}") for i in (0, 1)]
        add_legend(figure, handles, style, (2, 4))
        return figure


def _errors(row: Mapping[str, Any], method: str) -> str:
    # Spaces that do not break a line.
    return f": {row[f'{method}_error']:.1f}\u00a0% (mean\u00a0{row[f'{method}_mean_error']:.1f}\u00a0%)"


def _axes_of(grid: Sequence[Mapping[str, Any]], n: int) -> tuple[list[float], list[float]]:
    return [row["x"] for row in grid[:n]], [row["y"] for row in grid[::n]]
