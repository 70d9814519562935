"""What is known of a run when its next round is chosen."""

import pytest

from molt_bench.bench.ladder import Ladder
from molt_bench.bench.next_round import situation_of
from molt_bench.bench.spending import Spending
from molt_bench.config.loader import load_config


class Bill(Spending):
    """What each participant has cost so far, in dollars."""

    free = False

    def __init__(self, **usd):
        super().__init__({})
        self.spent = usd

    def usd_of(self, name, match):
        return self.spent[name]


@pytest.fixture
def ladder():
    """Return the ladder of a run whose every lead is open, and in which all that is known of each pair is the same."""
    found = Ladder(load_config({"participants": ["tight", "callstation", "random", "maniac"]}))
    for pair in found.meetings:
        found.margins.add(pair, [-100.0, 100.0, -100.0, 100.0])
        found.played.update(pair)
    return found


def telling(ladder, **usd):
    return [*situation_of(ladder, Bill(**usd) if usd else Spending({})).telling()]


def test_pairs_that_take_part_in_more_open_leads_tell_more(ladder):
    """Of the four the two in the middle of the ranking each have two neighbours."""
    assert telling(ladder)[0] == ("callstation", "random")
    assert {*telling(ladder)} == {*ladder.meetings}


def test_what_is_dear_has_to_tell_more(ladder):
    assert telling(ladder, tight=0.0, callstation=5.0, random=0.0, maniac=0.0)[0] == ("random", "maniac")


def test_a_price_that_is_not_known_leaves_costs_aside(ladder):
    assert telling(ladder, tight=0.0, callstation=5.0, random=None, maniac=0.0) == telling(ladder)
