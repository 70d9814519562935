"""The kind `http`: a web server that plays. Its library is loaded once there is one."""

from importlib import import_module
from typing import Annotated, Any

from pydantic import Field, field_validator

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.settings_base import AgentSettings, Name, PathText, as_problem, http_parts, variables_told
from molt_bench.errors import AgentError
from molt_bench.extras import how_to_install
from molt_bench.plugin import Context, Kind
from molt_bench.specs import ParticipantSpec


class HttpSettings(AgentSettings):
    """A web server that plays."""

    url: Annotated[PathText, Field(description="Every message is posted there.")]
    api_key_env: Annotated[
        Name | None, Field(description="The variable that holds a key, which is sent as a bearer token.")
    ] = None

    @field_validator("url")
    @classmethod
    def _is_a_url(cls, value: str) -> str:
        parts = http_parts(value)
        if parts is None or not value.isprintable() or " " in value:
            raise as_problem("", value, "a URL such as http://127.0.0.1:9000/act")
        if parts.username or parts.password:
            raise as_problem("", "...", "a URL without a password in it: name the variable of a key in apiKeyEnv")
        return value

    def variables(self) -> list[str]:
        """Return the variable of its key."""
        return [] if self.api_key_env is None else [self.api_key_env]


class Http(Kind):
    """A web server that takes the same messages, such as http://127.0.0.1:9000/act."""

    name = "http"
    usage = "http:URL"
    settings = HttpSettings
    short = "url"
    in_type = True
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
        """Make an agent that asks the server."""
        try:
            server = import_module("molt_bench.agents.external.server")
        except ModuleNotFoundError as error:
            raise AgentError(f"participant {spec.id!r} needs the extra http: {how_to_install('http')}") from error
        agent: PokerAgent = server.HttpAgent(spec.id, context.settings, action_timeout_s=context.timeout_s)
        return agent

    def announced(self, spec: ParticipantSpec, settings: HttpSettings) -> str:
        """Return where messages are posted, and with which key."""
        return f"posts to {settings.url}; sends {variables_told(settings.variables())}"
