"""A signal while the program loads its modules ends it without a word: nothing has begun."""

import signal
import subprocess
import sys

import pytest

#: Sends a signal to itself when a module is about to be loaded, by `main` or by the program.
PROGRAM = """
import os, sys
from importlib import import_module
import molt_bench.cli as cli

place, number = sys.argv.pop(1), int(sys.argv.pop(1))

def importing(name):
    if name.endswith(place):
        os.kill(os.getpid(), number)
    found = import_module(name)
    if name.endswith("app"):
        found.import_module = importing
    return found

cli.import_module = importing
cli.main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
@pytest.mark.parametrize("place", [".app", ".run"])
def test_a_signal_while_modules_are_loaded_is_no_bug(tmp_path, place, number):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, place, str(int(number)), "run", "--quiet"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.slow
@pytest.mark.parametrize("at", range(20))
def test_a_signal_at_any_time_of_the_start_leaves_no_traceback(tmp_path, at):
    process = subprocess.Popen(
        [sys.executable, "-c", "import molt_bench.cli as cli; print('here', flush=True); cli.main()", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdout.readline() == "here\n"
    try:
        process.wait(at / 20)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode in (0, 130, -signal.SIGINT)
    assert not {"Traceback", "bug"} & {*said.replace(",", " ").split()}, said
