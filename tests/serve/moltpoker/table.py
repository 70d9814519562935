"""A real server on the loopback with moltpoker's door, and games that are played behind it."""

import threading
import time
from contextlib import contextmanager

from molt_bench import make_agent
from molt_bench.config.game import GameConfig
from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.play.play_games import drive_async
from molt_bench.poker.actions import FOLD
from molt_bench.serve.invitations import Invited
from molt_bench.serve.lobby import Lobby
from molt_bench.serve.public_address import ServerAddress
from molt_bench.serve.server import LiveServer
from molt_bench.specs import GameLabel, GameSpec
from molt_bench.web_server import bound

#: Far more than anything takes on a slow machine.
LONG_S = 120.0
TOKENS = {"live": "0123456789abcdef" * 2, "other": "fedcba9876543210" * 2}


def a_lobby(*, slots=1, action_timeout_s=LONG_S, participants=("live",), **game):
    return Lobby(
        [Invited(each, TOKENS[each], None, slots) for each in participants],
        titles={each: f"The {each} one" for each in participants},
        game=GameConfig(action_timeout_s=action_timeout_s, **game),
    )


class Table:
    """A server, and games between those who come through its door and bots."""

    def __init__(self, lobby, port):
        self.lobby = lobby
        self.port = port
        self.records = {}
        self._threads = []

    def url(self, participant="live"):
        return f"http://127.0.0.1:{self.port}/j/{TOKENS[participant]}"

    @property
    def box(self):
        return self.lobby.invitations[0].slots[0]

    def play(self, *seatings, rival="callstation", hands=3, first=1, close=True, **options):
        """Play a game for each seating, one after another, in a thread; then the run is over."""
        self._start(self._play, list(enumerate(seatings or ("AB",), first)), rival, close, {"hands": hands, **options})

    def _start(self, target, *arguments):
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _play(self, games, rival, close, options):
        for number, seating in games:
            spec = GameSpec(seed=number, players=("live", rival), seating=seating, **options)
            label = GameLabel(number, number, seating)
            second = self.lobby.make(rival, label) if rival in TOKENS else make_agent(rival)
            players = (self.lobby.make("live", label), second)
            self.records[number] = run_in_new_loop(drive_async(spec, players))
        if close:
            self.lobby.close("the run is over")

    def join(self):
        """Wait for the end of all games."""
        for thread in self._threads:
            thread.join(LONG_S)
            assert not thread.is_alive()

    def finish(self):
        """Fold whatever is left of the games."""
        boxes = [place for each in self.lobby.invitations for place in each.slots]
        while any(thread.is_alive() for thread in self._threads):
            for box in boxes:
                turn = box.snapshot().turn
                if turn is not None:
                    box.answer(turn.token, FOLD)
            time.sleep(0.01)

    def faults(self, number=1):
        return [(fault.kind, fault.forced_fold) for fault in self.records[number].faults]


@contextmanager
def serving(lobby, port=0):
    """Serve a lobby; everything ends with the context, and nothing is left."""
    listener = bound("127.0.0.1", port)
    server = LiveServer(lobby, listener, ServerAddress(host="127.0.0.1", port=listener.getsockname()[1]))
    table = Table(lobby, listener.getsockname()[1])
    server.start()
    try:
        yield table
    finally:
        table.finish()
        lobby.close("the test is over")
        server.stop()


def until(condition):
    """Wait until something is so."""
    end = time.monotonic() + LONG_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
