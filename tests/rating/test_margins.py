"""The margin model: results and leads by hand, their errors, and what anchors, gauntlets and missing games do."""

from functools import partial
from itertools import combinations
from math import inf, isinf, sqrt
from time import thread_time

import numpy as np
import pytest

from molt_bench.rating.boundary import Boundary
from molt_bench.rating.margins import MarginSums
from molt_bench.rating.model import MarginModel
from molt_bench.rating.verdicts import Judge

JUDGE = Judge(Boundary(0.05, 250.0, 10))


def model_of(margins, names="abc", **options):
    model = MarginModel(names, **options)
    for pair, values in margins.items():
        model.add(pair, list(values))
    return model


def drawn(names="abcd", count=40, seed=3):
    dice = np.random.default_rng(seed)
    return {pair: dice.normal(100, 1000, count).tolist() for pair in combinations(names, 2)}


def test_a_margin_is_a_mean_and_turns_with_the_pair():
    model = model_of({("a", "b"): [100.0, 300.0], ("c", "a"): [50.0]})
    assert (model.margin("a", "b"), model.margin("b", "a")) == (200.0, -200.0)
    assert (model.margin("a", "c"), model.count("a", "c")) == (-50.0, 1)


def test_a_result_is_the_mean_over_the_others_and_a_lead_counts_oneself():
    model = model_of({("a", "b"): [300.0] * 3, ("a", "c"): [600.0] * 3, ("b", "c"): [-90.0] * 3})
    results = JUDGE.results(model)
    assert [results[name].mean for name in "abc"] == pytest.approx([450, -195, -255])
    assert model.lead("a", "b") == pytest.approx((300 + 600) / 3 - (-300 - 90) / 3)
    assert model.ranking() == ("a", "b", "c")


def test_between_two_the_lead_is_their_margin():
    model = model_of({("a", "b"): [5.0, 8.0, 1.0]}, "ab")
    (lead,) = JUDGE.verdicts(model, [("a", "b")])
    (margin,) = JUDGE.head_to_head(model)
    assert (lead.lead, lead.half_width, lead.sure) == pytest.approx((margin.lead, margin.half_width, margin.sure))


@pytest.mark.parametrize("anchors", ["", "d", "cd"])
def test_the_error_of_a_lead_is_that_of_the_sum_over_its_pairings(anchors):
    model = model_of(drawn(), "abcd", anchors=anchors)
    share = model.sums.field
    for one, two in combinations(range(4), 2):
        variance = 0.0
        for pair in combinations(range(4), 2):
            weight = sum(
                sign * side * share[other]
                for name, sign in ((one, 1), (two, -1))
                for side, own, other in ((1, *pair), (-1, *pair[::-1]))
                if own == name
            )
            variance += weight**2 * model.sums.variances()[0][pair] / 40
        known = model.sums.leads(np.array([one]), np.array([two]))
        assert known.unit[0, 0] / sqrt(40) == pytest.approx(sqrt(variance))
        assert sqrt(variance) <= known.error[0, 0] < 1.2 * sqrt(variance)  # a little wider, for skewness


def test_moments_are_those_of_all_margins_however_they_came():
    values = np.random.default_rng(1).exponential(1000, 57)
    whole, parts = MarginModel("ab"), MarginModel("ab")
    whole.add(("a", "b"), values.tolist())
    for part in np.split(values, [1, 2, 30]):
        parts.add(("b", "a"), (-part).tolist())
    off = values - values.mean()
    for model in (whole, parts):
        assert model.of_pair(model.sums.squares, ("a", "b")) == pytest.approx((off**2).sum())
        assert model.of_pair(model.sums.cubes, ("b", "a")) == pytest.approx(-(off**3).sum())
        assert model.own_variance("a", "b") == pytest.approx(values.var(ddof=1))


def test_the_same_in_every_run_that_is_simulated_at_once():
    many, dice = MarginSums(3, hands=100, runs=5), np.random.default_rng(2)
    played = [(at % 3, (at + 1) % 3, dice.normal(0, 900, (5, 10))) for at in range(12)]
    for one, two, margins in played:
        many.add(np.full(5, one), np.full(5, two), margins)
    many.keep(np.array([False, False, True, False, True]))
    alone = MarginSums(3, hands=100)
    for one, two, margins in played:
        alone.add(np.array([one]), np.array([two]), margins[2:3])
    pairs = np.array([0, 0, 1]), np.array([1, 2, 2])
    for all_, own in zip(many.leads(*pairs), alone.leads(*pairs), strict=True):
        assert all_[0] == pytest.approx(own[0], rel=1e-12)


def test_an_interval_is_unbounded_where_an_opponent_was_never_met():
    model = model_of({("a", "b"): [1.0, 2.0]})
    assert JUDGE.results(model)["a"].half_width == inf
    assert JUDGE.results(model)["a"].mean == 1.5
    assert JUDGE.results(model)["c"].mean == -inf
    assert [each.known for each in JUDGE.neighbours(model, "abc")] == [False, False]
    (margin,) = JUDGE.head_to_head(model)
    assert margin.known


def test_anchors_are_compared_with_the_field_and_change_nobody_elses_result():
    margins = drawn()
    plain, anchored = model_of(margins, "abcd", anchors="d"), MarginModel("abc")
    for pair in combinations("abc", 2):
        anchored.add(pair, margins[pair])
    assert plain.field_of("a") == ("b", "c")
    assert plain.field_of("d") == ("a", "b", "c")
    assert model_of(margins, "abcd", anchors="cd").field_of("a") == ("b",), "two are enough"
    for name in "abc":
        assert JUDGE.results(plain)[name].mean == pytest.approx(JUDGE.results(anchored)[name].mean)


def test_who_leaves_is_out_of_the_field_from_then_on():
    margins = drawn()
    left, anchored = model_of(margins, "abcd"), model_of(margins, "abcd", anchors="c")
    left.leave_out("c")
    assert JUDGE.results(left) == JUDGE.results(anchored)


def test_where_fewer_than_two_would_be_in_the_field_all_are():
    model = model_of({("a", "b"): [100.0, 200.0]}, "ab", anchors="b")
    assert JUDGE.results(model)["a"].mean == 150.0
    assert model.lead("a", "b") == 150.0


class TestGauntlet:
    """Everybody has played b, the yardstick, alone."""

    def model(self, **options):
        margins = {("a", "b"): [300.0, 500.0, 100.0], ("b", "c"): [200.0, 100.0, 0.0], ("b", "d"): [-50.0, 50.0]}
        return model_of(margins, "abcd", yardstick="b", **options)

    def test_a_result_is_the_margin_against_the_yardstick_which_stands_at_0(self):
        model = self.model()
        results = JUDGE.results(model)
        assert [results[name].mean for name in "abcd"] == [300.0, 0.0, -100.0, 0.0]
        assert results["b"].half_width == 0.0
        assert [model.field_of(name) for name in "ab"] == [("b",), ()]
        assert model.ranking() == ("a", "b", "d", "c")

    def test_a_lead_is_a_difference_of_margins_against_the_yardstick(self):
        model = self.model()
        assert model.lead("a", "c") == pytest.approx(300 + 100)
        units = model.sums.leads(*model.numbers([("a", "b"), ("b", "c"), ("a", "c")])).unit[0]
        assert units[2] ** 2 == pytest.approx(units[0] ** 2 + units[1] ** 2)

    def test_anchors_change_nothing(self):
        assert JUDGE.results(self.model(anchors="b")) == JUDGE.results(self.model())

    def test_only_pairs_with_the_yardstick_play(self):
        assert self.model().pairs == [("a", "b"), ("b", "c"), ("b", "d")]


def test_who_plays_next_is_whose_match_takes_most_off_an_open_lead():
    model = model_of({pair: [0.0, 100.0] * 10 for pair in combinations("abc", 2)})
    saved = model.sums.saved(np.array([0]), np.array([1]), np.ones((1, 1)), 10)[0]
    assert saved[0, 1] == pytest.approx(4 * saved[0, 2])
    assert saved[0, 2] == pytest.approx(saved[1, 2])
    nobody = model.sums.saved(np.array([], int), np.array([], int), np.ones((1, 0)), 10)
    assert not nobody.any()


def variance_of(model, *pair):
    return model.of_pair(model.sums.variances(), pair)


def test_one_who_threw_in_once_is_known_less_well_than_another_who_never_did():
    """A pairing's variance goes by others of the two, the more so the more skewed they are."""
    calm = {pair: [0.0, 100.0] * 10 for pair in combinations("abcd", 2)}
    thrown = {**calm, ("c", "d"): [*calm["c", "d"][:-1], 20_000.0]}
    before, after = (partial(variance_of, model_of(each, "abcd")) for each in (calm, thrown))
    assert after("a", "b") < 1.1 * before("a", "b")
    assert after("a", "d") > 2 * before("a", "d")


def test_what_has_not_been_seen_counts_less_with_every_hand():
    """Quiet play is known no better than a stack in all hands played, however little it varies."""
    errors = []
    for count in (10, 100):
        model = model_of({("a", "b"): [0.0, 10.0] * (count // 2)}, "ab")
        errors.append(float(model.sums.leads(np.array([0]), np.array([1])).error[0, 0]))
    assert errors[0] > 100_000 / 1_000
    assert errors[1] < errors[0] / 5


def test_where_losses_are_rare_the_truth_may_lie_farther_below_than_above():
    rare = (1000 - np.random.default_rng(6).exponential(1000, 60)).tolist()
    heads_up = model_of({("a", "b"): rare}, "ab").sums
    known = heads_up.leads(np.array([0, 1]), np.array([1, 0]))
    assert known.down[0, 0] > 1.15 * known.up[0, 0]
    assert (known.down[0, 0], known.up[0, 0]) == pytest.approx((known.up[0, 1], known.down[0, 1]))
    for alone in (heads_up.between(np.array([0]), np.array([1])), heads_up.results()):
        assert (alone.down[0, 0], alone.up[0, 0]) == pytest.approx((known.down[0, 0], known.up[0, 0]))
    even = drawn("bcd", 60)
    among = model_of({**even, **{("a", other): rare for other in "bcd"}}, "abcd").sums
    known = among.leads(np.array([0, 1]), np.array([1, 0]))
    assert known.down[0, 0] > 1.05 * known.up[0, 0]
    assert (known.down[0, 0], known.up[0, 0]) == pytest.approx((known.up[0, 1], known.down[0, 1]))


def test_skewness_that_normal_margins_show_by_chance_hardly_widens_anything():
    dice, shape, first = np.random.default_rng(5), (500, 40), np.zeros(500, int)
    even = np.tile([-1.0, 1.0], (500, 20))
    wider = []
    for noise in (even, dice.normal(0, 1, shape), dice.exponential(1, shape)):
        sums = MarginSums(2, hands=100, runs=500)
        sums.add(first, first + 1, 1000 * noise)
        error = sums.leads(np.array([0]), np.array([1])).error[:, 0]
        wider.append(float(np.median(error / np.sqrt(sums.variances()[:, 0, 1] / 40))))
    assert wider[1] < wider[0] + 0.03
    assert wider[2] > wider[0] + 0.2


def test_neighbours_of_a_thousand_take_less_than_a_tenth_of_a_second_a_round():
    model, dice = MarginModel([f"p{at}" for at in range(1000)]), np.random.default_rng(4)
    count = np.triu(dice.integers(10, 60, (1000, 1000)), 1).astype(float)
    model.sums.count[0] = count + count.T
    model.sums.squares[0] = 1e6 * model.sums.count[0]
    JUDGE.neighbours(model, model.ranking())
    took = []
    for at in range(5):
        model.add((f"p{at}", "p999"), dice.normal(0, 1000, 10).tolist())
        start = thread_time()
        found = JUDGE.neighbours(model, model.ranking())
        took.append(thread_time() - start)
    assert len(found) == 999
    assert min(took) < 0.1


def test_no_error_is_a_number_that_is_none():
    model = model_of({pair: [100.0] * 20 for pair in combinations("abc", 2)})
    for each in JUDGE.neighbours(model, "abc"):
        assert not isinf(each.half_width)
        assert each.half_width > 0
