"""The kind `exec`: a program in any language, which plays over JSON lines on its standard input and output."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from pydantic import Field, field_validator

from molt_bench.agents.agent_log import AgentLog, log_path
from molt_bench.agents.base import PokerAgent
from molt_bench.agents.external import answers, protocol
from molt_bench.agents.external.box import HOME, OFF, Box, SandboxSettings, box_in, limited, seen_by
from molt_bench.agents.external.command import command_hash, label_of, resolved
from molt_bench.agents.external.process import Process
from molt_bench.agents.settings_base import as_problem, variables_told
from molt_bench.errors import AgentError, AgentFailed, FaultKind
from molt_bench.plugin import Context, Kind
from molt_bench.poker import messages
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.seeds import MASTER_SEED_VARIABLE
from molt_bench.specs import ParticipantSpec
from molt_bench.visible_text import shown

#: Seconds from its start to its hello: what it loads may be large.
START_S: Final = 30.0
#: Seconds that a program gets to exit when its game is over.
GRACE_S: Final = 0.5
#: After these faults a process is useless, and ended.
_FATAL: Final[tuple[FaultKind, ...]] = ("crash", "flood", "transport")
#: Output that is not flushed is the usual reason.
_NO_HELLO: Final = "no hello within {:g} s (a program has to flush its output after every line)"
_ENDED_EARLIER: Final = "the program has ended earlier in this game"


class ExecSettings(SandboxSettings):
    """A program that plays over JSON lines: how it is started, and its limits."""

    command: Annotated[
        str | tuple[str, ...],
        Field(description="The program and its arguments, as a text or a list; there is no shell."),
    ]

    @field_validator("command", mode="before")
    @classmethod
    def _has_words(cls, value: object) -> object:
        words = [value] if isinstance(value, str) else value
        if not isinstance(words, list | tuple) or not words or not all(isinstance(word, str) for word in words):
            raise as_problem("", value, "a program and its arguments, such as ./bot --flag, or a list of them")
        if not words[0].strip():
            raise as_problem("", value, "a program, such as ./bot")
        return value


class Exec(Kind):
    """A program in any language that speaks JSON lines, such as exec:./bot --fast."""

    name = "exec"
    usage = "exec:COMMAND"
    settings = ExecSettings
    short = "command"
    in_type = True
    waits = True
    recorded = True
    code = True

    def label(self, participant_type: str) -> str:
        """Return the name of its script, or of its program."""
        return label_of(self.given(participant_type).get("command", participant_type))

    def make(self, spec: ParticipantSpec, context: Context) -> PokerAgent:
        """Make an agent that starts the program for its game."""
        return ProgramAgent(spec.id, context.settings, context)

    def fingerprint(self, spec: ParticipantSpec) -> str | None:
        """Return the hash of the files that its command names."""
        return command_hash({**self.given(spec.type), **spec.params}.get("command", ""))

    def announced(self, spec: ParticipantSpec, settings: ExecSettings) -> str:
        """Return the command that is started."""
        command = settings.command if isinstance(settings.command, str) else json.dumps(settings.command)
        return f"starts {command} in a sandbox; it gets {variables_told(())}"


def _own_environment() -> dict[str, str]:
    """Return the user's environment without what would give away the cards."""
    return {name: value for name, value in os.environ.items() if name != MASTER_SEED_VARIABLE}


class ProgramAgent:
    """A program that plays one game at a time, in a process that is started for the game and ends with it.

    One that ends, floods or closes its pipes has lost the rest of its game, and is started anew for the next one. It
    limits its own time, since starting does not count as answering. Raises ConfigError if the program does not exist.

    Args:
        name: Name in records.
        settings: The command and its box.
        context: Its time limit, and the folder for the log of its standard error, in that of the run.
        shown: What it sees in its box besides what its command names.
        hosting: The variables of our own host of Python code, which tells the end of each hook; None for a program.
    """

    keeps_time = True

    def __init__(
        self,
        name: str,
        settings: ExecSettings,
        context: Context,
        *,
        shown: Sequence[str] = (),
        hosting: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self._limit_s = context.timeout_s
        self._confirms = hosting is not None
        command, folder = resolved(settings.command), context.folder
        self._words: Sequence[str] = limited(command)
        self._box: Box | None = box_in(settings, required=context.boxed)
        own = _own_environment() if self._box is None and settings.sandbox == OFF else {}
        self._variables = own if hosting is None else {**hosting}
        if self._box is not None:
            self._words = self._box.words(self._words, seen_by(command, shown), folder and folder.parent)
        self._log = AgentLog(log_path(folder, name) if folder is not None else None)
        self._begin()

    def _begin(self) -> None:
        self._process: Process | None = None
        self._greeted = False
        #: Decisions sent in this game: the number of the last one is its id.
        self._decisions = 0
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
            failure, self._lost = self._lost, AgentFailed("crash", _ENDED_EARLIER)
            raise failure
        try:
            process = await self._ready()
            self._decisions += 1
            process.write(protocol.line_of(messages.decision(observation, self._decisions)))
            late = f"no answer within {self._limit_s:g} s"
            return await process.answer(self._limit_s, self._answer, late=late)
        except AgentFailed as failure:
            if failure.kind in _FATAL or not self._greeted:
                self._lose()
            raise
        except BaseException:
            self._lose()  # its answer is not needed any more
            raise

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
        self._lost = AgentFailed("crash", _ENDED_EARLIER)

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()
