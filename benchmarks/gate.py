"""Measure the gate for continuous integration: which regressions it notices, and how often it raises a false alarm.

The gate is that of `docs/examples/ci`, its config and its --fail-below as they stand there. Agents that publish nothing
play it with dice of their own, as a language model does: two runs of one version differ. Every run is compared with a
baseline of its own number:

- unchanged: every failure is a false alarm
- folds, calls: 30% of decisions are folds (checks where that is free), or calls and checks
- all-ins: 15% of decisions are all-ins
- subtle: 5% of decisions are random

`fails` is exit status 1, and `cannot tell` is 6.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from bots import Bot
from ladders import reader, weigher

from molt_bench import run_benchmark
from molt_bench.agents.base import PokerAgent
from molt_bench.agents.scripted import RandomAgent, ScriptedAgent
from molt_bench.bench.result import RunResult
from molt_bench.config.loader import load_config
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.observation import Observation
from molt_bench.seeds import Seed, derive
from molt_bench.study.comparison import ComparedRun, Difference, compare
from molt_bench.study.gate import Gate

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples" / "ci"
MINE = "mine"
CHANGES = {
    "unchanged": ("", 0.0),
    "folds 30%": ("folds", 0.3),
    "calls 30%": ("calls", 0.3),
    "all-ins 15%": ("all-ins", 0.15),
    "subtle 5%": ("random", 0.05),
}
AGENTS = {
    "judge": reader(0.25, 0.41, 0.71, 0.07, 55, 95),
    "solid": Bot("habits", habits=(0.04, 0.62, 0.12, 70)),
    "weigher": weigher(0.11, 0.35, 60, 120),
}
_SHARE = 2**64


class Worse(ScriptedAgent):
    """An agent that does something else in a share of its decisions."""

    kind = "worse"

    def __init__(self, own: PokerAgent, instead: str, share: float, seed: Seed) -> None:
        super().__init__(seed=derive(seed, "worse"))
        self._own, self._instead, self._below = own, instead, int(share * _SHARE)
        self._random = RandomAgent((seed, "random"))

    def act(self, observation: Observation) -> Action:
        """Throw for who acts."""
        if self.throw(observation) >= self._below:
            return self._own.act(observation)
        if self._instead == "random":
            return self._random.act(observation)
        if self._instead == "all-ins" and observation.max_raise_to:
            return Action("raiseTo", observation.max_raise_to)
        if not observation.to_call:
            return CHECK
        return FOLD if self._instead == "folds" else CALL


class Row(NamedTuple):
    """How often a version failed, and the change and its interval on average."""

    fails: int
    cannot_tell: int
    change: float
    half_width: float


def gate() -> tuple[dict[str, Any], float]:
    """Return the config of the docs, and what it fails below."""
    config = yaml.safe_load((EXAMPLES / "bench.yaml").read_text("utf-8"))
    config["participants"][0]["type"] = MINE
    workflow = yaml.safe_load((EXAMPLES / "molt-bench.yml").read_text("utf-8"))
    return config, float(workflow["jobs"]["gate"]["env"]["FAIL_BELOW"])


def played(bot: Bot, config: dict[str, Any], change: str, number: int) -> RunResult:
    """Play one version once, with dice of its own."""
    seed = derive("gate", change, number)
    instead, share = CHANGES.get(change, ("", 0.0))

    def make() -> PokerAgent:
        return Worse(bot.make(derive(seed, "own")), instead, share, seed)  # which publishes nothing

    return run_benchmark(config, agents={MINE: make}, keep_hands=False)


def judged(
    bot: Bot, config: dict[str, Any], limit: float, worse: int, number: int
) -> dict[str, tuple[int, Difference]]:
    """Play a baseline and one run of every version, and return the exit status and the change of each.

    Worse versions have the first `worse` numbers only.
    """
    checked, gate = load_config(config), Gate(fail_below=limit)
    old = ComparedRun("old", checked, played(bot, config, "baseline", number))
    found = {}
    for change in [*CHANGES][: None if number < worse else 1]:
        new = ComparedRun("new", checked, played(bot, config, change, number))
        (each,) = compare(old, new, agents=[(MINE, MINE)]).differences
        failure = gate.failure(each)
        found[change] = 0 if failure is None else failure.status, each
    return found


def row_of(found: Sequence[tuple[int, Difference]]) -> Row:
    """Return what the runs of one version came to."""
    statuses = [status for status, _ in found]
    changes = [each.change for _, each in found]
    count = len(found)
    return Row(
        statuses.count(1),
        statuses.count(6),
        sum(each.mean for each in changes) / count,
        sum(each.half_width() for each in changes) / count,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=20, help="runs of every version (%(default)s)")
    parser.add_argument("--worse", type=int, help="runs of every worse version; as many by default")
    parser.add_argument("--agents", default=",".join(AGENTS), help="agents with commas between (%(default)s)")
    parser.add_argument("--seeds", type=int, help="seed pairs of a match; those of the docs by default")
    parser.add_argument("--processes", type=int, default=2, help="how many runs at once (%(default)s)")
    options = parser.parse_args()
    config, limit = gate()
    if options.seeds is not None:
        config["seeds"]["perMatch"] = options.seeds
    print(f"--fail-below {limit:g}, {config['seeds']['perMatch']} seed pairs against each opponent")
    print(f"{'agent':10}{'version':14}{'runs':>6}{'fails':>7}{'cannot tell':>13}{'change':>9}{'+-95%':>7}")
    with ProcessPoolExecutor(options.processes) as executor:
        for name in options.agents.split(","):
            worse = options.runs if options.worse is None else options.worse
            judge = partial(judged, AGENTS[name], config, limit, worse)
            found = list(executor.map(judge, range(options.runs)))
            for change in CHANGES:
                known = [each[change] for each in found if change in each]
                row = row_of(known)
                print(
                    f"{name:10}{change:14}{len(known):>6}{row.fails:>7}{row.cannot_tell:>13}"
                    f"{row.change:>+9,.0f}{row.half_width:>7,.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
