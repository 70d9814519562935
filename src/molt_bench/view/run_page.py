"""The page of a run, as plain JSON."""

from collections import Counter
from collections.abc import Iterable, Mapping
from copy import copy
from itertools import pairwise
from typing import Any, Final

from molt_bench._version import BENCH_VERSION
from molt_bench.bench.result import RunResult
from molt_bench.errors import MoltBenchError
from molt_bench.report.card import card
from molt_bench.report.explanation import claims, raw_and_corrected
from molt_bench.report.rows import Rows
from molt_bench.report.shapes import LeadRow
from molt_bench.report.totals import played_games
from molt_bench.report.verdict import headline, remarks
from molt_bench.view import rounded
from molt_bench.view.open_run import OpenRun
from molt_bench.view.progress import progress_data
from molt_bench.view.run_list import started
from molt_bench.view.run_names import participants_data
from molt_bench.view.run_parts import (
    costs_data,
    faults_data,
    matches_data,
    reproduce_data,
    style_groups,
    styles_data,
)
from molt_bench.view.winnings import MOST_POINTS, rates_data, winnings_data


def run_summary(run: OpenRun, *, counted: bool = True) -> dict[str, Any]:
    """Return the summary of a run for the list of runs; without leaders if it is not `counted`."""
    rows = Rows(run.result()) if counted and not run.counting else None
    return {
        "id": run.id,
        "started": started(run.id),
        "status": run.status,
        "stopReason": _stop_reason(run),
        **_played(run, rows),
        "usd": _usd(run),
        "participants": [{"id": each["id"], "name": each["displayName"] or each["id"]} for each in run.participants],
        "leaders": [
            {
                "id": row.id,
                "name": row.name,
                "bb100": row.bb_per_100,
                "halfWidth": row.bb_per_100_half_width,
                "mu": rounded(row.mu),
                "sigma": rounded(row.sigma),
                "ranks": list(row.rank_range) if row.rank_range else None,
            }
            for row in (rows.agents if rows is not None and rows.found.result.matches else ())
        ],
        # What the order is by.
        "method": rows.found.rule.method if rows is not None else None,
        "faults": _fault_count(run),
        "version": run.header.version,
        "configHash": run.header.config_hash,
        "counting": rows is None,
    }


def unreadable_summary(run: str, error: MoltBenchError) -> dict[str, Any]:
    """Return the summary of a run that cannot be read."""
    return {
        "id": run,
        "started": started(run),
        "status": "unreadable",
        "stopReason": f"cannot be read: {error}",
        **dict.fromkeys(("matches", "games", "hands", "faults", "usd")),
        "participants": [],
        "leaders": [],
        "version": "",
        "configHash": "",
        "counting": False,
        "error": str(error),
    }


def run_page(run: OpenRun, *, counted: bool = True) -> dict[str, Any]:
    """Return the data of the page of a run; without the results of its matches if they are not `counted`."""
    rows = Rows(run.result()) if counted and not run.counting else None
    by = run.header.bench_version
    doubts = [f"written by bench version {by}; this one is {BENCH_VERSION} and may play other games"]
    return {
        "id": run.id,
        "version": run.version,
        "status": run.status,
        "started": started(run.id),
        "stopReason": _stop_reason(run),
        "pending": run.pending,
        "counting": rows is None,
        "complete": run.pending is None,
        "warnings": [
            *(rows.found.result.warnings if rows is not None else ()),
            *(doubts if by != BENCH_VERSION else ()),
        ],
        "totals": {
            **_played(run, rows),
            "seconds": rounded(run.elapsed_s),
            "usd": _usd(run),
            "tokens": run.spending.tokens if run.config.paid() else None,
            "faults": _fault_count(run),
        },
        "participants": participants_data(run),
        "live": progress_data(run),
        **(_results(run, rows) if rows is not None else _NO_RESULTS),
        "styles": styles_data(run, rows),
        "styleGroups": style_groups(run),
        **{section.name: section.data(rows, run.shows) for section in run.sections},
        "faults": faults_data(run, rows),
        "reproduce": reproduce_data(run),
    }


def _results(run: OpenRun, rows: Rows) -> dict[str, Any]:
    """Return the parts of a page that depend on all matches."""
    found, marked = rows.found, _with_marks(rows)
    result = found.result
    return {
        "rule": rule_data(rows),
        "leaderboard": leaderboard_data(rows),
        "headline": headline(marked),
        "sentences": [*filter(None, [raw_and_corrected(marked)]), *remarks(marked), *claims(marked)],
        "convergence": _convergence(run, result, found.order),
        "spent": _spent(result),
        "payoff": _payoff(rows),
        "winnings": winnings_data(run, rows),
        "winRates": rates_data(run, rows),
        "costs": costs_data(rows),
        "matches": matches_data(rows),
        "card": [part._asdict() for part in card(rows, run.header)],
    }


_NO_RESULTS: Final[Mapping[str, Any]] = {
    "rule": None,
    "convergence": None,
    "payoff": None,
    "winRates": None,
    **dict.fromkeys(("headline", "leaderboard", "sentences", "spent", "winnings", "costs", "matches", "card"), ()),
}


def _with_marks(rows: Rows) -> Rows:
    """Return the rows with ids between marks in place of names: the page puts names there as it does elsewhere."""
    marked = Rows(rows.found.result)
    marked.found = copy(rows.found)
    marked.found.__dict__["shown"] = _marked(rows.found.names)
    return marked


def _marked(ids: Iterable[str]) -> dict[str, str]:
    return {each: f"\N{FIRST STRONG ISOLATE}{each}\N{POP DIRECTIONAL ISOLATE}" for each in ids}


def _stop_reason(run: OpenRun) -> str | None:
    """Return why a run stopped, with ids between marks, too."""
    marks = _marked([each["id"] for each in run.participants])
    halted = run.halted if run.status == "interrupted" else None
    return halted if run.ending is None else run.ending.said(marks)


def _played(run: OpenRun, rows: Rows | None) -> dict[str, int | None]:
    """Return how much was played in the matches that are rated, as every report counts it.

    While a run is being counted, its matches are known only if it has finished.
    """
    matches: int | None
    if rows is not None:
        rated = rows.found.result.matches
        games, matches = played_games(rated), len(rated)
    else:
        whole = {at for at in run.pairs if all(len(run.played(at, seed)) == 2 for seed in run.seeds_of(at))}
        games = [game.record for (match, _, _), game in run.games.items() if match in whole]
        matches = len(whole) if run.status == "finished" else None
    return {
        "matches": matches,
        "games": len(games),
        "hands": sum([game.dealt for game in games]),
        "warmupHands": sum([game.spec.warmup_hands for game in games]),
    }


def _usd(run: OpenRun) -> float | None:
    spending = run.spending
    unknown = not run.config.paid() or spending.unpriced or spending.unanswered
    return None if unknown else rounded(spending.usd)


def _fault_count(run: OpenRun) -> int:
    return sum([len(game.record.faults) for game in run.games.values()])


def rule_data(rows: Rows) -> dict[str, Any]:
    """Return what the order of a leaderboard is about, and from when on it is claimed."""
    found = rows.found
    return {
        "method": found.rule.method,
        "estimator": found.estimator,
        "claimedFrom": rounded(found.claimed_from),
        "tieBb100": rows.tie_bb_per_100,
        "openRuns": found.open_runs,
    }


def _verdict(lead: LeadRow | None) -> dict[str, Any]:
    """Return what is claimed of an agent and the next one, and its lead with the interval that decides."""
    if lead is None:
        return {"verdict": None, "lead": None}
    known = lead.bb_per_100 is not None
    return {"verdict": lead.verdict, "lead": [lead.bb_per_100, lead.bb_per_100_half_width] if known else None}


def leaderboard_data(rows: Rows) -> list[dict[str, Any]]:
    """Return the rows of a leaderboard, by the names that the page has for their columns."""
    usd = {row.usage.id: row.usd_per_hand for row in rows.costs if row.usd_per_hand is not None}
    leads = rows.leads_of if rows.found.verdicts else {}
    return [
        {
            "id": row.id,
            "ranks": row.rank_range,
            "mu": rounded(row.mu),
            "sigma": rounded(row.sigma),
            "wins": row.wins,
            "losses": row.losses,
            "draws": row.draws,
            "bb100": row.bb_per_100,
            "halfWidth": row.bb_per_100_half_width,
            "raw": None if row.raw_bb_per_100 is None else [row.raw_bb_per_100, row.raw_bb_per_100_half_width],
            "fromReference": [row.bb_per_100_from_reference, row.bb_per_100_from_reference_half_width]
            if isinstance(row.bb_per_100_from_reference, float)
            else None,
            "sure": row.better_than_next,
            **_verdict(leads.get(row.id)),
            "hands": row.hands,
            "faults": row.fault_count,
            "forcedFolds": row.forced_folds,
            "reply": rows.found.reply_forms.get(row.id),
            "usdPer100": rounded(100 * usd[row.id]) if row.id in usd else None,
        }
        for row in rows.agents
    ]


def _convergence(run: OpenRun, result: RunResult, order: Iterable[str]) -> dict[str, Any]:
    # Of many matches, not all: more points cannot be seen.
    every = max(1, -(-len(result.convergence) // MOST_POINTS))
    shown = [at for at in range(len(result.convergence)) if at % every == 0 or at == len(result.convergence) - 1]
    steps, standings = [result.convergence[at] for at in shown], [run.standings[at] for at in shown]
    if standings:  # of many participants, those who did not play in the last match have an older one
        standings[-1] = {name: run.standing(name) for name in standings[-1]}
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
                "bb100": [rounded(each[name].mean) for each in standings],
                "halfWidth": [rounded(each[name].half_width) for each in standings],
            }
            for name in order
        ],
        "confidence": [
            {"above": above, "below": below, "sure": [_sure(each, above, below) for each in sures]}
            for above, below in last
        ],
    }


def _sure(known: dict[tuple[str, str], float], above: str, below: str) -> float | None:
    """Return how sure an order was, if the two were neighbours at that time."""
    found = known.get((above, below), known.get((below, above)))
    return None if found is None else rounded(found)


def _spent(result: RunResult) -> list[dict[str, Any]]:
    matches: Counter[tuple[str, str]] = Counter()
    hands: Counter[tuple[str, str]] = Counter()
    for match in result.matches:
        matches[match.participants] += 1
        hands[match.participants] += match.hands
    return [{"a": a, "b": b, "matches": matches[a, b], "hands": hands[a, b]} for a, b in matches]


def _payoff(rows: Rows) -> dict[str, Any] | None:
    found = rows.found
    if not found.result.matches or found.reference is not None:
        return None
    cells = [[rows.between(one, two) for two in found.order] for one in found.order]
    return {
        "ids": list(found.order),
        "mean": [[mean for mean, _ in row] for row in cells],
        "halfWidth": [[half_width for _, half_width in row] for row in cells],
        "cycles": [list(cycle.members) for cycle in found.cycles],
    }
