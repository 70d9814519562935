"""Artifacts: the files of a run that people and programs read.

Only `summary.json` depends on the time or the machine: in all others the same config gives the same bytes.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import msgspec

from molt_bench.bench.endings import said_of
from molt_bench.bench.result import PlayedMatch, RunResult
from molt_bench.files import write_whole
from molt_bench.luck.weights import luck_version
from molt_bench.rating.verdicts import Verdict
from molt_bench.records import ESTIMATORS
from molt_bench.report.analysis import Analysis
from molt_bench.report.claims import disagreements
from molt_bench.report.convergence import convergence
from molt_bench.report.costs import CostNumbers, cost_numbers
from molt_bench.report.headline import headline
from molt_bench.report.learning import learners
from molt_bench.report.margins import pairs
from molt_bench.report.totals import efficiency, guardrails, played_games, totals

#: The name of the file with the config.
CONFIG: Final = "config.json"
#: The fields of a summary that do not follow from the journal: they depend on the time, or on the machine.
NOT_FROM_JOURNAL: Final = ("seconds", "handsPerSecond", "latency", "warnings")


def leaderboard(found: Analysis) -> dict[str, Any]:
    """Return the final leaderboard, best first; with the reference, if there is one, and what was won from it."""
    against = found.measured_against
    costs = {row.usage.id: row for row in cost_numbers(found)}
    anchors = {*found.model.anchors} - {*found.left}
    return {
        **({"reference": against} if against is not None else {}),
        "estimator": found.estimator,
        "luck": luck_version(),
        "participants": [
            {
                "rank": row.rank,
                "id": row.rating.id,
                "name": row.name,
                **msgspec.structs.asdict(row.rating),
                "bbPer100": row.bb_per_100,
                "bbPer100HalfWidth": _finite(row.half_width),
                "rawBbPer100": None if row.raw is None else row.raw[0],
                "rawBbPer100HalfWidth": None if row.raw is None else _finite(row.raw[1]),
                **({"bbPer100FromReference": won, "bbPer100FromReferenceHalfWidth": half} if against else {}),
                "rankRange": row.rank_range,
                "betterThanNext": row.better_than_next,
                "hands": row.hands,
                "faults": row.faults,
                "forcedFolds": row.forced_folds,
                **({} if row.ranked else {"ranked": False}),
                **({"anchor": True} if row.rating.id in anchors else {}),
                **_asked_how(found, row.rating.id),
                **({"usage": _usage(costs[row.rating.id])} if row.rating.id in costs else {}),
                **({"sandbox": box} if (box := found.result.boxes.get(row.rating.id)) is not None else {}),
            }
            for row in found.rows
            for won, half in [row.from_reference or (None, None)]
        ],
        "leads": [_verdict(found, each) for each in found.neighbours],
        "headToHead": [_verdict(found, each) for each in found.head_to_head],
        "pairs": pairs(found),
        "cycles": [{"members": list(cycle.members), "sure": cycle.sure} for cycle in found.ranked_cycles],
    }


def _verdict(found: Analysis, verdict: Verdict) -> dict[str, Any]:
    """Return a verdict in thousandths of a big blind per hand; nulls where nothing is known."""
    return {
        "above": verdict.above,
        "below": verdict.below,
        "lead": verdict.lead if verdict.known else None,
        "halfWidth": _finite(verdict.half_width),
        "sure": verdict.sure if verdict.known else None,
        "verdict": verdict.kind,
        "tieMargin": found.rule.tie_margin_mbb,
    }


def _asked_how(found: Analysis, name: str) -> dict[str, str]:
    """Return how a language model was asked; nothing for others, and in runs that recorded none."""
    label = found.result.reply_forms.get(name)
    return {} if label is None else {"reply": label, "track": found.result.config.models()[name].track}


def matches(result: RunResult) -> dict[str, Any]:
    """Return the history of all matches."""
    found = [_match(match) for match in result.matches]
    for entry, match in zip(found, result.matches, strict=True):
        entry["result"]["perSeed"] = _per_seed(match)
    return {"matches": found}


def _per_seed(match: PlayedMatch) -> list[dict[str, Any]]:
    columns = [(name, match.margins[name]) for name in ESTIMATORS]
    return [
        {
            "seed": pair.seed,
            "netA": pair.net,
            "hands": pair.hands,
            "aFirst": pair.games[0].net[0],
            "bFirst": pair.games[1].net[0],
            "draw": any(game.both_failed for game in pair.games),
            "marginsMbb": {name: column[at] for name, column in columns},
        }
        for at, pair in enumerate(match.result.seed_results)
    ]


def _match(match: PlayedMatch) -> dict[str, Any]:
    first, second = match.participants
    (before, other_before), (after, other_after) = match.change.before, match.change.after
    outcome = match.result
    return {
        "id": f"match-{match.number:04}",
        "round": match.round,
        "meeting": match.meeting,
        "participantA": first,
        "participantB": second,
        **({"ownDecks": True} if match.result.own_decks else {}),
        "seeds": [pair.seed for pair in outcome.seed_results],
        "result": {
            "scoreA": outcome.score_a,
            "scoreB": outcome.score_b,
            "winner": outcome.winner,
            "hands": outcome.hands,
            "errors": len(outcome.faults),
        },
        "ratingDelta": {
            first: {"mu": after.mu - before.mu, "sigma": after.sigma - before.sigma},
            second: {"mu": other_after.mu - other_before.mu, "sigma": other_after.sigma - other_before.sigma},
        },
    }


def summary(found: Analysis) -> dict[str, Any]:
    """Return the run as a whole: why it stopped, how much was played, what went wrong, how long it took."""
    result = found.result
    played = totals(result)
    latency = {
        usage.id: {"p50S": usage.latency_p50_s, "p95S": usage.latency_p95_s, "requests": usage.requests}
        for usage in result.usage
    }
    # How the second half compares with the first, for those that may remember.
    halves = {
        name: {"changeMbb": round(each.mean, 3), "halfWidth95Mbb": round(each.half_width(), 3)}
        for name, each in learners(result).items()
    }
    return {
        "headline": " ".join(headline(found)) or None,
        **({"disagreements": told} if (told := disagreements(found)) else {}),
        "stopReason": said_of(result.ending, found.shown),
        "ending": None if result.ending is None else msgspec.to_builtins(result.ending),
        "totals": played,
        "seconds": round(result.seconds, 3),
        "handsPerSecond": round(played["hands"] / result.seconds) if result.seconds else None,
        "errors": {row.rating.id: row.faults for row in found.rows},
        **({"convergenceEfficiency": efficiency(result)} if result.converged else {}),
        **({"latency": latency} if latency else {}),
        **({"unaccounted": msgspec.structs.asdict(result.unaccounted)} if result.unaccounted.requests else {}),
        "guardrails": guardrails(result),
        **({"secondHalf": halves} if halves else {}),
        **({"history": _stages(found)} if result.history else {}),
        # The journal that all this follows from.
        **({"journal": {"lines": result.journal_lines, "sha256": result.journal_hash}} if result.journal_lines else {}),
        "warnings": list(result.warnings),
        "notFromJournal": list(NOT_FROM_JOURNAL),
        "convergence": convergence(result),
    }


def _stages(found: Analysis) -> list[dict[str, Any]]:
    """Return the earlier stages of an extended run: after how many matches each ended, why, and its rule."""
    return [
        {
            "matches": stage.matches,
            "stopReason": None if stage.ending is None else stage.ending.said(found.shown),
            "stop": stage.stop.plain(),
        }
        for stage in found.result.history
    ]


def _usage(row: CostNumbers) -> dict[str, Any]:
    """Return what a language model used, in tokens and dollars."""
    return {
        "model": row.usage.model,
        "reportedAs": list(row.usage.reported),
        "decisions": row.usage.decisions,
        "exchanges": row.usage.exchanges,
        "tokens": {
            "input": row.usage.input_tokens,
            "cached": row.usage.cached_tokens,
            "output": row.usage.output_tokens,
            "reasoning": row.usage.reasoning_tokens,
        },
        "costUsd": row.usage.cost_usd,
        "costUsdPerHand": row.usd_per_hand,
        "costUsdPer100Decisions": row.usd_per_100_decisions,
    }


def log(found: Analysis) -> str:
    """Return the event log, one JSON object per line: matches with their rating updates, faults, the stop."""
    events: list[dict[str, Any]] = []
    for match in found.result.matches:
        events += [
            {
                "event": "fault",
                "match": match.number,
                "seed": game.seed,
                "seating": game.seating,
                "participant": match.participants[fault.player],
                "hand": fault.hand_number,
                "decision": fault.decision,
                "kind": fault.kind,
                "attempt": fault.attempt,
                "forcedFold": fault.forced_fold,
                "message": fault.said,
            }
            for game in played_games([match])
            for fault in game.faults
        ]
        events.append({"event": "match", **_match(match)})
    events.append({"event": "stop", "reason": said_of(found.result.ending, found.shown)})
    return as_lines(events)


def _finite(value: float) -> float | None:
    return value if value != float("inf") else None


def as_lines(events: Iterable[object]) -> str:
    """Return JSON with one value on each line."""
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)


def indented(content: object) -> str:
    """Return JSON for people to read: what `json` writes with an indent."""
    # `json` indents in plain Python, which takes five times as long as writing and indenting in two steps.
    compact = json.dumps(content, ensure_ascii=False)
    try:
        return msgspec.json.format(compact, indent=2) + "\n"
    except msgspec.DecodeError:  # a number that is none, such as NaN
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


#: Every file of a run except those it is made from, and its content; the summary last, which says that all are there.
ARTIFACTS: Final[dict[str, Callable[[Analysis], str]]] = {
    CONFIG: lambda found: indented(found.result.config.plain()),
    "seeds.json": lambda found: indented(list(found.result.seeds)),
    "leaderboard.json": lambda found: indented(leaderboard(found)),
    "matches.json": lambda found: indented(matches(found.result)),
    "log.jsonl": log,
    "summary.json": lambda found: indented(summary(found)),
}


def write_artifacts(result: RunResult | Analysis, folder: str | Path) -> list[str]:
    """Write all artifacts of a run; return a warning for each that could not be written."""
    found = result if isinstance(result, Analysis) else Analysis(result)
    warnings = []
    for name, make in ARTIFACTS.items():
        path = Path(folder) / name
        try:
            write_whole(path, make(found).encode())
        except OSError as error:
            warnings.append(f"{path} could not be written: {error.strerror}")
    return warnings
