"""Settings of programs and web servers that play."""

import os
from typing import Annotated, Final, Self

from pydantic import Field, field_validator, model_validator

from molt_bench.agents.sandbox.settings import SandboxSettings
from molt_bench.agents.settings_base import (
    MUCH,
    AgentSettings,
    Count,
    Name,
    NoneOrMore,
    PathText,
    as_problem,
    http_parts,
)
from molt_bench.seeds import MASTER_SEED_VARIABLE

#: Processor time for each process of a program, in one game.
CPU_SECONDS: Final = 3600
#: What stands for host and port in the command of an ACPC bot.
HOST_WORD: Final = "{host}"
PORT_WORD: Final = "{port}"


class ProgramSettings(SandboxSettings):
    """A program that plays: how it is started, and its limits."""

    command: Annotated[
        str | tuple[str, ...],
        Field(description="The program and its arguments, as a text or a list; there is no shell."),
    ]
    start_timeout_s: Annotated[float, Field(gt=0, le=MUCH, description="Seconds from its start to its hello.")] = 10.0
    memory_mb: Annotated[
        Count, Field(le=2**30, description="Megabytes for each of its processes; in a box, for all together.")
    ] = 4096
    env: Annotated[tuple[str, ...], Field(description="Names of environment variables that it gets.")] = ()

    @field_validator("command", mode="before")
    @classmethod
    def _has_words(cls, value: object) -> object:
        words = [value] if isinstance(value, str) else value
        if not isinstance(words, list | tuple) or not words or not all(isinstance(word, str) for word in words):
            raise as_problem("", value, "a program and its arguments, such as ./bot --flag, or a list of them")
        if not words[0].strip():
            raise as_problem("", value, "a program, such as ./bot")
        return value

    @field_validator("env")
    @classmethod
    def _names_variables(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        wrong = next((name for name in value if not name or "=" in name or "\0" in name), None)
        if wrong is not None:
            raise as_problem("", wrong, "names of variables, without their values")
        if MASTER_SEED_VARIABLE in value:
            raise as_problem("", MASTER_SEED_VARIABLE, "any other variable: whoever knows this one knows the cards")
        return value

    def variables(self) -> list[str]:
        """Return the variables it is to get."""
        return [*self.env]

    def unset_variables(self) -> list[str]:
        """Return the variables it is to get that are not set."""
        return [name for name in self.env if name not in os.environ]


class ExecSettings(ProgramSettings):
    """A program that plays over JSON lines."""


class AcpcSettings(ProgramSettings):
    """A bot of the Annual Computer Poker Competition, and the game that its game file describes."""

    small_blind: Annotated[NoneOrMore, Field(description="As in its game file.")] = 50
    big_blind: Annotated[Count, Field(description="As in its game file.")] = 100
    stack: Annotated[Count, Field(description="As in its game file.")] = 20_000
    raise_cap: Annotated[Count | None, Field(description="Its `maxRaises`, on every street; null: no cap.")] = None

    @field_validator("command")
    @classmethod
    def _has_a_port(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        words = value if isinstance(value, str) else " ".join(value)
        if HOST_WORD in words and PORT_WORD not in words:
            raise as_problem("", value, f"{PORT_WORD} where there is {HOST_WORD}; without both, they are appended")
        return value

    @model_validator(mode="after")
    def _has_two_blinds(self) -> Self:
        # With equal blinds, the first fold of a hand would be free, and the protocol has no free folds.
        if self.big_blind <= self.small_blind:
            raise as_problem("bigBlind", self.big_blind, f"more than the small blind ({self.small_blind})")
        return self


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
