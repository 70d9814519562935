"""Verdicts: what the margins show about each two neighbours in the ranking.

The lead of an order is inflated: a run stops when a lead is large enough, so it stops sooner where luck has made it
larger. `Judge.shrunk` takes that out of the median. With z the standard errors of the lead, and T the information at
which it passed the bar, as a multiple of that at the first look, the share of the lead that is due to the stop is about
(1 - 1/T) / z^2. At the first look there is nothing to shrink: nobody chose when to look. See docs/why/evidence.md.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import inf
from typing import Literal, TypeAlias

import msgspec

from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.sequential import Horizon, radius, sure, sure_by
from molt_bench.rating.sequential_batch import doubts as doubts_of
from molt_bench.rating.student import Estimate
from molt_bench.specs import Pair

#: The one above is better; they are too close to matter; it is unknown; or the one below is better.
VerdictKind: TypeAlias = Literal["ordered", "tied", "unresolved", "reversed"]


class Verdict(msgspec.Struct, frozen=True):
    """The verdict on two neighbours: how much more `above` wins from the field, in thousandths of a big blind per hand.

    `sure` is the confidence that `above` is better, allowing for a look after every round.
    """

    above: str
    below: str
    lead: Estimate
    sure: float
    kind: VerdictKind


class Judge(msgspec.Struct, frozen=True):
    """How a lead becomes a verdict.

    Attributes:
        test: The test of each lead.
        error: How often a verdict may be wrong: each of them, or any of them if `familywise`.
        familywise: Whether the error is that of all verdicts together (Holm 1979).
        first: Seed pairs of every pairing at the first look.
    """

    test: Horizon
    error: float = 0.05
    familywise: bool = False
    first: int = 1

    def sure(self, lead: Estimate) -> float:
        """Return the confidence that a lead is above 0; see `sequential.sure`."""
        return sure(self.test, lead)

    def radius(self, lead: Estimate) -> float:
        """Return half the width of the interval that holds the lead at every look."""
        return radius(self.test, lead, self.error)

    def shrunk(self, lead: Estimate) -> float:
        """Return a lead that was large enough to be claimed, without what is due to stopping for it."""
        bar = self.test.bars(lead, self.error)[0]
        if lead.tested in (0.0, inf) or not lead.mean or bar == inf:
            return lead.mean
        z = abs(lead.mean) / lead.tested
        passed = (lead.unit / lead.tested) ** 2 / self.first * (bar / z) ** 2 if lead.unit else inf
        return lead.mean * (1 - (1 - 1 / max(1.0, passed)) / max(1.0, z) ** 2)

    def strictest(self, count: int) -> float:
        """Return the error allowed for the first of so many verdicts."""
        return self.error / max(1, count) if self.familywise else self.error

    def verdicts(self, model: MarginModel, pairs: Iterable[Pair]) -> tuple[Verdict, ...]:
        """Return the verdict on each pair: whether the first is better than the second."""
        pairs = list(pairs)
        found = [(*pair, lead) for pair, lead in zip(pairs, model.leads(pairs), strict=True)]
        doubts = doubts_of(self.test, [lead for _, _, lead in found])
        allowed = [self.error] * len(found)
        if self.familywise:
            ties = [self.test.tie_doubt(lead) for _, _, lead in found]
            allowed = holm(list(map(min, doubts, ties)), self.error)
        verdicts = []
        for (above, below, lead), doubt, error in zip(found, doubts, allowed, strict=True):
            kind: VerdictKind = "ordered" if lead.mean > 0 else "reversed"
            if doubt > error:
                tied = self.test.may_tie(lead, error) and self.test.tie_doubt(lead) <= error
                kind = "tied" if tied else "unresolved"
            verdicts.append(Verdict(above, below, lead, sure_by(doubt, lead), kind))
        return tuple(verdicts)

    def neighbours(self, model: MarginModel) -> tuple[Verdict, ...]:
        """Return the verdict on every adjacent pair of the ranking."""
        return self.verdicts(model, pairwise(model.ranking()))


def holm(doubts: Sequence[float], error: float) -> list[float]:
    """Return the error allowed for each of several p-values, so that `error` is that of all together (Holm 1979).

    The smallest gets an equal share. As long as each passes, the next gets an equal share among those that are left.

    >>> holm([0.03, 0.001, 0.2], 0.06)
    [0.03, 0.02, 0.06]
    """
    allowed = [0.0] * len(doubts)
    left, passed = len(doubts), True
    for at in sorted(range(len(doubts)), key=lambda at: doubts[at]):
        allowed[at] = error / left
        passed = passed and doubts[at] <= allowed[at]
        left -= passed
    return allowed


def surely(share: float) -> str:
    """Format a probability without rounding it to 0% or 100%.

    >>> surely(0.9811), surely(0.99999), surely(0.00001)
    ('98.1%', '>99.9%', '<0.1%')
    """
    if share >= 0.9995:
        return ">99.9%"
    return "<0.1%" if share < 0.0005 else f"{share:.1%}"
