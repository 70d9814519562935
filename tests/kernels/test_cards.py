"""The compiled kernels of cards give what their twins in Python give, to the last bit."""

import pytest

from molt_bench.kernels import compiled
from molt_bench.poker import equity, starting_hands
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.deck import Shoe

pytestmark = pytest.mark.skipif(compiled is None, reason="the kernels were not compiled, or are turned off")

#: Deals with flushes of every kind: made, with one or two cards to come, of either hand, in two suits at once.
SUITED = [
    "AhKh QhJh 2h3h4h9c8d",
    "AhKh QdJd 2h3h4d9h8h",
    "AhAd KhKd 2h3h4h5h6h",
    "7h6h 9h8h 5h4h3hTh2h",
    "AsKs QdJd 2s3d4d5s6s",
    "AcKd QcJd Tc9d8c7c6c",
]


def deals(count):
    """Return random deals, and some with flushes."""
    shoe = Shoe("kernels")
    return [*(deal_from_text(text) for text in SUITED), *(shoe.deal(number) for number in range(count))]


@pytest.mark.parametrize("percent", [25, 40, 60, 100])
def test_equity_against_a_range_is_the_same(percent):
    for holes, board in deals(60):
        for size in (0, 3, 4, 5):
            known = holes[0], board[:size], percent
            assert starting_hands.equity_against_best(*known) == starting_hands._equity_against_best(*known)


def test_the_equities_of_all_streets_are_the_same(monkeypatch):
    known = [(holes, board[:size]) for holes, board in deals(400) for size in (0, 3, 4, 5)]
    found = [equity.street_equities(*each) for each in known]
    monkeypatch.setattr(equity, "compiled", None)
    assert found == [equity.street_equities(*each) for each in known]


@pytest.mark.parametrize("odd", [b"", bytes(2), bytes([0, 1, 52]), bytes([0, 1, 2, 3, 4]), bytes(range(10))])
def test_odd_cards_are_left_to_python(odd):
    assert compiled.street_equities(odd) is None
    if len(odd) != 5:
        assert compiled.range_wins(odd, bytes(64), starting_hands._best_bytes(100)) is None
