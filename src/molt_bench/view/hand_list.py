"""The lists to find a hand in: all hands of a run as columns, and the seed pairs of a match."""

from itertools import zip_longest
from typing import Any, Final

from molt_bench.errors import ConfigError
from molt_bench.poker.notation import hand_from_text
from molt_bench.report.exports.chip_flow import chip_flow
from molt_bench.runs.journal import Game
from molt_bench.view import rounded
from molt_bench.view.grades import losses_by_game
from molt_bench.view.open_run import OpenRun, seating_of

SHOWDOWN: Final = 1
ALL_IN: Final = 2
FAULT: Final = 4
FORCED_FOLD: Final = 8
NOT_COUNTED: Final = 16

_COLUMNS: Final = ("match", "seed", "seating", "hand", "a", "b", "net", "pot", "street", "flags")


def hand_columns(run: OpenRun) -> dict[str, Any]:
    """Return all hands of a run as columns of equal length."""
    ids = [each.id for each in run.config.participants]
    number_of = {name: at for at, name in enumerate(ids)}
    losses = losses_by_game(run)
    rows: list[tuple[int, ...]] = []
    worst: list[tuple[int | None, int | None]] = []
    for match in sorted(run.pairs):
        a, b = (number_of[name] for name in run.pairs[match])
        for at, seed in enumerate(run.seeds_of(match)):
            for game in run.sides(match, seed):
                with run.reading([game]):
                    rows += [(match, at, *rest[:2], a, b, *rest[2:]) for rest in _game_rows(game)]
                if losses is not None:
                    found = losses.get((match, at, game.record.seating), ([], []))
                    worst += [*zip_longest(*found)][: len(game.record.hand_texts)]
                    worst += [(None, None)] * (len(rows) - len(worst))
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in _COLUMNS]
    return {
        "agents": ids,
        "bigBlind": run.config.game.big_blind,
        "columns": dict(zip(_COLUMNS, columns, strict=True)),
        # The largest mistakes of A and B in each hand, in mbb, if the run has been graded.
        "losses": None if losses is None else [list(column) for column in zip(*worst, strict=True)] or [[], []],
    }


def _game_rows(game: Game) -> list[tuple[int, ...]]:
    """Return the seating, number, net, pot, last street and flags of every hand."""
    record = game.record
    big_blind, seating = record.spec.big_blind, seating_of(record)
    faults = {fault.hand_number for fault in record.faults}
    rows: list[tuple[int, ...]] = []
    for number, (text, net) in enumerate(zip(record.hand_texts, record.hand_nets, strict=True), start=1):
        _, _, stacks, _, _, actions, _ = text.split(":")
        stake, flags = abs(net), 0
        forced = actions.endswith("F")
        if not forced and not actions.endswith("f"):
            flags = SHOWDOWN
            stake = stake or _stake_of_split(text)
            flags |= ALL_IN if stake >= min(map(int, stacks.split(","))) else 0
        flags |= (FAULT if number in faults else 0) | (FORCED_FOLD if forced else 0)
        flags |= NOT_COUNTED if number <= record.spec.warmup_hands or record.both_failed else 0
        won, pot = round(100 * net / big_blind), round(200 * stake / big_blind)
        rows.append((seating, number, won, pot, actions.count("/"), flags))
    return rows


def _stake_of_split(text: str) -> int:
    return chip_flow(hand_from_text(text).hand).pot // 2


def match_page(run: OpenRun, match: int) -> dict[str, Any]:
    """Return the seed pairs of a match, or raise ConfigError if there is no such match."""
    if match not in run.pairs:
        raise ConfigError("match", match, f"one of the {len(run.pairs)} matches of this run")
    a, b = run.pairs[match]
    rated = run.ladder.matches[match - 1] if match <= len(run.ladder.matches) else None
    big_blind = run.config.game.big_blind
    seeds = []
    for at, seed in enumerate(run.seeds_of(match)):
        games = run.sides(match, seed)
        if not games:
            continue
        nets = {seating_of(game.record): game.record.net[0] / big_blind for game in games}
        hands = sum([game.record.hands for game in games])
        nominal = sum([game.record.spec.hands for game in games])
        seeds.append(
            {
                "index": at,
                "seed": str(seed),
                "net": rounded(sum(nets.values())),
                "raw": [rounded(nets.get(seating)) for seating in (0, 1)],
                "adjusted": rounded(rated.margins["adjusted"][at] * nominal / 1000) if rated else None,
                "hands": hands,
                "biggest": _biggest(games, big_blind),
                "faults": sum([len(game.record.faults) for game in games]),
                "draw": any(game.record.both_failed for game in games),
            }
        )
    own_decks = any(run.own_decks(match, seed) for seed in run.seeds_of(match))
    return {"match": match, "a": a, "b": b, "bigBlind": big_blind, "ownDecks": own_decks, "seeds": seeds}


def _biggest(games: list[Game], big_blind: int) -> dict[str, Any]:
    """Return the hand with the biggest swing over both seatings."""
    longest = max(len(game.record.hand_nets) for game in games)
    swings = [
        sum([game.record.hand_nets[at] for game in games if at < len(game.record.hand_nets)]) for at in range(longest)
    ]
    at = max(range(longest), key=lambda at: abs(swings[at]), default=0)
    return {"hand": at + 1, "swing": rounded(swings[at] / big_blind) if swings else 0}
