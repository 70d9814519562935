"""Rank intervals: what they hold, how often, and what games that were not played leave open."""

from itertools import combinations, product

import numpy as np
import pytest

from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.ranks import rank_intervals
from molt_bench.rating.sequential import Horizon
from molt_bench.rating.verdicts import Judge

TESTS = [Horizon(250.0, 10), Horizon(0.0, 10)]
SKILLS = {"a": 500.0, "b": 200.0, "c": 0.0, "d": -200.0}


def model_of(margins, names="abc", **options):
    model = MarginModel(names, **options)
    for pair, values in margins.items():
        model.add(pair, list(values))
    return model


@pytest.mark.parametrize("test", TESTS)
def test_they_hold_the_true_ranks(test):
    dice = np.random.RandomState(14)
    runs, count = 150, 60
    pairs = list(combinations(SKILLS, 2))
    held, width = 0, 0
    for drawn in 1000 * dice.standard_normal((runs, len(pairs), count)):
        told = {
            pair: (SKILLS[pair[0]] - SKILLS[pair[1]] + own).tolist() for pair, own in zip(pairs, drawn, strict=True)
        }
        intervals = rank_intervals(model_of(told, "abcd"), test)
        for rank, name in enumerate(SKILLS, start=1):
            low, high = intervals[name]
            held += low <= rank <= high
            width += high - low + 1
    assert held / runs / 4 >= 0.95
    assert width / runs / 4 < 3  # they are not all of the table


@pytest.mark.slow
def test_they_hold_although_a_run_stops_when_somebody_seems_to_be_first():
    """Four equals, one look after every ten seed pairs, stopped at the first rank that is not the whole table."""
    dice = np.random.RandomState(15)
    runs, looks = 120, 12
    wrong = 0
    for _ in range(runs):
        model = MarginModel("abcd")
        for _ in range(looks):
            for one, two in combinations("abcd", 2):
                model.add((one, two), (1000 * dice.standard_normal(10)).tolist())
            if any(found != (1, 4) for found in rank_intervals(model, TESTS[0]).values()):
                wrong += 1
                break
    # Each interval is wrong in at most 5% of runs; that any of the four is wrong, in at most 20%.
    assert wrong / runs <= 0.2


def test_those_of_the_clear_are_single_ranks():
    values = {("a", "b"): [3000.0] * 30, ("a", "c"): [9000.0] * 30, ("b", "c"): [4000.0] * 30}
    assert rank_intervals(model_of(values), TESTS[0]) == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}


def test_those_apart_have_none():
    values = {("a", "b"): [3000.0] * 30, ("a", "c"): [9000.0] * 30, ("b", "c"): [4000.0] * 30}
    assert rank_intervals(model_of(values), TESTS[0], apart=["b"]) == {"a": (1, 1), "c": (2, 2)}


def possible_ranks(model, names):
    """Return every rank that somebody may have, the margins of those who met being their means, by brute force."""
    unmet = [pair for pair in combinations(names, 2) if not model.count(*pair)]
    known = {pair: model.margin(*pair).mean for pair in combinations(names, 2)}
    grid = [*range(-6000, 6001, 300), -(10**6), 10**6]
    found = {name: set() for name in names}
    for drawn in product(grid, repeat=len(unmet)):
        strength = dict.fromkeys(names, 0.0)
        for (one, two), won in {**known, **dict(zip(unmet, drawn, strict=True))}.items():
            for name, other, sign in ((one, two, 1), (two, one, -1)):
                if other not in model.anchors:
                    strength[name] += sign * won
        order = sorted(names, key=lambda name: -strength[name])
        for name in names:
            found[name].add(1 + order.index(name))
    return found


@pytest.mark.parametrize("anchors", ["", "d"])
@pytest.mark.parametrize(
    "gaps", list(combinations(combinations("abcd", 2), 2)) + [(pair,) for pair in combinations("abcd", 2)]
)
def test_they_hold_every_rank_that_games_not_played_could_give(gaps, anchors):
    skills = {"a": 1000.0, "b": 430.0, "c": 90.0, "d": -350.0}
    told = {
        (one, two): [skills[one] - skills[two] + own for own in (-1.0, 0.0, 1.0)] * 20
        for one, two in combinations(skills, 2)
        if (one, two) not in gaps
    }
    model = model_of(told, "abcd", anchors=anchors)
    found = rank_intervals(model, TESTS[0])
    for name, ranks in possible_ranks(model, "abcd").items():
        assert found[name][0] <= min(ranks)
        assert found[name][1] >= max(ranks)


def test_among_many_who_has_not_played_may_be_anywhere():
    names = [f"p{number}" for number in range(60)]
    model = MarginModel(names)
    model.add(("p0", "p1"), [100.0, 200.0, 300.0])
    assert {*rank_intervals(model, TESTS[0]).values()} == {(1, 60)}


@pytest.mark.parametrize("familywise", [False, True])
@pytest.mark.parametrize("test", TESTS)
def test_ranks_are_never_surely_apart_where_the_verdict_is_open(test, familywise):
    dice = np.random.RandomState(18)
    skills = dict(zip("abcde", (900.0, 450.0, 0.0, -450.0, -460.0), strict=True))
    apart = 0
    for drawn in 1000 * dice.standard_normal((60, 10, 25)):
        told = {
            pair: (skills[pair[0]] - skills[pair[1]] + own).tolist()
            for pair, own in zip(combinations(skills, 2), drawn, strict=True)
        }
        model = model_of(told, "abcde")
        ranks = rank_intervals(model, test, familywise=familywise)
        for each in Judge(test, 0.05, familywise).neighbours(model):
            if ranks[each.above][1] < ranks[each.below][0]:
                apart += 1
                assert each.kind == "ordered"
    assert apart > 20, "or this test shows nothing"
