"""Looking ahead by stand-ins favours nobody, whatever they are like, and removes luck."""

from functools import cache

import numpy as np
import pytest

from molt_bench.plugins.lookahead.ahead import surpluses
from molt_bench.plugins.lookahead.learned import Learning
from molt_bench.plugins.lookahead.visited import visited
from tests.plugins.lookahead.players import games_of, stated_game

MODES = {
    "reset": {"stack": 5000},
    "carry and antes": {"stack": 2500, "stacks": "carry", "ante": 20},
    "caps and warm-up": {"stack": 3000, "raise_cap": 2, "warmup_hands": 2, "max_actions": 7},
}
AGENTS = ("one", "two")


@cache
def taught(mode="reset"):
    """Return stand-ins that have learned from some games."""
    found = Learning()
    for game in games_of(12, "lesson", **MODES[mode]):
        found.add(visited(game, AGENTS))
    return found.fitted()


@pytest.mark.parametrize("mode", MODES)
def test_every_draw_weighs_as_much_as_it_is_likely(mode):
    """At each decision, the surpluses of all that could have been drawn add up to 0, each times its odds."""
    (game,) = games_of(1, "drawn", **MODES[mode])
    played = visited(game, AGENTS)
    sums, size = np.zeros(len(played.stated)), 0.0
    for number, chances in enumerate(played.chances.T):
        luck = surpluses(played._replace(done=np.full(len(sums), number)), taught(mode))
        size = max(size, abs(luck[chances > 0]).max(initial=0))
        sums += luck * chances
    assert size > 100
    assert abs(sums).max() < 1e-9 * size


def test_chips_beyond_whole_numbers_are_left_alone():
    assert visited(stated_game((1.0, 1.0), seed="deep", hands=2, stack=1 << 45), AGENTS) is None
