"""Estimates that are looked at once, against printed tables of Student's t."""

from math import inf

import pytest

from molt_bench.rating.estimate import UNKNOWN, Estimate


@pytest.mark.parametrize(
    ("level", "free", "t"),
    [(0.95, 4, 2.776), (0.95, 5, 2.571), (0.95, 30, 2.042), (0.99, 5, 4.032), (0.99, 20, 2.845), (0.8, 10, 1.372)],
)
def test_intervals_are_those_of_the_tables(level, free, t):
    assert Estimate(0.0, 1.0, free).half_width(level) == pytest.approx(t, rel=0.01)


def test_very_few_make_them_wider_than_the_tables_and_never_narrower():
    assert 12.706 <= Estimate(0.0, 1.0, 1).half_width() < 20


def test_what_is_not_known_has_no_interval():
    assert UNKNOWN.half_width() == inf
    assert Estimate(3.0, 0.0, inf).interval() == (3.0, 3.0)
    assert Estimate(5.0, 1.0, inf).interval() == pytest.approx((5 - 1.96, 5 + 1.96), abs=1e-4)
