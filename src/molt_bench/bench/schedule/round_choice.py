"""The pairings of the next round: those of the opening first, then what a matchmaker puts in front."""

from collections.abc import Callable, Collection, Iterable

from molt_bench.bench.schedule.matchmakers import information_gain, round_robin
from molt_bench.bench.schedule.opening import opening_pairs
from molt_bench.bench.schedule.situation import Matchmaker, Situation
from molt_bench.specs import Pair


def choose_round(
    matchmaker: Matchmaker,
    situation: Situation,
    *,
    matches: int,
    recent: Collection[Pair] = (),
    threshold: float = 1.0,
    allowed: Callable[[Pair], bool] = lambda pair: True,
) -> list[Pair]:
    """Choose the pairings of the next round, all of them different.

    Args:
        matchmaker: Ranks the open pairs, once the opening is over.
        situation: What is known.
        matches: Number of pairings wanted; fewer are returned if fewer can be played, or the others tell nothing.
        recent: Pairs that should not meet again so soon, unless there is no other.
        threshold: How sure a pair is to be to be skipped as settled, unless all are. `round_robin` keeps playing
            settled pairs; `information_gain` decides for itself what is worth playing.
        allowed: Returns whether there are cards left for a pair.
    """
    meetings = situation.meetings
    chosen = opening_pairs(meetings, situation.min_meetings, matches, recent=recent, allowed=allowed)
    wanted = matches - len(chosen)
    if not wanted:
        return chosen

    def may_play(pair: Pair) -> bool:
        return pair in meetings and pair not in chosen and allowed(pair)

    if matchmaker is information_gain:
        # The few that tell most are found without a list of all pairs.
        chosen += _first(wanted, filter(may_play, situation.telling()), recent)
        if chosen:
            return chosen
    possible = [*filter(may_play, meetings)]
    if matchmaker not in (information_gain, round_robin):
        sure = situation.confidence()
        unsettled = [pair for pair in possible if sure[pair] < threshold]
        # Settled pairs are played only if there is nothing else.
        possible = unsettled or ([] if chosen else possible)
    return chosen + _first(wanted, matchmaker(situation, possible), recent)


def _first(count: int, ranked: Iterable[Pair], recent: Collection[Pair]) -> list[Pair]:
    """Return the first so many of some pairs, recent ones last."""
    rested, later = list[Pair](), list[Pair]()
    for pair in ranked:
        (later if pair in recent else rested).append(pair)
        if len(rested) == count:
            break
    return [*rested, *later][:count]
