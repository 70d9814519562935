"""Tracebacks of the user's own agents, for debugging. No result depends on them."""

import os
import re
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, TypeAlias

import msgspec

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.external.stderr_log import log_path
from molt_bench.errors import AgentFailed, FaultKind
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import Observation
from molt_bench.visible_text import shortened

#: Called with what an agent raised.
Note: TypeAlias = Callable[[BaseException], None]
#: Called with a participant and a traceback, once for each place.
OnTraceback: TypeAlias = Callable[[str, str], None]

#: Bytes of a participant's log; characters and frames of a traceback; different tracebacks of a participant.
KEPT: Final = 64 * 1024
_LONGEST: Final = 8 * 1024
_FRAMES: Final = 30
_MOST: Final = 50
_HEAD: Final = re.compile(r"^=== (\S+), (\d+) times? ===\n", re.MULTILINE)
_LOCATION: Final = re.compile(r'^ +File "(.*)", line (\d+)', re.MULTILINE)
#: Folders of the code that calls agents, whose frames are left out.
_HERE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CALLERS: Final = (
    *(os.path.join(_HERE, room, "") for room in ("play", "testing")),
    os.path.join(_HERE, "agents", "sandbox", "python_host_script.py"),
)
#: What the name of an exception is made of, and its length at most.
_NAME: Final = re.compile(r"\W")
_NAME_LENGTH: Final = 100


class Traced:
    """An agent together with callbacks for what it raises and before it decides; a seat calls the agent itself."""

    __slots__ = ("agent", "before", "note")

    def __init__(self, agent: PokerAgent, note: Note) -> None:
        self.agent = agent
        self.note = note
        self.before: Callable[[Observation], None] | None = None

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.agent.name

    def act(self, observation: Observation) -> Action | Mix | Awaitable[Action | Mix]:
        """Ask the agent."""
        return self.agent.act(observation)


class Trace(msgspec.Struct):
    """One traceback as Python prints it, with the type of the exception and how often it was raised there."""

    kind: str
    text: str
    count: int = 1

    @property
    def location(self) -> tuple[object, ...]:
        """What identifies it: the type, and all lines on the way there."""
        return self.kind, *_LOCATION.findall(self.text)

    @classmethod
    def told(cls, kind: str, text: str) -> "Trace":
        """Return what a process says that runs an agent; it may say anything."""
        return cls(_NAME.sub("", kind)[:_NAME_LENGTH] or "?", shortened(text, _LONGEST))


class ReportedFailure(AgentFailed):
    """A failure in another process, with its traceback."""

    def __init__(self, kind: FaultKind, message: str, trace: Trace) -> None:
        super().__init__(kind, message)
        self.trace = trace


def traceback_of(error: BaseException, *, frames: int = _FRAMES) -> Trace:
    """Return the traceback of an exception: its last frames, without those of the code that called the agent."""
    kind = type(error).__name__
    try:
        start = _first_of_agent(error.__traceback__)
        text = "".join(traceback.TracebackException(type(error), error, start, limit=-frames, compact=True).format())
    except Exception:  # the exception may be as broken as the agent
        text = f"{kind}, of which no traceback can be made\n"
    return Trace(kind, shortened(text, _LONGEST))


def _first_of_agent(at: TracebackType | None) -> TracebackType | None:
    while at is not None and at.tb_frame.f_code.co_filename.startswith(_CALLERS):
        at = at.tb_next
    return at


class _Tracebacks:
    """The tracebacks of one participant, one for each place."""

    def __init__(self) -> None:
        self.found: dict[tuple[object, ...], Trace] = {}
        self.dropped = 0
        self._by_position: dict[tuple[object, ...], Trace] = {}

    def note(self, error: BaseException) -> Trace | None:
        """Count an exception; return its traceback, or None if it is known."""
        if isinstance(error, ReportedFailure):
            known = error.trace.location in self.found
            self.add(error.trace)
            return None if known else error.trace
        key: list[object] = [type(error)]
        at = error.__traceback__
        while at is not None:
            key += (at.tb_frame.f_code, at.tb_lineno)
            at = at.tb_next
        position = tuple(key)
        earlier = self._by_position.get(position)
        if earlier is not None:  # formatting a traceback takes far longer than finding its place
            earlier.count += 1
            return None
        trace = traceback_of(error)
        kept = self.add(trace)
        if kept is not None and len(self._by_position) < _MOST * _MOST:
            self._by_position[position] = kept
        return trace

    def add(self, trace: Trace) -> Trace | None:
        """Count a traceback; return the one kept for its place, or None if there are too many."""
        kept = self.found.get(trace.location)
        if kept is not None:
            kept.count += trace.count
        elif len(self.found) < _MOST:
            kept = self.found[trace.location] = msgspec.structs.replace(trace)
        else:
            self.dropped += trace.count
        return kept

    def text(self) -> str:
        """Return all of them as text, with their counts."""
        parts, size, dropped = [], 0, self.dropped
        for trace in self.found.values():
            times = f"{trace.count} time{'' if trace.count == 1 else 's'}"
            part = f"=== {trace.kind}, {times} ===\n{trace.text.rstrip()}\n\n"
            size += len(part.encode("utf-8", "backslashreplace"))
            if size > KEPT:
                dropped += trace.count
            else:
                parts.append(part)
        return "".join([*parts, f"[{dropped} more at other places were dropped]\n" if dropped else ""])

    @classmethod
    def read(cls, text: str) -> "_Tracebacks":
        """Read the log of an earlier session."""
        traces = cls()
        heads = [*_HEAD.finditer(text)]
        for at, head in enumerate(heads):
            end = heads[at + 1].start() if at + 1 < len(heads) else len(text)
            traces.add(Trace(head[1], text[head.end() : end], int(head[2])))
        return traces


class TraceLog:
    """The tracebacks of all participants: in memory and, if there is a folder, in a file for each that has any.

    A new one is written and reported at once, its count at the end. A file that cannot be written is skipped.
    """

    def __init__(self, folder: Path | None = None, on_traceback: OnTraceback | None = None) -> None:
        self._folder = folder
        self._on_traceback = on_traceback
        self._books: dict[str, tuple[str, _Tracebacks]] = {}
        self._told: set[tuple[object, ...]] = set()

    def traced(self, participant: str, agent: PokerAgent) -> Traced:
        """Return the agent, with its exceptions logged here."""

        def note(error: BaseException) -> None:
            with suppress(Exception):  # logging an exception must not end a game
                new = self._book(participant).note(error)
                if new is not None:
                    self._tell(participant, new)

        return Traced(agent, note)

    def found(self) -> dict[str, tuple[Trace, ...]]:
        """Return all tracebacks by participant, to be added to another log."""
        return {participant: tuple(book.found.values()) for participant, book in self._books.values()}

    def add(self, found: Mapping[str, tuple[Trace, ...]]) -> None:
        """Add the tracebacks of another log."""
        for participant, traces in found.items():
            for trace in traces:
                self._book(participant).add(trace)
                self._tell(participant, trace)

    def _book(self, participant: str) -> _Tracebacks:
        # By file name: two participants may share a file.
        name = _file(participant)
        if name not in self._books:
            earlier = ""
            if self._folder is not None:
                with suppress(OSError):
                    earlier = (self._folder / name).read_text("utf-8", "replace")
            self._books[name] = participant, _Tracebacks.read(earlier)
        return self._books[name][1]

    def _tell(self, participant: str, trace: Trace) -> None:
        """Write and report a traceback if it is the first of its place in this session."""
        location = participant, *trace.location
        if location not in self._told:
            self._told.add(location)
            self._write(_file(participant))
            if self._on_traceback is not None:
                self._on_traceback(participant, trace.text)

    def _write(self, name: str) -> None:
        if self._folder is not None:
            with suppress(OSError):  # a full disk must not end a game
                self._folder.mkdir(parents=True, exist_ok=True)
                (self._folder / name).write_bytes(self._books[name][1].text().encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Write the final counts."""
        for name in self._books:
            self._write(name)


def _file(participant: str) -> str:
    return log_path(Path(), participant, "errors").name
