"""Open Hand History, checked against what its specification says (hh-specs.handhistory.org, 1.4.7)."""

import json
from itertools import pairwise

import pytest
from tests.report.exported_hands import bot_hands, random_hands, written_hand

from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.hand import NOBODY
from molt_bench.report.exports.ohh import ohh

REQUIRED = {
    "spec_version": str,
    "site_name": str,
    "network_name": str,
    "internal_version": str,
    "tournament": bool,
    "game_number": str,
    "start_date_utc": str,
    "table_name": str,
    "game_type": str,
    "bet_limit": dict,
    "table_size": int,
    "currency": str,
    "dealer_seat": int,
    "small_blind_amount": int,
    "big_blind_amount": int,
    "ante_amount": int,
    "flags": list,
    "players": list,
    "rounds": list,
    "pots": list,
}
BETTING = {"Fold", "Check", "Bet", "Raise", "Call"}
ACTIONS = {"Dealt Cards", "Shows Cards", "Post Ante", "Post SB", "Post BB"} | BETTING


def read(hands, hero=None):
    """Read a file as its specification has it: objects with one blank line between."""
    return [json.loads(part)["ohh"] for part in "".join(ohh(hands, hero=hero)).split("\n\n")]


@pytest.fixture(scope="module")
def hands():
    return [*random_hands(range(300)), *bot_hands()]


def test_every_hand_has_the_fields_of_the_specification(hands):
    for hand in read(hands):
        assert {name: type(hand[name]) for name in REQUIRED} == REQUIRED
        assert (hand["game_type"], hand["currency"], hand["bet_limit"]["bet_type"]) == ("Holdem", "XPM", "NL")
        assert hand["dealer_seat"] in [player["seat"] for player in hand["players"]]
        assert [player["id"] for player in hand["players"]] == [0, 1]
        assert [part["id"] for part in hand["rounds"]] == list(range(len(hand["rounds"])))
        streets = ["Preflop", "Flop", "Turn", "River", "Showdown"]
        assert [part["street"] for part in hand["rounds"]] == [
            street for street in streets if street in {part["street"] for part in hand["rounds"]}
        ]
        assert hand["rounds"][0]["street"] == "Preflop"
        for part in hand["rounds"]:
            assert [action["action_number"] for action in part["actions"]] == list(range(len(part["actions"])))
            assert {action["action"] for action in part["actions"]} <= ACTIONS
            cards = [*part.get("cards", []), *[card for action in part["actions"] for card in action.get("cards", [])]]
            assert set(cards) <= set(CARD_TEXT)


def test_chips_put_in_and_won_are_those_of_the_hand(hands):
    for written, given in zip(read(hands), hands, strict=True):
        paid = [0, 0]
        for part in written["rounds"]:
            for action in part["actions"]:
                paid[action["player_id"]] += action.get("amount", 0)
        called = min(paid)
        (pot,) = written["pots"]
        won = {win["player_id"]: win["win_amount"] for win in pot["player_wins"]}
        assert pot["amount"] == sum(won.values()) == 2 * called
        assert tuple(won.get(seat, 0) - called for seat in (0, 1)) == given.hand.payoffs


def test_actions_are_those_of_the_hand_and_cards_those_dealt(hands):
    for written, given in zip(read(hands), hands, strict=True):
        hand = given.hand
        done = [action for part in written["rounds"] for action in part["actions"]]
        assert [action["player_id"] for action in done if action["action"] in BETTING] == [
            each.seat for each in hand.log
        ]
        board = [card for part in written["rounds"] for card in part.get("cards", [])]
        assert board == [CARD_TEXT[card] for card in hand.board]
        assert ("Showdown" in {part["street"] for part in written["rounds"]}) == (hand.folded == NOBODY)
        for player, stack in zip(written["players"], hand.starting_stacks, strict=True):
            paid = sum(action.get("amount", 0) for action in done if action["player_id"] == player["id"])
            all_in = any(action.get("is_allin") for action in done if action["player_id"] == player["id"])
            assert all_in == (paid == stack == player["starting_stack"])


def test_a_raise_is_what_it_puts_in():
    (hand,) = read([written_hand("1:50/100/0:10000,10000:b0:AhKd|7c7d|:r300r900f:-300")])
    amounts = [(action["action"], action["amount"]) for action in hand["rounds"][0]["actions"] if "amount" in action]
    assert amounts == [("Post SB", 50), ("Post BB", 100), ("Raise", 250), ("Raise", 800), ("Fold", 0)]


def test_a_hero_sees_only_its_own_cards_before_the_showdown():
    given = written_hand("1:50/100/0:10000,10000:b0:AhKd|7c7d|:r300f:100")
    for hero, players, flags in ((None, [0, 1], ["Observed"]), ("bob", [1], []), ("nobody", [], ["Observed"])):
        (hand,) = read([given], hero)
        shown = [action["player_id"] for action in hand["rounds"][0]["actions"] if action["action"] == "Dealt Cards"]
        assert (shown, hand["flags"]) == (players, flags)
        assert hand["hero_player_id"] == (1 if hero == "bob" else None)


def test_hands_follow_each_other_in_time():
    times = [hand["start_date_utc"] for hand in read(random_hands(range(5)))]
    assert all(one < two for one, two in pairwise(times))
