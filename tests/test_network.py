"""Importing the library opens no connection, and tests could not open one beyond this machine if they tried."""

import pkgutil
import socket
import subprocess
import sys

import pytest

import algos

IMPORT_ALL = """
import importlib, sys
opened = []
sys.addaudithook(lambda event, arguments: opened.append((event, arguments)) if event.startswith("socket.") else None)
for name in sys.argv[1:]:
    importlib.import_module(name)
    harmless = {"socket.__new__", "socket.gethostname", "socket.bind"}  # bind: urllib3 asks whether there is IPv6
    beyond = [(event, arguments) for event, arguments in opened if event not in harmless]
    assert not beyond, (name, beyond)
print(len(sys.argv[1:]))
"""


def test_importing_each_module_opens_no_connection():
    names = [module.name for module in pkgutil.walk_packages(algos.__path__, "algos.")]
    assert {"algos.datasets.fetching", "algos.experiments.report", "algos.binary"} <= set(names)
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL, "algos", *names], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(names) + 1


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("example.invalid", 443)])
def test_no_test_can_open_a_connection_beyond_this_machine(address):
    with pytest.raises(ConnectionRefusedError, match="tests open no connection"):
        socket.create_connection(address, timeout=1)


def test_nor_can_a_process_that_a_test_starts():
    code = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "tests open no connection" in done.stderr
