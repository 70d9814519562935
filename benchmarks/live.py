"""Measure the live server with 100 agents and 50 games at once, every answer recorded: WebSocket, long poll or MCP.

Prints the processor time of the server for one decision and, over WebSockets, how long it takes from an action to the
server's acknowledgement; the other two wait for the next decision in the same request. Agents run in a process of their
own and think for a fifth of a second, a fraction of what any model takes; with 0 they answer at once, which measures
the most that the server can do. The load of the machine is printed, since delays on a busy one say little.

    python benchmarks/live.py [agents] [hands] [thinking in ms] [websocket, poll or mcp]
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
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

import httpx2
import websockets

from molt_bench.agents.llm.exchanges import Exchanges
from molt_bench.arena.resuming_agent import Record, RecordedAgent
from molt_bench.config.sections import GameConfig
from molt_bench.play.drivers import play_games_together
from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.runs.program_replies import Replies
from molt_bench.serve.lobby import Lobby, invited
from molt_bench.serve.public_address import ServerAddress
from molt_bench.serve.server import LiveServer
from molt_bench.specs import GameLabel, GameSpec
from molt_bench.web_server import bound

CPU_GOAL_MS = 3.0
#: The 99th percentile of delays, by how many agents there are at most.
DELAY_GOALS_MS = {100: 20.0, 400: 50.0}


def main(agents: int = 100, hands: int = 20, thinking_ms: int = 200, door: str = "websocket") -> None:
    names = [f"agent{number}" for number in range(agents)]
    lobby = Lobby(
        [each for name in names for each in invited(name, copies=False, slots=1)],
        titles={name: name for name in names},
        game=GameConfig(),
    )
    listener = bound("127.0.0.1", 0)
    port = listener.getsockname()[1]
    urls = [f"http://127.0.0.1:{port}/j/{each.invited.token}" for each in lobby.invitations]
    server = LiveServer(lobby, listener, ServerAddress(host="127.0.0.1", port=listener.getsockname()[1]))
    server.start()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    clients = context.Process(target=_clients, args=(urls, theirs, thinking_ms / 1000, door))
    clients.start()
    assert lobby.wait(120), "not everybody came"
    pairs = list(zip(names[::2], names[1::2], strict=True))
    specs = {
        GameSpec(seed=at, hands=hands, players=pair, noise_seed=f"n{at}"): GameLabel(1, at, "AB")
        for at, pair in enumerate(pairs)
    }
    with tempfile.TemporaryDirectory() as folder:
        answers = Replies(str(Path(folder) / "answers.jsonl"))
        answers.begin(0)
        exchanges = Exchanges()

        def players(spec: GameSpec) -> tuple[RecordedAgent, RecordedAgent]:
            label = specs[spec]
            first, second = (
                RecordedAgent(name, lobby.agent(name, label), Record(label, answers, exchanges, durable=True))
                for name in spec.players
            )
            return first, second

        faults = []
        before, started = _cpu_s(), time.perf_counter()
        run_in_new_loop(
            play_games_together(
                list(specs), players, lambda _, record, __: faults.extend(record.faults), at_once=len(specs)
            )
        )
        cpu_s, wall_s = _cpu_s() - before, time.perf_counter() - started
        answers.close()
    decisions = sum(each.decisions for each in lobby.invitations)
    lobby.close("the benchmark is over")
    delays = ours.recv()
    clients.join(30)
    server.stop()
    print(f"{door}: {agents} agents, {len(specs)} games at once, {decisions:,} decisions in {wall_s:.1f} s")
    print(f"{len(faults)} faults; load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    _report(1000 * cpu_s / decisions, sorted(delays), next(goal for most, goal in _goals() if agents <= most))


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


def _clients(urls: list[str], pipe: Connection, thinking_s: float, door: str) -> None:
    asyncio.run(_all_clients(urls, pipe, thinking_s, {"websocket": _socket, "poll": _poller, "mcp": _mcp}[door]))


async def _all_clients(
    urls: list[str], pipe: Connection, thinking_s: float, client: Callable[..., Awaitable[None]]
) -> None:
    delays: list[float] = []
    await asyncio.gather(*[client(url, delays, thinking_s) for url in urls])
    pipe.send(delays)


async def _poller(url: str, _: list[float], thinking_s: float) -> None:
    async with httpx2.AsyncClient(timeout=60, trust_env=False) as http:

        async def ask(act: dict[str, Any] | None) -> Any:
            if act is None:
                response = await http.get(f"{url}/v1/turn?wait=25")
            else:
                response = await http.post(f"{url}/v1/act?wait=25", json=act)
            return response.json() if response.content else {}

        await _fetching(ask, thinking_s)


async def _mcp(url: str, _: list[float], thinking_s: float) -> None:
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    async with httpx2.AsyncClient(timeout=60, trust_env=False, headers=headers) as http:

        async def ask(act: dict[str, Any] | None) -> Any:
            params = {"name": "next_turn" if act is None else "act", "arguments": {**(act or {}), "wait_s": 25}}
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            return (await http.post(f"{url}/mcp", json=call)).json()["result"].get("structuredContent") or {}

        await _fetching(ask, thinking_s)


async def _fetching(ask: Callable[[dict[str, Any] | None], Awaitable[Any]], thinking_s: float) -> None:
    found: dict[str, Any] = {}
    while "over" not in found:
        turn = found.get("turn")
        if turn is None:
            found = await ask(None)
            continue
        kinds = [each["kind"] for each in turn["observation"]["legal"]]
        await asyncio.sleep(thinking_s)
        found = await ask({"turn_token": turn["turn_token"], "kind": "check" if "check" in kinds else "call"})


async def _socket(url: str, delays: list[float], thinking_s: float) -> None:
    async with httpx2.AsyncClient(timeout=60, trust_env=False) as http:
        key = (await http.post(f"{url}/v1/agents", json={"name": "load"})).json()["api_key"]
        joined = (
            await http.post(f"{url}/v1/tables/auto-join", json={}, headers={"Authorization": f"Bearer {key}"})
        ).json()
    sent = 0.0
    async with websockets.connect(f"{joined['ws_url']}?token={joined['session_token']}&format=agent") as socket:
        try:
            async for text in socket:
                message = json.loads(text)
                if message["type"] == "ack":
                    delays.append(time.perf_counter() - sent)
                elif message["type"] == "game_state" and message.get("actions"):
                    kinds = [each["kind"] for each in message["actions"]]
                    kind = "check" if "check" in kinds else "call"
                    await asyncio.sleep(thinking_s)
                    sent = time.perf_counter()
                    await socket.send(
                        json.dumps({"type": "action", "action": {"turn_token": message["turn_token"], "kind": kind}})
                    )
        except websockets.ConnectionClosed:
            pass


if __name__ == "__main__":
    main(*[int(word) if word.isdigit() else word for word in sys.argv[1:]])
