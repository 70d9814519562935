"""Settings of programs and web servers that play."""

from typing import Annotated

from pydantic import Field, field_validator

from molt_bench.agents.external.box import SandboxSettings
from molt_bench.agents.settings_base import AgentSettings, Name, PathText, as_problem, http_parts


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
