"""Fixtures for all tests."""

import signal
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import settings

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
