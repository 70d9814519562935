"""What stand-ins learn: from odds quickly, and from draws with more caution."""

from functools import cache

import numpy as np

from molt_bench.agents.llm.strategy import Share
from molt_bench.luck.stand_ins import learned as learning
from molt_bench.luck.stand_ins.learned import StandIns
from molt_bench.luck.stand_ins.visited import visited
from tests.luck.stand_ins import players
from tests.luck.stand_ins.players import stated_game, strategy_of

AGENTS = (0, 1)


@cache
def decisions(label, count, *, stated):
    """Return the decisions of some games, with the odds that were stated or with the draws alone."""
    games = [
        stated_game((1.4, 0.6), seed=f"{label} {number // 2}", seating=("AB", "BA")[number % 2], stack=5000)
        for number in range(count)
    ]
    return visited(games if stated else [(record, (None, None)) for record, _ in games], AGENTS)


def one_action(shares):
    """Return the likeliest action alone."""
    likeliest = max(shares, key=lambda share: share.percent)
    return (Share(likeliest.kind, likeliest.amount, 100),)


def lost(*, stated, games=12):
    """Return how far stand-ins are from the odds of others' hands, in nats a decision, after some games."""
    learned = StandIns()
    for _ in AGENTS:
        learned.add_agent()
    learned.learn(decisions("lesson", games, stated=stated))
    other = decisions("test", 12, stated=True)
    odds, _ = learned.odds(other.moments, other.deals)
    return float(-(other.wanted * np.log(np.maximum(odds, 1e-9))).sum(axis=1).mean())


def test_odds_teach_more_than_draws():
    assert lost(stated=True) < lost(stated=False)


def test_draws_are_trusted_less_than_odds(monkeypatch):
    """Few draws say little: held to what suits all, a stand-in is nearer to how the agent plays."""
    cautious = [lost(stated=False, games=games) for games in (8, 12)]
    monkeypatch.setattr(learning, "_HOLD_DRAWN", 1.0)
    for games, with_caution in zip((8, 12), cautious, strict=True):
        assert with_caution < lost(stated=False, games=games)


def test_caution_with_draws_changes_nothing_where_odds_are_stated_even_if_they_leave_no_doubt(monkeypatch):
    def both():
        found = []
        for hold in (8.0, 1.0):
            monkeypatch.setattr(learning, "_HOLD_DRAWN", hold)
            found.append(lost(stated=True))
        return found

    cautious, plain = both()
    assert cautious == plain
    monkeypatch.setattr(players, "strategy_of", lambda seen, boldness: one_action(strategy_of(seen, boldness)))
    decisions.cache_clear()
    sure = decisions("lesson", 12, stated=True)
    assert (sure.wanted == 1).any(axis=1).all()
    assert not sure.drawn.any()
    cautious, plain = both()
    assert cautious == plain
    decisions.cache_clear()
