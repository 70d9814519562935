"""What a matchmaker knows about a run when it ranks the open pairings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias, TypeVar

import msgspec

from molt_bench.bench.schedule.gains import Gains
from molt_bench.seeds import Seed
from molt_bench.specs import Pair

_Key = TypeVar("_Key")


class Situation(msgspec.Struct, frozen=True):
    """What a matchmaker knows.

    Attributes:
        ranking: Participants, best first.
        mu: Mean of the belief about each participant: its skill, or its result against the field.
        sigma: Its standard deviation.
        meetings: How often each pair has met.
        confidence: How sure the verdict on each pair is, from 0 to 1.
        exploration: 0 for close pairs only, 1 for uncertain pairs only.
        seed: Seed for matchmakers that draw at random.
        matches: Matches played so far.
        min_meetings: How often every pair must meet before a matchmaker may choose.
        gains: Returns what the next match of every pair tells about open leads.
    """

    ranking: tuple[str, ...]
    mu: Mapping[str, float]
    sigma: Mapping[str, float]
    meetings: Mapping[Pair, int]
    confidence: Mapping[Pair, float]
    exploration: float = 0.25
    seed: Seed = 0
    matches: int = 0
    min_meetings: int = 0
    gains: Callable[[], Gains] | None = None


#: Ranks the given pairs, the one to play first in front.
Matchmaker: TypeAlias = Callable[[Situation, Sequence[Pair]], list[Pair]]


class Later(Mapping[_Key, float]):
    """Numbers that are computed all at once when somebody looks at one of them."""

    def __init__(self, compute: Callable[[], Mapping[_Key, float]]) -> None:
        self._compute = compute

    @cached_property
    def _known(self) -> Mapping[_Key, float]:
        return self._compute()

    def __getitem__(self, key: _Key) -> float:
        return self._known[key]

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)
