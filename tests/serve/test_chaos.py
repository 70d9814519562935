"""Chaos: clients that cut connections, stall, repeat, lie and babble, all at one server, and every one comes back."""

import json
import os
import secrets
import threading
import time
from contextlib import ExitStack, closing, suppress

import pytest
from websockets.exceptions import ConnectionClosed

from molt_bench.arena.benchmark import run_benchmark
from molt_bench.arena.replayed_games import replay_games
from molt_bench.config.loader import load_config
from molt_bench.plugins.live.invitations import Invited
from molt_bench.plugins.live.lobby import Lobby
from molt_bench.runs.folder import new_folder
from molt_bench.runs.run import Run
from molt_bench.runs.run_files import RunFiles
from tests.e2e.live import Poller, mixing, request
from tests.serve.clients import SdkClient, calls, opened, register_and_join
from tests.serve.tables import a_game, serving, until

LIMIT_S = 6.0


class Babbler(SdkClient):
    """Sends junk before every answer, and its answer three times."""

    def _act(self):
        for junk in ("{}", "junk", '{"type":"action"}', '{"type":"ping","payload":{"timestamp":1}}'):
            self.socket.send(junk)
        for _ in range(3):
            super()._act()


class Switcher(threading.Thread):
    """Opens a second socket every few decisions, which takes over from the first."""

    def __init__(self, base):
        super().__init__(daemon=True)
        self.base = base
        self.ended = False
        self.start()

    def run(self):
        _, joined = register_and_join(self.base)
        with ExitStack() as sockets, suppress(ConnectionClosed):
            self._play(lambda: sockets.enter_context(opened(joined, agent_format=True)))

    def _play(self, connect):
        socket, decisions = connect(), 0
        while not self.ended:
            message = json.loads(socket.recv(60))
            self.ended = message["type"] == "table_status" and message["status"] == "ended"
            if message["type"] == "game_state" and message.get("actions"):
                decisions += 1
                if decisions % 7 == 0:
                    socket = connect()
                    continue
                kinds = [each["kind"] for each in message["actions"]]
                kind = "check" if "check" in kinds else "call"
                action = {"turn_token": message["turn_token"], "kind": kind}
                socket.send(json.dumps({"type": "action", "action": action}))


def lying(url):
    """Return how a liar decides: every third decision is first answered in a way that is a fault."""
    count = [0]

    def decide(turn):
        count[0] += 1
        token = turn["turn_token"]
        request(f"{url}/v1/act?wait=0", {"turn_token": "0" * 32, "kind": "call"})
        if count[0] % 3 == 0:
            wrong = [{"kind": "raiseTo", "amount": 10**8}, {"kind": "allin"}][count[0] % 2]
            request(f"{url}/v1/act?wait=0", {"turn_token": token, **wrong})
        return mixing(turn)

    return decide


def stalling():
    """Return how an agent decides that sleeps through some of its decisions."""
    count = [0]

    def decide(turn):
        count[0] += 1
        if count[0] % 60 == 30:
            time.sleep(LIMIT_S + 1)
        return mixing(turn)

    return decide


@pytest.mark.slow
def test_two_hundred_games_with_clients_of_every_bad_habit(tmp_path):
    names = ["cutter", "babbler", "liar", "staller", "switcher", "poller"]
    config = load_config(
        {
            "participants": [*({"id": name, "type": "live"} for name in names), {"id": "tight", "type": "tight"}],
            "game": {"handsPerGame": 2, "actionTimeoutS": LIMIT_S, "maxRetries": 1, "stacks": "carry"},
            "seeds": {"perMatch": 5},
            "scheduler": {"policy": "round_robin"},
            "stop": {"budget": {"maxMatches": 21}, "adjacentConfidence": None},
            "outputDir": str(tmp_path),
        }
    )
    files_before = len(os.listdir("/proc/self/fd"))
    lobby = Lobby(
        [Invited(name, secrets.token_hex(16)) for name in names],
        titles={name: name for name in names},
        game=a_game(hands=2, action_timeout_s=LIMIT_S),
    )
    folder = new_folder(config)
    files = RunFiles.new(folder, config)
    with serving(lobby) as table, closing(files):
        base = f"http://127.0.0.1:{table.port}/j/"
        urls = {each.invited.participant: base + each.invited.token for each in lobby.invitations}
        clients = [
            SdkClient(urls["cutter"], calls, cut=range(3, 10_000, 9)),
            Babbler(urls["babbler"]),
            Poller(urls["liar"], lying(urls["liar"])),
            Poller(urls["staller"], stalling()),
            Switcher(urls["switcher"]),
            Poller(urls["poller"], mixing),
        ]
        until(lambda: not lobby.missing())
        result = run_benchmark(config, files=files, live=lobby)
        lobby.close("the run is over")
        for client in clients:
            client.join(60)
            assert not client.is_alive(), client
    games = [game for match in result.matches for game in match.games]
    assert len(games) >= 200
    kinds = {name: set() for name in (*names, "tight")}
    for game in games:
        for fault in game.faults:
            kinds[game.players[fault.player]].add(fault.kind)
    assert kinds["liar"] == {"illegal", "unparsable"}
    assert kinds["staller"] == {"timeout"}
    assert {name: found for name, found in kinds.items() if found and name not in ("liar", "staller")} == {}
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("molt-bench serve")]
    assert len(os.listdir("/proc/self/fd")) <= files_before + 1
    stored = Run.open(folder)
    replay_games(stored)
