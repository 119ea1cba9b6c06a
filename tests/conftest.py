"""Shared fixtures: the papers' data where a mirror is named, made-up data full of ties; no network."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# No connection leaves this machine, from here or from a Python that a test starts.
_NO_NETWORK = str(Path(__file__).parent / "no_network")
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [_NO_NETWORK, os.environ.get("PYTHONPATH")]))
sys.path.append(_NO_NETWORK)
import refuse_network  # noqa: E402, F401

# Tests with hypothesis: the same few examples each time, or (--hypothesis-profile=long) a search with new ones.
_common = {"database": None, "deadline": 5000, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("short", derandomize=True, max_examples=20, **_common)
settings.register_profile("long", max_examples=4000, **_common)
settings.load_profile("short")


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The first mirror folder of ALGOS_DATA_MIRRORS; skips the test, visibly, where there is none."""
    folders = [Path(p) for p in os.environ.get("ALGOS_DATA_MIRRORS", "").split(os.pathsep) if p]
    for folder in folders:
        if folder.is_dir():
            return folder
    pytest.skip("needs the papers' data: set ALGOS_DATA_MIRRORS to a mirror folder")


@pytest.fixture(scope="session")
def read_mirrored(mirror, tmp_path_factory):
    """A function: registry name -> table of that data set, fetched from the mirror once a session."""
    from algos.datasets import fetch, load_registry, read_dataset

    registry = load_registry(Path(__file__).parent.parent / "config" / "datasets.yaml")
    folder, tables = tmp_path_factory.mktemp("raw"), {}

    def read(name):
        if name not in tables:
            fetch(name, registry[name], folder, [mirror])
            tables[name] = read_dataset(name, registry[name], folder)
        return tables[name]

    return read


def tied_data(n, d, K, seed=0, n_values=4):
    """Random integers with few values, and labels with every class where n allows: full of exact ties."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, size=(n, d)).astype(float)
    y = rng.permutation(np.arange(n) % K)
    return X, y
