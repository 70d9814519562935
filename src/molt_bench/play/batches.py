"""Batches: games that go to a worker together, so many that handing them over costs next to nothing."""

from collections import Counter, deque
from collections.abc import Sequence
from typing import Final

from molt_bench.errors import MoltBenchError
from molt_bench.specs import GameSpec

#: Times that a worker may die over the same game before it is taken for the game's doing.
MOST_DEATHS: Final = 3
#: The same for workers that were stopped: more, since that is most likely somebody else's doing.
MOST_STOPS: Final = 10


class Batches:
    """The games of a round that are still to be played, in their order.

    The first batches are single games. From how long they take follows how many make up the wanted time; near the end
    batches get smaller again, so that all workers are done at about the same moment.

    Args:
        specs: The games.
        workers: How many there are to share them.
        seconds: How long a batch is to take.
    """

    def __init__(self, specs: Sequence[GameSpec], *, workers: int, seconds: float) -> None:
        self._waiting = deque(specs)
        self._workers = workers
        self._seconds = seconds
        self._pace = 0.0
        self._deaths: Counter[GameSpec] = Counter()
        self._stops: Counter[GameSpec] = Counter()

    def __len__(self) -> int:
        """How many games there are."""
        return len(self._waiting)

    def take(self) -> list[GameSpec]:
        """Return the next batch."""
        first = self._waiting.popleft()
        batch = [first]
        if not self._pace or self._deaths[first]:
            return batch
        hands = self._seconds / self._pace - _hands(first)
        share = len(self._waiting) // (2 * self._workers)
        while self._waiting and len(batch) <= share and not self._deaths[self._waiting[0]]:
            hands -= _hands(self._waiting[0])
            if hands < 0:
                break
            batch.append(self._waiting.popleft())
        return batch

    def learn(self, batch: Sequence[GameSpec], seconds: float) -> None:
        """Note how long a batch took."""
        pace = seconds / sum(map(_hands, batch))
        self._pace = pace if not self._pace else (self._pace + pace) / 2

    def put_back(self, batch: Sequence[GameSpec], *, begun: bool = True, stopped: bool = False) -> None:
        """Have games played again whose worker died; those it had begun each alone, so that the one at fault is found.

        Args:
            batch: The games.
            begun: Whether the worker had begun to play them.
            stopped: Whether it was stopped rather than died, which is not held against a game.

        Raises:
            MoltBenchError: Workers keep dying over the same game.
        """
        counted, most = (self._stops, MOST_STOPS) if stopped else (self._deaths, MOST_DEATHS)
        for spec in batch if begun else ():
            counted[spec] += 1
            if counted[spec] > most:
                first, second = spec.players
                what = "were stopped" if stopped else "died"
                raise MoltBenchError(
                    f"{counted[spec]} workers {what} while they played {first!r} against {second!r} on seed "
                    f"{spec.seed!r}: --executor inline plays it in this process, and shows why"
                )
        self._waiting.extendleft(reversed(batch))


def _hands(spec: GameSpec) -> int:
    """Return the hands that are played, those that do not count included."""
    return spec.hands + spec.warmup_hands
