"""The columns of the list of hands, computed for many games at once, and the marks that a hand can have there."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np

from molt_bench.runs.journal_lines import Game
from molt_bench.view.hand_texts import HandTexts, Ints
from molt_bench.view.run_reader import seating_of

#: Marks of a hand.
SHOWDOWN: Final = 1
ALL_IN: Final = 2
FAULT: Final = 4
FORCED_FOLD: Final = 8
NOT_COUNTED: Final = 16
LINES_DIFFER: Final = 32
A_ON_BUTTON: Final = 64
#: Kinds of numbers that a column is sent as: the first that holds all of it, or else float64.
_KINDS: Final = ("uint8", "int16", "int32")
_ALIGNED: Final = 8


class Listed(NamedTuple):
    """A game whose hands are listed: its match, the number of its seed pair, and both players by number."""

    game: Game
    match: int
    seed: int
    a: int
    b: int

    @property
    def hands(self) -> int:
        """How many hands it has."""
        return len(self.game.record.hand_texts)


def joined_columns(parts: Sequence[dict[str, Ints]], names: Sequence[str]) -> dict[str, Ints]:
    """Return the columns of several parts, one after the other."""
    return {name: _joined([part[name] for part in parts]) for name in names}


def packed(data: dict[str, Any], columns: dict[str, Ints]) -> bytes:
    """Return columns as bytes that a page can use as they are, after some data as JSON.

    First comes the length of the JSON in four bytes. Its `columns` say of each what its numbers are, where it begins
    after the JSON, and how long it is. All numbers are little-endian and lie at multiples of their size.
    """
    places: dict[str, tuple[str, int, int]] = {}
    pieces: list[bytes] = []
    size = 0
    for name, column in columns.items():
        low, high = int(column.min(initial=0)), int(column.max(initial=0))
        kind = next((each for each in _KINDS if np.iinfo(each).min <= low and high <= np.iinfo(each).max), "float64")
        piece = column.astype(np.dtype(kind).newbyteorder("<")).tobytes()
        places[name] = kind, size, len(column)
        pieces.append(piece + bytes(-len(piece) % _ALIGNED))
        size += len(pieces[-1])
    text = msgspec.json.encode({**data, "columns": places})
    text += b" " * (-(len(text) + 4) % _ALIGNED)
    return b"".join([len(text).to_bytes(4, "little"), text, *pieces])


def columns_of(pairs: Sequence[Sequence[Listed]], kinds: Sequence[str]) -> dict[str, Ints]:
    """Return the columns of the games of some seed pairs; `kinds` are those of all faults of the run.

    Raises:
        ValueError: A hand cannot be read.
    """
    games = [each for pair in pairs for each in pair]
    texts = HandTexts([text for each in games for text in each.game.record.hand_texts])
    nets = np.array([net for each in games for net in each.game.record.hand_nets], dtype=np.int64)
    stakes = _stakes(texts, nets)
    known = _known(games)
    is_first = known["seating"] == 0
    holes = [np.where(is_first, *texts.holes), np.where(is_first, *reversed(texts.holes))]
    faults = _faults(games, kinds)
    flags = _flags(texts, stakes, known)
    flags[(faults[0] | faults[1]) != 0] |= FAULT
    _mark_differing(flags, texts, pairs)
    columns = {
        **{name: known[name] for name in ("match", "seed", "seating", "hand", "a", "b")},
        "net": np.rint(100 * nets / known["bigBlind"]),
        "pot": np.rint(200 * stakes / known["bigBlind"]),
        "street": texts.streets,
        "flags": flags,
        **dict(zip(("cardsA", "cardsB", "faultsA", "faultsB"), [*holes, *faults], strict=True)),
    }
    return {name: column.astype(np.int64, copy=False) for name, column in columns.items()}


def _known(games: Sequence[Listed]) -> dict[str, Ints]:
    """Return, for each hand, its number and what it has in common with the others of its game."""
    counts = [each.hands for each in games]
    specs = [each.game.record.spec for each in games]
    of_games = {
        "match": [each.match for each in games],
        "seed": [each.seed for each in games],
        "seating": [seating_of(each.game.record) for each in games],
        "a": [each.a for each in games],
        "b": [each.b for each in games],
        "bigBlind": [spec.big_blind for spec in specs],
        "warmup": [spec.warmup_hands for spec in specs],
        "draw": [each.game.record.both_failed for each in games],
    }
    repeated = {name: np.repeat(np.array(column, dtype=np.int64), counts) for name, column in of_games.items()}
    return {**repeated, "hand": _joined([np.arange(1, count + 1) for count in counts])}


def _joined(pieces: Sequence[Ints]) -> Ints:
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int64)


def _stakes(texts: HandTexts, nets: Ints) -> Ints:
    """Return what each player has put in, as far as the other one has, too."""
    stakes = np.abs(nets)
    for at in np.flatnonzero(~texts.folded & (nets == 0)).tolist():  # splits, which are rare
        stakes[at] = min(int(texts.most[at]), texts.called(at))
    return stakes


def _flags(texts: HandTexts, stakes: Ints, known: dict[str, Ints]) -> Ints:
    """Return the flags that depend on one hand alone, but for those of faults."""
    shown = ~texts.folded
    found = {
        SHOWDOWN: shown,
        ALL_IN: shown & (stakes >= texts.most),
        FORCED_FOLD: texts.forced,
        NOT_COUNTED: (known["draw"] == 1) | (known["hand"] <= known["warmup"]),
        A_ON_BUTTON: texts.buttons == known["seating"],
    }
    flags = np.zeros(len(stakes), dtype=np.int64)
    for flag, is_set in found.items():
        flags[is_set] |= flag
    return flags


def _faults(games: Sequence[Listed], kinds: Sequence[str]) -> Ints:
    """Return the kinds of the faults of A and of B in each hand, a bit for each."""
    found = np.zeros((2, sum([each.hands for each in games])), dtype=np.int64)
    start = 0
    for each in games:
        for fault in each.game.record.faults:
            if 1 <= fault.hand_number <= each.hands:
                found[fault.player, start + fault.hand_number - 1] |= 1 << kinds.index(fault.kind)
        start += each.hands
    return found


def _mark_differing(flags: Ints, texts: HandTexts, pairs: Sequence[Sequence[Listed]]) -> None:
    """Mark the hands whose deal was played differently in the two seatings."""
    these, those = [], []
    start = 0
    for pair in pairs:
        hands = [each.hands for each in pair]
        if len(hands) == 2:
            both = np.arange(start, start + min(hands))
            these.append(both)
            those.append(both + hands[0])
        start += sum(hands)
    one, two = _joined(these), _joined(those)
    differ = texts.differ(one, two)
    for each in (one, two):
        flags[each[differ]] |= LINES_DIFFER
