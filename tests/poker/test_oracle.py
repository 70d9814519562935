"""The engine and its evaluator against independent ones: PokerKit plays, phevaluator shows down."""

from collections import Counter
from itertools import combinations, combinations_with_replacement, product
from random import Random  # noqa: TID251 - always with a seed

import pokerkit_oracle
import pytest
from phevaluator import evaluate_cards

from molt_bench.poker import hand as hand_module
from molt_bench.poker.actions import LegalActions
from molt_bench.poker.betting import Betting
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.evaluator import STRENGTHS, showdown, strength
from molt_bench.poker.hand import Hand, HandRules

HANDS = 600
SLOW_CHUNKS, SLOW_CHUNK_SIZE = 200, 5_000

#: In how many of a thousand random hands each of these must happen, or the test would not test it.
FREQUENT = {
    "split": 15,
    "all-in showdown": 300,
    "fold to an all-in": 50,
    "free fold": 5,
    "nobody acts": 50,
    "small blind cut short": 15,
    "big blind cut short": 50,
    "blind is the stack": 15,
    "ante cut short": 10,
    "equal blinds": 50,
    "no small blind": 40,
    "raise cap reached": 10,
    "raise war": 20,
    "bets on every street": 5,
    "acts on the river": 100,
    "button in seat 1": 400,
}


def play_all(seeds: range) -> None:
    happened = Counter(event for seed in seeds for event in pokerkit_oracle.play(seed))
    assert happened.keys() == FREQUENT.keys()
    rare = {event: happened[event] for event, least in FREQUENT.items() if 1000 * happened[event] < least * len(seeds)}
    assert not rare


def test_random_hands_are_played_as_pokerkit_plays_them():
    """In 600 hands: who acts, what is legal and what is not, every stack, bet, pot and payoff."""
    play_all(range(HANDS))


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(SLOW_CHUNKS))
def test_a_million_random_hands_are_played_as_pokerkit_plays_them(chunk):
    first = 1_000_000 + chunk * SLOW_CHUNK_SIZE
    play_all(range(first, first + SLOW_CHUNK_SIZE))


@pytest.mark.parametrize("ante", [1, *(pytest.param(ante, marks=pytest.mark.slow) for ante in (0, 2, 5))])
def test_tiny_stacks_are_played_as_pokerkit_plays_them(ante):
    """Every pair of stacks up to seven chips, with every small blind, in both seats."""
    for seed, (small, *stacks, button) in enumerate(product((0, 1, 2), range(1, 8), range(1, 8), (0, 1))):
        deal, burns = pokerkit_oracle.draw_cards(Random(seed))
        rules = HandRules(small, 2, ante)
        setting = pokerkit_oracle.Setting(rules, (stacks[0], stacks[1]), button, deal, burns, "mixed")
        pokerkit_oracle.play(seed, setting)


def smallest_raise_too_large(legal_actions):
    def wrong(hand):
        legal = legal_actions(hand)
        return LegalActions(legal.to_call, min(legal.min_raise_to + 1, legal.max_raise_to), legal.max_raise_to)

    return wrong


def raise_step_forgotten(raise_to):
    def wrong(betting, amount):
        moved = raise_to(betting, amount)
        moved.raise_step = betting.start.rules.big_blind
        if moved.max_raise_to:
            moved.min_raise_to = min(max(moved.bets) + moved.raise_step, moved.max_raise_to)
        return moved

    return wrong


def uncalled_chips_lost(show_down):
    def wrong(hand):
        show_down(hand)
        sign = (hand.payoffs[0] > 0) - (hand.payoffs[0] < 0)
        lost = max(chips - left for chips, left in zip(hand.starting_stacks, hand.limits, strict=True))
        hand.payoffs = (sign * lost, -sign * lost)

    return wrong


def ties_to_seat_0(compare):
    def wrong(holes, board):
        first, second = compare(holes, board)
        return first + (first == second), second

    return wrong


@pytest.mark.parametrize(
    ("owner", "name", "mistake"),
    [
        (Hand, "legal_actions", smallest_raise_too_large),
        (Betting, "_raise", raise_step_forgotten),
        (Hand, "_show_down", uncalled_chips_lost),
        (hand_module, "showdown", ties_to_seat_0),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_mistake_in_the_engine_is_found_and_can_be_reproduced(monkeypatch, owner, name, mistake):
    """Within the first 500 hands, in a hand that the right engine plays right; `scripts/mutants.py` makes more."""
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, mistake(getattr(owner, name)))
        seed, message = first_disagreement(range(500))
        assert f" in pokerkit_oracle.play({seed})\n" in message
        with pytest.raises(AssertionError) as again:
            pokerkit_oracle.play(seed)
        assert str(again.value) == message
    pokerkit_oracle.play(seed)


def first_disagreement(seeds: range) -> tuple[int, str]:
    for seed in seeds:
        try:
            pokerkit_oracle.play(seed)
        except AssertionError as error:
            return seed, str(error)
    pytest.fail(f"no disagreement in {len(seeds)} hands")


def by_phevaluator(cards) -> int:
    """Turn phevaluator's rank, 1 for a royal flush, into a strength; cards go over as text."""
    return STRENGTHS + 1 - evaluate_cards(*[CARD_TEXT[card] for card in cards])


@pytest.mark.parametrize("chunk", range(4))
def test_random_showdowns_end_as_by_phevaluator(chunk):
    """In 24,000 deals both strengths are the same numbers, so the same seat wins or both tie."""
    rng = Random(f"showdowns {chunk}")
    winners = Counter()
    for _ in range(6_000):
        a, b, c, d, *board = rng.sample(range(52), 9)
        found = showdown(((a, b), (c, d)), tuple(board))
        assert found == (by_phevaluator((a, b, *board)), by_phevaluator((c, d, *board))), (a, b, c, d, *board)
        winners[(found[0] > found[1]) - (found[0] < found[1])] += 1
    assert min(winners[1], winners[0], winners[-1]) > 100


@pytest.mark.parametrize("size", [5, 6, 7])
def test_random_hands_have_the_strength_by_phevaluator(size):
    rng = Random(f"strengths {size}")
    for _ in range(8_000):
        cards = rng.sample(range(52), size)
        assert strength(cards) == by_phevaluator(cards), cards


@pytest.mark.parametrize("size", [5, 7])
def test_every_multiset_of_ranks_has_the_strength_by_phevaluator(size):
    """Without a flush, that is all there is: 6,175 multisets of five ranks and 49,205 of seven."""
    multisets = [
        ranks
        for ranks in combinations_with_replacement(range(13), size)
        if all(ranks[at] != ranks[at + 4] for at in range(size - 4))
    ]
    assert len(multisets) == {5: 6_175, 7: 49_205}[size]
    for ranks in multisets:
        # Suits in turn: equal ranks stand together and get different ones, and no suit comes three times.
        cards = [4 * rank + at % 4 for at, rank in enumerate(ranks)]
        assert strength(cards) == by_phevaluator(cards), cards


def test_every_flush_has_the_strength_by_phevaluator():
    """All sets of five, six and seven ranks of one suit, filled up to seven cards with another suit."""
    for size in (5, 6, 7):
        for number, ranks in enumerate(combinations(range(13), size)):
            suit = number % 4
            others = [4 * rank + (suit + 1) % 4 for rank in (ranks[-1], ranks[0])]
            cards = [4 * rank + suit for rank in ranks] + others[: 7 - size]
            assert strength(cards) == by_phevaluator(cards), cards
