"""What a matchmaker knows about a run when it ranks the open pairings."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias, TypeVar, overload

import msgspec

from molt_bench.rating.pair_worth import PairWorth
from molt_bench.seeds import Seed
from molt_bench.specs import Pair

_Key = TypeVar("_Key")
_Item = TypeVar("_Item")


class Contrast(msgspec.Struct, frozen=True):
    """Two neighbours in the ranking whose order is undecided.

    `weights` are those of each pair's margin in the lead of one over the other, and `target` is the variance of the
    lead that would decide it at its current size.
    """

    weights: Mapping[Pair, float]
    target: float


class Situation(msgspec.Struct, frozen=True):
    """What a matchmaker knows.

    Attributes:
        ranking: Participants, best first.
        mu: Mean of the belief about each participant: its skill, or its result against the field.
        sigma: Its standard deviation.
        meetings: How often each pair has met.
        confidence: Confidence in the order of each pair, from 0.5 to 1.
        exploration: 0 for close pairs only, 1 for uncertain pairs only.
        seed: Seed for matchmakers that draw at random.
        matches: Matches played so far.
        seeds_per_match: Seed pairs per match.
        min_meetings: How often every pair must meet before a matchmaker may choose.
        variance: Variance of the margin of one seed pair, by pair; empty where margins do not decide.
        contrasts: The neighbours whose order is undecided.
        cost: Cost of a match of each pair, in hands or dollars; 1 where missing.
        worth: Returns what another seed pair of every pair is worth to the contrasts, if the two alone tell.
    """

    ranking: tuple[str, ...]
    mu: Mapping[str, float]
    sigma: Mapping[str, float]
    meetings: Mapping[Pair, int]
    confidence: Mapping[Pair, float]
    exploration: float = 0.25
    seed: Seed = 0
    matches: int = 0
    seeds_per_match: int = 1
    min_meetings: int = 0
    variance: Mapping[Pair, float] = {}
    contrasts: Sequence[Contrast] = ()
    cost: Mapping[Pair, float] = {}
    worth: Callable[[], PairWorth | None] | None = None


#: Ranks the given pairs, the one to play first in front.
Matchmaker: TypeAlias = Callable[[Situation, Sequence[Pair]], list[Pair]]


class Lookup(Mapping[_Key, float]):
    """Numbers of participants or pairs, each computed when somebody asks for it, and once."""

    def __init__(self, keys: Collection[_Key], compute: Callable[[_Key], float]) -> None:
        self._keys = keys
        self._compute = compute
        self._known: dict[_Key, float] = {}

    def __getitem__(self, key: _Key) -> float:
        if key not in self._known:
            if key not in self._keys:
                raise KeyError(key)
            self._known[key] = self._compute(key)
        return self._known[key]

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


class LaterMapping(Mapping[_Key, float]):
    """Numbers that are computed all at once when somebody looks at one of them."""

    def __init__(self, compute: Callable[[], Mapping[_Key, float]]) -> None:
        self._compute = compute

    @cached_property
    def known(self) -> Mapping[_Key, float]:
        """All of them, for whoever looks at many."""
        return self._compute()

    def __getitem__(self, key: _Key) -> float:
        return self.known[key]

    def __iter__(self) -> Iterator[_Key]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)


class Later(Sequence[_Item]):
    """Items that are computed when somebody looks at them, and once."""

    def __init__(self, compute: Callable[[], Sequence[_Item]]) -> None:
        self._compute = compute

    @cached_property
    def _items(self) -> Sequence[_Item]:
        return self._compute()

    @overload
    def __getitem__(self, at: int) -> _Item: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[_Item]: ...
    def __getitem__(self, at: int | slice) -> _Item | Sequence[_Item]:
        return self._items[at]

    def __len__(self) -> int:
        return len(self._items)
