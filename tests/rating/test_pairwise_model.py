"""The margin model: by hand, by its symmetries, and by simulation."""

from itertools import combinations, permutations
from math import inf, isfinite, sqrt

import numpy as np
import pytest

from molt_bench.rating.gauntlet import GauntletModel
from molt_bench.rating.pair_sums import Allowances
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.student import UNKNOWN, Estimate

TRUTH = {("a", "b"): 100.0, ("a", "c"): 250.0, ("b", "c"): 90.0}


def model_of(margins, names="abc", **options):
    model = MarginModel(names, **options)
    for pair, values in margins.items():
        model.add(pair, list(values))
    return model


def noise(kind, dice, shape):
    """Return noise of mean 0 and variance 1."""
    if kind == "normal":
        return dice.standard_normal(shape)
    if kind == "t3":
        return dice.standard_t(3, shape) / sqrt(3)
    # Mostly small pots, and one seed pair in twenty with an all-in that decides it.
    rare = dice.random_sample(shape) < 0.05
    drawn = np.where(rare, dice.choice([-4.0, 4.0], shape), 0.5 * dice.standard_normal(shape))
    return drawn / sqrt(0.05 * 16 + 0.95 * 0.25)


def covers(estimate, truth):
    """Return whether the 95% interval holds the truth, without its quantile, which would take longer."""
    return 0.025 <= estimate.above(truth) <= 0.975


# Estimates


def test_an_estimate_is_students_t():
    estimate = Estimate(100.0, 50.0, 10.0)
    assert estimate.above() == pytest.approx(0.963306, abs=1e-6)  # t = 2 with 10 degrees of freedom
    assert estimate.above(100.0) == 0.5
    assert estimate.half_width() == pytest.approx(2.228139 * 50, abs=1e-4)
    assert estimate.interval() == pytest.approx((100 - 111.4069, 100 + 111.4069), abs=1e-3)
    assert estimate.within(50.0) == pytest.approx(estimate.above(-50.0) - estimate.above(50.0))
    assert estimate.within(1e9) == pytest.approx(1)


def test_an_interval_holds_what_above_says():
    estimate = Estimate(30.0, 20.0, 6.5)
    for level in (0.5, 0.9, 0.95, 0.99):
        low, high = estimate.interval(level)
        assert estimate.above(low) == pytest.approx((1 + level) / 2)
        assert estimate.above(high) == pytest.approx((1 - level) / 2)
    low, high = estimate.interval()
    assert covers(estimate, low + 1e-6)
    assert covers(estimate, high - 1e-6)
    assert not covers(estimate, low - 1e-6)
    assert not covers(estimate, high + 1e-6)


def test_what_is_not_known_is_not_known():
    assert (UNKNOWN.above(), UNKNOWN.above(1e9), UNKNOWN.within(1e9)) == (0.5, 0.5, 0.0)
    assert UNKNOWN.half_width() == inf
    assert UNKNOWN.interval() == (-inf, inf)


# By hand


def test_two_participants_by_hand():
    # The variance assumed first: (10,000 a hand)^2 / 100 hands = 1,000,000. It counts 1 / (1 + 3) of a seed pair, since
    # there are 3 degrees of freedom in all.
    # Mean (100 + 300 + 500 + 700) / 4 = 400; squares 300^2 + 100^2 + 100^2 + 300^2 = 200,000.
    # Variance: (1/4 * 1,000,000 + 200,000) / (1/4 + 3) = 138,461.5. Scale: sqrt(138,461.5 / 4) = 186.05. Free: 3.25.
    model = model_of({("a", "b"): [100.0, 300.0, 500.0, 700.0]}, "ab", hands=100)
    assert model.count("a", "b") == model.count("b", "a") == 4
    assert model.variance("a", "b") == pytest.approx(450_000 / 3.25)
    margin = model.margin("a", "b")
    assert (margin.mean, margin.scale, margin.free) == pytest.approx((400, 186.0521, 3.25), abs=1e-4)
    assert 2.776 * 186.0521 < margin.half_width() < 3.182 * 186.0521  # between those with 4 and 3 degrees of freedom
    # For two, result and lead are the margin.
    for same in (model.result("a"), model.lead("a", "b")):
        assert (same.mean, same.scale, same.free) == pytest.approx((margin.mean, margin.scale, margin.free))


def test_three_participants_by_hand():
    # Squares: 2 * 50^2 = 5,000, 2 * 100^2 = 20,000 and 0, with 1 degree of freedom each; the first guess counts 1/4.
    # The others count as 2. For a-b they are (1/4 * 1,000,000 + 20,000) / 2.25 = 120,000, so (240,000 + 5,000) / 3.
    margins = {("a", "b"): [50.0, 150.0], ("a", "c"): [300.0, 500.0], ("b", "c"): [60.0, 60.0]}
    model = model_of(margins, allows=Allowances(guarded=False))
    assert [model.variance(*pair) for pair in TRUTH] == pytest.approx([245_000 / 3, 740_000 / 9, 2_200_000 / 27])
    # The result of a: (100 + 400) / 2 = 250, a quarter of both variances over 2, two nearly equal parts with 3 each.
    result = model.result("a")
    assert (result.mean, result.scale) == pytest.approx((250, sqrt((245_000 / 3 + 740_000 / 9) / 2 / 4)))
    assert result.free == pytest.approx(6, abs=0.001)


def test_a_pair_is_drawn_towards_the_others_by_two_seed_pairs_at_most():
    # a-b varies by 900^2 and the others by 1000^2, 20 seed pairs each: 19 degrees of freedom, 57 in all.
    wide = [1000.0 * (-1) ** number for number in range(20)]
    model = model_of({("a", "b"): [each * 0.9 for each in wide], ("a", "c"): wide, ("b", "c"): wide})
    # The others: (1,000,000 / 58 + 2 * 20,000,000) / (1 / 58 + 38), and a-b (2 times that + 16,200,000) / (2 + 19).
    others = (1_000_000 / 58 + 40_000_000) / (1 / 58 + 38)
    assert model.variance("a", "b") == pytest.approx((2 * others + 16_200_000) / 21)
    assert model.margin("a", "b").free == pytest.approx(21)


def test_a_pair_that_differs_from_the_others_is_drawn_towards_them_by_less():
    wide = [1000.0 * (-1) ** number for number in range(20)]
    model = model_of({("a", "b"): [each / 10 for each in wide], ("a", "c"): wide, ("b", "c"): wide})
    weight = model.margin("a", "b").free - 19
    assert 0 < weight < 1
    assert model.variance("a", "b") < 1_000_000 / 15


def test_the_lead_is_the_difference_of_means_over_a_field_that_one_is_in():
    # a wins 0 from itself, 100 from b and 400 from c: 500 / 3. b wins -100, 0 and 60: -40 / 3. The lead is 180.
    model = model_of({("a", "b"): [100.0], ("a", "c"): [400.0], ("b", "c"): [60.0]})
    assert model.lead("a", "b").mean == pytest.approx(180)
    assert dict(model.lead_weights("a", "b")) == pytest.approx(
        {("a", "b"): 2 / 3, ("a", "c"): 1 / 3, ("b", "c"): -1 / 3}
    )


def test_where_skills_add_up_the_lead_is_the_margin():
    model = model_of({("a", "b"): [100.0], ("a", "c"): [400.0], ("b", "c"): [300.0]})
    for pair in TRUTH:
        assert model.lead(*pair).mean == pytest.approx(model.margin(*pair).mean)


def test_fewer_hands_make_what_is_assumed_wider():
    assert MarginModel("ab", hands=25).variance("a", "b") == pytest.approx(4 * MarginModel("ab").variance("a", "b"))


# Symmetries


def test_the_order_of_the_games_does_not_matter():
    dice = np.random.RandomState(1)
    games = [(pair, 1e3 * float(value)) for pair in TRUTH for value in dice.standard_t(2, 30)]
    expected = None
    for _ in range(5):
        model = MarginModel("abc")
        for at in dice.permutation(len(games)):
            pair, value = games[at]
            model.add(pair, [value])
        found = [
            *(model.margin(*pair) for pair in TRUTH),
            *(model.lead(*pair) for pair in TRUTH),
            *(model.result(name) for name in "abc"),
        ]
        expected = expected or found
        assert found == expected  # to the last bit


def test_games_may_come_one_by_one_or_together():
    values = [0.1, 0.2, 0.3, 1e6, -1e6]
    one = MarginModel("ab")
    for value in values:
        one.add(("a", "b"), [value])
    assert one.margin("a", "b") == model_of({("a", "b"): values}, "ab").margin("a", "b")


def test_it_does_not_matter_from_whose_view_it_is_told():
    dice = np.random.RandomState(2)
    values = {pair: (1e3 * dice.standard_normal(7)).tolist() for pair in TRUTH}
    one = model_of(values)
    two = model_of({(second, first): [-value for value in told] for (first, second), told in values.items()})
    for pair in TRUTH:
        assert one.margin(*pair) == two.margin(*pair)
        assert one.lead(*pair) == two.lead(*pair)


def test_what_one_wins_the_other_loses():
    model = model_of({pair: [truth, truth + 70] for pair, truth in TRUTH.items()})
    for first, second in TRUTH:
        for here, there in (
            (model.margin(first, second), model.margin(second, first)),
            (model.lead(first, second), model.lead(second, first)),
        ):
            assert there.mean == -here.mean
            assert (there.scale, there.free) == (here.scale, here.free)
            assert here.above() + there.above() == pytest.approx(1)


def test_the_results_of_all_sum_to_nothing():
    model = model_of({pair: [truth, truth + 70] for pair, truth in TRUTH.items()})
    assert sum(model.result(name).mean for name in "abc") == pytest.approx(0, abs=1e-9)


def test_a_larger_unit_changes_nothing_but_the_unit():
    one = model_of({pair: [truth, truth + 70] for pair, truth in TRUTH.items()}, hands=100)
    ten = model_of({pair: [10 * truth, 10 * truth + 700] for pair, truth in TRUTH.items()}, hands=1)
    here, there = one.result("a"), ten.result("a")
    assert (10 * here.mean, 10 * here.scale, here.free) == pytest.approx((there.mean, there.scale, there.free))


# Little evidence


def test_without_evidence_nothing_is_known():
    model = MarginModel("abc")
    assert model.margin("a", "b") == model.result("a") == model.lead("a", "c") == UNKNOWN
    assert model.result("a").above() == 0.5
    assert model.ranking() == ("a", "b", "c")


def test_a_result_is_not_known_before_all_of_its_field_was_played():
    model = model_of({("a", "b"): [100.0] * 50})
    assert model.result("a") == UNKNOWN
    assert model.lead("a", "b") == UNKNOWN
    assert isfinite(model.margin("a", "b").scale)


def test_one_seed_pair_never_has_an_interval_of_no_width():
    margin = model_of({("a", "b"): [0.0]}, "ab").margin("a", "b")
    assert isfinite(margin.scale)
    assert margin.half_width() > 1000  # what a seed pair is assumed to vary by
    assert margin.above() == 0.5


@pytest.mark.parametrize("count", [2, 10, 1000])
@pytest.mark.parametrize("value", [0.0, 250.0])
def test_seed_pairs_that_are_all_the_same_never_have_an_interval_of_no_width(count, value):
    model = model_of({pair: [value] * count for pair in TRUTH})
    for estimate in (model.margin("a", "b"), model.result("a"), model.lead("a", "c")):
        assert 0 < estimate.half_width() < inf
    assert model.variance("a", "b") > 0


def test_more_seed_pairs_make_intervals_narrower():
    dice = np.random.RandomState(3)
    values = (1e3 * dice.standard_normal(400)).tolist()
    widths = [
        model_of({("a", "b"): values[:count]}, "ab").margin("a", "b").half_width() for count in (1, 5, 25, 100, 400)
    ]
    assert widths == sorted(widths, reverse=True)


def test_a_pair_borrows_its_variance_from_the_others_and_grows_out_of_it():
    dice = np.random.RandomState(4)
    loud = (5000 * dice.standard_normal(200)).tolist()
    few, many = (
        model_of({("a", "b"): loud, ("a", "c"): (10 * dice.standard_normal(count)).tolist()}) for count in (2, 2000)
    )
    assert few.variance("a", "c") > 1e6
    assert many.variance("a", "c") < 1e5


# Anchors


def test_anchors_are_left_out_of_the_field_and_compared_with_it():
    values = {("a", "b"): [100.0], ("a", "x"): [900.0], ("b", "x"): [700.0]}
    model = model_of(values, "abx", anchors=["x"])
    assert model.field_of("a") == ("b",)
    assert model.field_of("x") == ("a", "b")
    assert model.result("a").mean == pytest.approx(100)
    assert model.result("x").mean == pytest.approx(-800)
    assert model.ranking() == ("a", "b", "x")


def test_among_anchors_alone_everybody_counts():
    assert MarginModel("xy", anchors="xy").field_of("x") == ("y",)
    assert MarginModel("axy", anchors="xy").field_of("a") == ("x", "y")


def test_an_anchor_changes_nothing_between_the_others():
    dice = np.random.RandomState(5)
    values = {pair: (1e3 * dice.standard_normal(20)).tolist() for pair in TRUTH}
    without = model_of(values)
    beside = model_of(values, "abcx", anchors=["x"])
    for name in "abc":
        assert without.result(name) == beside.result(name)
    assert without.lead("a", "b") == beside.lead("a", "b")


@pytest.mark.parametrize("yardstick", [None, "a", "e"])
@pytest.mark.parametrize("anchors", ["", "a", "ab", "abcde"])
def test_a_lead_is_the_sum_of_margins_by_its_weights(anchors, yardstick):
    dice = np.random.RandomState(4)
    options = {"anchors": anchors, "allows": Allowances(skewed=False)}
    model = GauntletModel("abcde", yardstick, **options) if yardstick else MarginModel("abcde", **options)
    for pair in model.pairs:
        model.add(pair, (1e3 * dice.standard_normal(dice.randint(2, 6))).tolist())
    for first, second in permutations("abcde", 2):
        weights, lead = model.lead_weights(first, second), model.lead(first, second)
        margins = {pair: model.margin(*pair) for pair in weights}
        assert lead.mean == pytest.approx(sum(each * margins[pair].mean for pair, each in weights.items()))
        assert lead.scale**2 == pytest.approx(sum((each * margins[pair].scale) ** 2 for pair, each in weights.items()))


# More


def test_what_two_have_played_can_be_replaced():
    model = model_of({("a", "b"): [1.0, 2.0]}, "ab")
    model.replace(("b", "a"), [30.0])
    assert model.margin("a", "b") == model_of({("a", "b"): [-30.0]}, "ab").margin("a", "b")


# Simulation


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "t3", "rare"])
def test_intervals_hold_the_truth_as_often_as_they_say(kind):
    dice = np.random.RandomState(11)
    runs, count = 1200, 40
    exact = model_of({pair: [truth] for pair, truth in TRUTH.items()})
    truths = [exact.margin("a", "c").mean, exact.result("a").mean, exact.lead("a", "b").mean]
    held = np.zeros(3)
    for drawn in 1500 * noise(kind, dice, (runs, 3, count)):
        model = model_of(
            {pair: (truth + own).tolist() for (pair, truth), own in zip(TRUTH.items(), drawn, strict=True)}
        )
        found = [model.margin("a", "c"), model.result("a"), model.lead("a", "b")]
        held += [covers(estimate, truth) for estimate, truth in zip(found, truths, strict=True)]
    most = 0.97 if kind == "normal" else 0.995  # those of skewed margins are wider than most of them need
    assert all(0.93 <= share <= most for share in held / runs), held / runs


# Skewness


def rare_wins(dice, count, chance=0.1):
    """Return the margins of seed pairs one in ten of which has a big win; the mean is 0."""
    return (1500 * (dice.random_sample(count) < chance) - 1500 * chance + 200 * dice.standard_normal(count)).tolist()


def test_rare_wins_against_others_widen_the_interval_of_those_who_have_seen_none():
    dice = np.random.RandomState(3)
    calm = (200 * dice.standard_normal(12)).tolist()
    found = {}
    for skewed in (True, False):
        model = MarginModel("abcd", allows=Allowances(skewed=skewed))
        for pair in combinations("abcd", 2):
            model.add(
                pair, calm if pair in (("a", "b"), ("c", "d")) else [*calm[:11], 3000.0 if "a" in pair else 150.0]
            )
        found[skewed] = model
    ratio = {pair: found[True].margin(*pair).scale / found[False].margin(*pair).scale for pair in found[True].pairs}
    assert ratio["a", "b"] > 1.2, "a has a rare win against c and d"
    assert ratio["c", "d"] < ratio["a", "b"]
    assert found[True].lead("a", "b").mean == found[False].lead("a", "b").mean


def test_the_order_of_two_and_the_sign_of_the_skewness_do_not_matter():
    dice = np.random.RandomState(5)
    won = rare_wins(dice, 30)
    one, two = (model_of({("a", "b"): [sign * each for each in won]}, "ab").margin("a", "b") for sign in (1, -1))
    assert (one.mean, one.scale) == pytest.approx((-two.mean, two.scale))


def test_margins_that_are_not_skewed_have_the_interval_of_student():
    model, plain = MarginModel("ab"), MarginModel("ab", allows=Allowances(skewed=False))
    for each in (model, plain):
        each.add(("a", "b"), [-300.0, -100.0, 0.0, 100.0, 300.0])
    one, two = model.margin("a", "b"), plain.margin("a", "b")
    assert (one.mean, one.scale, one.free) == (two.mean, two.scale, two.free)


def test_verdicts_allow_for_skewness_until_many_seed_pairs_have_shown_none():
    found = {}
    for count in (4, 10, 40, 400):
        model = model_of({("a", "b"): [-300.0, 300.0] * (count // 2)}, "ab")
        found[count] = model.lead("a", "b").caution
    assert [*found.values()] == sorted(found.values(), reverse=True)
    assert found[4] > 2
    assert found[10] == pytest.approx(1 + 4.2 * 0.32 / (1 + 2.1 * 0.32)), "40 seed pairs with a skewness of 2, over 50"
    assert found[400] < 1.01


def test_what_somebody_shows_against_others_counts_against_skewness_too():
    calm = [-300.0, 300.0] * 5
    two = model_of({("a", "b"): calm}, "ab").margin("a", "b")
    five = model_of(dict.fromkeys(combinations("abcde", 2), calm), "abcde")
    assert five.margin("a", "b").caution < two.caution
    assert five.lead("a", "b").caution < 1.2, "and a lead rests on many pairs"


def test_without_caution_nothing_counts_that_has_not_shown():
    model = MarginModel("ab", allows=Allowances(cautious=False))
    model.add(("a", "b"), [-300.0, 300.0] * 5)
    lead = model.lead("a", "b")
    assert (lead.caution, lead.tested) == (1.0, lead.scale)


@pytest.mark.parametrize("count", [10, 20])
@pytest.mark.slow
def test_the_pair_covered_least_is_covered_though_big_wins_are_rare(count):
    """One of five wins big in one seed pair of ten, and loses a little in the others."""
    dice = np.random.RandomState(7)
    pairs = [*combinations("abcde", 2)]
    held = {skewed: np.zeros(len(pairs)) for skewed in (True, False)}
    for _ in range(300):
        drawn = {pair: rare_wins(dice, count) if "a" in pair else (200 * dice.randn(count)).tolist() for pair in pairs}
        for skewed, shares in held.items():
            model = MarginModel("abcde", allows=Allowances(skewed=skewed))
            for pair, won in drawn.items():
                model.add(pair, won)
            shares += [covers(model.margin(*pair), 0.0) for pair in pairs]
    least = {skewed: shares.min() / 300 for skewed, shares in held.items()}
    assert least[True] > 0.9, least
    assert least[True] > least[False] + 0.02, least


def test_a_pair_that_varies_less_than_the_others_is_not_trusted_to_and_one_that_varies_more_is():
    calm, wild = [-100.0, 100.0] * 5, [-900.0, 900.0] * 5
    for one, others in ((calm, wild), (wild, calm)):
        now, before = MarginModel("abc"), MarginModel("abc", allows=Allowances(guarded=False))
        for model in (now, before):
            for pair in combinations("abc", 2):
                model.add(pair, one if pair == ("a", "b") else others)
        wider = now.margin("a", "b").scale / before.margin("a", "b").scale
        assert (wider > 1.2) if one is calm else (wider == pytest.approx(1))
        assert now.margin("a", "b").mean == before.margin("a", "b").mean
        assert now.lead("a", "b").tested == pytest.approx(before.lead("a", "b").tested), "verdicts stay as they were"


def test_a_result_so_far_is_the_mean_over_the_opponents_met():
    model = model_of({("a", "b"): [100.0, 300.0], ("a", "c"): [500.0, 700.0]}, "abcd")
    assert model.so_far("a").mean == 400.0
    assert model.so_far("b").mean == -200.0
    assert model.so_far("a").half_width() == inf
    assert model.so_far("d") is None
    assert (model.met("a"), model.met("d")) == (("b", "c"), ())


def test_a_result_that_is_known_is_the_result_so_far():
    model = model_of({pair: [truth, truth + 900] for pair, truth in TRUTH.items()})
    assert [model.so_far(name) for name in "abc"] == [model.result(name) for name in "abc"]


def test_anchors_do_not_count_in_a_result_so_far():
    model = model_of({("a", "c"): [500.0, 700.0]}, "abc", anchors="c")
    assert model.so_far("a") is None
    assert model.so_far("c").mean == -600.0
