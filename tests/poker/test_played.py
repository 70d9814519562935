"""Hands that were just played."""

import msgspec
import pytest

from molt_bench import make_agent, play_game
from molt_bench.play.drivers import drive
from molt_bench.poker import played as played_module
from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.played import forget_played, recall
from molt_bench.specs import GameSpec

OPTIONS = {"stack": 600, "small_blind": 5, "big_blind": 10}


@pytest.fixture(autouse=True)
def nothing_remembered():
    forget_played()


def played(hands=40, **options):
    spec = GameSpec(seed="played", hands=hands, players=("maniac", "random"), **OPTIONS)
    return drive(spec, (make_agent("maniac"), make_agent("random")), **options)


def test_a_remembered_hand_is_the_one_that_its_text_describes():
    record = played(remembered=True)
    for text in record.hand_texts:
        hand = recall(text, record.spec.max_actions)
        number, rebuilt, _ = hand_from_text(text)
        assert (hand.number, len(hand.seen)) == (number, len(rebuilt.log))
        for name in ("rules", "holes", "board", "street", "starting_stacks", "payoffs", "folded", "at_stake", "log"):
            assert getattr(hand, name) == getattr(rebuilt, name)


def test_a_game_for_its_own_sake_leaves_nothing_behind():
    record = play_game((make_agent("maniac"), make_agent("random")), seed=1, hands=10, **OPTIONS)
    assert {recall(text, record.spec.max_actions) for text in record.hand_texts} == {None}


def test_a_hand_of_a_game_with_another_limit_is_another():
    record = played(hands=1, remembered=True)
    assert recall(record.hand_texts[0], record.spec.max_actions + 1) is None


def test_the_latest_hands_are_remembered(monkeypatch):
    monkeypatch.setattr(played_module, "_LEAST", 10)
    record = played(hands=45, remembered=True)
    found = [recall(text, record.spec.max_actions) is not None for text in record.hand_texts]
    assert found == [False] * 30 + [True] * 15


def test_a_record_is_the_same_with_and_without():
    assert msgspec.json.encode(played(remembered=True)) == msgspec.json.encode(played())
