"""The lists to find a hand in: all hands of a run as columns, and the seed pairs of a match."""

from collections.abc import Container, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any, Final, TypeAlias

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
LINES_DIFFER: Final = 32
A_ON_BUTTON: Final = 64

_COLUMNS: Final = (
    *("match", "seed", "seating", "hand", "a", "b", "net", "pot", "street", "flags"),
    *("cardsA", "cardsB", "faultsA", "faultsB"),
)
_RANKS: Final = "AKQJT98765432"
#: The 169 starting hands by name, such as AA, AKs and AKo: a hand is known by its place here.
STARTING_HANDS: Final = tuple(
    f"{one}{two}" if one == two else f"{one}{two}s" if at < other else f"{two}{one}o"
    for at, one in enumerate(_RANKS)
    for other, two in enumerate(_RANKS)
)


#: Names a hand in both seatings: match, seed pair from 0, number of the hand from 1.
Deal: TypeAlias = tuple[int, int, int]


def hand_columns(run: OpenRun, only: Container[Deal] | None = None) -> dict[str, Any]:
    """Return the hands of a run as columns of equal length: all, or those of some deals."""
    ids = [each.id for each in run.config.participants]
    number_of = {name: at for at, name in enumerate(ids)}
    losses = losses_by_game(run)
    kinds = list(dict.fromkeys(fault.kind for game in run.games.values() for fault in game.record.faults))
    rows: list[tuple[int, ...]] = []
    worst: list[tuple[int | None, int | None]] = []
    for match in sorted(run.pairs):
        a, b = (number_of[name] for name in run.pairs[match])
        for at, seed in enumerate(run.seeds_of(match)):
            games = run.sides(match, seed)
            fields = [[text.split(":") for text in game.record.hand_texts] for game in games]
            lines = [one[5] != two[5] for one, two in zip(*fields, strict=False)] if len(games) == 2 else []
            for game, own in zip(games, fields, strict=True):
                with run.reading([game]):
                    every = _game_rows(game, own, lines, kinds)
                whole = range(len(every))
                shown = whole if only is None else [each for each in whole if (match, at, every[each][1]) in only]
                rows += [(match, at, *every[place][:2], a, b, *every[place][2:]) for place in shown]
                if losses is not None:
                    found = [*zip_longest(*losses.get((match, at, game.record.seating), ([], [])))]
                    worst += [found[place] if place < len(found) else (None, None) for place in shown]
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in _COLUMNS]
    return {
        "agents": ids,
        "bigBlind": run.config.game.big_blind,
        # What a set bit in the columns faultsA and faultsB means, and a number in cardsA and cardsB.
        "faultKinds": kinds,
        "startingHands": STARTING_HANDS,
        "columns": dict(zip(_COLUMNS, columns, strict=True)),
        # The largest mistakes of A and B in each hand, in mbb, if the run has been graded.
        "losses": None if losses is None else [list(column) for column in zip(*worst, strict=True)] or [[], []],
    }


def _game_rows(game: Game, fields: list[list[str]], lines: list[bool], kinds: Sequence[str]) -> list[tuple[int, ...]]:
    """Return the seating, number, net, pot, last street, flags, cards and faults of every hand.

    `fields` are those of the notation, and `lines` says of each deal whether its seatings were played differently.
    """
    record = game.record
    big_blind, seating = record.spec.big_blind, seating_of(record)
    faults: dict[int, list[int]] = {}
    for fault in record.faults:
        faults.setdefault(fault.hand_number, [0, 0])[fault.player] |= 1 << kinds.index(fault.kind)
    rows: list[tuple[int, ...]] = []
    for number, (parts, net) in enumerate(zip(fields, record.hand_nets, strict=True), start=1):
        _, _, stacks, button, cards, actions, _ = parts
        stake, flags = abs(net), 0
        forced = actions.endswith("F")
        if not forced and not actions.endswith("f"):
            flags = SHOWDOWN
            stake = stake or _stake_of_split(record.hand_texts[number - 1])
            flags |= ALL_IN if stake >= min(map(int, stacks.split(","))) else 0
        flags |= (FAULT if number in faults else 0) | (FORCED_FOLD if forced else 0)
        flags |= NOT_COUNTED if number <= record.spec.warmup_hands or record.both_failed else 0
        flags |= LINES_DIFFER if number <= len(lines) and lines[number - 1] else 0
        flags |= A_ON_BUTTON if button == f"b{seating}" else 0
        won, pot = round(100 * net / big_blind), round(200 * stake / big_blind)
        first, second, _ = cards.split("|")
        own = (second, first) if seating else (first, second)
        both = faults.get(number, (0, 0))
        rows.append((seating, number, won, pot, actions.count("/"), flags, *map(_starting_hand, own), *both))
    return rows


@cache
def _starting_hand(hole: str) -> int:
    """Return the place of two cards among the starting hands.

    >>> [STARTING_HANDS[_starting_hand(hole)] for hole in ("AhKh", "KdAh", "2c2d")]
    ['AKs', 'AKo', '22']
    """
    one, two = sorted((_RANKS.index(hole[0]), _RANKS.index(hole[2])))
    return 13 * one + two if hole[1] == hole[3] else 13 * two + one


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
