"""The luck of the cards in one hand: equities in hindsight, and how each deal changed them.

Two parts of a result are luck. Once nothing is left to decide, the run-out is: the hand is worth its mean over the
cards to come, (2e - 1) times the chips at stake, where e is the equity. And each deal before the last decision is: what
it changed is weighed by the pot before it. Equity in hindsight is a martingale: given both hands and all that has
happened, the mean of e after the next card is e before it. So a deal's term has mean 0 for any weight fixed before the
card falls (a chance control variate, as in MIVAT, White and Bowling 2009, and AIVAT, Burch et al. 2018).

This takes a fair deal: the cards to come are uniform among those left, whatever was done so far. It holds since decks
are hashes that no agent sees.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from molt_bench.luck.weights import DEALS, DealWeights, bucket_of
from molt_bench.poker.actions import OPEN_CARDS, STREETS
from molt_bench.poker.equity import street_equities
from molt_bench.poker.hand import Hand


class Deal(NamedTuple):
    """One deal of cards before the last decision.

    Attributes:
        dealt: 0 for the hole cards, 1 to 3 for flop, turn and river.
        pot: The pot before it, in chips; for the hole cards, the blinds and antes about to be posted.
        behind: Chips that both seats have behind before it.
        raised: Whether a seat raised on the street before it.
        change: Change of seat 0's equity.
    """

    dealt: int
    pot: int
    behind: int
    raised: bool
    change: float


class HandTerms(NamedTuple):
    """What the cards did in one hand, for seat 0 and in chips.

    Attributes:
        all_in: Net chips, with the run-out after the last decision replaced by its mean.
        cards: What the deals before that gave: mean 0.
        equities: Seat 0's equity before the flop, and on every later street with a decision.
    """

    all_in: float
    cards: float
    equities: tuple[float, ...]

    @property
    def adjusted(self) -> float:
        """What was won without the luck of the cards."""
        return self.all_in - self.cards


def hand_terms(hand: Hand, weights: Sequence[DealWeights] = DEALS) -> HandTerms:
    """Take a finished hand apart in hindsight, with both seats' cards known.

    >>> from molt_bench.poker.notation import hand_from_text
    >>> hand = hand_from_text("1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9hKh8s:r10000c:-10000").hand
    >>> hand.payoffs[0], round(hand_terms(hand).all_in)
    (-10000, 6251)
    """
    decided_on = OPEN_CARDS[hand.street]
    equities = street_equities(hand.holes, hand.board[:decided_on])
    all_in = float(hand.payoffs[0])
    if hand.folded < 0 and decided_on < 5:
        all_in = (2 * equities[-1] - 1) * hand.at_stake
    cards = 0.0
    for dealt, pot, behind, raised, change in deals_of(hand, equities):
        cards += weights[dealt][bucket_of(behind, pot, raised=raised)] * pot * change
    return HandTerms(all_in, cards, equities)


def deals_of(hand: Hand, equities: Sequence[float]) -> Iterator[Deal]:
    """Yield the deals before the last decision, read off the log of the hand."""
    rules, (first, second) = hand.rules, hand.starting_stacks
    ante, shorter = rules.ante, min(first, second)
    blinds = min(rules.small_blind + rules.big_blind + 2 * ante, 2 * shorter)
    yield Deal(0, blinds, shorter, raised=False, change=equities[0] - 0.5)
    if len(equities) == 1:
        return
    pot, behind = min(ante, first) + min(ante, second), shorter - min(ante, shorter)
    dealt, street, matched, raised = 0, STREETS[0], 0, False
    for done in hand.log:
        if done.street != street:
            # A player who goes on to another street has matched the last bet on this one.
            pot, behind, dealt = pot + 2 * matched, behind - matched, dealt + 1
            yield Deal(dealt, pot, behind, raised, equities[dealt] - equities[dealt - 1])
            street, matched, raised = done.street, 0, False
        if done.amount > matched:
            matched = done.amount
        if done.kind == "raiseTo":
            raised = True
