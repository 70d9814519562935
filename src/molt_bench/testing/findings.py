"""Findings of a check, for people and programs."""

from typing import Final

import msgspec

from molt_bench.errors import FaultKind
from molt_bench.records import Fault

#: Not required, since an agent may mix.
SAME_PLAY: Final = "it plays the same cards the same way, even after seeing them from the other seat"


class Check(msgspec.Struct, frozen=True):
    """One check.

    Attributes:
        claim: What should be true.
        problems: What was found instead; empty if the claim holds.
        required: Whether breaking it makes an agent unfit; otherwise it is just a note.
    """

    claim: str
    problems: tuple[str, ...] = ()
    required: bool = True


class FaultExample(msgspec.Struct, frozen=True):
    """How often a kind of fault occurred, with the first example.

    Attributes:
        kind: The kind of fault.
        count: How often it occurred.
        message: The message of the first one.
        table: Which of the `TABLES` it occurred at.
        opponent: The opponent.
        seat: The agent's seat, 0 or 1.
        hand_number: Number of the hand, from 1; 0 before the first.
        hand: That hand in the notation of `molt_bench.poker.notation`; empty before the first.
        trace: The last frames of the agent's traceback; empty if it raised nothing.
        seen: What the agent saw when it made it; empty before the first hand.
    """

    kind: FaultKind
    count: int
    message: str
    table: str
    opponent: str
    seat: int
    hand_number: int
    hand: str
    trace: str = ""
    seen: str = ""

    def __str__(self) -> str:
        times = "once" if self.count == 1 else f"{self.count:,} times"
        where = f"in hand {self.hand_number}" if self.hand_number else "before the first hand"
        said = f"{self.kind}, {times}; the first {where} against {self.opponent}, in seat {self.seat}: {self.table}"
        what = f"{self.seen}: {self.message}" if self.seen else self.message
        return "\n          ".join([said, what, *([self.hand] if self.hand else []), *self.trace.splitlines()])


class Latency(msgspec.Struct, frozen=True):
    """Response times, in seconds.

    Attributes:
        median: The median.
        p95: The 95th percentile.
        slowest: The maximum.
    """

    median: float = 0.0
    p95: float = 0.0
    slowest: float = 0.0

    def __str__(self) -> str:
        return f"{_ms(self.median)} (median), {_ms(self.p95)} (95%), {_ms(self.slowest)} (slowest)"


class AgentReport(msgspec.Struct, frozen=True):
    """What `check_agent` found; `str()` of it is a readable list.

    Attributes:
        name: The agent's name.
        checks: All checks.
        decisions: How often the agent was asked.
        faults: All its faults.
        examples: The first fault of each kind, with counts.
        latency: Its response times.
    """

    name: str
    checks: tuple[Check, ...]
    decisions: int
    faults: tuple[Fault, ...] = ()
    examples: tuple[FaultExample, ...] = ()
    latency: Latency = Latency()

    @property
    def ok(self) -> bool:
        """Whether every required check holds."""
        return not any(check.problems for check in self.checks if check.required)

    @property
    def repeats(self) -> bool | None:
        """Whether it played the same cards the same way twice; None if the check ended before that."""
        return next((not check.problems for check in self.checks if check.claim == SAME_PLAY), None)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [f"{self.name}: {'fit to play' if self.ok else 'NOT fit to play'}"]
        for check in self.checks:
            mark = "ok  " if not check.problems else "FAIL" if check.required else "note"
            lines.append(f"  {mark}  {check.claim}")
            lines += [f"          {problem}" for problem in check.problems]
        lines += [f"  fault {example}" for example in self.examples]
        return "\n".join([*lines, f"  asked {self.decisions:,} times; an answer takes {self.latency}"])


def _ms(seconds: float) -> str:
    """Format a time in milliseconds, to at most three digits."""
    ms = 1000 * seconds
    return f"{ms:,.0f} ms" if ms >= 100 else f"{ms:.2g} ms" if ms < 10 else f"{ms:.3g} ms"
