"""Hands that were just played."""

import msgspec
import pytest

from molt_bench import make_agent, play_game
from molt_bench.luck.dice.tested_estimates import estimates_at_once
from molt_bench.luck.estimators import game_estimates
from molt_bench.play import game
from molt_bench.play.drivers import drive
from molt_bench.poker import played as played_module
from molt_bench.poker.actions import CALL, CHECK
from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.played import forget_played, recall
from molt_bench.specs import GameSpec

OPTIONS = {"stack": 600, "small_blind": 5, "big_blind": 10}


@pytest.fixture(autouse=True)
def nothing_remembered():
    forget_played()


def played(hands=40, seed="played", **options):
    spec = GameSpec(seed=seed, hands=hands, players=("maniac", "random"), **OPTIONS)
    return drive(spec, (make_agent("maniac"), make_agent("random")), **options)


def recalled(record, *, longest=None):
    return recall(record.hand_texts, longest or record.spec.max_actions)


def test_a_remembered_hand_is_the_one_that_its_text_describes():
    record = played(remembered=True)
    for text, (number, hand, seen) in zip(record.hand_texts, recalled(record), strict=True):
        same, rebuilt, _ = hand_from_text(text)
        assert (number, len(seen)) == (same, len(rebuilt.log))
        for name in ("rules", "holes", "board", "street", "starting_stacks", "payoffs", "folded", "at_stake", "log"):
            assert getattr(hand, name) == getattr(rebuilt, name)


def test_a_game_for_its_own_sake_leaves_nothing_behind():
    assert recalled(play_game((make_agent("maniac"), make_agent("random")), seed=1, hands=10, **OPTIONS)) is None


def test_a_game_with_another_limit_is_another():
    record = played(hands=1, remembered=True)
    assert recalled(record, longest=record.spec.max_actions + 1) is None


def test_the_latest_games_are_remembered(monkeypatch):
    monkeypatch.setattr(played_module, "MOST_PLAYED", 30)
    records = [played(seed=seed, hands=10, remembered=True) for seed in range(5)]
    assert [recalled(record) is not None for record in records] == [False, False, True, True, True]


def test_a_game_of_very_many_hands_is_not_remembered(monkeypatch):
    monkeypatch.setattr(game, "MOST_PLAYED", 10)
    assert recalled(played(hands=10, remembered=True)) is not None
    assert recalled(played(hands=11, remembered=True)) is None


def test_a_game_whose_luck_was_taken_out_at_once_is_forgotten():
    record = played(remembered=True)
    assert estimates_at_once(record, (None, None)) == game_estimates(record)
    assert recalled(record) is None


def test_a_record_is_the_same_with_and_without():
    assert msgspec.json.encode(played(remembered=True)) == msgspec.json.encode(played())


def test_the_policy_of_tag_is_noted_with_what_it_saw_and_is_the_one_that_it_publishes():
    spec = GameSpec(seed="noted", hands=40, players=("tag", "maniac"), **OPTIONS)
    tag = make_agent("tag")
    record = drive(spec, (tag, make_agent("maniac")), remembered=True)
    noted = [each for _, _, seen in recalled(record) for each in seen if isinstance(each, tuple)]
    assert noted
    assert all(tag.policy(observation) == policy for observation, policy in noted)
    assert all(tag.drawn(observation) == (tag.act(observation), policy) for observation, policy in noted)
    once = estimates_at_once(record, (tag.policy, make_agent("maniac").policy))
    assert once == game_estimates(record, (tag.policy, make_agent("maniac").policy))


def test_a_bot_derived_from_tag_that_acts_in_its_own_way_is_asked_its_own_way():
    class Other(type(make_agent("tag"))):
        def act(self, observation):
            return CALL if observation.to_call else CHECK

    spec = GameSpec(seed="derived", hands=20, players=("tag", "maniac"), **OPTIONS)
    record = drive(spec, (Other(), make_agent("maniac")), remembered=True)
    assert not [each for _, _, seen in recalled(record) for each in seen if isinstance(each, tuple)]
    assert {done.kind for _, hand, _ in recalled(record) for done in hand.log if done.seat == 0} <= {"call", "check"}
