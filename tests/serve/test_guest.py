"""`molt-bench join`: our agents play at a server as they would here."""

import asyncio
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from random import Random  # noqa: TID251 - the test's own dice, seeded

import msgspec
import pytest

from molt_bench import Action, make_agent, play_game
from molt_bench.agents.external.protocol import line_of
from molt_bench.errors import MoltBenchError
from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.play.play_games import drive
from molt_bench.plugins.live.guest import Server, base_of, connected, play_as_guest
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import NOBODY, Hand
from molt_bench.poker.messages import decision, result
from molt_bench.poker.plain import observation_of, outcome_of
from molt_bench.poker.views import observe, result_for
from molt_bench.specs import GameSpec
from tests.agents.external.test_protocol import TABLES
from tests.e2e.shell import quick
from tests.llm.test_prompt_leaks import any_action
from tests.serve.tables import LONG_S, TOKEN, a_lobby, serving, until

BOTS = Path(__file__).parents[2] / "docs" / "examples" / "bots"


class Noted:
    """A bot that notes what it is called with."""

    name = "noted"

    def __init__(self, inner="tag"):
        self.calls = []
        self._inner = make_agent(inner)

    def act(self, observation):
        self.calls.append(observation)
        return self._inner.act(observation)

    def reset(self):
        self.calls.append("reset")

    def on_hand_complete(self, outcome):
        self.calls.append(outcome)

    def on_error(self, message):
        self.calls.append(message)

    def close(self):
        self.calls.append("close")


def as_guest(table, make, patience_s=LONG_S):
    said = []
    reason = run_in_new_loop(play_as_guest(table.url, make, patience_s=patience_s, say=said.append))
    return reason, said


@pytest.mark.parametrize("seed", range(60))
def test_a_decision_and_a_result_are_rebuilt_as_they_were(seed):
    dice = Random(seed)
    stacks = (dice.randint(200, 3000), dice.randint(200, 3000))
    hand = Hand(dice.choice(TABLES), deal_from_text("AhAd KsKc 2c7d9hJsQc"), stacks, dice.randint(0, 1))
    while hand.actor != NOBODY:
        seen = observe(hand, 7)
        message = msgspec.json.decode(line_of(decision(seen, 3, "g")))
        assert observation_of(message) == seen
        hand.apply(any_action(hand.legal_actions(), dice))
    for seat in (0, 1):
        outcome = result_for(hand, seat, 7)
        assert outcome_of(msgspec.json.decode(line_of(result(outcome)))) == outcome


@pytest.mark.parametrize("bot", ["tag", "random", "blueprint"])
@pytest.mark.parametrize("stacks", ["reset", "carry"])
@pytest.mark.slow
def test_a_bot_plays_there_what_it_plays_here(bot, stacks):
    spec = GameSpec(seed=1, hands=15, players=("live", "maniac"), stacks=stacks, action_timeout_s=None)
    here = drive(spec, (make_agent(bot), make_agent("maniac")))
    with serving(a_lobby()) as table:
        table.play(hands=15, bot="maniac", stacks=stacks, close="the run is over")
        assert as_guest(table, lambda: make_agent(bot))[0] == "the run is over"
        table.join()
    assert table.records[1].hand_texts == here.hand_texts
    assert not table.records[1].faults


def test_hooks_are_called_as_here_game_by_game():
    made, here = [], []

    def make(into):
        into.append(Noted())
        return into[-1]

    with serving(a_lobby()) as table:
        table.play(1, 2, hands=4, bot="tag", close="over")
        as_guest(table, lambda: make(made))
        table.join()
    for number in (1, 2):
        spec = GameSpec(seed=number, hands=4, players=("live", "tag"))
        drive(spec, (make(here), make_agent("tag")))
    assert [each.calls for each in made[1:]] == [each.calls for each in here]  # the first was made to see if it can be


def test_an_agent_is_told_of_every_game_before_it_begins():
    class Told(Noted):
        def told_game(self, facts):
            self.calls.append(facts)

    made = []
    with serving(a_lobby(hands=2)) as table:
        game = table.lobby.game
        table.play(1, 2, hands=game.hands, close="over")
        as_guest(table, lambda: made.append(Told()) or made[-1])
        table.join()
    assert [each.calls[:2] for each in made[1:]] == [[game.facts, "reset"]] * 2


def test_a_mistake_there_is_a_mistake_here_and_the_agent_is_told():
    class Wrong(Noted):
        def act(self, observation):
            self.calls.append(observation)
            if observation.previous_error is None:
                return Action("raiseTo", 3) if observation.hand_number == 1 else 1 / 0
            return Action("fold")

    agent = Wrong()
    with serving(a_lobby()) as table:
        table.play(hands=2, close="over")
        _, said = as_guest(table, lambda: agent)
        table.join()
    assert table.faults() == [("illegal", False), ("unparsable", False)]
    told = [call for call in agent.calls if isinstance(call, str) and call not in ("reset", "close")]
    assert len(told) == 2
    assert any("ZeroDivisionError" in line for line in said)


def test_an_agent_that_repeats_its_mistake_is_asked_as_often_as_here():
    class Wrong:
        name = "wrong"
        asked = 0

        def act(self, observation):
            self.asked += 1
            return Action("raiseTo", 3)

    there, here = Wrong(), Wrong()
    play_game((here, make_agent("callstation")), seed=1, hands=2, max_retries=2)
    with serving(a_lobby()) as table:
        table.play(hands=2, max_retries=2, close="over")
        as_guest(table, lambda: there)
        table.join()
    assert there.asked == here.asked
    assert [forced for _, forced in table.faults()] == [False, False, True] * 2


def test_several_games_at_once_have_an_agent_each():
    with serving(a_lobby(slots=3)) as table:
        for game in (1, 2, 3):
            table.play(game, hands=5, bot="tag")
        threading.Thread(target=lambda: (table.join(), table.lobby.close("over")), daemon=True).start()
        made = []

        def make():
            made.append(make_agent("tag"))
            return made[-1]

        assert as_guest(table, make)[0] == "over"
    assert len(made) == 1 + 3
    assert not [fault for record in table.records.values() for fault in record.faults]


def test_a_place_that_thinks_too_long_does_not_outlast_the_run():
    thinking = threading.Event()

    class Thinker:
        name = "thinker"

        async def act(self, observation):
            thinking.set()
            await asyncio.sleep(LONG_S)

    with serving(a_lobby(slots=2)) as table:
        table.play(1, hands=1, bot="tag", max_retries=0)
        threading.Thread(target=lambda: thinking.wait(LONG_S) and table.lobby.close("over"), daemon=True).start()
        started = time.monotonic()
        assert as_guest(table, Thinker)[0] == "over"
        assert time.monotonic() - started < LONG_S / 2


def test_a_guest_finds_back_to_a_server_that_was_restarted():
    said, ended = [], []
    with serving(a_lobby()) as table:
        port = table.port
        table.play(hands=400, bot="tag")

        def play():
            with suppress(MoltBenchError):
                ended.append(
                    run_in_new_loop(
                        play_as_guest(table.url, lambda: make_agent("tag"), patience_s=LONG_S, say=said.append)
                    )
                )

        guest = threading.Thread(target=play, daemon=True)
        guest.start()
        until(lambda: table.box._asked > 5)
        table.lobby.close = lambda reason: None  # a killed server tells no one
    until(lambda: any("lost" in line for line in said))
    with serving(a_lobby(), port) as again:
        again.play(2, hands=3, bot="tag", close="the run is over")
        guest.join(LONG_S)
        again.join()
    assert ended == ["the run is over"]
    assert "Connected again" in said
    assert not again.records[2].faults
    table.lobby.invitations[0].slots[0].close("")


def test_a_place_that_is_not_there_is_refused():
    async def main(table):
        async with connected(base_of(table.url)) as client:
            answer = await Server(client, patience_s=LONG_S, say=print).ask(2)
            return answer.error

    with serving(a_lobby()) as table:
        assert run_in_new_loop(main(table)).code == "VALIDATION_ERROR"


def test_a_server_that_is_gone_for_too_long_ends_it_with_a_line():
    async def main(table):
        async with connected(base_of(table.url)) as client:
            await Server(client, patience_s=0.1, say=print).ask(1)

    with serving(a_lobby()) as table:
        pass
    with pytest.raises(MoltBenchError, match=f"127.0.0.1:{table.port} is gone") as error:
        run_in_new_loop(main(table))
    assert TOKEN not in str(error.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "tag",
        "http://",
        "ftp://h/j/x",
        "http://h/",
        "http://h/j/",
        "http://h/k/x",
        "http://[/j/x",
        "//h/j/x",
        "http://h:99999/j/x",
    ],
)
def test_what_is_no_invitation_is_said_in_a_line_without_its_secret(url):
    with pytest.raises(MoltBenchError, match="URL: expected an invitation") as error:
        base_of(url)
    assert "/j/x" not in str(error.value)


def command(*arguments, stdin="", **options):
    return quick("join", *arguments, said=stdin, env=options)


def test_the_command_plays_until_the_run_is_over_and_prints_each_game():
    with serving(a_lobby()) as table:
        table.play(1, 2, hands=3, close="the run is over")
        done = command(table.url, "--agent", "tag")
        table.join()
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines() == [
            f"Joined 127.0.0.1:{table.port} as Live <b>agent</b>; waiting for the first decision",
            f"Game 1: 3 hands, {table.records[1].net[0]:+,} chips",
            f"Game 2: 3 hands, {table.records[2].net[0]:+,} chips",
            "The run is over",
        ]


def test_an_invitation_can_come_from_standard_input():
    with serving(a_lobby()) as table:
        table.play(hands=1, close="the run is over")
        done = command("-", "--agent", "tag", stdin=f"{table.url}\n")
        table.join()
    assert (done.returncode, done.stderr) == (0, "")


def test_a_url_that_leads_nowhere_is_one_line_without_the_token():
    with serving(a_lobby()) as table:
        wrong = table.url.replace(TOKEN, "e" * 32)
        done = command(wrong, "--agent", "tag")
        assert done.returncode == 1
        said = f"URL: 127.0.0.1:{table.port} admits no one with this invitation: there is no such invitation"
        assert done.stderr == f"molt-bench: {said}\n"
    done = command(table.url, "--agent", "tag")
    assert done.returncode == 1
    assert done.stderr.startswith(f"molt-bench: URL: no server answers at 127.0.0.1:{table.port}")
    assert done.stderr.count("\n") == 1
    assert TOKEN not in done.stderr


@pytest.mark.parametrize(
    "agent",
    [f"exec:{sys.executable} {BOTS / 'bot.py'}", f"{BOTS.parent / 'cautious.py'}:Cautious"],
    ids=["exec", "file"],
)
def test_programs_and_files_can_join_too(agent):
    with serving(a_lobby()) as table:
        table.play(1, 2, hands=2, close="the run is over")
        done = command(table.url, "--agent", agent, "--no-sandbox")
        assert (done.returncode, done.stderr) == (0, "")
        table.join()
        assert [table.faults(1), table.faults(2)] == [[], []]


def test_an_agent_that_cannot_be_made_is_an_error_before_the_server_knows_of_it():
    with serving(a_lobby()) as table:
        done = command(table.url, "--agent", "tagg")
        assert done.returncode == 1
        assert "tagg" in done.stderr
        assert table.lobby.missing()
