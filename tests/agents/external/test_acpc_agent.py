"""A bot of the ACPC in a seat: it checks every line by rules of its own, and what it does is counted by its kind."""

import asyncio
import re
import socket
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from molt_bench import ConfigError, GameSpec, ParticipantSpec, make_agent, play_game, play_game_async
from molt_bench.agents.external.acpc_agent import HOST, command_with
from molt_bench.agents.external.process_cleanup import TAG
from molt_bench.arena.cast import check_participants
from molt_bench.config.loader import load_config
from molt_bench.play.play_games import play_games_together
from molt_bench.poker.hand import NOBODY
from molt_bench.poker.notation import hand_from_text
from molt_bench.testing import check_agent
from tests.agents.external.playing import PYTHON, faults, log_of, on_linux, processes_with
from tests.cases import one_in

BOT = str(Path(__file__).with_name("acpc_bot.py"))
STACK = 20_000
SOON = 0.3


def acpc(behaviour, log, first=1, *, stack=STACK, action_timeout_s=20.0, folder=None, max_restarts=3, **settings):
    """Return an agent that is the bot of these tests."""
    command = [*PYTHON, BOT, behaviour, str(log), str(first), str(stack)]
    params = {"command": command, "stack": stack, "start_timeout_s": 60.0, **settings}
    spec = ParticipantSpec(id="bot", type="acpc", params=params, settings={"sandbox": "off"})
    agent = make_agent(spec, action_timeout_s=action_timeout_s, folder=folder)
    agent.most_restarts = max_restarts
    return agent


def played(agent, opponent="callstation", *, hands=3, max_retries=0, stack=STACK, **options):
    players = (agent, make_agent(opponent))
    return play_game(players, seed=1, hands=hands, stack=stack, max_retries=max_retries, **options)


@pytest.fixture
def log(tmp_path, folders):
    """Return where the bot logs; afterwards no process of the test and no folder is there."""
    path = tmp_path / "log"
    yield path
    assert processes_with(path) == []
    assert list(folders.iterdir()) == []


def heard(log):
    """Return the states that the bot was sent."""
    return [words[1] for words in log_of(log) if words[0] == "<"]


@pytest.mark.slow
def test_a_thousand_hands_by_all_rules_without_a_wrong_line(log):
    record = played(acpc("well", log), "random", hands=1000)
    assert record.faults == ()
    hands = [hand_from_text(text).hand for text in record.hand_texts]
    last = {state.split(":")[2]: state.split(":")[3:] for state in heard(log)}
    assert len(last) == 1000, "it heard of every hand"
    free_folds = [hand for hand in hands if hand.folded != NOBODY and not cost_of(hand)]
    without_end = [betting for betting, cards in last.values() if betting[-1:] != "f" and not is_showdown(cards)]
    assert len(without_end) == len(free_folds)
    kinds = Counter(
        kind
        for hand in hands
        for kind, there in {
            "free fold": hand in free_folds,
            "fold": hand.folded != NOBODY,
            "split": hand.folded == NOBODY and hand.payoffs == (0, 0),
            "all-in before the flop": hand.folded == NOBODY and hand.log[-1].street == "preflop",
            "all-in on the turn": hand.folded == NOBODY and hand.log[-1].street == "turn",
            "river": hand.folded == NOBODY and hand.log[-1].street == "river",
        }.items()
        if there
    )
    assert min(kinds.values()) > 3, kinds
    assert len(kinds) == 6
    assert log_of(log)[-1] == ["done"], "it was left to end by itself"


def is_showdown(cards):
    return all(cards.split("/")[0].split("|"))


def cost_of(hand):
    """Return what calling would have cost the seat that folded."""
    return [before.to_call for before, _ in hand.steps()][-1]


@pytest.mark.parametrize(
    ("behaviour", "opponent"), one_in(3, [("shoves", "shover"), ("calls", "folder"), ("well", "maniac")])
)
def test_other_opponents_and_short_stacks(behaviour, opponent, log):
    for stack in (100, 130, 250, 5000):
        agent = acpc(behaviour, log, stack=stack)
        assert played(agent, opponent, hands=20, stack=stack).faults == ()


def test_its_own_free_folds_count_as_folds(log):
    record = played(acpc("folds-for-free", log), hands=20)
    assert record.faults == ()
    assert all(hand_from_text(text).hand.folded == 0 for text in record.hand_texts[1::2])


def test_in_both_seats_and_with_warm_up_hands_the_button_is_position_one(log):
    for seating, first in (("AB", "1"), ("BA", "0")):
        log.unlink(missing_ok=True)
        assert played(acpc("well", log), hands=4, seating=seating, warmup_hands=2).faults == ()
        assert heard(log)[0].startswith(f"MATCHSTATE:{first}:0::")
        assert heard(log)[-1].split(":")[2] == "5"


#: What the bot does at its third decision, and what is said about it.
ONCE = {
    "crash": ("crash", "ended with exit status 3; its last line on standard error: out of cards"),
    "segfault": ("crash", "ended by SIGSEGV"),
    "hangs-up": ("transport", "the program lives on, but has closed its connection"),
    "garbage": ("unparsable", "the answer is 'I think I shall call.': expected MATCHSTATE:"),
    "bare-action": ("unparsable", "the answer is 'c': expected MATCHSTATE:"),
    "wrong-state": ("unparsable", "expected MATCHSTATE:"),
    "not-ascii": ("unparsable", "expected MATCHSTATE:"),
    "wrong-word": ("unparsable", "the action is 'call': expected f, c or r with a size"),
    "no-size": ("unparsable", "the action is 'r'"),
    "empty": ("empty", "the answer is empty"),
    "illegal": ("illegal", "r1 is not legal; legal: f, c, r"),
    "too-much": ("illegal", "r20001 is not legal; legal: f, c, r"),
    "long-line": ("flood", "a line of more than 64 KiB"),
    "flood": ("unparsable", "expected MATCHSTATE:"),
    "endless-comments": ("flood", "the program"),
}


@pytest.mark.parametrize("behaviour", ONCE)
def test_every_misbehaviour_is_counted_in_its_class(behaviour, log):
    kind, said = ONCE[behaviour]
    record = played(acpc(behaviour, log, 3, max_restarts=0), hands=1)
    if behaviour == "flood":
        assert record.faults[0].kind in ("unparsable", "flood")  # as fast as it was noticed
        return
    assert faults(record) == {kind: 1}
    assert said in record.faults[0].message
    assert sum(line == ["did", behaviour] for line in log_of(log)) == 1


@pytest.mark.parametrize("behaviour", ["twice", "answers-always", "comments", "line-feeds", "noise", "ipv6"])
def test_what_the_original_dealer_bears_is_no_fault(behaviour, log):
    assert played(acpc(behaviour, log), hands=10).faults == ()


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [("hang", "no answer within 0.3 s"), ("no-line-break", "no answer within 0.3 s, but text without a line break")],
)
def test_one_that_does_not_answer_times_out(behaviour, said, log):
    record = played(acpc(behaviour, log, action_timeout_s=SOON, max_restarts=0), hands=1)
    assert faults(record) == {"timeout": 1}
    assert record.faults[0].message == said


@pytest.mark.parametrize(
    ("behaviour", "kind", "said"),
    [
        ("never-connects", "timeout", "no connection within 0.3 s"),
        ("no-version", "timeout", " within 2 s"),
        ("ends-at-once", "crash", "ended with exit status 1; its last line on standard error: no licence"),
        ("old-version", "unparsable", "the first line is 'VERSION:1.0.0': expected VERSION:2.0.0"),
    ],
)
def test_one_that_does_not_begin_is_started_again_and_then_given_up(behaviour, kind, said, log):
    limit_s = {"never-connects": SOON, "no-version": 2.0}.get(behaviour, 60.0)
    record = played(acpc(behaviour, log, start_timeout_s=limit_s, max_restarts=1), hands=1, max_retries=2)
    assert [fault.kind for fault in record.faults] == [kind, kind, "crash"]
    assert said in record.faults[0].message
    assert record.faults[2].message == "given up after 1 restarts"
    if behaviour == "no-version" and ["connected"] in log_of(log):  # a busy machine may not get that far in time
        assert any("connected, but no VERSION:2.0.0" in fault.message for fault in record.faults)


def test_a_bot_that_failed_is_asked_the_same_state_again(log):
    record = played(acpc("illegal", log), hands=1, max_retries=2)
    assert faults(record) == {"illegal": 3}
    states = heard(log)
    assert states[:3] == [states[0]] * 3
    assert states[3] == states[0].replace("::", ":f:"), "the forced fold"


def test_a_new_process_in_the_middle_of_a_hand_is_told_of_it_from_its_start(log):
    record = played(acpc("crash", log, 3, max_restarts=9), hands=3, max_retries=1)
    crashes = log_of(log).count(["did", "crash"])
    assert crashes > 0
    assert faults(record) == {"crash": crashes}
    again = [log_of(log)[at + 2] for at, words in enumerate(log_of(log)[:-2]) if words[0] == "start"]
    assert all(state.split(":")[3] == "" for _, state in again)
    assert any(state.split(":")[2] != "0" for _, state in again)


def test_every_game_has_a_fresh_process_that_sees_nothing_of_our_environment(log, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a-secret")
    monkeypatch.setenv("FOR_THE_BOT", "a-hint")
    agent = acpc("well", log, env=["FOR_THE_BOT"])
    assert played(agent) == played(agent)
    starts = [words for words in log_of(log) if words[0] == "start"]
    assert len({words[1] for words in starts}) == len({words[2] for words in starts}) == 2
    seen = {*re.findall(r"\w+", " ".join(starts[0][3:]))} - {"LC_CTYPE"}
    assert seen == {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONUNBUFFERED", TAG, "FOR_THE_BOT"}


def test_what_it_writes_to_standard_output_and_error_is_kept(log, tmp_path):
    assert played(acpc("noise", log, folder=tmp_path / "agents"), hands=1).faults == ()
    kept = (tmp_path / "agents" / "bot.stderr.log").read_text()
    assert kept.startswith("to standard output\nto standard error\n")


def until(happened):
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@on_linux
def test_a_stranger_on_the_port_neither_plays_nor_stops_the_bot(log):
    said = []

    def stranger():
        until(lambda: log.exists() and "port" in log.read_text())
        port = next(int(words[1]) for words in log_of(log) if words[0] == "port")
        with socket.create_connection((HOST, port)) as connection:
            connection.sendall(b"VERSION:2.0.0\r\n")
            with suppress(ConnectionResetError):
                said.append(connection.recv(1000))
        Path(f"{log}.go").touch()

    thread = threading.Thread(target=stranger)
    thread.start()
    record = played(acpc("waits", log), hands=3)
    thread.join()
    assert record.faults == ()
    assert said in ([], [b""]), "it was sent away without a word"


@on_linux
@pytest.mark.parametrize("way", ['"$@"; true', 'setsid "$@" & wait', '("$@" &) ; sleep 60'])
def test_a_process_that_the_program_started_may_connect(way, log):
    bot = [*PYTHON, BOT, "well", str(log), "1", str(STACK)]
    assert played(acpc("", log, command=["sh", "-c", way, "sh", *bot]), hands=3).faults == ()


@on_linux
def test_nobody_else_is_let_in_once_the_bot_plays(log):
    refused = []

    class Knocks:
        name = "knocks"

        def act(self, observation):
            (port,) = {int(words[-1]) for words in commands() if str(log) in words}
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((HOST, port))
            refused.append(port)
            return make_agent("callstation").act(observation)

    assert play_game((acpc("calls", log), Knocks()), seed=1, hands=2, stack=STACK).faults == ()
    assert refused


def commands():
    """Return the command lines of all processes."""
    return [each.info["cmdline"] for each in psutil.process_iter(["cmdline"]) if each.info["cmdline"]]


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


@pytest.mark.slow
def test_many_games_at_once_give_the_same_records_as_one_by_one(tmp_path, folders):
    def players(spec):
        return acpc("well", tmp_path / f"{spec.seed}"), make_agent("random")

    specs = [GameSpec(seed=seed, hands=5, stack=STACK) for seed in range(6)]
    together, alone = {}, {}
    for records, at_once in ((together, 6), (alone, 1)):
        asyncio.run(
            play_games_together(
                specs,
                players,
                lambda spec, record, hands, found=records: found.update({spec.seed: record}),
                at_once=at_once,
            )
        )
    assert together == alone
    assert all(record.faults == () for record in alone.values())
    assert list(folders.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        (["./bot"], ["./bot", "127.0.0.1", "5000"]),
        (["./bot", "--at", "{host}:{port}", "-v"], ["./bot", "--at", "127.0.0.1:5000", "-v"]),
        (["./bot", "--port={port}"], ["./bot", "--port=5000"]),
    ],
)
def test_host_and_port_are_put_where_they_are_asked_for_or_appended(command, wanted):
    assert command_with(command, HOST, 5000) == wanted


def config(bot=None, **game):
    return load_config(
        {
            "participants": [{"id": "bot", "type": f"acpc:{sys.executable}", **(bot or {})}, "tight"],
            "game": {"stack": STACK, **game},
        }
    )


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ({"stack": 10_000}, "game.stack = 10000: expected 20000, the only value that 'bot' can play with"),
        ({"smallBlind": 25}, "game.smallBlind = 25: expected 50, "),
        ({"bigBlind": 200}, "game.bigBlind = 200: expected 100, "),
        ({"ante": 10}, "game.ante = 10: expected 0, "),
        ({"stacks": "carry"}, "game.stacks = 'carry': expected 'reset', "),
        ({"raiseCap": 3}, "game.raiseCap = 3: expected None, "),
    ],
)
def test_a_game_that_is_not_that_of_its_game_file_is_one_clear_line(game, said):
    with pytest.raises(ConfigError) as error:
        check_participants(config(**game))
    assert str(error.value).startswith(said)


def test_the_game_file_may_be_another():
    other = {"smallBlind": 1, "bigBlind": 2, "stack": 400, "raiseCap": 4}
    check_participants(config(other, **other))


@pytest.mark.parametrize(
    ("bot", "said"),
    [
        ({"smallBlind": 100}, "participants.0.bigBlind = 100: expected more than the small blind"),
        ({"type": "acpc", "command": "./bot {host}"}, "expected {port} where there is {host}"),
        ({"type": "acpc"}, "participants.0.command: expected a value, since it has no default"),
        ({"port": 5000}, "participants.0.port = 5000: expected one of id, type, "),
    ],
)
def test_settings_that_cannot_work_are_one_clear_line(bot, said):
    with pytest.raises(ConfigError) as error:
        config(bot)
    assert said in str(error.value)


def test_a_single_game_is_refused_as_well(log):
    with pytest.raises(ConfigError, match="ante = 10: expected 0"):
        played(acpc("well", log), ante=10)
    assert not log.exists(), "nothing was started"


@pytest.mark.slow
def test_the_conformance_kit_plays_its_game_alone(log):
    report = check_agent(acpc("well", log), hands=2)
    assert report.ok, report
    assert "every answer is legal: the only game that it plays" in str(report)
    assert "antes" not in str(report)


SCRIPT = """#!/bin/sh
./player -I -S acpc_bot.py well "$TMPDIR/log" 1 20000 "$1" "$2"
"""


@pytest.fixture
def competition(tmp_path, monkeypatch):
    """Return a folder with a bot as the competition has them: a script that starts a program beside it."""
    folder = tmp_path / "bots dir" / "player"
    folder.mkdir(parents=True)
    (folder / "acpc_bot.py").write_bytes(Path(BOT).read_bytes())
    (folder / "player").symlink_to(sys.executable)
    (folder / "startme.sh").write_text(SCRIPT)
    (folder / "startme.sh").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return folder


def by_script(command, **settings):
    params = {"command": [command], "start_timeout_s": 60.0, **settings}
    return make_agent(ParticipantSpec(id="bot", type="acpc", params=params), action_timeout_s=20.0)


@on_linux
def test_a_start_script_of_the_competition_runs_as_it_is(competition):
    assert played(by_script("bots dir/player/startme.sh")).faults == ()


@on_linux
def test_an_absolute_command_starts_in_an_empty_folder(competition):
    script = str(competition / "startme.sh")
    assert set(faults(played(by_script(script)))) == {"crash"}
