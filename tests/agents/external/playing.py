"""What the tests of external agents share."""

import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import monotonic, sleep

import psutil
import pytest

from molt_bench import ParticipantSpec, make_agent, play_game

CHAOS = str(Path(__file__).with_name("chaos.py"))
#: Starts twice as fast without what it does not need.
PYTHON = (sys.executable, "-I", "-S")

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and prlimit, which Linux alone has")


def chaos(behaviour, log="", first=1, *, action_timeout_s=20.0, folder=None, sandbox="off", name="chaos", **settings):
    """Return an agent that is the chaos bot; in a box it cannot write its log."""
    command = [*PYTHON, CHAOS, behaviour, str(log), str(first)]
    spec = ParticipantSpec(id=name, type="exec", params={"command": command, **settings}, settings={"sandbox": sandbox})
    return make_agent(spec, action_timeout_s=action_timeout_s, folder=folder)


def played(agent, *, hands=3, max_retries=0, **options):
    """Play against a bot that never folds or raises, so that there is a decision in every hand."""
    return play_game((agent, make_agent("callstation")), seed=1, hands=hands, max_retries=max_retries, **options)


def faults(record):
    """Return the faults of the agent by kind."""
    return dict(Counter(fault.kind for fault in record.faults if fault.player == 0))


def log_of(path):
    """Return what the chaos bot did, by line."""
    return [line.split(" ") for line in Path(path).read_text().splitlines()] if Path(path).exists() else []


def processes_with(text):
    """Return the processes that are alive and have a text in their command line."""
    every = psutil.process_iter(["cmdline"])
    return [each.pid for each in every if str(text) in "\0".join(each.info["cmdline"] or ())]


def left_of(text, within_s=5.0):
    """Return the processes with a text that are still there after a while: the system ends those of a box by itself."""
    deadline = monotonic() + within_s
    while (left := processes_with(text)) and monotonic() < deadline:
        sleep(0.02)
    return left


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Return where the agents of a test get their folders."""
    place = tmp_path / "folders"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place
