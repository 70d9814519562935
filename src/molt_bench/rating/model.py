"""The margin model of one run, by the names of its participants; all numbers come from `margins`."""

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from math import inf

import numpy as np

from molt_bench.poker.arrays import Floats, Ints
from molt_bench.rating.margins import SD_PER_HAND, MarginSums
from molt_bench.specs import Pair


def first_guess(big_blinds: float) -> float:
    """Return the standard deviation to assume for a hand with stacks of so many big blinds."""
    return SD_PER_HAND * min(1.0, big_blinds / 100)


class MarginModel:
    """Seed pairs in, results and leads out.

    Attributes:
        participants: All participants, in the order that breaks ties.
        yardstick: The one that all others play alone, in a gauntlet; else None.
        anchors: Participants outside the field: they provide a scale, and are compared with the field.
        sums: The sums of all margins, by the numbers of participants.

    Args:
        hands: Hands per seed pair.
        sd_per_hand: Standard deviation of a hand assumed before there is data, in thousandths of a big blind.
    """

    def __init__(
        self,
        participants: Sequence[str],
        *,
        hands: float = 100.0,
        sd_per_hand: float = SD_PER_HAND,
        anchors: Collection[str] = (),
        yardstick: str | None = None,
    ) -> None:
        self.participants = tuple(participants)
        self.yardstick = yardstick
        self._number = {name: at for at, name in enumerate(self.participants)}
        self.sums = MarginSums(len(self.participants), hands=hands, sd_per_hand=sd_per_hand)
        self.leave_out(anchors)

    def leave_out(self, anchors: Collection[str]) -> None:
        """Take these participants, and no others, out of the field; all are in it if fewer than two would be."""
        self.anchors = frozenset(anchors)
        field = [name for name in self.participants if name not in self.anchors]
        if self.yardstick is not None:
            field = [self.yardstick]
        elif len(field) < 2:
            field = list(self.participants)
        self._field = tuple(field)
        self.sums.set_field(np.array([float(name in field) for name in self.participants]))

    def add(self, pair: Pair, margins: Sequence[float]) -> None:
        """Add what the first won in seed pairs, in thousandths of a big blind per hand."""
        if margins:
            self.sums.add(*self.numbers([pair]), np.array([margins]))

    @property
    def pairs(self) -> list[Pair]:
        """Every pair of participants that may play, whether they have or not."""
        return [pair for pair in combinations(self.participants, 2) if self.yardstick in (None, *pair)]

    def numbers(self, pairs: Iterable[Pair]) -> tuple[Ints, Ints]:
        """Return the numbers of the first and of the second of some pairs."""
        found = np.array([(self._number[one], self._number[two]) for one, two in pairs], np.int64).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    def of_pair(self, matrix: Floats, pair: Pair) -> float:
        """Return the number of a pair in one of the matrices of `sums`."""
        return float(matrix[0, self._number[pair[0]], self._number[pair[1]]])

    def count(self, first: str, second: str) -> int:
        """Return how many seed pairs two participants have played."""
        return int(self.of_pair(self.sums.count, (first, second)))

    def margin(self, first: str, second: str) -> float:
        """Return what the first wins from the second, from their own games alone."""
        return self.of_pair(self.sums.mean, (first, second))

    def own_variance(self, first: str, second: str) -> float | None:
        """Return the variance of their own seed pairs alone; None if there are fewer than two."""
        count = self.count(first, second)
        return self.of_pair(self.sums.squares, (first, second)) / (count - 1) if count > 1 else None

    def lead(self, first: str, second: str) -> float:
        """Return how much more the first wins from the field than the second.

        Each is a member of it that breaks even against itself. So for two participants it is their margin, and where
        skills add up, the difference of skills.
        """
        standings = self.sums.standings()[0]
        return float(standings[self._number[first]] - standings[self._number[second]])

    def ranking(self) -> tuple[str, ...]:
        """Return the participants, best first; ties keep the declared order."""
        order = np.argsort(-self.sums.standings()[0], kind="stable")
        return tuple([self.participants[at] for at in order.tolist()])

    def field_of(self, name: str) -> tuple[str, ...]:
        """Return the opponents that count for a result: the others of the field."""
        return tuple(other for other in self._field if other != name)

    def met(self, name: str) -> tuple[str, ...]:
        """Return the opponents in the field that a participant has played."""
        return tuple(other for other in self.field_of(name) if self.count(name, other))

    def so_far(self, name: str) -> float:
        """Return what a participant wins from those of the field that it has met; minus infinity before the first."""
        if name == self.yardstick:
            return 0.0
        met = self.met(name)
        return sum(self.margin(name, other) for other in met) / len(met) if met else -inf

    def unmet(self, name: str) -> bool:
        """Return whether a participant has not met all of its field, so that its result is not known."""
        return len(self.met(name)) < len(self.field_of(name))
