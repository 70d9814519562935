"""Participants, as given in the config."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from molt_bench.agents.external.command import label_of as command_label
from molt_bench.agents.external.program_settings import ExecSettings, HttpSettings
from molt_bench.agents.fields import Name, PathText, Section
from molt_bench.agents.kinds import (
    EXEC,
    HTTP,
    LLM,
    exec_params,
    http_params,
    is_exec,
    is_http,
    is_llm,
    llm_params,
)
from molt_bench.agents.llm.model_settings import LLMSettings
from molt_bench.errors import ConfigError
from molt_bench.specs import ParticipantSpec

#: Bounds within which floating-point arithmetic can still update a rating.
Mu = Annotated[float, Field(ge=-1e6, le=1e6)]
Sigma = Annotated[float, Field(ge=1e-6, le=1e6)]


class InitialRating(Section):
    """A participant's rating before its first match."""

    mu: Mu
    sigma: Sigma


class ParticipantConfig(Section):
    """One participant."""

    id: Annotated[Name, Field(description="Unique name in records.")]
    type: Annotated[
        PathText,
        Field(
            description="A built-in agent, an installed plug-in, `module:factory`, `path/to/file.py:factory`, "
            "`exec:` and a command, or a URL.",
        ),
    ]
    display_name: Annotated[str, Field(max_length=200, description="Name to display; defaults to the id.")] = ""
    anchor: Annotated[bool, Field(description="Serves as a reference, but is not part of the field.")] = False
    params: Annotated[dict[str, Any], Field(description="Keyword arguments for the agent's factory.")] = {}  # noqa: RUF012 - pydantic copies it
    initial_rating: InitialRating | None = None
    isolated: Annotated[
        bool | None,
        Field(
            description="Whether nothing seen in one game can reach another; null: true except for web servers, which "
            "keep running between games. An agent that is not isolated gets different cards in each seating.",
            exclude_if=lambda value: value is None,
        ),
    ] = None

    @property
    def may_remember(self) -> bool:
        """Whether it may remember cards from other games, so that swapped seats must not share decks."""
        return self.type == HTTP if self.isolated is None else not self.isolated

    def spec(self) -> ParticipantSpec:
        """Return the participant's spec for the registry."""
        return ParticipantSpec(id=self.id, type=self.type, params=self.params)


class LLMParticipantConfig(LLMSettings, ParticipantConfig):
    """A language model as a participant: `type: llm` and its settings."""

    type: Literal["llm"] = "llm"

    @model_validator(mode="before")
    @classmethod
    def _model_in_type(cls, value: Any) -> Any:
        """Accept `type: llm:openai:gpt-4.1`, and settings given under `params`."""
        return _spread(value, LLM, llm_params)

    def settings(self) -> LLMSettings:
        """Return only the model's settings."""
        return LLMSettings.model_validate({field: getattr(self, field) for field in LLMSettings.model_fields})

    def spec(self) -> ParticipantSpec:
        """Return the participant's spec for the registry."""
        return ParticipantSpec(id=self.id, type=LLM, params=self.settings().model_dump())


class ExecParticipantConfig(ExecSettings, ParticipantConfig):
    """A program as a participant: `type: exec` and its settings."""

    type: Literal["exec"] = "exec"

    @model_validator(mode="before")
    @classmethod
    def _command_in_type(cls, value: Any) -> Any:
        """Accept `type: exec:./bot`, and settings given under `params`."""
        return _spread(value, EXEC, exec_params)

    def spec(self) -> ParticipantSpec:
        """Return the participant's spec for the registry."""
        return ParticipantSpec(id=self.id, type=EXEC, params=_settings(self, ExecSettings))


class HttpParticipantConfig(HttpSettings, ParticipantConfig):
    """A web server as a participant: `type: http` and its settings."""

    type: Literal["http"] = "http"

    @model_validator(mode="before")
    @classmethod
    def _url_in_type(cls, value: Any) -> Any:
        """Accept a URL as the type, and settings given under `params`."""
        return _spread(value, HTTP, http_params)

    def spec(self) -> ParticipantSpec:
        """Return the participant's spec for the registry."""
        return ParticipantSpec(id=self.id, type=HTTP, params=_settings(self, HttpSettings))


def _spread(value: Any, kind: str, params_of: Callable[[str, Mapping[str, Any]], dict[str, Any]]) -> Any:
    """Return a participant's fields, merged with its params and with those encoded in its type."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return value
    params = value.get("params")
    fields = {**params, **value, "params": {}} if isinstance(params, dict) else value
    return {**params_of(value["type"], fields), "type": kind}


def _settings(participant: ParticipantConfig, settings: type[Section]) -> dict[str, Any]:
    return {field: getattr(participant, field) for field in settings.model_fields}


def _kind_of(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    tests = {LLM: is_llm, EXEC: is_exec, HTTP: is_http}
    return next((tag for tag, is_it in tests.items() if isinstance(kind, str) and is_it(kind)), "agent")


AnyParticipant = Annotated[
    Annotated[LLMParticipantConfig, Tag("llm")]
    | Annotated[ExecParticipantConfig, Tag("exec")]
    | Annotated[HttpParticipantConfig, Tag("http")]
    | Annotated[ParticipantConfig, Tag("agent")],
    Discriminator(_kind_of),
]

#: The kinds of participants, by pydantic tag.
PARTICIPANT_KINDS: Final[Mapping[str, type[ParticipantConfig]]] = {
    "llm": LLMParticipantConfig,
    "exec": ExecParticipantConfig,
    "http": HttpParticipantConfig,
    "agent": ParticipantConfig,
}


def participants_from(text: str) -> list[dict[str, Any]]:
    r"""Return the participants in a list such as `random,tight`; duplicates get a number.

    A comma within a name is escaped with a backslash: `exec:./bot --sizes 1\,2`.
    """
    names = [name.replace("\\,", ",").strip() for name in re.split(r"(?<!\\),", text)]
    if "" in names:
        raise ConfigError("participants", text, "names with commas between, such as random,tight")
    return named(names)


def named(names: Sequence[str]) -> list[dict[str, Any]]:
    """Return participants by type; duplicates get a number."""
    found: list[dict[str, Any]] = []
    labels = [_label(name) for name in names]
    taken = {*labels}
    for at, (name, label) in enumerate(zip(names, labels, strict=True)):
        again = 1
        if label in labels[:at]:
            again = next(number for number in range(2, len(names) + 2) if f"{label}-{number}" not in taken)
            taken.add(f"{label}-{again}")
        found.append({"id": label if again == 1 else f"{label}-{again}", "type": name})
    return found


def _label(name: str) -> str:
    """Return a short name: that of the model, the factory's file, the command's script, or the URL."""
    if is_llm(name):
        return name.split(":", 2)[-1]
    if is_exec(name):
        return command_label(exec_params(name, {}).get("command", name))
    if is_http(name):
        return http_params(name, {}).get("url", name).partition("://")[2].partition("?")[0].rstrip("/") or name
    return Path(name.rpartition(":")[0]).stem if ":" in name else name
