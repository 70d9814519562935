"""The pairings of the next round: those of the opening first, then what a matchmaker puts in front."""

from collections.abc import Callable, Sequence
from math import inf

import msgspec

from molt_bench.bench.schedule.gauntlet import deciding_pairs, gauntlet
from molt_bench.bench.schedule.information_gain import information_gain, most_gain, most_gain_of_all
from molt_bench.bench.schedule.meeting_counts import Meetings
from molt_bench.bench.schedule.opening import opening_pair
from molt_bench.bench.schedule.round_robin import round_robin
from molt_bench.bench.schedule.situation import Matchmaker, Situation
from molt_bench.rating.pair_worth import PairWorth
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
        matches: Number of pairings wanted; fewer are returned if fewer can be played.
        recent: Pairs that should not meet again so soon, unless there is no other.
        threshold: Confidence from which a pair is settled and skipped, unless all are. `round_robin` keeps playing
            settled pairs; `information_gain` and `gauntlet` decide for themselves what is worth playing.
        allowed: Returns whether there are cards left for a pair; None if there always are.
    """
    known = situation.meetings
    # A copy of all counts is needed only if more than one pair is chosen.
    meetings = known if isinstance(known, Meetings) and matches == 1 else Meetings.counted(known)
    situation = msgspec.structs.replace(situation, meetings=meetings)
    worth: PairWorth | None = None
    possible: list[Pair] | None = None
    chosen: list[Pair] = []
    if matchmaker in (round_robin, information_gain, gauntlet):
        threshold = inf
    while len(chosen) < matches:
        pair = opening_pair(meetings, situation.min_meetings, recent=recent, chosen=chosen, allowed=allowed)
        if pair is None and worth is None and matchmaker is information_gain and situation.worth is not None:
            worth = situation.worth()
        if pair is None and worth is not None:
            pair = most_gain_of_all(situation, worth, chosen=chosen, recent=recent, allowed=allowed)
            if pair is None:
                break
        elif pair is None:
            if possible is None:
                possible = [pair for pair in meetings if pair not in chosen and (allowed is None or allowed(pair))]
            if not possible:
                break
            useful = deciding_pairs(situation, possible) if matchmaker is gauntlet else possible
            if chosen and not useful:
                break  # everybody else's rank is known
            open_pairs = _open(useful or possible, situation, recent, threshold)
            if chosen and threshold <= 1 and not any(situation.confidence[each] < threshold for each in open_pairs):
                break  # only settled pairs are left, which are played only if there is nothing else
            if matchmaker in (information_gain, gauntlet):
                pair = most_gain(situation, open_pairs)
            else:
                pair = matchmaker(situation, open_pairs)[0]
        chosen.append(pair)
        if possible is not None:
            possible.remove(pair)
        if len(chosen) < matches:
            meetings[pair] += 1
    return chosen


def _open(possible: Sequence[Pair], situation: Situation, recent: Sequence[Pair], threshold: float) -> Sequence[Pair]:
    """Return the pairs that the matchmaker may choose from."""
    least = min(map(situation.meetings.__getitem__, possible), default=0)
    if least < situation.min_meetings:
        return [pair for pair in possible if situation.meetings[pair] == least]
    unsettled = possible
    if threshold <= 1:
        unsettled = [pair for pair in possible if situation.confidence[pair] < threshold] or possible
    return [pair for pair in unsettled if pair not in recent] or unsettled
