"""What stand-ins learn, from the odds that agents state."""

import numpy as np

from molt_bench.play.play_games import play_game
from molt_bench.plugins.lookahead.learned import Learning
from molt_bench.plugins.lookahead.visited import visited
from tests.plugins.lookahead.players import Silent, Stater, games_of

AGENTS = (0, 1)


def lost(games):
    """Return how far stand-ins are from the odds of others' hands, in nats a decision, after some games."""
    known = Learning()
    known.add(visited(games_of(games, "lesson", stack=5000), AGENTS))
    other = visited(games_of(12, "test", stack=5000), AGENTS)
    odds = known.fitted().odds(other.moments, other.deals)
    return float(-(other.odds * np.log(np.maximum(odds, 1e-9))).sum(axis=1).mean())


def test_more_games_teach_more():
    few, many = lost(8), lost(40)
    assert many < few < np.log(5)


def test_nothing_is_learned_of_an_agent_that_states_nothing():
    known = Learning()
    known.add(visited([play_game((Stater("one"), Silent("two")), seed=seed, hands=10) for seed in range(10)], AGENTS))
    assert known.fitted().weights.keys() == {0}


def test_stand_ins_that_were_handed_out_never_change():
    known = Learning()
    known.add(visited(games_of(12, "lesson"), AGENTS))
    before = known.fitted()
    kept = {number: weights.copy() for number, weights in before.weights.items()}
    known.add(visited(games_of(12, "more"), AGENTS))
    assert known.fitted() is not before
    assert all((before.weights[number] == kept[number]).all() for number in kept)
