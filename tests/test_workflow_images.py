"""From folders of images to tables: pyramids fold by fold, wrong labels, illustrations; and images that are none."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from workflow_copy import WorkflowCopy

pytestmark = pytest.mark.slow

CONFIG = {
    "figures": {"dpi": 40},
    "data": {"datasets": {"pictures": {"reader": "image_folder", "files": ["pictures"]}}},
    "illustrations": {
        "toy": {
            "kind": "self_paced_toy",
            "params": {"n_samples": 40, "n_estimators": 5, "grid_points": 9, "n_draws": 1},
        }
    },
    "experiments": {
        "noisy": {
            "title": "Pictures with wrong labels",
            "datasets": ["pictures"],
            "protocol": {"kind": "train_validation_test", "n_repeats": 2},
            "label_noise": [0, 20],
            "features": {"spatial_pyramid": {"n_words": 6, "n_levels": 2}, "pca": {"n_components": 8}},
            "selection": {"stopping": "least"},
            "compare": [["spbl", "softmax_regression"]],
            "publish": "noisy",
            "methods": {
                "spbl": {"params": {"n_estimators": 6, "pace_factor": 1.1}, "grid": {"nu": [0.001, 0.01]}},
                "softmax_regression": {},
            },
        }
    },
}


def picture(seed, slope, size=(40, 32)):
    """Stripes of a direction, with noise."""
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(*map(np.arange, size))
    waves = 100 + 60 * np.sin(rng.uniform(0.3, 1) * (x + slope * y) + rng.uniform(0, 6)) + rng.normal(0, 50, x.shape)
    return Image.fromarray(np.clip(waves, 0, 255).astype(np.uint8))


@pytest.fixture(scope="module")
def workflow(tmp_path_factory):
    workflow = WorkflowCopy.make(tmp_path_factory.mktemp("images") / "w", CONFIG)
    for label, slope in (("left", -1), ("right", 1)):
        folder = workflow.folder / "pictures" / label
        folder.mkdir(parents=True)
        for i in range(10):
            picture(i, slope).save(folder / f"{i}.png")
        picture(10, slope).convert("CMYK").save(folder / "cmyk.jpg")
        picture(11, slope, (9, 7)).save(folder / "tiny.png")
    (workflow.folder / "pictures/right/broken.jpg").write_bytes(b"\xff\xd8\xff no image")
    (workflow.folder / "pictures/empty").mkdir()
    return workflow


def test_a_broken_image_is_named_and_left_out_where_the_entry_says_so(workflow):
    failed = workflow.snakemake("--cores", "1", "data")
    assert failed.returncode == 1
    assert "Traceback" not in failed.stdout
    assert "broken.jpg: cannot be read as an image" in failed.stdout
    config = json.loads(json.dumps(CONFIG))
    config["data"]["datasets"]["pictures"]["corrupt"] = "skip"
    workflow.write_config(config)
    workflow.run("data")
    log = (workflow.folder / "logs/features/pictures.log").read_text()
    assert "broken.jpg" in log
    assert "empty" in log


def test_images_go_all_the_way(workflow):
    workflow.run()
    workflow.run("publish")
    folder = workflow.folder
    runs = sorted(
        path.relative_to(folder / "results/runs/noisy") for path in folder.glob("results/runs/noisy/*/*/*.json")
    )
    assert len(runs) == 2 * 2 * 2
    record = json.loads((folder / "results/runs/noisy/pictures_noise20/spbl/s0.json").read_text())
    assert (record["n_features"], record["n_train"], record["n_validation"]) == (8, 12, 4)
    assert record["n_noisy"] == record["samples"]["n_noisy"] == 2  # 20 % of six of each class, rounded
    splits = pq.read_table(folder / "results/splits/noisy/pictures_noise20.parquet").to_pydict()
    wrong = [row for row, given in zip(splits["row"], splits["given"], strict=True) if given is not None]
    assert len(wrong) == 4
    assert "border is repeated" in (folder / "logs/descriptors/noisy/pictures.log").read_text()
    assert "SPBL − SR" in (folder / "results/tables/noisy/pairs.md").read_text()
    report = (folder / "results/report.html").read_text()
    assert "Boundaries of boosting and SPBL" in report
    assert "SPBL against SR, test error: better on" in report
    page = (folder / "docs/reproduction/noisy.md").read_text()
    assert "noisy_samples_by_round.png" in page
    assert "SPBL − SR" in page
    assert (folder / "docs/reproduction/toy.png").is_file()
    assert workflow.planned() == {}


def test_a_level_of_noise_more_runs_only_its_folds(workflow):
    config = json.loads(json.dumps(CONFIG))
    config["data"]["datasets"]["pictures"]["corrupt"] = "skip"
    config["experiments"]["noisy"]["label_noise"].append(10)
    workflow.write_config(config)
    planned = workflow.planned("tables")
    trained = {name: count for name, count in planned.items() if name.startswith("train")}
    assert trained == {f"train_noisy_pictures_noise10_{m}_s0": 1 for m in ("spbl", "softmax_regression")}
    assert "make_fold_features" not in planned
    assert "describe_images" not in planned
