"""The gauntlet: everybody plays the yardstick alone."""

from molt_bench.bench.schedule.matchmakers import matchmaker_named
from molt_bench.bench.schedule.round_choice import choose_round
from molt_bench.config.loader import load_config
from tests.bench.schedule.situations import LADDER, situation


class TestGauntlet:
    """Everybody plays a; c and d are the only neighbours whose order is open."""

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
        config = {"participants": ["random", "tight", "maniac"], "scheduler": {"reference": "tight"}}
        assert load_config(config).pairings() == [("random", "tight"), ("tight", "maniac")]

    def test_everybody_meets_the_reference_first(self):
        assert self.round_of(2, meetings={("a", "e"): 0, ("a", "b"): 0}) == [("a", "b"), ("a", "e")]

    def test_a_round_has_no_match_that_decides_nothing(self):
        assert self.round_of(4) == [("a", "c"), ("a", "d")]

    def test_a_rematch_is_better_than_a_match_that_decides_nothing(self):
        assert self.round_of(1, told=[("a", "e")], recent=[("a", "e")]) == [("a", "e")]
        assert self.round_of(1, recent=[("a", "c")]) == [("a", "d")]

    def test_where_nothing_is_open_all_play_alike(self):
        assert {*self.round_of(4, told=())} == {*self.PAIRS}
