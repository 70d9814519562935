"""Verdicts: one interval decides what is ordered, tied or open, and says so."""

from itertools import combinations
from math import inf, sqrt

import numpy as np
import pytest

from molt_bench.bench.stop_rules import judge_of
from molt_bench.config.loader import load_config
from molt_bench.rating.boundary import WIDE, Boundary, t_of, z_of
from molt_bench.rating.cycles import significant_cycles
from molt_bench.rating.margins import Known
from molt_bench.rating.model import MarginModel
from molt_bench.rating.verdicts import Judge, Verdict

TIE = 250.0


def judge(error=0.05, tie=TIE, **options):
    return Judge(Boundary(error, tie, 10), **options)


def a_model(leads, count=20, spread=1000.0):
    """Return a model in which each pair has margins around a lead."""
    model = MarginModel(sorted({name for pair in leads for name in pair}))
    for pair, lead in leads.items():
        model.add(pair, [lead + spread * (1 if number % 2 else -1) for number in range(count)])
    return model


def known(mean, error, free=1e6, unit=1000.0):
    return Known(*(np.array([[float(each)]]) for each in (mean, error, error, free, unit, 1.0)))


def kinds(model, by):
    return [(each.above, each.below, each.kind) for each in by.neighbours(model, model.ranking())]


def test_a_clear_lead_is_an_order():
    assert kinds(a_model({("a", "b"): -2000.0}), judge()) == [("b", "a", "ordered")]


def test_a_small_lead_that_is_well_known_is_a_tie():
    assert kinds(a_model({("a", "b"): 20.0}, count=400), judge()) == [("a", "b", "tied")]


def test_what_is_between_is_open():
    assert kinds(a_model({("a", "b"): 300.0}, count=10), judge()) == [("a", "b", "open")]


@pytest.mark.parametrize("lead", [0.0, 60.0, 140.0, 250.0, 290.0, 400.0, 900.0])
@pytest.mark.parametrize("count", [10, 40, 160, 640])
def test_what_is_printed_decides(lead, count):
    (found,) = judge().verdicts(a_model({("a", "b"): lead}, count=count), [("a", "b")])
    low, high = found.lead - found.half_width, found.lead + found.half_width
    assert (found.kind == "ordered") == (low > 0)
    assert (found.kind == "tied") == (low <= 0 and low >= -WIDE * TIE and high <= WIDE * TIE)
    assert (found.sure >= 0.95) == (found.kind != "open")


@pytest.mark.parametrize("lead", [20.0, 180.0, 320.0, 700.0])
def test_sure_is_the_largest_threshold_at_which_the_rule_would_claim(lead):
    model = a_model({("a", "b"): lead}, count=60)
    (found,) = judge().verdicts(model, [("a", "b")])
    for off, claimed in ((-1e-6, True), (1e-6, False)):
        if 0.5 < found.sure < 1 - 1e-5:
            (again,) = judge(error=1 - found.sure - off).verdicts(model, [("a", "b")])
            assert (again.kind != "open") == claimed


def test_the_bar_rises_with_the_threshold_and_with_how_far_the_tie_is_away():
    bars = [Boundary(error, TIE, 10).bars(known(0, 100))[0, 0] for error in (0.2, 0.1, 0.05, 0.01)]
    assert bars == sorted(bars)
    far = [Boundary(0.05, tie, 10).bars(known(0, 100))[0, 0] for tie in (250.0, 25.0, 2.5)]
    assert far == sorted(far)
    assert far[0] < far[2]


def test_the_bar_is_the_same_at_every_look_until_nothing_can_be_open():
    bars = [Boundary(0.05, TIE, 10).bars(known(0, error))[0, 0] for error in (300, 150, 80, 63)]
    assert bars == pytest.approx([bars[0]] * 4)
    assert 0.625 * TIE / bars[0] < 80  # within this, every lead is an order or a tie
    assert Boundary(0.05, TIE, 10).bars(known(0, 10))[0, 0] > bars[0]


def test_a_lead_beyond_every_tie_has_a_lower_bar_where_only_its_order_can_be_wrong():
    for orders, lower in ((True, True), (False, False)):
        test = Boundary(0.05, TIE, 10, orders=orders)
        within, beyond = (test.bars(known(lead, 100))[0, 0] for lead in (1.2 * TIE, 1.3 * TIE))
        assert (beyond < within) == lower


@pytest.mark.parametrize(
    ("lead", "side"),
    [(0.7 * TIE, "down"), (-0.7 * TIE, "up"), (0.5 * TIE, "up"), (-0.5 * TIE, "down"), (3 * TIE, "down")],
)
def test_an_interval_is_as_wide_as_the_mistake_asks_for_that_its_claim_could_be(lead, side):
    """The truth of an order may be nearer to 0, that of a tie farther away."""
    both = known(lead, 100)._replace(down=np.array([[200.0]]))
    assert Boundary(0.05, TIE, 10).errors(both)[0, 0] == {"down": 200.0, "up": 100.0}[side]


def test_what_is_compared_with_a_limit_is_wrong_on_the_side_of_the_limit():
    both = known(-300, 100)._replace(down=np.array([[200.0]]))
    assert Boundary(0.05, TIE, 10).errors(both, -TIE)[0, 0] == 100.0
    assert Boundary(0.05, TIE, 10).errors(both, -2 * TIE)[0, 0] == 200.0


def test_t_and_z_are_each_others_inverse():
    z, free = np.array([0.5, 2.0, 3.5, 6.0]), np.array([4.0, 12.0, 80.0, 1e9])
    assert z_of(t_of(z, free), free) == pytest.approx(z)
    assert t_of(np.array([1.959964]), np.array([10.0]))[0] == pytest.approx(2.2281, rel=0.002)


def test_without_a_tie_margin_nothing_is_tied_and_the_horizon_is_the_budget():
    plain = {"stop": {"adjacentConfidence": {"tieMarginMbb": 0}, "budget": {"maxMatches": 20}}}
    more = {"stop": {"adjacentConfidence": {"tieMarginMbb": 0}, "budget": {"maxMatches": 2000}}}
    short, long = (judge_of(load_config(each)).boundary for each in (plain, more))
    assert (short.horizon, long.horizon) == (20.0, 2000.0)
    assert short.bars(known(100, 300)) < long.bars(known(100, 300))
    by = judge_of(load_config(plain))
    assert kinds(a_model({("a", "b"): 2000.0}), by) == [("a", "b", "ordered")]
    assert kinds(a_model({("a", "b"): 1.0}, count=4000), by) == [("a", "b", "open")]


def test_the_first_look_is_after_whole_matches():
    config = {"scheduler": {"minSeedPairs": 12}, "seeds": {"perMatch": 5}}
    assert judge_of(load_config(config)).boundary == Boundary(1 - 0.95, TIE, 15)


def test_familywise_shares_the_error_among_all_neighbours():
    model = a_model(dict.fromkeys(combinations("abcd", 2), 300.0), count=80)
    alone, together = judge(), judge(familywise=True)
    assert (alone.share(3), together.share(3)) == (0.05, pytest.approx(0.05 / 3))
    for one, other in zip(alone.neighbours(model, "abcd"), together.neighbours(model, "abcd"), strict=True):
        assert one.half_width < other.half_width
        assert one.sure == other.sure


def test_nobody_is_told_apart_where_no_order_is_claimed():
    dice = np.random.default_rng(18)
    skills = dict(zip("abcde", (900.0, 450.0, 0.0, -450.0, -460.0), strict=True))
    apart = 0
    for _ in range(40):
        model = MarginModel("abcde")
        for one, two in combinations(skills, 2):
            model.add((one, two), dice.normal(skills[one] - skills[two], 1000, 25).tolist())
        told = {*judge().told_apart(model, "abcde")}
        for each in judge().neighbours(model, model.ranking()):
            if (each.above, each.below) in told:
                apart += 1
                assert each.kind == "ordered"
    assert apart > 20, "or this test shows nothing"


class TestMorePlay:
    """How many times the play so far would decide what is open."""

    def test_twice_the_width_takes_four_times_the_play(self):
        assert judge().more_play([Verdict("a", "b", 400.0, 800.0, 0.6, "open")]) == pytest.approx(4)

    def test_the_closest_call_counts_whether_it_will_be_an_order_or_a_tie(self):
        tied = Verdict("b", "c", 0.0, 3 * WIDE * TIE, 0.6, "open")
        assert judge().more_play([Verdict("a", "b", 400.0, 800.0, 0.6, "open"), tied]) == pytest.approx(9)

    def test_what_is_decided_takes_no_more(self):
        assert judge().more_play([Verdict("a", "b", 400.0, 200.0, 0.99, "ordered")]) == 1

    def test_two_who_are_even_without_ties_are_never_decided(self):
        assert judge(tie=0.0).more_play([Verdict("a", "b", 0.0, 200.0, 0.5, "open")]) == inf


class TestRareLosses:
    """One who throws in a stack once in 250 hands is not tied with somebody before that has been seen."""

    @pytest.mark.parametrize("game", [5, 50])
    def test_quiet_play_alone_is_no_tie_before_enough_hands(self, game):
        hands, dice = 2 * game, np.random.default_rng(game)
        model = MarginModel("ab", hands=hands)
        model.add(("a", "b"), dice.normal(0, 1500 / sqrt(hands), 400 // hands).tolist())
        (found,) = Judge(Boundary(0.05, TIE, 10)).verdicts(model, [("a", "b")])
        assert found.kind == "open"


RPS = {("a", "b"): 800.0, ("b", "c"): 800.0, ("c", "a"): 800.0}


class TestCycles:
    def test_a_strong_cycle_is_found_from_its_first(self):
        (cycle,) = significant_cycles(a_model(RPS, count=60), judge())
        assert cycle.members == ("a", "b", "c")
        assert cycle.sure >= 1 - 0.05 / 3
        (turned,) = significant_cycles(a_model({pair[::-1]: won for pair, won in RPS.items()}, count=60), judge())
        assert turned.members == ("a", "c", "b")

    def test_one_edge_that_is_not_certain_is_enough_to_have_no_cycle(self):
        assert significant_cycles(a_model({**RPS, ("c", "a"): 30.0}, count=60), judge()) == ()

    def test_chance_makes_none(self):
        dice, found = np.random.default_rng(9), 0
        for _ in range(60):
            model = MarginModel("abcd")
            for pair in combinations("abcd", 2):
                model.add(pair, dice.normal(0, 1000, 30).tolist())
            found += bool(significant_cycles(model, judge()))
        assert found <= 2
