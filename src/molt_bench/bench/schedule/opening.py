"""The opening: a round robin by the circle method, until everybody is connected and has met often enough.

Everybody plays in each of its rounds, so that games connect everybody as soon as possible and all ratings are on one
scale.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from molt_bench.bench.schedule.meetings import Meetings
from molt_bench.specs import Pair

#: Among this few, any two pairs share a member, so once all are connected, any order is as good as another.
_ANY_ORDER: Final = 3


def opening_pair(
    meetings: Meetings,
    min_meetings: int,
    *,
    recent: Collection[Pair],
    chosen: Sequence[Pair],
    allowed: Callable[[Pair], bool] | None,
) -> Pair | None:
    """Return the next pair of the opening; None once everybody is connected and has met often enough.

    Pairs follow the circle method, but those come first that connect separate groups, that have met least, and whose
    members are not yet playing in this round. `allowed` returns whether a pair may play at all; None if every pair may.
    """
    if meetings.least >= max(1, min_meetings):
        return None  # all have met, so nobody has to be connected
    busy = Counter(name for pair in chosen for name in pair)

    def first_of(pairs: Iterable[Pair]) -> Pair | None:
        """Return the first of some pairs whose members play least in this round; recent ones if there is no other."""
        found: dict[bool, tuple[int, Pair]] = {}
        for pair in pairs:
            if pair in chosen or not (allowed is None or allowed(pair)):
                continue
            playing, again = busy[pair[0]] + busy[pair[1]], pair in recent
            if again not in found or playing < found[again][0]:
                found[again] = playing, pair
                if not playing and not again:
                    break
        return found[min(found)][1] if found else None

    if not meetings.connected and (pair := first_of(meetings.apart())) is not None:
        return pair
    if meetings.participants <= _ANY_ORDER:
        return None
    for met, pairs in meetings.by_count():
        if met >= min_meetings:
            return None
        if (pair := first_of(pairs)) is not None:
            return pair
    return None
