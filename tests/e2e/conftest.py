"""Fixtures for the end-to-end tests."""

import importlib
import os
import shutil

import pytest

from molt_bench.llm.transport import certificates
from tests.e2e.llm import LIBRARIES, Server
from tests.e2e.shell import BOTS, SEEDED, quick_run


@pytest.fixture
def bots(tmp_path):
    """Return the path of a file of agents."""
    path = tmp_path / "bots.py"
    path.write_text(BOTS)
    return path


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """Return the folder of a finished run of three bots: five matches of four games, 20 hands each."""
    flags = ("--participants", "tight,callstation,random", "--seeds", "2", "--hands", "5", "--max-matches", "5")
    rules = ("--set", "stop.adjacentConfidence=null", "--set", "scheduler.minSeedPairs=2", "--executor", "inline")
    return quick_run(tmp_path_factory.mktemp("finished"), *flags, *rules, *SEEDED, "--quiet")


@pytest.fixture
def run(finished, tmp_path):
    """Return a copy of the finished run to work on."""
    return shutil.copytree(finished, tmp_path / "run")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    """Take out of the environment what tests must not see: keys of whoever runs them, and ways around the loopback."""
    for name in [name for name in os.environ if name.upper().endswith(("_API_KEY", "_PROXY", "_TOKEN"))]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def libraries():
    """Load here what models need, so that no fork of this process takes the time."""
    for library in LIBRARIES:
        importlib.import_module(library)
    certificates()


@pytest.fixture(scope="module", name="one_server")
def module_server(libraries):
    """Return a provider that serves as long as the module's tests last."""
    with Server() as server:
        yield server


@pytest.fixture(name="server")
def calm_server(one_server):
    """Return the module's provider, calm."""
    one_server.calm()
    yield one_server
    one_server.calm()
