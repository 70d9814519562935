"""The luck of the cards in one hand: equities in hindsight, and how each deal changed them."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from molt_bench.kernels import compiled
from molt_bench.luck.cards.batches import Batches
from molt_bench.luck.cards.walk import Opening, Walk, openings_of
from molt_bench.poker.actions import OPEN_CARDS, STREETS
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.equity import equity
from molt_bench.poker.evaluator import showdown
from molt_bench.poker.flop_equity import flop_scores_of
from molt_bench.poker.hand import Hand

#: The deals of a hand, in order.
DEALT: Final = ("holes", "flop", "turn", "river")

#: Slow to compute, and needed again: a deal is played in two seatings, and by every pairing that uses its seed. Some
#: 500 bytes for each flop. Hardly any two deals of a run match but for the names of the suits.
_FLOPS: Final = Batches(flop_scores_of, 1 << 16)


class ChanceTerm(NamedTuple):
    """One deal of cards before the last decision.

    Attributes:
        dealt: 0 for the hole cards, 1 to 3 for flop, turn and river.
        pot: The pot before it, in chips; for the hole cards, the blinds and antes about to be posted.
        behind: Chips that both seats have behind before it.
        raised: Whether somebody raised on the street before it.
        change: Change of seat 0's equity.
    """

    dealt: int
    pot: int
    behind: int
    raised: bool
    change: float


class HandLuck(msgspec.Struct, frozen=True, gc=False):
    """What the cards did in one hand, for seat 0 and in chips.

    Attributes:
        raw: Net chips.
        all_in: The same, with the run-out after the last decision replaced by its mean.
        terms: The deals before that.
        equities: Seat 0's equity before the flop, and on every later street with a decision.
    """

    raw: int
    all_in: float
    terms: tuple[ChanceTerm, ...]
    equities: tuple[float, ...]


def prepare_luck(hands: Iterable[Hand]) -> None:
    """Compute the equities of finished hands that are about to be analysed, together, which is much faster."""
    if compiled is None:
        _FLOPS.prepare([(*hand.holes, hand.board[:3]) for hand in hands if hand.street != STREETS[0]])


def hand_luck(hand: Hand, walk: Walk | None = None) -> HandLuck:
    """Analyse a finished hand in hindsight, with both seats' cards known; `walk` if it has been gone through."""
    raw, all_in, equities = outcome(hand)
    openings = walk.openings if walk else openings_of(hand) if len(equities) > 1 else []
    return HandLuck(raw, all_in, deals_of(hand, equities, openings), equities)


def outcome(hand: Hand) -> tuple[int, float, tuple[float, ...]]:
    """Return `raw`, `all_in` and `equities` of a finished hand, as in `HandLuck`."""
    decided_on = OPEN_CARDS[hand.street]
    equities = street_equities(hand.holes, hand.board[:decided_on])
    raw = hand.payoffs[0]
    all_in = float(raw)
    if hand.folded < 0 and decided_on < 5:
        all_in = (2 * equities[-1] - 1) * hand.at_stake
    return raw, all_in, equities


def before_holes(hand: Hand) -> tuple[int, int]:
    """Return the blinds and antes about to be posted, and the chips behind before that."""
    rules, shorter = hand.rules, min(hand.starting_stacks)
    return min(rules.small_blind + rules.big_blind + 2 * rules.ante, 2 * shorter), shorter


def deals_of(hand: Hand, equities: tuple[float, ...], openings: Sequence[Opening]) -> tuple[ChanceTerm, ...]:
    """Return the deals before the last decision."""
    blinds, shorter = before_holes(hand)
    terms = [ChanceTerm(0, blinds, shorter, raised=False, change=equities[0] - 0.5)]
    # The pot at the first decision on a street was there before the card.
    for dealt, (pot, behind, raised) in enumerate(openings, start=1):
        terms.append(ChanceTerm(dealt, pot, behind, raised, equities[dealt] - equities[dealt - 1]))
    return tuple(terms)


def street_equities(holes: tuple[Hole, Hole], board: Board) -> tuple[float, ...]:
    """Return seat 0's exact equity before the flop, on the flop, on the turn and on the river, as far as `board` goes.

    >>> from molt_bench.poker.cards import deal_from_text
    >>> [round(share, 4) for share in street_equities(*deal_from_text("AhAd KsKc 2c3d9hKh8s"))]
    [0.8126, 0.9162, 0.0455, 0.0]
    """
    first, second = holes
    if compiled is not None:
        shares: tuple[float, ...] | None = compiled.street_equities(first, second, board)
        if shares is not None:
            return shares
    found = [equity(first, second)]
    if board:
        on_flop, by_turn = _FLOPS.of((first, second, board[:3]))
        found.append(on_flop / (2 * 990))
        if len(board) > 3:
            found.append(by_turn[board[3]] / (2 * 44))
        if len(board) > 4:
            one, two = showdown(holes, board)
            found.append(((one > two) + (one >= two)) / 2)
    return tuple(found)


def forget() -> None:
    """Clear the cache, for benchmarks."""
    _FLOPS.clear()
    if compiled is not None:
        compiled.forget_flops()
