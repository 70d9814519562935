"""What is no run, or cannot be read: one clear line, and the right status, from every command that takes a run."""

import ctypes
import os
import shutil
import sys
from itertools import product

import pytest

from molt_bench.cli import main
from tests.cases import one_in
from tests.e2e.shell import SMALL, one_clear_line, quick, quick_run

COMMANDS = {
    "resume": ("resume", "RUN"),
    "report": ("report", "RUN"),
    "export html": ("export", "RUN", "--format", "html", "--output", "page.html"),
    "verify": ("verify", "RUN"),
    "export": ("export", "RUN", "--format", "csv"),
    "compare": ("compare", "RUN", "RUN"),
    "plan --pilot": ("plan", "config.yaml", "--pilot", "RUN"),
}
#: The version of Linux' call that sets capabilities.
_CAPABILITIES = 0x20080522


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    (folder / "config.yaml").write_text("participants: [tight, random]\n")
    (folder / "empty").mkdir()
    (folder / "odd" / "journal.jsonl").mkdir(parents=True)
    run = quick_run(folder / "out", *SMALL, "--quiet")
    shutil.move(run, folder / "run")
    return folder


def asked(command, run):
    return quick(*[run if word == "RUN" else word for word in COMMANDS[command]], cwd=run.parent)


@pytest.mark.parametrize(
    ("command", "name"), one_in(3, product(COMMANDS, ["nowhere", "config.yaml", "empty", "odd", "n" * 300]))
)
def test_what_is_no_run_is_one_clear_line(home, command, name):
    done = asked(command, home / name)
    one_clear_line(done, "RUN = ", "the folder of a run")


def powerless():
    """Be the program without the powers of root, who may read everything."""
    header, none = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0), (ctypes.c_uint32 * 6)()
    assert os.geteuid() or not ctypes.CDLL(None).capset(header, none)
    main()


@pytest.mark.skipif(os.geteuid() == 0 and sys.platform != "linux", reason="root may read everything")
@pytest.mark.parametrize("what", ["run", "run/journal.jsonl"], ids=["folder", "journal"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_run_that_may_not_be_read_is_one_clear_line(home, tmp_path, monkeypatch, command, what):
    copy = shutil.copytree(home, tmp_path / "home")
    monkeypatch.setattr("tests.e2e.shell.main", powerless)
    (copy / what).chmod(0)
    done = asked(command, copy / "run")
    (copy / what).chmod(0o755)
    one_clear_line(done, "run", "Permission denied")
