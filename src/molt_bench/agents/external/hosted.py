"""HostedAgent: Python code of strangers, which plays in a box, hosted by `python -m molt_bench.host`.

To the rest of the house it is an agent like any other: what a hook of it raises is a fault, as in this process.
"""

import json
import os
import sys
from pathlib import Path

from molt_bench.agents.external import answers, protocol
from molt_bench.agents.external.box import Box
from molt_bench.agents.external.program import FATAL, ProgramAgent
from molt_bench.agents.external.program_settings import ExecSettings
from molt_bench.agents.python_import import factory_file
from molt_bench.errors import AgentError, AgentFailed
from molt_bench.plugin import Context
from molt_bench.specs import ParticipantSpec


class HostedAgent(ProgramAgent):
    """An agent whose Python code plays in a box; it is told of the end of each hook."""

    def __init__(self, spec: ParticipantSpec, code: str, box: Box, context: Context) -> None:
        source, _, name = code.rpartition(":")
        found = factory_file(code)
        wanted = context.code_sha256
        if wanted is not None and (found is None or found.sha256 != wanted):
            raise AgentError(f"{source} is not the code with SHA-256 {wanted}, so it is not run")
        named = f"{os.path.abspath(source)}:{name}" if source.endswith(".py") else code
        words = (sys.executable, "-P", "-m", "molt_bench.host", named, json.dumps(spec.params), wanted or "")
        settings = ExecSettings(command=words)
        shown = [] if found is None else _own_folders(source, found.path)
        super().__init__(
            spec.id, settings, action_timeout_s=context.timeout_s, folder=context.folder, box=box, shown=shown
        )
        paths = dict.fromkeys([str(Path(__file__).parents[3]), *map(os.path.abspath, sys.path)])
        self._variables = {"PYTHONPATH": os.pathsep.join(paths), "MOLT_BENCH_HOST": "1"}

    async def _tell(self, message: protocol.ToAgent) -> None:
        if self._lost is not None or self._process is None:
            return
        try:
            process = await self._ready()
            process.write(protocol.line_of(message))
            late = f"no end of a hook within {self._limit_s:g} s"
            await process.answer(self._limit_s, answers.read_done, late=late)
        except AgentFailed as failure:
            if failure.kind in (*FATAL, "timeout") or not self._greeted:
                self._lose()
            raise

    def _hello(self, line: bytes) -> bool:
        answers.read_done(line)
        return super()._hello(line)


def _own_folders(source: str, path: str) -> list[str]:
    """Return what a box shows of an agent's own code: the folder of its file, or that in which its package lies."""
    above = 0 if source.endswith(".py") else source.count(".") + (os.path.basename(path) == "__init__.py")
    return [path, str(Path(path).parents[above])]
