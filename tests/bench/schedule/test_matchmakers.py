"""The matchmakers: whom each of them would see play next."""

import pytest

from molt_bench.bench.schedule.matchmakers import (
    adjacent_pairs,
    information_gain,
    matchmaker_named,
    register_matchmaker,
    round_robin,
    thompson,
    uncertainty_overlap,
)
from molt_bench.bench.schedule.round_choice import choose_round
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


class TestInformationGain:
    TOLD = (("a", "b"), ("b", "c"), ("a", "c"))

    def spot(self, told=TOLD, meetings=None):
        return situation(dict.fromkeys("abc", 0.0), meetings=meetings, telling=told)

    def test_the_pair_that_tells_most_comes_first(self):
        assert information_gain(self.spot(), pairs_of("abc")) == [("a", "b"), ("b", "c"), ("a", "c")]

    def test_a_whole_round_is_planned_at_once(self):
        """After the best pair is taken, the next best is, and not the same again."""
        assert choose_round(information_gain, self.spot(), matches=2) == [("a", "b"), ("b", "c")]

    def test_a_pair_does_not_meet_again_at_once_where_another_tells_anything(self):
        spot = self.spot()
        assert choose_round(information_gain, spot, matches=1, recent=[("a", "b")]) == [("b", "c")]
        alone = self.spot(told=[("a", "b")])
        assert choose_round(information_gain, alone, matches=1, recent=[("a", "b")]) == [("a", "b")]

    def test_pairs_without_cards_and_those_who_left_do_not_play(self):
        found = choose_round(information_gain, self.spot(), matches=3, allowed=lambda pair: pair != ("a", "b"))
        assert found == [("b", "c"), ("a", "c")]
        stayed = self.spot(meetings={("a", "c"): 1})
        assert choose_round(information_gain, stayed, matches=3) == [("a", "c")]

    def test_where_nothing_is_open_those_play_who_have_met_least(self):
        spot = self.spot(told=(), meetings={("a", "b"): 3, ("a", "c"): 2, ("b", "c"): 3})
        assert choose_round(information_gain, spot, matches=1) == [("a", "c")]


def test_every_pairing_gets_its_minimum_first():
    meetings = {("a", "b"): 3, ("a", "c"): 1, ("b", "c"): 2}
    spot = situation(dict.fromkeys("abc", 0.0), meetings=meetings, min_meetings=2)
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
