"""A run in progress: how far it is, and what is being played."""

from typing import Any, Final

from msgspec import to_builtins

from molt_bench.plugins.view.open_run import OpenRun
from molt_bench.report.rows import Pace, progress_of

#: Matches in progress that are named.
_NAMED: Final = 6


def progress_data(run: OpenRun) -> dict[str, Any] | None:
    """Return where a run in progress stands; None if it is not in progress."""
    if run.status != "running":
        return None
    result = run.rows.result
    config = result.config  # with the stop rule of its last stage
    wanted = 2 * config.seeds.per_match
    current = [match for match, games in sorted(run.games_of.items()) if games < wanted]
    pace = Pace(
        complete=len(run.games_of) - len(current),
        matches=len(run.run.games) / wanted,
        games=len(run.run.games),
        hands=sum(game.record.dealt for game in run.run.games),
        seconds=result.seconds,
        usd=sum(each.cost_usd or 0.0 for each in result.usage),
        tokens=sum(each.input_tokens + each.output_tokens for each in result.usage),
        unpriced=any(each.cost_usd is None and each.replies for each in result.usage),
    )
    rows = run.rows
    ratings = [rows.ratings[name] for name in rows.order]
    return {
        **to_builtins(progress_of(config, pace, ratings, rows.results.__getitem__, rows.verdicts)),
        "matches": [
            {"match": match, "a": a, "b": b, "games": run.games_of[match], "of": wanted}
            for match in current[:_NAMED]
            for a, b in [run.pairs[match]]
        ],
        "moreMatches": max(0, len(current) - _NAMED),
        "underWay": _under_way(run),
    }


def _under_way(run: OpenRun) -> dict[str, Any] | None:
    """Return how many games models are playing, who of them, and the hand that began last; None if there is none."""
    finished = {game.label for game in run.run.games}
    asked = [said.exchange for said in run.run.said() if said.exchange.attempt and said.exchange.game not in finished]
    if not asked:
        return None
    last = asked[-1]
    agents = [*dict.fromkeys(each.participant for each in asked)]
    games = len({each.game for each in asked})
    return {"games": games, "agents": agents, "match": last.game.match, "hand": last.hand}
