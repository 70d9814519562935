"""The kind of agents that are the user's own Python code, in this process or in a box."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.external.box import REQUIRED, SANDBOX, SandboxSetting, SandboxSettings, box_in
from molt_bench.agents.external.program import ExecSettings, ProgramAgent
from molt_bench.agents.python_import import call_factory, factory_file, find_factory
from molt_bench.agents.settings_base import Name
from molt_bench.entry_points import AGENTS, points
from molt_bench.errors import AgentError, ConfigError
from molt_bench.plugin import Context, Kind
from molt_bench.specs import ParticipantSpec

#: Starts the host, sooner than `python -m` would: without the folders of `site`, whose modules are on its path, and
#: without what `msgspec` loads only because it is there.
_START: Final = (
    "import sys; sys.modules['typing_extensions'] = None; import msgspec; del sys.modules['typing_extensions']; "
    "from molt_bench.host import main; main(*sys.argv[1:])"
)


class PythonSettings(SandboxSettings):
    """Python code of one's own: `module:factory` or `path/to/file.py:factory`."""

    sandbox: Annotated[SandboxSetting, SANDBOX] = "off"
    models: Annotated[
        tuple[Name | dict[str, Any], ...],
        Field(
            description="Models that it may ask by `context.models.ask`: provider and name, or a model's settings.",
            exclude_if=lambda value: not value,
        ),
    ] = ()


def code_of(spec: ParticipantSpec) -> str:
    """Return the code that makes a participant, as `module:factory` or `file.py:factory`; a plug-in registers it."""
    point = None if ":" in spec.type else points(AGENTS).get(spec.type)
    return spec.type if point is None else point.value.partition("[")[0].strip()


class PythonCode(Kind):
    """Python code of one's own, such as my_bot.py:MyBot."""

    name = "python"
    usage = "FILE.py:NAME"
    settings = PythonSettings
    takes_params = True
    code = True

    def label(self, participant_type: str) -> str:
        """Return the name of the file, or that of the plug-in."""
        return Path(participant_type.rpartition(":")[0]).stem if ":" in participant_type else participant_type

    def make(self, spec: ParticipantSpec, context: Context) -> PokerAgent:
        """Make it in this process, or in a box. All agents of a run are made from the same code, whatever is edited."""
        if box_in(context.settings, required=context.boxed) is not None:
            return _hosted(spec, code_of(spec), context)
        factory = find_factory(code_of(spec), code_sha256=context.code_sha256, anew=context.anew)
        return call_factory(spec.id, factory, spec.params, context)

    def fingerprint(self, spec: ParticipantSpec) -> str | None:
        """Return the hash of the file that the factory comes from."""
        file = factory_file(code_of(spec))
        return None if file is None else file.sha256

    def announced(self, spec: ParticipantSpec, settings: PythonSettings) -> str:
        """Return the file that is run."""
        code = factory_file(code_of(spec))
        params = f" with params {json.dumps(spec.params, default=str)}" if spec.params else ""
        return f"runs {spec.type if code is None else code.path}{params} in a sandbox"


def _hosted(spec: ParticipantSpec, code: str, context: Context) -> ProgramAgent:
    """Return an agent whose Python code plays in a box, hosted by `molt_bench.host`.

    To the rest of the house it is an agent like any other: what a hook of it raises is a fault, as in this process.
    """
    if context.settings.models:
        raise ConfigError("models", "...", "none: code in a sandbox reaches no model")
    source, _, name = code.rpartition(":")
    is_file, found, wanted = source.endswith(".py"), factory_file(code), context.code_sha256
    if wanted is not None and (found is None or found.sha256 != wanted):
        raise AgentError(f"{source} is not the code with SHA-256 {wanted}, so it is not run")
    named = f"{os.path.abspath(source)}:{name}" if is_file else code
    words = (sys.executable, "-P", "-S", "-c", _START, named, json.dumps(spec.params), wanted or "")
    # All modules that we can import, but those beside us; and the code: its file, and the folder of its package.
    here = {os.path.realpath(os.getcwd()), os.path.dirname(os.path.realpath(sys.argv[0]))}
    shown = [path for path in sys.path if path and os.path.realpath(path) not in here]
    if found is not None:
        above = 0 if is_file else source.count(".") + (os.path.basename(found.path) == "__init__.py")
        shown += [found.path, str(Path(found.path).parents[above])]
    paths = dict.fromkeys([str(Path(__file__).parents[2]), *map(os.path.abspath, sys.path)])
    return ProgramAgent(
        spec.id,
        ExecSettings(command=words, sandbox=REQUIRED),
        context,
        shown=shown,
        hosting={"PYTHONPATH": os.pathsep.join(paths), "MOLT_BENCH_HOST": os.getcwd()},
    )
