"""Measure 500 games of language models at once, and the CPU time of a decision.

One round of games is played as a run with journal and exchanges, against a provider on loopback, in a process of its
own, that takes a second for every answer, as quick ones do. Then the longest of those games is played again alone:
the run is resumed from a journal that lacks this game. So one sees what the others cost it.

Beside it stands what one call costs by other means, with as many calls at once, all with the same prompt:
plain HTTP, and pydantic-ai in its two ways, each over the one client that it makes itself.

CPU is that of this process alone, the provider has its own; it is steadier than the clock where others compute as well.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any, TypeAlias
from urllib.request import urlopen

import httpx2
import msgspec
from pydantic_ai import Agent
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import ModelTimeoutError
from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from molt_bench import Action, GameRecord, Observation, RunResult, play_game, run_benchmark
from molt_bench.llm.client import ModelClient
from molt_bench.llm.prompt import decision_prompt, default_skill
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange, Said
from molt_bench.runs.journal import Journal, JournalContent, read_journal
from molt_bench.runs.journal_lines import games_in
from molt_bench.runs.replies import Replies
from molt_bench.runs.run import Run
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import GameLabel

RATIO_GOAL, CPU_GOAL_MS, MEMORY_GOAL_MIB = 1.2, 4.0, 1024.0
PROVIDER = Path(__file__).parents[1] / "tests" / "llm" / "provider.py"
MODEL = "loopback"
CALLS_EACH = 2  # in the rows for comparison, after one that opens the connection

Call: TypeAlias = Callable[[], Awaitable[object]]


class Round(msgspec.Struct):
    """A round that was played.

    Attributes:
        result: What came of it.
        content: Its journal.
        exchanges: Its exchanges.
        wall_s: Seconds it took.
        cpu_s: Seconds of CPU in this process.
    """

    result: RunResult
    content: JournalContent
    exchanges: list[Exchange]
    wall_s: float
    cpu_s: float


@contextmanager
def provider(latency_s: float) -> Iterator[str]:
    """Have a provider that takes so long for every answer; yield its URL."""
    command = [sys.executable, str(PROVIDER), "--latency", str(latency_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()


def stats(url: str) -> dict[str, float]:
    """Return what the provider counted."""
    with urlopen(f"{url}/stats") as answer:
        return json.load(answer)


def peak_mib() -> float:
    """Return the most memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def config_of(url: str, games: int, hands: int) -> dict[str, Any]:
    """Return a run of one round."""
    model = {"id": "model", "type": "llm", "model": f"openai:{MODEL}", "baseUrl": url, "maxConcurrent": games}
    return {
        "participants": [model, {"id": "callstation", "type": "callstation"}],
        "seeds": {"perMatch": games // 2, "masterSeed": "the master seed of this measurement"},
        "game": {"handsPerGame": hands},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 1}},
    }


def played(config: dict[str, Any], known: JournalContent | None = None) -> Round:
    """Play a run, or what is missing of one, with a journal and exchanges of its own."""
    with tempfile.TemporaryDirectory() as folder:
        journal, asked = Journal(f"{folder}/journal.jsonl"), f"{folder}/replies.jsonl"
        recorder = Replies(asked)
        wall, cpu = perf_counter(), process_time()
        stored = Run(Path(folder), known) if known is not None else None
        result = run_benchmark(config, files=RunFiles(journal, recorder, stored))
        cpu, wall = process_time() - cpu, perf_counter() - wall
        journal.close()
        recorder.close()
        exchanges = Replies.reopen(asked, read_only=True).earlier
        content = read_journal(journal.path) if known is None else known
    return Round(result, content, exchanges, wall, cpu)


def records(result: RunResult) -> dict[GameLabel, GameRecord]:
    """Return the games of a result."""
    games = [(match.number, game) for match in result.matches for game in match.games]
    return {GameLabel(number, game.seed, game.seating): game for number, game in games}


def without(content: JournalContent, label: GameLabel) -> JournalContent:
    """Return a journal as it was before one game was finished."""
    kept = [game for game in games_in(content.lines) if (game.record.seed, game.record.seating) != label_key(label)]
    return msgspec.structs.replace(content, lines=tuple(kept))


def label_key(label: GameLabel) -> tuple[object, str]:
    return label.seed, label.seating


def spread(values: list[float], unit: str, digits: int = 2) -> str:
    """Return a distribution in words."""
    cuts = quantiles(values, n=20)
    texts = (f"{value:.{digits}f}" for value in (min(values), median(values), cuts[-1], max(values)))
    return "least {}, median {}, 95 % below {}, most {} ".format(*texts) + unit


def verdict(value: float, goal: float) -> str:
    return "met" if value <= goal else "MISSED"


def rounds(games: int, latency_s: float, hands: int) -> None:
    """Play the round and its longest game alone, and print what was seen."""
    with provider(0) as url:
        played(config_of(url, 2, 1))  # what is loaded with the first request is part of neither
    before_mib = peak_mib()
    with provider(latency_s) as url:
        config = config_of(url, games, hands)
        start = stats(url)
        all_at_once = played(config)
        seen, peak = stats(url), peak_mib()
        # The preflight question is of no match.
        decisions = Counter(exchange.game for exchange in all_at_once.exchanges if exchange.game.match)
        ends = {(game.record.seed, game.record.seating): game.seconds for game in games_in(all_at_once.content.lines)}
        # Of the games with most decisions the one that took longest.
        longest = max(decisions, key=lambda label: (decisions[label], ends[label_key(label)]))
        alone = played(config, known=without(all_at_once.content, longest))
    count, most = decisions.total(), decisions[longest]
    again = sum(exchange.game.match > 0 for exchange in alone.exchanges)
    assert again == most, "the longest game was not the only one that was played again"
    assert records(alone.result)[longest] == records(all_at_once.result)[longest], "it went otherwise when alone"
    assert seen["requests"] - start["requests"] == count, "some requests were sent again"

    ratio = all_at_once.wall_s / alone.wall_s
    cpu_ms = 1000 * all_at_once.cpu_s / count
    overhead_s = alone.wall_s / most - latency_s
    sequential_s = count * (latency_s + overhead_s)
    waits = [ends[label_key(label)] - number * latency_s for label, number in decisions.items()]
    slower = [ends[label_key(label)] / (number * latency_s) for label, number in decisions.items()]
    server_cpu = seen["cpuSeconds"] - start["cpuSeconds"]
    print(f"{len(decisions)} games at once, {hands} hands each, {latency_s:g} s for every answer\n")
    for name, text in (
        ("decisions", f"{count:,}; in a game {min(decisions.values())} to {most}"),
        ("round", f"{all_at_once.wall_s:.1f} s"),
        ("its longest game alone", f"{alone.wall_s:.1f} s (its answers alone: {most * latency_s:g} s)"),
        ("round / longest alone", f"{ratio:.3f} (goal: at most {RATIO_GOAL}, {verdict(ratio, RATIO_GOAL)})"),
        ("CPU a decision", f"{cpu_ms:.2f} ms (goal: at most {CPU_GOAL_MS:g} ms, {verdict(cpu_ms, CPU_GOAL_MS)})"),
        (
            "peak memory",
            f"{peak:.0f} MiB, {before_mib:.0f} MiB of it before the round (goal: at most {MEMORY_GOAL_MIB:g} MiB, "
            f"{verdict(peak, MEMORY_GOAL_MIB)})",
        ),
        ("most requests in flight", f"{seen['mostInFlight']:.0f}, as the provider saw it"),
        (
            "CPU in use",
            f"{all_at_once.cpu_s / all_at_once.wall_s:.0%} of a core here, "
            f"{server_cpu / all_at_once.wall_s:.0%} for the provider ({1000 * server_cpu / count:.2f} ms a request)",
        ),
        ("games' time / their answers'", spread(slower, "times")),
        ("games' time beyond answers'", spread(waits, "s")),
        ("latency as recorded", spread([each.latency_s for each in all_at_once.exchanges], "s")),
        (
            "one after the other",
            f"{sequential_s / 3600:.1f} h, extrapolated at {latency_s + overhead_s:.3f} s a decision",
        ),
        ("gain over that", f"{sequential_s / all_at_once.wall_s:,.0f} times"),
    ):
        print(f"{name:30}{text}")


class Watcher:
    """Calls, and remembers what it saw."""

    def __init__(self) -> None:
        self.seen: list[Observation] = []

    def act(self, seen: Observation) -> Action:
        """Check or call."""
        self.seen.append(seen)
        return Action("call" if seen.to_call else "check")


def message() -> str:
    """Return a prompt such as the games have: on the turn."""
    watcher = Watcher()
    play_game((watcher, Watcher()), seed="llm", hands=1)
    return decision_prompt(
        next(seen for seen in watcher.seen if seen.street == "turn"), LLMSettings(model="openai:any")
    )


@asynccontextmanager
async def by_http(url: str):
    """Post the body that the others send."""
    body = {
        "model": MODEL,
        "messages": [{"role": "system", "content": default_skill()}, {"role": "user", "content": message()}],
    }
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx2.AsyncClient(limits=limits, timeout=None) as client:

        async def call() -> object:
            answer = await client.post(f"{url}/chat/completions", json=body)
            return json.loads(answer.json()["choices"][0]["message"]["content"])

        yield call


@asynccontextmanager
async def by_direct_request(url: str):
    """Ask by pydantic-ai without an agent."""
    skill, text = default_skill(), message()
    async with OpenAIProvider(base_url=url, api_key="none") as made:
        model = OpenAIChatModel(MODEL, provider=made)

        async def call() -> object:
            messages = [ModelRequest(parts=[SystemPromptPart(skill), UserPromptPart(text)])]
            answer = await model_request(model, messages)
            return json.loads(answer.parts[0].content)

        yield call


@asynccontextmanager
async def by_agent(url: str):
    """Ask by pydantic-ai's Agent, as most programs do."""
    text = message()
    async with OpenAIProvider(base_url=url, api_key="none") as made:
        model = OpenAIChatModel(MODEL, provider=made)
        agent = Agent(model, system_prompt=default_skill())

        async def call() -> object:
            return json.loads((await agent.run(text)).output)

        yield call


@asynccontextmanager
async def by_client(url: str):
    """Ask by our own client, without game and desk."""
    client = ModelClient(LLMSettings(model=f"openai:{MODEL}", base_url=url))
    prompt = (Said("system", default_skill()), Said("user", message()))

    async def call() -> object:
        return json.loads((await client.ask(prompt, timeout_s=120)).text)

    yield call
    await client.close()


ROWS = {
    "httpx2: post": by_http,
    "pydantic_ai: direct request": by_direct_request,
    "pydantic_ai: Agent.run": by_agent,
    "molt_bench: the client alone": by_client,
}


async def cpu_of_calls(row: Callable[[str], Any], url: str, at_once: int) -> float:
    """Return the CPU milliseconds of one call, with so many at once and all connections open."""

    async def some(call: Call, number: int) -> None:
        for _ in range(number):
            await call()

    async with row(url) as call:
        await asyncio.gather(*[some(call, 1) for _ in range(at_once)])
        start = process_time()
        await asyncio.gather(*[some(call, CALLS_EACH) for _ in range(at_once)])
        return 1000 * (process_time() - start) / (at_once * CALLS_EACH)


def calls(at_once: int, latency_s: float) -> None:
    """Measure and print what a call costs by other means."""
    print(f"\n{'CPU a call, ' + str(at_once) + ' at once':38}{'ms':>8}")
    with provider(latency_s) as url:
        for name, row in ROWS.items():
            try:
                cost = f"{asyncio.run(cpu_of_calls(row, url, at_once)):.2f}"
            except (httpx2.TimeoutException, ModelTimeoutError):  # which other clients give up by on a busy machine
                cost = "timeout"
            print(f"{name:38}{cost:>8}", flush=True)


def load() -> str:
    return ", ".join(f"{value:.1f}" for value in os.getloadavg())


def main() -> int:
    """Measure and print; the exit status is 0, since these are figures and no test."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=500, help="games at once, an even number (%(default)s)")
    parser.add_argument("--latency", type=float, default=1.0, help="seconds for every answer (%(default)s)")
    parser.add_argument("--hands", type=int, default=5, help="hands of a game (%(default)s)")
    parser.add_argument("--call-latency", type=float, default=1.0, help="the same for single calls (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="40 games of 3 hands at 0.5 s, whatever else is asked for")
    options = parser.parse_args()
    games, latency_s, hands, call_latency_s = options.games, options.latency, options.hands, options.call_latency
    if options.quick:
        games, latency_s, hands, call_latency_s = 40, 0.5, 3, 0.2
    print(f"{os.cpu_count()} cores, load before: {load()}")
    rounds(games, latency_s, hands)
    calls(games, call_latency_s)
    print(f"\nload after: {load()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
