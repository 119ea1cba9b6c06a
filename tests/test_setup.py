"""What `make` says where a machine lacks something: one sentence, before anything is installed."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "tools/check_machine.sh"
TOOLS = ("sh", "awk", "head", "mktemp", "rm", "cat", "uname")


def program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def machine(tmp_path):
    """A machine with nothing but a shell, a Python, a compiler and plenty of room, all of which tests may replace."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        (folder / tool).symlink_to(shutil.which(tool))
    program(folder, "python3", f'exec {sys.executable} "$@"\n')
    program(folder, "c++", "exit 0\n")
    program(folder, "df", "echo 'Filesystem 1024-blocks Used Available Capacity Mounted'; echo 'd 9 9 90000000 9% /'\n")
    return folder


def check(machine: Path, *arguments: str) -> tuple[int, str, str]:
    environment = {**os.environ, "PATH": str(machine)}
    environment.pop("CXX", None)
    done = subprocess.run(
        ["sh", str(SCRIPT), *arguments],
        env=environment,
        cwd=machine.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def test_make_counts_all_processors_whatever_libraries_may_use():
    def cores(**environment):
        done = subprocess.run(
            ["make", "--dry-run", "--old-file=.venv/.package", "reproduce"],
            env={**os.environ, **environment},
            cwd=SCRIPT.parent.parent,
            capture_output=True,
            text=True,
            check=True,
        )
        return re.search(r"--cores (\d+)", done.stdout)[1]

    assert int(cores(OMP_NUM_THREADS="1", OMP_THREAD_LIMIT="1")) == len(os.sched_getaffinity(0))


def test_a_good_machine_is_told_its_python(machine):
    assert check(machine) == (0, "python3", "")
    assert check(machine, sys.executable) == (0, sys.executable, "")


def test_no_python(machine):
    (machine / "python3").unlink()
    code, _, said = check(machine)
    assert code == 1
    assert said.startswith("Cannot set up: there is no Python; install Python 3.11")
    assert "\n" not in said


def test_an_old_python(machine):
    program(machine, "python3", 'case "$1" in --version) echo Python 3.9.2 ;; *) exit 1 ;; esac\n')
    code, _, said = check(machine)
    assert code == 1
    assert said.startswith("Cannot set up: Python 3.9.2 is too old; install Python 3.11")
    assert "\n" not in said


@pytest.mark.parametrize(
    ("module", "sentence"),
    [("ensurepip", "Python's venv module is missing"), ("get_path", "Python's C headers are missing")],
)
def test_a_python_without_some_of_its_parts(machine, module, sentence):
    lacks = f'case "$2" in *{module}*) echo /nowhere; exit 1 ;; *) exec {sys.executable} "$@" ;; esac\n'
    program(machine, "python3", lacks)
    code, _, said = check(machine)
    assert code == 1
    assert said.startswith(f"Cannot set up: {sentence}; install")
    assert "\n" not in said


def test_no_compiler(machine):
    (machine / "c++").unlink()
    code, _, said = check(machine)
    assert code == 1
    assert said.startswith("Cannot set up: there is no working C++17 compiler 'c++'; install one")
    assert "\n" not in said


def test_no_room(machine):
    program(machine, "df", "echo head; echo 'd 9 9 512000 9% /'\n")
    code, _, said = check(machine)
    assert code == 1
    assert said == (
        "Cannot set up: 500 MiB of disk space are free here and 1500 MiB are needed; free some and run again."
    )
