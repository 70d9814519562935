"""A program in a seat: whatever it does is counted by its kind, and nothing of it is left behind."""

import asyncio
import json
import os
import re
import signal
import time
from pathlib import Path

import pytest

from molt_bench import ParticipantSpec, make_agent, play_game, play_game_async
from molt_bench.agents.external import supervised_program
from molt_bench.agents.external.process_cleanup import TAG
from molt_bench.agents.external.program_settings import ExecSettings
from molt_bench.agents.external.supervised_program import SupervisedProgram
from molt_bench.agents.sandbox.choice import Boxed
from molt_bench.arena.cast import Cast
from molt_bench.config.loader import load_config
from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import GameLabel
from molt_bench.testing import check_agent
from tests.agents.external.mixes import GOOD, GOOD_TEXT, WRONG
from tests.agents.external.playing import CHAOS, PYTHON, chaos, faults, log_of, on_linux, played, processes_with

SOON = 0.3


@pytest.fixture
def log(tmp_path, folders):
    """Return where the bot logs; afterwards no process of the test and no folder is there."""
    path = tmp_path / "log"
    yield path
    assert processes_with(path) == []
    assert list(folders.iterdir()) == []


def test_a_good_program_plays_without_a_fault(log):
    record = played(chaos("well", log), hands=10)
    assert record.faults == ()
    assert record.net == play_game((make_agent("callstation"),) * 2, seed=1, hands=10).net
    said = [line[0] for line in log_of(log)]
    assert said.count("start") == 1
    assert said.count("handResult") == 10
    assert said[-1] == "bye"


#: What the bot does at its third decision, and what is said about it.
ONCE = {
    "crash": ("crash", "ended with exit status 3; its last line on standard error: Traceback: out of cards"),
    "segfault": ("crash", "ended by SIGSEGV"),
    "escape": ("crash", "ended with exit status 4"),
    "illegal": ("illegal", ""),
    "garbage": ("unparsable", "the answer is not JSON (Expecting value): 'I think I shall call.'"),
    "empty": ("empty", "the answer is empty"),
    "wrong-id": ("unparsable", "id is 10: expected 3, that of the observation"),
    "float": ("unparsable", "amount is 300.0: expected a whole number of chips, such as 300"),
    "flood": ("flood", "a line of more than 64 KiB"),
    "close-output": ("transport", "has closed its standard output"),
    "SIGKILL": ("signal", "was ended by SIGKILL, a signal from outside, unless it sent that itself"),
    "SIGTERM": ("signal", "was ended by SIGTERM, a signal from outside"),
    "SIGUSR1": ("signal", "was ended by SIGUSR1, a signal from outside"),
    "SIGABRT": ("crash", "was ended by SIGABRT"),
    "kill-its-group": ("signal", "was ended by SIGKILL"),
    "kill-its-keeper": ("signal", "the process of ours that watches over the program was ended from outside"),
    "exit-137": ("signal", "exit status 137, as a wrapper does whose program SIGKILL ended: a signal from outside"),
    "exit-143": ("signal", "exit status 143, as a wrapper does whose program SIGTERM ended"),
    "exit-139": ("crash", "ended with exit status 139"),
    "daemon-and-exit": ("crash", "ended with exit status 5"),
}


@pytest.mark.parametrize("behaviour", ONCE)
def test_every_misbehaviour_is_counted_in_its_class(behaviour, log):
    kind, said = ONCE[behaviour]
    record = played(chaos(behaviour, log, 3, max_restarts=0), hands=1)
    found = [fault for fault in record.faults if fault.kind == kind]
    assert len(found) == 1
    assert said in found[0].message
    assert sum(line == ["did", behaviour] for line in log_of(log)) == 1
    assert faults(record) == {kind: 1}


def test_a_program_that_never_answers_times_out(log):
    record = played(chaos("hang", log, action_timeout_s=SOON, max_restarts=1), hands=1, max_retries=2)
    assert faults(record) == {"timeout": 2, "crash": 1}
    assert record.faults[0].message == "no answer within 0.3 s"
    assert record.faults[2].message == "given up after 1 restarts"


def test_an_answer_without_a_line_break_is_none_and_the_message_says_so(log):
    record = played(chaos("no-line-break", log, action_timeout_s=SOON), hands=1)
    assert faults(record) == {"timeout": 1}
    assert record.faults[0].message == "no answer within 0.3 s, but text without a line break"


@on_linux
def test_one_that_ignores_signals_and_hides_its_child_is_ended_all_the_same(log):
    record = played(chaos("stubborn", log, action_timeout_s=SOON, max_restarts=0), hands=1)
    assert faults(record) == {"timeout": 1}


@on_linux
def test_one_that_stands_still_is_reported_as_stopped_rather_than_late(log):
    record = played(chaos("SIGSTOP", log, action_timeout_s=SOON, max_restarts=0), hands=1)
    assert faults(record) == {"signal": 1}
    said = record.faults[0].message
    assert re.fullmatch(r"no answer within 0\.3 s: its process \d+ had been stopped by a signal from outside.*", said)


@on_linux
def test_one_that_is_killed_by_somebody_else_is_not_blamed_for_a_crash(log):
    async def killed():
        game = asyncio.ensure_future(
            play_game_async(
                (chaos("hang", log, max_restarts=0), make_agent("callstation")), seed=1, hands=1, max_retries=0
            )
        )
        while ["did", "hang"] not in log_of(log):
            await asyncio.sleep(0.01)
        for pid in processes_with(f"{CHAOS}\0hang"):
            if "supervisor_script.py" not in Path(f"/proc/{pid}/cmdline").read_text():
                os.kill(pid, signal.SIGKILL)
        return await game

    assert faults(asyncio.run(killed())) == {"signal": 1}


@on_linux
def test_a_daemon_with_another_environment_is_ended_with_the_game(log):
    assert played(chaos("daemon", log), hands=1).faults == ()


@on_linux
def test_a_child_that_left_the_session_is_ended_with_the_game(log):
    assert played(chaos("leave-child", log), hands=1).faults == ()


def test_one_that_closes_its_input_and_lives_on_has_no_connection(log):
    record = played(chaos("close-input", log, 2, max_restarts=0), hands=1)
    assert faults(record) == {"transport": 1}
    assert "closed its standard input" in record.faults[0].message


def test_lines_that_nobody_asked_for_are_a_flood(log):
    record = played(chaos("flood-lines", log, 3, max_restarts=0), hands=1)
    assert faults(record) == {"flood": 1}


@pytest.mark.parametrize("behaviour", ["twice", "late", "noise-on-stderr"])
def test_answers_to_earlier_observations_and_noise_do_not_count(behaviour, log):
    assert played(chaos(behaviour, log), hands=5).faults == ()


@pytest.mark.parametrize(
    ("behaviour", "kind", "said"),
    [
        ("exit-at-hello", "crash", "ended with exit status 1; its last line on standard error: no licence"),
        ("silent-at-hello", "timeout", "no hello within 0.3 s"),
        ("wrong-hello", "unparsable", "protocol is 2: expected 1"),
    ],
)
def test_one_that_does_not_say_hello_is_started_again_and_then_given_up(behaviour, kind, said, log):
    limit_s = SOON if behaviour == "silent-at-hello" else 20
    record = played(chaos(behaviour, log, start_timeout_s=limit_s, max_restarts=1), hands=1, max_retries=2)
    assert [fault.kind for fault in record.faults] == [kind, kind, "crash"]
    assert said in record.faults[0].message
    assert [fault.attempt for fault in record.faults] == [1, 2, 3], "no hook is to blame"


def test_a_process_that_ended_is_replaced_at_the_next_decision(log):
    record = played(chaos("crash", log, 3, max_restarts=99), hands=4, max_retries=2)
    did = [line for line in log_of(log) if line[0] == "did"]
    assert faults(record) == {"crash": did.count(["did", "crash"])}
    starts = sum(line[0] == "start" for line in log_of(log))
    assert starts - did.count(["did", "crash"]) in (0, 1), "the last one is started only if it is asked"


def test_every_game_has_a_fresh_process_with_a_folder_of_its_own(log):
    agent = chaos("well", log)
    first, second = played(agent), played(agent)
    assert first == second
    starts = [line[1] for line in log_of(log) if line[0] == "start"]
    assert len(set(starts)) == 2


def test_a_program_that_cannot_be_started_is_a_crash(tmp_path, folders):
    program = tmp_path / "bot"
    program.write_text("no magic number")
    program.chmod(0o755)
    record = played(make_agent(ParticipantSpec(id="bot", type=f"exec:{program}", settings={"sandbox": "off"})), hands=1)
    assert faults(record) == {"crash": 1}
    assert record.faults[0].message == "the program cannot be started: Exec format error"


def test_it_plays_on_a_running_loop_and_against_itself(log):
    async def both():
        games = [play_game_async((chaos("well", log), chaos("well", log)), seed=s, hands=2) for s in range(3)]
        return await asyncio.gather(*games)

    assert [record.faults for record in asyncio.run(both())] == [(), (), ()]
    agent = chaos("well", log)
    assert play_game((agent, agent), seed=1, hands=3).faults == ()
    assert run_in_new_loop(play_game_async((agent, make_agent("tight")), seed=1, hands=3)).faults == ()


@pytest.mark.parametrize("behaviour", ["well", "stubborn", "leave-child", "silent-at-hello"])
def test_cancelling_a_game_leaves_no_process(behaviour, log, monkeypatch):
    monkeypatch.setattr("molt_bench.agents.external.program_agent.GRACE_S", 600.0)

    async def cancelled():
        opponent = make_agent("callstation")
        game = asyncio.ensure_future(play_game_async((chaos(behaviour, log), opponent), seed=1, hands=100_000))
        await asyncio.sleep(0.2)
        start = time.perf_counter()
        game.cancel()
        with pytest.raises(asyncio.CancelledError):
            await game
        return time.perf_counter() - start

    assert asyncio.run(cancelled()) < 60, "it is ended at once, without the usual grace"


def test_an_opponent_who_breaks_off_the_game_leaves_no_process(log):
    class Interrupts:
        name = "interrupts"

        def act(self, observation):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_game((chaos("well", log), Interrupts()), seed=1, hands=3)


def test_one_that_lingers_is_ended_after_half_a_second(log):
    start = time.perf_counter()
    assert played(chaos("linger", log), hands=1).faults == ()
    assert time.perf_counter() - start < 60


def test_it_sees_nothing_of_our_environment_but_what_is_passed_on(log, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a-secret")
    monkeypatch.setenv("FOR_THE_BOT", "a-hint")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    played(chaos("environment", log, env=["FOR_THE_BOT"]), hands=1)
    _, folder, variables = log.read_text().splitlines()[0].split(" ", 2)
    seen = json.loads(variables)
    assert seen.keys() - {"LC_CTYPE"} == {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONUNBUFFERED", TAG, "FOR_THE_BOT"}
    assert seen["FOR_THE_BOT"] == "a-hint"
    assert seen["HOME"] == seen["TMPDIR"] == seen[TAG] == folder != os.getcwd()


@on_linux
def test_no_signal_is_ignored_in_a_program_because_python_ignores_it(folders):
    settings = ExecSettings(command="grep")
    words = ("/bin/grep", "SigIgn", "/proc/self/status")
    kept = SupervisedProgram(Boxed(words, settings), piped=True)
    ignored = int(kept.process.stdout.read().split()[1], 16)
    assert not any(ignored >> (number - 1) & 1 for number in (signal.SIGPIPE, signal.SIGXFSZ))
    kept.sweep(os.getpid(), pytest.fail)


@on_linux
def test_one_that_takes_too_much_memory_crashes(log):
    record = played(chaos("memory", log, memory_mb=256, max_restarts=0), hands=1)
    assert faults(record) == {"crash": 1}
    assert "MemoryError" in record.faults[0].message


@pytest.mark.slow
@on_linux
def test_one_that_takes_too_much_processor_time_crashes(log, monkeypatch):
    monkeypatch.setattr(supervised_program, "CPU_SECONDS", 1)
    record = played(chaos("spin", log, max_restarts=0), hands=1)
    assert faults(record) == {"crash": 1}
    assert "SIGXCPU" in record.faults[0].message


def test_what_it_writes_to_standard_error_is_kept_within_bounds(log, tmp_path):
    agent = chaos("ten-megabytes-on-stderr", log, folder=tmp_path / "agents")
    assert played(agent, hands=1).faults == ()
    written = 10_000_000 * sum(line[0] == "did" for line in log_of(log))
    (file,) = (tmp_path / "agents").iterdir()
    assert file.name == "chaos.stderr.log"
    kept = file.read_bytes()
    assert kept[: 64 * 1024] == (b"blah blah\n" * 10_000)[: 64 * 1024]
    assert kept[64 * 1024 :] == b"\n[%d more bytes were dropped]\n" % (written - 64 * 1024)


def test_in_a_run_the_log_is_in_the_folder_of_the_run(log, tmp_path):
    command = [*PYTHON, CHAOS, "crash", str(log)]
    bot = {"id": "my bot", "type": "exec", "command": command, "sandbox": "off"}
    config = load_config({"participants": [bot, "tight"]})
    (tmp_path / "run").mkdir()
    journal = Journal(str(tmp_path / "run" / "journal.jsonl"))
    cast = Cast(config, {}, RunFiles(journal))
    assert cast.waiting == {"my bot"}
    assert cast.portable == {"tight"}
    played(cast.agent("my bot", GameLabel(1, 1, "AB")), hands=1)
    (log,) = (tmp_path / "run" / "agents").iterdir()
    assert log.read_text().endswith("Traceback: out of cards\n")
    journal.close()


@pytest.mark.slow
def test_the_conformance_kit_takes_a_program_and_ends_it(log):
    report = check_agent(chaos("well", log), hands=2)
    assert report.ok, report


def test_a_program_may_answer_with_a_mix(log):
    record = played(chaos(f'says "mix":{json.dumps(GOOD)}', log), hands=1)
    assert record.faults == ()
    assert record.mixes[0].startswith(f"0:{GOOD_TEXT}")


@pytest.mark.parametrize("name", sorted(WRONG.keys() - {"a flood"}))  # no command can be as long
def test_a_wrong_mix_is_a_fault_of_its_kind_at_every_attempt(name, log):
    fields, kind, words = WRONG[name]
    record = played(chaos(f"says {fields}", log), hands=1, max_retries=1)
    assert [(fault.kind, fault.attempt) for fault in record.faults] == [(kind, 1), (kind, 2)]
    assert all(words in fault.message for fault in record.faults)
    assert record.mixes == ()
