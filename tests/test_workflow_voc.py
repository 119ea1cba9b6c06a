"""A damaged VOC data set through the whole workflow: all is named, nothing is fatal unless the config says so."""

import csv

import pytest
from test_voc_patches import SMALL, bomb, flat, missing, none_in_val, outside, truncated
from voc_tree import ROOT, annotation, tree, write_folder
from workflow_copy import WorkflowCopy

pytestmark = pytest.mark.slow

CAT, DOG = ("cat", 5, 5, 30, 35), ("dog", 20, 10, 55, 35)
# The damages of test_voc_patches are to image c2: here each has an image of its own.
DAMAGES = (outside, flat, missing, truncated, bomb)


def damaged():
    train = {f"c{i}": [CAT] for i in range(20, 32)} | {f"d{i}": [DOG] for i in range(6)}
    hurt = {f"x{i}": [CAT, DOG] for i in range(len(DAMAGES))}
    val = {"c3": [CAT], "d7": [DOG], "e0": []}
    files = tree({**train, **hurt, **val}, {"train": [*train, *hurt], "val": [*val]})
    for i, damage in enumerate(DAMAGES):
        one = {name.replace(f"x{i}", "c2"): content for name, content in files.items() if f"x{i}." in name}
        damage(one)
        files = {name: content for name, content in files.items() if f"x{i}." not in name}
        files |= {name.replace("c2", f"x{i}"): content for name, content in one.items()}
    none_in_val(files)
    files[f"{ROOT}Annotations/d7.xml"] = annotation([DOG])
    return files


def config(**options):
    entry = {"reader": "voc_patches", "each": {"positive": ["cat", "dog"]}, "files_of": "photos", **SMALL, **options}
    return {
        "data": {
            "datasets": {
                "photos": {"reader": "voc", "files": ["mine"], "classes": ["cat", "dog"]},
                "pets": {**entry, "classes": ["cat", "dog"]},
            }
        },
        "experiments": {
            "tiny": {
                "title": "Pets",
                "datasets": ["pets"],
                "protocol": {"kind": "designated"},
                "metrics": ["voc_average_precision_1to4"],
                "selection": {"n_folds": 2},
                "compare": [["adaboost_exclusion", "adaboost"]],
                "methods": {
                    "adaboost": {"params": {"n_estimators": 60}},
                    "adaboost_exclusion": {"params": {"n_estimators": 60}, "grid": {"fraction": [0.0, 0.2]}},
                },
            }
        },
    }


def test_bad_input_is_named_and_ends_nothing(tmp_path):
    workflow = WorkflowCopy.make(tmp_path / "w", config())
    write_folder(damaged(), workflow.folder / "mine")
    workflow.run()
    log = (workflow.folder / "logs/features/pets_cat.log").read_text()
    for sentence in (
        "image 'x0' (train), Annotations/x0.xml: a box of 'cat' reaches outside the image of 60 x 40: it is clipped",
        "image 'x1' (train), Annotations/x1.xml: a box of 'cat' has no area",
        "image 'x2' (train): mine: there is no JPEGImages/x2.jpg",
        "image 'x3' (train): mine: JPEGImages/x3.jpg",
        "Annotations/x4.xml declares a document type or entities",
        "split 'val': there is no positive of class 'cat'",
    ):
        assert sentence in log
    tables = workflow.folder / "results/tables/tiny"
    with open(tables / "skipped.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["dataset"], row["method"]) for row in rows] == [
        ("pets_cat", "adaboost"),
        ("pets_cat", "adaboost_exclusion"),
    ]
    assert rows[0]["reason"] == "the test part of fold test has no row of class 'positive'"
    with open(tables / "summary.csv", newline="") as file:
        assert {row["dataset"] for row in csv.DictReader(file)} == {"pets_dog"}
    assert "has no row of class" in (workflow.folder / "results/report.html").read_text()


def test_bad_input_ends_the_run_where_the_config_says_so(tmp_path):
    workflow = WorkflowCopy.make(tmp_path / "w", config(on_error="raise"))
    write_folder(damaged(), workflow.folder / "mine")
    done = workflow.snakemake("--cores", "1")
    assert done.returncode == 1
    assert "Traceback" not in done.stdout
    assert (
        "Error: data set 'pets_cat': image 'x0' (train), Annotations/x0.xml: a box of 'cat' reaches outside the image"
        in done.stdout
    )
