"""The benchmarks of rules and estimators follow the code that they measure."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest


@pytest.fixture
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    before = {*sys.modules}
    yield
    for name in {*sys.modules} - before:
        if "benchmarks" in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def test_a_run_on_looked_up_games_ends_and_knows_its_truth(benchmarks, monkeypatch):
    from molt_bench.rating import margin

    monkeypatch.setattr(margin, "_clustering", margin._clustering)  # put back afterwards
    from efficiency import OURS, endings
    from ladders import Bot, Plan
    from pools import played

    bots = {"tight": Bot("tight"), "folder": Bot("folder"), "random": Bot("random", publish=True)}
    plan = Plan("three", "bots", bots, hands=5, seeds=10)
    with ThreadPoolExecutor(1) as executor:
        pool = played(plan, executor, None)
    (ending,) = endings(pool, OURS, [1])
    assert ending.confident
    assert not ending.wrong
    assert ending.hands < plan.most


def test_a_ladder_with_a_player_that_fails_is_refused(benchmarks):
    from ladders import Bot, Plan
    from pools import played

    one_size = {"error": 0.4, "calls": 0.4, "bets": 0.6, "bluffs": 0.1, "sizes": (66,)}
    plan = Plan("failing", "bots", {"one size": Bot("reader", reads=one_size), "tight": Bot("tight")}, seeds=10)
    with ThreadPoolExecutor(1) as executor, pytest.raises(ValueError, match="failing: one size against tight"):
        played(plan, executor, None)


def test_players_of_every_ladder_finish_their_games(benchmarks):
    from ladders import EQUAL, LATER, TUNING, VALIDATION
    from pools import play_chunk

    for plan in (*VALIDATION, *LATER, *TUNING, *EQUAL):
        names = [*plan.bots]
        for first, second in zip(names, [*names[1:], names[0]], strict=True):
            two = plan._replace(bots={name: plan.bots[name] for name in (first, second)}, hands=2)
            play_chunk(two, 0)  # raises if anybody fails
