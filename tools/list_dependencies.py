"""Write docs/dependencies.md: each package that is asked for directly, its range, its licence and what it is for.

``python tools/list_dependencies.py``, in the environment that `make setup` made: licences are read from the installed
packages, ranges and reasons from pyproject.toml and requirements.in, versions from requirements.lock.
"""

import re
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "dependencies.md"
# What pyproject.toml calls a group of packages, and what it is for; the group `rivals` is not in the lock file.
GROUPS = {
    "dependencies": "the library itself",
    "data": "reading and fetching data",
    "images": "images and their features",
    "workflow": "the pipeline",
    "cluster": "the pipeline on a cluster",
    "dev": "tests and style",
    "build": "building",
}
_GROUP = re.compile(r"^(\w+) = \[$")
_PACKAGE = re.compile(r'^\s*"?([A-Za-z0-9._-]+?)([<>=!~][^";#\s]*)"?,?\s*# ?(.+)$')


def asked_for() -> list[tuple[str, str, str, str]]:
    """Return (group, name, range, reason) of each package that the lock file is made from."""
    found, group = [], ""
    for line in (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines():
        group = (_GROUP.match(line) or [None, group])[1]
        if group in GROUPS and (package := _PACKAGE.match(line)):
            found.append((group, *package.groups()))
    lines = (ROOT / "requirements.in").read_text(encoding="utf-8").splitlines()
    return found + [("build", *package.groups()) for line in lines if (package := _PACKAGE.match(line))]


def locked() -> dict[str, str]:
    """Return name -> version of all packages of the lock file."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE))


def licence(name: str) -> str:
    """Return what an installed package says its licence is."""
    about = metadata.metadata(name)
    short = about.get("License-Expression") or about.get("License") or ""
    if short and len(short) <= 60 and "\n" not in short:
        return short
    named = [line.rpartition(" :: ")[2] for line in about.get_all("Classifier", []) if line.startswith("License")]
    return ", ".join(named) or "see its own page"


def page() -> str:
    """Return the text of the page."""
    versions = locked()
    lines = [
        "# Packages this project asks for",
        "",
        "Written by `python tools/list_dependencies.py`; do not edit. `requirements.lock` pins these, and what they",
        f"ask for themselves ({len(versions)} in all), by version and checksum. Licences are what the packages state.",
        "",
        "| package | range | locked | licence | what for | needed by |",
        "|---|---|---|---|---|---|",
    ]
    for group, name, span, reason in asked_for():
        cells = (name, f"`{span}`", versions[name.lower().replace("_", "-")], licence(name), reason, GROUPS[group])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
