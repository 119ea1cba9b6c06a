"""A copy of the workflow in a folder of its own, for tests that run it; what it made, to be compared."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent

TINY = {
    "experiments": {
        "tiny": {
            "title": "Two small sets",
            "datasets": ["iris_sklearn", "wine_sklearn"],
            "protocol": {"kind": "repeated_kfold", "n_splits": 3},
            "selection": {"n_folds": 2},
            "seed": 1,
            "reported": "hamming_trees_table2",
            "dataset_aliases": {"wine_sklearn": "wine"},
            "methods": {
                "adaboost_mh_hamming_tree": {
                    "params": {"n_estimators": 60},
                    "grid": {"n_inner_nodes": [1, 2]},
                    "folds_per_job": {"default": 2, "wine_sklearn": 1},
                },
                "svm_rbf": {"grid": {"C": [1, 10]}, "preprocess": {"scale": "standard"}},
            },
        }
    }
}


class WorkflowCopy:
    """A folder with the workflow in it.

    Parameters
    ----------
    folder : pathlib.Path
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def make(cls, folder: Path, config: dict) -> "WorkflowCopy":
        """Copy the repository's workflow, and write the config."""
        for name in ("workflow", "profiles", "config", "src"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        shutil.copy2(ROOT / "Snakefile", folder)
        copy = cls(folder)
        copy.write_config(config)
        return copy

    def twin(self, folder: Path) -> "WorkflowCopy":
        """Copy this folder as it stands, results and time stamps included."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return WorkflowCopy(folder)

    def write_config(self, config: dict) -> None:
        (self.folder / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace text in a file, which must have it."""
        path = self.folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    @staticmethod
    def command(*arguments: str) -> list[str]:
        """The command that runs Snakemake here."""
        return [sys.executable, "-m", "snakemake", *arguments, "--configfile", "config.yaml"]

    def snakemake(self, *arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess:
        """Run Snakemake here."""
        environment = environment or {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )

    def run(self, *arguments: str) -> str:
        """Run to the end; return what was printed."""
        done = self.snakemake(*arguments, "--cores", "2")
        assert done.returncode == 0, done.stdout
        return done.stdout

    def planned(self, *targets: str, environment: dict[str, str] | None = None) -> dict[str, int]:
        """Return rule -> number of jobs that a run would do, without the targets themselves."""
        done = self.snakemake(*targets, "--dry-run", environment=environment)
        assert done.returncode == 0, done.stdout
        if "Nothing to be done" in done.stdout:
            return {}
        table = re.search(r"^job +count\n-+ +-+\n(.*?)^total", done.stdout, re.MULTILINE | re.DOTALL)
        assert table, done.stdout
        jobs = {name: int(count) for name, count in (line.split() for line in table[1].splitlines())}
        return {name: count for name, count in jobs.items() if name not in (*targets, "all")}


TIMED = ("times.*", "methods_by_time.*", "report.html", "benchmarks/*")  # what a run made of its own speed


def comparable(folder: Path) -> dict[str, str]:
    """Return path -> checksum of all results that do not depend on the speed of the run: records without their cost."""
    results = folder / "results"
    found = {}
    for path in sorted(results.rglob("*")):
        name = path.relative_to(results)
        if not path.is_file() or any(name.match(pattern) for pattern in TIMED) or name.parts[0] in HIDDEN:
            continue
        content = path.read_bytes()
        if name.parts[0] == "runs" and path.suffix == ".json":
            content = json.dumps({**json.loads(content), "cost": None}).encode()
        found[str(name)] = hashlib.sha256(content).hexdigest()
    return found


HIDDEN = (".checked", ".code", ".unfinished", "benchmarks")


def finished_folds(folder: Path) -> dict[str, str]:
    """Return fold -> what it has cost, to the microsecond: another number where it was computed again."""
    results = folder / "results"
    found = {}
    for place in (results / ".unfinished", results / "runs"):
        for path in place.rglob("*.json"):
            record = json.loads(path.read_bytes())
            if "cost" in record:
                found["/".join((record["dataset"], record["method"], str(record["fold"])))] = json.dumps(record["cost"])
    return found
