"""Student's t against printed tables, closed forms and integrals."""

from math import atan, exp, inf, lgamma, log, log1p, pi, sqrt, tan
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molt_bench.rating.error_function import erfc
from molt_bench.rating.student import near_quantile, student_cdf, student_quantile

SHARES = (0.95, 0.975, 0.99, 0.995, 0.9995)
# The upper quantiles as statistical tables print them (Fisher and Yates 1963, table III).
TABLE = {
    1: (6.314, 12.706, 31.821, 63.657, 636.619),
    2: (2.920, 4.303, 6.965, 9.925, 31.599),
    3: (2.353, 3.182, 4.541, 5.841, 12.924),
    4: (2.132, 2.776, 3.747, 4.604, 8.610),
    5: (2.015, 2.571, 3.365, 4.032, 6.869),
    6: (1.943, 2.447, 3.143, 3.707, 5.959),
    7: (1.895, 2.365, 2.998, 3.499, 5.408),
    8: (1.860, 2.306, 2.896, 3.355, 5.041),
    9: (1.833, 2.262, 2.821, 3.250, 4.781),
    10: (1.812, 2.228, 2.764, 3.169, 4.587),
    12: (1.782, 2.179, 2.681, 3.055, 4.318),
    15: (1.753, 2.131, 2.602, 2.947, 4.073),
    20: (1.725, 2.086, 2.528, 2.845, 3.850),
    25: (1.708, 2.060, 2.485, 2.787, 3.725),
    30: (1.697, 2.042, 2.457, 2.750, 3.646),
    40: (1.684, 2.021, 2.423, 2.704, 3.551),
    60: (1.671, 2.000, 2.390, 2.660, 3.460),
    80: (1.664, 1.990, 2.374, 2.639, 3.416),
    100: (1.660, 1.984, 2.364, 2.626, 3.390),
    120: (1.658, 1.980, 2.358, 2.617, 3.373),
}
FREES = [0.5, 1, 1.7, 2, 3.25, 5, 10, 33.3, 120, 1e4, 1e6, 2e7]


def tail(value: float, free: int) -> float:
    """Return the share above a positive value, by the closed forms of 1, 2 and 4 degrees of freedom."""
    if free == 1:
        return atan(1 / value) / pi
    root = sqrt(free + value * value)
    if free == 2:
        return 1 / (root * (root + value))
    part = value / root
    short = free / (root * root * (1 + part))  # 1 - part
    return short**2 * (2 + part) / 4


def integral(value: float, free: float, steps: int = 4000) -> float:
    """Return the share below a value, by Simpson's rule over the density."""
    constant = lgamma((free + 1) / 2) - lgamma(free / 2) - log(free * pi) / 2

    def density(at: float) -> float:
        return exp(constant - (free + 1) / 2 * log1p(at * at / free))

    width = value / steps
    inner = sum((4 if number % 2 else 2) * density(number * width) for number in range(1, steps))
    return 0.5 + width / 3 * (density(0.0) + inner + density(value))


@pytest.mark.parametrize("free", TABLE)
def test_quantiles_are_those_of_the_tables(free):
    assert [round(student_quantile(share, free), 3) for share in SHARES] == pytest.approx(TABLE[free], abs=1e-9)


@pytest.mark.parametrize("free", TABLE)
def test_the_tables_read_backwards_give_their_shares(free):
    assert [student_cdf(value, free) for value in TABLE[free]] == pytest.approx(SHARES, abs=1.2e-4)


@pytest.mark.parametrize("free", [0.8, 1.5, 2.5, 4.75, 7.3, 11.1, 29.9, 64.2])
@pytest.mark.parametrize("value", [0.1, 0.9, 2.0, 4.5])
def test_degrees_of_freedom_need_not_be_whole(free, value):
    assert student_cdf(value, free) == pytest.approx(integral(value, free), abs=1e-10)


def test_between_two_whole_degrees_of_freedom_lies_a_value_between():
    assert student_quantile(0.975, 5) > student_quantile(0.975, 5.5) > student_quantile(0.975, 6)


@pytest.mark.parametrize("free", FREES)
def test_it_is_symmetric(free):
    for value in (0.0, 1e-9, 0.3, 1.0, 2.5, 9.0):
        assert student_cdf(-value, free) + student_cdf(value, free) == pytest.approx(1, abs=1e-14)
    for share in (0.01, 0.2, 0.4999):
        assert student_quantile(share, free) == pytest.approx(-student_quantile(1 - share, free), rel=1e-9)
    assert student_cdf(0.0, free) == 0.5
    assert student_quantile(0.5, free) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("free", FREES)
def test_it_grows(free):
    values = [student_cdf(number / 10, free) for number in range(-60, 61)]
    assert values == sorted(set(values))
    quantiles = [student_quantile(number / 40, free) for number in range(1, 40)]
    assert quantiles == sorted(set(quantiles))


@pytest.mark.parametrize("free", FREES)
@pytest.mark.parametrize("share", [1e-9, 1e-4, 0.025, 0.3, 0.5, 0.9, 0.975, 0.9999, 1 - 1e-9])
def test_cdf_and_quantile_undo_each_other(free, share):
    assert student_cdf(student_quantile(share, free), free) == pytest.approx(share, rel=1e-6)


@pytest.mark.parametrize("free", [1, 2, 4])
@pytest.mark.parametrize("value", [0.5, 3.0, 40.0, 1e3, 1e5])
def test_far_tails_are_those_of_the_closed_forms(free, value):
    assert student_cdf(-value, free) == pytest.approx(tail(value, free), rel=1e-9)


def test_tails_down_to_a_millionth_of_a_millionth():
    # Student's t with one degree of freedom is Cauchy's distribution, whose quantile is a tangent.
    for share in (1e-3, 1e-6, 1e-9, 1e-12):
        assert student_quantile(share, 1) == pytest.approx(-1 / tan(pi * share), rel=1e-4)
        assert student_cdf(-1 / tan(pi * share), 1) == pytest.approx(share, rel=1e-9)
        for free in (2, 4):
            assert tail(-student_quantile(share, free), free) == pytest.approx(share, rel=1e-3)


@pytest.mark.parametrize("free", [2e5, 1e6, 9.9e6, 1.1e7, 1e9, inf])
def test_many_degrees_of_freedom_make_it_normal(free):
    for share in (0.001, 0.025, 0.3, 0.5, 0.8, 0.975, 0.9995):
        assert student_quantile(share, free) == pytest.approx(NormalDist().inv_cdf(share), abs=5e-5)
    for value in (-5.0, -2.0, 0.0, 1.0, 3.0):
        assert student_cdf(value, free) == pytest.approx(erfc(-value / sqrt(2)) / 2, rel=2e-3, abs=1e-12)


def test_where_it_becomes_the_normal_distribution_there_is_no_step():
    for value in (-4.0, -1.0, 0.5, 2.0):
        assert student_cdf(value, 9_999_999) == pytest.approx(student_cdf(value, 10_000_001), rel=1e-5, abs=1e-8)


def test_the_ends():
    assert (student_cdf(inf, 3), student_cdf(-inf, 3)) == (1.0, 0.0)
    assert (student_quantile(1.0, 3), student_quantile(0.0, 3)) == (inf, -inf)
    assert student_cdf(1e200, 3) == 1.0
    assert student_cdf(-1e200, 3) == pytest.approx(0, abs=1e-100)


@pytest.mark.parametrize("free", [0.5, 1.0, 2.0, 5.0, 30.0, 1e6])
@pytest.mark.parametrize("share", [1e-300, 1e-200, 1e-30])
def test_far_out_in_the_tail_a_quantile_is_still_one(share, free):
    value = student_quantile(share, free)
    assert student_cdf(value, free) == pytest.approx(share, rel=1e-6) or value < -1e100


@given(st.floats(1e-6, 0.3), st.floats(0.5, 1e5))
def test_a_near_quantile_has_nine_digits(share, free):
    assert near_quantile(share, free) == pytest.approx(student_quantile(share, free), rel=1e-9)
