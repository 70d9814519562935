"""A game whose hands are in the list of hands, and the marks that a hand can have there."""

from typing import Final, NamedTuple

from molt_bench.runs.journal import Game

SHOWDOWN: Final = 1
ALL_IN: Final = 2
FAULT: Final = 4
FORCED_FOLD: Final = 8
NOT_COUNTED: Final = 16
LINES_DIFFER: Final = 32
A_ON_BUTTON: Final = 64


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
