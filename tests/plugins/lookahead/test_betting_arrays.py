"""Betting by arrays is the betting of a hand: the same moments, raises, pots and endings, whatever the rules."""

import numpy as np
import pytest

from molt_bench.plugins.lookahead.betting_arrays import (
    CALL,
    FOLD,
    RAISE,
    Deals,
    chips_in,
    column_of,
    moved,
    pot_to_win,
    raise_range,
)
from molt_bench.poker.betting import opening
from molt_bench.poker.hand_rules import HandRules

MODES = [
    (HandRules(50, 100), (10_000, 10_000)),
    (HandRules(50, 100, ante=30), (700, 2_000)),
    (HandRules(1, 2, raise_cap=2), (60, 45)),
    (HandRules(0, 100, ante=100, raise_cap=1), (1_000, 1_000)),
    (HandRules(100, 100), (150, 900)),
]


def deals_of(rules, stacks, button):
    cap = 1 << 30 if rules.raise_cap is None else rules.raise_cap
    hand = np.array([stacks]), np.array([button]), np.full((1, 4), 0.75), np.zeros((1, 4, 2, 5), int)
    return Deals(*hand, ("one", "two"), rules.big_blind, cap)


def as_column(betting):
    return np.array([column_of(betting, 0)]).T


@pytest.mark.parametrize("mode", MODES)
def test_actions_lead_to_the_same_moments_as_in_a_hand(mode):
    rules, stacks = mode
    dice = np.random.RandomState(7)
    ended = 0
    for number in range(60):
        button = number % 2
        deals = deals_of(rules, stacks, button)
        betting = opening(rules, stacks, button)
        while betting.actor >= 0:
            column = as_column(betting)
            assert [int(each[0]) for each in raise_range(column)] == [
                betting.min_raise_to,
                betting.max_raise_to,
            ]
            assert pot_to_win(column) == betting.chips
            assert [int(chips_in(column, deals, np.array([seat]))[0]) for seat in (0, 1)] == [
                betting.chips_in(0),
                betting.chips_in(1),
            ]
            choices = [(FOLD, "fold", 0)] * (dice.randint(6) == 0) + [(CALL, "call" if betting.to_call else "check", 0)]
            if betting.max_raise_to:
                amount = int(dice.randint(betting.min_raise_to, betting.max_raise_to + 1))
                smaller = min(amount, betting.min_raise_to * 2, betting.max_raise_to)
                choices += [(RAISE, "raiseTo", dice.choice([amount, smaller]).item())] * 2
            number_of, kind, amount = choices[dice.randint(len(choices))]
            moments, over, worths = moved(column, deals, np.array([number_of]), np.array([amount]))
            betting = betting.after(kind, amount)
            assert bool(over[0]) == (betting.actor < 0)
            if betting.actor >= 0:
                assert moments.tolist() == as_column(betting).tolist()
            else:
                ended += 1
                worth = 0.5 * betting.at_stake if betting.payoffs is None else betting.payoffs[0]
                assert worths[0] == worth
    assert ended == 60
