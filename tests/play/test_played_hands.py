"""Hands as they were played, which a game hands on to whoever takes the luck out of them."""

import asyncio

import msgspec

from molt_bench import make_agent
from molt_bench.luck.estimators import game_estimates
from molt_bench.play import game
from molt_bench.play.play_games import drive, drive_async, play_games_in_order
from molt_bench.poker.mix import mixes_to_text
from molt_bench.poker.notation import hand_from_text
from molt_bench.specs import GameSpec

OPTIONS = {"stack": 600, "small_blind": 5, "big_blind": 10}


def played(hands=40, **options):
    spec, found = GameSpec(seed="played", hands=hands, players=("maniac", "random"), **OPTIONS), []
    return drive(spec, (make_agent("maniac"), make_agent("random")), hands=found, **options), found


def test_a_hand_is_the_one_that_its_text_describes():
    record, hands = played()
    for text, mixes, (number, hand, seen) in zip(record.hand_texts, record.mixes, hands, strict=True):
        same, rebuilt, _ = hand_from_text(text)
        assert (number, mixes_to_text(seen)) == (same, mixes)
        for name in ("rules", "holes", "board", "street", "starting_stacks", "payoffs", "folded", "at_stake", "log"):
            assert getattr(hand, name) == getattr(rebuilt, name)


def test_a_game_of_very_many_hands_hands_on_none(monkeypatch):
    monkeypatch.setattr(game, "MOST_HANDS", 10)
    assert len(played(hands=10)[1]) == 10
    assert played(hands=11)[1] == []


def test_a_record_is_the_same_with_and_without():
    record, _ = played()
    alone = drive(record.spec, (make_agent("maniac"), make_agent("random")))
    assert msgspec.json.encode(record) == msgspec.json.encode(alone)


def test_luck_is_the_same_with_hands_as_they_were_played_and_rebuilt():
    record, hands = played()
    assert game_estimates(record, hands) == game_estimates(record)


def test_an_event_loop_hands_on_the_same():
    record, hands = played()
    found = []
    asyncio.run(drive_async(record.spec, (make_agent("maniac"), make_agent("random")), hands=found))
    assert [(number, hand.log, seen) for number, hand, seen in found] == [
        (*each[:1], each[1].log, each[2]) for each in hands
    ]


def test_every_game_comes_with_its_own_hands():
    specs = [GameSpec(seed=seed, hands=5, players=("maniac", "random"), **OPTIONS) for seed in range(3)]
    found = []
    play_games_in_order(
        specs, lambda spec: (make_agent("maniac"), make_agent("random")), lambda *game: found.append(game)
    )
    assert [spec for spec, *_ in found] == specs
    for _, record, hands in found:
        assert [hand.payoffs[0] for _, hand, _ in hands] == list(record.hand_nets)
