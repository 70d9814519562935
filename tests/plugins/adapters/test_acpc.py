"""A bot of the ACPC behind its bridge: it plays in every mode, and what it does has its kind."""

import asyncio
import sys
from pathlib import Path

import pytest

from molt_bench import ParticipantSpec, make_agent, play_game, play_game_async
from molt_bench.agents.external import program
from molt_bench.poker.notation import hand_from_text
from tests.agents.external.boxes import needs_bubblewrap
from tests.agents.external.playing import PYTHON, folders, left_of, log_of, on_linux

BOT = str(Path(__file__).with_name("acpc_bot.py"))
BRIDGE = (sys.executable, "-m", "molt_bench.plugins.adapters.acpc")
STACK = 20_000
SOON = 0.3
__all__ = ["folders"]


def acpc(behaviour, log, first=1, *, command=(), stack=STACK, sandbox="off", **more):
    """Return an agent that is the bot of these tests."""
    bot = command or [*PYTHON, BOT, behaviour, str(log), str(first), str(stack)]
    limit_s, folder = more.pop("action_timeout_s", 20.0), more.pop("folder", None)
    params = {"command": [*BRIDGE, "--stack", str(stack), "--", *bot], **more}
    spec = ParticipantSpec(id="bot", type="exec", params=params, settings={"sandbox": sandbox})
    return make_agent(spec, action_timeout_s=limit_s, folder=folder)


def played(agent, opponent="callstation", *, hands=3, max_retries=0, stack=STACK, **options):
    players = (agent, make_agent(opponent))
    return play_game(players, seed=1, hands=hands, stack=stack, max_retries=max_retries, **options)


@pytest.fixture
def log(tmp_path, folders):
    """Return where the bot logs; afterwards no process of the test and no folder is there."""
    path = tmp_path / "log"
    yield path
    assert left_of(path) == []
    assert list(folders.iterdir()) == []


def heard(log):
    """Return the states that the bot was sent."""
    return [words[1] for words in log_of(log) if words[0] == "<"]


@pytest.mark.parametrize(("behaviour", "opponent"), [("shoves", "shover"), ("calls", "folder"), ("well", "maniac")])
@pytest.mark.parametrize("stack", [100, 250])
def test_other_opponents_and_short_stacks(behaviour, opponent, stack, log):
    assert played(acpc(behaviour, log, stack=stack), opponent, hands=20, stack=stack).faults == ()


def test_its_own_free_folds_count_as_folds(log):
    record = played(acpc("folds-for-free", log), hands=20)
    assert record.faults == ()
    assert all(hand_from_text(text).hand.folded == 0 for text in record.hand_texts[1::2])


@pytest.mark.parametrize(("seating", "first"), [("AB", "1"), ("BA", "0")])
def test_in_both_seats_and_with_warm_up_hands_the_button_is_position_one(seating, first, log):
    assert played(acpc("well", log), hands=4, seating=seating, warmup_hands=2).faults == ()
    assert heard(log)[0].startswith(f"MATCHSTATE:{first}:0::")
    assert heard(log)[-1].split(":")[2] == "5"


#: What the bot does at its third decision, and what is said about it.
ONCE = {
    "crash": ("crash", "ended with exit status 3; its last line on standard error: out of cards"),
    "segfault": ("crash", "the bot was ended by signal 11"),
    "hangs-up": ("crash", "the bot lives on, but has closed its connection"),
    "garbage": ("unparsable", "the answer is 'I think I shall call.': expected MATCHSTATE:"),
    "empty": ("empty", "the answer is empty"),
    "illegal": ("illegal", "r1 is not legal; legal: f, c, r"),
    "long-line": ("crash", "the bot wrote a line of more than 64 KiB"),
}


@on_linux
@pytest.mark.parametrize("behaviour", ONCE)
def test_every_misbehaviour_is_counted_in_its_class(behaviour, log):
    kind, said = ONCE[behaviour]
    record = played(acpc(behaviour, log, 3), hands=1)
    assert record.faults[0].kind == kind
    assert said in record.faults[0].message
    assert sum(line == ["did", behaviour] for line in log_of(log)) == 1


@pytest.mark.parametrize("behaviour", ["twice", "answers-always", "comments", "line-feeds", "noise"])
def test_what_the_original_dealer_bears_is_no_fault(behaviour, log):
    assert played(acpc(behaviour, log), hands=4).faults == ()


def test_one_that_does_not_answer_times_out(log):
    record = played(acpc("hang", log, action_timeout_s=SOON), hands=1)
    assert (record.faults[0].kind, record.faults[0].message) == ("timeout", "no answer within 0.3 s")


@pytest.mark.parametrize(
    ("behaviour", "kind", "said"),
    [
        ("never-connects", "timeout", "no hello within 1 s"),
        ("no-version", "timeout", "no hello within 1 s"),
        ("ends-at-once", "crash", "ended with exit status 1; its last line on standard error: no licence"),
        ("old-version", "crash", "the first line is 'VERSION:1.0.0': expected VERSION:2.0.0"),
    ],
)
def test_one_that_does_not_begin_has_lost_its_game(behaviour, kind, said, log, monkeypatch):
    if kind == "timeout":
        monkeypatch.setattr(program, "START_S", 1.0)
    record = played(acpc(behaviour, log), hands=1)
    assert record.faults[0].kind == kind
    assert said in record.faults[0].message


def test_a_bot_that_failed_is_asked_the_same_state_again(log):
    record = played(acpc("illegal", log), hands=1, max_retries=2)
    assert {fault.kind for fault in record.faults} == {"illegal"}
    states = heard(log)
    assert states[:3] == [states[0]] * 3
    assert states[3] == states[0].replace("::", ":f:"), "the forced fold"


def test_what_it_writes_to_standard_output_and_error_is_kept(log, tmp_path):
    (tmp_path / "run").mkdir()
    assert played(acpc("noise", log, folder=tmp_path / "run" / "agents"), hands=1).faults == ()
    assert (tmp_path / "run" / "agents" / "bot.log").read_text().startswith("to standard output\nto standard error\n")


def test_cancelling_a_game_ends_the_bot(log):
    async def cancelled():
        players = (acpc("well", log), make_agent("callstation"))
        game = asyncio.ensure_future(play_game_async(players, seed=1, hands=100_000, stack=STACK))
        while not log.exists() or "did" not in log.read_text():
            await asyncio.sleep(0.01)
        game.cancel()
        with pytest.raises(asyncio.CancelledError):
            await game

    asyncio.run(cancelled())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"stack": 10_000}, "startingStacks = [10000, 10000]: expected [20000, 20000], which is in the game file"),
        ({"small_blind": 25}, "smallBlind = 25: expected 50, which is in the game file of this bot"),
        ({"ante": 10}, "ante = 10: expected 0"),
        ({"raise_cap": 3}, "raiseCap = 3: expected None"),
    ],
)
def test_a_game_that_is_not_that_of_its_game_file_is_a_fault_that_says_so(options, said, log):
    record = play_game(
        (acpc("well", log), make_agent("tight")), seed=1, hands=2, max_retries=0, **{"stack": STACK, **options}
    )
    assert record.faults[0].kind == "crash"
    assert said in record.faults[0].message


@on_linux
@pytest.mark.parametrize("sandbox", ["off", pytest.param("required", marks=needs_bubblewrap)])
def test_a_start_script_of_the_competition_runs_as_it_is(tmp_path, monkeypatch, sandbox):
    folder = tmp_path / "bots dir" / "player"
    folder.mkdir(parents=True)
    (folder / "acpc_bot.py").write_bytes(Path(BOT).read_bytes())
    (folder / "startme.sh").write_text('#!/bin/sh\npython3 -I -S acpc_bot.py well "$TMPDIR/log" 1 20000 "$1" "$2"\n')
    (folder / "startme.sh").chmod(0o755)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    assert played(acpc("", "", command=["bots dir/player/startme.sh"], sandbox=sandbox)).faults == ()
