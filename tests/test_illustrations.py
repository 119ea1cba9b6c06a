"""Illustrations: their numbers, their figures, and that a config's mistakes in them are named."""

import copy

import numpy as np
import pytest
from PIL import Image
from workflow_copy import ROOT, TINY

from algos.exceptions import InputError
from algos.experiments.config import check_config
from algos.experiments.figure_style import Style
from algos.experiments.published import publish_illustration
from algos.illustrations import self_paced_toy
from algos.illustrations.registry import ILLUSTRATIONS, load, make_illustration

SMALL = {"n_samples": 60, "n_estimators": 8, "grid_points": 11, "n_draws": 2}


@pytest.fixture(scope="module")
def toy():
    return self_paced_toy.compute(3, **{**self_paced_toy.DEFAULTS, **SMALL})


@pytest.mark.parametrize("kind", ILLUSTRATIONS)
def test_each_kind_says_what_it_is(kind):
    module = load(kind)
    assert module.TITLE
    assert module.CAPTION.endswith(".")
    assert module.DEFAULTS


def test_the_toy_has_as_many_wrong_labels_as_asked_and_errors_against_the_truth(toy):
    sample = [row for row in toy if row["kind"] == "sample"]
    grid = [row for row in toy if row["kind"] == "grid"]
    assert sum(row["truth"] != row["given"] for row in sample) == 6
    assert len(grid) == 121
    for method in ("boosting", "spbl"):
        wrong = np.mean([row[method] != row["truth"] for row in grid])
        assert grid[0][f"{method}_error"] == pytest.approx(100 * wrong)
    truth = self_paced_toy.truth(np.array([[row["x"], row["y"]] for row in grid]))
    assert truth.tolist() == [row["truth"] for row in grid]


def test_the_toys_mean_is_over_its_draws():
    several = self_paced_toy.compute(3, **{**self_paced_toy.DEFAULTS, **SMALL})
    singly = [self_paced_toy.compute(seed, **{**self_paced_toy.DEFAULTS, **SMALL, "n_draws": 1}) for seed in (3, 4)]
    assert several[0]["boosting_mean_error"] == pytest.approx(np.mean([rows[0]["boosting_error"] for rows in singly]))


def test_the_toy_says_what_its_marks_are_and_its_errors_name_it(toy, tmp_path):
    (legend,) = self_paced_toy.draw(toy, Style()).legends
    assert [text.get_text() for text in legend.get_texts()] == ["right label", "wrong label", "class 0", "class 1"]
    with pytest.raises(InputError, match=r"^illustration 'mine': "):
        make_illustration("self_paced_toy", {**SMALL, "n_estimators": 0}, 3, None, tmp_path / "mine")


def test_the_toy_is_drawn_with_wrong_labels_as_crosses(toy):
    figure = self_paced_toy.draw(toy, Style())
    assert [axes.get_title(loc="left").split(":")[0] for axes in figure.axes] == ["ground truth", "MultiBoost", "SPBL"]
    crosses = sum(len(line.get_xdata()) for line in figure.axes[0].get_lines() if line.get_marker() == "x")
    assert crosses == 6


def test_files_are_made_and_published(tmp_path):
    make_illustration("self_paced_toy", SMALL, 3, {"dpi": 40}, tmp_path / "toy")
    assert (tmp_path / "toy.csv").read_text().startswith("kind,x,y,truth")
    with Image.open(tmp_path / "toy.png") as image:
        assert image.width > 100
    settings = {"kind": "self_paced_toy", "params": SMALL, "seed": 3}
    publish_illustration(
        tmp_path / "toy", tmp_path / "out", settings, commit="abc", command="make it", date="2026-01-01"
    )
    page = (tmp_path / "out.md").read_text()
    assert "![Boundaries of boosting and SPBL](out.png)" in page
    assert "- commit: `abc`" in page
    assert "n_draws: 2" in page
    for suffix in ("png", "csv"):
        assert (tmp_path / f"out.{suffix}").read_bytes() == (tmp_path / f"toy.{suffix}").read_bytes()


@pytest.mark.parametrize(
    ("declared", "sentence"),
    [
        ({"kind": "self_paced_toi"}, r"toy.kind: unknown kind of illustration .* is 'self_paced_toy'"),
        ({"kind": "self_paced_toy", "params": {"n_sample": 3}}, r"params.n_sample: unknown .* is 'n_samples'"),
        ({"kind": "self_paced_toy", "params": {"nu": "1e-3"}}, r"params.nu: '1e-3' is no number. Write 0.001: YAML"),
        ({"params": {}}, r"toy: the key 'kind' is missing"),
    ],
)
def test_a_mistake_in_a_config_is_named(declared, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    config = copy.deepcopy(TINY) | {"illustrations": {"toy": declared}}
    with pytest.raises(InputError, match=sentence):
        check_config(config, [], ROOT / "workflow/schemas/config.schema.yaml", ROOT / "src")


def test_a_toy_without_samples_is_refused():
    with pytest.raises(InputError, match="give n_samples >= 10"):
        self_paced_toy.compute(0, **{**self_paced_toy.DEFAULTS, "n_samples": 3})
