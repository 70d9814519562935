"""Is a new version worse than an old one? The question of a gate, asked after every round.

Both versions play the same opponents on the same decks. What the new one won more, seed pair by seed pair, is a number
for each opponent; against the old version itself it is what the new one won from it. The numbers are kept as what one
participant, the change, wins from the others, so that the margin model and its boundary hold as they are, for as many
looks as it takes. Nothing here knows poker, and many gates can be looked at at once (research/gate.py).

Half of the allowed error is that of the mean, the other half is shared by the opponents (Bonferroni). An interval is
wrong on one side in half of its errors. So a version that is not worse by more than the margin, against any opponent,
fails in at most `error` of all gates, and one that is worse on average passes in at most half as many.
"""

from collections.abc import Sequence
from math import inf
from typing import Final, NamedTuple

import msgspec
import numpy as np

from molt_bench.poker.arrays import Flags, Floats
from molt_bench.rating.boundary import Boundary
from molt_bench.rating.margins import MarginSums

#: An opponent who seems to have taken more than this share of the margin holds up a pass, until that is surely less
#: than so many margins.
SUSPECT: Final = 0.5
MOST_TO_ONE: Final = 2.0
#: More play than is ever affordable, as a multiple of what has been played.
_NEVER: Final = 1e6


def change_sums(opponents: int, *, hands: float, sd_per_hand: float, runs: int = 1) -> MarginSums:
    """Return empty sums of the changes of a gate, or of many: the change is number 0, the opponents follow."""
    sums = MarginSums(opponents + 1, hands=hands, sd_per_hand=sd_per_hand, runs=runs)
    sums.set_field(np.array([0.0, *[1.0] * opponents]))
    return sums


class Look(NamedTuple):
    """The change so far in every gate, in thousandths of a big blind per hand, with half the width of its interval.

    Attributes:
        mean: On average over the opponents.
        half: Half the width of its interval.
        against: Against every opponent.
        halves: Half the widths of their intervals.
    """

    mean: Floats
    half: Floats
    against: Floats
    halves: Floats


class Tolerance(msgspec.Struct, frozen=True):
    """What a gate lets pass.

    Attributes:
        margin: The loss that it lets pass, in thousandths of a big blind per hand.
        first: Seed pairs against every opponent at the first look.
        error: How often it may fail a version that is not worse by more than the margin.
    """

    margin: float
    first: float
    error: float = 0.05

    def look(self, sums: MarginSums) -> Look:
        """Return what is known so far."""
        runs, size = sums.count.shape[:2]
        boundary = Boundary(self.error, self.margin, self.first, orders=False)
        mean = sums.results()
        others = np.broadcast_to(np.arange(1, size), (runs, size - 1))
        single = sums.between(np.zeros_like(others), others)
        return Look(
            mean.mean[:, 0],
            boundary.half_widths(mean, self.error, -self.margin)[:, 0],
            single.mean,
            boundary.half_widths(single, self.error / (size - 1), -self.margin),
        )

    def lost(self, look: Look) -> Flags:
        """Return which gates surely found a loss of more than the margin, on average or to one opponent."""
        found: Flags = (look.mean + look.half < -self.margin) | self.lost_to(look).any(axis=1)
        return found

    def lost_to(self, look: Look) -> Flags:
        """Return to which opponents more than the margin was surely lost."""
        found: Flags = look.against + look.halves < -self.margin
        return found

    def kept(self, look: Look) -> Flags:
        """Return which gates surely found no loss of more than the margin, on average."""
        found: Flags = look.mean - look.half >= -self.margin
        return found

    def suspects(self, look: Look) -> Flags:
        """Return which opponents seem to have taken too much, and may have taken far too much."""
        unsure = look.against - look.halves < -MOST_TO_ONE * self.margin
        found: Flags = unsure & (look.against < -SUSPECT * self.margin)
        return found

    def times(self, look: Look) -> float:
        """Return how many times what was played would give the answer of the first gate, if the change stays as it is.

        An interval shrinks as the root of what is played. Infinite where that is too much play.
        """
        mean, half = float(look.mean[0]), float(look.half[0])
        each = list(zip(look.against[0].tolist(), look.halves[0].tolist(), strict=True))
        losses = [(mean, half), *each]
        lost = min((_squared(width, -self.margin - change) for change, width in losses), default=inf)
        # A pass takes the mean, and that all under suspicion are cleared.
        suspects = [pair for pair, suspect in zip(each, self.suspects(look)[0].tolist(), strict=True) if suspect]
        most = MOST_TO_ONE * self.margin
        kept = max(
            _squared(half, self.margin + mean), *[_squared(width, most + change) for change, width in suspects], 1
        )
        needed = max(1.0, min(lost, kept))
        return needed if needed < _NEVER else inf


def _squared(half: float, distance: float) -> float:
    return (half / distance) ** 2 if distance > 0 else inf


def names_where(flags: Flags, names: Sequence[str]) -> list[str]:
    """Return the names of a first gate whose flags are set."""
    return [name for name, flag in zip(names, flags[0].tolist(), strict=True) if flag]
