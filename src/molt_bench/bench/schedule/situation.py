"""What a matchmaker knows about a run when it ranks the open pairings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from molt_bench.bench.schedule.meeting_counts import Meetings
from molt_bench.seeds import Seed
from molt_bench.specs import Pair


class Situation(msgspec.Struct, frozen=True):
    """What a matchmaker knows.

    Attributes:
        ranking: Participants, best first.
        mu: Mean of the belief about each participant: its skill, or its result against the field.
        sigma: Its standard deviation.
        meetings: How often each pair has met.
        confidence: Returns how sure the verdict on each pair is, from 0 to 1.
        telling: Returns the pairs whose next match takes variance off open leads, those that take most for their cost
            in front; some of them may have left the run.
        exploration: 0 for close pairs only, 1 for uncertain pairs only.
        seed: Seed for matchmakers that draw at random.
        matches: Matches played so far.
        min_meetings: How often every pair must meet before a matchmaker may choose.
    """

    ranking: tuple[str, ...]
    mu: Mapping[str, float]
    sigma: Mapping[str, float]
    meetings: Meetings
    confidence: Callable[[], Mapping[Pair, float]]
    telling: Callable[[], Iterable[Pair]]
    exploration: float = 0.25
    seed: Seed = 0
    matches: int = 0
    min_meetings: int = 0


#: Ranks the given pairs, the one to play first in front.
Matchmaker: TypeAlias = Callable[[Situation, Sequence[Pair]], list[Pair]]
