"""Finding and ending what a program left running."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from molt_bench.agents.external.process_cleanup import TAG, end_all, processes_of
from tests.agents.external.playing import on_linux

#: Starts two processes, one of them without our environment, says so, and waits.
_PARENT = """
import subprocess, sys, time
for env in (None, {}):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], env=env)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def parent(tmp_path):
    """Return a process with two children, its tag, and the pids of the children."""
    started = subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, env={**os.environ, TAG: str(tmp_path)}
    )
    assert started.stdout.readline() == b"ready\n"
    children = [each.pid for each in psutil.Process(started.pid).children()]
    yield started, str(tmp_path), children
    for pid in (started.pid, *children):
        if psutil.pid_exists(pid):
            psutil.Process(pid).kill()
    started.wait()
    started.stdout.close()


def test_all_descendants_are_ended_and_their_parent_is_spared(parent):
    process, tag, children = parent
    assert sorted(children) == [each.pid for each in processes_of(process.pid, tag)]
    assert end_all(process.pid, tag) == ([], "")
    assert process.poll() is None
    assert processes_of(process.pid, tag) == []


@on_linux
def test_after_the_parents_end_the_tag_tells_them(parent):
    process, tag, children = parent
    process.kill()
    process.wait()
    found = [each.pid for each in processes_of(process.pid, tag)]
    assert len(found) == 1
    assert {*found} < {*children}
    assert processes_of(process.pid, "another tag") == []
    assert end_all(process.pid, tag) == ([], "")


def test_a_process_that_has_ended_is_not_left(parent):
    process, tag, children = parent
    psutil.Process(children[0]).kill()
    deadline = time.monotonic() + 20
    while len(processes_of(process.pid, tag)) > 1:
        assert time.monotonic() < deadline
