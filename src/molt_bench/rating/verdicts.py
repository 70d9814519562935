"""Verdicts: what can be said of each two neighbours of the ranking, and what cannot."""

from collections.abc import Collection
from itertools import pairwise
from typing import Literal, TypeAlias

import msgspec

from molt_bench.rating.margin import MarginModel
from molt_bench.rating.sequence import SPREAD, radius, sure
from molt_bench.rating.student import Estimate

#: The one above is better; they are so close that it does not matter; it is not known.
VerdictKind: TypeAlias = Literal["ordered", "tied", "unresolved"]


class Verdict(msgspec.Struct, frozen=True):
    """What can be said of two neighbours.

    Attributes:
        above: Who has the better result so far.
        below: The other.
        lead: How much more it wins from the field, in thousandths of a big blind a hand.
        sure: How sure it is that it is better, however often one has looked.
        kind: What follows.
    """

    above: str
    below: str
    lead: Estimate
    sure: float
    kind: VerdictKind


def verdicts(
    model: MarginModel, *, threshold: float, tie_margin: float, apart: Collection[str] = ()
) -> tuple[Verdict, ...]:
    """Return the verdict on every adjacent pair of the ranking.

    Args:
        model: What is known.
        threshold: How sure all of them together have to be.
        tie_margin: Within what they count as tied.
        apart: Those who have no rank, and so no neighbours.
    """
    ranking = [name for name in model.ranking() if name not in apart]
    error = (1 - threshold) / max(1, len(ranking) - 1)
    return tuple(verdict(model, above, below, error=error, tie_margin=tie_margin) for above, below in pairwise(ranking))


def verdict(model: MarginModel, above: str, below: str, *, error: float, tie_margin: float) -> Verdict:
    """Return the verdict on two participants, wrong with at most this probability.

    Between two that are equal either order would be wrong, so each gets half of it.
    """
    lead = model.lead(above, below)
    spread = SPREAD * tie_margin
    confidence = sure(lead, spread)
    kind: VerdictKind = "unresolved"
    if confidence >= 1 - error / 2:
        kind = "ordered"
    elif abs(lead.mean) + lead.scale < tie_margin and abs(lead.mean) + radius(lead, spread, error) < tie_margin:
        kind = "tied"
    return Verdict(above, below, lead, confidence, kind)


def surely(share: float) -> str:
    """Write a probability; one that is nearly 1 is not written as 1.

    >>> surely(0.9811), surely(0.99999), surely(0.00001)
    ('98.1%', '>99.9%', '<0.1%')
    """
    if share >= 0.9995:
        return ">99.9%"
    return "<0.1%" if share < 0.0005 else f"{share:.1%}"
