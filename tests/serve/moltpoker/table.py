"""A real server on the loopback with moltpoker's door, and games that are played behind it."""

import time
from contextlib import contextmanager

from molt_bench.poker.actions import FOLD
from tests.serve import tables
from tests.serve.tables import LONG_S, TOKENS, a_lobby, until  # noqa: F401


class Table(tables.Table):
    def play(self, *seatings, rival="callstation", hands=3, first=1, close=True, **options):
        """Play a game for each seating, one after another, in a thread; then the run is over."""
        games = list(enumerate(seatings or ("AB",), first))
        super().play(*games, bot=rival, hands=hands, close="the run is over" if close else None, **options)

    def finish(self):
        """Fold whatever is left of the games."""
        boxes = [place for each in self.lobby.invitations for place in each.slots]
        while any(thread.is_alive() for thread in self._threads):
            for box in boxes:
                turn = box.turn
                if turn is not None:
                    box.answer(turn.token, FOLD)
            time.sleep(0.01)


@contextmanager
def serving(lobby, port=0):
    """Serve a lobby; everything ends with the context, and nothing is left."""
    with tables.serving(lobby, port, made=Table) as table:
        yield table
        table.finish()
