"""Fixtures for all tests."""

import itertools
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import settings

from molt_bench.seeds import derived_seed

# A shell that starts the tests in the background has them ignore Ctrl-C, and so all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# A slow shared machine is no reason for a test to fail.
settings.register_profile("default", deadline=None)
settings.load_profile("default")


@pytest.fixture
def fresh_python() -> Callable[[str], str]:
    """Return a function that runs code in a fresh interpreter and returns what it printed."""

    def run(code: str) -> str:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
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
