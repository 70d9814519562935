"""The luck of the cards in one hand: equities in hindsight, and how each deal changed them."""

from collections.abc import Iterable, Iterator
from math import fsum
from typing import Final, NamedTuple

import msgspec

from molt_bench.kernels import compiled
from molt_bench.luck.cards.memo import Memo
from molt_bench.luck.coefficients import Coefficients
from molt_bench.poker.actions import OPEN_CARDS, STREETS
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.equity import equity
from molt_bench.poker.evaluator import showdown
from molt_bench.poker.flop_equity import flop_scores_of
from molt_bench.poker.hand import Hand

#: The deals of a hand, in order.
DEALT: Final = ("holes", "flop", "turn", "river")

#: Slow to compute, and needed again: a deal is played in two seatings. Some 500 bytes for each flop. Hardly any two
#: deals of a run match but for the names of the suits.
_FLOPS: Final = Memo(flop_scores_of, 1 << 16)


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


def hand_luck(hand: Hand) -> HandLuck:
    """Analyse a finished hand in hindsight, with both seats' cards known."""
    decided_on = OPEN_CARDS[hand.street]
    equities = street_equities(hand.holes, hand.board[:decided_on])
    raw = hand.payoffs[0]
    all_in = float(raw)
    if hand.folded < 0 and decided_on < 5:
        all_in = (2 * equities[-1] - 1) * hand.at_stake
    return HandLuck(raw, all_in, tuple(_deals_of(hand, equities)), equities)


def _deals_of(hand: Hand, equities: tuple[float, ...]) -> Iterator[ChanceTerm]:
    """Yield the deals before the last decision, read off the log of the hand."""
    rules, (first, second) = hand.rules, hand.starting_stacks
    ante, shorter = rules.ante, min(first, second)
    blinds = min(rules.small_blind + rules.big_blind + 2 * ante, 2 * shorter)
    yield ChanceTerm(0, blinds, shorter, raised=False, change=equities[0] - 0.5)
    if len(equities) == 1:
        return
    pot, behind = min(ante, first) + min(ante, second), shorter - min(ante, shorter)
    dealt, street, matched, raised = 0, STREETS[0], 0, False
    for done in hand.log:
        if done.street != street:
            # Whoever goes on to another street has matched the last bet on this one.
            pot, behind, dealt = pot + 2 * matched, behind - matched, dealt + 1
            yield ChanceTerm(dealt, pot, behind, raised, equities[dealt] - equities[dealt - 1])
            street, matched, raised = done.street, 0, False
        if done.amount > matched:
            matched = done.amount
        if done.kind == "raiseTo":
            raised = True


def chance_luck(terms: tuple[ChanceTerm, ...], coefficients: Coefficients) -> float:
    """Return the chips attributed to the luck of the cards, for seat 0."""
    return fsum(
        [
            coefficients.chance[dealt][coefficients.bucket(behind, pot, raised=raised)] * pot * change
            for dealt, pot, behind, raised, change in terms
        ]
    )


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


def forget_equities() -> None:
    """Clear the cache, for benchmarks; that of the kernel is small."""
    _FLOPS.clear()
