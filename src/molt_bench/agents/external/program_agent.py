"""ProgramAgent: what all programs that play have in common, whatever the protocol they speak."""

import asyncio
import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Generic, TypeVar

import msgspec

from molt_bench.agents.external.child_process import Child
from molt_bench.agents.external.command import resolved
from molt_bench.agents.external.line_channel import MOST_UNREAD
from molt_bench.agents.external.program_settings import ProgramSettings
from molt_bench.agents.external.stderr_log import StderrLog, log_path
from molt_bench.agents.external.supervised_program import OnRemains, Remains, SupervisedProgram
from molt_bench.agents.sandbox.boxed_program import BoxedProgram, started_program
from molt_bench.agents.sandbox.choice import Box, Boxed
from molt_bench.agents.sandbox.visible_files import needed_by
from molt_bench.errors import AgentError, AgentFailed, ConfigError, FaultKind
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import Observation
from molt_bench.specs import DEFAULT_TIMEOUT_S

#: Seconds that a program gets to exit when its game is over.
GRACE_S: Final = 0.5
#: Seconds to watch a program after its hello: one that exits at once is not waiting for a game.
_LINGERING_S: Final = 0.05
#: After these faults the process is useless: it is killed, and the next decision starts another.
BEYOND_REPAIR: Final[tuple[FaultKind, ...]] = ("crash", "signal", "timeout", "flood", "transport")

Settings = TypeVar("Settings", bound=ProgramSettings)
Found = TypeVar("Found")


class ProgramAgent(ABC, Generic[Settings]):
    """A program that plays one game at a time, in a process that is started for the game and ends with it.

    It enforces the time limit itself, since starting up does not count as answering. Raises ConfigError if the program
    does not exist, or a variable of its environment is not set.

    Args:
        name: Name in records.
        settings: The command and its limits.
        action_timeout_s: Seconds for one answer.
        folder: Folder for the log of its standard error; None discards it.
        on_remains: Called with what is left of it after a game, if not all of it can be ended; None warns.
        box: The box that it plays in; None for none.

    Attributes:
        most_restarts: How often it is started again in one game before it is given up.
    """

    keeps_time = True
    most_restarts = 3

    def __init__(
        self,
        name: str,
        settings: Settings,
        *,
        action_timeout_s: float = DEFAULT_TIMEOUT_S,
        folder: Path | None = None,
        on_remains: OnRemains | None = None,
        box: Box | None = None,
    ) -> None:
        self.name = name
        self._on_remains: OnRemains = on_remains or partial(_warn, name)
        self._settings = settings
        self._limit_s = action_timeout_s
        words = resolved(settings.command)
        shown = () if box is None else tuple(self._shown(words))
        unset = next((variable for variable in settings.env if variable not in os.environ), None)
        if unset is not None:
            raise ConfigError("env", unset, "names of environment variables that are set")
        self._command = Boxed(
            words, settings, box, shown, {variable: os.environ[variable] for variable in settings.env}
        )
        self._errors = StderrLog(log_path(folder, name) if folder is not None else None)
        self._child: Child | None = None
        self._starts = 0

    def _shown(self, words: tuple[str, ...]) -> Sequence[str]:
        """Return the files and folders that the program needs to see in its box, besides the system's."""
        return needed_by(words)

    @abstractmethod
    def _launched(self) -> Child:
        """Start a process and say what it needs to hear before its hello."""

    def _new_child(self, words: Sequence[str], *, piped: bool) -> Child:
        command = msgspec.structs.replace(self._command, words=tuple(words))
        return self._child_of(partial(started_program, command, piped=piped))

    def _child_of(self, start: Callable[[], BoxedProgram | SupervisedProgram]) -> Child:
        return Child(start, errors=self._errors, report=self._on_remains)

    @abstractmethod
    async def _hello(self, child: Child) -> None:
        """Read the hello of a process."""

    @abstractmethod
    def _ask(self, child: Child, observation: Observation) -> None:
        """Send a decision."""

    @abstractmethod
    def _action(self, line: bytes, observation: Observation) -> Action | Mix | None:
        """Read an answer to the decision sent last; None for a line that does not count."""

    async def greet(self) -> None:
        """Check before the first card that it can play: start it and read its hello; raises AgentError if it cannot."""
        try:
            child = self._start()
            await self._hello(child)
            await child.ending(_LINGERING_S)
            if child.ended:
                raise AgentFailed("crash", "the program said hello and ended, with no game played")
            await self.close()
        except AgentFailed as failure:
            self._end()
            said, last = str(failure), self._errors.last_line
            quoted = f"; its last line on standard error: {last}" if last and last not in said else ""
            inside = f"; {self._command.inside}" if self._command.inside else ""  # it may miss a file there
            raise AgentError(f"participant {self.name!r} cannot play: {said}{quoted}{inside}") from None
        finally:
            self._end()
            self._starts = 0

    async def reset(self) -> None:
        """Start a fresh process. The first decision waits for it, and is at fault if it fails."""
        self._end()
        self._starts = 0
        try:
            self._start()
        except AgentFailed:
            self._starts = 0  # the first decision tries again and reports why

    async def act(self, observation: Observation) -> Action | Mix:
        """Ask the program."""
        try:
            return await self._answer(observation)
        except AgentFailed as failure:
            if failure.kind in BEYOND_REPAIR or (self._child is not None and not self._child.greeted):
                self._end()
            raise
        except BaseException:
            self._end()  # nobody waits for its answer any more
            raise

    async def close(self) -> None:
        """End the process: give it a moment to exit, then kill it with all it started."""
        try:
            if self._child is not None:
                await self._child.leave(GRACE_S)
        finally:
            self._end()

    async def _answer(self, observation: Observation) -> Action | Mix:
        child = self._child or self._start()
        if not child.greeted:
            await self._hello(child)
            child.greeted = True
        self._ask(child, observation)
        deadline = asyncio.get_running_loop().time() + self._limit_s
        late = f"no answer within {self._limit_s:g} s"
        return await self._first(
            child, lambda line: self._action(line, observation), deadline=deadline, late=lambda: late
        )

    async def _first(
        self, child: Child, read: Callable[[bytes], Found | None], *, deadline: float, late: Callable[[], str]
    ) -> Found:
        """Return what `read` finds in the first line that counts; lines of which it makes None do not."""
        skipped = 0
        while skipped <= MOST_UNREAD:
            line = await child.line(deadline, late)
            found = read(line)
            if found is not None:
                return found
            skipped += len(line) + 1
        raise AgentFailed("flood", "the program keeps writing lines that do not count")

    def _start(self) -> Child:
        """Start a process, unless there have been too many in this game."""
        if self._starts > self.most_restarts:
            raise AgentFailed("crash", f"given up after {self.most_restarts} restarts")
        self._starts += 1
        self._child = child = self._launched()
        return child

    def _tell(self, data: bytes) -> None:
        """Send what needs no answer; if the process is gone, the next decision will notice."""
        if self._child is not None:
            self._child.write(data)

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()


def _warn(name: str, remains: Remains) -> None:
    warnings.warn(f"{name}: {remains}", RuntimeWarning, stacklevel=2)
