"""Each key of each config removed, misspelt, or of a wrong type: refused in one sentence that names it, or optional.

Each run takes a few changes of each config, always the same; all of them:
``python -m pytest tests/test_config_fuzz.py --hypothesis-profile=long``.
"""

import functools
from dataclasses import replace

import pytest
from hypothesis import settings
from test_config import OVER, SCHEMA, SOURCES
from workflow_copy import ROOT

from algos.datasets import registry
from algos.exceptions import InputError
from algos.experiments import config as configs
from algos.experiments.methods import METHODS
from algos.yamlfile import read_yaml

CONFIGS = sorted({path.name for path in (ROOT / "config").glob("*.yaml")} - {"datasets.yaml"})
CHANGES = ("removed", "misspelt", "text", "number", "list", "mapping", "nothing")
WRONG = {"text": "wrong", "number": 12.5, "list": ["wrong"], "mapping": {"wrong": 1}, "nothing": None}
TYPES = {"text": str, "number": int | float, "list": list, "mapping": dict, "nothing": type(None)}
A_FEW = 40


@functools.cache
def cached_yaml(path):
    return read_yaml(path)


@functools.cache
def cached_registry(path, schema):
    return registry.load_registry(path, {}, schema)


@pytest.fixture(autouse=True)
def _quickly(monkeypatch):
    """Read the registry once, and take the rivals to be installed."""
    monkeypatch.chdir(ROOT)
    load = registry.load_registry

    def load_registry(path, own, schema):
        plain = isinstance(path, str) and own == {}
        return cached_registry(path, schema) if plain else load(path, own, schema)

    monkeypatch.setattr(configs, "read_yaml", lambda path: cached_yaml(str(path)))
    for rival in ("lightgbm", "xgboost"):
        monkeypatch.setitem(METHODS, rival, replace(METHODS[rival], requires=None))
    cached_registry("config/datasets.yaml", SCHEMA.with_name("datasets.schema.yaml"))
    monkeypatch.setattr(registry, "load_registry", load_registry)


def merged(name):
    """A config as it runs, over the one that it is laid over."""
    whole = {}
    for file in (OVER.get(name), name):
        whole = configs._merge(whole, read_yaml(ROOT / "config" / file)) if file else whole
    return whole


def keys(value, path=()):
    """The paths of all keys of mappings, also of those in lists."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if isinstance(value, dict):
            yield (*path, key)
        yield from keys(inner, (*path, key))


def spelt_out(value):
    """A copy in which what YAML's aliases share is there as often as it is named."""
    if isinstance(value, dict):
        return {key: spelt_out(inner) for key, inner in value.items()}
    return [spelt_out(inner) for inner in value] if isinstance(value, list) else value


def changed(whole, path, change):
    """The config with one key changed; None where the change is none, or a whole number would be right too."""
    new = spelt_out(whole)
    parent = functools.reduce(lambda inner, key: inner[key], path[:-1], new)
    value = parent[path[-1]]
    if change == "removed":
        del parent[path[-1]]
    elif change == "misspelt":
        items = [(f"{key}x" if key == path[-1] else key, inner) for key, inner in parent.items()]
        parent.clear()
        parent.update(items)
    elif isinstance(value, TYPES[change]) and not (change == "number" and isinstance(value, bool)):
        return None
    else:
        parent[path[-1]] = spelt_out(WRONG[change])
    return new


def refused(config):
    """The sentence that a config is refused with, or "". Any other exception is the test's failure."""
    try:
        configs.check_config(config, [], SCHEMA, SOURCES)
    except InputError as error:
        return str(error)
    return ""


def is_a_free_name(whole, path):
    """Tell whether a key is a name of the user's own, of which any other is as good."""
    if path[:-1] in (("experiments",), ("illustrations",), ("data", "datasets")):
        return True
    method = path[:1] == ("experiments",) and len(path) == 4 and path[2] == "methods"
    return method and "method" in whole["experiments"][path[1]]["methods"][path[3]]


def complaint(whole, path, change, sentence):
    """What is wrong with the answer to a change; "" if nothing."""
    place, key = ".".join(map(str, path)), str(path[-1])
    if "\n" in sentence or len(sentence) > 1500:
        return "not one sentence"
    if change == "removed":  # what is optional, what something else names, or the only thing in a place
        above = ".".join(map(str, path[:-1]))
        return "" if not sentence or key in sentence or f"{above}: is empty" in sentence else "does not name the key"
    if change == "misspelt":
        if not sentence:
            return "" if is_a_free_name(whole, path) else "accepted"
        return "" if f"{key}x" in sentence or key in sentence else "does not name the key"
    if not sentence:
        return "" if may_be(path, change) else "accepted"
    return "" if place in sentence or repr(key) in sentence else "does not name the place"


def may_be(path, change):
    """Tell whether a key takes a value of this type as well."""
    return (path[-1], change) in {
        *(("reported", "nothing"), ("publish", "text"), ("folds_per_job", "mapping"), ("n_neighbors", "nothing"))
    }


@pytest.mark.parametrize("name", CONFIGS)
def test_a_wrong_key_is_refused_by_its_name(name):
    whole = merged(name)
    assert refused(whole) == ""
    cases = [(path, change) for path in keys(whole) for change in CHANGES]
    if settings().max_examples < 100:
        step = max(1, len(cases) // A_FEW) | 1  # odd, and no multiple of 7: all kinds of change have their turn
        cases = cases[:: step + 2 * (step % 7 == 0)]
    wrong = []
    for path, change in cases:
        new = changed(whole, path, change)
        if new is None:
            continue
        try:
            sentence = refused(new)
        except Exception as error:
            wrong.append((path, change, repr(error), "another exception"))
            continue
        if problem := complaint(whole, path, change, sentence):
            wrong.append((path, change, sentence, problem))
    assert not wrong, "\n".join(map(str, wrong))


# Keys of an entry that may have a value of this type as well.
MAY_BE = {
    "nothing": ("sha256", "split", "most_negatives"),
    "text": ("member", "train_on", "test_on", "positive", "url", "target", "categorical", "splits"),
    "list": ("member", "train_on", "test_on", "positive", "url", "classes"),
}
LOAD = registry.load_registry
REGISTERED = sorted(read_yaml(ROOT / "config" / "datasets.yaml"))


def test_a_wrong_key_of_the_registry_is_refused_by_its_name(monkeypatch):
    """The same for each entry of the registry of data sets, read by itself (with the one whose files it takes)."""
    whole = read_yaml(ROOT / "config" / "datasets.yaml")
    schema = SCHEMA.with_name("datasets.schema.yaml")
    rules = read_yaml(schema)
    shown = {}
    monkeypatch.setattr(registry, "read_yaml", lambda path: rules if path == schema else shown)
    cases = [
        (name, path, change)
        for name in REGISTERED
        for path in keys({name: whole[name]})
        for change in CHANGES
        if len(path) > 1
    ]
    step = 1 if settings().max_examples >= 100 else len(cases) // 600 // 7 * 7 + 1
    wrong = []
    for name, path, change in cases[::step]:
        new = changed({name: whole[name]}, path, change)
        if new is None:
            continue
        shown.clear()
        shown.update({"owner": whole[whole[name]["files_of"]]} if "files_of" in whole[name] else {})
        if "files_of" in new[name] and new[name]["files_of"] == whole[name].get("files_of"):
            new[name]["files_of"] = "owner"
        shown.update(new)
        sentence = ""
        try:
            LOAD("config/datasets.yaml", {}, schema)
        except InputError as error:
            sentence = str(error)
        except Exception as error:
            wrong.append((path, change, repr(error), "another exception"))
            continue
        if problem := registry_complaint(path, change, sentence):
            wrong.append((path, change, sentence, problem))
    assert not wrong, f"{len(wrong)} of {len(cases[::step])}\n" + "\n".join(map(str, wrong[:40]))


def registry_complaint(path, change, sentence):
    if "\n" in sentence:
        return "not one sentence"
    if change == "removed":  # what is optional, or what another key of the entry needs
        return "" if not sentence or path[0] in sentence else "does not name the entry"
    if not sentence and (path[-1] in MAY_BE.get(change, ()) or {"hog", "categorical"} & set(path[1:-1])):
        return ""  # values of the latter are for the reader to check, with the data at hand
    return "" if sentence and str(path[-1]) in sentence else "accepted, or without its name"
