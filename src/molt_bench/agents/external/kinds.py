"""The kinds of agents that are programs and web servers."""

import json
from importlib import import_module
from typing import Any

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.external.box import box_in
from molt_bench.agents.external.command import command_hash, label_of
from molt_bench.agents.external.program import ProgramAgent
from molt_bench.agents.external.program_settings import ExecSettings, HttpSettings
from molt_bench.agents.settings_base import variables_told
from molt_bench.errors import AgentError
from molt_bench.extras import how_to_install
from molt_bench.plugin import Context, Kind
from molt_bench.specs import ParticipantSpec


class Exec(Kind):
    """A program in any language that speaks JSON lines, such as exec:./bot --fast."""

    name = "exec"
    usage = "exec:COMMAND"
    settings = ExecSettings
    short = "command"
    waits = True
    recorded = True
    code = True

    def label(self, participant_type: str) -> str:
        """Return the name of its script, or of its program."""
        return label_of(self.given(participant_type).get("command", participant_type))

    def make(self, spec: ParticipantSpec, context: Context) -> PokerAgent:
        """Make an agent that starts the program for its game."""
        return ProgramAgent(
            spec.id,
            context.settings,
            action_timeout_s=context.timeout_s,
            folder=context.folder,
            box=box_in(context.settings, required=context.boxed),
        )

    def fingerprint(self, spec: ParticipantSpec) -> str | None:
        """Return the hash of the files that its command names."""
        return command_hash({**self.given(spec.type), **spec.params}.get("command", ""))

    def announced(self, spec: ParticipantSpec, settings: ExecSettings) -> str:
        """Return the command that is started."""
        command = settings.command if isinstance(settings.command, str) else json.dumps(settings.command)
        return f"starts {command} in a sandbox; it gets {variables_told(())}"


class Http(Kind):
    """A web server that takes the same messages, such as http://127.0.0.1:9000/act."""

    name = "http"
    usage = "http:URL"
    settings = HttpSettings
    short = "url"
    waits = True
    remote = True
    recorded = True
    remembers = True  # a server keeps running between games

    def given(self, participant_type: str) -> dict[str, Any]:
        """Return the URL, which may be the type itself."""
        whole = participant_type.startswith(("http://", "https:"))
        return {"url": participant_type} if whole else super().given(participant_type)

    def label(self, participant_type: str) -> str:
        """Return the URL without its scheme and query."""
        url: str = self.given(participant_type).get("url", participant_type)
        return url.partition("://")[2].partition("?")[0].rstrip("/") or participant_type

    def make(self, spec: ParticipantSpec, context: Context) -> PokerAgent:
        """Make an agent that asks the server; only then is the library of the extra loaded."""
        try:
            server = import_module("molt_bench.agents.external.server")
        except ModuleNotFoundError as error:
            raise AgentError(f"participant {spec.id!r} needs the extra http: {how_to_install('http')}") from error
        agent: PokerAgent = server.HttpAgent(spec.id, context.settings, action_timeout_s=context.timeout_s)
        return agent

    def announced(self, spec: ParticipantSpec, settings: HttpSettings) -> str:
        """Return where messages are posted, and with which key."""
        return f"posts to {settings.url}; sends {variables_told(settings.variables())}"
