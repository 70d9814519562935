"""Measure the live server with 100 agents and 50 games at once, every answer recorded: WebSocket, long poll or MCP.

Prints the processor time of the server for one decision and, over WebSockets, how long it takes from an action to the
server's acknowledgement; the other two wait for the next decision in the same request. How long agents think decides
how many answers come at the same moment:

- `drawn`: half to one and a half times the mean, drawn for each decision by a seed, as agents do that think each for
  itself.
- `step`: all equally long. As all games begin together, one answer of every game comes at the same moment, and again
  after each pause: the most that so many agents can ask of the server at once.

Thinking 0 ms they answer at once, which measures the most decisions a second. All agents run in one process beside the
server's, with a core of its own if the machine has two. An acknowledgement that lies there unread counts as the
server's delay, so the agents' process prints how late its own timers are and how busy it is: what they are late by is
part of the delays. The load of the machine is printed too, since delays on a busy one say little.

    python benchmarks/live.py [agents] [hands] [thinking in ms] [websocket, poll or mcp] [drawn or step]
"""

import asyncio
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from secrets import token_hex
from statistics import median
from typing import Any, TypeAlias

import httpx2
import msgspec
import websockets

from molt_bench.arena.resuming_agent import RecordedAgent
from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.play.play_games import play_games_together
from molt_bench.plugins.live.address import ServerAddress
from molt_bench.plugins.live.invitations import Invited
from molt_bench.plugins.live.lobby import Lobby
from molt_bench.plugins.live.server import LiveServer
from molt_bench.plugins.web_server import bound
from molt_bench.records import GameRecord
from molt_bench.runs.replies import Replies
from molt_bench.seeds import derive
from molt_bench.specs import GameLabel, GameSpec

CPU_GOAL_MS = 3.0
#: The 99th percentile of delays, by how many agents there are at most.
DELAY_GOALS_MS = {100: 20.0, 400: 50.0}


#: Seconds between two looks of the agents' process at how late its timers are.
_LOOK_S = 0.01


#: Returns how long one agent thinks about its nth decision.
ThinkingTime: TypeAlias = Callable[[int], float]


class Thinking(msgspec.Struct, frozen=True):
    """How long agents think: the mean, and whether it is drawn for each decision."""

    mean_s: float
    drawn: bool

    def seconds(self, agent: int, decision: int) -> float:
        """Return how long an agent thinks about a decision."""
        share = derive("thinking", agent, decision) / 2**256 if self.drawn else 0.5
        return self.mean_s * (0.5 + share)


class Seen(msgspec.Struct):
    """What the agents' process saw: delays and how late its timers were in seconds, its processor time, decisions."""

    delays: list[float]
    late: list[float]
    cpu_s: float = 0.0


def main(
    agents: int = 100, hands: int = 20, thinking_ms: int = 200, door: str = "websocket", pace: str = "drawn"
) -> None:
    names = [f"agent{number}" for number in range(agents)]
    lobby = Lobby(
        [Invited(name, token_hex(16)) for name in names],
        titles={name: name for name in names},
        game=GameSpec(seed=0, hands=hands),
    )
    listener = bound("127.0.0.1", 0)
    port = listener.getsockname()[1]
    urls = [f"http://127.0.0.1:{port}/j/{each.invited.token}" for each in lobby.invitations]
    server = LiveServer(lobby, listener, ServerAddress(host="127.0.0.1", port=listener.getsockname()[1]))
    server.start()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    clients = context.Process(target=_clients, args=(urls, theirs, Thinking(thinking_ms / 1000, pace == "drawn"), door))
    clients.start()
    while lobby.missing():
        time.sleep(0.01)
    pairs = list(zip(names[::2], names[1::2], strict=True))
    specs = {GameSpec(seed=at, hands=hands, players=pair): GameLabel(1, at, "AB") for at, pair in enumerate(pairs)}
    with tempfile.TemporaryDirectory() as folder:
        answers = Replies(str(Path(folder) / "replies.jsonl"))
        answers.begin()

        def players(spec: GameSpec) -> tuple[RecordedAgent, RecordedAgent]:
            label = specs[spec]
            first, second = (RecordedAgent(name, lobby.make(name, label), label, answers) for name in spec.players)
            return first, second

        faults, decided = [], []
        before, started = _cpu_s(), time.perf_counter()

        def ended(_: GameSpec, record: GameRecord) -> None:
            faults.extend(record.faults)
            decided.append(sum(len(each.hand.log) for each in record.replay()))

        run_in_new_loop(play_games_together(list(specs), players, ended, at_once=len(specs)))
        cpu_s, wall_s = _cpu_s() - before, time.perf_counter() - started
        answers.close()
    decisions = sum(decided)
    lobby.close("the benchmark is over")
    seen = ours.recv()
    clients.join(30)
    server.stop()
    print(
        f"{door}, thinking {thinking_ms} ms ({pace}): {agents} agents, {len(specs)} games at once, {decisions:,} "
        f"decisions in {wall_s:.1f} s"
    )
    print(f"{len(faults)} faults; load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    _report(1000 * cpu_s / decisions, sorted(seen.delays), next(goal for most, goal in _goals() if agents <= most))
    late = sorted(seen.late)
    print(
        f"the agents' process: {1000 * seen.cpu_s / decisions:.2f} ms a decision, timers late by "
        f"{1000 * median(late):.1f} ms (median), {1000 * late[int(0.99 * len(late))]:.1f} ms (99th percentile)"
    )


def _goals() -> list[tuple[float, float]]:
    return [*DELAY_GOALS_MS.items(), (inf, inf)]


def _report(cpu_ms: float, delays: list[float], goal_ms: float) -> None:
    print(f"processor time a decision: {cpu_ms:.2f} ms (goal: below {CPU_GOAL_MS:g}) {_met(cpu_ms, CPU_GOAL_MS)}")
    if delays:
        p99_ms = 1000 * delays[int(0.99 * len(delays))]
        print(
            f"from an action to its acknowledgement: median {1000 * median(delays):.1f} ms, 99th percentile "
            f"{p99_ms:.1f} ms (goal: below {goal_ms:g}) {_met(p99_ms, goal_ms)}"
        )


def _met(found: float, goal: float) -> str:
    return "met" if found < goal else "MISSED"


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _clients(urls: list[str], pipe: Connection, thinking: Thinking, door: str) -> None:
    client = {"websocket": _socket, "poll": _poller, "mcp": _mcp}[door]
    pipe.send(asyncio.run(_all_clients(urls, thinking, client)))


async def _all_clients(urls: list[str], thinking: Thinking, client: Callable[..., Awaitable[None]]) -> Seen:
    seen = Seen([], [])
    begun = _cpu_s()
    looking = asyncio.ensure_future(_look(seen.late))
    # One pool: making a client takes longer than a game.
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx2.AsyncClient(timeout=120, trust_env=False, limits=limits) as http:
        await asyncio.gather(
            *[client(http, url, seen.delays, partial(thinking.seconds, at)) for at, url in enumerate(urls)]
        )
    looking.cancel()
    seen.cpu_s = _cpu_s() - begun
    return seen


async def _look(late: list[float]) -> None:
    """Note how late a timer is, again and again."""
    while True:
        before = time.perf_counter()
        await asyncio.sleep(_LOOK_S)
        late.append(time.perf_counter() - before - _LOOK_S)


async def _poller(http: httpx2.AsyncClient, url: str, _: list[float], thinking_s: ThinkingTime) -> None:
    async def ask(act: dict[str, Any] | None) -> Any:
        if act is None:
            response = await http.get(f"{url}/v1/turn?wait=25")
        else:
            response = await http.post(f"{url}/v1/act?wait=25", json=act)
        return response.json() if response.content else {}

    await _fetching(ask, thinking_s)


async def _mcp(http: httpx2.AsyncClient, url: str, _: list[float], thinking_s: ThinkingTime) -> None:
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}

    async def ask(act: dict[str, Any] | None) -> Any:
        params = {"name": "next_turn" if act is None else "act", "arguments": {**(act or {}), "wait_s": 25}}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        found = await http.post(f"{url}/mcp", json=call, headers=headers)
        return found.json()["result"].get("structuredContent") or {}

    await _fetching(ask, thinking_s)


async def _fetching(ask: Callable[[dict[str, Any] | None], Awaitable[Any]], thinking_s: ThinkingTime) -> None:
    found: dict[str, Any] = {}
    decision = 0
    while "over" not in found:
        turn = found.get("turn")
        if turn is None:
            found = await ask(None)
            continue
        decision += 1
        kinds = [each["kind"] for each in turn["observation"]["legal"]]
        await asyncio.sleep(thinking_s(decision))
        found = await ask({"turn_token": turn["turn_token"], "kind": "check" if "check" in kinds else "call"})


async def _socket(http: httpx2.AsyncClient, url: str, delays: list[float], thinking_s: ThinkingTime) -> None:
    key = (await http.post(f"{url}/v1/agents", json={"name": "load"})).json()["api_key"]
    joined = (await http.post(f"{url}/v1/tables/auto-join", json={}, headers={"Authorization": f"Bearer {key}"})).json()
    sent, decision = 0.0, 0
    async with websockets.connect(
        f"{joined['ws_url']}?token={joined['session_token']}&format=agent", open_timeout=120
    ) as socket:
        try:
            async for text in socket:
                message = json.loads(text)
                if message["type"] == "ack":
                    delays.append(time.perf_counter() - sent)
                elif message["type"] == "game_state" and message.get("actions"):
                    decision += 1
                    kinds = [each["kind"] for each in message["actions"]]
                    kind = "check" if "check" in kinds else "call"
                    await asyncio.sleep(thinking_s(decision))
                    sent = time.perf_counter()
                    await socket.send(
                        json.dumps({"type": "action", "action": {"turn_token": message["turn_token"], "kind": kind}})
                    )
        except websockets.ConnectionClosed:
            pass


if __name__ == "__main__":
    main(*[int(word) if word.isdigit() else word for word in sys.argv[1:]])
