"""The pairings of a round."""

from molt_bench.bench.schedule.matchmakers import information_gain, round_robin, uncertainty_overlap
from molt_bench.bench.schedule.round_choice import choose_round
from tests.bench.schedule.situations import LADDER, pairs_of, situation


class TestChooseRound:
    def choose(self, spot, **options):
        return choose_round(uncertainty_overlap, spot, **{"matches": 1, **options})

    def test_first_everybody_is_connected(self):
        """Six participants take five matches before the policy may choose a pair that is connected already."""
        names = [*"abcdef"]
        meetings = dict.fromkeys(pairs_of(names), 0)
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
        spot = situation(dict.fromkeys(names, 25.0), meetings=dict.fromkeys(pairs_of(names), 0))
        pairs = self.choose(spot, matches=3)
        assert {name for pair in pairs for name in pair} == {*names}

    def test_settled_pairs_are_left_alone(self):
        confidence = dict.fromkeys(pairs_of(LADDER), 0.99) | {("a", "d"): 0.6}
        assert self.choose(situation(LADDER, confidence=confidence), threshold=0.95) == [("a", "d")]

    def test_also_in_a_round_of_several_matches(self):
        confidence = dict.fromkeys(pairs_of(LADDER), 0.99) | {("a", "d"): 0.6, ("b", "c"): 0.7}
        pairs = self.choose(situation(LADDER, confidence=confidence), matches=5, threshold=0.95)
        assert {*pairs} == {("a", "d"), ("b", "c")}

    def test_but_round_robin_plays_them_on(self):
        confidence = dict.fromkeys(pairs_of(LADDER), 0.99) | {("a", "d"): 0.6}
        meetings = dict.fromkeys(pairs_of(LADDER), 3) | {("b", "c"): 2}
        spot = situation(LADDER, confidence=confidence, meetings=meetings)
        assert choose_round(round_robin, spot, matches=1, threshold=0.95) == [("b", "c")]

    def test_unless_all_are_settled(self):
        confidence = dict.fromkeys(pairs_of(LADDER), 0.99)
        assert self.choose(situation(LADDER, confidence=confidence), threshold=0.95)

    def test_no_immediate_rematch_where_another_pair_can_play(self):
        assert self.choose(situation(LADDER, exploration=0), recent=[("a", "b")]) != [("a", "b")]
        two = situation({"a": 25.0, "b": 25.0})
        assert self.choose(two, recent=[("a", "b")]) == [("a", "b")]

    def test_pairs_without_cards_do_not_play(self):
        assert self.choose(situation(LADDER), allowed=lambda pair: pair == ("c", "d")) == [("c", "d")]
        assert self.choose(situation(LADDER), allowed=lambda pair: False) == []


def test_what_matches_tell_is_not_worked_out_while_everybody_meets_everybody():
    asked = []

    def spot(met):
        meetings = dict.fromkeys(pairs_of(LADDER), met)
        return situation(LADDER, meetings=meetings, min_meetings=1, telling=lambda: asked.append(1) or [("a", "b")])

    assert choose_round(information_gain, spot(0), matches=1) == [("a", "b")]
    assert not asked
    assert choose_round(information_gain, spot(1), matches=1) == [("a", "b")]
    assert asked == [1]
