"""A real server on the loopback, with games that are played against those who come through its doors."""

import threading
import time
from contextlib import contextmanager

import httpx2

from molt_bench import make_agent
from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.play.play_games import drive_async
from molt_bench.plugins.live.address import ServerAddress
from molt_bench.plugins.live.invitations import Invited
from molt_bench.plugins.live.lobby import Lobby
from molt_bench.plugins.live.server import LiveServer
from molt_bench.plugins.web_server import bound
from molt_bench.specs import GameLabel, GameSpec

TOKEN = "0123456789abcdef" * 2
TOKENS = {"live": TOKEN, "other": "fedcba9876543210" * 2}
#: Far more than anything takes on a slow machine.
LONG_S = 120.0


def until(claim):
    """Wait until a claim holds."""
    deadline = time.monotonic() + LONG_S
    while not claim():
        assert time.monotonic() < deadline
        time.sleep(0.005)


class Table:
    """A server, and games between `live` and a bot."""

    def __init__(self, lobby, port):
        self.lobby = lobby
        self.port = port
        self.records = {}
        self.url = self.url_of("live")
        self.client = httpx2.Client(base_url=f"{self.url}/", timeout=LONG_S, trust_env=False)
        self._threads = []

    def url_of(self, name):
        return f"http://127.0.0.1:{self.port}/j/{TOKENS[name]}"

    @property
    def box(self):
        return self.lobby.invitations[0].slots[0]

    def play(self, *games, bot="callstation", wait=False, close=None, **options):
        """Play games one after another in a thread; with `close`, the run is over then."""
        thread = threading.Thread(target=self._play, args=(games or (1,), bot, close, options), daemon=True)
        thread.start()
        self._threads.append(thread)
        if wait:
            self.join()

    def _play(self, games, bot, close, options):
        for number in games:
            number, seating = number if isinstance(number, tuple) else (number, "AB")
            spec = GameSpec(seed=number, players=("live", bot), seating=seating, **{"hands": 2, **options})
            players = [self._player(name, GameLabel(number, number, seating)) for name in ("live", bot)]
            self.records[number] = run_in_new_loop(drive_async(spec, tuple(players)))
        if close is not None:
            self.lobby.close(close)

    def _player(self, name, label):
        return self.lobby.make(name, label) if name in TOKENS else make_agent(name)

    def join(self):
        for thread in self._threads:
            thread.join(LONG_S)
            assert not thread.is_alive()

    def turn(self, wait=LONG_S, **query):
        """Fetch the next decision."""
        response = self.client.get("v1/turn", params={"wait": wait, **query})
        assert response.status_code == 200, response.text
        return response.json()["turn"]

    def act(self, turn, kind=None, amount=None, wait=0, **query):
        """ActRequest a turn; by default with the cheapest action that does not fold."""
        kind = kind or turn["observation"]["legal"][1]["kind"]
        body = {"turn_token": turn["turn_token"], "kind": kind}
        if amount is not None:
            body["amount"] = amount
        return self.client.post("v1/act", json=body, params={"wait": wait, **query})

    def play_on(self, turn=None):
        """Play with one request a decision until the run is over; return all answers."""
        answers = []
        turn = turn or self.turn()
        while turn is not None:
            answer = self.act(turn, wait=LONG_S).json()
            answers.append(answer)
            turn = answer.get("turn")
        return answers

    def faults(self, number=1):
        return [(fault.kind, fault.forced_fold) for fault in self.records[number].faults]


def a_game(hands=50, action_timeout_s=LONG_S, **settings):
    """Return the settings of every game of a run."""
    return GameSpec(seed=0, hands=hands, action_timeout_s=action_timeout_s, **settings)


def a_lobby(*names, slots=1, key="ab" * 16, **game):
    """Return a lobby of some live agents; without names, of one."""
    names = names or ("live",)
    return Lobby(
        [Invited(name, TOKENS[name], slots, key if name == names[0] else "cd" * 16) for name in names],
        titles={"live": "Live <b>agent</b>", "other": "The other one", "bot": "Bot"},
        game=a_game(**game),
    )


@contextmanager
def serving(lobby, port=0, **address):
    """Serve a lobby; everything ends with the context, and nothing is left."""
    listener = bound("127.0.0.1", port)
    port = listener.getsockname()[1]
    server = LiveServer(lobby, listener, ServerAddress(host="127.0.0.1", port=port, **address))
    server.start()
    table = Table(lobby, port)
    try:
        yield table
    finally:
        lobby.close("the test is over")
        table.client.close()
        server.stop()
