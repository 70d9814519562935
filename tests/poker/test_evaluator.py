"""The evaluator against the rule book, published counts and its own builder."""

import importlib.util
from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from pathlib import Path
from random import Random  # noqa: TID251 - always with a seed

import numpy as np
import pytest

from molt_bench.errors import RulesError
from molt_bench.poker import equity, evaluator
from molt_bench.poker.cards import cards_from_text, deal_from_text
from molt_bench.poker.evaluator import STRENGTHS, category, showdown, strength

#: Of all hands of five and of seven cards, as published (Wikipedia, "Poker probability").
FIVE_CARD_HANDS = {
    "straight flush": 40,
    "four of a kind": 624,
    "full house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three of a kind": 54_912,
    "two pair": 123_552,
    "pair": 1_098_240,
    "high card": 1_302_540,
}
SEVEN_CARD_HANDS = {
    "straight flush": 41_584,
    "four of a kind": 224_848,
    "full house": 3_473_184,
    "flush": 4_047_644,
    "straight": 6_180_020,
    "three of a kind": 6_461_620,
    "two pair": 31_433_400,
    "pair": 58_627_800,
    "high card": 23_294_460,
}


def of(text: str) -> int:
    return strength(cards_from_text(text))


@cache
def kinds_of_five_cards() -> dict[tuple[tuple[int, ...], bool], tuple[int, int]]:
    """Return for all ranks of five cards, and whether they are of one suit, a strength and how many hands they are."""
    found = {}
    for ranks in combinations_with_replacement(range(13), 5):
        times = Counter(ranks)
        if max(times.values()) > 4:
            continue
        # Cards of one rank get one suit after another, and the highest card one of its own.
        cards = [4 * rank + suit for rank in times for suit in range(times[rank])]
        ways = prod(comb(4, count) for count in times.values())
        if len(times) == 5:
            found[ranks, True] = strength(cards), 4
            ways -= 4
            cards[-1] += 1
        found[ranks, False] = strength(cards), ways
    return found


@cache
def count_seven_card_hands() -> np.ndarray:
    """Evaluate all 133,784,560 hands of seven cards and count each strength; three seconds.

    The highest four of the seven come from one list of all fours, in which those above a card stand last.
    """
    keys, bits = equity.card_arrays()
    fours = np.array(list(combinations(range(52), 4)))
    four_keys = keys[fours].sum(axis=1) + evaluator.KEY_START
    four_bits = bits[fours].sum(axis=1)
    counts = np.zeros(STRENGTHS + 1, np.int64)
    for third in range(2, 48):
        above = slice(np.searchsorted(fours[:, 0], third, side="right"), None)
        for pair in combinations(range(third), 2):
            three = [*pair, third]
            found = equity.strengths(four_keys[above] + keys[three].sum(), four_bits[above] + bits[three].sum())
            counts += np.bincount(found, minlength=STRENGTHS + 1)
    return counts


def by_category(counts) -> dict[str, int]:
    total = Counter()
    for value in range(1, STRENGTHS + 1):
        total[category(value)] += int(counts[value])
    return dict(total)


def test_every_kind_of_five_cards_has_a_strength_of_its_own_from_1_to_7462():
    assert sorted(found for found, _ in kinds_of_five_cards().values()) == list(range(1, STRENGTHS + 1))


def test_every_category_of_five_cards_is_as_frequent_as_published():
    assert by_category(dict(kinds_of_five_cards().values())) == FIVE_CARD_HANDS


@pytest.mark.slow
def test_every_category_of_seven_cards_is_as_frequent_as_published():
    assert by_category(count_seven_card_hands()) == SEVEN_CARD_HANDS


@pytest.mark.slow
def test_seven_cards_have_4824_strengths_and_4324_royal_flushes():
    counts = count_seven_card_hands()
    assert np.count_nonzero(counts) == 4_824
    assert counts[STRENGTHS] == 4_324
    assert counts[0] == 0


def test_many_hands_at_once_have_the_strengths_of_each_alone():
    """So that the count of all seven-card hands speaks for `strength`, too."""
    rng = Random("many at once")
    hands = [rng.sample(range(52), 7) for _ in range(20_000)]
    keys, bits = equity.card_arrays()
    found = equity.strengths(keys[hands].sum(axis=1) + evaluator.KEY_START, bits[hands].sum(axis=1))
    assert found.tolist() == [strength(cards) for cards in hands]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        # Each category beats the next, the weakest of the one against the strongest of the other.
        ("5h4h3h2hAh", "AsAhAdAcKs"),
        ("2s2h2d2c3s", "AsAhAdKsKh"),
        ("2s2h2d3s3h", "AhKhQhJh9h"),
        ("7h5h4h3h2h", "AsKhQhJhTh"),
        ("5s4h3h2hAh", "AsAhAdKsQh"),
        ("2s2h2d4s3h", "AsAhKdKcQs"),
        ("3s3h2d2c4s", "AsAhKdQcJs"),
        ("2s2h5d4c3s", "AsKhQdJc9s"),
        # The ace is high in a straight and low in the wheel, the lowest straight; nothing wraps around.
        ("AsKhQdJcTs", "KsQhJdTc9s"),
        ("6s5h4d3c2s", "5s4h3d2cAs"),
        ("5s4h3d2cAs", "AsAhAdKcQs"),
        ("6h5h4h3h2h", "5h4h3h2hAh"),
        ("AhKhQhJhTh", "KsQsJsTs9s"),
        # Within a category the ranks decide, those that come more often first, then the kickers from the top.
        ("3s3h3d3c2s", "2s2h2d2cAs"),
        ("3s3h3d2s2h", "2s2h2dAsAh"),
        ("AhTh7h5h3h", "AsTs7s5s2s"),
        ("AhTh4h3h2h", "As9s8s7s6s"),
        ("3s3h3d5s4h", "2s2h2dAsKh"),
        ("AsAh2d2c3s", "KsKhQdQcAs"),
        ("AsAh3d3c5s", "AdAc3s3h4s"),
        ("AsKhQdJc9s", "AhKdQcJs8s"),
        # Of six and seven cards the best five count.
        ("AsKhQdJcTs 2h", "AsKhQdJc9s 8h"),
        ("AsAhKdKc3s3h Qd", "AsAhKdKcJs Td 9c"),
        ("7s7h7dAsAhKsKh", "7s7h7dKsKhQsQh"),
        ("AhKh9h4h2h3c5d", "AhKs9h4d2h3c5d"),
        ("Ah9h7h5h3h2h4c", "6s5h4s3d2h As Ac"),
        ("9h8h7h6h5h4h Ah", "8h7h6h5h4h AhKh"),
    ],
)
def test_the_better_hand_by_the_rule_book_is_the_stronger(better, worse):
    assert of(better) > of(worse)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AsKhQdJc9s", "AhKdQcJs9h"),
        ("AhKhQhJh9h", "AsKsQsJs9s"),
        ("AsAhKdKcQs 5h5d", "AdAcKsKhQh 4s4c"),
        ("7s7h7d6s6h6d 2c", "7s7h7d6s6h 5d 2c"),
        ("5h4h3h2hAh AsAd", "5c4c3c2cAc KcQd"),
        ("AhKhQhJh9h 8h7h", "AsKsQsJs9s 2s2c"),
    ],
)
def test_suits_and_cards_beyond_the_best_five_decide_nothing(one, other):
    assert of(one) == of(other)


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("AhKhQhJhTh", "straight flush"),
        ("5h4h3h2hAh AsAd", "straight flush"),
        ("2s2h2d2c3s 3h3d", "four of a kind"),
        ("7s7h7d6s6h6d 2c", "full house"),
        ("7h5h4h3h2h", "flush"),
        ("Ah9h7h5h3h AsAd", "flush"),
        ("5s4h3d2cAs AhAd", "straight"),
        ("2s2h2d4s3h", "three of a kind"),
        ("AsAhKdKc3s3h Qd", "two pair"),
        ("2sAhKdQcJs", "high card"),
        ("AhKhQhJh2s3d4c", "high card"),
    ],
)
def test_a_hand_has_the_category_of_its_best_five(cards, name):
    assert category(of(cards)) == name


@pytest.mark.parametrize(
    ("deal", "winner"),
    [
        ("2c3d 4c5d AhKhQhJhTh", "tie"),  # the board plays
        ("2c3d 4c4d AsAhKdKcQs", "tie"),  # so it does with three pairs
        ("AhKd AsKc 2c7d9hJsQc", "tie"),
        ("AhKd AsQc 2c7d9hJsQd", "second"),
        ("AhKd AsQc 2c7d9hJsAd", "first"),  # by the kicker
        ("Ah2d As3c AdKcQhJs9d", "tie"),  # the kickers do not play
        ("Ah2d Ks3c 5h6h7h8s9h", "first"),  # a flush over a straight
        ("2h3d Kh3c 5h6h7h8s9h", "second"),  # the higher flush
        ("As2d 6s7d 3c4d5hKsKc", "second"),  # the wheel is the lowest straight
    ],
)
def test_a_showdown_goes_to_the_better_hand(deal, winner):
    first, second = showdown(*deal_from_text(deal))
    assert winner == ("first" if first > second else "second" if first < second else "tie")


def test_a_hand_is_worth_its_best_five_cards_in_any_order():
    rng = Random("best five")
    for size in (5, 6, 7):
        for _ in range(700):
            cards = rng.sample(range(52), size)
            assert strength(cards) == strength(sorted(cards)) == max(map(strength, combinations(cards, 5)))


@pytest.mark.parametrize("count", [0, 1, 2, 4, 8])
def test_a_wrong_number_of_cards_has_no_strength(count):
    with pytest.raises(RulesError, match=f"^{count} cards have no strength: expected 5, 6 or 7$"):
        strength(range(count))


@pytest.mark.parametrize("value", [-1, 0, STRENGTHS + 1])
def test_what_is_no_strength_has_no_category(value):
    with pytest.raises(RulesError, match=f"^{value} is no strength: expected 1 to 7462$"):
        category(value)


@cache
def builder():
    """Import the script that made the tables."""
    path = Path(__file__).parents[2] / "scripts" / "build_tables.py"
    spec = importlib.util.spec_from_file_location("build_tables", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_shipped_five_card_strengths_are_those_the_builder_makes():
    offsuit, suited = builder().five_card_strengths()
    assert {ranks: strength([4 * rank + at % 4 for at, rank in enumerate(ranks)]) for ranks in offsuit} == offsuit
    assert {ranks: strength([4 * rank for rank in ranks]) for ranks in suited} == suited


@pytest.mark.slow
def test_the_shipped_tables_are_those_the_builder_makes():
    """Byte for byte, all of the file; two seconds."""
    same = builder().build() == Path(evaluator.TABLES_PATH).read_bytes()
    assert same, "strength.bin is not what scripts/build_tables.py makes: run it"


def test_the_keys_of_seven_ranks_are_all_different():
    """The look-up tells two multisets apart by the sum of their keys alone."""
    build = builder()
    for size in (5, 7):
        multisets = list(build.rank_multisets(size))
        assert len({build.key_sum(ranks) for ranks in multisets}) == len(multisets)
