"""A run in progress: how far it is, and what is being played."""

from typing import Any, Final, NamedTuple

from msgspec import to_builtins

from molt_bench.plugins.view.open_run import OpenRun
from molt_bench.report.rows import Course, OpenRow, Pace, StandingRow, progress_of

#: Matches in progress that are named.
_NAMED: Final = 6
#: More hands than are ever played.
_NEVER: Final = 1e12


class _Spent(NamedTuple):
    """What models have cost so far."""

    usd: float
    tokens: int
    unpriced: bool


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
    )
    spent = _Spent(
        sum(each.cost_usd or 0.0 for each in result.usage),
        sum(each.input_tokens + each.output_tokens for each in result.usage),
        any(each.cost_usd is None and each.replies for each in result.usage),
    )
    return {
        **to_builtins(progress_of(_course(run), config, spent, pace)),
        "matches": [
            {"match": match, "a": a, "b": b, "games": run.games_of[match], "of": wanted}
            for match in current[:_NAMED]
            for a, b in [run.pairs[match]]
        ],
        "moreMatches": max(0, len(current) - _NAMED),
        "underWay": _under_way(run),
    }


def _course(run: OpenRun) -> Course:
    """Return what the rated matches have shown."""
    rows = run.rows
    verdicts = [each for each in rows.verdicts if each.kind == "open"]
    hands = sum(match.hands for match in rows.result.matches)
    known = verdicts and all(each.known for each in verdicts)
    more = (rows.judge.more_play(verdicts) - 1) * hands if known else None
    return Course(
        standings=tuple(
            StandingRow(row.id, row.bb_per_100, row.bb_per_100_half_width, row.mu, row.sigma) for row in rows.agents
        ),
        open=tuple(OpenRow(lead.above, lead.below, lead.bb_per_100) for lead in map(rows.lead, verdicts)),
        more_hands=round(more) if more is not None and more < _NEVER else None,
    )


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
