"""The page of a run, as plain JSON."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import inf
from typing import Any

from molt_bench._version import BENCH_VERSION
from molt_bench.bench.result import RunResult
from molt_bench.rating.payoffs import nash_averaging, transitivity
from molt_bench.report.analysis import MBB_PER_BB100, Analysis, cost_numbers
from molt_bench.report.claims import sentences
from molt_bench.runs.header import config_hash
from molt_bench.view import rounded
from molt_bench.view.grades import grades_data
from molt_bench.view.open_run import OpenRun
from molt_bench.view.run_list import started
from molt_bench.view.run_parts import (
    costs_data,
    faults_data,
    matches_data,
    reproduce_data,
    styles_data,
    winnings_data,
)


def run_summary(run: OpenRun) -> dict[str, Any]:
    """Return the summary of a run for the list of runs."""
    found = Analysis(run.result())
    rows = sorted(
        found.rows if found.result.matches else (),
        key=lambda row: (row.ranked, -inf if row.bb_per_100 is None else row.bb_per_100),
        reverse=True,
    )
    return {
        "id": run.id,
        "started": started(run.id),
        "status": run.status,
        "stopReason": run.stop_reason,
        **_played(run),
        "usd": _usd(run),
        "participants": [{"id": name, "name": shown} for name, shown in found.names.items()],
        "leaders": [
            {
                "id": row.rating.id,
                "name": row.name,
                "bb100": rounded(row.bb_per_100),
                "halfWidth": rounded(row.half_width),
                "rank": list(row.ranks) if row.ranks else None,
            }
            for row in rows
        ],
        "faults": _fault_count(run),
        "version": run.header.version,
        "configHash": run.header.config_hash,
        "complete": not run.unrated,
    }


def run_page(run: OpenRun) -> dict[str, Any]:
    """Return the data of the page of a run."""
    result = run.result()
    found = Analysis(result)
    return {
        "id": run.id,
        "version": run.version,
        "status": run.status,
        "started": started(run.id),
        "stopReason": run.stop_reason,
        "pending": run.pending,
        "complete": run.pending is None,
        "warnings": [*result.warnings, *_doubts(run)],
        "totals": {
            **_played(run),
            "seconds": rounded(result.seconds),
            "usd": _usd(run),
            "tokens": run.spending.tokens if run.config.models() else None,
            "faults": _fault_count(run),
        },
        "participants": [
            {
                "id": each["id"],
                "name": found.names[each["id"]],
                "anchor": each["anchor"],
                "reference": each["id"] == found.reference,
                "model": each.get("model"),
                "type": each["type"],
                "color": at,
            }
            for at, each in enumerate(run.participants)
        ],
        "leaderboard": _leaderboard(found),
        "sentences": sentences(found),
        "convergence": _convergence(run, result),
        "spent": _spent(result),
        "payoff": _payoff(found),
        "styles": styles_data(run),
        "grades": grades_data(run),
        "winnings": winnings_data(run, result),
        "costs": costs_data(found),
        "faults": faults_data(run),
        "reproduce": reproduce_data(run),
        "matches": matches_data(run, result),
    }


def _doubts(run: OpenRun) -> Iterator[str]:
    """Return reasons to distrust a record."""
    header = run.header
    if config_hash(header.config) != header.config_hash:
        yield "the config has been changed after the run"
    if header.bench_version != BENCH_VERSION:
        yield f"written by bench version {header.bench_version}; this one is {BENCH_VERSION} and may play other games"


def _played(run: OpenRun) -> dict[str, int]:
    return {
        "matches": len(run.ladder.matches),
        "games": len(run.games),
        "hands": sum([game.record.dealt for game in run.games.values()]),
    }


def _usd(run: OpenRun) -> float | None:
    spending = run.spending
    unknown = not run.config.models() or spending.unpriced or spending.unanswered
    return None if unknown else rounded(spending.usd, 6)


def _fault_count(run: OpenRun) -> int:
    return sum([len(game.record.faults) for game in run.games.values()])


def _leaderboard(found: Analysis) -> list[dict[str, Any]]:
    usd = {row.usage.id: row.usd_per_hand for row in cost_numbers(found.result)}
    pairs = found.board_verdicts if found.result.matches else ()
    # Rows are sorted by matches won: by chips, the one below may surely be the better one ("reversed").
    kinds = {each.above: each.kind for each in pairs}
    return [
        {
            "id": row.rating.id,
            "rank": at if row.ranked else None,
            "ranks": list(row.ranks) if row.ranks else None,
            "mu": rounded(row.rating.mu),
            "sigma": rounded(row.rating.sigma),
            "wins": row.rating.wins,
            "losses": row.rating.losses,
            "draws": row.rating.draws,
            "bb100": rounded(row.bb_per_100),
            "halfWidth": rounded(row.half_width),
            "fromReference": None if row.from_reference is None else [rounded(each) for each in row.from_reference],
            "sure": rounded(row.better_than_next, 5),
            "verdict": kinds.get(row.rating.id),
            "hands": row.hands,
            "faults": sum(row.faults.values()),
            "forcedFolds": row.forced_folds,
            "usdPerHand": rounded(usd.get(row.rating.id), 6),
        }
        for at, row in enumerate(found.rows, start=1)
    ]


def _convergence(run: OpenRun, result: RunResult) -> dict[str, Any]:
    steps = result.convergence
    ids = [each["id"] for each in run.participants]
    ratings = [{rating.id: rating for rating in step.ratings} for step in steps]
    sures = [dict(zip(pairwise(step.ranking), step.confidences, strict=True)) for step in steps]
    last = list(pairwise(steps[-1].ranking)) if steps else []
    return {
        "matches": [step.match for step in steps],
        "series": [
            {
                "id": name,
                "mu": [rounded(each[name].mu) for each in ratings],
                "sigma": [rounded(each[name].sigma) for each in ratings],
                "bb100": [rounded(each[name].mean, 2) for each in run.standings],
                "halfWidth": [rounded(each[name].half_width, 2) for each in run.standings],
            }
            for name in ids
        ],
        "confidence": [
            {"above": above, "below": below, "sure": [_sure(each, above, below) for each in sures]}
            for above, below in last
        ],
    }


def _sure(known: dict[tuple[str, str], float], above: str, below: str) -> float | None:
    """Return how sure an order was, if the two were neighbours at that time."""
    if (above, below) in known:
        return rounded(known[above, below], 5)
    return rounded(1 - known[below, above], 5) if (below, above) in known else None


def _spent(result: RunResult) -> list[dict[str, Any]]:
    matches: Counter[tuple[str, str]] = Counter()
    hands: Counter[tuple[str, str]] = Counter()
    for match in result.matches:
        matches[match.participants] += 1
        hands[match.participants] += match.result.hands
    return [{"a": a, "b": b, "matches": matches[a, b], "hands": hands[a, b]} for a, b in matches]


def _payoff(found: Analysis) -> dict[str, Any] | None:
    if not found.result.matches or found.reference is not None:
        return None
    matrix, nash = found.payoffs, nash_averaging(found.model)
    return {
        "ids": list(matrix.participants),
        "mean": [[cell and rounded(cell.mean / MBB_PER_BB100) for cell in row] for row in matrix.cells],
        "halfWidth": [[cell and rounded(cell.half_width / MBB_PER_BB100) for cell in row] for row in matrix.cells],
        "nash": nash and [rounded(nash.weights.get(name), 4) for name in matrix.participants],
        "transitive": rounded(transitivity(found.model).corrected, 4),
        "cycles": [list(cycle.members) for cycle in found.cycles],
    }
