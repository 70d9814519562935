"""Sections of a config: what they have in common, and how a mistake in one becomes a line that names the field."""

import os
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from molt_bench.errors import ConfigError
from molt_bench.specs import MOST_CHIPS

#: No whole number is larger: JSON readers that know only floats would lose digits.
MOST: Final = MOST_CHIPS
#: Seconds, dollars and the like beyond this are a slip of the pen.
MUCH: Final = 1e9

Count = Annotated[int, Field(ge=1, le=MOST, strict=True)]
NoneOrMore = Annotated[int, Field(ge=0, le=MOST, strict=True)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
PathText = Annotated[str, Field(min_length=1, max_length=4096)]


class Section(BaseModel):
    """What all sections of a config have in common: camelCase or snake_case, nothing unknown, nothing changed later."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        alias_generator=to_camel,
        populate_by_name=True,
        validate_default=True,
        protected_namespaces=(),
    )


class AgentSettings(Section):
    """The settings of one kind of agent."""

    def unset_variables(self) -> list[str]:
        """Return the environment variables that it needs and that are not set; `A or B` where one of them will do."""
        return []


Settings = TypeVar("Settings", bound=Section)


def unset_key(variables: Sequence[str]) -> list[str]:
    """Return `A or B` unless one of these variables holds a key; nothing where no key is needed."""
    held = any(os.environ.get(name, "").strip() for name in variables)
    return [] if held or not variables else [" or ".join(variables)]


def checked(settings: type[Settings], values: Mapping[str, object]) -> Settings:
    """Check plain values for any kind of settings.

    Raises:
        ConfigError: The first thing that is wrong, by its field.
    """
    try:
        return settings.model_validate(values)
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "extra_forbidden":
            raise ConfigError(field, problem["input"], another_field(field, settings)) from error
        context = problem.get("ctx", {})
        expected = context.get("expected") or problem["msg"].removeprefix("Input should be ")
        # A check of ours says what may be shown of a value with a password in it.
        raise ConfigError(field, context.get("value", problem["input"]), str(expected)) from error


def another_field(name: str, section: type[BaseModel]) -> str:
    """Say which field was perhaps meant by one that a section does not have."""
    known = [field.alias or own for own, field in section.model_fields.items()]
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    return f"another field: {near[0]!r} perhaps" if near else f"one of {', '.join(known)}"


def as_problem(field: str, value: object, expected: str) -> PydanticCustomError:
    """Return a problem that a check of ours has found, for pydantic to pass on with the place where it is."""
    return PydanticCustomError("ours", "{expected}", {"field": field, "value": value, "expected": expected})
