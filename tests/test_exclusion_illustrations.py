"""Figures 1 to 4 of two-pass exclusion: what they show, from the same code that trains."""

import base64
import io
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
from test_voc_patches import SMALL, files  # noqa: F401
from voc_tree import write_folder

from algos.binary.losses import ExponentialLoss, TangentLoss
from algos.datasets import load_registry, read_dataset
from algos.datasets.storage import write_table
from algos.exceptions import InputError
from algos.experiments.config import check_config
from algos.experiments.published import publish_illustration
from algos.experiments.sources import import_closure
from algos.illustrations import exclusion_toy, hardest_patches, margin_weights
from algos.illustrations.registry import ILLUSTRATIONS, make_illustration

ROOT = Path(__file__).parent.parent


def toy(**changes):
    given = {**exclusion_toy.DEFAULTS, "n_estimators": 60, "grid_points": 41, **changes}
    rows = exclusion_toy.compute(2013, **given)
    sample = [row for row in rows if row["kind"] == "sample"]
    return sample, [row for row in rows if row["kind"] == "grid"]


def nearest(grid, point, method):
    return min(grid, key=lambda row: (row["x"] - point["x"]) ** 2 + (row["y"] - point["y"]) ** 2)[method]


def test_outliers_bend_adaboost_and_no_longer_after_two_passes():
    sample, grid = toy(grid_points=161)
    outliers = [row for row in sample if row["apart"]]
    assert len(outliers) == 5
    assert all(nearest(grid, row, method) < 0.5 for row in outliers for method in ("robustboost", "two_pass"))
    inside = [row for row in grid if 0.4 < row["x"] < 1.8 and -1 < row["y"] < 1]
    wrong = {method: np.mean([row[method] > 0.5 for row in inside]) for method in ("adaboost", "two_pass")}
    assert wrong["adaboost"] > 0
    assert wrong["two_pass"] == 0


def test_hard_inliers_are_given_up_by_robustboost_and_learnt_by_adaboost():
    sample, grid = toy(sample="hard_inliers", n_apart=8)
    centre = {"x": 1.0, "y": 2.4}
    assert sum(row["apart"] for row in sample) == 8
    assert nearest(grid, centre, "adaboost") > 0.5
    assert nearest(grid, centre, "robustboost") < 0.5


@pytest.mark.parametrize("changes", [{"sample": "inliers"}, {"n_apart": 0}, {"n_each": 5}])
def test_a_toy_that_cannot_be_drawn(changes):
    with pytest.raises(InputError, match="exclusion_toy"):
        toy(**changes)


def test_weight_functions_are_those_of_training():
    rows = margin_weights.compute(0, **margin_weights.DEFAULTS)
    curves = {}
    for row in rows:
        curves.setdefault(row["name"], []).append((row["margin"], row["weight"]))
    assert len(curves) == 6
    for name, loss in (("AdaBoost, GentleBoost", ExponentialLoss()), ("TangentBoost", TangentLoss())):
        margins, weights = np.array(curves[name]).T
        assert np.array_equal(weights, loss.weight(margins))
    margins, weights = np.array(curves["exclusion (eta = 10)"]).T
    assert weights.max() == weights[margins == 0] == 1
    assert weights[np.abs(margins) > 1].max() < 1e-3
    with pytest.raises(InputError, match="margin_weights"):
        margin_weights.compute(0, **{**margin_weights.DEFAULTS, "error_goal": 0.5})


def test_pictures_are_the_positives_of_lowest_and_highest_score(files, tmp_path):  # noqa: F811
    write_folder(files, tmp_path / "mine")
    entry = {"reader": "voc_patches", "positive": "dog", "files": [str(tmp_path / "mine")], "classes": ["cat", "dog"]}
    entry = load_registry(ROOT / "config/datasets.yaml", {"dogs": {**entry, **SMALL}})["dogs"]
    table = read_dataset("dogs", entry, tmp_path)
    write_table(table, tmp_path / "dogs.parquet")
    given = {"dogs": (entry, [tmp_path / "mine"], tmp_path / "dogs.parquet")}
    rows = hardest_patches.compute(0, given, n_each=1, n_estimators=10)
    assert [(row["kind"], row["rank"]) for row in rows] == [("hardest", 1), ("easiest", 1)]
    assert rows[0]["score"] <= rows[1]["score"]
    assert {row["image"] for row in rows} <= {"c2", "d1", "d2"}
    assert (rows[0]["left"], rows[0]["top"], rows[0]["right"], rows[0]["bottom"]) == (19, 9, 55, 35)
    picture = PIL.Image.open(io.BytesIO(base64.b64decode(rows[0]["png"])))
    assert max(picture.size) == 32
    make_illustration("hardest_patches", {"n_each": 1, "n_estimators": 10}, 0, {"dpi": 40}, tmp_path / "f1", given)
    assert (tmp_path / "f1.png").is_file()
    settings, origin = {"kind": "hardest_patches"}, {"commit": "abc", "command": "make it", "date": "2026-01-01"}
    publish_illustration(tmp_path / "f1", tmp_path / "out", settings, **origin)
    assert sorted(file.name for file in tmp_path.glob("out*")) == ["out.csv", "out.md"], "photographs are not ours"
    published = (tmp_path / "out.csv").read_text().splitlines()
    assert published[0] == "dataset,kind,rank,score,image,left,top,right,bottom"
    assert len(published) == 1 + len(rows)
    assert "`snakemake f1` with the config" in (tmp_path / "out.md").read_text()
    with pytest.raises(InputError, match="dogs: has 3 training positives; ask for fewer pictures"):
        hardest_patches.compute(0, given, n_each=2, n_estimators=10)
    # An image that only decoding finds damaged is in the table without its windows.
    whole = next((tmp_path / "mine").rglob("c2.jpg"))
    whole.write_bytes(whole.read_bytes()[:300] + b"\xff\xd9")
    write_table(read_dataset("dogs", entry, tmp_path), tmp_path / "dogs.parquet")
    rows = hardest_patches.compute(0, given, n_each=1, n_estimators=10)
    assert {row["image"] for row in rows} <= {"d1", "d2"}
    other = {"dogs": ({**entry, "least_negatives": 9}, *given["dogs"][1:])}
    with pytest.raises(InputError, match="its table does not hold the windows that its entry tells"):
        hardest_patches.compute(0, other, n_each=1, n_estimators=10)


@pytest.mark.parametrize(
    ("declared", "sentence"),
    [
        ({"kind": "hardest_patches"}, "hardest_patches is made of data sets; name some in 'datasets'"),
        ({"kind": "margin_weights", "datasets": ["faces"]}, "margin_weights needs no data sets; drop 'datasets'"),
        (
            {"kind": "hardest_patches", "datasets": ["face"]},
            "unknown data set 'face'; the nearest valid name is 'faces'",
        ),
        (
            {"kind": "hardest_patches", "datasets": ["digits"]},
            "digits is read by 'builtin'; hardest_patches is made of data of 'voc_patches'",
        ),
        ({"kind": "exclusion_toy", "params": {"sample": "outlier"}}, "exclusion_toy: sample is 'outlier'; give one of"),
    ],
)
def test_an_illustration_names_the_data_sets_that_it_needs_and_no_other(monkeypatch, declared, sentence):
    monkeypatch.chdir(ROOT)
    experiment = {
        "title": "t",
        "datasets": ["faces"],
        "protocol": {"kind": "repeated_kfold"},
        "methods": {"svm_rbf": {}},
    }
    config = {"experiments": {"e": experiment}, "illustrations": {"shown": declared}}
    with pytest.raises(InputError, match=sentence):
        check_config(config, [], ROOT / "workflow/schemas/config.schema.yaml", ROOT / "src")


def test_the_sources_of_each_illustration_are_known():
    for module in ILLUSTRATIONS.values():
        sources = import_closure([module], ROOT / "src", without={"algos.experiments.methods"})
        assert ROOT / "src" / f"{module.replace('.', '/')}.py" in sources


def test_each_figure_draws(tmp_path):
    for kind, params in (("exclusion_toy", {"n_estimators": 20, "grid_points": 15}), ("margin_weights", {})):
        make_illustration(kind, params, 0, {"dpi": 40}, tmp_path / kind)
        assert (tmp_path / f"{kind}.png").stat().st_size > 1000
