"""Measure what a sandbox costs: starting a game, and hands a second.

Each row is played with and without a sandbox in turns, so that both see the same machine, and the best of some rounds
counts, since others may use it, too. The C program is the example of the docs, and the Python file a bot that publishes
its odds, for both seats, so that every decision is looked ahead from.

A game's start is the time of a game of one hand, for which no host waits, as in the first game of a run. A later game
finds one: what counts is the time from when the game is wanted to its first answer. The start of a box is the time of a
program that does nothing, from its start until nothing is left of it.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter, sleep
from typing import Any

from molt_bench import ParticipantSpec, make_agent
from molt_bench.agents.base import PokerAgent
from molt_bench.agents.external.program_settings import ExecSettings
from molt_bench.agents.sandbox import python_host_script, waiting_hosts
from molt_bench.agents.sandbox.boxed_program import started_program
from molt_bench.agents.sandbox.choice import Boxed, box_of
from molt_bench.play.play_games import drive
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation
from molt_bench.specs import GameSpec

ROOT = Path(__file__).parents[1]
ROUNDS, HANDS = 7, 300
MIXER = """
from molt_bench import Action, Mix, RaiseRange

class Mixer:
    name = "mixer"

    def act(self, seen):
        legal = seen.legal
        passive = Action("call") if legal.to_call else Action("check")
        if "raiseTo" not in legal.kinds:
            return passive
        return Mix([(passive, 3), (RaiseRange(legal.min_raise_to, legal.max_raise_to), 1)])
"""


def seconds_of(do: Callable[[], object]) -> float:
    """Return how long something takes."""
    start = perf_counter()
    do()
    return perf_counter() - start


def play(participant_type: str, sandbox: str, hands: int) -> None:
    """Play one game against a bot that never folds, for which no host waits."""
    waiting_hosts.end_all()
    play_on(participant_type, sandbox, hands)


def play_on(participant_type: str, sandbox: str, hands: int) -> None:
    """Play one game more."""
    agent = make_agent(ParticipantSpec(id="bot", type=participant_type, settings={"sandbox": sandbox}))
    _drive(agent, hands)


def _drive(agent: PokerAgent, hands: int) -> None:
    record = drive(GameSpec(seed=1, hands=hands), (agent, make_agent("callstation")))
    assert record.faults == (), record.faults[0]


def until_asked(participant_type: str) -> float:
    """Play one game more in a sandbox; return the seconds from when it is wanted until its first answer."""
    wanted, answered = perf_counter(), list[float]()
    agent = make_agent(ParticipantSpec(id="bot", type=participant_type, settings={"sandbox": "bwrap"}))
    ask = agent.act

    async def act(seen: Observation) -> Action:
        action = await ask(seen)  # type: ignore[misc]
        answered.append(perf_counter() - wanted)
        return action

    agent.act = act  # type: ignore[method-assign]
    _drive(agent, HANDS)
    return answered[0]


def processor_time_of_a_host() -> float:
    """Return the seconds of processor time that a host takes before its game and after it."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-P", python_host_script.__file__], stdin=subprocess.DEVNULL, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def empty_box(sandbox: str) -> None:
    """Start a program that does nothing, and wait until it and its box have ended."""
    command = Boxed(("/bin/true",), ExecSettings(command="/bin/true"), box_of(sandbox, network=False))
    program = started_program(command, piped=True)
    while not program.ended:
        sleep(0.0002)
    program.sweep(os.getpid(), lambda remains: None)


def in_turns(ways: dict[Any, Callable[[], object]], rounds: int = ROUNDS) -> dict[Any, float]:
    """Return the best time of each way, tried in turns."""
    found: dict[Any, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, do in ways.items():
            found[way].append(seconds_of(do))
    return {way: min(times) for way, times in found.items()}


def main() -> None:
    """Measure and print the tables."""
    with tempfile.TemporaryDirectory() as folder:
        program, file = Path(folder, "bot"), Path(folder, "mixer.py")
        subprocess.run(["cc", "-O2", "-o", program, ROOT / "docs/examples/bots/bot.c"], check=True)
        file.write_text(MIXER)
        script = f"exec:{sys.executable} -I -S {ROOT / 'docs/examples/bots/bot.py'}"
        rows = {"exec:, C": f"exec:{program}", "exec:, Python": script, "file.py:factory": f"{file}:Mixer"}
        both = ("off", "bwrap")
        empty = in_turns({sandbox: partial(empty_box, sandbox) for sandbox in both}, rounds=5 * ROUNDS)
        print(
            f"a program that does nothing, ms: {1000 * empty['off']:.1f} without, {1000 * empty['bwrap']:.1f} in a box"
        )
        print(" " * 18 + "".join(f"{title:>24}" for title in ("start of a game, ms", "hands a second")))
        print(" " * 18 + 2 * f"{'without':>12}{'sandbox':>12}")
        for name, kind in rows.items():
            ways = {
                (sandbox, hands): (lambda sandbox=sandbox, hands=hands, kind=kind: play(kind, sandbox, hands))
                for sandbox in both
                for hands in (1, HANDS)
            }
            found = in_turns(ways)
            starts = [f"{1000 * found[sandbox, 1]:12.1f}" for sandbox in both]
            speeds = [f"{(HANDS - 1) / (found[sandbox, HANDS] - found[sandbox, 1]):12,.0f}" for sandbox in both]
            print(f"{name:18}" + "".join([*starts, *speeds]))
        later = [until_asked(rows["file.py:factory"]) for _ in range(2 * ROUNDS)][2:]
        print(
            "file.py:factory in a sandbox, from when a later game is wanted to its first answer, ms: "
            f"{1000 * min(later):.1f} at best, {1000 * median(later):.1f} in the middle"
        )
        print(f"processor time of its host, ms: {1000 * min(processor_time_of_a_host() for _ in range(ROUNDS)):.0f}")


if __name__ == "__main__":
    main()
