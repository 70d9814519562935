"""Sequential tests: what the horizon is, and what it promises, by simulation."""

from math import exp, inf, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molt_bench.rating.pair_sums import Allowances
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.sequential import Horizon, radius, sure
from molt_bench.rating.student import UNKNOWN, Estimate

KNOWN = 1e9  # so many degrees of freedom are a variance that is known
LOOKS = 200
NUMBERS = np.arange(1, LOOKS + 1)
TEST = Horizon(250.0, 10)


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


# What it is


def test_without_evidence_it_is_even():
    assert sure(TEST, UNKNOWN) == 0.5
    assert sure(TEST, Estimate(0.0, 50.0, 9.0)) == 0.5
    assert radius(TEST, UNKNOWN, 0.05) == inf


@pytest.mark.parametrize("free", [1.0, 5.0, 30.5, KNOWN])
@pytest.mark.parametrize("test", [TEST, Horizon(0.0, 10)])
def test_it_is_a_probability_that_grows_with_the_mean(free, test):
    found = [sure(test, Estimate(number * 7.0, 50.0, free, 500.0)) for number in range(-100, 101)]
    assert all(0 <= value <= 1 for value in found)
    assert found == sorted(found)
    assert all(
        (value >= 0.5) == (number >= 0) or value == 0.5 for number, value in zip(range(-100, 101), found, strict=True)
    )
    assert [1 - value for value in reversed(found)] == pytest.approx(found, abs=1e-5)


def test_it_is_extreme_where_the_evidence_is():
    assert sure(TEST, Estimate(1e9, 1.0, 1e3)) > 1 - 1e-6
    assert sure(TEST, Estimate(-1e9, 1.0, 1e3)) < 1e-6


def test_it_asks_for_more_than_a_single_look_does():
    for mean in (50.0, 100.0, 150.0, 200.0):
        estimate = Estimate(mean, 50.0, 20.0, 500.0)
        assert 0.5 <= sure(TEST, estimate) < estimate.above()
        assert radius(TEST, estimate, 0.05) > estimate.half_width(0.95)


def test_fewer_degrees_of_freedom_make_it_less_sure():
    leads = [Estimate(200.0, 50.0, free, 500.0) for free in (2.0, 5.0, 20.0, 200.0, KNOWN)]
    found = [sure(TEST, lead) for lead in leads]
    assert found == sorted(found)
    widths = [radius(TEST, lead, 0.05) for lead in leads]
    assert widths == sorted(widths, reverse=True)


def test_a_smaller_error_makes_the_interval_wider():
    widths = [radius(TEST, Estimate(200.0, 50.0, 30.0, 500.0), error) for error in (0.5, 0.1, 0.05, 0.01, 1e-4)]
    assert widths == sorted(widths)


# What it promises


def test_a_fixed_interval_that_is_looked_at_so_often_would_not_keep_the_promise():
    mean, scale, _ = known_variance(walks(21, 1500))
    assert (np.abs(mean) > 1.96 * scale).any(axis=1).mean() > 0.3


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


def test_without_a_tie_margin_nothing_is_tied_and_the_bar_is_that_of_a_very_long_run():
    test, lead = Horizon(0.0, 10), Estimate(0.0, 1e-3, KNOWN, 1000.0)
    assert test.tie_doubt(lead) == 1.0
    assert not test.may_tie(lead, 0.05)
    assert Horizon(250.0, 10).bars(lead, 0.05)[0] < test.bars(lead, 0.05)[0] < 3.5


@given(
    st.floats(-2000, 2000),
    st.floats(1, 2000),
    st.floats(1, 1e8),
    st.sampled_from([0.002, 0.05, 0.3]),
    st.sampled_from([Horizon(250.0, 4), Horizon(50.0, 1), Horizon(0.0, 4)]),
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
    st.sampled_from([Horizon(250.0, 4), Horizon(50.0, 1), Horizon(0.0, 4)]),
)
def test_no_tie_is_overlooked_by_the_quick_look(mean, scale, free, error, test):
    lead = Estimate(mean, scale, free, 1000.0)
    assert test.may_tie(lead, error) or test.tie_doubt(lead) > error
