"""Spectators see standings, who waits, and tables with a delay; never a card that the table has not seen."""

import json
import time

import pytest

from molt_bench.agents.live.mailbox_events import Asked, GameOver, HandOver, PendingDecision
from molt_bench.agents.scripted import CallStationAgent
from molt_bench.arena.benchmark import run_benchmark
from molt_bench.arena.status import Observer
from molt_bench.play.play_games import play_game
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.serve.invitations import Invited
from molt_bench.serve.lobby import Lobby
from molt_bench.serve.spectators import Spectators
from molt_bench.specs import GameLabel
from tests.serve.tables import TOKEN, a_lobby, serving

GAME = GameLabel(1, 7, "BA")
TITLES = {"live": "<b>Ann</b>", "bot": "Bob"}


class Listening(CallStationAgent):
    """Tells spectators what its mailbox would tell them, and keeps its cards."""

    def __init__(self, spectators, slot="slot"):
        super().__init__()
        self.spectators, self.slot = spectators, slot
        self.seen = []

    def act(self, observation):
        self.seen.append(observation)
        turn = PendingDecision("t", 1, 1, 1, observation, 60.0, time.monotonic() + 60)
        self.spectators.hear(self.slot, Asked(turn, again=False))
        return super().act(observation)

    def on_hand_complete(self, result):
        self.spectators.hear(self.slot, HandOver(1, 1, result))


def watched(delay_s, **options):
    """Play two hands that spectators hear of; return them and the agent."""
    spectators = Spectators(delay_s)
    spectators.dealt({GAME: ("live", "bot")})
    spectators.seat("slot", GAME, "live", own_decks=options.get("own_decks", True))
    agent = Listening(spectators)
    play_game((CallStationAgent(), agent), seed=7, hands=2)
    return spectators, agent


def test_a_table_is_as_both_saw_it_when_the_hand_was_over():
    spectators, agent = watched(0.0)
    view = spectators.view(titles=TITLES, names=True)
    (table,) = view["tables"]
    assert table["names"] == ["Bob", "<b>Ann</b>"]  # by seat: in seating BA the second of the pair has seat 0
    assert (table["state"].hand, table["state"].actor, len(table["state"].board)) == (2, None, 5)
    assert table["state"].shown is not None  # a showdown
    assert view["handsPerMinute"] == 2
    assert view["waiting"] == []
    assert agent.seen


def test_no_card_of_a_hand_under_way_is_told():
    spectators = Spectators(0.0)
    spectators.seat("slot", GAME, "live", own_decks=True)

    class Stopping(Listening):
        def act(self, observation):
            action = super().act(observation)
            told = json.dumps(self.spectators.view(titles=TITLES, names=True), default=str)
            assert not [card for card in observation.cards if f"'{CARD_TEXT[card]}'" in told]
            return action

    agent = Stopping(spectators)
    record = play_game((CallStationAgent(), agent), seed=7, hands=5)
    assert record.faults == ()
    assert agent.seen


def test_tables_come_with_their_delay_and_not_at_all_without_one():
    spectators, _ = watched(3600.0)
    assert spectators.view(titles=TITLES, names=True)["tables"] == []
    assert watched(None)[0].view(titles=TITLES, names=True)["tables"] == []


def test_a_table_whose_decks_are_dealt_again_is_not_shown():
    spectators, _ = watched(0.0, own_decks=False)
    assert spectators.view(titles=TITLES, names=True)["tables"] == []


def test_without_names_nothing_tells_whom_an_agent_plays():
    spectators, _ = watched(0.0)
    told = spectators.view(titles=TITLES, names=False)
    assert told["tables"][0]["names"] is None
    assert not [name for name in ("Ann", "Bob", "live", "bot") if name in str(told)]


def test_a_game_that_is_over_is_gone_after_its_delay():
    spectators, _ = watched(0.0)
    spectators.hear("slot", GameOver(1))
    assert spectators.view(titles=TITLES, names=False)["playing"] == 0
    assert spectators.view(titles=TITLES, names=False)["tables"] == []


def test_standings_have_intervals_once_all_have_met():
    config = {
        "participants": ["tight", "callstation", "maniac"],
        "seeds": {"perMatch": 4, "masterSeed": 1},
        "game": {"handsPerGame": 4},
        "stop": {"budget": {"maxMatches": 3}},
    }
    spectators, seen = Spectators(), []

    def on_status(status):
        if status.finished is not None:
            spectators.rank(status.ladder)
            seen.append(spectators.view(titles={"tight": "Tim"}, names=True)["standings"])

    run_benchmark(config, observer=Observer(on_status), executor="inline")
    first, last = seen[0], seen[-1]
    assert len(seen) == 3
    assert None in [row["halfWidth"] for row in first]
    assert {row["name"] for row in last} == {"Tim", "callstation", "maniac"}
    assert [row["matches"] for row in last] == [2, 2, 2]
    assert all(row["halfWidth"] > 0 for row in last)
    assert sorted((row["bbPer100"] for row in last), reverse=True) == [row["bbPer100"] for row in last]
    results = spectators.view(titles={"tight": "Tim"}, names=True)["results"]
    assert [each["match"] for each in results] == [3, 2, 1]
    assert {name for each in results for name in each["names"]} == {"Tim", "callstation", "maniac"}
    unnamed = spectators.view(titles={}, names=False)
    assert {row["name"] for row in unnamed["standings"]} == {None}
    assert unnamed["results"] == []


def test_the_page_names_nobody_unless_asked_with_the_hosts_token():
    with serving(a_lobby()) as table:
        base = table.url.partition("/j/")[0]
        table.lobby.spectators.delay_s = 0.0
        table.play(hands=1)
        turn = table.turn()
        public = table.client.get(f"{base}/watch.json").json()
        assert public["waiting"] == [{"for": None, "waits": None, "seconds": public["waiting"][0]["seconds"]}]
        assert public["tables"][0]["state"]["actor"] == turn["observation"]["seat"]
        cards = turn["observation"]["cards"]
        assert not [card for card in cards if card in json.dumps(public)]
        host = table.client.get(f"{base}/watch.json?host={table.lobby.host_token}").json()
        assert host["waiting"][0]["for"] == "Live <b>agent</b>"
        assert not [card for card in cards if card in json.dumps(host)]
        page = table.client.get(f"{base}/watch")
        assert page.status_code == 200
        assert TOKEN not in page.text
        assert "no-referrer" in page.headers["referrer-policy"]
        table.act(turn, "fold")
        table.join()


@pytest.mark.parametrize("seating", [None, "AB"])
def test_copies_of_an_agent_are_not_watched(seating):
    lobby = Lobby([Invited("live", TOKEN, seating)], titles=TITLES, game=a_lobby().game)
    lobby.spectators.delay_s = 0.0
    with serving(lobby) as table:
        table.play(hands=1)
        turn = table.turn()
        tables = table.client.get(table.url.partition("/j/")[0] + "/watch.json").json()["tables"]
        assert len(tables) == (1 if seating is None else 0)
        table.act(turn, "fold")
        table.join()
