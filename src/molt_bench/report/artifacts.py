"""Artifacts: the files of a run that people and programs read.

Only `summary.json` depends on the time or the machine: in all others the same config gives the same bytes.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import to_builtins

from molt_bench.bench.endings import said_of
from molt_bench.bench.result import RunResult
from molt_bench.files import write_whole
from molt_bench.luck.weights import luck_version
from molt_bench.records import MatchResult, Rating
from molt_bench.report.run_rows import Rows
from molt_bench.report.totals import efficiency, guardrails, totals
from molt_bench.report.verdict import disagreements, headline
from molt_bench.specs import Pair

#: The name of the file with the config.
CONFIG: Final = "config.json"
#: The fields of a summary that do not follow from the journal: they depend on the time, or on the machine.
NOT_FROM_JOURNAL: Final = ("seconds", "handsPerSecond", "latency", "warnings")
#: Decimals of a confidence. A change that does not show in these is not written.
_DECIMALS: Final = 4


def leaderboard(rows: Rows) -> dict[str, Any]:
    """Return the final leaderboard, best first: agents, leads, head-to-head results, and cycles."""
    return {
        **({"reference": rows.reference} if rows.reference is not None else {}),
        "estimator": rows.estimator,
        "luck": luck_version(),
        "participants": to_builtins(rows.agents),
        "leads": to_builtins(rows.leads),
        "pairs": to_builtins([*rows.pairs.values()]),
        "cycles": [{"members": list(cycle.members), "sure": round(cycle.sure, 4)} for cycle in rows.cycles],
    }


def matches(rows: Rows) -> dict[str, Any]:
    """Return the history of all matches."""
    found = []
    for row in rows.matches:
        entry = row.plain()
        entry["result"]["perSeed"] = [*row.seeds()]
        found.append(entry)
    return {"matches": found}


def summary(rows: Rows) -> dict[str, Any]:
    """Return the run as a whole: why it stopped, how much was played, what went wrong, how long it took."""
    result = rows.result
    played = totals(result)
    latency = {
        usage.id: {"p50S": usage.latency_p50_s, "p95S": usage.latency_p95_s, "requests": usage.requests}
        for usage in result.usage
    }
    return {
        "headline": " ".join(headline(rows)) or None,
        **({"disagreements": told} if (told := disagreements(rows)) else {}),
        "stopReason": said_of(result.ending, rows.names),
        "ending": None if result.ending is None else to_builtins(result.ending),
        **({"gate": result.gate.plain()} if result.gate is not None else {}),
        "totals": played,
        "seconds": round(result.seconds, 3),
        "handsPerSecond": round(played["hands"] / result.seconds) if result.seconds else None,
        "errors": {row.id: row.faults for row in rows.agents},
        **({"convergenceEfficiency": efficiency(result)} if result.converged else {}),
        **({"latency": latency} if latency else {}),
        **({"unaccounted": msgspec.structs.asdict(result.unaccounted)} if result.unaccounted.requests else {}),
        "guardrails": guardrails(result),
        **({"extensions": _extensions(rows)} if result.extensions else {}),
        # The journal that all this follows from.
        **({"journal": {"lines": result.journal_lines, "sha256": result.journal_hash}} if result.journal_lines else {}),
        "warnings": list(result.warnings),
        "notFromJournal": list(NOT_FROM_JOURNAL),
        "convergence": convergence(result),
    }


def _extensions(rows: Rows) -> list[dict[str, Any]]:
    """Return when the run went on under another stop rule, why it had ended, and the rule until then."""
    return [
        {
            "matches": each.matches,
            "stopReason": None if each.ending is None else each.ending.said(rows.names),
            "stop": each.before.plain(),
        }
        for each in rows.result.extensions
    ]


def convergence(result: RunResult) -> list[dict[str, Any]]:
    """Return what every match changed of ratings and confidences, so that a file does not grow with their square."""
    steps, ratings, known = [], dict[str, Rating](), dict[Pair, float]()
    for step in result.convergence:
        new = [each for each in step.ratings if ratings.get(each.id) != each]
        ratings.update((each.id, each) for each in new)
        sure = (round(each, _DECIMALS) for each in step.confidences)
        neighbours = dict(zip(pairwise(step.ranking), sure, strict=True))
        changed = [(pair, each) for pair, each in neighbours.items() if known.get(pair) != each]
        known = neighbours
        steps.append(
            {
                "match": step.match,
                "ratings": [{"id": each.id, "mu": each.mu, "sigma": each.sigma} for each in new],
                "confidences": [{"above": one, "below": two, "confidence": each} for (one, two), each in changed],
            }
        )
    return steps


def log(rows: Rows) -> str:
    """Return the event log, one JSON object per line: matches with their rating updates, faults, the stop."""
    events: list[dict[str, Any]] = []
    for row in rows.matches:
        events += faults(row.played)
        events.append({"event": "match", **row.plain()})
    events.append({"event": "stop", "reason": said_of(rows.result.ending, rows.names)})
    return as_lines(events)


def faults(match: MatchResult) -> Iterator[dict[str, Any]]:
    """Return the faults in a match, in order, and where they were made; a hook between decisions has none."""
    for game in match.games:
        for fault in game.faults:
            yield {
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
ARTIFACTS: Final[dict[str, Callable[[Rows], str]]] = {
    CONFIG: lambda rows: indented(rows.result.config.plain()),
    "seeds.json": lambda rows: indented(list(rows.result.seeds)),
    "leaderboard.json": lambda rows: indented(leaderboard(rows)),
    "matches.json": lambda rows: indented(matches(rows)),
    "log.jsonl": log,
    "summary.json": lambda rows: indented(summary(rows)),
}


def write_artifacts(result: RunResult | Rows, folder: str | Path) -> list[str]:
    """Write all artifacts of a run; return a warning for each that could not be written."""
    rows = result if isinstance(result, Rows) else Rows(result)
    warnings = []
    for name, make in ARTIFACTS.items():
        path = Path(folder) / name
        try:
            write_whole(path, make(rows).encode())
        except OSError as error:
            warnings.append(f"{path} could not be written: {error.strerror}")
    return warnings
