"""The conformance kit: `check_agent(MyAgent())` says whether an agent is fit to play, and if not, why.

from molt_bench import check_agent

def test_my_agent():
    report = check_agent(MyAgent())
    assert report.ok, report
"""

import inspect
from collections.abc import Awaitable
from time import perf_counter
from typing import Any

import msgspec

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.registry import make_agent
from molt_bench.play.drivers import GameOptions, play_game
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation
from molt_bench.records import Fault, GameRecord
from molt_bench.seeds import Seed
from molt_bench.specs import ParticipantSpec

#: Opponents that between them bring an agent into every kind of spot.
SPARRING_PARTNERS = ("callstation", "maniac", "random", "shover", "tight")

#: Games that bring up what an agent easily gets wrong.
TABLES: dict[str, GameOptions] = {
    "deep stacks": {},
    "short stacks, carried on": {"stack": 350, "stacks": "carry"},
    "blinds that take most of a stack": {"stack": 120},
    "antes and a raise cap": {"ante": 10, "raise_cap": 3},
}


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at.

    Attributes:
        claim: What should be true.
        problems: What was found instead; empty when the claim holds.
        required: Whether an agent that breaks it is unfit; otherwise it is only worth knowing.
    """

    claim: str
    problems: tuple[str, ...] = ()
    required: bool = True


class AgentReport(msgspec.Struct, frozen=True):
    """What `check_agent` found; `str()` of it is the list for people.

    Attributes:
        name: The agent's name.
        checks: All that was looked at.
        decisions: How often the agent was asked.
        seconds_per_decision: Mean time of an answer.
        faults: Every fault it made.
    """

    name: str
    checks: tuple[Check, ...]
    decisions: int
    seconds_per_decision: float
    faults: tuple[Fault, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every required check holds."""
        return not any(check.problems for check in self.checks if check.required)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [f"{self.name}: {'fit to play' if self.ok else 'NOT fit to play'}"]
        for check in self.checks:
            mark = "ok  " if not check.problems else "FAIL" if check.required else "note"
            lines.append(f"  {mark}  {check.claim}")
            lines += [f"          {problem}" for problem in check.problems]
        speed = f"{1000 * self.seconds_per_decision:.3g} ms a decision over {self.decisions:,} decisions"
        return "\n".join([*lines, f"  {speed}"])


def check_agent(
    agent: PokerAgent, *, hands: int = 60, action_timeout_s: float = 10.0, seed: Seed = "conformance"
) -> AgentReport:
    """Play an agent against all kinds of opponents and stacks, and report what it did wrong.

    Args:
        agent: The agent to be checked; anything, since finding out is the point.
        hands: Hands against each opponent at each table.
        action_timeout_s: Seconds one answer may take.
        seed: Names the decks.
    """
    name = getattr(agent, "name", None)
    checks = [
        Check("it has a name", () if isinstance(name, str) and name else (f"name is {name!r}",)),
        Check("it can be asked", () if _can_act(agent) else ("it has no method act(observation)",)),
    ]
    shown = name if isinstance(name, str) and name else type(agent).__name__
    if checks[1].problems:
        return AgentReport(shown, tuple(checks), 0, 0.0)
    watched = _Watched(agent)
    faults: list[Fault] = []
    for table, options in TABLES.items():
        found: list[Fault] = []
        for partner in SPARRING_PARTNERS:
            record = _spar(watched, partner, seed, hands, action_timeout_s, options)
            found += [fault for fault in record.faults if fault.player == 0]
            if any(fault.kind == "timeout" for fault in found):
                break
        checks.append(Check(f"every answer is legal: {table}", _in_words(found)))
        faults += found
        if any(fault.kind == "timeout" for fault in found):
            break
    else:
        checks.append(_repeats(watched, seed, hands, action_timeout_s))
    return AgentReport(
        shown, tuple(checks), watched.decisions, watched.seconds / max(1, watched.decisions), tuple(faults)
    )


def _can_act(agent: object) -> bool:
    return not isinstance(agent, type) and callable(getattr(agent, "act", None))


def _spar(
    watched: "_Watched", partner: str, seed: Seed, hands: int, timeout_s: float, options: GameOptions
) -> GameRecord:
    opponent = make_agent(ParticipantSpec(id=partner, type=partner))
    settings: GameOptions = {**options, "action_timeout_s": timeout_s, "max_retries": 0}
    return play_game((watched, opponent), seed=seed, hands=hands, **settings)


def _repeats(watched: "_Watched", seed: Seed, hands: int, timeout_s: float) -> Check:
    first, second = (_spar(watched, "maniac", seed, hands, timeout_s, {}) for _ in range(2))
    claim = "the same cards get the same play: it has no memory of the last game and no dice of its own"
    differing = sum(one != two for one, two in zip(first.hand_texts, second.hand_texts, strict=True))
    problems = (f"{differing} of {hands} hands were played differently the second time",) if differing else ()
    return Check(claim, problems, required=False)


def _in_words(faults: list[Fault]) -> tuple[str, ...]:
    """Return a line for each kind of fault: how many, and the first of them."""
    lines = []
    for kind in dict.fromkeys(fault.kind for fault in faults):
        same = [fault for fault in faults if fault.kind == kind]
        lines.append(f"{len(same)} x {kind}, first in hand {same[0].hand_number}: {same[0].message}")
    return tuple(lines)


class _Watched:
    """An agent with a stopwatch; its hooks are those of the agent."""

    def __init__(self, agent: PokerAgent) -> None:
        self._agent = agent
        self.name = "checked"
        self.decisions = 0
        self.seconds = 0.0

    def act(self, observation: Observation) -> Action | Awaitable[Action]:
        start = perf_counter()
        self.decisions += 1
        answer = self._agent.act(observation)
        if inspect.isawaitable(answer):
            return self._awaited(answer, start)
        self.seconds += perf_counter() - start
        return answer

    async def _awaited(self, answer: Awaitable[Action], start: float) -> Action:
        try:
            return await answer
        finally:
            self.seconds += perf_counter() - start

    def __getattr__(self, hook: str) -> Any:
        return getattr(self._agent, hook)
