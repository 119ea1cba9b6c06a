"""The page of packages is that of pyproject.toml, requirements.in and requirements.lock as they stand."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("list_dependencies", ROOT / "tools" / "list_dependencies.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(tool, monkeypatch):
    written = tool.PAGE.read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")] for line in written.splitlines()]
    said = {row[1]: row[4] for row in rows if len(row) > 7}
    # A licence is read where its package is installed, and is else as it was when the page was written.
    known = tool.licence

    def licence(name):
        try:
            return known(name)
        except tool.metadata.PackageNotFoundError:
            return said.get(name, "")

    monkeypatch.setattr(tool, "licence", licence)
    assert tool.page() == written, "run: python tools/list_dependencies.py"


def test_each_package_is_on_it_with_a_reason_and_a_licence(tool):
    import tomllib

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {**declared["optional-dependencies"], "dependencies": declared["dependencies"]}
    found = tool.asked_for()
    for group, packages in groups.items():
        if group in tool.GROUPS:
            assert [name + span for where, name, span, _ in found if where == group] == packages
    assert all(reason for *_, reason in found)
    assert "see its own page" not in tool.PAGE.read_text(encoding="utf-8")
