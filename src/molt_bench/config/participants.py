"""The participants of a config. Every kind of agent with settings of its own has a section of its own."""

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    SerializeAsAny,
    ValidationError,
    create_model,
    model_validator,
)

from molt_bench.agents.kinds import all_kinds, kind_of
from molt_bench.agents.settings_base import (
    AgentSettings,
    Name,
    OpenSettings,
    PathText,
    Section,
    as_problem,
    as_problems,
    problems_in,
)
from molt_bench.errors import ConfigError
from molt_bench.plugin import Kind
from molt_bench.specs import ParticipantSpec

#: Ratings stay in a range where floating-point updates still have an effect.
Mu = Annotated[float, Field(ge=-1e6, le=1e6)]
Sigma = Annotated[float, Field(ge=1e-6, le=1e6)]


class InitialRating(Section):
    """The rating of a participant before its first match."""

    mu: Mu
    sigma: Sigma


class ParticipantConfig(Section):
    """One participant."""

    id: Annotated[Name, Field(description="Name in records; unique.")]
    type: Annotated[
        PathText,
        Field(
            description="A built-in agent, an installed plug-in, `module:factory` or `path/to/file.py:factory`; "
            "`exec:` and a command, or a URL.",
        ),
    ]
    display_name: Annotated[str, Field(max_length=200, description="Display name; the id if empty.")] = ""
    anchor: Annotated[bool, Field(description="Anchors the scale, but is left out of the field.")] = False
    params: Annotated[dict[str, Any], Field(description="Keyword arguments for the agent's factory.")] = {}  # noqa: RUF012 - pydantic copies it
    initial_rating: InitialRating | None = None

    @model_validator(mode="before")
    @classmethod
    def _spread(cls, value: Any) -> Any:
        """Accept short forms such as `type: llm:openai:gpt-4.1`, and settings given as params."""
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            return value
        kind = kind_of(value["type"])
        if kind.settings is None or kind.takes_params:
            return value
        params = value.get("params")
        fields = {**params, **value, "params": {}} if isinstance(params, dict) else value
        return fields if kind.in_type else {**kind.given(value["type"]), **fields, "type": kind.name}

    @model_validator(mode="after")
    def _complete(self) -> Self:
        """Check what the type alone says, such as a command."""
        kind = self.kind
        if not kind.in_type:
            return self
        if not kind.given(self.type):
            raise as_problem("type", self.type, kind.usage)
        try:
            self.settings()
        except ValidationError as error:
            found = problems_in(error, kind.settings or AgentSettings)
            raise as_problems([("type", each.value, each.expected) for each in found]) from error
        return self

    @property
    def kind(self) -> Kind:
        """The kind of agent that plays."""
        return kind_of(self.type)

    def settings(self) -> AgentSettings | None:
        """Return the settings of its kind alone; None for a kind that has none."""
        settings: type[AgentSettings] | None = self.kind.settings
        if settings is None:
            return None
        own = {name: getattr(self, name) for name in settings.model_fields if name in type(self).model_fields}
        return settings.model_validate({**self.kind.given(self.type), **own})

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
        found = self.settings()
        settings = {} if found is None else {field: getattr(found, field) for field in type(found).model_fields}
        if settings.get("api_key_env") in without:
            settings["api_key_env"] = None
        if self.kind.takes_params:
            return ParticipantSpec(id=self.id, type=self.type, params=self.params, settings=settings)
        return ParticipantSpec(id=self.id, type=self.type, params=settings or self.params)


@cache
def section_of(kind: Kind) -> type[ParticipantConfig]:
    """Return the section for participants of a kind: its settings among the fields that all have."""
    if kind.settings is None:
        return ParticipantConfig
    settings: Any = kind.settings
    if kind.in_type:
        own: Any = {
            name: (field.annotation, field) for name, field in settings.model_fields.items() if name != kind.short
        }
        return create_model(
            _name_of(settings), __base__=ParticipantConfig, __doc__=settings.__doc__, __module__=__name__, **own
        )
    # The last one decides what to do with unknown fields.
    bases: Any = (ParticipantConfig, settings) if settings is OpenSettings else (settings, ParticipantConfig)
    only_type: Any = Literal[kind.name]
    more: Any = {} if kind.takes_params else {"type": (only_type, kind.name)}
    section: type[ParticipantConfig] = create_model(
        _name_of(settings),
        __base__=bases,
        __doc__=settings.__doc__ if kind.takes_params else f"A participant of `type: {kind.name}`, with its settings.",
        __module__=__name__,
        **more,
    )
    return section


def _name_of(settings: type[AgentSettings]) -> str:
    return settings.__name__.replace("Settings", "ParticipantConfig")


def sections() -> tuple[type[ParticipantConfig], ...]:
    """Return the sections of all kinds that are installed."""
    return tuple(dict.fromkeys([ParticipantConfig, *(section_of(kind) for kind in all_kinds())]))


def section_for(value: Any) -> type[ParticipantConfig]:
    """Return the section that a participant has to fit: that of its type, if it has one."""
    return (
        section_of(kind_of(value["type"]))
        if isinstance(value, dict) and isinstance(value.get("type"), str)
        else ParticipantConfig
    )


def of_its_kind(value: Any) -> Any:
    """Return a participant, checked by the section of its kind."""
    if isinstance(value, ParticipantConfig) or not isinstance(value, dict):
        return value
    section = section_for(value)
    try:
        return section.model_validate(value)
    except ValidationError as error:
        found = problems_in(error, section)
        raise as_problems([(each.field, each.value, each.expected) for each in found]) from error


class _EveryKind:
    """Has the JSON Schema of a participant show what all installed kinds take."""

    @staticmethod
    def __get_pydantic_json_schema__(schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [handler(each.__pydantic_core_schema__) for each in sections()]}


#: A participant of any kind. Only the kinds that a config names are loaded for it.
AnyParticipant: TypeAlias = Annotated[SerializeAsAny[ParticipantConfig], BeforeValidator(of_its_kind), _EveryKind]


def with_settings(participants: Any) -> Any:
    """Return participants with settings in place of those that are given by type, such as `[random, tight]`."""
    if not isinstance(participants, list):
        return participants
    found = iter(participants_named([each for each in participants if isinstance(each, str)]))
    return [next(found) if isinstance(each, str) else each for each in participants]


def boxed_alike(participants: Any, box: str) -> Any:
    """Return participants of which all that can play in a box have this one."""
    found = with_settings(participants)
    return (
        [{**each, "sandbox": box} if _plays_in_boxes(each) else each for each in found]
        if isinstance(found, list)
        else found
    )


def _plays_in_boxes(participant: Any) -> bool:
    return "sandbox" in section_for(participant).model_fields


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
