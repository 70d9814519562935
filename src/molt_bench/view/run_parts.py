"""The parts of a run page: styles, winnings, costs, faults, matches, and how to reproduce the run, as plain JSON."""

import shlex
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from molt_bench.bench.result import RunResult
from molt_bench.report.analysis import Analysis
from molt_bench.report.costs import cost_numbers
from molt_bench.report.style import Ratio
from molt_bench.runs.journal import Game
from molt_bench.specs import Pair
from molt_bench.view import rounded
from molt_bench.view.open_run import OpenRun
from molt_bench.view.run_list import inside

#: The statistics of a style: key, label, kind of number, and what it means.
_STATS: Final = (
    ("vpip", "VPIP", "share", "Put chips in voluntarily before the flop; posting a blind is not voluntary"),
    ("pfr", "PFR", "share", "Raised before the flop"),
    ("three_bet", "3-bet", "share", "Re-raised the first raise before the flop, where that was possible"),
    ("aggression_factor", "Aggression factor", "ratio", "Bets and raises per call, after the flop"),
    ("aggression_frequency", "Aggression frequency", "share", "Bets and raises among bets, raises, calls and folds"),
    ("c_bet", "C-bet", "share", "Made the first bet on the flop as the last raiser before it"),
    ("fold_to_c_bet", "Fold to C-bet", "share", "Folded to that bet"),
    ("wtsd", "WTSD", "share", "Went to showdown, of the flops seen"),
    ("wsd", "W$SD", "share", "Won chips at showdown; a split pot counts as won"),
    ("showdown_winnings", "Showdown bb/100", "bb100", "Won in hands with a showdown, per 100 of all hands"),
    ("other_winnings", "Non-showdown bb/100", "bb100", "Won in hands without a showdown, per 100 of all hands"),
)


def styles_data(run: OpenRun) -> list[dict[str, Any]] | None:
    """Return the style statistics of each participant; None while games are still to be counted."""
    found = run.styles.known()
    if found is None:
        return None
    return [
        {
            "id": each["id"],
            "hands": found[each["id"]].hands,
            "stats": [_stat(getattr(found[each["id"]], stat[0]), *stat) for stat in _STATS],
        }
        for each in run.participants
        if each["id"] in found
    ]


def _stat(ratio: Ratio, key: str, label: str, kind: str, about: str) -> dict[str, Any]:
    value = ratio.per_100 if kind == "bb100" else ratio.value
    return {
        "key": key,
        "label": label,
        "kind": kind,
        "about": about,
        "value": rounded(value),
        "count": rounded(ratio.count),
        "of": ratio.of,
    }


def winnings_data(run: OpenRun, found: Analysis) -> list[dict[str, Any]]:
    """Return the cumulative winnings of every pairing in big blinds, by seed pair: as dealt, and with luck removed.

    `used` is by the estimator that the result of the pairing is by, so it ends where that does.
    """
    big_blind = run.config.game.big_blind
    sums: dict[Pair, dict[str, list[float]]] = {}
    for match in found.result.matches:
        pair, seeds = match.participants, match.result.seed_results
        own = sums.setdefault(pair, {"raw": [], "allIn": [], "used": []})
        own["raw"] += [seed.net / big_blind for seed in seeds]
        for key, name in (("allIn", "allIn"), ("used", found.estimators[pair])):
            margins = zip(match.margins[name], seeds, strict=True)
            own[key] += [margin * seed.nominal_hands / 1000 for margin, seed in margins]
    return [
        {
            "a": a,
            "b": b,
            "estimator": found.estimators[a, b],
            **{key: [rounded(each) for each in accumulate(values)] for key, values in columns.items()},
        }
        for (a, b), columns in sums.items()
    ]


#: Points of a curve: more than these cannot be seen.
_MOST_POINTS: Final = 400


def totals_data(run: OpenRun, found: Analysis) -> dict[str, Any]:
    """Return what each participant has won from all others together after every match, in big blinds.

    As dealt, with all-in luck removed, and by the estimators that the results are by. Of many matches, not all.
    """
    big_blind, matches = run.config.game.big_blind, found.result.matches
    ids = [each["id"] for each in run.participants]
    curves = {name: {key: [0.0] for key in ("raw", "allIn", "used")} for name in ids}
    for match in matches:
        seeds, (a, b) = match.result.seed_results, match.participants
        won = {"raw": sum([seed.net for seed in seeds]) / big_blind}
        for key, name in (("allIn", "allIn"), ("used", found.estimators[a, b])):
            margins = zip(match.margins[name], seeds, strict=True)
            won[key] = sum([margin * seed.nominal_hands / 1000 for margin, seed in margins])
        for name in ids:
            sign = (name == a) - (name == b)
            for key, values in curves[name].items():
                values.append(values[-1] + sign * won[key])
    step = max(1, -(-len(matches) // _MOST_POINTS))
    shown = sorted({*range(0, len(matches) + 1, step), len(matches)})
    return {
        "matches": shown,
        "series": [
            {"id": name, **{key: [rounded(values[at]) for at in shown] for key, values in curves[name].items()}}
            for name in ids
        ],
    }


def costs_data(found: Analysis) -> list[dict[str, Any]]:
    """Return what each language model used."""
    won = {row.rating.id: row.bb_per_100 for row in found.rows} if found.result.usage else {}
    return [
        {
            "id": row.usage.id,
            "usd": rounded(row.usage.cost_usd),
            "tokens": row.usage.input_tokens + row.usage.output_tokens,
            "calls": row.usage.exchanges,
            "decisions": row.usage.decisions,
            "p50": rounded(row.usage.latency_p50_s),
            "p95": rounded(row.usage.latency_p95_s),
            "usdPer100Decisions": rounded(row.usd_per_100_decisions),
            "bb100": rounded(won[row.usage.id]),
        }
        for row in cost_numbers(found)
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


def reproduce_data(run: OpenRun, path: str | None = None) -> dict[str, Any]:
    """Return everything needed to reproduce the run; `path` is where its folder is for those who type the commands."""
    import yaml  # loaded late, to keep start-up fast

    header = run.header
    shown = path or _from_here(run.folder)
    has_config = inside(run.folder, run.folder / "config.json")
    return {
        "commands": [{"title": title, "command": command} for title, command in _commands(run, shown)],
        "note": None if has_config else "Save the config below as config.yaml first.",
        "configYaml": yaml.safe_dump(run.plain, sort_keys=False, allow_unicode=True),
        "versions": {"molt-bench": header.version, "bench": str(header.bench_version), **header.versions},
        "masterSeed": _master_seed(run),
        "configHash": header.config_hash,
    }


def _commands(run: OpenRun, path: str) -> Iterator[tuple[str, str]]:
    """Return what can be done with a run, and the command for it."""
    folder = shlex.quote(path)
    if run.status == "interrupted":
        yield "Continue it", f"molt-bench resume {folder}"
    has_config = inside(run.folder, run.folder / "config.json")
    config = shlex.quote(f"{path}/config.json") if has_config else "config.yaml"
    yield "Play it again", f"molt-bench run --config {config}"
    yield "Check that every recorded game plays out the same", f"molt-bench verify {folder}"
    if run.status == "finished":
        yield "Rebuild it from its records, calling no model, and compare every file", f"molt-bench replay {folder}"


def _from_here(folder: Path) -> str:
    """Return the path of a folder as one would type it where the program was started."""
    try:
        return str(folder.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(folder)


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
