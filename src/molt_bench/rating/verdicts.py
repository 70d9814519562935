"""Verdicts: two are ordered if the interval of the lead excludes 0, tied if it holds near-ties alone, and else open.

What is printed after ± is that interval, for a lead, for a result and for what one wins from another. `sure` is the
largest threshold at which the rule would claim what it does.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import inf, isfinite
from typing import Final, Literal, TypeAlias

import msgspec
import numpy as np

from molt_bench.poker.arrays import Floats
from molt_bench.rating.boundary import WIDE, Boundary
from molt_bench.rating.margins import Known
from molt_bench.rating.model import MarginModel
from molt_bench.specs import Pair

#: The one above is better; they are too close to matter; or it is not known.
VerdictKind: TypeAlias = Literal["ordered", "tied", "open"]
#: How sure a claim has been calibrated to be, at least and at most.
_CALIBRATED: Final = (0.8, 0.99)


class Verdict(msgspec.Struct, frozen=True):
    """The verdict on two: how much more `above` wins from the field, or from `below`, in mbb per hand.

    Attributes:
        half_width: Half the width of the interval that decides; infinite if an opponent has not been met.
        sure: The largest threshold at which the two would be ordered or tied.
    """

    above: str
    below: str
    lead: float
    half_width: float
    sure: float
    kind: VerdictKind

    @property
    def known(self) -> bool:
        """Whether all that the lead rests on has been played."""
        return isfinite(self.half_width)


class Result(msgspec.Struct, frozen=True):
    """What a participant wins from the field, in mbb per hand, and half the width of its interval."""

    mean: float
    half_width: float


class Judge(msgspec.Struct, frozen=True):
    """How a lead becomes a verdict.

    Attributes:
        boundary: How wide intervals are.
        familywise: Whether the error is that of all neighbours together.
    """

    boundary: Boundary
    familywise: bool = False

    @property
    def error(self) -> float:
        """How often a verdict may be wrong: each of them, or any of them if `familywise`."""
        return self.boundary.error

    def share(self, count: int) -> float:
        """Return the error allowed for each of so many verdicts on neighbours."""
        return self.error / max(1, count) if self.familywise else self.error

    def neighbours(self, model: MarginModel, order: Sequence[str]) -> tuple[Verdict, ...]:
        """Return the verdict on every two neighbours in an order."""
        pairs = list(pairwise(order))
        return self.verdicts(model, pairs, self.share(len(pairs)))

    def verdicts(self, model: MarginModel, pairs: Sequence[Pair], error: float | None = None) -> tuple[Verdict, ...]:
        """Return the verdict on each pair by their lead: the first of the two is the one above."""
        return self._judged(pairs, model.sums.leads(*model.numbers(pairs)), error or self.error)

    def head_to_head(self, model: MarginModel, error: float | None = None) -> tuple[Verdict, ...]:
        """Return the verdict on every two who have met, by their own games alone; the winner of these is above."""
        pairs = [pair for pair in model.pairs if model.count(*pair)]
        pairs = [pair if model.margin(*pair) >= 0 else pair[::-1] for pair in pairs]
        return self._judged(pairs, model.sums.between(*model.numbers(pairs)), error or self.error)

    def results(self, model: MarginModel) -> dict[str, Result]:
        """Return what each wins from the field, with an interval of the same multiple as that of a lead."""
        known = model.sums.results()
        rows = zip(known.mean[0].tolist(), self.boundary.half_widths(known)[0].tolist(), strict=True)
        return {
            name: Result(mean, half) if isfinite(half) else Result(model.so_far(name), inf)
            for name, (mean, half) in zip(model.participants, rows, strict=True)
        }

    def told_apart(self, model: MarginModel, names: Sequence[str]) -> list[Pair]:
        """Return the pairs in which the first surely leads, if the error is shared among all that one is compared with.

        With `familywise`, it is shared among all pairs.
        """
        first, second = np.triu_indices(len(names), 1)
        number, _ = model.numbers((name, name) for name in names)
        known = model.sums.leads(number[first], number[second])
        count = len(first) if self.familywise else len(names) - 1
        sure = np.abs(known.mean) > self.boundary.half_widths(known, self.error / max(1, count), 0.0)
        one, two = np.where(known.mean[0] > 0, (first, second), (second, first))[:, sure[0]]
        return [(names[above], names[below]) for above, below in zip(one.tolist(), two.tolist(), strict=True)]

    def more_play(self, verdicts: Iterable[Verdict]) -> float:
        """Return how many times the play so far would decide these, if every lead stays as it is; at least 1.

        An interval shrinks as the root of what is played. Infinite where that cannot be said.
        """
        found = 1.0
        for each in verdicts:
            lead = abs(each.lead)
            distance = max(lead, WIDE * self.boundary.tie - lead)
            found = max(found, (each.half_width / distance) ** 2 if distance else inf)
        return found

    def worth(self, known: Known, count: int) -> Floats:
        """Return what a unit of the variance of leads is worth: one over the variance that would decide each.

        There are so many neighbours.
        """
        return (self.boundary.bars(known, self.share(count)) / np.maximum(self.boundary.distances(known), 1e-3)) ** 2

    def _judged(self, pairs: Sequence[Pair], known: Known, error: float) -> tuple[Verdict, ...]:
        halves = self.boundary.half_widths(known, error)[0]
        rows = zip(pairs, known.mean[0].tolist(), halves.tolist(), self.boundary.sure(known)[0].tolist(), strict=True)
        return tuple([Verdict(*pair, lead, half, sure, self._kind(lead, half)) for pair, lead, half, sure in rows])

    def _kind(self, lead: float, half: float) -> VerdictKind:
        if lead > half:
            return "ordered"
        return "tied" if abs(lead) + half <= WIDE * self.boundary.tie else "open"


def surely(share: float) -> str:
    """Format how sure a claim is, as far as it has been calibrated.

    >>> surely(0.981), surely(0.9999), surely(0.55)
    ('98.1%', '>99%', '<80%')
    """
    least, most = _CALIBRATED
    return f"<{least:.0%}" if share < least else f">{most:.0%}" if share > most else f"{share:.1%}"
