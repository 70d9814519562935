"""A run in progress: how far it is, and what is being played."""

from collections import Counter
from typing import Any, Final

from msgspec import to_builtins

from molt_bench.report.progress import Pace, progress_of
from molt_bench.view.open_run import OpenRun

#: Matches in progress that are named.
_NAMED: Final = 6


def progress_data(run: OpenRun) -> dict[str, Any] | None:
    """Return where a run in progress stands; None if it is not in progress."""
    if run.status != "running":
        return None
    played = Counter(match for match, _, _ in run.games)
    wanted = {match: 2 * len(run.seeds_of(match)) for match in run.pairs}
    current = [match for match in sorted(run.pairs) if played[match] < wanted[match]]
    pace = Pace(
        complete=sum([played[match] == games for match, games in wanted.items()]),
        matches=sum([played[match] / wanted[match] for match in wanted]),
        games=len(run.games),
        hands=sum([game.record.dealt for game in run.games.values()]),
        seconds=run.elapsed_s,
    )
    return {
        **to_builtins(progress_of(run.course, run.config, run.spending, pace)),
        "matches": [
            {"match": match, "a": a, "b": b, "games": played[match], "of": wanted[match]}
            for match in current[:_NAMED]
            for a, b in [run.pairs[match]]
        ],
        "moreMatches": max(0, len(current) - _NAMED),
        "underWay": _under_way(run),
    }


def _under_way(run: OpenRun) -> dict[str, Any] | None:
    """Return how many games models are playing, who of them, and the hand that began last; None if there is none."""
    places = [place for place in run.exchanges if place[0] >= 1 and place[:3] not in run.games]
    if not places:
        return None
    asked = {exchange.participant: None for place in places for exchange, _ in run.exchanges[place][:1]}
    match, _, _, hand = places[-1]
    return {"games": len({place[:3] for place in places}), "agents": [*asked], "match": match, "hand": hand}
