"""What the next match of every pair tells: how much of the variance of open leads it removes, for its cost."""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from molt_bench.poker.arrays import Floats
from molt_bench.specs import Pair


class Gains:
    """The gain of every pair that may play.

    Args:
        participants: The names behind the rows and columns.
        matrix: The gain of every two, once above the diagonal; those below do not count.
        playing: The pairs that may play, if not all of them.
        cost: What a match of each pair costs, if that differs.
    """

    def __init__(
        self,
        participants: Sequence[str],
        matrix: Floats,
        *,
        playing: Collection[Pair] | None = None,
        cost: Mapping[Pair, float] | None = None,
    ) -> None:
        self._names = participants
        self._number = {name: at for at, name in enumerate(participants)}
        if cost:
            dear = np.ones_like(matrix)
            for pair, each in cost.items():
                dear[self._at(pair)] = each
            matrix = matrix / dear
        self._gain = np.where(np.tri(len(participants), dtype=bool), -1.0, matrix)
        if playing is not None:
            told = {self._at(pair): self._gain[self._at(pair)] for pair in playing}
            self._gain = np.full_like(matrix, -1.0)
            for at, each in told.items():
                self._gain[at] = each

    def _at(self, pair: Pair) -> tuple[int, int]:
        one, two = self._number[pair[0]], self._number[pair[1]]
        return (one, two) if one < two else (two, one)

    def best(
        self,
        count: int,
        *,
        without: Collection[Pair],
        recent: Collection[Pair],
        allowed: Callable[[Pair], bool] | None,
    ) -> list[Pair]:
        """Return so many pairs that tell most, best first; recent ones last, and none that tells nothing."""
        gain, found = self._gain.copy(), list[Pair]()
        for pair in without:
            gain[self._at(pair)] = -1.0
        later = {self._at(pair): gain[self._at(pair)] for pair in recent}
        for at in later:
            gain[at] = -1.0
        while len(found) < count:
            at = divmod(int(gain.argmax()), len(self._names))
            if not gain[at] > 0:
                if not later:
                    break
                for again, each in later.items():
                    gain[again] = each
                later = {}
                continue
            gain[at] = -1.0
            pair = self._names[at[0]], self._names[at[1]]
            if allowed is None or allowed(pair):
                found.append(pair)
        return found
