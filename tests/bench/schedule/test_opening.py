"""The opening: before a matchmaker may choose, everybody plays in turn."""

from itertools import combinations

import msgspec
import pytest

from molt_bench.bench.schedule.matchmakers import matchmaker_named
from molt_bench.bench.schedule.meeting_counts import Meetings, circle_order
from molt_bench.bench.schedule.round_choice import choose_round
from tests.bench.schedule.situations import pairs_of, situation


class TestOpening:
    """Before a matchmaker may choose, everybody plays in turn."""

    POLICIES = ("uncertainty_overlap", "information_gain", "round_robin", "adjacent_pairs", "thompson")

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
    def test_the_circle_has_every_pair_once_and_everybody_in_each_round(self, count):
        order = circle_order([*range(count)])
        assert sorted(order) == list(combinations(range(count), 2))
        size = count // 2
        for start in range(0, len(order), size):
            assert len({name for pair in order[start : start + size] for name in pair}) == 2 * size

    @pytest.mark.parametrize("count", range(2, 32))
    def test_the_first_matches_of_the_circle_connect_everybody(self, count):
        order = circle_order([*range(count)])
        for length in range(count - 1, len(order) + 1):
            assert Meetings({**dict.fromkeys(order, 0), **dict.fromkeys(order[:length], 1)}).connected

    @pytest.mark.parametrize("policy", POLICIES)
    def test_every_policy_opens_by_the_circle(self, policy):
        order = circle_order([*range(7)])
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
    def test_however_many_play_at_once_nobody_plays_twice_before_all_have_played(self, count, matches):
        rounds = self.opened(count, rounds=-(-(count - 1) // matches), matches=matches)
        played = [pair for pairs in rounds for pair in pairs]
        met = {**dict.fromkeys(combinations(range(count), 2), 0), **dict.fromkeys(played[: count - 1], 1)}
        assert Meetings(met).connected
        first = rounds[0][: count // 2]
        assert len({name for pair in first for name in pair}) == 2 * len(first)

    def test_the_circle_goes_round_until_all_have_met_often_enough(self):
        order = circle_order([*range(6)])
        assert self.opened(6, rounds=30, min_meetings=2) == [[pair] for pair in [*order, *order]]

    def test_pairs_without_cards_are_left_out_and_the_others_still_connect_all(self):
        """As with a seed file that has blocks for the first pairs only."""

        def allowed(pair, meeting):
            return pair[0] == "p00" and meeting == 0

        assert sorted(self.opened(6, rounds=6, allowed=allowed)) == [[], *[[(0, other)] for other in range(1, 6)]]

    def test_no_rematch_at_once_where_the_circle_begins_again(self):
        window = 4
        played = [pair for (pair,) in self.opened(5, rounds=30, min_meetings=3, window=window)]
        for at, pair in enumerate(played):
            assert pair not in played[max(0, at - window) : at]
