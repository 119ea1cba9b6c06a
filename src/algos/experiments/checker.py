"""Mistakes in a config, each said in one sentence: where it stands, what is wrong and how to mend it."""

import math
import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path
from typing import Any

from algos.datasets import hints
from algos.exceptions import InputError
from algos.yamlfile import read_yaml

#: As alike as this (`difflib`) is a name to be the one that was meant.
_NEAR = 0.45
#: Up to so many valid names are listed where none is near.
_MOST_LISTED = 60

_PATTERNS = {
    "^[A-Za-z][A-Za-z0-9_-]*$": "may have letters, digits, _ and - only, and begins with a letter",
    "^#[0-9a-fA-F]{6}$": "is no colour; write one like '#0072B2'",
}
_LEAST = {"minimum": "at least", "exclusiveMinimum": "more than", "maximum": "at most", "exclusiveMaximum": "less than"}


class Checker:
    """Says where in which file a mistake stands.

    Parameters
    ----------
    files : list of pathlib.Path
        What the config was read from, later ones over earlier ones.
    """

    def __init__(self, files: list[Path]) -> None:
        here = Path.cwd()
        self._files = [
            (file.relative_to(here) if file.is_relative_to(here) else file, read_yaml(file)) for file in files
        ]

    def error(self, path: tuple, sentence: str) -> InputError:
        """Return the error for a mistake at a path of keys."""
        place = ".".join(map(str, path))
        return InputError(f"{self._file(path)}: {place + ': ' if place else ''}{sentence}")

    def unknown(self, path: tuple, what: str, name: Any, known: Iterable[str]) -> InputError:
        """Return the error for a name that is none of the known ones."""
        return self.error(path, f"unknown {what} {name!r}; {valid_names(name, known)}")

    def check_schema(self, config: Mapping[str, Any], schema: dict) -> None:
        """Refuse the first thing that the schema does not allow; unknown keys before all others."""
        from jsonschema import Draft202012Validator

        errors = sorted(
            Draft202012Validator(schema).iter_errors(config),
            key=lambda e: (e.validator != "additionalProperties", [str(key) for key in e.absolute_path]),
        )
        if errors:
            raise self._translate(errors[0])

    def _translate(self, error: Any) -> InputError:
        """Say what a rule of the schema means for the value that breaks it."""
        path, value, rule = tuple(error.absolute_path), error.instance, error.validator_value
        match error.validator:
            case "additionalProperties":
                known = error.schema.get("properties", {})
                name = next(key for key in value if key not in known)
                return self.unknown((*path, name), "key", name, known)
            case "enum":
                return self.unknown(path, str(path[-1]), value, map(str, rule))
            case "required":
                return self.error(path, _missing(next(key for key in rule if key not in value), path))
            case "type":
                return self.error(path, _wrong_type(value, rule, error.schema, path))
            case "oneOf":
                if isinstance(value, Mapping):
                    key = next(k for k, n in value.items() if not isinstance(n, int) or isinstance(n, bool) or n < 1)
                    path, value = (*path, key), value[key]
                return self.error(path, f"{value!r} must be a whole number of 1 or more, or one for each data set")
            case "pattern" if rule in _PATTERNS:
                return self.error(path, f"{value!r} {_PATTERNS[rule]}")
            case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
                return self.error(path, f"{value} must be {_LEAST[error.validator]} {rule}")
            case "minItems" | "minProperties" | "minLength" if len(value) == 0:
                return self.error(path, f"is empty; {_at_least(rule, path)}")
            case "minItems" | "maxItems" | "minProperties" | "maxProperties":
                limit = "at least" if error.validator.startswith("min") else "at most"
                return self.error(path, f"has {len(value)} of what must be {limit} {rule}; correct it")
            case "uniqueItems":
                twice = next(item for i, item in enumerate(value) if item in value[:i])
                return self.error(path, f"{twice!r} stands there twice; keep one")
        return self.error(path, one_line(error.message))

    def _file(self, path: tuple) -> str:
        for file, content in reversed(self._files):
            if _holds(content, path):
                return str(file)
        return str(self._files[-1][0]) if self._files else "config"


def valid_names(name: Any, known: Iterable[str]) -> str:
    """Return a part of a sentence: the valid name nearest to one that is not, or all valid names where none is near."""
    known = list(known)
    if not known:
        return "none is known here"
    near = get_close_matches(str(name), known, n=1, cutoff=_NEAR)
    # A part of a valid name may be meant for it although their lengths differ.
    near = near or sorted((k for k in known if len(str(name)) > 2 and str(name) in k), key=len)[:1]
    if near:
        return f"the nearest valid name is {near[0]!r}"
    if len(known) == 1:
        return f"the only valid name is {known[0]!r}"
    if len(known) <= _MOST_LISTED:
        return f"valid names are {', '.join(sorted(known))}"
    likest = sorted(known, key=lambda other: -SequenceMatcher(None, str(name), other).ratio())[:10]
    return f"of {len(known)} valid names the nearest are {', '.join(likest)}"


def number_hint(value: Any) -> str:
    """Return a sentence about text that is to be a number: it has quotes, or is 1e-3, where YAML wants a point."""
    if not isinstance(value, str):
        return ""
    text = value.strip()
    try:
        number = float(text)
    except ValueError:
        return ""
    if not math.isfinite(number):
        return ""
    if re.fullmatch(r"[-+]?(\d+|(\d+\.\d*|\.\d+)([eE][-+]\d+)?)", text):
        return f" Write {text} without quotes."
    return f" Write {_yaml_number(number)}: YAML takes {text} for text."


def _yaml_number(number: float) -> str:
    """Write a number so that YAML reads it as one: a whole one without a point, an exponent only after a point."""
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    mantissa, e, exponent = repr(number).partition("e")
    return f"{mantissa}{'.0' if e and '.' not in mantissa else ''}{e}{exponent}"


def _missing(key: str, path: tuple) -> str:
    if not path and key == "experiments":
        return (
            "the key 'experiments' is missing, so there is nothing to run; to change what another config says, name "
            "both: --configfile config/config.yaml <this file>"
        )
    return f"the key {key!r} is missing"


_TYPES = {
    "array": "a list",
    "object": "'key: value' lines",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


def _wrong_type(value: Any, rule: str | list[str], schema: Mapping[str, Any], path: tuple) -> str:
    """Say what a value must be, and how to write it."""
    kinds = [rule] if isinstance(rule, str) else rule
    if value is None:
        return f"is empty; {_at_least(max(schema.get('minProperties', 0), schema.get('minItems', 0)), path, kinds[0])}"
    needed = " or ".join(_TYPES[kind] for kind in kinds if kind != "null")
    sentence = f"{_short(value)} is not {needed}"
    if "array" in kinds and not isinstance(value, Mapping):
        return f"{sentence}; write [{_plain(value)}]"
    if "object" in kinds and isinstance(value, (str, list)) and path and path[-1] == "methods":
        first = value if isinstance(value, str) else next(iter(value), "svm_rbf")
        return f"{sentence}; write a line for each method, such as {_plain(first)}: {{}}"
    if "string" in kinds and isinstance(value, (int, float)):
        return f"{sentence}; put it in quotes"
    if {"integer", "number"} & set(kinds):
        return f"{sentence}.{number_hint(value) or ' Correct it.'}"
    return f"{sentence}; correct it"


def _at_least(n: int, path: tuple, kind: str = "array") -> str:
    """What to do about something empty at a path."""
    key = str(path[-1]) if path else "the config"
    if kind == "object" and n == 0:
        return f"write {key}: {{}} where there is nothing to say, or drop it"
    if kind in ("object", "array"):
        thing = {"methods": "method", "experiments": "experiment", "datasets": "data set", "metrics": "measure"}
        return f"list at least {'one ' + thing.get(key, 'entry') if n < 2 else n}"
    return f"give {_TYPES[kind]}, or drop it"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else str(value).strip("[]()")


def _short(value: Any) -> str:
    return one_line(repr(value), 60)


def _holds(content: Any, path: tuple) -> bool:
    """Say whether a path of keys and list positions leads somewhere in nested mappings and lists."""
    for key in path:
        try:
            content = content[key]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def one_line(message: str, most: int = 200) -> str:
    """Return a library's message on one line of bearable length."""
    message = hints.one_line(message)
    return message if len(message) <= most else message[: most - 3] + "..."
