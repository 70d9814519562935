"""The schedule: whom the opening and each matchmaker would see play next."""

from itertools import combinations

import msgspec
import pytest

from molt_bench.bench.schedule import (
    Situation,
    adjacent_pairs,
    choose_round,
    circle_order,
    information_gain,
    matchmaker_named,
    opening,
    register_matchmaker,
    round_robin,
    thompson,
    uncertainty_overlap,
)
from molt_bench.config.loader import load_config
from molt_bench.errors import ConfigError

LADDER = {"a": 30.0, "b": 29.0, "c": 20.0, "d": 10.0}
POLICIES = ("uncertainty_overlap", "information_gain", "round_robin", "adjacent_pairs", "thompson")


def pairs_of(names):
    return list(combinations(names, 2))


PAIRS = pairs_of(LADDER)


def situation(mu, sigma=None, meetings=None, confidence=None, telling=(), **more):
    """Return a situation; `telling` are the pairs whose next match tells anything, the best first."""
    names = list(mu)
    pairs = pairs_of(names)
    return Situation(
        ranking=tuple(sorted(names, key=lambda name: -mu[name])),
        mu=mu,
        sigma=sigma or dict.fromkeys(names, 5.0),
        meetings=meetings or dict.fromkeys(pairs, 1),
        confidence=lambda: confidence or dict.fromkeys(pairs, 0.5),
        telling=telling if callable(telling) else lambda: telling,
        **more,
    )


def overlapping(spot, **options):
    return choose_round(uncertainty_overlap, spot, **{"matches": 1, **options})


class TestUncertaintyOverlap:
    def test_at_exploration_0_the_closest_pair_comes_first(self):
        spot = situation(LADDER, exploration=0)
        assert uncertainty_overlap(spot, PAIRS)[0] == ("a", "b")

    def test_at_exploration_1_the_most_uncertain_pair_comes_first(self):
        spot = situation(LADDER, sigma={"a": 1, "b": 2, "c": 7, "d": 8}, exploration=1)
        assert uncertainty_overlap(spot, PAIRS)[0] == ("c", "d")

    def test_both_terms_weigh_the_same_at_one_half_whatever_their_scale(self):
        """Multiplying all beliefs by a hundred changes nothing."""
        sigma = {"a": 3.0, "b": 1.0, "c": 2.0, "d": 4.0}
        small = situation(LADDER, sigma=sigma)
        large = situation({n: 100 * m for n, m in LADDER.items()}, sigma={n: 100 * s for n, s in sigma.items()})
        assert uncertainty_overlap(small, PAIRS) == uncertainty_overlap(large, PAIRS)

    def test_identical_beliefs_are_no_division_by_zero(self):
        spot = situation({"a": 25.0, "b": 25.0}, sigma={"a": 0.0, "b": 0.0})
        assert uncertainty_overlap(spot, [("a", "b")]) == [("a", "b")]


def test_round_robin_gives_every_pair_its_turn():
    meetings = dict.fromkeys(PAIRS, 2) | {("a", "d"): 1}
    assert round_robin(situation(LADDER, meetings=meetings), PAIRS)[0] == ("a", "d")


def test_adjacent_pairs_prefers_neighbours_whose_order_is_least_sure():
    confidence = dict.fromkeys(PAIRS, 0.5) | {("a", "b"): 0.9, ("b", "c"): 0.7, ("c", "d"): 0.8}
    order = adjacent_pairs(situation(LADDER, confidence=confidence), PAIRS)
    assert order[:3] == [("b", "c"), ("c", "d"), ("a", "b")]


def test_thompson_draws_from_the_beliefs_and_is_the_same_in_every_run():
    firsts = [thompson(situation(LADDER, matches=number), PAIRS)[0] for number in range(200)]
    assert firsts == [thompson(situation(LADDER, matches=number), PAIRS)[0] for number in range(200)]
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


class TestGauntlet:
    """Everyone plays a; c and d are the only neighbours whose order is open."""

    PAIRS = tuple(("a", other) for other in "bcde")
    OPEN = (("a", "c"), ("a", "d"))

    def round_of(self, matches, told=OPEN, meetings=None, **more):
        met = {**dict.fromkeys(self.PAIRS, 3), **(meetings or {})}
        spot = situation(
            {**LADDER, "e": 5.0},
            meetings=met,
            confidence=dict.fromkeys(met, 0.9),
            telling=told,
            min_meetings=1,
        )
        return choose_round(matchmaker_named("gauntlet"), spot, matches=matches, **more)

    def test_the_pairs_are_those_of_the_reference(self):
        config = {"participants": ["tight", "random", "maniac"], "scheduler": {"policy": "gauntlet"}}
        assert load_config(config).pairings() == [("tight", "random"), ("tight", "maniac")]

    def test_everyone_meets_the_reference_first(self):
        assert self.round_of(2, meetings={("a", "e"): 0, ("a", "b"): 0}) == [("a", "b"), ("a", "e")]

    def test_whoever_stands_behind_the_reference_meets_it_too(self):
        assert list(opening({("b", "a"): 1, ("c", "a"): 1}, 2)) == [("b", "a"), ("c", "a")]

    def test_a_round_has_no_match_that_decides_nothing(self):
        assert self.round_of(4) == [("a", "c"), ("a", "d")]

    def test_a_rematch_is_better_than_a_match_that_decides_nothing(self):
        assert self.round_of(1, told=[("a", "e")], recent=[("a", "e")]) == [("a", "e")]
        assert self.round_of(1, recent=[("a", "c")]) == [("a", "d")]

    def test_where_nothing_is_open_all_play_alike(self):
        assert {*self.round_of(4, told=())} == {*self.PAIRS}


class TestChooseRound:
    def test_a_round_has_different_pairs(self):
        pairs = overlapping(situation(LADDER), matches=4)
        assert len({*pairs}) == 4

    def test_a_round_cannot_have_more_matches_than_there_are_pairs(self):
        assert len(overlapping(situation(LADDER), matches=100)) == 6

    def test_settled_pairs_are_left_alone(self):
        confidence = dict.fromkeys(PAIRS, 0.99) | {("a", "d"): 0.6}
        assert overlapping(situation(LADDER, confidence=confidence), threshold=0.95) == [("a", "d")]

    def test_also_in_a_round_of_several_matches(self):
        confidence = dict.fromkeys(PAIRS, 0.99) | {("a", "d"): 0.6, ("b", "c"): 0.7}
        pairs = overlapping(situation(LADDER, confidence=confidence), matches=5, threshold=0.95)
        assert {*pairs} == {("a", "d"), ("b", "c")}

    def test_but_round_robin_plays_them_on(self):
        confidence = dict.fromkeys(PAIRS, 0.99) | {("a", "d"): 0.6}
        meetings = dict.fromkeys(PAIRS, 3) | {("b", "c"): 2}
        spot = situation(LADDER, confidence=confidence, meetings=meetings)
        assert choose_round(round_robin, spot, matches=1, threshold=0.95) == [("b", "c")]

    def test_unless_all_are_settled(self):
        confidence = dict.fromkeys(PAIRS, 0.99)
        assert overlapping(situation(LADDER, confidence=confidence), threshold=0.95)

    def test_no_immediate_rematch_where_another_pair_can_play(self):
        assert overlapping(situation(LADDER, exploration=0), recent=[("a", "b")]) != [("a", "b")]
        two = situation({"a": 25.0, "b": 25.0})
        assert overlapping(two, recent=[("a", "b")]) == [("a", "b")]

    def test_pairs_without_cards_do_not_play(self):
        assert overlapping(situation(LADDER), allowed=lambda pair: pair == ("c", "d")) == [("c", "d")]
        assert overlapping(situation(LADDER), allowed=lambda pair: False) == []


def test_what_matches_tell_is_not_worked_out_while_everyone_meets_everyone():
    asked = []

    def spot(met):
        meetings = dict.fromkeys(PAIRS, met)
        return situation(LADDER, meetings=meetings, min_meetings=1, telling=lambda: asked.append(1) or [("a", "b")])

    assert choose_round(information_gain, spot(0), matches=1) == [("a", "b")]
    assert not asked
    assert choose_round(information_gain, spot(1), matches=1) == [("a", "b")]
    assert asked == [1]


class TestOpening:
    """Before a matchmaker may choose, everyone plays in turn."""

    def opened(self, count, *, rounds, matches=1, policy="information_gain", min_meetings=1, allowed=None, window=1):
        """Return the pairs of the first rounds, by the number of each participant."""
        names = [f"p{number:02}" for number in range(count)]
        meetings, played, found = dict.fromkeys(pairs_of(names), 0), [], []
        for _ in range(rounds):
            spot = situation(dict.fromkeys(names, 25.0), meetings=dict(meetings), min_meetings=min_meetings)
            spot = msgspec.structs.replace(spot, matches=len(played))
            more = {"allowed": lambda pair: allowed(pair, meetings[pair])} if allowed else {}
            pairs = choose_round(matchmaker_named(policy), spot, matches=matches, recent=played[-window:], **more)
            for pair in pairs:
                meetings[pair] += 1
            played += pairs
            found.append([(int(one[1:]), int(two[1:])) for one, two in pairs])
        return found

    @pytest.mark.parametrize("count", range(2, 32))
    def test_the_circle_has_every_pair_once_and_everyone_in_each_round(self, count):
        order = circle_order(tuple(range(count)))
        assert sorted(order) == list(combinations(range(count), 2))
        size = count // 2
        for start in range(0, len(order), size):
            assert len({name for pair in order[start : start + size] for name in pair}) == 2 * size

    @pytest.mark.parametrize("count", range(2, 32))
    def test_the_first_matches_of_the_circle_connect_everyone(self, count):
        left, group = circle_order(tuple(range(count)))[: count - 1], {0}
        while reached := [pair for pair in left if group.intersection(pair)]:
            group.update(*reached)
            left = [pair for pair in left if pair not in reached]
        assert group == {*range(count)}

    def test_ratings_take_no_more_of_an_opening_than_connects_everyone(self):
        met, order = dict.fromkeys(pairs_of("abcdef"), 0), circle_order(tuple("abcdef"))
        assert list(opening(met, 0)) == order[:5]
        assert list(opening(met | dict.fromkeys(order[:5], 1), 0)) == []

    @pytest.mark.parametrize("policy", POLICIES)
    def test_every_policy_opens_by_the_circle(self, policy):
        order = circle_order(tuple(range(7)))
        assert self.opened(7, rounds=21, policy=policy) == [[pair] for pair in order]

    @pytest.mark.parametrize("policy", POLICIES)
    def test_two_and_three_open_as_they_were_declared(self, policy):
        assert self.opened(2, rounds=1, policy=policy) == [[(0, 1)]]
        assert self.opened(3, rounds=3, policy=policy) == [[(0, 1)], [(0, 2)], [(1, 2)]]

    def test_thirty_in_rounds_of_fifteen_all_play_in_each(self):
        """They used to play the first one only: 20 matches of one, and none of nine others."""
        for pairs in self.opened(30, rounds=29, matches=15):
            assert sorted(name for pair in pairs for name in pair) == [*range(30)]

    @pytest.mark.parametrize("count", [4, 5, 7, 8, 13])
    @pytest.mark.parametrize("matches", [1, 2, 3, 5, 8])
    def test_however_many_play_at_once_no_one_plays_twice_before_all_have_played(self, count, matches):
        rounds = self.opened(count, rounds=-(-(count - 1) // matches), matches=matches)
        first = rounds[0][: count // 2]
        assert len({name for pair in first for name in pair}) == 2 * len(first)

    def test_the_circle_goes_round_until_all_have_met_often_enough(self):
        order = circle_order(tuple(range(6)))
        assert self.opened(6, rounds=30, min_meetings=2) == [[pair] for pair in [*order, *order]]

    def test_pairs_without_cards_are_left_out_and_the_others_still_play(self):
        """As with a seed file that has blocks for the first pairs only."""

        def allowed(pair, meeting):
            return pair[0] == "p00" and meeting == 0

        assert sorted(self.opened(6, rounds=6, allowed=allowed)) == [[], *[[(0, other)] for other in range(1, 6)]]

    def test_no_rematch_at_once_where_the_circle_begins_again(self):
        window = 4
        played = [pair for (pair,) in self.opened(5, rounds=30, min_meetings=3, window=window)]
        for at, pair in enumerate(played):
            assert pair not in played[max(0, at - window) : at]
