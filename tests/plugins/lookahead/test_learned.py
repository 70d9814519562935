"""What stand-ins learn, from the odds that agents state."""

import numpy as np

from molt_bench.play.play_games import play_game
from molt_bench.plugins.lookahead.learned import Learning
from molt_bench.plugins.lookahead.visited import visited
from tests.plugins.lookahead.players import Silent, Stater, games_of

AGENTS = ("one", "two")


def learned(games):
    found = Learning()
    for game in games:
        found.add(visited(game, AGENTS))
    return found


def lost(games):
    """Return how far stand-ins are from the odds of another game's hands, in nats a decision, after some games."""
    known = learned(games_of(games, "lesson", stack=5000)).fitted()
    other = visited(*games_of(1, "test", stack=5000, hands=100), AGENTS)
    odds = known.odds(other.moments, other.deals)
    return float(-(other.chances * np.log(np.maximum(odds, 1e-9))).sum(axis=1).mean())


def test_more_games_teach_more():
    few, many = lost(8), lost(40)
    assert many < few < np.log(5)


def test_nothing_is_learned_of_an_agent_that_states_nothing():
    known = learned(play_game((Stater("one"), Silent("two")), seed=seed, hands=10) for seed in range(10))
    assert known.fitted().weights.keys() == {"one"}


def test_stand_ins_that_were_handed_out_never_change():
    known = learned(games_of(12, "lesson"))
    before = known.fitted()
    kept = {number: weights.copy() for number, weights in before.weights.items()}
    for game in games_of(12, "more"):
        known.add(visited(game, AGENTS))
    assert known.fitted() is not before
    assert all((before.weights[number] == kept[number]).all() for number in kept)
