"""Fixtures for all tests."""

import gc
import itertools
import os
import signal
import ssl
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from molt_bench.seeds import derived_seed
from tests.installed import use_own_entry_points

use_own_entry_points()
# A shell that starts the tests in the background has them ignore Ctrl-C, and so all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# Programs of tests are started with `python3`, and the one of a version manager takes many times as long to start.
os.environ["PATH"] = f"{Path(sys.base_prefix, 'bin')}{os.pathsep}{os.environ['PATH']}"
# A slow shared machine is no reason for a test to fail, and what failed by chance would not fail again: so examples are
# the same in every run, and others with `--hypothesis-profile=drawn`.
settings.register_profile("default", deadline=None, derandomize=True)
settings.register_profile("drawn", deadline=None, derandomize=False)
settings.load_profile("default")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage in what collecting the tests makes: all of it stays, and it would be a tenth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture
def fresh_python() -> Callable[[str], str]:
    """Return a function that runs code in a fresh interpreter and returns what it printed."""

    def run(code: str) -> str:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
        return done.stdout.strip()

    return run


@pytest.fixture(autouse=True)
def drawn_alike(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each test draw the same master seeds in every run, so that none fails once in a thousand deals.

    Tests of the drawing itself are marked `draws`. Programs that a test starts anew draw for themselves.
    """
    if request.node.get_closest_marker("draws") is None:
        count = itertools.count()
        name = request.node.nodeid
        monkeypatch.setattr("molt_bench.runs.master_seed.draw_seed", lambda: derived_seed(name, next(count)))


@pytest.fixture(scope="session", autouse=True)
def sparing() -> Iterator[None]:
    """Spare what tests have no use for.

    Each client would read the certificates of this machine, though no server here has one. And runs would start workers
    because the machine is busy, which cost more than the small runs of tests.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        patch.setattr("molt_bench.arena.executors._WORTH_WORKERS_S", float("inf"))
        yield
