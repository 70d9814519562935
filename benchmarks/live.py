"""Measure the live server with 100 agents connected over WebSockets and 50 games at once, every answer recorded.

Prints the processor time of the server for one decision, and how long it takes from an action to the server's
acknowledgement. Agents run in a process of their own and think for a fifth of a second, a fraction of what any model
takes; with 0 they answer at once, which measures the most that the server can do.

    python benchmarks/live.py [agents] [hands] [thinking in ms]
"""

import asyncio
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

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
DELAY_GOAL_MS = 50.0


def main(agents: int = 100, hands: int = 20, thinking_ms: int = 200) -> None:
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
    clients = context.Process(target=_clients, args=(urls, theirs, thinking_ms / 1000))
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
    _report(agents, len(specs), decisions, len(faults), cpu_s=cpu_s, wall_s=wall_s, delays=delays)


def _report(
    agents: int, games: int, decisions: int, faults: int, *, cpu_s: float, wall_s: float, delays: list[float]
) -> None:
    ordered = sorted(delays)
    p99_ms = 1000 * ordered[int(0.99 * len(ordered))]
    cpu_ms = 1000 * cpu_s / decisions
    print(f"{agents} agents, {games} games at once, {decisions:,} decisions, {faults} faults in {wall_s:.1f} s")
    print(f"processor time a decision: {cpu_ms:.2f} ms (goal: below {CPU_GOAL_MS:g}) {_met(cpu_ms, CPU_GOAL_MS)}")
    print(
        f"from an action to its acknowledgement: median {1000 * median(ordered):.1f} ms, 99th percentile "
        f"{p99_ms:.1f} ms (goal: below {DELAY_GOAL_MS:g}) {_met(p99_ms, DELAY_GOAL_MS)}"
    )


def _met(found: float, goal: float) -> str:
    return "met" if found < goal else "MISSED"


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _clients(urls: list[str], pipe: object, thinking_s: float) -> None:
    asyncio.run(_all_clients(urls, pipe, thinking_s))


async def _all_clients(urls: list[str], pipe: object, thinking_s: float) -> None:
    delays: list[float] = []
    await asyncio.gather(*[_client(url, delays, thinking_s) for url in urls])
    pipe.send(delays)


async def _client(url: str, delays: list[float], thinking_s: float) -> None:
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
    main(*[int(word) for word in sys.argv[1:]])
