"""Hosts that wait for their game: they save its start, are used once, know of no other game, and do not stay."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from threading import current_thread

import pytest

from molt_bench import ParticipantSpec, make_agent, play_game
from molt_bench.agents.sandbox import waiting_hosts
from molt_bench.agents.sandbox.box_keeper import keeper
from molt_bench.agents.sandbox.visible_files import hide
from molt_bench.errors import InternalError
from tests.agents.sandbox.boxes import needs_bubblewrap

pytestmark = needs_bubblewrap

#: It fails if it finds anything of an earlier game: in memory, files, shared memory, processes, or its own number.
BOT = """
import os, subprocess, sys
from molt_bench import Action

PLACES = "/tmp/left", "/dev/shm/left"
GAMES = []

class Bot:
    name = "bot"

    def act(self, seen):
        if seen.hand_number == 1 and not GAMES:
            found = [path for path in PLACES if os.path.exists(path)]
            others = [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) > os.getpid()]
            assert not found and not others and not hasattr(sys, "left"), (found, others)
        GAMES.append(seen.hand_number)
        assert len(GAMES) <= 40
        sys.left = True
        for path in PLACES:
            open(path, "w").close()
        subprocess.Popen(["sleep", "60"], start_new_session=True)
        return Action("call") if seen.to_call else Action("check")
"""


@pytest.fixture
def bot(tmp_path):
    """Return a bot in a folder of its own, and end what waits for it after the test."""
    path = tmp_path / "bot" / "bot.py"
    path.parent.mkdir()
    path.write_text(BOT)
    yield ParticipantSpec(id="bot", type=f"{path}:Bot", settings={"sandbox": "bwrap"})
    waiting_hosts.end_all()


def played(bot):
    record = play_game((make_agent(bot), make_agent("callstation")), seed=1, hands=2)
    assert record.faults == ()


def waiting():
    """Return the processes of the hosts that wait, once as many do as will."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = [each.program.process.pid for some in waiting_hosts._waiting.values() for each in some]
        if found:
            return found
        time.sleep(0.01)
    return []


def test_a_single_game_starts_no_second_host(bot):
    waiting_hosts.end_all()
    played(bot)
    assert not any(waiting_hosts._waiting.values())


def test_a_host_that_is_being_started_is_ended_with_the_others(bot, monkeypatch):
    real, being_started = waiting_hosts.started_program, []

    def started(*words, **options):
        program = real(*words, **options)
        if current_thread() is keeper():
            waiting_hosts.end_all()
            being_started.append(program)
        return program

    monkeypatch.setattr(waiting_hosts, "started_program", started)
    for _ in range(2):
        played(bot)
    keeper().call(lambda: None, lambda _: None)
    assert being_started
    assert all(program.ended for program in being_started)
    assert not any(waiting_hosts._waiting.values())


def test_nothing_of_a_game_is_found_in_the_next_whose_host_has_waited(bot, monkeypatch):
    used = []
    real = waiting_hosts.host_for
    monkeypatch.setattr(
        "molt_bench.agents.sandbox.hosted_python.host_for",
        lambda *words, **options: used.append(real(*words, **options)) or used[-1],
    )
    for _ in range(4):
        played(bot)
        if len(used) > 1:
            known = waiting()
    assert len({program.process.pid for program in used}) == 4
    played(bot)
    assert used[-1].process.pid in known


def test_a_host_waits_for_no_run_that_began_after_it(bot, tmp_path):
    for _ in range(2):
        played(bot)
    (before,) = waiting()
    hide(str(tmp_path / "bot" / "later"))
    for _ in range(2):
        played(bot)
    assert before in waiting()


def test_a_host_that_died_while_it_waited_is_nobodys_fault(bot):
    for _ in range(2):
        played(bot)
    (pid,) = waiting()
    subprocess.run(["kill", "-KILL", str(pid)], check=True)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    played(bot)


def test_a_host_that_nobody_needs_is_ended(bot, monkeypatch):
    monkeypatch.setattr(waiting_hosts, "_PATIENCE_S", 0.1)
    for _ in range(2):
        played(bot)
    deadline = time.monotonic() + 30
    while any(waiting_hosts._waiting.values()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_none_outlives_its_process(bot):
    code = (
        "import sys, time\nfrom molt_bench import ParticipantSpec, make_agent, play_game\n"
        "from molt_bench.agents.sandbox import waiting_hosts\n"
        "bot = ParticipantSpec(id='bot', type=sys.argv[1], settings={'sandbox': 'bwrap'})\n"
        "for _ in range(2):\n    play_game((make_agent(bot), make_agent('callstation')), seed=1, hands=1)\n"
        "while not any(waiting_hosts._waiting.values()):\n    time.sleep(0.01)\n"
        "print(*[each.program.process.pid for some in waiting_hosts._waiting.values() for each in some])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, bot.type], capture_output=True, text=True, check=True)
    (pid,) = map(int, done.stdout.split())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize("bug", [ValueError, OSError, KeyError])
@pytest.mark.parametrize("later", [False, True], ids=["before the next box", "at the end of a game"])
def test_a_bug_in_the_keeper_ends_what_is_played_and_nobody_waits_forever(bot, bug, later):
    class Broken:
        def look(self):
            raise bug("of ours")

    if not later:
        keeper().watch(Broken())
        deadline = time.monotonic() + 30
        while keeper()._bug is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def games():
        for _ in range(50):
            if later:
                keeper().watch(Broken())
            played(bot)

    with pytest.raises(InternalError, match="a bug in molt-bench"):
        games()
    deadline = time.monotonic() + 30
    while keeper()._bug is not None or any(type(each) is Broken for each in keeper()._watched):
        assert time.monotonic() < deadline
        with suppress(InternalError):
            keeper().call(lambda: None, lambda _: None)
    played(bot)
