"""Batches: games sent to a worker together, enough of them that sending costs next to nothing."""

from collections import Counter, deque
from collections.abc import Sequence
from typing import Final

from molt_bench.errors import MoltBenchError
from molt_bench.specs import GameSpec

#: Workers that may die during the same game before the game is blamed.
MOST_DEATHS: Final = 3
#: The same for workers that were stopped: more, since something else most likely stopped them.
MOST_STOPS: Final = 10


class Batches:
    """The games of a round that are still to be played, in order.

    The first batches are single games, which show how many games fill the target time. Near the end batches shrink
    again, so that all workers finish at about the same time.

    Args:
        specs: The games.
        workers: Number of workers that share them.
        seconds: Target duration of a batch.
    """

    def __init__(self, specs: Sequence[GameSpec], *, workers: int, seconds: float) -> None:
        self._waiting = deque(specs)
        self._workers = workers
        self._seconds = seconds
        self._pace = 0.0
        self._deaths: Counter[GameSpec] = Counter()
        self._stops: Counter[GameSpec] = Counter()

    def __len__(self) -> int:
        """Number of games left."""
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
        """Record how long a batch took."""
        pace = seconds / sum(map(_hands, batch))
        self._pace = pace if not self._pace else (self._pace + pace) / 2

    def put_back(self, batch: Sequence[GameSpec], *, begun: bool = True, stopped: bool = False) -> None:
        """Requeue the games of a dead worker; those it had started run one by one, so that the one at fault is found.

        Args:
            batch: The games.
            begun: Whether the worker had started them.
            stopped: Whether it was stopped rather than died, which counts less against a game.

        Raises:
            MoltBenchError: Workers keep dying during the same game.
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
    """Return the hands to be played, including warm-up."""
    return spec.hands + spec.warmup_hands
