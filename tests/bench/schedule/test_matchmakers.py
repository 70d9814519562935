"""The matchmakers: whom each of them would see play next."""

import pytest

from molt_bench.bench.schedule.adjacent_pairs import adjacent_pairs
from molt_bench.bench.schedule.information_gain import information_gain
from molt_bench.bench.schedule.matchmakers import matchmaker_named, register_matchmaker
from molt_bench.bench.schedule.round_choice import choose_round
from molt_bench.bench.schedule.round_robin import round_robin
from molt_bench.bench.schedule.situation import Contrast, Situation
from molt_bench.bench.schedule.thompson import thompson
from molt_bench.bench.schedule.uncertainty_overlap import uncertainty_overlap
from molt_bench.errors import ConfigError
from tests.bench.schedule.situations import LADDER, pairs_of, situation


class TestUncertaintyOverlap:
    def test_at_exploration_0_the_closest_pair_comes_first(self):
        spot = situation(LADDER, exploration=0)
        assert uncertainty_overlap(spot, pairs_of(LADDER))[0] == ("a", "b")

    def test_at_exploration_1_the_most_uncertain_pair_comes_first(self):
        spot = situation(LADDER, sigma={"a": 1, "b": 2, "c": 7, "d": 8}, exploration=1)
        assert uncertainty_overlap(spot, pairs_of(LADDER))[0] == ("c", "d")

    def test_both_terms_weigh_the_same_at_one_half_whatever_their_scale(self):
        """Multiplying all beliefs by a hundred changes nothing."""
        sigma = {"a": 3.0, "b": 1.0, "c": 2.0, "d": 4.0}
        small = situation(LADDER, sigma=sigma)
        large = situation({n: 100 * m for n, m in LADDER.items()}, sigma={n: 100 * s for n, s in sigma.items()})
        pairs = pairs_of(LADDER)
        assert uncertainty_overlap(small, pairs) == uncertainty_overlap(large, pairs)

    def test_identical_beliefs_are_no_division_by_zero(self):
        spot = situation({"a": 25.0, "b": 25.0}, sigma={"a": 0.0, "b": 0.0})
        assert uncertainty_overlap(spot, [("a", "b")]) == [("a", "b")]


def test_round_robin_gives_every_pair_its_turn():
    meetings = dict.fromkeys(pairs_of(LADDER), 2) | {("a", "d"): 1}
    assert round_robin(situation(LADDER, meetings=meetings), pairs_of(LADDER))[0] == ("a", "d")


def test_adjacent_pairs_prefers_neighbours_whose_order_is_least_sure():
    confidence = dict.fromkeys(pairs_of(LADDER), 0.5) | {("a", "b"): 0.9, ("b", "c"): 0.7, ("c", "d"): 0.8}
    order = adjacent_pairs(situation(LADDER, confidence=confidence), pairs_of(LADDER))
    assert order[:3] == [("b", "c"), ("c", "d"), ("a", "b")]


def test_thompson_draws_from_the_beliefs_and_is_the_same_in_every_run():
    pairs = pairs_of(LADDER)
    firsts = [thompson(situation(LADDER, matches=number), pairs)[0] for number in range(200)]
    assert firsts == [thompson(situation(LADDER, matches=number), pairs)[0] for number in range(200)]
    assert firsts.count(("a", "b")) > firsts.count(("a", "d"))
    assert len({*firsts}) > 3


def a_situation(**fields):
    pairs = pairs_of("abc")
    base = {
        "ranking": ("a", "b", "c"),
        "mu": dict.fromkeys("abc", 0.0),
        "sigma": dict.fromkeys("abc", 1.0),
        "meetings": dict.fromkeys(pairs, 2),
        "confidence": dict.fromkeys(pairs, 0.5),
        "variance": dict.fromkeys(pairs, 100.0),
        "seeds_per_match": 5,
    }
    return Situation(**{**base, **fields})


class TestInformationGain:
    WEIGHTS = {("a", "b"): 1.0, ("a", "c"): 0.5, ("b", "c"): -0.5}  # noqa: RUF012 - never changed

    def test_the_pair_that_tells_most_comes_first(self):
        spot = a_situation(contrasts=(Contrast(self.WEIGHTS, 1.0),))
        assert information_gain(spot, pairs_of("abc"))[0] == ("a", "b")

    def test_a_pair_that_is_known_well_tells_little_more(self):
        meetings = {("a", "b"): 40, ("a", "c"): 2, ("b", "c"): 3}
        spot = a_situation(contrasts=(Contrast(self.WEIGHTS, 1.0),), meetings=meetings)
        assert information_gain(spot, pairs_of("abc")) == [("a", "c"), ("b", "c"), ("a", "b")]

    def test_what_is_dear_has_to_tell_more(self):
        cost = {("a", "b"): 100.0}
        spot = a_situation(contrasts=(Contrast(self.WEIGHTS, 1.0),), cost=cost)
        assert information_gain(spot, pairs_of("abc"))[-1] == ("a", "b")

    def test_a_whole_round_is_planned_at_once(self):
        """After the best pair is taken, the next best is, and not the same again."""
        spot = a_situation(contrasts=(Contrast(self.WEIGHTS, 1.0),))
        assert choose_round(information_gain, spot, matches=2) == [("a", "b"), ("a", "c")]


def test_every_pairing_gets_its_minimum_first():
    meetings = {("a", "b"): 3, ("a", "c"): 1, ("b", "c"): 2}
    spot = a_situation(meetings=meetings, min_meetings=2)
    assert choose_round(information_gain, spot, matches=1) == [("a", "c")]


def test_a_matchmaker_of_ones_own_is_found_by_its_name():
    def last_first(spot, pairs):
        return list(reversed(pairs))

    register_matchmaker("last_first", last_first)
    assert matchmaker_named("last_first") is last_first


def test_an_unknown_matchmaker_names_those_there_are():
    with pytest.raises(
        ConfigError, match="uncertainty_overlap, information_gain, round_robin, adjacent_pairs, thompson"
    ):
        matchmaker_named("nope")
