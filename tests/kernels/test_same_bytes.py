"""Whole runs leave the same files behind with and without the compiled kernels."""

import os
import subprocess
import sys

import pytest

from molt_bench.kernels import PURE_VARIABLE, compiled
from tests.kernels import golden_runs


def hashes(*names, pure):
    """Return what `golden_runs.py` prints, by name."""
    done = subprocess.run(
        [sys.executable, golden_runs.__file__, *names],
        env={**os.environ, PURE_VARIABLE: "1" if pure else ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(line.split(": ") for line in done.stdout.splitlines())


def test_the_variable_turns_the_kernels_off():
    code = "from molt_bench.kernels import compiled; print(compiled)"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, PURE_VARIABLE: "1"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "None"


@pytest.mark.slow
@pytest.mark.skipif(compiled is None, reason="the kernels were not compiled, or are turned off")
def test_runs_of_odd_games_are_the_same():
    names = ("cap", "short")
    assert hashes(*names, pure=True) == {name: golden_runs.hash_of(name) for name in names}


@pytest.mark.slow
@pytest.mark.skipif(compiled is None, reason="the kernels were not compiled, or are turned off")
@pytest.mark.parametrize("name", golden_runs.RUNS)
def test_runs_of_every_kind_are_the_same(name):
    assert hashes(name, pure=True) == hashes(name, pure=False)
