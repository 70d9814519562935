"""How much was played in a run, the checks that every trustworthy run passes, and how many games it saved."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from molt_bench.bench.result import RunResult
from molt_bench.records import GameRecord, MatchResult
from molt_bench.report.number_text import dollars


def played_games(matches: Iterable[MatchResult]) -> list[GameRecord]:
    """Return the games of some matches."""
    return [game for match in matches for game in match.games]


def totals(result: RunResult) -> dict[str, int]:
    """Return how much was played."""
    games = played_games(result.matches)
    return {
        "matches": len(result.matches),
        "games": len(games),
        "hands": sum(game.dealt for game in games),
        "actions": sum(game.actions for game in games),
    }


def hands_text(result: RunResult) -> str:
    """Say how many hands were dealt, and how many of them are warm-up hands, which count in no other number."""
    warmup = sum(game.spec.warmup_hands for game in played_games(result.matches))
    besides = f" ({warmup:,} of them warm-up, which do not count)" if warmup else ""
    return f"{totals(result)['hands']:,} hands{besides}"


def guardrails(result: RunResult) -> dict[str, Any]:
    """Return the checks that every trustworthy run passes."""
    games = played_games(result.matches)
    failed = sum(any(fault.forced_fold for fault in game.faults) for game in games)
    sigmas = [
        after.sigma < before.sigma
        for match in result.matches
        if match.change is not None
        for before, after in zip(match.change.before, match.change.after, strict=True)
    ]
    return {
        "errorRate": failed / len(games) if games else 0.0,
        "chipsConserved": all(sum(game.net) == 0 for game in games),
        "sigmaDecreased": sum(sigmas) / len(sigmas) if sigmas else 1.0,
    }


def efficiency(result: RunResult) -> dict[str, Any]:
    """Return how many games a run took to converge, and how many a round robin of the same depth would have taken."""
    met = Counter(match.participants for match in result.matches)
    count, per_match = len(result.config.participants), 2 * result.config.seeds.per_match
    full = count * (count - 1) // 2 * max(met.values(), default=0) * per_match
    games = len(result.matches) * per_match
    return {"games": games, "roundRobinGames": full, "ratio": games / full if full else None}


def unaccounted_line(result: RunResult) -> str:
    """Say what may have been spent besides: on requests of unknown cost."""
    lost = result.unaccounted
    requests = f"{lost.requests:,} request{'' if lost.requests == 1 else 's'}"
    most = f"up to {dollars(lost.usd)}" if lost.usd else f"up to {lost.tokens:,} tokens"
    return f"unaccounted: {requests}, {most}: sent, and no answer was read that says what they cost."
