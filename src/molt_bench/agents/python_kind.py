"""The kind of agents that are the user's own Python code, in this process or in a box."""

import json
import os
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.external.box import SANDBOX, SandboxSetting, SandboxSettings, box_of, label_in, warnings_in
from molt_bench.agents.external.hosted import HostedAgent
from molt_bench.agents.python_import import call_factory, factory_file, file_hash, find_factory
from molt_bench.agents.settings_base import Name
from molt_bench.entry_points import AGENTS, points
from molt_bench.errors import ConfigError
from molt_bench.plugin import Context, Kind
from molt_bench.specs import ParticipantSpec


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
        """Make it in this process, or in a box."""
        box = box_of(context)
        if box is not None:
            if context.settings.models:
                raise ConfigError("models", "...", "none: code in a sandbox reaches no model")
            return HostedAgent(spec, code_of(spec), box, context)
        factory = find_factory(code_of(spec), code_sha256=context.code_sha256)
        return call_factory(spec.id, factory, spec.params, context)

    def make_first(self, spec: ParticipantSpec, context: Context) -> PokerAgent:
        """Make it from its file as it is now. The agents of a run are made from the same code, whatever is edited."""
        if box_of(context) is None:
            find_factory(code_of(spec), code_sha256=context.code_sha256, anew=True)
        return self.make(spec, context)

    def warnings(self, spec: ParticipantSpec, context: Context) -> list[str]:
        """Return that it plays without a box, where there should be one."""
        return warnings_in(spec.id, context)

    def fingerprint(self, spec: ParticipantSpec) -> str | None:
        """Return the hash of the file that the factory comes from."""
        return file_hash(code_of(spec))

    def missing(self, spec: ParticipantSpec, settings: PythonSettings) -> str | None:
        """Return the file, or the module, that is not there."""
        place, _, _ = spec.type.rpartition(":")
        if place.endswith(".py"):
            return None if os.path.isfile(place) else place
        return spec.type if file_hash(code_of(spec)) is None else None

    def box(self, context: Context) -> str | None:
        """Return the label of its box."""
        return label_in(context)

    def announced(self, spec: ParticipantSpec, settings: PythonSettings) -> str:
        """Return the file that is run."""
        code = factory_file(code_of(spec))
        params = f" with params {json.dumps(spec.params, default=str)}" if spec.params else ""
        return f"runs {code.path if code is not None else '?'}{params} in a sandbox{settings.with_network}"
