"""The agent check: games against all kinds of opponents and stacks."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from math import ceil
from statistics import median
from time import perf_counter
from typing import Any, Final

import msgspec

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.kinds import make_agent
from molt_bench.agents.tracebacks import Watched, traceback_of
from molt_bench.errors import AgentError, FaultKind
from molt_bench.play import event_loop
from molt_bench.play.play_games import play_game_async
from molt_bench.play.seated_agent import SeatedAgent
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import Observation
from molt_bench.records import Fault, GameRecord
from molt_bench.seeds import Seed, derived_seed
from molt_bench.specs import SEATINGS, GameOptions, Seating
from molt_bench.testing.findings import SAME_PLAY, AgentReport, Check, FaultExample, Latency
from molt_bench.visible_text import shown

#: Opponents that together put an agent in every kind of spot.
SPARRING_PARTNERS = ("callstation", "maniac", "random", "shover", "tight")

#: Settings that expose common mistakes.
TABLES: dict[str, GameOptions] = {
    "deep stacks": {},
    "short stacks, carried on": {"stack": 350, "stacks": "carry"},
    "blinds that take most of a stack": {"stack": 120},
    "antes and a raise cap": {"ante": 10, "raise_cap": 3},
}

_LEGAL: Final = "every answer is legal: {}"
#: Faults that take so long that one is enough.
_NO_ANSWER: Final[tuple[FaultKind, ...]] = ("timeout", "transport")
#: Frames of a traceback to show.
_FRAMES: Final = 3
_ENOUGH: Final = "the check ended here: there is no use in asking on"


def check_agent(
    agent: PokerAgent | None = None,
    *,
    make: Callable[[], PokerAgent] | None = None,
    hands: int = 60,
    action_timeout_s: float = 10.0,
    seed: Seed = "conformance",
    partners: Sequence[str] = SPARRING_PARTNERS,
) -> AgentReport:
    """Play an agent against all kinds of opponents and stacks, in both seats, and report what it did wrong.

    Args:
        agent: The agent to check; any object, since finding out is the point.
        make: Instead of an agent: makes one for every game, as a benchmark does.
        hands: Hands against each opponent at each table.
        action_timeout_s: Seconds one answer may take; an agent that keeps its own time uses its own limit.
        seed: Name of the decks.
        partners: The built-in bots to play against.

    Raises:
        MoltBenchError: `make` did not make an agent.
    """
    first: Any = agent if make is None else make()
    try:
        seat = SeatedAgent(first)
    except AgentError as error:
        return AgentReport(type(first).__name__, (Check("it can be asked", (str(error),)),), 0)
    name = getattr(first, "name", None)
    named = Check("it has a name", () if isinstance(name, str) and name else (f"its name is {shown(name)}",))
    sparring = _Sparring(make or (lambda: first), seed, hands, action_timeout_s, tuple(partners))
    # One event loop for all games, since an agent may keep a connection tied to it.
    checks = event_loop.run_in_new_loop(sparring.all_checks())
    return AgentReport(
        seat.name,
        (Check("it can be asked"), named, *checks),
        sparring.clock.decisions,
        tuple(sparring.faults),
        tuple(sparring.examples.values()),
        sparring.clock.latency(),
    )


class _Stopwatch(msgspec.Struct):
    """Response times of one check."""

    decisions: int = 0
    seconds: list[float] = []
    #: What was seen last in every hand of a game.
    seen: dict[int, Observation] = {}

    def timed(self, act: Callable[[Observation], Any]) -> Callable[[Observation], Any]:
        """Return a function that asks the agent as `act` does, and records how long its answer took."""

        async def awaited(answer: Awaitable[Any], start: float) -> Any:
            try:
                return await answer
            finally:
                self._stop(start)

        async def ask_async(observation: Observation) -> Any:
            self._note(observation)
            return await awaited(act(observation), perf_counter())

        def ask(observation: Observation) -> Any:
            self._note(observation)
            start, pending = perf_counter(), False
            try:
                answer = act(observation)
                pending = type(answer) not in (Action, Mix) and inspect.isawaitable(answer)
                return awaited(answer, start) if pending else answer
            finally:
                if not pending:
                    self._stop(start)

        return ask_async if inspect.iscoroutinefunction(act) else ask

    def _note(self, observation: Observation) -> None:
        self.decisions += 1
        self.seen[observation.hand_number] = observation

    def _stop(self, start: float) -> None:
        self.seconds.append(perf_counter() - start)

    def latency(self) -> Latency:
        """Return a summary of the response times."""
        if not self.seconds:
            return Latency()
        times = sorted(self.seconds)
        return Latency(median(times), times[ceil(0.95 * len(times)) - 1], times[-1])


class _Sparring(msgspec.Struct):
    """The games of one check."""

    make: Callable[[], PokerAgent]
    seed: Seed
    hands: int
    timeout_s: float
    partners: tuple[str, ...]
    clock: _Stopwatch = msgspec.field(default_factory=_Stopwatch)
    faults: list[Fault] = []
    examples: dict[FaultKind, FaultExample] = {}
    raised: list[BaseException] = []

    async def all_checks(self) -> list[Check]:
        """Play at all tables, then the same cards twice; stop early if the agent does not answer."""
        checks: list[Check] = []
        for table, options in TABLES.items():
            found: list[Fault] = []
            for partner in self.partners:
                for seating in SEATINGS:
                    asked = self.clock.decisions
                    record = await self._spar(partner, {**options, "seating": seating})
                    new = self._noted(record, table, partner)
                    found += new
                    if self._is_enough(new, self.clock.decisions - asked):
                        return [*checks, Check(_LEGAL.format(table), (*_in_words(found), _ENOUGH))]
            checks.append(Check(_LEGAL.format(table), _in_words(found)))
        return [*checks, await self._repeats()]

    def _is_enough(self, faults: list[Fault], asked: int) -> bool:
        """Return whether the agent does not answer, or gave no usable answer in a whole game."""
        failed = sum(fault.attempt > 0 for fault in faults)
        return failed >= asked > 0 or any(fault.kind in _NO_ANSWER for fault in faults)

    async def _spar(self, partner: str, options: GameOptions, *, seed: Seed | None = None) -> GameRecord:
        # Without retries, an agent that never answers is given up after two decisions.
        settings: GameOptions = {**options, "action_timeout_s": self.timeout_s, "max_retries": 0}
        self.clock.seen.clear()
        self.raised.clear()
        watched: Any = Watched(self.make(), self.raised.append, self.clock.timed)
        players = (watched, make_agent(partner))
        return await play_game_async(players, seed=self.seed if seed is None else seed, hands=self.hands, **settings)

    def _noted(self, record: GameRecord, table: str, partner: str) -> list[Fault]:
        """Count the agent's faults in a game by kind, and return them."""
        found = [fault for fault in record.faults if fault.player == 0]
        self.faults += found
        for fault in found:
            known = self.examples.get(fault.kind)
            if known is None:
                seat, number = int(record.seating == "BA"), fault.hand_number
                hand = record.hand_texts[number - 1] if number else ""
                raised = self.raised[:1] if fault.kind == "exception" else []
                trace = "".join([traceback_of(error, frames=_FRAMES) for error in raised])
                where = (table, partner, seat, number, hand, trace)
                known = FaultExample(fault.kind, 0, fault.said, *where, seen=_moment(self.clock.seen.get(number)))
            self.examples[fault.kind] = msgspec.structs.replace(known, count=known.count + 1)
        return found

    async def _repeats(self) -> Check:
        """Deal new cards, then the same with seats swapped, then the first twice more: play should not change."""
        seed, table = derived_seed(self.seed, "mirror"), next(iter(TABLES.values()))
        seatings: tuple[Seating, ...] = ("BA", "AB", "BA", "BA")
        games = [await self._spar("maniac", {**table, "seating": seating}, seed=seed) for seating in seatings]
        differing = sum(len({*hands}) > 1 for hands in zip(*[games[at].hand_texts for at in (0, 2, 3)], strict=True))
        problems = (f"{differing} of {self.hands} hands were played differently the second time",) if differing else ()
        return Check(SAME_PLAY, problems, required=False)


def _moment(seen: Observation | None) -> str:
    """Return what an agent saw at a decision, in a line."""
    if seen is None:
        return ""
    board = f" on {seen.board_text}" if seen.board else ""
    price = f"{seen.to_call:,} to call" if seen.to_call else "nothing to call"
    return f"with {seen.cards_text}{board}, {price} and {seen.pot:,} in the pot"


def _in_words(faults: list[Fault]) -> tuple[str, ...]:
    """Return a line for each kind of fault: the count and the first one."""
    lines = []
    for kind in dict.fromkeys(fault.kind for fault in faults):
        same = [fault for fault in faults if fault.kind == kind]
        lines.append(f"{len(same)} x {kind}, first in hand {same[0].hand_number}: {same[0].message}")
    return tuple(lines)
