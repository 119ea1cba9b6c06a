"""The registry of data sets: what is known of each, checked before anything is fetched or read."""

import copy
import importlib
import inspect
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from algos.datasets.hints import listed, nearest
from algos.datasets.table import Table
from algos.exceptions import InputError
from algos.yamlfile import read_yaml

_READERS = {
    "arff": ("algos.datasets.readers.arff", "load_arff"),
    "builtin": ("algos.datasets.readers.builtin", "load_builtin"),
    "csv": ("algos.datasets.readers.delimited", "load_csv"),
    "feature_text": ("algos.datasets.readers.feature_text", "load_feature_text"),
    "idx": ("algos.datasets.readers.idx", "load_idx"),
    "image_folder": ("algos.datasets.readers.image_folder", "load_image_folder"),
    "libsvm": ("algos.datasets.readers.libsvm", "load_libsvm"),
    "mat": ("algos.datasets.readers.arrays", "load_mat"),
    "npz": ("algos.datasets.readers.arrays", "load_npz"),
    "parquet": ("algos.datasets.readers.parquet", "load_parquet"),
    "uci": ("algos.datasets.readers.delimited", "load_uci"),
    "voc": ("algos.datasets.voc", "load_voc"),
    "voc_patches": ("algos.datasets.readers.voc_patches", "load_voc_patches"),
    "xls": ("algos.datasets.readers.xls", "load_xls"),
    "xmlc": ("algos.datasets.readers.xmlc", "load_xmlc"),
}
# Keys that tell of the entry; all others are options of its reader.
_ABOUT = {"title", "task", "n_samples", "n_features", "n_classes", "cardinality", "licence", "note", "paper"}
_ABOUT |= {"reader", "files", "files_of", "split", "user", "family"}

#: How a mistake in a user's own entries begins.
OWN_ENTRIES = "data.datasets of the config"

_ROLES = ("path", "images", "labels")
# Readers of collections that may come in several files, none of which is a part: the lists inside them are.
_OF_SEVERAL_FILES = {"voc", "voc_patches"}
_SCHEMA = Path("workflow") / "schemas" / "datasets.schema.yaml"


def load_registry(
    path: str | os.PathLike,
    user_entries: Mapping[str, Any] | None = None,
    schema: str | os.PathLike | None = None,
) -> dict[str, dict[str, Any]]:
    """Read and check the registry, and add a user's own entries to it.

    Parameters
    ----------
    path : path-like
        The registry, YAML: name -> entry. docs/datasets.md lists the keys of an entry.
    user_entries : mapping, optional
        The user's own entries (``data.datasets`` of a config), in the same form but with fewer duties.
    schema : path-like, optional
        JSON schema, as YAML; default ``workflow/schemas/datasets.schema.yaml`` in the folder above the registry's.

    Returns
    -------
    dict
        Name -> entry, of plain JSON types. An entry with the key ``each`` stands for several, one for each value of the
        option it names: ``<name>_<value>``, with `family`, the entry's own name, and that value wherever its title and
        note say ``{<option>}``. Files are spelt out as ``{name, part, role, archive, sources:
        [{folder, file, urls, sha256}]}`` or, where they lie on the user's disk, ``{path, part, role, sha256}``; a
        user's entries have ``user: True``.

    Raises
    ------
    InputError
        When the file cannot be read, a key is unknown, missing or of the wrong kind, an option is not one of the
        reader's, or a user's entry has the name of a registered one; with the key and the nearest valid name.
    """
    path = Path(path)
    schema = Path(schema) if schema else path.resolve().parent.parent / _SCHEMA
    rules = read_yaml(schema)
    registered = read_yaml(path)
    _check(registered, rules, "registry", str(path))
    own = copy.deepcopy(dict(user_entries or {}))
    _check(own, rules, "user_entries", OWN_ENTRIES)
    for name in own:
        if name in registered:
            raise InputError(f"{OWN_ENTRIES}: {name!r} is a registered data set; give yours another name")
    members = _members(registered) | {name: {**entry, "user": True} for name, entry in _members(own).items()}
    entries = {}
    for name, entry in members.items():
        source = f"{OWN_ENTRIES if entry.get('user') else path}: {name}"
        entries[name] = _spelt_out(_with_files(entry, members, source))
        _check_options(entries[name], source)
    return entries


def _members(entries: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return entries with those that stand for several written out."""
    members: dict[str, dict[str, Any]] = {}
    for name, entry in entries.items():
        if "each" not in entry:
            members[name] = dict(entry)
            continue
        common = {key: value for key, value in entry.items() if key != "each"}
        ((option, values),) = entry["each"].items()
        for value in values:
            texts = {key: common[key].replace(f"{{{option}}}", value) for key in ("title", "note") if key in common}
            members[f"{name}_{value}"] = {**common, **texts, option: value, "family": name}
    return members


def _with_files(entry: dict[str, Any], entries: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return an entry with the files of the one that it names in ``files_of``."""
    if "files_of" not in entry:
        return entry
    owner = entry["files_of"]
    if owner not in entries or "files_of" in entries[owner] or entry.get("files"):
        raise InputError(
            f"{source}: files_of: give the name of an entry that has files of its own, and no `files` beside it"
            + nearest(owner, entries)
        )
    return {**entry, "files": entries[owner]["files"]}


def folder_of(name: str, entry: Mapping[str, Any]) -> str:
    """Return the data set in whose folder the files of an entry lie: its own, or the one named by ``files_of``."""
    return entry.get("files_of", name)


def has_split(entry: Mapping[str, Any]) -> bool:
    """Tell whether an entry designates a test set (by its files' parts or by `split`)."""
    return bool(entry.get("split")) or any(file["part"] for file in entry["files"])


def raw_paths(name: str, entry: Mapping[str, Any], directory: str | os.PathLike) -> list[Path]:
    """Return where the files of a data set lie once they are fetched, in the order of its entry.

    Parameters
    ----------
    name : str
        Name of the data set.
    entry : mapping
        From :func:`load_registry`.
    directory : path-like
        Folder of raw data; fetched files lie in ``<directory>/<name>`` (or in that of the data set whose files they
        are), a user's own files where they are.
    """
    folder = Path(directory) / folder_of(name, entry)
    return [Path(file["path"]) if "path" in file else folder / file["name"] for file in entry["files"]]


def reader_of(entry: Mapping[str, Any]) -> tuple[Callable[..., Table], dict[str, Any]]:
    """Return the reader of an entry, and the options the entry gives it."""
    module, function = _READERS[entry["reader"]]
    reader = getattr(importlib.import_module(module), function)
    taken = _options_of(reader)
    return reader, {key: value for key, value in entry.items() if key in taken}


def _check(entries: Any, rules: Mapping[str, Any], kind: str, source: str) -> None:
    import jsonschema

    checker = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": rules["$defs"]})
    # In an entry an unknown key first and a missing one last: what is missing often follows from what else is wrong.
    rank = {"additionalProperties": 0, "required": 2}
    errors = sorted(
        checker.iter_errors(entries),
        key=lambda error: (
            [str(key) for key in error.absolute_path][:1],
            rank.get(error.validator, 1),
            [str(key) for key in error.absolute_path],
        ),
    )
    if errors:
        raise InputError(f"{source}: {_in_words(errors[0])}")


def _in_words(error: Any) -> str:
    """Say what a JSON schema refuses: where, what, and the nearest valid name."""
    where = ".".join(str(key) for key in error.absolute_path) or "the top level"
    meant = _meant(error)
    if meant and {one.validator for one in meant} == {"required"}:
        missing = dict.fromkeys(key for one in meant for key in one.validator_value if key not in one.instance)
        return f"{where}: the key {' or '.join(map(repr, missing))} is missing"
    if meant:
        return _in_words(meant[0])
    if error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        return f"{where}: the key {missing!r} is missing"
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        known = error.schema.get("properties", {})
        unknown = [key for key in error.instance if key not in known]
        return f"{where}: unknown key {unknown[0]!r}{nearest(unknown[0], known)}"
    if "propertyNames" in error.absolute_schema_path:
        return f"{where}: {error.instance!r} cannot name a data set; use letters, digits, - and _"
    if error.validator == "enum":
        return f"{where}: {error.instance!r} is not among {listed(error.validator_value, 20)}" + nearest(
            error.instance, map(str, error.validator_value)
        )
    if error.validator == "type":
        wanted = error.validator_value
        wanted = wanted if isinstance(wanted, str) else " or ".join(wanted)
        quotes = " (YAML reads yes, no, on and off as true and false: put quotes)" * isinstance(error.instance, bool)
        return f"{where}: {error.instance!r} should be of type {wanted}{quotes}"
    return f"{where}: {error.message}"


def _meant(error: Any) -> list[Any]:
    """Return what is wrong with a value that may have several forms, by the form or forms that it is nearest to."""
    forms: dict[Any, list[Any]] = {}
    for one in error.context or ():
        forms.setdefault(one.relative_schema_path[0], []).append(one)
    of_its_type = [form for form in forms.values() if all(one.validator != "type" or one.path for one in form)]
    if not of_its_type:
        return []
    firsts = [min(form, key=lambda one: one.validator != "additionalProperties") for form in of_its_type]
    rank = {"additionalProperties": 2, "required": 1}
    least = min(rank.get(one.validator, 0) for one in firsts)
    return [one for one in firsts if rank.get(one.validator, 0) == least]


def _spelt_out(entry: Mapping[str, Any]) -> dict[str, Any]:
    files = [{"path": file} if isinstance(file, str) else dict(file) for file in entry.get("files", [])]
    return {**entry, "files": [_file(file) for file in files]}


def _file(file: Mapping[str, Any]) -> dict[str, Any]:
    common = {"part": file.get("part"), "role": file.get("role")}
    if "path" in file:
        return {"path": str(Path(file["path"]).expanduser()), **common, "sha256": file.get("sha256")}
    sources = file.get("sources") or [file]
    return {
        "name": file["name"],
        **common,
        "archive": file.get("archive"),
        "sources": [
            {
                "folder": source.get("folder"),
                "file": source.get("file", file["name"]),
                "urls": [source["url"]] if isinstance(source.get("url"), str) else source.get("url") or [],
                "sha256": source.get("sha256"),
            }
            for source in sources
        ],
    }


def _check_options(entry: Mapping[str, Any], source: str) -> None:
    """Check an entry's options against its reader, and that its files fit it."""
    reader, _ = reader_of(entry)
    known = _options_of(reader)
    for key in entry:
        if key not in known and key not in _ABOUT:
            raise InputError(f"{source}: the reader {entry['reader']!r} has no option {key!r}{nearest(key, known)}")
    _check_files(entry, _parameters(reader), source)
    _check_by_reader(entry, reader, source)
    if entry.get("split") and entry.get("missing") == "drop_rows":
        raise InputError(
            f"{source}: `missing: drop_rows` would shift the rows that `split` counts; "
            "give the training and the test part as two files"
        )


def _check_by_reader(entry: Mapping[str, Any], reader: Callable[..., Table], source: str) -> None:
    """Let a reader whose module has ``check_options`` refuse values of options that no data could make good."""
    check = getattr(importlib.import_module(_READERS[entry["reader"]][0]), "check_options", None)
    if check is None:
        return
    options = {
        name: entry.get(name, parameter.default)
        for name, parameter in inspect.signature(reader).parameters.items()
        if name in _options_of(reader)
    }
    missing = next((name for name, value in options.items() if value is inspect.Parameter.empty), None)
    if missing:
        raise InputError(f"{source}: the reader {entry['reader']!r} needs the option {missing!r}")
    try:
        check(**options)
    except InputError as error:
        raise InputError(f"{source}: {error}") from None


def _check_files(entry: Mapping[str, Any], parameters: Collection[str], source: str) -> None:
    """Check that the files of an entry are those its reader wants."""
    files, reader = entry["files"], entry["reader"]
    wanted = [role for role in _ROLES if role in parameters]
    needed = {"images", "labels"} if reader == "idx" else set(wanted) - {"labels"}
    given = [file["role"] or "path" for file in files]
    for role in given:
        if role not in wanted:
            raise InputError(f"{source}: the reader {reader!r} has no files of role {role!r}; it takes {wanted}")
    for role in sorted(needed - set(given)):
        which = "" if role == "path" else f" with `role: {role}`"
        raise InputError(f"{source}: `files` must name a file{which} for the reader {reader!r}")
    for role in sorted(set(given) & set(entry)):
        raise InputError(f"{source}: has both `{role}` and a file of `role: {role}`; keep one")
    parts = [file["part"] for file in files if file["part"]]
    several = len(files) > 1 and reader not in _OF_SEVERAL_FILES
    if "parts" not in parameters and (several or parts):
        raise InputError(f"{source}: the reader {reader!r} takes one file, without a part")
    if parts and entry.get("split"):
        raise InputError(f"{source}: has both `split` and parts of files; keep one")
    main = sum(role == given[0] for role in given)
    if parts and len(parts) != main:
        raise InputError(f"{source}: {len(parts)} of {main} files have a `part`; give each its own")


def _options_of(reader: Callable[..., Table]) -> list[str]:
    """Return the options a reader takes from an entry: its parameters but the files and their parts."""
    return [name for name in _parameters(reader) if name not in ("path", "images", "parts")]


def _parameters(reader: Callable[..., Table]) -> Collection[str]:
    from algos.datasets.readers.delimited import load_csv, load_uci

    return inspect.signature(load_csv if reader is load_uci else reader).parameters
