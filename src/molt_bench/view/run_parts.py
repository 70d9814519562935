"""The parts of a run page: styles, winnings, costs, faults, matches, and how to reproduce the run, as plain JSON."""

import shlex
from collections import Counter, defaultdict
from itertools import accumulate
from typing import Any, Final

from molt_bench.bench.result import RunResult
from molt_bench.report.analysis import Analysis, cost_numbers
from molt_bench.report.style import Ratio, combined
from molt_bench.runs.journal import Game
from molt_bench.view import rounded
from molt_bench.view.open_run import OpenRun

#: The statistics of a style: key, label, and kind of number.
_STATS: Final = (
    ("vpip", "VPIP", "share"),
    ("pfr", "PFR", "share"),
    ("three_bet", "3-bet", "share"),
    ("aggression_factor", "Aggression factor", "ratio"),
    ("aggression_frequency", "Aggression frequency", "share"),
    ("c_bet", "C-bet", "share"),
    ("fold_to_c_bet", "Fold to C-bet", "share"),
    ("wtsd", "WTSD", "share"),
    ("wsd", "W$SD", "share"),
    ("showdown_winnings", "Showdown bb/100", "bb100"),
    ("other_winnings", "Non-showdown bb/100", "bb100"),
)


def styles_data(run: OpenRun) -> list[dict[str, Any]]:
    """Return the style statistics of each participant."""
    found = {name: combined(parts) for name, parts in run.style_count.parts.items()}
    return [
        {
            "id": each["id"],
            "hands": found[each["id"]].hands,
            "stats": [_stat(getattr(found[each["id"]], key), key, label, kind) for key, label, kind in _STATS],
        }
        for each in run.participants
        if each["id"] in found
    ]


def _stat(ratio: Ratio, key: str, label: str, kind: str) -> dict[str, Any]:
    value = ratio.per_100 if kind == "bb100" else ratio.value
    return {
        "key": key,
        "label": label,
        "kind": kind,
        "value": rounded(value, 4),
        "count": rounded(ratio.count, 2),
        "of": ratio.of,
    }


def winnings_data(run: OpenRun, result: RunResult) -> list[dict[str, Any]]:
    """Return the cumulative winnings of every pairing, by seed pair."""
    big_blind = run.config.game.big_blind
    raw: dict[tuple[str, str], list[float]] = defaultdict(list)
    adjusted: dict[tuple[str, str], list[float]] = defaultdict(list)
    for match in result.matches:
        pairs = match.result.seed_results
        raw[match.participants] += [pair.net / big_blind for pair in pairs]
        adjusted[match.participants] += [
            margin * pair.nominal_hands / 1000 for margin, pair in zip(match.margins["adjusted"], pairs, strict=True)
        ]
    return [
        {
            "a": a,
            "b": b,
            "raw": [rounded(each, 2) for each in accumulate(raw[a, b])],
            "adjusted": [rounded(each, 2) for each in accumulate(adjusted[a, b])],
        }
        for a, b in raw
    ]


def costs_data(found: Analysis) -> list[dict[str, Any]]:
    """Return what each language model used."""
    won = {row.rating.id: row.bb_per_100 for row in found.rows} if found.result.usage else {}
    return [
        {
            "id": row.usage.id,
            "usd": rounded(row.usage.cost_usd, 6),
            "tokens": row.usage.input_tokens + row.usage.output_tokens,
            "calls": row.usage.exchanges,
            "decisions": row.usage.decisions,
            "p50": rounded(row.usage.latency_p50_s),
            "p95": rounded(row.usage.latency_p95_s),
            "usdPer100Decisions": rounded(row.usd_per_100_decisions, 6),
            "bb100": rounded(won[row.usage.id]),
        }
        for row in cost_numbers(found.result)
    ]


def faults_data(run: OpenRun) -> list[dict[str, Any]]:
    """Return the number of faults by participant and kind, with an example of each."""
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], tuple[Game, str, int]] = {}
    for game in run.games.values():
        for fault in game.record.faults:
            key = game.participants[fault.player], fault.kind
            counts[key] += 1
            examples.setdefault(key, (game, fault.message, fault.hand_number))
    found = []
    for (who, kind), count in counts.items():
        game, message, hand = examples[who, kind]
        seeds = run.seeds_of(game.match)
        place = {"match": game.match, "seed": seeds.index(game.record.seed), "hand": max(1, hand)}
        found.append({"id": who, "kind": kind, "count": count, "example": message, "place": place})
    return found


def reproduce_data(run: OpenRun) -> dict[str, Any]:
    """Return everything needed to reproduce the run."""
    import yaml  # loaded late, to keep start-up fast

    header = run.header
    return {
        "command": "molt-bench run --config config.yaml",
        "configYaml": yaml.safe_dump(run.plain, sort_keys=False, allow_unicode=True),
        "versions": {"molt-bench": header.version, "bench": str(header.bench_version), **header.versions},
        "masterSeed": _master_seed(run),
        "configHash": header.config_hash,
        "verify": f"molt-bench verify {shlex.quote(run.id)}",
    }


def _master_seed(run: OpenRun) -> str:
    """Return the master seed, or a note that it is still secret."""
    seed = run.config.seeds.master_seed
    return str(seed) if seed is not None else f"secret until the run ends (SHA-256 {run.header.master_seed_hash})"


def matches_data(run: OpenRun, result: RunResult) -> list[dict[str, Any]]:
    """Return every rated match."""
    big_blind = run.config.game.big_blind
    return [
        {
            "match": match.number,
            "round": match.round,
            "a": match.participants[0],
            "b": match.participants[1],
            "net": match.result.score_a,
            "bb100": rounded(100 * match.result.score_a / big_blind / match.result.nominal_hands),
            "winner": match.result.winner,
            "seeds": len(match.result.seed_results),
            "hands": match.result.hands,
        }
        for match in result.matches
    ]
