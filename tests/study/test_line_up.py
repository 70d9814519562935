"""What a line-up may truly be like, given a pilot or nothing."""

import numpy as np
import pytest

from molt_bench.config.loader import load_config
from molt_bench.study.line_up import LineUp
from molt_bench.study.pilot import Pilot, prior_deviation

PLANNED = load_config({"participants": [{"id": name, "type": "random"} for name in "abcd"]})


def worlds(pilot, count=200):
    line_up = LineUp(PLANNED, pilot)
    return [line_up.drawn(np.random.RandomState(seed)) for seed in range(count)]


def test_where_hands_vary_more_players_are_further_apart():
    usual = prior_deviation(PLANNED)
    calm, wild = (worlds(Pilot(times * usual, 100)) for times in (0.5, 1.0))
    assert [world.skills for world in wild] == [pytest.approx([2 * each for each in world.skills]) for world in calm]


def test_without_a_pilot_nobody_knows_how_much_hands_vary():
    sds = sorted(np.mean([*world.deviations.values()]) for world in worlds(None))
    assert 3 < sds[180] / sds[20] < 7


def test_a_long_pilot_leaves_little_open_and_a_short_one_much():
    skill = dict(zip("abcd", (600.0, 200.0, -300.0, -500.0), strict=True))
    spreads = {}
    for count in (10, 4000):
        margins = {frozenset(pair): (pair[0], skill[pair[0]] - skill[pair[1]], count) for pair in PLANNED.pairings()}
        known = Pilot(10_000.0, 6 * count, variances=dict.fromkeys(margins, (10_000.0**2, count - 1)), margins=margins)
        found = np.array([[world.margins["a", "b"], *world.deviations.values()] for world in worlds(known)])
        spreads[count] = found.std(axis=0)
        assert found[:, 0].mean() == pytest.approx(400, abs=4 * spreads[count][0] / len(found) ** 0.5 + 120)
    assert spreads[10][0] > 10 * spreads[4000][0]
    assert spreads[10][1] > 5 * spreads[4000][1]


def test_a_pairing_that_hardly_played_leaves_open_only_the_leads_that_depend_on_it():
    """The lead of a over b is none of them: margins between c and d are in neither's result."""
    spreads = {}
    for few in (4, 4000):
        counts = {frozenset(pair): few if pair == ("c", "d") else 4000 for pair in PLANNED.pairings()}
        margins = {pair: (min(pair), 0.0, count) for pair, count in counts.items()}
        variances = {pair: (10_000.0**2, count - 1) for pair, count in counts.items()}
        drawn = worlds(Pilot(10_000.0, 6 * 4000, variances=variances, margins=margins))
        spreads[few] = [np.std([world.margins[pair] for world in drawn]) for pair in (("a", "b"), ("c", "d"))]
    assert spreads[4][0] == pytest.approx(spreads[4000][0], rel=0.2)
    assert spreads[4][1] > 3 * spreads[4000][1]
