"""The compiled kernels of cards give what their twins in Python give, to the last bit."""

import pytest

from molt_bench.errors import RulesError
from molt_bench.kernels import compiled
from molt_bench.poker import equity_vs_random, evaluator, starting_hands, street_equity
from molt_bench.poker.cards import cards_from_text, deal_from_text
from molt_bench.poker.deck import Shoe
from molt_bench.poker.equity import preflop_table

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


def pure(monkeypatch, *modules):
    """Turn the kernels off where these modules use them."""
    for module in modules:
        monkeypatch.setattr(module, "compiled", None)


def test_the_equities_of_all_streets_are_the_same(monkeypatch):
    known = [(holes, board[:size]) for holes, board in deals(400) for size in (0, 3, 4, 5)]
    preflop_table()  # which the kernel is given when it is loaded
    found = [street_equity.street_equities(*each) for each in known]
    pure(monkeypatch, street_equity)
    assert found == [street_equity.street_equities(*each) for each in known]


def test_win_rates_are_the_same(monkeypatch):
    known = [(holes, board[:size]) for holes, board in deals(200) for size in (3, 4, 5)]
    equity_vs_random._sampled.cache_clear()
    found = [equity_vs_random.equities_vs_random(*each) for each in known]
    pure(monkeypatch, equity_vs_random)
    equity_vs_random._sampled.cache_clear()
    assert found == [equity_vs_random.equities_vs_random(*each) for each in known]


@pytest.mark.parametrize("percent", [25, 40, 60, 100])
def test_equity_against_a_range_is_the_same(percent):
    for holes, board in deals(60):
        for size in (0, 3, 4, 5):
            known = holes[0], board[:size], percent
            assert starting_hands.equity_against_best(*known) == starting_hands._equity_against_best(*known)


def test_cards_that_cannot_be_are_refused_as_without_kernels():
    with pytest.raises(RulesError, match="different cards from 0 to 51"):
        street_equity.street_equities((cards_from_text("AhAd"), cards_from_text("AhKd")), ())


def test_odd_arguments_do_no_harm():
    for odd in ([], (52, 0), (-1, 3), (1 << 80, 2), ("Ah", "Kd"), (True, 2), None, 7, (1.0, 2.0)):
        assert compiled.street_equities((0, 1), odd, ()) is None
        assert compiled.sampled_wins(odd, (0, 1), (2, 3, 4), bytes(1024)) is None
    with pytest.raises(ValueError, match="not the tables"):
        compiled.set_tables(b"", b"", b"", b"", 0, 0, 0)


def test_all_strengths_of_seven_cards_agree_with_the_evaluator():
    preflop_table()  # which the kernel is given when it is loaded
    for holes, board in deals(300):
        one, two = evaluator.showdown(holes, board)
        assert compiled.street_equities(*holes, board)[-1] == ((one > two) + (one >= two)) / 2
