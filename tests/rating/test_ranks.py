"""Rank ranges: what the claimed orders leave possible."""

from molt_bench.rating.ranks import open_runs, rank_ranges


def test_everybody_may_have_any_rank_where_nothing_is_claimed():
    assert rank_ranges("abc", []) == {"a": (1, 3), "b": (1, 3), "c": (1, 3)}
    assert open_runs("abc", []) == [(0, 2)]


def test_orders_are_passed_on():
    assert rank_ranges("abc", [("a", "b"), ("b", "c")]) == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}
    assert open_runs("abc", [("a", "b"), ("b", "c")]) == []
