"""The pages of a run as plain JSON: the run, who plays in it, a match, and the notation of its hands."""

import re
from collections import Counter
from collections.abc import Container, Iterator
from copy import copy
from datetime import datetime
from typing import Any, Final

from molt_bench.plugins.view import rounded
from molt_bench.plugins.view.curves import convergence_data, winnings_data
from molt_bench.plugins.view.follow import progress_data
from molt_bench.plugins.view.open_run import Deal, OpenRun, own_decks
from molt_bench.plugins.view.reproduce import reproduce
from molt_bench.plugins.view.sections import Sections
from molt_bench.report.rows import LeadRow, Rows, card, claims, headline, played_games, remarks, units
from molt_bench.runs.run import Game
from molt_bench.specs import SEATINGS

_STAMP: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)")


def started(run: str) -> str | None:
    """Return the time in the name of a folder, in ISO 8601 with the time zone of this machine; None without a time.

    >>> (started("2026-11-15T10-08-05-2") or "")[:19], started("mine")
    ('2026-11-15T10:08:05', None)
    """
    found = _STAMP.match(run)
    try:
        return found and datetime.fromisoformat("{}T{}:{}:{}".format(*found.groups())).astimezone().isoformat()
    except ValueError:
        return None


def names_page(run: OpenRun) -> dict[str, Any]:
    """Return who plays in a run, each with the number of its colour, and how it goes."""
    return {
        "id": run.id,
        "version": run.version,
        "status": run.status,
        "participants": [
            {
                "id": each["id"],
                "name": run.names[each["id"]],
                "anchor": each["anchor"],
                "reference": each["id"] == run.run.config.reference,
                "model": each.get("model"),
                "type": each["type"],
                "color": at,
            }
            for at, each in enumerate(run.participants)
        ],
        "live": progress_data(run),
    }


def run_page(run: OpenRun) -> dict[str, Any]:
    """Return the page of a run without its curves and its styles, which take longer than all the rest."""
    rows = run.rows
    result, marked = rows.result, _with_marks(rows)
    games = played_games(result.matches)
    spent = [usage.cost_usd for usage in result.usage]
    return {
        **names_page(run),
        "started": started(run.id),
        "stopReason": None if result.ending is None else result.ending.said(marked.names),
        "warnings": list(result.warnings),
        "totals": {
            "matches": len(result.matches),
            "games": len(games),
            "hands": sum(game.dealt for game in games),
            "warmupHands": sum(game.spec.warmup_hands for game in games),
            "seconds": rounded(result.seconds),
            "usd": rounded(sum(each or 0 for each in spent)) if spent and None not in spent else None,
            "tokens": sum(each.input_tokens + each.output_tokens for each in result.usage) if spent else None,
            "faults": sum(len(game.record.faults) for game in run.run.games),
        },
        "rule": {
            "method": rows.rule.method,
            "estimator": rows.estimator,
            "claimedFrom": rounded(rows.claimed_from),
            "tieBb100": rows.tie_bb_per_100,
            "openRuns": rows.open_runs,
        },
        "leaderboard": [*_leaderboard(rows)],
        "headline": headline(marked),
        "sentences": [*filter(None, [units(marked)]), *remarks(marked), *claims(marked)],
        "payoff": _payoff(rows),
        "costs": _costs(rows),
        "matches": _matches(rows),
        "card": [part._asdict() for part in card(rows, run.run.header)],
        "faults": _faults(run),
        **Sections(run).data(),
        "reproduce": reproduce(run),
    }


def curves_page(run: OpenRun) -> dict[str, Any]:
    """Return the curves over the matches of a run."""
    return {"convergence": convergence_data(run), "winnings": winnings_data(run)}


def _with_marks(rows: Rows) -> Rows:
    """Return the rows with ids between marks in place of names: the page puts names there as it does elsewhere."""
    _ = rows.agents, rows.leads, rows.pairs  # which both share then
    marked = copy(rows)
    marked.names = {each: f"\N{FIRST STRONG ISOLATE}{each}\N{POP DIRECTIONAL ISOLATE}" for each in rows.names}
    return marked


def _leaderboard(rows: Rows) -> Iterator[dict[str, Any]]:
    """Return the rows of the leaderboard, by the names that the page has for their columns."""
    usd = {name: row.usd_per_hand for name, row in rows.costs.items() if row.usd_per_hand is not None}
    leads = {lead.above: lead for lead in rows.leads}
    for row in rows.agents:
        yield {
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
            "sure": row.better_than_next,
            **_verdict(leads.get(row.id)),
            "hands": row.hands,
            "faults": row.fault_count,
            "forcedFolds": row.forced_folds,
            "reply": rows.reply_forms.get(row.id),
            "usdPer100": rounded(100 * usd[row.id]) if row.id in usd else None,
        }


def _verdict(lead: LeadRow | None) -> dict[str, Any]:
    """Return what is claimed of an agent and the next one, and its lead with the interval that decides."""
    if lead is None:
        return {"verdict": None, "lead": None}
    known = lead.bb_per_100 is not None
    return {"verdict": lead.verdict, "lead": [lead.bb_per_100, lead.bb_per_100_half_width] if known else None}


def _payoff(rows: Rows) -> dict[str, Any] | None:
    """Return all head-to-head results; None in a gauntlet."""
    if not rows.result.matches or rows.reference is not None:
        return None
    cells = [[rows.between(one, two) for two in rows.order] for one in rows.order]
    return {
        "ids": list(rows.order),
        "mean": [[mean for mean, _ in row] for row in cells],
        "halfWidth": [[half_width for _, half_width in row] for row in cells],
        "cycles": [list(cycle.members) for cycle in rows.cycles],
    }


def _costs(rows: Rows) -> list[dict[str, Any]]:
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
        for row in rows.costs.values()
    ]


def _matches(rows: Rows) -> list[dict[str, Any]]:
    return [
        {
            "match": match.number,
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


def _faults(run: OpenRun) -> list[dict[str, Any]]:
    """Return the number of faults by participant and kind, the most frequent first, with an example of each."""
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], tuple[str, dict[str, int]]] = {}
    for (match, seed), games in run.played.items():
        for game in games:
            for fault in game.record.faults:
                key = game.participants[fault.player], str(fault.kind)
                counts[key] += 1
                examples.setdefault(
                    key, (fault.said, {"match": match, "seed": seed, "hand": max(1, fault.hand_number)})
                )
    order = run.rows.order
    return [
        {"id": who, "kind": kind, "count": count, "example": examples[who, kind][0], "place": examples[who, kind][1]}
        for (who, kind), count in sorted(counts.items(), key=lambda each: (order.index(each[0][0]), -each[1]))
    ]


def match_page(run: OpenRun, match: int) -> dict[str, Any]:
    """Return the seed pairs of a match, each with its biggest swing; raises ConfigError if there is no such match."""
    a, b = run.pair(match)
    big_blind = run.run.config.game.big_blind
    rated = next((each for each in run.rows.result.matches if each.number == match), None)
    margins = dict(enumerate(rated.margins["adjusted"])) if rated is not None else {}
    pairs = [(at, run.shown(match, at)) for own, at in run.shown_pairs if own == match]
    seeds = []
    for at, games in pairs:
        records = [game.record for game in games]
        nets = {game.record.seating: game.record.net[0] / big_blind for game in games}
        nominal = sum(record.spec.hands for record in records)
        seeds.append(
            {
                "index": at,
                "seed": str(records[0].seed),
                "net": rounded(sum(nets.values())),
                "raw": [rounded(nets.get(seating)) for seating in SEATINGS],
                "adjusted": rounded(margins[at] * nominal / 1000) if at in margins else None,
                "hands": sum(record.hands for record in records),
                "biggest": _biggest(games, big_blind),
                "faults": sum(len(record.faults) for record in records),
                "draw": any(record.both_failed for record in records),
            }
        )
    apart = any(own_decks(games) for _, games in pairs)
    return {"match": match, "a": a, "b": b, "bigBlind": big_blind, "ownDecks": apart, "seeds": seeds}


def _biggest(games: list[Game], big_blind: int) -> dict[str, Any]:
    """Return the hand with the biggest swing over both seatings."""
    swings = Counter[int]()
    for game in games:
        swings.update(dict(enumerate(game.record.hand_nets, start=1)))
    hand = max(sorted(swings), key=lambda number: abs(swings[number]), default=1)
    return {"hand": hand, "swing": rounded(swings[hand] / big_blind)}


def hands_page(run: OpenRun, only: Container[Deal] | None = None) -> dict[str, Any]:
    """Return the hands of a run in the notation, game by game: all that may be shown, or those of some deals.

    The page reads them: that takes it less time than to fetch what another process has read.
    """
    costs = Sections(run).costs()
    games = [(match, seed, game) for match, seed in run.shown_pairs for game in run.shown(match, seed)]
    listed = []
    for match, seed, game in games:
        record = game.record
        every = range(1, len(record.hand_texts) + 1)
        numbers = [number for number in every if only is None or (match, seed, number) in only]
        losses = None if costs is None else costs.get((match, seed, record.seating))
        listed.append(
            {
                "match": match,
                "seed": seed,
                "seating": SEATINGS.index(record.seating),
                "players": list(game.participants),
                "warmup": record.spec.warmup_hands,
                "draw": record.both_failed,
                "faults": [[fault.hand_number, fault.player, fault.kind] for fault in record.faults],
                "numbers": None if only is None else numbers,  # None for all, from 1
                "hands": [record.hand_texts[number - 1] for number in numbers],
                # What each hand cost A and B, in mbb.
                "losses": losses and [[column[number - 1] for number in numbers] for column in losses],
            }
        )
    return {
        "status": run.status,
        "agents": [each["id"] for each in run.participants],
        "notShown": len(run.run.games) - len(games),
        "graded": costs is not None,
        "games": [each for each in listed if each["hands"]],
    }


def said_page(run: OpenRun, only: Container[Deal] | None = None) -> list[list[Any]]:
    """Return what models said in hands that may be shown, a row for each attempt at a decision, to search in."""
    seeds = {game.label: place for place in run.shown_pairs for game in run.shown(*place)}
    found = []
    for said in run.run.said():
        exchange = said.exchange
        deal = (*seeds.get(exchange.game, (0, 0)), exchange.hand)
        if exchange.game in seeds and (only is None or deal in only):
            place = *deal, exchange.game.seating, exchange.decision, exchange.attempt, exchange.participant
            found.append([*place, said.reasoning, exchange.text])
    return found
