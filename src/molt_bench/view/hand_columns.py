"""The list to find a hand in: all hands of a run, as columns."""

from collections.abc import Container, Iterator
from itertools import compress
from typing import Any, Final, NamedTuple

from molt_bench.poker.cards import RANKS
from molt_bench.view import hand_arrays
from molt_bench.view.hand_arrays import Listed
from molt_bench.view.hand_texts import Ints
from molt_bench.view.open_run import OpenRun
from molt_bench.view.run_counts import Deal

_COLUMNS: Final = (
    *("match", "seed", "seating", "hand", "a", "b", "net", "pot", "street", "flags"),
    *("cardsA", "cardsB", "faultsA", "faultsB"),
)
_RANKS: Final = RANKS[::-1]
#: The 169 starting hands by name, such as AA, AKs and AKo: a hand is known by its place here.
STARTING_HANDS: Final = tuple(
    f"{one}{two}" if one == two else f"{one}{two}s" if at < other else f"{two}{one}o"
    for at, one in enumerate(_RANKS)
    for other, two in enumerate(_RANKS)
)
#: Hands that are read at once: the memory that this takes is bounded.
_AT_ONCE: Final = 20_000


class Listing(NamedTuple):
    """What the list of hands is made from: a run may go on while its hands are read.

    Attributes:
        pairs: The games that may be shown, by seed pair.
        not_shown: Games that were played, and whose cards are secret while others can still be dealt them.
    """

    status: str
    agents: list[str]
    kinds: list[str]
    pairs: list[list[Listed]]
    not_shown: int


def listing(run: OpenRun) -> Listing:
    """Return what the list of hands is made from, as the run is now."""
    kinds = dict.fromkeys(fault.kind for game in run.games.values() for fault in game.record.faults)
    pairs = _listed(run)
    return Listing(
        status=run.status,
        agents=[each.id for each in run.config.participants],
        kinds=[*kinds],
        pairs=pairs,
        not_shown=len(run.games) - sum([len(pair) for pair in pairs]),
    )


def hand_columns(run: OpenRun, only: Container[Deal] | None = None, *, listed: Listing | None = None) -> dict[str, Any]:
    """Return the hands of a run as columns of equal length: all, or those of some deals.

    They are those of `listed`; without it, those of the run as it is now.
    """
    data, arrays = _hands(run, listed or listing(run))
    columns = {name: column.tolist() for name, column in arrays.items()}
    if only is not None:
        deals = zip(columns["match"], columns["seed"], columns["hand"], strict=True)
        kept = [deal in only for deal in deals]
        columns = {name: [*compress(column, kept)] for name, column in columns.items()}
        data["losses"] = data["losses"] and [[*compress(column, kept)] for column in data["losses"]]
    return {**data, "columns": columns}


def packed_hands(run: OpenRun, listed: Listing) -> bytes:
    """Return the columns of all hands as bytes, which a page uses as they are."""
    return hand_arrays.packed(*_hands(run, listed))


def _hands(run: OpenRun, listed: Listing) -> tuple[dict[str, Any], "dict[str, Ints]"]:
    """Return what is known of all hands together, and their columns."""
    parts = []
    for some in _batches(listed.pairs):
        with run.reading([each.game for pair in some for each in pair]):
            parts.append(hand_arrays.columns_of(some, listed.kinds))
    data = {
        "status": listed.status,
        "agents": listed.agents,
        "bigBlind": run.config.game.big_blind,
        # What a set bit in the columns faultsA and faultsB means, and a number in cardsA and cardsB.
        "faultKinds": listed.kinds,
        "notShown": listed.not_shown,
        "startingHands": STARTING_HANDS,
        # What each hand cost A and B, in mbb, by the section of a plug-in.
        "losses": _losses(run, [each for pair in listed.pairs for each in pair]),
    }
    return data, hand_arrays.joined_columns(parts, _COLUMNS)


def _listed(run: OpenRun) -> list[list[Listed]]:
    """Return the games that may be shown, by seed pair."""
    number_of = {each.id: at for at, each in enumerate(run.config.participants)}
    found = []
    for match in sorted(run.pairs):
        a, b = (number_of[name] for name in run.pairs[match])
        for at, seed in enumerate(run.seeds_of(match)):
            found.append([hand_arrays.Listed(game, match, at, a, b) for game in run.sides(match, seed)])
    return found


def _batches(pairs: list[list[Listed]]) -> Iterator[list[list[Listed]]]:
    """Return seed pairs, so many together that it is worth while to read them at once."""
    some: list[list[Listed]] = []
    hands = 0
    for pair in pairs:
        some.append(pair)
        hands += sum([each.hands for each in pair])
        if hands >= _AT_ONCE:
            yield some
            some, hands = [], 0
    if hands:
        yield some


def _losses(run: OpenRun, games: list[Listed]) -> list[list[int | None]] | None:
    """Return what each hand cost A and B by the first section that knows it, where it does; None if none does."""
    stored = next((costs for section in run.sections if (costs := section.costs())), None)
    if stored is None:
        return None
    worst: list[list[int | None]] = [[], []]
    for each in games:
        known = stored.get((each.match, each.seed, each.game.record.seating), ([], []))
        for kept, found in zip(worst, known, strict=True):
            kept += [*found[: each.hands], *[None] * (each.hands - len(found))]
    return worst
