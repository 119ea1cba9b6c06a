"""What outliers and hard inliers do to boosted stumps on a plane (Kobetski and Sullivan 2013, figures 2 and 4)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from algos.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from algos.experiments.figure_style import Style

TITLE = "Boosted stumps, outliers and hard inliers"
CAPTION = (
    "Positives (circles) and negatives (crosses) with a few positives apart: in the midst of the negatives, where they "
    "are outliers, or beyond them, where they are few but can be learnt. Colour: the estimated probability of a "
    "positive (of RobustBoost, which estimates none, the logistic function of twice its score); the line is where it "
    "is one half."
)
#: `sample` is "outliers" or "hard_inliers"; `n_apart` positives lie apart. The second pass excludes `fraction` of all
#: positives: a few more, since some at the border are as hard.
DEFAULTS: dict[str, Any] = {
    "sample": "outliers",
    "n_each": 100,
    "n_apart": 5,
    "fraction": 0.08,
    "n_estimators": 200,
    "error_goal": 0.05,
    "margin_goal": 0.2,
    "grid_points": 81,
}
#: Centre and spread of the positives that lie apart.
_APART = {"outliers": ((1.1, 0.2), 0.12), "hard_inliers": ((1.0, 2.4), 0.25)}
_PANELS = {
    "adaboost": "AdaBoost",
    "tangentboost": "TangentBoost",
    "robustboost": "RobustBoost",
    "two_pass": "AdaBoost, two passes",
}


def check(params: Mapping[str, Any]) -> None:
    """Refuse parameters out of their range.

    Raises
    ------
    InputError
    """
    if params["sample"] not in _APART:
        raise InputError(f"exclusion_toy: sample is {params['sample']!r}; give one of {', '.join(_APART)}")
    if params["n_each"] < 10 or not 0 < params["n_apart"] < params["n_each"] or not 0 <= params["fraction"] < 1:
        raise InputError("exclusion_toy: give n_each >= 10, 0 < n_apart < n_each and 0 <= fraction < 1")


def compute(seed: int, **params: Any) -> list[dict[str, Any]]:
    """Return the sample, and each method's probabilities on a grid.

    Returns
    -------
    list of dict
        ``kind`` ("sample" or "grid"), ``x``, ``y``, ``label`` (1 or 0) and ``apart`` (1 or 0) of the sample, and a
        column of probabilities a method, of the grid.

    Raises
    ------
    InputError
        When a parameter is out of its range.
    """
    check(params)
    X, label, apart = _draw_sample(seed, params)
    axes = (np.linspace(-2.8, 2.8, params["grid_points"]), np.linspace(-2.2, 3.4, params["grid_points"]))
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    columns = {name: model.fit(X, label) for name, model in _models(params).items()}
    found = {name: _probability(model, grid).tolist() for name, model in columns.items()}
    rows = [
        {"kind": "sample", "x": x, "y": y, "label": one, "apart": other, **dict.fromkeys(_PANELS)}
        for (x, y), one, other in zip(X.tolist(), label.tolist(), apart.tolist(), strict=True)
    ]
    return rows + [
        {"kind": "grid", "x": x, "y": y, "label": None, "apart": None, **{name: found[name][i] for name in _PANELS}}
        for i, (x, y) in enumerate(grid.tolist())
    ]


def _draw_sample(seed: int, params: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng, n, (centre, spread) = np.random.default_rng(seed), params["n_each"], _APART[params["sample"]]
    n_apart = params["n_apart"]
    positives = rng.normal((-1.0, 0.0), 0.42, (n, 2))
    negatives = rng.normal((1.0, 0.0), 0.42, (n, 2))
    few = rng.normal(centre, spread, (n_apart, 2))
    label = np.repeat([1, 0, 1], [n, n, n_apart])
    return np.vstack([positives, negatives, few]), label, np.repeat([0, 0, 1], [n, n, n_apart])


def _models(params: Mapping[str, Any]) -> dict[str, Any]:
    from algos.binary.adaboost import AdaBoost
    from algos.binary.exclusion import TwoPassExclusion
    from algos.binary.robustboost import RobustBoost
    from algos.binary.tangentboost import TangentBoost

    rounds = {"n_estimators": params["n_estimators"]}
    goals = {"error_goal": params["error_goal"], "margin_goal": params["margin_goal"], "rules": "stump"}
    return {
        "adaboost": AdaBoost(**rounds),
        "tangentboost": TangentBoost(**rounds),
        "robustboost": RobustBoost(**rounds, **goals),
        "two_pass": TwoPassExclusion(AdaBoost(**rounds), fraction=params["fraction"]),
    }


def _probability(model: Any, X: np.ndarray) -> np.ndarray:
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)[:, 1]
    return 1 / (1 + np.exp(-2 * np.clip(model.decision_function(X), -300, 300)))


def draw(rows: Sequence[Mapping[str, Any]], style: "Style") -> "Figure":
    """Draw a panel a method."""
    from matplotlib.cm import ScalarMappable

    from algos.experiments.figure_style import drawing, make_panels, set_title

    sample, grid = ([row for row in rows if row["kind"] == kind] for kind in ("sample", "grid"))
    n = round(len(grid) ** 0.5)
    x, y = [row["x"] for row in grid[:n]], [row["y"] for row in grid[::n]]
    with drawing(style):
        figure, axes = make_panels(len(_PANELS), style)
        for one, (method, name) in zip(axes, _PANELS.items(), strict=True):
            p = np.array([row[method] for row in grid]).reshape(n, n)
            one.pcolormesh(x, y, p, cmap="RdBu", vmin=0, vmax=1, rasterized=True)
            one.contour(x, y, p, levels=[0.5], colors="black", linewidths=0.6 * style.line_width)
            for label, marker in ((1, "o"), (0, "x")):
                points = [row for row in sample if row["label"] == label]
                places = ([row["x"] for row in points], [row["y"] for row in points])
                one.plot(*places, marker, color="black", markerfacecolor="none", markersize=0.45 * style.marker_size)
            one.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]), xticks=[], yticks=[], aspect="equal")
            set_title(one, name)
        scale = figure.colorbar(ScalarMappable(cmap="RdBu"), ax=axes, shrink=0.8, ticks=[0, 0.5, 1])
        scale.set_label("probability of a positive")
        return figure
