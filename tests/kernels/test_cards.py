"""The compiled kernels of cards give what their twins in Python give, to the last bit."""

import pytest

from molt_bench.kernels import compiled
from molt_bench.poker import starting_hands
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


def test_odd_arguments_do_no_harm():
    for odd in ([], (52, 0), (-1, 3), (1 << 80, 2), ("Ah", "Kd"), (True, 2), None, 7, (1.0, 2.0)):
        assert compiled.range_wins(odd, (), bytes(64), starting_hands._best_bytes(100)) is None
    assert compiled.range_wins((0, 1), (), bytes(64), b"") is None
