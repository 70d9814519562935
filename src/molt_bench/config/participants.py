"""The participants of a config. Every kind of agent with settings of its own has a section of its own."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag, create_model, model_validator

from molt_bench.agents.kinds import KINDS, AgentKind, kind_of
from molt_bench.agents.sandbox.settings import SandboxSetting
from molt_bench.agents.settings_base import AgentSettings, Name, PathText, Section
from molt_bench.errors import ConfigError
from molt_bench.specs import ParticipantSpec

#: Ratings stay in a range where floating-point updates still have an effect.
Mu = Annotated[float, Field(ge=-1e6, le=1e6)]
Sigma = Annotated[float, Field(ge=1e-6, le=1e6)]


class InitialRating(Section):
    """The rating of a participant before its first match."""

    mu: Mu
    sigma: Sigma


#: The built-in bot that others are measured against, and all that can be.
REFERENCE: Final = "blueprint"
REFERENCES: Final = (REFERENCE, "resolver")


class ParticipantConfig(Section):
    """One participant."""

    id: Annotated[Name, Field(description="Name in records; unique.")]
    type: Annotated[
        PathText,
        Field(
            description="A built-in agent, an installed plug-in, `module:factory` or `path/to/file.py:factory`; "
            "`exec:` or `acpc:` and a command, or a URL.",
        ),
    ]
    display_name: Annotated[str, Field(max_length=200, description="Display name; the id if empty.")] = ""
    anchor: Annotated[bool, Field(description="Anchors the scale, but is left out of the field.")] = False
    params: Annotated[dict[str, Any], Field(description="Keyword arguments for the agent's factory.")] = {}  # noqa: RUF012 - pydantic copies it
    initial_rating: InitialRating | None = None
    isolated: Annotated[
        bool | None,
        Field(
            description="Whether nothing it saw in one game can reach another; null: yes, but not for web servers, "
            "which keep running between games. Without isolation, each seating is dealt other cards.",
            exclude_if=lambda value: value is None,
        ),
    ] = None
    sandbox: Annotated[
        SandboxSetting | None,
        Field(
            description="The box it plays in: `auto` (bubblewrap where it works), `bwrap` or `on` (or not at all), "
            "or `off`; null: that of the config, or else `auto` for programs, `off` for Python code.",
            exclude_if=lambda value: value is None,
        ),
    ] = None
    network: Annotated[
        bool,
        Field(
            description="Whether it may use the network in its box; it is not isolated then, unless it says so.",
            exclude_if=lambda value: value is False,
        ),
    ] = False

    @model_validator(mode="before")
    @classmethod
    def _spread(cls, value: Any) -> Any:
        """Accept short forms such as `type: exec:./bot`, and settings given as params."""
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            return value
        kind = kind_of(value["type"])
        if not kind.settings:
            return value
        params = value.get("params")
        fields = {**params, **value, "params": {}} if isinstance(params, dict) else value
        return {**kind.params(value["type"], fields), "type": kind.name}

    @property
    def kind(self) -> AgentKind:
        """The kind of agent that plays."""
        return kind_of(self.type)

    @property
    def may_remember(self) -> bool:
        """Whether it may know in one game what it saw in another, so that swapped seats must not share their decks."""
        return (self.kind.remembers or self.network) if self.isolated is None else not self.isolated

    def settings(self) -> AgentSettings | None:
        """Return the settings of its kind alone; None for a kind that takes params."""
        if not self.kind.settings:
            return None
        settings = self.kind.settings_class()
        return settings.model_validate({field: getattr(self, field) for field in settings.model_fields})

    def variables(self) -> list[str]:
        """Return the environment variables that it needs; `A or B` where one of them will do."""
        settings = self.settings()
        return [] if settings is None else settings.variables()

    def unset_variables(self) -> list[str]:
        """Return those of them that are not set."""
        settings = self.settings()
        return [] if settings is None else settings.unset_variables()

    def spec(self, *, without: Collection[str] = ()) -> ParticipantSpec:
        """Return what `make_agent` needs, as if it did not need the environment variables in `without`."""
        settings = self.settings()
        box: Any = {"sandbox": self.sandbox, "network": self.network}
        if settings is None:
            return ParticipantSpec(id=self.id, type=self.type, params=self.params, **box)
        params = {field: getattr(settings, field) for field in type(settings).model_fields}
        if "env" in params:
            params["env"] = tuple(name for name in params["env"] if name not in without)
        if params.get("api_key_env") in without:
            params["api_key_env"] = None
        return ParticipantSpec(id=self.id, type=self.type, params=params, **box)


def _section_of(kind: AgentKind) -> type[ParticipantConfig]:
    """Return the section for participants of a kind: its settings among the fields that all have."""
    settings = kind.settings_class()
    bases: Any = (settings, ParticipantConfig)
    only_type: Any = Literal[kind.name]
    section: type[ParticipantConfig] = create_model(
        settings.__name__.replace("Settings", "ParticipantConfig"),
        __base__=bases,
        __doc__=f"A participant of `type: {kind.name}`, with its settings.",
        __module__=__name__,
        type=(only_type, kind.name),
    )
    return section


#: The sections of participants by the tag that pydantic finds them by: the name of a kind, or `agent`.
PARTICIPANT_KINDS: Final[Mapping[str, type[ParticipantConfig]]] = {
    **{kind.name: _section_of(kind) for kind in KINDS if kind.settings},
    "agent": ParticipantConfig,
}


def _tag(value: Any) -> str:
    participant_type = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    name = kind_of(participant_type).name if isinstance(participant_type, str) else ""
    return name if name in PARTICIPANT_KINDS else "agent"


if TYPE_CHECKING:
    AnyParticipant: TypeAlias = ParticipantConfig
else:
    AnyParticipant = Annotated[
        reduce(or_, [Annotated[section, Tag(tag)] for tag, section in PARTICIPANT_KINDS.items()]), Discriminator(_tag)
    ]


def participants_from(text: str) -> list[dict[str, Any]]:
    r"""Return the participants of a list such as `random,tight`; a repeated one gets a number.

    A comma within a name is escaped with a backslash: `exec:./bot --sizes 1\,2`.
    """
    names = [name.replace("\\,", ",").strip() for name in re.split(r"(?<!\\),", text)]
    if "" in names:
        raise ConfigError("participants", text, "names with commas between, such as random,tight")
    return participants_named(names)


def participants_named(names: Sequence[str]) -> list[dict[str, Any]]:
    """Return participants by their types; a repeated one gets a number."""
    found: list[dict[str, Any]] = []
    labels = [kind_of(name).label(name) for name in names]
    taken = {*labels}
    for at, (name, label) in enumerate(zip(names, labels, strict=True)):
        again = 1
        if label in labels[:at]:
            again = next(number for number in range(2, len(names) + 2) if f"{label}-{number}" not in taken)
            taken.add(f"{label}-{again}")
        found.append({"id": label if again == 1 else f"{label}-{again}", "type": name})
    return found
