"""Sequential tests: what the mixture and the horizon are, and what they promise, by simulation."""

from math import exp, inf, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molt_bench.rating import sequential
from molt_bench.rating.pair_sums import Allowances
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.sequential import Anytime, Horizon
from molt_bench.rating.student import UNKNOWN, Estimate

KNOWN = 1e9  # so many degrees of freedom are a variance that is known
LOOKS = 200
NUMBERS = np.arange(1, LOOKS + 1)


def sure(estimate, spread):
    return sequential.sure(Anytime(spread / 2), estimate)


def radius(estimate, spread, error):
    return sequential.radius(Anytime(spread / 2), estimate, error)


def walks(seed, runs, kind="normal"):
    """Return runs of margins around 0 with variance 1, one look after each."""
    dice = np.random.RandomState(seed)
    if kind == "t3":
        return dice.standard_t(3, (runs, LOOKS)) / sqrt(3)
    return dice.standard_normal((runs, LOOKS))


def known_variance(drawn):
    """Return mean, scale and degrees of freedom after each look, where the variance is known to be 1."""
    mean = drawn.cumsum(axis=1) / NUMBERS
    return mean, np.broadcast_to(1 / np.sqrt(NUMBERS), mean.shape), np.full(LOOKS, KNOWN)


def modelled(drawn):
    """Return the same as the margin model has it for two participants, one seed pair after another."""
    mean = drawn.cumsum(axis=1) / NUMBERS
    squares = np.maximum(0, (drawn**2).cumsum(axis=1) - NUMBERS * mean**2)
    guess = 1 / NUMBERS  # as how many seed pairs the first guess counts
    variance = (guess + squares) / (guess + NUMBERS - 1)
    return mean, np.sqrt(variance / NUMBERS), guess + NUMBERS - 1.0


def ever(known, spread, error):
    """Return how often `sure` has ever been above 1 - error, below error, and outside of error / 2 on either side."""
    mean, scale, free = known
    runs = len(mean)
    above, below, missed = np.zeros(runs, bool), np.zeros(runs, bool), np.zeros(runs, bool)
    # Nothing nearer than this can be outside: the mixture needs z^2 / 2 > log(1 / (2 error)), and t is beyond z.
    least = sqrt(2 * log(1 / (2 * error)))
    for run, look in zip(*np.nonzero(np.abs(mean) > least * scale), strict=True):
        found = sure(Estimate(float(mean[run, look]), float(scale[run, look]), float(free[look])), spread)
        above[run] |= found >= 1 - error
        below[run] |= found <= error
        missed[run] |= not error / 2 < found < 1 - error / 2
    return above.mean(), below.mean(), missed.mean()


# What they are


def test_without_evidence_it_is_even():
    assert sure(UNKNOWN, 100.0) == 0.5
    assert sure(Estimate(0.0, 50.0, 9.0), 100.0) == 0.5
    assert radius(UNKNOWN, 100.0, 0.05) == inf


@pytest.mark.parametrize("free", [1.0, 5.0, 30.5, KNOWN])
@pytest.mark.parametrize("spread", [1.0, 100.0, 1e5])
def test_it_is_a_probability_that_grows_with_the_mean(free, spread):
    found = [sure(Estimate(number * 7.0, 50.0, free), spread) for number in range(-100, 101)]
    assert all(0 <= value <= 1 for value in found)
    assert found == sorted(found)
    assert all(
        (value >= 0.5) == (number >= 0) or value == 0.5 for number, value in zip(range(-100, 101), found, strict=True)
    )
    assert [1 - value for value in reversed(found)] == pytest.approx(found, abs=1e-5)


def test_it_is_extreme_where_the_evidence_is():
    assert sure(Estimate(1e9, 1.0, 1e3), 100.0) > 1 - 1e-6
    assert sure(Estimate(-1e9, 1.0, 1e3), 100.0) < 1e-6


def test_it_is_robbins_mixture():
    # The mixture of Normal(0, spread^2) over 0: 1 / sqrt(r) * exp(z^2 / 2 * (1 - 1 / r)), r = 1 + spread^2 / scale^2
    # z = 3, scale 1, spread 2: r = 5, p = sqrt(5) * exp(-4.5 * 0.8).
    assert sure(Estimate(3.0, 1.0, KNOWN), 2.0) == pytest.approx(1 - sqrt(5) * exp(-3.6) / 2, abs=1e-6)
    # The radius at error 0.05: sqrt((2 log 20 + log 5) / 0.8).
    assert radius(Estimate(0.0, 1.0, KNOWN), 2.0, 0.05) == pytest.approx(sqrt((2 * log(20) + log(5)) / 0.8), abs=1e-5)


def test_it_asks_for_more_than_a_single_look_does():
    for mean in (1.0, 2.0, 3.0, 4.0):
        estimate = Estimate(mean, 1.0, 20.0)
        assert 0.5 <= sure(estimate, 2.0) < estimate.above()
        assert radius(estimate, 2.0, 0.05) > estimate.half_width(0.95)


def test_fewer_degrees_of_freedom_make_it_less_sure():
    found = [sure(Estimate(4.0, 1.0, free), 2.0) for free in (2.0, 5.0, 20.0, 200.0, KNOWN)]
    assert found == sorted(found)
    widths = [radius(Estimate(4.0, 1.0, free), 2.0, 0.05) for free in (2.0, 5.0, 20.0, 200.0, KNOWN)]
    assert widths == sorted(widths, reverse=True)


def test_a_smaller_error_makes_the_interval_wider():
    widths = [radius(Estimate(4.0, 1.0, 30.0), 2.0, error) for error in (0.5, 0.1, 0.05, 0.01, 1e-4)]
    assert widths == sorted(widths)


def test_the_interval_narrows_to_nothing():
    widths = [radius(Estimate(0.0, 1000 / sqrt(count), count + 4.0), 200.0, 0.05) for count in (10, 100, 1000, 10**5)]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 20


@pytest.mark.parametrize("error", [0.45, 0.3, 0.2, 0.05, 0.01, 0.001])
@pytest.mark.parametrize("free", [4.0, 9.5, 60.0, KNOWN])
@pytest.mark.parametrize("scale", [0.01, 0.3, 1.0])
def test_sure_and_radius_agree(error, free, scale):
    """It is as sure as 1 - error exactly where an interval of twice the error leaves 0 out."""
    edge = radius(Estimate(0.0, scale, free), 1.0, 2 * error)
    for sign in (1, -1):
        inside, outside = (sure(Estimate(sign * edge * times, scale, free), 1.0) for times in (0.9999, 1.0001))
        if sign < 0:
            inside, outside = 1 - inside, 1 - outside
        assert inside < 1 - error <= outside


# What they promise


@pytest.mark.parametrize("spread", [0.1, 0.4, 1.0])
def test_with_a_known_variance_no_more_runs_than_promised_are_ever_wrong(spread):
    above, below, missed = ever(known_variance(walks(21, 1500)), spread, 0.05)
    assert above <= 0.05
    assert below <= 0.05
    assert missed <= 0.05
    # Nor is it so careful that it would never say anything.
    assert missed >= (0.002 if spread < 0.2 else 0.015)


@pytest.mark.parametrize("spread", [0.4, *(pytest.param(each, marks=pytest.mark.slow) for each in (0.1, 1.0))])
@pytest.mark.parametrize("kind", ["normal", "t3"])
def test_with_the_models_variance_no_more_runs_than_promised_are_ever_wrong(spread, kind):
    above, below, missed = ever(modelled(walks(22, 1500, kind)), spread, 0.05)
    assert above <= 0.05
    assert below <= 0.05
    assert 0 < missed <= 0.05


def test_a_fixed_interval_that_is_looked_at_so_often_would_not_keep_the_promise():
    mean, scale, _ = known_variance(walks(21, 1500))
    assert (np.abs(mean) > 1.96 * scale).any(axis=1).mean() > 0.3


def test_the_interval_ever_misses_a_truth_that_is_not_0_no_more_often():
    # The same by `radius` itself, around a truth of 0.7, in fewer runs.
    drawn = walks(23, 300)
    mean, scale, free = known_variance(drawn)
    widths = np.array(
        [radius(Estimate(0.0, float(scale[0, look]), float(free[look])), 0.4, 0.05) for look in range(LOOKS)]
    )
    missed = (np.abs((mean + 0.7) - 0.7) > widths).any(axis=1).mean()
    assert 0.005 <= missed <= 0.05
    assert missed == pytest.approx(ever((mean, scale, free), 0.4, 0.05)[2])


def test_a_true_difference_is_found():
    mean, scale, free = modelled(walks(24, 200) + 0.4)
    last = [sure(Estimate(float(mean[run, -1]), float(scale[run, -1]), float(free[-1])), 0.4) for run in range(200)]
    assert np.mean([value >= 0.95 for value in last]) > 0.95


def test_the_simulation_knows_what_the_model_does():
    drawn = walks(25, 1)
    mean, scale, free = modelled(drawn)
    for count in (1, 2, 7, 200):
        model = MarginModel("ab", hands=100, allows=Allowances(skewed=False))
        model.add(("a", "b"), (1000 * drawn[0, :count]).tolist())
        margin = model.margin("a", "b")
        assert (margin.mean, margin.scale, margin.free) == pytest.approx(
            (1000 * mean[0, count - 1], 1000 * scale[0, count - 1], free[count - 1])
        )


# The horizon


def test_the_bar_of_an_order_solves_the_crossing_formula():
    """phi(z) ((z - 1/z) ln(I_max / I_first) + 4/z) = 0.065 with I_max = ((z + 2.5) / tie)^2."""
    lead = Estimate(0.0, 100.0, KNOWN, 1000.0)
    z, tie = Horizon(250.0, 10).bars(lead, 0.05)
    most, first = ((z + 2.5) / 250) ** 2, 10 / 1000**2
    crossing = exp(-z * z / 2) / sqrt(2 * pi) * ((z - 1 / z) * log(most / first) + 4 / z)
    assert crossing == pytest.approx(0.065, abs=1e-6)
    assert tie == pytest.approx(2.5, abs=0.01)


def test_the_bar_stays_while_a_run_goes_on():
    """It depends on the first look and the tie margin, not on how much was played since."""
    test = Horizon(250.0, 10)
    bars = {round(test.bars(Estimate(0.0, 1000 / sqrt(count), KNOWN, 1000.0), 0.05)[0], 6) for count in (10, 50, 500)}
    assert len(bars) == 1


@pytest.mark.parametrize("error", [0.45, 0.3, 0.2, 0.05, 0.01, 0.001])
@pytest.mark.parametrize("free", [4.0, 9.5, 60.0, KNOWN])
@pytest.mark.parametrize("unit", [300.0, 2000.0, 20_000.0])
def test_doubt_and_bars_agree(error, free, unit):
    test = Horizon(250.0, 5)
    order, tie = test.bars(Estimate(0.0, 20.0, free, unit), error)
    inside, outside = (test.doubt(Estimate(20.0 * order * times, 20.0, free, unit)) for times in (0.9999, 1.0001))
    assert outside <= error < inside
    if 20.0 * tie < 250:
        near = 250 - 20.0 * tie
        assert test.tie_doubt(Estimate(near - 1, 20.0, free, unit)) <= error
        assert test.tie_doubt(Estimate(near + 1, 20.0, free, unit)) > error


@pytest.mark.parametrize("unit", [0.0, 10.0, 1e3, 1e6])
def test_doubt_never_grows_with_the_lead(unit):
    test = Horizon(250.0, 10)
    found = [test.doubt(Estimate(7.0 * number, 50.0, 30.0, unit)) for number in range(200)]
    assert found[0] == 1
    assert found == sorted(found, reverse=True)
    assert all(0 <= value <= 1 for value in found)
    assert test.doubt(UNKNOWN) == test.tie_doubt(UNKNOWN) == 1


def test_at_the_horizon_everything_is_ordered_or_tied():
    test = Horizon(250.0, 10)
    z, tie = test.bars(Estimate(0.0, 1.0, KNOWN, 2000.0), 0.05)
    scale = 250 / (z + tie) * 0.999
    for mean in np.linspace(-400, 400, 301):
        lead = Estimate(float(mean), scale, KNOWN, 2000.0)
        assert min(test.doubt(lead), test.tie_doubt(lead)) <= 0.05


def run_to_the_end(lead, *, first, deviation=1.0, error=0.05, runs=2000, kind="normal", seed=41):
    """Return the shares of runs that end as ordered, ordered the wrong way, and tied; the tie margin is 1/4."""
    drawn = deviation * walks(seed, runs, kind) + lead
    mean, scale, free = modelled(drawn / deviation)
    mean, scale = mean * deviation, scale * deviation
    # The unit is the standard error times the root of the count; bars hardly move with it.
    test = Horizon(0.25, first)
    ends = []
    for run in range(runs):
        end = "open"
        for look in range(first - 1, LOOKS, first):
            known = Estimate(
                float(mean[run, look]), float(scale[run, look]), float(free[look]),
                float(scale[run, look]) * sqrt(look + 1),
            )  # fmt: skip
            if abs(known.mean) > 2.2 * known.scale and test.doubt(known) <= error:
                end = "right" if known.mean * lead > 0 else "wrong"
                break
            if abs(known.mean) + 1.9 * known.scale < 0.25 and test.tie_doubt(known) <= error:
                end = "tied"
                break
        ends.append(end)
    return {end: ends.count(end) / runs for end in ("right", "wrong", "tied", "open")}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "t3"])
@pytest.mark.parametrize("first", [4, 10])
def test_equals_are_ordered_in_no_more_than_5_percent_of_runs(first, kind):
    ends = run_to_the_end(0.0, first=first, kind=kind)
    assert ends["wrong"] <= 0.05
    assert ends["wrong"] >= 0.01  # nor is it so careful that it would never say anything
    assert ends["tied"] > 0.7


@pytest.mark.slow
def test_two_who_are_the_tie_margin_apart_are_tied_in_no_more_than_5_percent_of_runs():
    ends = run_to_the_end(0.25, first=5)
    assert ends["tied"] <= 0.05
    assert ends["wrong"] <= 0.01
    assert ends["right"] > 0.5


@pytest.mark.slow
def test_a_smaller_error_is_kept_as_well():
    ends = run_to_the_end(0.0, first=5, error=0.01)
    assert ends["wrong"] <= 0.014


def test_it_needs_fewer_looks_than_the_mixture():
    lead = Estimate(0.0, 50.0, KNOWN, 1000.0)
    assert Horizon(250.0, 10).bars(lead, 0.05)[0] < Anytime(250.0).bars(lead, 0.05)[0]


@given(
    st.floats(-2000, 2000),
    st.floats(1, 2000),
    st.floats(1, 1e8),
    st.sampled_from([0.002, 0.05, 0.3]),
    st.sampled_from([Horizon(250.0, 4), Horizon(50.0, 1), Anytime(250.0), Anytime(0.0)]),
)
def test_the_deciding_standard_error_is_that_of_the_nearer_bar(mean, scale, free, error, test):
    lead = Estimate(mean, scale, free, 1000.0)
    order, tie = test.bars(lead, error)
    wanted = max(abs(mean) / order, (test.tie_margin - abs(mean)) / tie)
    assert test.deciding(lead, error) == pytest.approx(wanted, rel=1e-9)


@given(
    st.floats(-2000, 2000),
    st.floats(0.1, 2000),
    st.floats(1, 1e8),
    st.floats(1e-4, 0.5),
    st.sampled_from([Horizon(250.0, 4), Horizon(50.0, 1), Anytime(250.0), Anytime(0.0)]),
)
def test_no_tie_is_overlooked_by_the_quick_look(mean, scale, free, error, test):
    lead = Estimate(mean, scale, free, 1000.0)
    assert test.may_tie(lead, error) or test.tie_doubt(lead) > error
