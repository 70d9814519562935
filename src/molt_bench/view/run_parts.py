"""The parts of a run page: styles, costs, faults, matches, and how to reproduce the run, as plain JSON."""

import json
import os
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from molt_bench.config.loader import load_config
from molt_bench.errors import MoltBenchError
from molt_bench.files import inside
from molt_bench.poker.play_statistics import Ratio
from molt_bench.report.artifacts import CONFIG
from molt_bench.report.rows import Rows
from molt_bench.report.style_sums import grouped
from molt_bench.runs.journal_lines import Game
from molt_bench.view import rounded
from molt_bench.view.open_run import OpenRun

#: The statistics of a style: key, label, kind of number, and what it means.
_STATS: Final = (
    (
        "vpip",
        "VPIP",
        "share",
        "Voluntarily put money in the pot: called or raised before the flop, of the hands with a decision there. "
        "Posting a blind is not voluntary, and checking the big blind is not VPIP",
    ),
    ("pfr", "PFR", "share", "Preflop raise: raised before the flop, of the hands with a decision there"),
    (
        "three_bet",
        "3-bet",
        "share",
        "Re-raised the first raise before the flop, of the times it faced that raise and could raise",
    ),
    ("aggression_factor", "AF", "ratio", "Aggression factor: bets and raises per call, after the flop"),
    (
        "aggression_frequency",
        "AFq",
        "share",
        "Aggression frequency: bets and raises among bets, raises, calls and folds after the flop; checks do not count",
    ),
    (
        "c_bet",
        "C-bet",
        "share",
        "Continuation bet: made the first bet on the flop, of the times it had made the last raise before it and "
        "nobody had bet yet",
    ),
    ("fold_to_c_bet", "Fold to C-bet", "share", "Folded, of the times it faced such a bet"),
    (
        "wtsd",
        "WTSD",
        "share",
        "Went to showdown, of the hands that saw a flop; a board that is run out after an all-in counts as seen",
    ),
    ("wsd", "W$SD", "share", "Won money at showdown, of the showdowns; a split pot counts as won"),
    ("showdown_winnings", "Showdown bb/100", "bb100", "Won in hands with a showdown, per 100 of all hands"),
    ("other_winnings", "Non-showdown bb/100", "bb100", "Won in hands without a showdown, per 100 of all hands"),
)


def styles_data(run: OpenRun, rows: Rows | None = None) -> list[dict[str, Any]] | None:
    """Return the style statistics of each participant; None while games are still to be counted."""
    groups = run.styles.known()
    if groups is None:
        return None
    styles = grouped(groups, lambda group: group.player)
    return [
        {
            "id": name,
            "hands": styles[name].hands,
            "stats": [_stat(getattr(styles[name], stat[0]), run.config.game.big_blind, *stat) for stat in _STATS],
        }
        for name in _order(run, rows)
        if name in styles
    ]


def _order(run: OpenRun, rows: Rows | None) -> list[str]:
    """Return all participants in the order of the leaderboard; while that is not known, as in the config."""
    return [each["id"] for each in run.participants] if rows is None else list(rows.found.order)


def style_groups(run: OpenRun) -> list[dict[str, Any]] | None:
    """Return the same by opponent and position, as counts and chances in the order of the statistics."""
    groups = run.styles.known()
    if groups is None:
        return None
    found = []
    for group, style in groups.items():
        ratios = [(getattr(style, name), kind) for name, _, kind, _ in _STATS]
        counts = [_count(ratio, kind, run.config.game.big_blind) for ratio, kind in ratios]
        of = [ratio.of for ratio, _ in ratios]
        found.append({**group._asdict(), "hands": style.hands, "counts": counts, "of": of})
    return found


def _stat(ratio: Ratio, big_blind: int, key: str, label: str, kind: str, about: str) -> dict[str, Any]:
    value = ratio.value
    if kind == "bb100" and value is not None:
        value *= 100 / big_blind
    return {
        "key": key,
        "label": label,
        "kind": kind,
        "about": about,
        "value": rounded(value),
        "count": _count(ratio, kind, big_blind),
        "of": ratio.of,
    }


def _count(ratio: Ratio, kind: str, big_blind: int) -> float | None:
    """Return how often something was done; or the big blinds that were won, which are counted in chips."""
    return rounded(ratio.count / big_blind if kind == "bb100" else ratio.count)


def costs_data(rows: Rows) -> list[dict[str, Any]]:
    """Return what each language model used."""
    return [
        {
            "id": row.usage.id,
            "usd": rounded(row.usage.cost_usd),
            "tokens": row.usage.input_tokens + row.usage.output_tokens,
            "calls": row.usage.exchanges,
            "decisions": row.usage.decisions,
            "p50": rounded(row.usage.latency_p50_s),
            "p95": rounded(row.usage.latency_p95_s),
            "usdPer100Hands": None if row.usd_per_hand is None else rounded(100 * row.usd_per_hand),
            "usdPer100Decisions": rounded(row.usd_per_100_decisions),
            "bb100": rows.by_id[row.usage.id].bb_per_100,
        }
        for row in rows.costs
    ]


def faults_data(run: OpenRun, rows: Rows | None) -> list[dict[str, Any]]:
    """Return the number of faults by participant and kind, the most frequent first, with an example of each."""
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], tuple[Game, str, int]] = {}
    for game in run.games.values():
        for fault in game.record.faults:
            key = game.participants[fault.player], fault.kind
            counts[key] += 1
            examples.setdefault(key, (game, fault.said, fault.hand_number))
    found, order = [], _order(run, rows)
    for (who, kind), count in sorted(counts.items(), key=lambda each: (order.index(each[0][0]), -each[1])):
        game, message, hand = examples[who, kind]
        seeds = run.seeds_of(game.match)
        place = {"match": game.match, "seed": seeds.index(game.record.seed), "hand": max(1, hand)}
        found.append({"id": who, "kind": kind, "count": count, "example": message, "place": place})
    return found


def reproduce_data(run: OpenRun, path: str | None = None, *, published: bool = False) -> dict[str, Any]:
    """Return everything needed to reproduce the run; if it is `published`, its files come as an archive.

    `path` is where its folder is for those who type the commands; None for the folder as seen from here.
    """
    shown = path or from_here(run.folder)
    has_config = _has_config(run)
    what = f"{CONFIG} is not the config of this run: s" if os.path.lexists(run.folder / CONFIG) else "S"
    return {
        "commands": [
            {"title": title, "command": command} for title, command in _commands(run, shown, published=published)
        ],
        "note": None if has_config else f"{what}ave the config below as config.yaml first.",
        "configYaml": yaml.safe_dump(run.plain, sort_keys=False, allow_unicode=True),
    }


def typed(path: str) -> str:
    """Return a path as one types it in a shell: quoted, and never taken for a flag.

    >>> typed("a b"), typed("-x")
    ("'a b'", './-x')
    """
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def archive_name(run: str) -> str:
    """Return the name of the archive of a published run."""
    return f"{run}.zip"


def _commands(run: OpenRun, path: str, *, published: bool) -> Iterator[tuple[str, str]]:
    """Return what can be done with a run, and the command for it."""
    folder = typed(path)
    if published:
        inside = shlex.quote(f"./{run.id}")
        yield "Unpack the archive", f"python3 -m zipfile -e {typed(archive_name(run.id))} ."
        yield "Check that no file was changed", f"cd {inside} && sha256sum --check SHA256SUMS && cd .."
    if run.status == "interrupted":
        yield "Continue it", f"molt-bench resume {folder}"
    config = typed(f"{path}/{CONFIG}") if _has_config(run) else "config.yaml"
    yield "Play it again", f"molt-bench run --config {config}"
    yield "Replay every game from its records, calling no model, and check every file", f"molt-bench verify {folder}"


def _has_config(run: OpenRun) -> bool:
    """Return whether the config beside the journal is the run's own: another one would play another run."""
    path = run.folder / CONFIG
    try:
        return inside(run.folder, path) and load_config(json.loads(path.read_bytes())) == run.config
    except (OSError, ValueError, TypeError, RecursionError, MoltBenchError):
        return False


def from_here(folder: Path) -> str:
    """Return the path of a folder as one would type it where the program was started."""
    try:
        return str(folder.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(folder)


def matches_data(rows: Rows) -> list[dict[str, Any]]:
    """Return every rated match."""
    return [
        {
            "match": match.number,
            "round": match.round,
            "a": match.participants[0],
            "b": match.participants[1],
            "net": match.score_a,
            "bb100": row.bb_per_100,
            "winner": match.winner,
            "seeds": len(match.seed_results),
            "hands": match.hands,
        }
        for row in rows.matches
        for match in [row.played]
    ]
