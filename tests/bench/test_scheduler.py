"""Who plays next."""

import pytest

from molt_bench.bench.scheduler import (
    Situation,
    adjacent_pairs,
    all_pairs,
    choose_round,
    policy_named,
    register_policy,
    round_robin,
    thompson,
    uncertainty_overlap,
)
from molt_bench.errors import ConfigError


def situation(mu, sigma=None, meetings=None, confidence=None, **more):
    names = list(mu)
    pairs = all_pairs(names)
    return Situation(
        ranking=tuple(sorted(names, key=lambda name: -mu[name])),
        mu=mu,
        sigma=sigma or dict.fromkeys(names, 5.0),
        meetings=meetings or dict.fromkeys(pairs, 1),
        confidence=confidence or dict.fromkeys(pairs, 0.5),
        **more,
    )


LADDER = {"a": 30.0, "b": 29.0, "c": 20.0, "d": 10.0}


class TestUncertaintyOverlap:
    def test_at_exploration_0_the_closest_pair_comes_first(self):
        spot = situation(LADDER, exploration=0)
        assert uncertainty_overlap(spot, all_pairs([*LADDER]))[0] == ("a", "b")

    def test_at_exploration_1_the_most_uncertain_pair_comes_first(self):
        spot = situation(LADDER, sigma={"a": 1, "b": 2, "c": 7, "d": 8}, exploration=1)
        assert uncertainty_overlap(spot, all_pairs([*LADDER]))[0] == ("c", "d")

    def test_both_terms_weigh_the_same_at_one_half_whatever_their_scale(self):
        """Multiplying all beliefs by a hundred changes nothing."""
        sigma = {"a": 3.0, "b": 1.0, "c": 2.0, "d": 4.0}
        small = situation(LADDER, sigma=sigma)
        large = situation({n: 100 * m for n, m in LADDER.items()}, sigma={n: 100 * s for n, s in sigma.items()})
        pairs = all_pairs([*LADDER])
        assert uncertainty_overlap(small, pairs) == uncertainty_overlap(large, pairs)

    def test_identical_beliefs_are_no_division_by_zero(self):
        spot = situation({"a": 25.0, "b": 25.0}, sigma={"a": 0.0, "b": 0.0})
        assert uncertainty_overlap(spot, [("a", "b")]) == [("a", "b")]


def test_round_robin_gives_every_pair_its_turn():
    meetings = dict.fromkeys(all_pairs([*LADDER]), 2) | {("a", "d"): 1}
    assert round_robin(situation(LADDER, meetings=meetings), all_pairs([*LADDER]))[0] == ("a", "d")


def test_adjacent_pairs_prefers_neighbours_whose_order_is_least_sure():
    confidence = dict.fromkeys(all_pairs([*LADDER]), 0.5) | {("a", "b"): 0.9, ("b", "c"): 0.7, ("c", "d"): 0.8}
    order = adjacent_pairs(situation(LADDER, confidence=confidence), all_pairs([*LADDER]))
    assert order[:3] == [("b", "c"), ("c", "d"), ("a", "b")]


def test_thompson_draws_from_the_beliefs_and_is_the_same_in_every_run():
    pairs = all_pairs([*LADDER])
    firsts = [thompson(situation(LADDER, matches=number), pairs)[0] for number in range(200)]
    assert firsts == [thompson(situation(LADDER, matches=number), pairs)[0] for number in range(200)]
    assert firsts.count(("a", "b")) > firsts.count(("a", "d"))
    assert len({*firsts}) > 3


class TestChooseRound:
    def choose(self, spot, **options):
        return choose_round(uncertainty_overlap, spot, **{"matches": 1, **options})

    def test_first_everybody_is_connected(self):
        """Six participants take five matches before the policy may choose a pair that is connected already."""
        names = [*"abcdef"]
        meetings = dict.fromkeys(all_pairs(names), 0)
        for _ in range(5):
            (pair,) = self.choose(situation(dict.fromkeys(names, 25.0), meetings=meetings))
            meetings[pair] += 1
        connected = {"a"}
        for _ in names:
            connected |= {n for pair, met in meetings.items() if met for n in pair if {*pair} & connected}
        assert connected == {*names}
        assert max(meetings.values()) == 1

    def test_a_round_has_different_pairs(self):
        pairs = self.choose(situation(LADDER), matches=4)
        assert len({*pairs}) == 4

    def test_a_round_cannot_have_more_matches_than_there_are_pairs(self):
        assert len(self.choose(situation(LADDER), matches=100)) == 6

    def test_a_round_of_many_connects_everybody_at_once(self):
        names = [*"abcd"]
        spot = situation(dict.fromkeys(names, 25.0), meetings=dict.fromkeys(all_pairs(names), 0))
        pairs = self.choose(spot, matches=3)
        assert {name for pair in pairs for name in pair} == {*names}

    def test_settled_pairs_are_left_alone(self):
        confidence = dict.fromkeys(all_pairs([*LADDER]), 0.99) | {("a", "d"): 0.6}
        assert self.choose(situation(LADDER, confidence=confidence), threshold=0.95) == [("a", "d")]

    def test_also_in_a_round_of_several_matches(self):
        confidence = dict.fromkeys(all_pairs([*LADDER]), 0.99) | {("a", "d"): 0.6, ("b", "c"): 0.7}
        pairs = self.choose(situation(LADDER, confidence=confidence), matches=5, threshold=0.95)
        assert {*pairs} == {("a", "d"), ("b", "c")}

    def test_but_round_robin_plays_them_on(self):
        confidence = dict.fromkeys(all_pairs([*LADDER]), 0.99) | {("a", "d"): 0.6}
        meetings = dict.fromkeys(all_pairs([*LADDER]), 3) | {("b", "c"): 2}
        spot = situation(LADDER, confidence=confidence, meetings=meetings)
        assert choose_round(round_robin, spot, matches=1, threshold=0.95) == [("b", "c")]

    def test_unless_all_are_settled(self):
        confidence = dict.fromkeys(all_pairs([*LADDER]), 0.99)
        assert self.choose(situation(LADDER, confidence=confidence), threshold=0.95)

    def test_no_immediate_rematch_where_another_pair_can_play(self):
        assert self.choose(situation(LADDER, exploration=0), recent=[("a", "b")]) != [("a", "b")]
        two = situation({"a": 25.0, "b": 25.0})
        assert self.choose(two, recent=[("a", "b")]) == [("a", "b")]

    def test_pairs_without_cards_do_not_play(self):
        assert self.choose(situation(LADDER), allowed=lambda pair: pair == ("c", "d")) == [("c", "d")]
        assert self.choose(situation(LADDER), allowed=lambda pair: False) == []


def test_a_policy_of_ones_own_is_found_by_its_name():
    def last_first(spot, pairs):
        return list(reversed(pairs))

    register_policy("last_first", last_first)
    assert policy_named("last_first") is last_first


def test_an_unknown_policy_names_those_there_are():
    with pytest.raises(
        ConfigError, match="uncertainty_overlap, information_gain, round_robin, adjacent_pairs, thompson"
    ):
        policy_named("nope")
