"""Tracebacks of the user's own agents, for debugging: the first from every place. No result depends on them."""

import os
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from molt_bench.agents.agent_log import append, log_path
from molt_bench.agents.base import PokerAgent
from molt_bench.visible_text import shortened

#: Called with what an agent raised.
Note: TypeAlias = Callable[[BaseException], None]
#: Called with a participant and a traceback, once for each place.
OnTraceback: TypeAlias = Callable[[str, str], None]

#: Characters and frames of a traceback; places of a participant.
_LONGEST: Final = 8 * 1024
_FRAMES: Final = 30
_MOST: Final = 50
_HERE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
#: Folders of the code that calls agents, whose frames are left out.
_CALLERS: Final = tuple(os.path.join(_HERE, room) for room in ("play", "testing", "host.py"))


class Watched:
    """An agent, what is told of its exceptions, and what its `act` is called through; a seat calls the agent itself.

    So nothing stands between the bench and an agent that has to know what an agent may have.
    """

    __slots__ = ("agent", "note", "through")

    def __init__(
        self, agent: Any, note: Note | None = None, through: Callable[[Callable[..., Any]], Any] | None = None
    ) -> None:
        self.agent = agent
        self.note = note
        self.through = through

    def __getattr__(self, name: str) -> Any:
        return getattr(self.agent, name)


def traceback_of(error: BaseException, *, frames: int = _FRAMES) -> str:
    """Return the traceback of an exception: its last frames, without those of the code that called the agent."""
    try:
        start = error.__traceback__
        while start is not None and start.tb_frame.f_code.co_filename.startswith(_CALLERS):
            start = start.tb_next
        found = traceback.TracebackException(type(error), error, start, limit=-frames, compact=True)
        return shortened("".join(found.format()), _LONGEST)
    except Exception:  # the exception may be as broken as the agent
        return f"{type(error).__name__}, of which no traceback can be made\n"


def _place(error: BaseException) -> tuple[object, ...]:
    """Return where an exception comes from: its type, and the line that raised it."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return (type(error).__name__,) if at is None else (type(error).__name__, at.tb_frame.f_code, at.tb_lineno)


class TraceLog:
    """The tracebacks of all participants: in memory and, if there is a folder, at the end of a file for each."""

    def __init__(self, folder: Path | None = None, on_traceback: OnTraceback | None = None) -> None:
        self._folder = folder
        self._on_traceback = on_traceback
        self._places: dict[str, set[tuple[object, ...]]] = {}
        self._found: dict[str, dict[str, None]] = {}

    def watched(self, participant: str, agent: PokerAgent) -> PokerAgent:
        """Return the agent, with its exceptions logged here."""

        def note(error: BaseException) -> None:
            places = self._places.setdefault(participant, set())
            if len(places) < _MOST and (place := _place(error)) not in places:
                places.add(place)
                self._take(participant, traceback_of(error))

        watched: Any = Watched(agent, note)
        made: PokerAgent = watched
        return made

    def found(self) -> dict[str, tuple[str, ...]]:
        """Return all tracebacks by participant, to be added to another log."""
        return {participant: tuple(traces) for participant, traces in self._found.items()}

    def add(self, found: Mapping[str, tuple[str, ...]]) -> None:
        """Add the tracebacks of another log."""
        for participant, traces in found.items():
            for trace in traces:
                self._take(participant, trace)

    def _take(self, participant: str, trace: str) -> None:
        found = self._found.setdefault(participant, {})
        if trace in found or len(found) >= _MOST:
            return
        found[trace] = None
        if self._folder is not None:
            append(log_path(self._folder, participant), trace.encode("utf-8", "backslashreplace") + b"\n")
        if self._on_traceback is not None:
            self._on_traceback(participant, trace)
