"""The results that the holder of an invitation may know when the run is over: its own chips, game by game. No cards."""

from collections.abc import Iterable

import msgspec

from molt_bench.runs.journal import Game
from molt_bench.serve.lobby import Invited


class OwnGame(msgspec.Struct, frozen=True):
    """One game of a guest: its number, the hands that count, the chips won in them, and the guest's faults."""

    game: int
    hands: int
    chips: int
    faults: int


def own_results(games: Iterable[Game], invited: Invited) -> list[OwnGame]:
    """Return the games that were played with an invitation, in the order in which they ended."""
    found: list[OwnGame] = []
    for each in games:
        record = each.record
        if invited.participant in record.players and invited.seating in (None, record.seating):
            own = record.players.index(invited.participant)
            faults = sum(fault.player == own for fault in record.faults)
            found.append(OwnGame(len(found) + 1, record.hands, record.net[own], faults))
    return found
