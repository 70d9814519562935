"""What each hole is worth, by the table, in chips of the real hand."""

import numpy as np
import pytest

from molt_bench.plugins.reference.action_translation import followed
from molt_bench.plugins.reference.agent import BlueprintAgent
from molt_bench.plugins.reference.buckets import buckets
from molt_bench.plugins.reference.range_equity import hole_number
from molt_bench.plugins.reference.state import public_state
from molt_bench.plugins.reference.table import load
from molt_bench.poker.actions import CALL, CHECK, FOLD
from tests.plugins.reference.odd_hands import before_card, decisions
from tests.plugins.reference.test_action_translation import DEEPEST, played, raised

BOT = BlueprintAgent()


@pytest.mark.parametrize("button", [0, 1])
@pytest.mark.parametrize("actions", [(), (CALL,), (CALL, CHECK), (CALL, CHECK, CHECK, CHECK)])
def test_on_the_tree_values_are_those_of_the_table(actions, button):
    state = public_state(played(*actions, button=button))
    (point,) = followed(state)[0]
    for seat in (0, 1):
        table = load().at(DEEPEST).values(point, int(seat != button))
        assert BOT.hand_values(state, seat) == pytest.approx(100 * table[buckets(state.board)])


def test_after_a_fold_the_value_is_what_was_won():
    state = public_state(played(raised(300), FOLD))
    assert set(BOT.hand_values(state, 0)) == {100.0}
    assert set(BOT.hand_values(state, 1)) == {-100.0}


def test_aces_are_worth_more_than_rags_before_the_flop():
    for seat in (0, 1):
        values = BOT.hand_values(public_state(played()), seat)
        assert values[hole_number((51, 50))] > 100 > 0 > values[hole_number((20, 1))]


def test_every_state_of_an_odd_hand_has_values():
    for number in range(15):
        for seen, hand in decisions(number, BOT):
            for state in (public_state(seen), before_card(public_state(hand))):
                for seat in (0, 1):
                    values = BOT.hand_values(state, seat)
                    assert values.shape == (1326,)
                    assert np.isfinite(values).all()
                    assert BOT.hand_value(state, seat, seen.cards) == values[hole_number(seen.cards)]
