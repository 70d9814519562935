"""A program in a seat: whatever it does is counted by its kind, and nothing of it is left behind."""

import asyncio
import json
import os
import shlex
import signal
import time

import pytest

from molt_bench import ParticipantSpec, make_agent, play_game, play_game_async
from molt_bench.agents.external import box, program
from molt_bench.arena.cast import Cast
from molt_bench.config.loader import load_config
from molt_bench.errors import AgentError
from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import GameLabel
from tests.agents.external.boxes import needs_bubblewrap
from tests.agents.external.mixes import GOOD, GOOD_TEXT, WRONG
from tests.agents.external.playing import (
    CHAOS,
    PYTHON,
    chaos,
    faults,
    left_of,
    log_of,
    on_linux,
    played,
    processes_with,
)
from tests.cases import one_in

SOON = 0.3
WAYS = ["off", pytest.param("required", marks=needs_bubblewrap)]


@pytest.fixture
def log(tmp_path, folders):
    """Return where the bot logs; afterwards no process of the test and no folder is there."""
    path = tmp_path / "log"
    yield path
    assert left_of(path) == []
    assert list(folders.iterdir()) == []


def test_a_good_program_plays_without_a_fault(log):
    record = played(chaos("well", log), hands=10)
    assert record.faults == ()
    assert record.net == play_game((make_agent("callstation"),) * 2, seed=1, hands=10).net
    said = [line[0] for line in log_of(log)]
    assert said.count("start") == 1
    assert said.count("handResult") == 10
    assert said[-1] == "bye"


#: What the bot does at its third decision, the kind of the fault, what is said about it, and in a box if that differs.
#: None for a behaviour that is no fault. The time limit of the late ones is short.
MISBEHAVIOURS = {
    "crash": ("crash", "ended with exit status 3; its last line on standard error: Traceback: out of cards"),
    "segfault": ("crash", "ended by SIGSEGV"),
    "escape": ("crash", "ended with exit status 4"),
    "illegal": ("illegal", ""),
    "garbage": (
        "unparsable",
        "the answer is no JSON: 'I think I shall call.' (JSON is malformed: invalid character (byte 0))",
    ),
    "empty": ("empty", "the answer is empty"),
    "null": ("unparsable", "Expected `object`, got `null`"),
    "nested": ("unparsable", "Expected `object`, got `array`"),
    "huge-number": ("unparsable", "Integer value out of range - at `$.id`"),
    "not-utf-8": ("unparsable", "the answer is not UTF-8"),
    "wrong-id": ("unparsable", "id is 10: expected 3, that of the observation"),
    "float": ("unparsable", "Expected `int | null`, got `float` - at `$.amount`"),
    "long-name": ("unparsable", "Invalid enum value 'xxx"),
    "control-characters": ("unparsable", "Invalid enum value '\\x1b[2Jcall' - at `$.kind`"),
    "hello-again": ("unparsable", "Invalid value 'hello' - at `$.type`"),
    "tells-a-fault": ("refused", "I will not"),
    "tells-a-fault-of-ours": ("unparsable", "Invalid enum value 'transport' - at `$.kind`"),
    "flood": ("flood", "a line of more than 64 KiB"),
    "flood-lines": ("flood", ""),
    "close-output": ("transport", "has closed its standard output"),
    "close-both": ("transport", "has closed its standard output"),
    "half-a-line": ("timeout", "no answer within 0.3 s, but text without a line break"),
    "half-a-line-and-exit": ("crash", "ended with exit status 0"),
    "no-line-break": ("timeout", "but text without a line break"),
    "hang": ("timeout", "no answer within 0.3 s"),
    "stubborn": ("timeout", "no answer within 0.3 s"),
    "fork-bomb": ("timeout", "no answer within 0.3 s"),
    "SIGSTOP": ("timeout", "no answer within 0.3 s"),
    "SIGKILL": ("crash", "was ended by SIGKILL"),
    "SIGTERM": ("crash", "was ended by SIGTERM"),
    "SIGUSR1": ("crash", "was ended by SIGUSR1"),
    "SIGABRT": ("crash", "was ended by SIGABRT"),
    "kill-its-group": ("crash", "was ended by SIGKILL"),
    "exit-137": ("crash", "ended with exit status 137"),
    "daemon-and-exit": ("crash", "ended with exit status 5"),
    "daemon": (None, ""),
    "leave-child": (None, ""),
    "twice": (None, ""),
    "late": (None, ""),
    "noise-on-stderr": (None, ""),
    "write-files": (None, ""),
}
#: A box keeps the pipes of its program open.
OPEN_IN_A_BOX = ("close-output", "close-both")
LATE = (*OPEN_IN_A_BOX, "half-a-line", "no-line-break", "hang", "stubborn", "fork-bomb", "SIGSTOP")
#: What leaves the group of its program gets away without a box.
ONLY_BOXED = ("daemon", "daemon-and-exit", "escape", "leave-child")


@on_linux
@pytest.mark.parametrize("sandbox", WAYS)
@pytest.mark.parametrize("behaviour", MISBEHAVIOURS)
def test_every_misbehaviour_is_counted_in_its_class_and_leaves_nothing(behaviour, sandbox, log):
    if behaviour in ONLY_BOXED and sandbox == "off":
        pytest.skip("stopped by a box alone")
    kind, said = MISBEHAVIOURS[behaviour]
    if behaviour in OPEN_IN_A_BOX and sandbox == "required":
        kind, said = "timeout", "no answer within 0.3 s"
    if behaviour == "exit-137" and sandbox == "required":
        said = "was ended by SIGKILL"  # as a box tells of it
    limit_s = SOON if behaviour in LATE else 20.0
    agent = chaos(behaviour, log, 3, action_timeout_s=limit_s, sandbox=sandbox, name="x" * 200)
    record = played(agent, hands=2)
    if kind is None:
        assert record.faults == ()
        return
    first = record.faults[0]
    assert (first.kind, first.player, first.attempt) == (kind, 0, 1)
    assert said in first.message
    assert len(first.message) < 1000
    assert first.message.isprintable()
    lost = {each.message for each in record.faults if each.kind == "crash"} - {first.message}
    assert lost <= {"the program has ended earlier in this game"}


def test_a_program_that_ended_has_lost_its_game_and_is_started_anew_for_the_next(log):
    agent = chaos("crash", log, 3)
    for _ in range(2):
        record = played(agent, hands=3, max_retries=1)
        assert [fault.message[:11] for fault in record.faults[:2]] == ["the program", "the program"]
        assert {fault.kind for fault in record.faults} == {"crash"}
    assert [line[0] for line in log_of(log)].count("start") == 2


def test_an_answer_that_came_too_late_does_not_count_and_the_next_one_does(tmp_path, log):
    bot = tmp_path / "slow.py"
    bot.write_text(
        "import json, sys, time\n"
        "for line in sys.stdin:\n"
        "    seen = json.loads(line)\n"
        "    if seen['type'] == 'hello': print(json.dumps({'type': 'hello', 'protocol': 1}), flush=True)\n"
        "    if seen['type'] != 'observation': continue\n"
        "    if seen['id'] == 1: time.sleep(3)\n"
        "    kind = 'call' if seen['toCall'] else 'check'\n"
        "    print(json.dumps({'type': 'action', 'id': seen['id'], 'kind': kind}), flush=True)\n"
    )
    spec = ParticipantSpec(id="slow", type="exec", params={"command": [*PYTHON, str(bot)]}, settings={"sandbox": "off"})
    record = played(make_agent(spec, action_timeout_s=2.0), hands=3, max_retries=2)
    assert {fault.kind for fault in record.faults} == {"timeout"}
    assert {fault.hand_number for fault in record.faults} == {1}


@on_linux
def test_one_that_is_killed_by_another_program_has_crashed(log):
    async def killed():
        players = chaos("hang", log), make_agent("callstation")
        game = asyncio.ensure_future(play_game_async(players, seed=1, hands=1, max_retries=0))
        while ["did", "hang"] not in log_of(log):
            await asyncio.sleep(0.01)
        for pid in processes_with(f"{CHAOS}\0hang"):
            os.kill(pid, signal.SIGKILL)
        return await game

    assert faults(asyncio.run(killed())) == {"crash": 1}


@pytest.mark.parametrize(
    ("behaviour", "kind", "said"),
    [
        ("exit-at-hello", "crash", "ended with exit status 1; its last line on standard error: no licence"),
        ("silent-at-hello", "timeout", "no hello within 0.3 s"),
        ("wrong-hello", "unparsable", "Invalid enum value 2 - at `$.protocol`"),
    ],
)
def test_one_that_does_not_say_hello_has_lost_its_game(behaviour, kind, said, log, monkeypatch):
    if behaviour == "silent-at-hello":
        monkeypatch.setattr(program, "START_S", SOON)
    agent = chaos(behaviour, log)
    record = played(agent, hands=1, max_retries=2)
    assert [fault.kind for fault in record.faults] == [kind, "crash", "crash"]
    assert said in record.faults[0].message
    assert [fault.attempt for fault in record.faults] == [1, 2, 3], "no hook is to blame"
    with pytest.raises(AgentError, match="participant 'chaos' cannot play: "):
        run_in_new_loop(agent.greet())


def test_a_program_that_cannot_be_started_is_a_crash(tmp_path, folders):
    program = tmp_path / "bot"
    program.write_text("#!/nowhere/python\n")
    program.chmod(0o755)
    record = played(make_agent(ParticipantSpec(id="bot", type=f"exec:{program}", settings={"sandbox": "off"})), hands=1)
    assert faults(record) == {"crash": 1}
    assert "No such file or directory" in record.faults[0].message


@pytest.mark.parametrize("sandbox", WAYS)
@pytest.mark.parametrize("behaviour", ["well", "stubborn", "leave-child", "silent-at-hello"])
def test_cancelling_a_game_leaves_no_process(behaviour, sandbox, log, monkeypatch):
    if behaviour in ONLY_BOXED and sandbox == "off":
        pytest.skip("stopped by a box alone")
    monkeypatch.setattr(program, "GRACE_S", 600.0)

    async def cancelled():
        players = chaos(behaviour, log, sandbox=sandbox), make_agent("callstation")
        game = asyncio.ensure_future(play_game_async(players, seed=1, hands=100_000))
        await asyncio.sleep(0.2)
        start = time.perf_counter()
        game.cancel()
        with pytest.raises(asyncio.CancelledError):
            await game
        return time.perf_counter() - start

    assert asyncio.run(cancelled()) < 60, "it is ended at once, without the usual grace"


def test_one_that_lingers_is_ended_after_half_a_second(log):
    start = time.perf_counter()
    assert played(chaos("linger", log), hands=1).faults == ()
    assert time.perf_counter() - start < 60


def test_outside_a_sandbox_it_has_our_environment_but_for_the_master_seed(log, monkeypatch):
    ours = {"OPENAI_API_KEY": "a-secret", "MOLT_BENCH_MASTER_SEED": "a-seed", "HOME": "/nowhere"}
    for name, value in ours.items():
        monkeypatch.setenv(name, value)
    played(chaos("environment", log, sandbox="off"), hands=1)
    _, folder, variables = log.read_text().splitlines()[0].split(" ", 2)
    seen = json.loads(variables)
    own = {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONUNBUFFERED"}
    assert seen.keys() - {"LC_CTYPE"} == (own | {*os.environ}) - {"LC_CTYPE", "MOLT_BENCH_MASTER_SEED"}
    assert seen["HOME"] == seen["TMPDIR"] == folder != os.getcwd()


@on_linux
@pytest.mark.parametrize("sandbox", WAYS)
def test_one_that_takes_too_much_memory_crashes(sandbox, log, monkeypatch):
    monkeypatch.setattr(box, "memory_bytes", lambda: 256 << 20)
    record = played(chaos("memory", log, sandbox=sandbox), hands=1)
    assert faults(record) == {"crash": 1}
    assert "MemoryError" in record.faults[0].message


def test_what_it_writes_to_standard_error_is_kept_within_bounds(log, tmp_path):
    agent = chaos("ten-megabytes-on-stderr", log, folder=tmp_path / "run" / "agents")
    assert played(agent, hands=1).faults == ()
    (file,) = (tmp_path / "run" / "agents").iterdir()
    assert file.name == "chaos.log"
    kept = file.read_bytes()
    assert kept[: 64 * 1024] == (b"blah blah\n" * 10_000)[: 64 * 1024]
    assert kept[64 * 1024 :] == b"\n[more was dropped]\n"


def test_in_a_run_the_log_is_in_the_folder_of_the_run(log, tmp_path):
    command = shlex.join([*PYTHON, CHAOS, "crash", str(log)])
    bot = {"id": "my bot", "type": f"exec:{command}", "sandbox": "off"}
    config = load_config({"participants": [bot, "tight"]})
    (tmp_path / "run").mkdir()
    journal = Journal(str(tmp_path / "run" / "journal.jsonl"))
    cast = Cast(config, {}, RunFiles(journal))
    assert cast.named(lambda player: player.waits) == {"my bot"}
    assert cast.named(lambda player: player.portable) == {"tight"}
    played(cast.agent("my bot", GameLabel(1, 1, "AB")), hands=1)
    (log,) = (tmp_path / "run" / "agents").iterdir()
    assert log.name.startswith("my_bot-")
    assert log.read_text().endswith("Traceback: out of cards\n")
    journal.close()


def test_a_program_may_answer_with_a_mix(log):
    record = played(chaos(f'says "mix":{json.dumps(GOOD)}', log), hands=1)
    assert record.faults == ()
    assert record.mixes[0].startswith(f"0:{GOOD_TEXT}")


@pytest.mark.parametrize("name", one_in(5, sorted(WRONG.keys() - {"a flood"})))  # no command can be as long
def test_a_wrong_mix_is_a_fault_of_its_kind_at_every_attempt(name, log):
    fields, kind, words = WRONG[name]
    record = played(chaos(f"says {fields}", log), hands=1, max_retries=1)
    assert [(fault.kind, fault.attempt) for fault in record.faults] == [(kind, 1), (kind, 2)]
    assert all(words in fault.message for fault in record.faults)
    assert record.mixes == ()
