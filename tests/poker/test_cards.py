"""Cards and decks."""

from collections import Counter
from itertools import chain, pairwise

import pytest

from molt_bench.errors import RulesError
from molt_bench.poker.cards import CARD_TEXT, cards_from_text, cards_to_text, deal_from_text, rank_of
from molt_bench.poker.deck import Shoe


def nine(seed, hand_number=1):
    holes, board = Shoe(seed).deal(hand_number)
    return (*chain(*holes), *board)


def test_every_card_has_one_text_and_back():
    assert [cards_from_text(text) for text in CARD_TEXT] == [(card,) for card in range(52)]
    assert cards_to_text((0, 51)) == "2cAs"
    assert rank_of(51) == 12


@pytest.mark.parametrize("text", ["Ax", "1h", "A", "AhK", "ah", "AhAh"])
def test_what_is_no_card_is_refused(text):
    with pytest.raises(RulesError):
        cards_from_text(text)


@pytest.mark.parametrize("text", ["AhAd", "AhAd Ks", "AhAd KsKc 2c3c4c5c6c7c"])
def test_a_deal_has_four_to_nine_cards(text):
    with pytest.raises(RulesError):
        deal_from_text(text)


def test_nine_different_cards_are_dealt():
    for number in range(1, 5000):
        cards = nine("s", number)
        assert len({*cards}) == 9
        assert all(0 <= card < 52 for card in cards)


@pytest.mark.slow
def test_a_hundred_thousand_seeds_give_as_many_decks():
    """Others dealt the same cards for every seed above some number. Ints, big ints, negative ints and texts."""
    seeds = [
        *range(-25_000, 25_000),
        *(10**30 + number for number in range(25_000)),
        *(str(number) for number in range(25_000)),
    ]
    decks = {nine(seed, 1) + nine(seed, 2) for seed in seeds}
    assert len(decks) == len(seeds) == 100_000


def test_hands_of_a_game_differ():
    assert len({nine("s", number) for number in range(1, 20_001)}) == 20_000


def test_every_place_of_the_deal_gets_every_card_equally_often():
    """Chi-square with 51 degrees of freedom: 99.9% lie below 87; all nine places below 95."""
    hands = 40_000
    columns = zip(*(nine("uniform", number) for number in range(hands)), strict=True)
    for column in columns:
        counts = Counter(column)
        expected = hands / 52
        assert sum((counts[card] - expected) ** 2 / expected for card in range(52)) < 95


def test_neighbouring_cards_are_independent():
    """No pair of cards follows another more often than chance allows: 2,652 ordered pairs, z below 5.5."""
    hands = 30_000
    pairs = Counter(pair for number in range(hands) for pair in pairwise(nine("pairs", number)))
    expected = hands * 8 / (52 * 51)
    assert len(pairs) == 52 * 51
    assert max(abs(count - expected) for count in pairs.values()) < 5.5 * expected**0.5


def test_decks_stay_the_same_for_ever():
    """A change here changes every result ever published: bump BENCH_VERSION with it."""
    dealt = [cards_to_text(nine(seed, number)) for seed, number in (("s1", 1), ("s1", 2), (7, 1), ("7", 1))]
    assert dealt == ["5d6h5c3d8h8d3s4sKc", "3cTd3h7s4h8cJd9dKc", "6sQc6hQs4s8s9c7h8d", "JsQdTs3c7dKs9cQh2c"]
