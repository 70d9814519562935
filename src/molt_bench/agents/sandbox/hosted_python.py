"""Python code that plays in a box: an agent that is asked over lines, as programs are.

To the rest of the house it is an agent like any other: what its code raises is recorded with its traceback.
"""

import asyncio
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from molt_bench.agents.external import protocol
from molt_bench.agents.external.child_process import Child
from molt_bench.agents.external.exec_agent import ExecAgent
from molt_bench.agents.external.program_agent import BEYOND_REPAIR
from molt_bench.agents.external.program_settings import ExecSettings
from molt_bench.agents.python_import import factory_file, source_and_name
from molt_bench.agents.sandbox.choice import Box
from molt_bench.agents.sandbox.host_lines import Code, hello_line, hello_of, is_done, raise_fault
from molt_bench.agents.sandbox.visible_files import is_shared, needed_by_python, without_nested
from molt_bench.agents.sandbox.waiting_hosts import another_after, host_for
from molt_bench.errors import AgentError, AgentFailed
from molt_bench.plugin import Context
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.specs import ParticipantSpec

_HOST: Final = str(Path(__file__).with_name("python_host_script.py"))
#: The same in an image, which has its own Python and molt-bench.
_PACKAGE: Final = str(Path(__file__).parents[2])
#: Seconds from the start of a host to its hello: what it imports may be large.
_START_S: Final = 60.0


def hosted_agent(spec: ParticipantSpec, box: Box, context: Context) -> "HostedAgent":
    """Return an agent whose Python code plays in a box."""
    settings = ExecSettings(command=(sys.executable, "-P", _HOST), start_timeout_s=_START_S)
    agent = HostedAgent(
        spec.id,
        settings,
        action_timeout_s=context.timeout_s,
        folder=context.folder,
        on_remains=context.on_remains,
        box=box,
    )
    agent.load(spec, context.code_sha256)
    return agent


class HostedAgent(ExecAgent):
    """An agent whose Python code plays in a box."""

    _code: Code
    _hooks: Sequence[str] = ()

    def load(self, spec: ParticipantSpec, code_sha256: str | None) -> None:
        """Say which code it plays; its box shows the folder of that."""
        source, name = source_and_name(spec.type)
        found = factory_file(spec.type)
        if code_sha256 is not None and (found is None or found.sha256 != code_sha256):
            raise AgentError(f"{source} is not the code with SHA-256 {code_sha256}, so it is not run")
        own = [] if found is None else _own_folders(source, found.path)
        paths = [*filter(os.path.isdir, own), *map(os.path.abspath, sys.path)]
        named = f"{os.path.abspath(source)}:{name}" if source.endswith(".py") else spec.type
        self._code = Code(named, spec.params, tuple(dict.fromkeys(paths)), os.getcwd(), code_sha256)
        shown = tuple(without_nested([*self._command.shown, *own]))
        self._command = msgspec.structs.replace(self._command, shown=shown, environment=self._code.environment)

    def _shown(self, words: tuple[str, ...]) -> Sequence[str]:
        # Of the folder where we were started, it sees what is its own.
        here = {os.getcwd(), os.path.dirname(os.path.realpath(sys.argv[0]))}
        paths = [path for path in sys.path if os.path.realpath(path) not in here]
        return without_nested([_PACKAGE, *needed_by_python(paths)])

    async def on_hand_complete(self, outcome: HandResult) -> None:
        """Have the hook of its code called, if it has it."""
        await self._notify("on_hand_complete", protocol.result(outcome))

    async def on_error(self, message: str) -> None:
        """Have the hook of its code called, if it has it."""
        await self._notify("on_error", protocol.Rejection(message=message))

    async def _notify(self, hook: str, message: protocol.ToAgent) -> None:
        child = self._child
        if child is None:
            return
        try:
            if not child.greeted:
                await self._hello(child)
                child.greeted = True
            if hook in self._hooks:
                child.write(protocol.line_of(message))
                deadline = asyncio.get_running_loop().time() + self._limit_s
                late = f"no end of {hook} within {self._limit_s:g} s"
                await self._first(child, is_done, deadline=deadline, late=lambda: late)
        except AgentFailed as failure:
            if failure.kind in BEYOND_REPAIR or not child.greeted:
                self._end()
            raise

    def _launched(self) -> Child:
        child = self._child_of(partial(host_for, self._command))
        child.write(hello_line(self.name, self._code))
        return child

    async def _hello(self, child: Child) -> None:
        limit_s = self._settings.start_timeout_s
        line = await child.line(child.started + limit_s, lambda: f"no hello within {limit_s:g} s")
        self._hooks = hello_of(line)
        another_after(self._command)

    def _action(self, line: bytes, observation: Observation) -> Action | Mix | None:
        raise_fault(line, self._decisions)
        return super()._action(line, observation)


def _own_folders(source: str, path: str) -> list[str]:
    """Return what a box shows of an agent's own code: its folder, or where its package lies; or else the file alone."""
    if source.endswith(".py"):
        files = {os.path.abspath(source), path}
    else:
        above = source.count(".") + (os.path.basename(path) == "__init__.py")
        files = {str(Path(path).parents[above - 1]) if above else path}
    return [file if is_shared(os.path.dirname(file)) else os.path.dirname(file) for file in sorted(files)]
