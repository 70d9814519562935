"""Tracebacks: where agents of one's own raised, for whoever is to mend them. No result depends on them."""

import os
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, TypeAlias

import msgspec

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.external.stderr_file import log_path
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation

#: Is told what an agent raised.
Note: TypeAlias = Callable[[BaseException], None]
#: Is told of a participant's traceback, once for each place.
Raised: TypeAlias = Callable[[str, str], None]

#: Bytes of a participant's log, characters and frames of a traceback, and different ones of a participant.
KEPT: Final = 64 * 1024
_LONGEST: Final = 8 * 1024
_FRAMES: Final = 30
_MOST: Final = 50
_HEAD: Final = re.compile(r"^=== (\S+), (\d+) times? ===\n", re.MULTILINE)
_PLACE: Final = re.compile(r'^ +File "(.*)", line (\d+)', re.MULTILINE)
#: Where the frames of those who call an agent are.
_HERE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CALLERS: Final = tuple(os.path.join(_HERE, room, "") for room in ("play", "testing"))


class Traced:
    """An agent, and who is told what it raises. Whoever seats it calls the agent itself.

    Attributes:
        agent: The agent.
        note: Is told what it raises.
    """

    __slots__ = ("agent", "note")

    def __init__(self, agent: PokerAgent, note: Note) -> None:
        self.agent = agent
        self.note = note

    @property
    def name(self) -> str:
        """That of the agent."""
        return self.agent.name

    def act(self, observation: Observation) -> Action | Awaitable[Action]:
        """Ask the agent."""
        return self.agent.act(observation)


class Trace(msgspec.Struct):
    """One traceback.

    Attributes:
        kind: The type of the exception.
        text: The traceback as Python prints it.
        count: How often it was raised there.
    """

    kind: str
    text: str
    count: int = 1

    @property
    def place(self) -> tuple[object, ...]:
        """What makes it the same as another one: the type, and all lines on the way there."""
        return self.kind, *_PLACE.findall(self.text)


def trace_of(error: BaseException, *, frames: int = _FRAMES) -> Trace:
    """Return the traceback of an exception: its last frames, without those of whoever called the agent."""
    from traceback import TracebackException

    kind = type(error).__name__
    try:
        start = _first_of_agent(error.__traceback__)
        text = "".join(TracebackException(type(error), error, start, limit=-frames, compact=True).format())
    except Exception:  # an exception may be as broken as the agent
        text = f"{kind}, of which no traceback can be made\n"
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}\n[...]\n{text[-_LONGEST // 2 :]}"
    return Trace(kind, text)


def _first_of_agent(at: TracebackType | None) -> TracebackType | None:
    while at is not None and at.tb_frame.f_code.co_filename.startswith(_CALLERS):
        at = at.tb_next
    return at


class Traces:
    """The tracebacks of one participant, each place once."""

    def __init__(self) -> None:
        self.found: dict[tuple[object, ...], Trace] = {}
        self.dropped = 0
        self._by_position: dict[tuple[object, ...], Trace] = {}

    def note(self, error: BaseException) -> Trace | None:
        """Count an exception; return its traceback unless it was noted here before."""
        key: list[object] = [type(error)]
        at = error.__traceback__
        while at is not None:
            key += (at.tb_frame.f_code, at.tb_lineno)
            at = at.tb_next
        position = tuple(key)
        known = self._by_position.get(position)
        if known is not None:  # writing it out takes far longer than looking where it was
            known.count += 1
            return None
        trace = trace_of(error)
        kept = self.add(trace)
        if kept is not None and len(self._by_position) < _MOST * _MOST:
            self._by_position[position] = kept
        return trace

    def add(self, trace: Trace) -> Trace | None:
        """Count a traceback; return the one that is kept for its place, None if there are too many."""
        kept = self.found.get(trace.place)
        if kept is not None:
            kept.count += trace.count
        elif len(self.found) < _MOST:
            kept = self.found[trace.place] = msgspec.structs.replace(trace)
        else:
            self.dropped += trace.count
        return kept

    def text(self) -> str:
        """Write all of them, each with how often it was."""
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
    def read(cls, text: str) -> "Traces":
        """Read what an earlier sitting wrote."""
        traces = cls()
        heads = [*_HEAD.finditer(text)]
        for at, head in enumerate(heads):
            end = heads[at + 1].start() if at + 1 < len(heads) else len(text)
            traces.add(Trace(head[1], text[head.end() : end], int(head[2])))
        return traces


class TraceLog:
    """The tracebacks of all participants, in a file for each who has any.

    A new one is written at once, how often it was raised at the end. A file that cannot be written is left out: no game
    ends for that.

    Args:
        folder: Where the files are; None keeps them in memory only.
        raised: Is told of every new one.
    """

    def __init__(self, folder: Path | None = None, raised: Raised | None = None) -> None:
        self._folder = folder
        self._raised = raised
        self._books: dict[str, tuple[str, Traces]] = {}
        self._told: set[tuple[object, ...]] = set()

    def traced(self, participant: str, agent: PokerAgent) -> Traced:
        """Return an agent whose exceptions are noted here."""

        def note(error: BaseException) -> None:
            with suppress(Exception):  # whatever an exception is, noting it ends no game
                new = self._book(participant).note(error)
                if new is not None:
                    self._tell(participant, new)

        return Traced(agent, note)

    def found(self) -> dict[str, tuple[Trace, ...]]:
        """Return all tracebacks by participant, to be sent to another log."""
        return {participant: tuple(book.found.values()) for participant, book in self._books.values()}

    def add(self, found: Mapping[str, tuple[Trace, ...]]) -> None:
        """Take the tracebacks of another log."""
        for participant, traces in found.items():
            for trace in traces:
                self._book(participant).add(trace)
                self._tell(participant, trace)

    def _book(self, participant: str) -> Traces:
        # By the name of the file: two participants may share one.
        name = _file(participant)
        if name not in self._books:
            earlier = ""
            if self._folder is not None:
                with suppress(OSError):
                    earlier = (self._folder / name).read_text("utf-8", "replace")
            self._books[name] = participant, Traces.read(earlier)
        return self._books[name][1]

    def _tell(self, participant: str, trace: Trace) -> None:
        """Write a traceback, and tell of it, if it is the first of its place in this sitting."""
        place = participant, *trace.place
        if place not in self._told:
            self._told.add(place)
            self._write(_file(participant))
            if self._raised is not None:
                self._raised(participant, trace.text)

    def _write(self, name: str) -> None:
        if self._folder is not None:
            with suppress(OSError):  # a full disk is no reason to end a game
                self._folder.mkdir(parents=True, exist_ok=True)
                (self._folder / name).write_bytes(self._books[name][1].text().encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Write how often everything was raised."""
        for name in self._books:
            self._write(name)


def _file(participant: str) -> str:
    return log_path(Path(), participant, "errors").name
