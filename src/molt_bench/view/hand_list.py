"""The lists to find a hand in: all hands of a run as columns, and the seed pairs of a match."""

from collections.abc import Container, Sequence
from typing import Any, Final, TypeAlias

from molt_bench.errors import ConfigError
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.runs.journal import Game
from molt_bench.seeds import Seed
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
    columns: list[list[int]] = [[] for _ in _COLUMNS]
    listed = 0
    worst: tuple[list[int | None], list[int | None]] = ([], [])
    for match in sorted(run.pairs):
        a, b = (number_of[name] for name in run.pairs[match])
        for at, seed in enumerate(run.seeds_of(match)):
            for game, own in zip(*_pair_columns(run, match, seed, kinds), strict=True):
                listed += 1
                shown = range(len(own[0]))
                if only is not None:
                    shown = [place for place in shown if (match, at, place + 1) in only]  # type: ignore[assignment]
                    own = [[column[place] for place in shown] for column in own]
                count, seating = len(shown), seating_of(game.record)
                same = [[value] * count for value in (match, at, seating, a, b)]
                for column, values in zip(columns, (*same[:3], own[0], *same[3:], *own[1:]), strict=True):
                    column += values
                if losses is not None:
                    for kept, found in zip(worst, losses.get((match, at, game.record.seating), ([], [])), strict=True):
                        kept += [found[place] if place < len(found) else None for place in shown]
    return {
        "agents": ids,
        "bigBlind": run.config.game.big_blind,
        # What a set bit in the columns faultsA and faultsB means, and a number in cardsA and cardsB.
        "faultKinds": kinds,
        # Games that were played, and whose cards are secret while others can still be dealt them.
        "notShown": len(run.games) - listed,
        "startingHands": STARTING_HANDS,
        "columns": dict(zip(_COLUMNS, columns, strict=True)),
        # The largest mistakes of A and B in each hand, in mbb, if the run has been graded.
        "losses": None if losses is None else list(worst),
    }


def _pair_columns(
    run: OpenRun, match: int, seed: Seed, kinds: Sequence[str]
) -> tuple[list[Game], list[list[list[int]]]]:
    """Return the games of a seed pair that may be shown, and the columns of each."""
    games = run.sides(match, seed)
    with run.reading(games):
        fields = [[_fields(text) for text in game.record.hand_texts] for game in games]
        lines = [one[5] != two[5] for one, two in zip(*fields, strict=False)] if len(games) == 2 else []
        return games, [_game_columns(game, own, lines, kinds) for game, own in zip(games, fields, strict=True)]


def _fields(text: str) -> list[str]:
    """Return the seven fields of a hand in the notation."""
    found = text.split(":")
    if len(found) != 7:
        raise ValueError("not a hand")
    return found


def _game_columns(game: Game, fields: list[list[str]], lines: list[bool], kinds: Sequence[str]) -> list[list[int]]:
    """Return the number, net, pot, last street, flags, cards and faults of every hand, as columns.

    `fields` are those of the notation, and `lines` says of each deal whether its seatings were played differently. This
    runs for each of maybe 100,000 hands while a reader waits.
    """
    record = game.record
    seating, button_of_a = seating_of(record), f"b{seating_of(record)}"
    always = NOT_COUNTED if record.both_failed else 0
    big_blind = record.spec.big_blind
    nets, pots, streets, all_flags = [], [], [], []
    for (_, rules, stacks, button, _, actions, _), net in zip(fields, record.hand_nets, strict=True):
        stake, flags = abs(net), always
        end = actions[-1:]
        if end == "F":
            flags |= FORCED_FOLD
        elif end != "f":
            most = min(map(int, stacks.split(",")))
            stake = stake or min(most, _called(rules, actions))
            flags |= SHOWDOWN | ALL_IN if stake >= most else SHOWDOWN
        if button == button_of_a:
            flags |= A_ON_BUTTON
        nets.append(round(100 * net / big_blind))
        pots.append(round(200 * stake / big_blind))
        streets.append(actions.count("/"))
        all_flags.append(flags)
    for at, differ in enumerate(lines[: len(all_flags)]):
        all_flags[at] |= LINES_DIFFER if differ else 0
    for at in range(min(record.spec.warmup_hands, len(all_flags))):
        all_flags[at] |= NOT_COUNTED
    try:
        holes = [[_STARTING[parts[4][start : start + 4]] for parts in fields] for start in (0, 5)]
    except KeyError as error:
        raise ValueError(f"no such cards: {error}") from error
    faults = [[0] * len(fields), [0] * len(fields)]
    for fault in record.faults:
        if 1 <= fault.hand_number <= len(fields):
            faults[fault.player][fault.hand_number - 1] |= 1 << kinds.index(fault.kind)
            all_flags[fault.hand_number - 1] |= FAULT
    return [[*range(1, len(fields) + 1)], nets, pots, streets, all_flags, *holes[:: -1 if seating else 1], *faults]


def _called(rules: str, actions: str) -> int:
    """Return what each player has put in by a showdown, unless a stack is shorter: every bet was called.

    >>> _called("50/100/10", "r300c/kr600c/kk/kk")
    910
    """
    _, big, ante, *_ = map(int, rules.split("/"))
    first, *later = [street.rpartition("r")[2].rstrip("kc") for street in actions.split("/")]
    return ante + int(first or big) + sum([int(raised or 0) for raised in later])


def _starting_hand(one: str, two: str) -> int:
    """Return the place of two cards among the starting hands.

    >>> [STARTING_HANDS[_starting_hand(*hole)] for hole in (("Ah", "Kh"), ("Kd", "Ah"), ("2c", "2d"))]
    ['AKs', 'AKo', '22']
    """
    high, low = sorted((_RANKS.index(one[0]), _RANKS.index(two[0])))
    return 13 * high + low if one[1] == two[1] else 13 * low + high


#: The place of all pairs of cards, written as in the notation.
_STARTING: Final = {one + two: _starting_hand(one, two) for one in CARD_TEXT for two in CARD_TEXT if one != two}


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
