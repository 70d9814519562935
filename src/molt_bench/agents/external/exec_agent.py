"""ExecAgent: a program in any language, playing over JSON lines on its standard input and output."""

from typing import Final

from molt_bench.agents.external import protocol
from molt_bench.agents.external.child_process import Child
from molt_bench.agents.external.program_agent import ProgramAgent
from molt_bench.agents.external.program_settings import ExecSettings
from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.visible_text import shown

#: Output that is not flushed is the usual reason.
_NO_HELLO: Final = "no hello within {:g} s (a program has to flush its output after every line)"


class ExecAgent(ProgramAgent[ExecSettings]):
    """A program that plays over JSON lines."""

    #: Decisions sent in this game; the number of the last one is its id.
    _decisions = 0

    async def reset(self) -> None:
        """Start a fresh process."""
        self._decisions = 0
        await super().reset()

    async def on_hand_complete(self, outcome: HandResult) -> None:
        """Send the program the result as the table saw it."""
        self._tell(protocol.line_of(protocol.result(outcome)))

    async def on_error(self, message: str) -> None:
        """Tell the program that its answer was not accepted."""
        self._tell(protocol.line_of(protocol.Rejection(message=message)))

    async def close(self) -> None:
        """Say goodbye and end the process."""
        self._tell(protocol.line_of(protocol.Bye()))
        await super().close()

    def _launched(self) -> Child:
        child = self._new_child(self._command.words, piped=True)
        child.write(protocol.line_of(protocol.hello(self.name)))
        return child

    async def _hello(self, child: Child) -> None:
        limit_s = self._settings.start_timeout_s
        protocol.read_hello(await child.line(child.started + limit_s, lambda: _NO_HELLO.format(limit_s)))

    def _ask(self, child: Child, observation: Observation) -> None:
        self._decisions += 1
        child.write(protocol.line_of(protocol.decision(observation, self._decisions)))

    def _action(self, line: bytes, observation: Observation) -> Action | Mix | None:
        answered, action = protocol.read_action(line)
        if answered == self._decisions:
            return action
        if not 0 < answered < self._decisions:
            expected = f"{self._decisions}, that of the observation"
            raise AgentFailed("unparsable", f"id is {shown(answered)}: expected {expected}")
        return None  # an answer to an earlier observation came too late to count
