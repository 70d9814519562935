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
AGENTS = (0, 1)


@cache
def taught(mode="reset"):
    """Return stand-ins that have learned from some games."""
    found = Learning()
    found.add(visited(games_of(12, "lesson", **MODES[mode]), AGENTS))
    return found.fitted()


@pytest.mark.parametrize("mode", MODES)
def test_every_draw_weighs_as_much_as_it_is_likely(mode):
    """At each decision, the surpluses of all that could have been drawn add up to 0, each times its odds."""
    played = visited(games_of(2, "drawn", **MODES[mode]), AGENTS)
    most = max(len(options.choices) for options in played.options if options)
    sums, size = np.zeros(len(played.options)), 0.0
    for number in range(most):
        other = [
            (options and number < len(options.choices) and options._replace(drawn=options.choices[number])) or None
            for options in played.options
        ]
        luck = surpluses(played._replace(options=other), taught(mode))
        size = max(size, abs(luck).max())
        sums += luck * [options.choices[number].chance if options else 0.0 for options in other]
    assert size > 100
    assert abs(sums).max() < 1e-9 * size * most


def test_chips_beyond_whole_numbers_are_left_alone():
    assert visited([stated_game((1.0, 1.0), seed="deep", hands=2, stack=1 << 45)], AGENTS) is None
