"""The conformance kit: `check_agent(MyAgent())` says whether an agent is fit to play, and if not, why.

from molt_bench import check_agent

def test_my_agent():
    report = check_agent(MyAgent())
    assert report.ok, report
"""

import inspect
from time import perf_counter
from typing import Any

import msgspec

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.registry import make_agent
from molt_bench.errors import AgentError, shown
from molt_bench.play.drivers import GameOptions, play_game_async
from molt_bench.play.seat import Seat
from molt_bench.poker.observation import Observation
from molt_bench.records import Fault, GameRecord
from molt_bench.seeds import Seed
from molt_bench.specs import Seating

#: Opponents that between them bring an agent into every kind of spot.
SPARRING_PARTNERS = ("callstation", "maniac", "random", "shover", "tight")

SEATINGS: tuple[Seating, ...] = ("AB", "BA")

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
    """Play an agent against all kinds of opponents and stacks, in both seats, and report what it did wrong.

    Args:
        agent: The agent to be checked; anything, since finding out is the point.
        hands: Hands against each opponent at each table.
        action_timeout_s: Seconds one answer may take.
        seed: Names the decks.
    """
    from molt_bench.play.waiting import run_in_new_loop

    try:
        seat = Seat(agent)
    except AgentError as error:
        return AgentReport(type(agent).__name__, (Check("it can be asked", (str(error),)),), 0, 0.0)
    name = getattr(agent, "name", None)
    named = Check("it has a name", () if isinstance(name, str) and name else (f"its name is {shown(name)}",))
    sparring = _Sparring(_Watched(seat), seed, hands, action_timeout_s)
    # One event loop for all games, since an agent may keep a connection that lives on it.
    checks = run_in_new_loop(sparring.all_checks())
    watched = sparring.watched
    mean = watched.seconds / max(1, watched.decisions)
    return AgentReport(
        seat.name, (Check("it can be asked"), named, *checks), watched.decisions, mean, tuple(sparring.faults)
    )


class _Sparring:
    """The games of one check."""

    def __init__(self, watched: "_Watched", seed: Seed, hands: int, timeout_s: float) -> None:
        self.watched = watched
        self.faults: list[Fault] = []
        self._seed = seed
        self._hands = hands
        self._timeout_s = timeout_s

    async def all_checks(self) -> list[Check]:
        """Play at all tables, then twice the same; stop early at an agent that does not answer."""
        checks: list[Check] = []
        for table, options in TABLES.items():
            found: list[Fault] = []
            for partner in SPARRING_PARTNERS:
                for seating in SEATINGS:
                    record = await self._spar(partner, {**options, "seating": seating})
                    found += [fault for fault in record.faults if fault.player == 0]
                    if any(fault.kind == "timeout" for fault in found):
                        self.faults += found
                        return [*checks, Check(f"every answer is legal: {table}", _in_words(found))]
            self.faults += found
            checks.append(Check(f"every answer is legal: {table}", _in_words(found)))
        return [*checks, await self._repeats()]

    async def _spar(self, partner: str, options: GameOptions) -> GameRecord:
        # With a patience of two answers, an agent that never answers is found out soon.
        settings: GameOptions = {**options, "action_timeout_s": self._timeout_s, "max_retries": 0}
        players = (self.watched, make_agent(partner))
        return await play_game_async(players, seed=self._seed, hands=self._hands, **settings)

    async def _repeats(self) -> Check:
        first = await self._spar("maniac", {})
        second = await self._spar("maniac", {})
        differing = sum(one != two for one, two in zip(first.hand_texts, second.hand_texts, strict=True))
        problems = (f"{differing} of {self._hands} hands were played differently the second time",) if differing else ()
        claim = "the same cards get the same play: it has no memory of the last game and no dice of its own"
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

    def __init__(self, seat: Seat) -> None:
        self._act = seat.act
        self.name = "checked"
        self.decisions = 0
        self.seconds = 0.0
        for hook, method in seat.hooks.items():
            setattr(self, hook, method)
        if inspect.iscoroutinefunction(seat.act):
            self.act = self._act_async  # type: ignore[method-assign]

    def act(self, observation: Observation) -> Any:
        start = perf_counter()
        self.decisions += 1
        try:
            return self._act(observation)
        finally:
            self.seconds += perf_counter() - start

    async def _act_async(self, observation: Observation) -> Any:
        start = perf_counter()
        self.decisions += 1
        try:
            return await self._act(observation)
        finally:
            self.seconds += perf_counter() - start
