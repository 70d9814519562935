"""An agent whose chips and result without luck do not agree is named in a warning, and honest ones are not."""

from itertools import combinations

import numpy as np
import pytest

from molt_bench.bench.suspicion import FALSE_ALARMS, suspicions
from molt_bench.records import MatchResult

NAMES = ("a", "b", "c", "d")


def matches(drawn):
    """Return a match of each pairing whose chips are above the result without luck by so much, in mbb a hand."""
    found = []
    for number, (pair, gaps) in enumerate(drawn.items(), start=1):
        margins = {"raw": tuple(gaps), "adjusted": (0.0,) * len(gaps)}
        found.append(MatchResult((), participants=pair, number=number, round=number, meeting=1, margins=margins))
    return found


def named(drawn):
    return suspicions(matches(drawn), stack_mbb=1000)


def normal(dice, count):
    return dice.normal(0, 1000, count)


def rare_all_ins(dice, count):
    """One seed pair in 15 loses a stack, the others win a little: the mean is 0."""
    return 1000 * (1 / 15 - (dice.random(count) < 1 / 15)) + 30 * dice.standard_normal(count)


def once_in_100(dice, count):
    return 1000 * (1 / 100 - (dice.random(count) < 1 / 100)) + 60 * dice.standard_normal(count)


@pytest.mark.parametrize("kind", [normal, rare_all_ins, once_in_100])
@pytest.mark.parametrize("count", [10, 40, 100])
def test_hardly_any_honest_run_names_anybody(kind, count):
    runs, alarms = 300, 0
    for run in range(runs):
        dice = np.random.default_rng([run, count])
        alarms += bool(named({pair: kind(dice, count).tolist() for pair in combinations(NAMES, 2)}))
    assert alarms <= 2 * runs * FALSE_ALARMS


@pytest.mark.parametrize("sign", [1, -1])
def test_who_wins_by_what_looks_like_luck_is_named_and_not_those_it_plays(sign):
    dice = np.random.default_rng(1)
    drawn = {pair: normal(dice, 60) + sign * 900 * (pair[0] == "a") for pair in combinations(NAMES, 2)}
    (said,) = named({pair: gaps.tolist() for pair, gaps in drawn.items()})
    assert said.startswith(f"a won {'+' if sign > 0 else '-'}")
    assert "180 seed pairs" in said
    assert said.endswith("a may know what it should not, such as hidden cards")


def test_the_second_of_a_pairing_may_be_the_one():
    dice = np.random.default_rng(2)
    (said,) = named({(other, "a"): (normal(dice, 60) - 900).tolist() for other in "bcd"})
    assert said.startswith("a won +")


def test_of_two_it_may_be_either():
    (said,) = named({("a", "b"): (normal(np.random.default_rng(3), 60) + 900).tolist()})
    assert "a or b may know" in said


def test_nothing_is_said_after_a_few_seed_pairs():
    assert named({("a", "b"): [9000.0] * 19}) == []


def test_nothing_is_said_where_no_luck_is_taken_out():
    assert named({("a", "b"): [0.0] * 100}) == []
