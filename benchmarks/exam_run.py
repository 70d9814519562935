"""Adaptive runs of the ten agents of the exam: hands and dollars until their order is sure. Part of `exam.py`."""

from collections import Counter
from collections.abc import Callable
from statistics import median
from time import monotonic

from strangers import TEN

from molt_bench import run_benchmark
from molt_bench.agents.base import PokerAgent
from molt_bench.arena.status import Observer, RunStatus
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation

#: Dollars of a call: those of `gpt-4.1-mini`.
CALL_USD = 0.0006
#: Configs: matches as short as those of models, where calls cost money, with two master seeds; and the defaults.
_SHORT = {"game": {"handsPerGame": 20}, "scheduler": {"matchesPerRound": 3}}
RUNS = {
    "short matches": {**_SHORT, "seeds": {"perMatch": 5, "masterSeed": "exam beside play 1"}},
    "short matches again": {**_SHORT, "seeds": {"perMatch": 5, "masterSeed": "exam beside play 2"}},
    "defaults": {"seeds": {"masterSeed": "exam beside play 3"}},
}
#: Hands between two lines.
STEP = 10_000


class Unpublished:
    """One of the ten as a model is: nobody knows how it mixes. Counts what it is asked."""

    def __init__(self, name: str, agent: PokerAgent, asked: Counter[str]) -> None:
        self.name, self._agent, self._asked = name, agent, asked

    def act(self, observation: Observation) -> Action:
        """Answer as the agent does."""
        self._asked[self.name] += 1
        return self._agent.act(observation)  # type: ignore[return-value]


def print_runs(most: int) -> None:
    """Play all of them, of so many hands at most each."""
    for name in RUNS:
        print_run(name, most)


def print_run(name: str, most: int) -> None:
    """Play one run with the default scheduler and stop rule, of so many hands at most; print how it goes and ends."""
    asked: Counter[str] = Counter()

    def factory(name: str) -> Callable[[], PokerAgent]:
        made = Unpublished(name, TEN[name].make(name), asked)  # none of them has a memory
        return lambda: made

    ids = {name: f"x{at}" for at, name in enumerate(TEN)}
    names = {short: name for name, short in ids.items()}
    said, begun, last = [0], monotonic(), list[RunStatus]()

    def on_status(status: RunStatus) -> None:
        last[:] = [status]
        if status.finished is not None and status.hands >= said[0] + STEP:
            said[0] = status.hands
            calls = sum(asked.values())
            print(
                f"  {status.hands:,} hands, ${CALL_USD * calls:.2f}: {kinds(status)}; {monotonic() - begun:.0f} s",
                flush=True,
            )

    config = {
        **RUNS[name],
        "participants": [{"id": short, "type": short, "displayName": name} for name, short in ids.items()],
        "stop": {"budget": {"maxMatches": None, "maxHands": most}},
    }
    result = run_benchmark(
        config,
        agents={short: factory(name) for name, short in ids.items()},
        keep_hands=False,
        observer=Observer(on_status),
        executor="inline",
    )
    print(f"{name}: {result.stop_reason}")
    print(f"  {', '.join(names[each] for each in last[0].ladder.ranking())}: {kinds(last[0])}")
    calls, each = sum(asked.values()), sorted(asked.values())
    hands = sum(match.result.hands for match in result.matches)
    print(
        f"  {hands:,} hands, {len(result.matches)} matches; {calls:,} calls, "
        f"${CALL_USD * calls:.2f} for all ten; of each {each[0]:,} to {each[-1]:,}, median {median(each):,.0f}"
    )


def kinds(status: RunStatus) -> str:
    """Say how many neighbours are decided."""
    found = Counter(each.kind for each in status.ladder.verdicts())
    return ", ".join(f"{count} {kind}" for kind, count in sorted(found.items()))
