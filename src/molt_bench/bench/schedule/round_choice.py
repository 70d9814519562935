"""The pairings of the next round: those of the opening first, then what a matchmaker puts in front."""

from collections.abc import Callable, Sequence

import msgspec

from molt_bench.bench.schedule.matchmakers import gauntlet, information_gain, round_robin
from molt_bench.bench.schedule.meeting_counts import Meetings
from molt_bench.bench.schedule.opening import opening_pair
from molt_bench.bench.schedule.situation import Matchmaker, Situation
from molt_bench.specs import Pair


def choose_round(
    matchmaker: Matchmaker,
    situation: Situation,
    *,
    matches: int,
    recent: Sequence[Pair] = (),
    threshold: float = 1.0,
    allowed: Callable[[Pair], bool] | None = None,
) -> list[Pair]:
    """Choose the pairings of the next round, all of them different.

    Args:
        matchmaker: Ranks the open pairs, once the opening is over.
        situation: What is known.
        matches: Number of pairings wanted; fewer are returned if fewer can be played, or the others tell nothing.
        recent: Pairs that should not meet again so soon, unless there is no other.
        threshold: How sure a pair is to be to be skipped as settled, unless all are. `round_robin` keeps playing
            settled pairs; `information_gain` and `gauntlet` decide for themselves what is worth playing.
        allowed: Returns whether there are cards left for a pair; None if there always are.
    """
    known = situation.meetings
    # A copy of all counts is needed only if more than one pair is chosen.
    meetings = known if isinstance(known, Meetings) and matches == 1 else Meetings.counted(known)
    situation = msgspec.structs.replace(situation, meetings=meetings)
    chosen: list[Pair] = []
    while len(chosen) < matches:
        pair = opening_pair(meetings, situation.min_meetings, recent=recent, chosen=chosen, allowed=allowed)
        if pair is None:
            break
        chosen.append(pair)
        if len(chosen) < matches:
            meetings[pair] += 1
    wanted = matches - len(chosen)
    by_gain = matchmaker in (information_gain, gauntlet)
    if wanted and by_gain and situation.gains is not None:
        chosen += situation.gains().best(wanted, without=chosen, recent=recent, allowed=allowed)
        wanted = 0 if chosen else wanted
    if not wanted:
        return chosen
    possible = [pair for pair in meetings if pair not in chosen and (allowed is None or allowed(pair))]
    if by_gain or matchmaker is round_robin:
        ranked = round_robin(situation, possible)
    else:
        unsettled = [pair for pair in possible if situation.confidence[pair] < threshold]
        # Settled pairs are played only if there is nothing else.
        ranked = matchmaker(situation, unsettled or ([] if chosen else possible))
    ranked.sort(key=lambda pair: pair in recent)
    return [*chosen, *ranked[:wanted]]
