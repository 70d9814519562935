"""ProgramAgent: a program in any language, which plays over JSON lines on its standard input and output."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from molt_bench.agents.agent_log import AgentLog, log_path
from molt_bench.agents.external import answers, protocol
from molt_bench.agents.external.box import HOME, OFF, Box, limited, seen_by
from molt_bench.agents.external.command import resolved
from molt_bench.agents.external.process import Process
from molt_bench.agents.external.program_settings import ExecSettings
from molt_bench.errors import AgentError, AgentFailed, FaultKind
from molt_bench.poker import messages
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.seeds import MASTER_SEED_VARIABLE
from molt_bench.specs import DEFAULT_TIMEOUT_S
from molt_bench.visible_text import shown

#: Seconds from its start to its hello: what it loads may be large.
START_S: Final = 30.0
#: Seconds that a program gets to exit when its game is over.
GRACE_S: Final = 0.5
#: How often in a row it may be late; then it is ended.
_MOST_LATE: Final = 3
#: After these faults a process is useless, and ended.
_FATAL: Final[tuple[FaultKind, ...]] = ("crash", "signal", "flood", "transport")
#: Output that is not flushed is the usual reason.
_NO_HELLO: Final = "no hello within {:g} s (a program has to flush its output after every line)"


def _own_environment() -> dict[str, str]:
    """Return the user's environment without what would give away the cards."""
    return {name: value for name, value in os.environ.items() if name != MASTER_SEED_VARIABLE}


class ProgramAgent:
    """A program that plays one game at a time, in a process that is started for the game and ends with it.

    One that ends, floods or closes its pipes has lost the rest of its game, and is started anew for the next one. It
    limits its own time, since starting does not count as answering. Raises ConfigError if the program does not exist.

    Args:
        name: Name in records.
        settings: The command and its limits.
        action_timeout_s: Seconds for one answer.
        folder: Folder for the log of its standard error, in that of the run; None discards it.
        box: The box that it plays in; None for none.
        shown: What it sees there besides what its command names.
        hosting: The variables of our own host of Python code, which tells the end of each hook; None for a program.
    """

    keeps_time = True

    def __init__(
        self,
        name: str,
        settings: ExecSettings,
        *,
        action_timeout_s: float = DEFAULT_TIMEOUT_S,
        folder: Path | None = None,
        box: Box | None = None,
        shown: Sequence[str] = (),
        hosting: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self._limit_s = action_timeout_s
        self._confirms = hosting is not None
        self._variables = {**(hosting or (_own_environment() if box is None and settings.sandbox == OFF else {}))}
        command = resolved(settings.command)
        self._box = box
        self._words: Sequence[str] = limited(command)
        if box is not None:
            self._words = box.words(self._words, seen_by(command, shown, folder), folder)
        self._log = AgentLog(log_path(folder, name) if folder is not None else None)
        self._begin()

    def _begin(self) -> None:
        self._process: Process | None = None
        self._greeted = False
        #: Decisions sent in this game, the number of the last one being its id; and how many in a row were late.
        self._decisions = self._late = 0
        #: Why it has lost the rest of its game.
        self._lost: AgentFailed | None = None

    async def greet(self) -> None:
        """Check before the first card that it can play: start it and read its hello; raises AgentError if it cannot."""
        try:
            await self._ready()
            await self.close()
        except AgentFailed as failure:
            said, last = str(failure), self._log.last_line
            quoted = f"; its last line on standard error: {last}" if last and last not in said else ""
            inside = f"; {self._box.inside}" if self._box is not None else ""  # it may miss a file there
            raise AgentError(f"participant {self.name!r} cannot play: {said}{quoted}{inside}") from None
        finally:
            self._end()
            self._begin()

    async def reset(self) -> None:
        """Start a fresh process. The first decision waits for it, and is at fault if it fails."""
        self._end()
        self._begin()
        try:
            self._start()
        except AgentFailed as failure:
            self._lost = failure

    async def act(self, observation: Observation) -> Action | Mix:
        """Ask the program."""
        if self._lost is not None:
            failure, self._lost = self._lost, AgentFailed("crash", "the program has ended earlier in this game")
            raise failure
        try:
            process = await self._ready()
            self._decisions += 1
            process.write(protocol.line_of(messages.decision(observation, self._decisions)))
            late = f"no answer within {self._limit_s:g} s"
            answer: Action | Mix = await process.answer(self._limit_s, self._answer, late=late)
        except AgentFailed as failure:
            self._late = self._late + 1 if failure.kind == "timeout" else 0
            if failure.kind in _FATAL or not self._greeted or self._late == _MOST_LATE:
                self._lose()
            raise
        except BaseException:
            self._lose()  # its answer is not needed any more
            raise
        self._late = 0
        return answer

    async def on_hand_complete(self, outcome: HandResult) -> None:
        """Send the program the result as the table saw it."""
        await self._tell(messages.result(outcome))

    async def on_error(self, message: str) -> None:
        """Tell the program that its answer was not accepted."""
        await self._tell(protocol.Rejection(message=message))

    async def close(self) -> None:
        """Say goodbye, give the process a moment to exit, and end it with all it started."""
        try:
            if self._process is not None:
                self._process.write(protocol.line_of(protocol.Bye()))
                await self._process.leave(GRACE_S)
        finally:
            self._end()

    async def _tell(self, message: protocol.ToAgent) -> None:
        """Send what needs no answer; if the process is gone, the next decision will notice."""
        if self._process is None:
            return
        if not self._confirms:
            self._process.write(protocol.line_of(message))
            return
        try:
            process = await self._ready()
            process.write(protocol.line_of(message))
            late = f"no end of a hook within {self._limit_s:g} s"
            await process.answer(self._limit_s, answers.read_done, late=late)
        except AgentFailed as failure:
            if failure.kind in (*_FATAL, "timeout") or not self._greeted:
                self._lose()
            raise

    def _start(self) -> Process:
        home = None if self._box is None else HOME
        self._process = process = Process(self._words, self._variables, self._log, home=home)
        process.write(protocol.line_of(protocol.hello(self.name)))
        return process

    async def _ready(self) -> Process:
        """Return its process, started and greeted."""
        process = self._process or self._start()
        if not self._greeted:
            self._greeted = await process.answer(START_S, answers.read_hello, late=_NO_HELLO.format(START_S))
        return process

    def _answer(self, line: bytes) -> Action | Mix | None:
        answered, answer = answers.read_answer(line)
        if answered == self._decisions:
            if isinstance(answer, AgentFailed):
                raise answer
            return answer
        if not 0 < answered < self._decisions:
            expected = f"{self._decisions}, that of the observation"
            raise AgentFailed("unparsable", f"id is {shown(answered)}: expected {expected}")
        return None  # an answer to an earlier observation came too late to count

    def _lose(self) -> None:
        """End its process: it has lost the rest of its game."""
        self._end()
        self._lost = AgentFailed("crash", "the program has ended earlier in this game")

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()
