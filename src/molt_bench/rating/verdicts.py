"""Verdicts: what the margins show about each two neighbours in the ranking."""

from collections.abc import Collection
from itertools import pairwise
from typing import Literal, TypeAlias

import msgspec

from molt_bench.rating.margin import MarginModel
from molt_bench.rating.sequence import SPREAD, radius, sure
from molt_bench.rating.student import Estimate

#: The one above is better; they are too close to matter; it is unknown.
VerdictKind: TypeAlias = Literal["ordered", "tied", "unresolved"]


class Verdict(msgspec.Struct, frozen=True):
    """The verdict on two neighbours.

    Attributes:
        above: The one with the better result so far.
        below: The other.
        lead: How much more `above` wins from the field, in thousandths of a big blind per hand.
        sure: Anytime-valid confidence that `above` is better.
        kind: The conclusion.
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
        model: The margins.
        threshold: Confidence required of all verdicts together.
        tie_margin: Margin within which two count as tied.
        apart: Participants without a rank, and so without neighbours.
    """
    ranking = [name for name in model.ranking() if name not in apart]
    error = (1 - threshold) / max(1, len(ranking) - 1)
    return tuple(verdict(model, above, below, error=error, tie_margin=tie_margin) for above, below in pairwise(ranking))


def verdict(model: MarginModel, above: str, below: str, *, error: float, tie_margin: float) -> Verdict:
    """Return the verdict on two participants, wrong with probability `error` at most.

    If two are equal, either order would be wrong, so each order gets half of it.
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
    """Format a probability without rounding it to 0% or 100%.

    >>> surely(0.9811), surely(0.99999), surely(0.00001)
    ('98.1%', '>99.9%', '<0.1%')
    """
    if share >= 0.9995:
        return ">99.9%"
    return "<0.1%" if share < 0.0005 else f"{share:.1%}"
