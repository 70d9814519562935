"""The compiled kernels of cards give what their twins in Python give, to the last bit."""

import pytest

from molt_bench.agents import starting_hands
from molt_bench.errors import RulesError
from molt_bench.kernels import compiled
from molt_bench.luck.cards import chance, strength
from molt_bench.poker import deck, evaluator, flop_equity, notation
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


def test_a_deal_is_the_same():
    shoe = Shoe("deals")
    assert all(compiled.deal(shoe.entropy(n)) == deck._deal(shoe.entropy(n)) for n in range(2000))
    # The largest and the smallest numbers there are.
    assert compiled.deal(bytes(64)) == deck._deal(bytes(64))
    assert compiled.deal(b"\xff" * 64) == deck._deal(b"\xff" * 64)


@pytest.mark.parametrize("seed", ["shoe", 7, -(2**70), "x" * 105, "x" * 200])
def test_the_cards_of_a_shoe_and_what_they_leave_over_are_the_same(monkeypatch, seed):
    shoe, numbers = Shoe(seed), (*range(300), 2**32, 2**63 - 1, 2**63, 2**64 - 1)
    found = [(shoe.deal(number), shoe.hand(number)) for number in numbers]
    pure(monkeypatch, deck)
    assert found == [(shoe.deal(number), shoe.hand(number)) for number in numbers]


@pytest.mark.parametrize(
    "odd", [(b"x", -1), (b"x", 2**63), (b"x", True), (b"x", 1.0), ("x", 1), (b"x",), (b"x" * 121, 1), (None, None)]
)
def test_an_odd_number_of_a_hand_is_left_to_python(odd):
    assert compiled.shoe_deal(*odd) is None
    assert compiled.shoe_hand(*odd) is None


def test_a_showdown_is_the_same(monkeypatch):
    found = [evaluator.showdown(*each) for each in deals(3000)]
    pure(monkeypatch, evaluator)
    assert found == [evaluator.showdown(*each) for each in deals(3000)]


def test_cards_are_written_the_same(monkeypatch):
    known = [(holes, board[:size]) for holes, board in deals(300) for size in (0, 3, 4, 5)]
    found = [notation._cards_to_line(*each) for each in known]
    pure(monkeypatch, notation)
    assert found == [notation._cards_to_line(*each) for each in known]


@pytest.mark.parametrize(
    "cards",
    [
        (((0, 0), (1, 2)), (3, 4, 5, 6, 7)),
        (((0, 52), (1, 2)), (3, 4, 5, 6, 7)),
        (((0, True), (2, 3)), (4, 5, 6, 7, 8)),
        (((0, 1.0), (2, 3)), (4, 5, 6, 7, 8)),
        (((0, 1), (2, 3, 4)), (5, 6, 7, 8, 9)),
        (((0, 1), (2, 3)), (4, 5, 6, 7, 8, 9)),
        (((0, 1), (2, 3)), None),
        ((), ()),
    ],
)
def test_odd_cards_are_left_to_python(cards):
    assert compiled.showdown(*cards) is None
    assert compiled.cards_line(*cards) is None


def test_a_showdown_takes_the_whole_board():
    assert compiled.showdown(((0, 1), (2, 3)), (4, 5, 6, 7)) is None


@pytest.mark.parametrize("size", [0, 1, 63, 64, 119, 120, 121, 500])
def test_random_bytes_are_the_same(monkeypatch, size):
    shoe = Shoe("x" * size)
    ours = shoe.entropies(9)
    assert ours == b"".join([shoe.entropy(number) for number in range(9)])
    assert (compiled.entropies(b"x" * size, 9) is None) == (size > 120)
    monkeypatch.setattr(deck, "compiled", None)
    assert ours == shoe.entropies(9)


def test_a_flop_is_scored_the_same(monkeypatch):
    flops = [(*holes, board[:3]) for holes, board in deals(1500)]
    found = flop_equity.flop_scores_of(flops)
    pure(monkeypatch, flop_equity)
    assert found == flop_equity.flop_scores_of(flops)


def test_the_equities_of_all_streets_are_the_same(monkeypatch):
    known = [(holes, board[:size]) for holes, board in deals(400) for size in (0, 3, 4, 5)]
    found = [chance.street_equities(*each) for each in known]
    pure(monkeypatch, chance, flop_equity)
    chance.forget()
    assert found == [chance.street_equities(*each) for each in known]


def test_strengths_by_themselves_are_the_same(monkeypatch):
    known = [(holes, board[:size]) for holes, board in deals(200) for size in (3, 4, 5)]
    strength.forget_strengths()
    found = [strength.hand_strengths(*each) for each in known]
    pure(monkeypatch, strength)
    strength.forget_strengths()
    assert found == [strength.hand_strengths(*each) for each in known]


@pytest.mark.parametrize("percent", [25, 40, 60, 100])
def test_equity_against_a_range_is_the_same(percent):
    for holes, board in deals(60):
        for size in (0, 3, 4, 5):
            known = holes[0], board[:size], percent
            assert starting_hands.equity_against_best(*known) == starting_hands._equity_against_best(*known)


@pytest.mark.parametrize("flop", ["AhKc2d", "2c3c", "2c3c4c5c"])
def test_cards_that_cannot_be_are_refused_as_without_kernels(flop):
    with pytest.raises(RulesError, match="a flop has three cards"):
        flop_equity.flop_scores_of([(cards_from_text("AhAd"), cards_from_text("KsKd"), cards_from_text(flop))])
    with pytest.raises(RulesError, match="different cards from 0 to 51"):
        chance.street_equities((cards_from_text("AhAd"), cards_from_text("AhKd")), ())


def test_odd_arguments_do_no_harm():
    for cards in ([], (52, 0), (-1, 3), (1 << 80, 2), ("Ah", "Kd"), (True, 2), None, 7, (1.0, 2.0)):
        assert compiled.flop_score(cards, (0, 1), (2, 3, 4)) is None
        assert compiled.street_equities((0, 1), cards, ()) is None
        assert compiled.sampled_wins(cards, (0, 1), (2, 3, 4), bytes(1024)) is None
    assert compiled.flop_score() is None
    with pytest.raises(ValueError, match="36 random bytes"):
        compiled.deal(b"short")
    with pytest.raises(ValueError, match="not the tables"):
        compiled.set_tables(b"", b"", b"", b"", 0, 0, 0)


def test_all_strengths_of_seven_cards_agree_with_the_evaluator():
    preflop_table()  # which the kernel is given when it is loaded
    for holes, board in deals(300):
        one, two = evaluator.showdown(holes, board)
        assert compiled.street_equities(*holes, board)[-1] == ((one > two) + (one >= two)) / 2
