"""Ranges as text."""

import pytest

from molt_bench.errors import RulesError
from molt_bench.poker.cards import cards_to_text
from molt_bench.poker.range_text import holes_in


def texts(range_text):
    return {cards_to_text(hole) for hole in holes_in(range_text)}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("random", 1326),
        (" Random ", 1326),
        ("77", 6),
        ("AA", 6),
        ("22+", 78),
        ("TT-QQ", 18),
        ("QQ-TT", 18),
        ("AK", 16),
        ("KA", 16),
        ("AKs", 4),
        ("AKo", 12),
        ("aks", 4),
        ("A2s+", 48),
        ("KTo+", 36),
        ("KTo-KQo", 36),
        ("54s+", 4),
        ("A2+", 192),
        ("AhKd", 1),
        ("AhKd KdAh", 1),
        ("77,77+ , AKs", 52),
    ],
)
def test_a_range_has_so_many_hands(text, count):
    found = holes_in(text)
    assert len(found) == count
    assert all(high > low for high, low in found)


def test_its_hands_are_those_that_it_names():
    assert texts("AKs") == {"AcKc", "AdKd", "AhKh", "AsKs"}
    assert texts("22") == {"2d2c", "2h2c", "2s2c", "2h2d", "2s2d", "2s2h"}
    assert texts("T8s-T9s") == {f"T{suit}{low}{suit}" for suit in "cdhs" for low in "89"}


@pytest.mark.parametrize(
    "text",
    ["", " , ", "A", "AKx", "77s", "77o+", "AhAh", "AhK", "1h2c", "AK-AQs", "AA-KQ", "AKs-QJs", "+", "-", "AKs++", "%"],
)
def test_what_is_no_range_is_an_error_that_names_it(text):
    with pytest.raises(RulesError, match="range"):
        holes_in(text)
