"""What stand-ins learn: from odds quickly, and from draws with more caution."""

from functools import cache

import numpy as np

from molt_bench.plugins.lookahead import learned as learning
from molt_bench.plugins.lookahead.learned import FIRST_HANDS, Learning
from molt_bench.plugins.lookahead.visited import visited
from tests.plugins.lookahead.players import games_of

AGENTS = (0, 1)


@cache
def decisions(label, count, *, stated):
    """Return the decisions of some games, with the odds that were stated or with the draws alone."""
    played = visited(games_of(count, label, stack=5000), AGENTS)
    if stated:
        return played
    alone = np.zeros_like(played.wanted)
    for row, (options, wanted) in enumerate(zip(played.options, played.wanted, strict=True)):
        alone[row, int(wanted.argmax()) if options is None else _class_of(played, row)] = 1.0
    return played._replace(wanted=alone, drawn=np.ones(len(alone), bool))


def _class_of(played, row):
    """Return a class drawn from the odds of a decision."""
    return int(np.random.default_rng(row).choice(played.wanted.shape[1], p=played.wanted[row]))


def lost(*, stated, games=12):
    """Return how far stand-ins are from the odds of others' hands, in nats a decision, after some games."""
    known = Learning()
    known.add(decisions("lesson", games, stated=stated))
    other = decisions("test", 12, stated=True)
    odds, _ = known.stand_ins.odds(other.moments, other.deals)
    return float(-(other.wanted * np.log(np.maximum(odds, 1e-9))).sum(axis=1).mean())


def test_odds_teach_more_than_draws():
    assert lost(stated=True) < lost(stated=False)


def test_draws_are_trusted_less_than_odds(monkeypatch):
    """Few draws say little: held to what suits all, a stand-in is nearer to how the agent plays."""
    cautious = lost(stated=False, games=8)
    monkeypatch.setattr(learning, "_HOLD_DRAWN", 1.0)
    assert cautious < lost(stated=False, games=8)


def test_nothing_is_known_of_an_agent_before_some_hands():
    known = Learning()
    known.add(visited(games_of(FIRST_HANDS // 10 - 1, "few"), AGENTS))
    assert known.stand_ins.weights == {}
    known.add(visited(games_of(2, "more"), AGENTS))
    assert known.stand_ins.weights.keys() == known.stand_ins.stating == {0, 1}


def test_stand_ins_that_were_handed_out_never_change():
    known = Learning()
    known.add(decisions("lesson", 12, stated=True))
    before = known.stand_ins
    kept = {number: weights.copy() for number, weights in before.weights.items()}
    known.add(visited(games_of(12, "more"), AGENTS))
    assert known.stand_ins is not before
    assert all((before.weights[number] == kept[number]).all() for number in kept)
