"""FR-2: a game between two agents."""

import asyncio
from itertools import pairwise

import pytest

import molt_bench
from tests.prd.conftest import Caller, Thrower


def game(first, second, *, seed="fr2", hands=10, **options):
    return molt_bench.play_game((first, second), seed=seed, hands=hands, **options)


class Illegal:
    """Bets less than nothing, until it is asked for the `tries`-th time."""

    name = "illegal"

    def __init__(self, tries=10**9):
        self.asked = []
        self._tries = tries

    def act(self, observation):
        self.asked.append(observation.previous_error)
        if len(self.asked) % self._tries == 0:
            return molt_bench.Action("call") if observation.to_call else molt_bench.Action("check")
        return molt_bench.Action("raiseTo", 1)


def test_fr2_5_a_game_between_two_agents_has_the_number_of_hands_asked_for():
    """5: wires two agents, and runs a configurable number of hands."""
    first, second = Caller("first"), Caller("second")
    record = game(first, second, hands=17)
    assert record.hands == len(record.hand_nets) == len(first.results) == len(second.results) == 17
    assert record.players == ("first", "second")
    assert {each.seat for each in first.seen} == {0}
    assert {each.seat for each in second.seen} == {1}


def test_fr2_6_the_seed_decides_the_cards():
    """6: accepts a seed."""
    first, again, other = (Caller() for _ in range(3))
    game(first, Caller())
    game(again, Caller())
    game(other, Caller(), seed="another")
    cards = [[result.cards for result in each.results] for each in (first, again, other)]
    assert cards[0] == cards[1] != cards[2]


def test_fr2_6_the_seating_decides_who_has_the_button_first():
    """6: accepts a seat assignment, A first or B first."""
    for seating, seats in (("AB", (0, 1)), ("BA", (1, 0))):
        first, second = Caller(), Caller()
        game(first, second, seating=seating)
        assert (first.results[0].seat, second.results[0].seat) == seats
        assert first.results[0].button == 0


def test_fr2_6_blinds_and_stacks_are_as_set():
    """6: accepts blinds and stacks."""
    caller = Caller()
    game(caller, Caller(), small_blind=10, big_blind=25, ante=5, stack=700)
    first = caller.seen[0]
    assert (first.small_blind, first.big_blind, first.starting_stacks) == (10, 25, (700, 700))
    assert (first.pot, first.bets, first.stacks) == (45, (10, 25), (685, 670))


def test_fr2_6_an_answer_that_takes_too_long_is_a_timeout():
    """6: accepts an action timeout."""

    class Slow:
        name = "slow"

        async def act(self, observation):
            await asyncio.sleep(30)

    record = game(Slow(), Caller(), hands=1, action_timeout_s=1.0, max_retries=0)
    assert [(fault.kind, fault.player, fault.forced_fold) for fault in record.faults] == [("timeout", 0, True)]


def test_fr2_7_a_result_has_net_chips_trajectories_actions_faults_and_the_seed():
    """7: net chips and stack trajectory by player, action count, error and timeout events, the seed."""
    first, second = molt_bench.make_agent("random"), Caller()
    record = game(first, second, seed=4711, hands=30)
    assert record.seed == 4711
    assert sum(record.net) == 0 != record.net[0]
    ours, theirs = record.stack_trajectory
    assert len(ours) == len(theirs) == 31
    assert (ours[0], ours[-1]) == (10_000, 10_000 + record.net[0])
    assert all(one + other == 20_000 for one, other in zip(ours, theirs, strict=True))
    assert [after - before for before, after in pairwise(ours)] == list(record.hand_nets)
    assert record.actions == sum(len(result.log) for result in second.results)
    assert record.faults == ()
    assert game(Thrower(), Caller()).faults[0].kind == "exception"


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_fr2_8_an_invalid_action_is_asked_for_again_so_many_times_and_then_folded(retries):
    """8: retries invalid actions up to N times, then force-folds and logs the error."""
    bad, caller = Illegal(), Caller()
    record = game(bad, caller, hands=1, max_retries=retries)
    assert len(bad.asked) == len(record.faults) == retries + 1
    assert [fault.attempt for fault in record.faults] == list(range(1, retries + 2))
    assert [fault.forced_fold for fault in record.faults] == [False] * retries + [True]
    assert {fault.kind for fault in record.faults} == {"illegal"}
    assert [entry.kind for entry in caller.results[0].log] == ["fold"]
    assert record.net == (-50, 50)


def test_fr2_8_the_agent_is_told_what_was_wrong_and_may_do_better():
    """8: a retry that is legal is played."""
    bad, caller = Illegal(tries=2), Caller()
    record = game(bad, caller, hands=1, max_retries=1)
    assert bad.asked[0] is None
    assert "raiseTo" in bad.asked[1]
    assert all(not fault.forced_fold for fault in record.faults)
    assert "fold" not in {entry.kind for entry in caller.results[0].log}


@pytest.mark.parametrize("hands", [50, 100])
def test_fr2_9_a_game_is_a_session_of_many_hands_with_cards_and_buttons_that_change(hands):
    """9: each game is a multi-hand session, such as 50 to 100 hands."""
    caller = Caller()
    record = game(caller, Caller(), hands=hands)
    assert [result.hand_number for result in caller.results] == list(range(1, hands + 1))
    assert len({result.cards for result in caller.results}) > 0.9 * hands
    assert [result.button for result in caller.results] == [at % 2 for at in range(hands)]
    assert sum(record.hand_nets) == record.net[0]


def test_fr2_the_same_seed_gives_the_same_game():
    """Testing plan: two random agents, net chips sum to zero, deterministic replay with the same seed."""
    first, again = (game(molt_bench.make_agent("random"), molt_bench.make_agent("random")) for _ in range(2))
    assert first == again
    assert sum(first.net) == 0 != first.net[0]
