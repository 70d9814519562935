"""The luck of the cards in many hands, by fixed weights: what estimators subtract, and what weights are fitted to."""

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple, TypeAlias

from molt_bench.luck.cards.chance import ChanceTerm, deals_of
from molt_bench.luck.cards.walk import Opening
from molt_bench.luck.coefficients import SOLID, Coefficients, packed_chance
from molt_bench.luck.fitting import card_parts
from molt_bench.luck.terms import packed_terms
from molt_bench.poker.hand import Hand

#: The chips attributed to the cards by each set of weights, for seat 0; and the deals whose weights can be fitted, as
#: terms in chips of player A.
CardLuck: TypeAlias = tuple[list[float], bytes]


class CardWeights(NamedTuple):
    """Sets of weights.

    Attributes:
        sets: One after another.
        packed: The same for the compiled kernel, which the buckets of `SOLID` follow.
    """

    sets: tuple[Coefficients, ...]
    packed: tuple[tuple[tuple[bytes, bytes], ...], tuple[bytes, bytes]]

    @classmethod
    def of(cls, sets: Sequence[Coefficients]) -> "CardWeights":
        """Return these sets."""
        return cls(tuple(sets), (tuple([packed_chance(each) for each in sets]), packed_chance(SOLID)))


def card_luck(
    hand: Hand,
    equities: tuple[float, ...],
    openings: list[Opening],
    weights: CardWeights,
    *,
    row: int,
    sign: int,
) -> CardLuck:
    """Return the luck of the cards in a finished hand.

    Args:
        hand: The hand.
        equities: Seat 0's, before the flop and on every street with a decision.
        openings: The first decisions of later streets.
        weights: Sets of weights.
        row: The row of the terms.
        sign: -1 if player A sat in seat 1.
    """
    terms = deals_of(hand, equities, openings)
    return [chance_luck(terms, each) for each in weights.sets], packed_terms(row, card_parts(terms, sign).items())


def chance_luck(terms: tuple[ChanceTerm, ...], coefficients: Coefficients) -> float:
    """Return the chips attributed to the luck of the cards, for seat 0."""
    return fsum(
        [
            coefficients.chance[dealt][coefficients.bucket(behind, pot, raised=raised)] * pot * change
            for dealt, pot, behind, raised, change in terms
        ]
    )
