"""What all sections of a config share, and how a mistake in one becomes an error that names the field."""

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import SplitResult, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from molt_bench.errors import ConfigError
from molt_bench.specs import MOST_CHIPS
from molt_bench.suggestions import did_you_mean

#: The largest whole number: beyond it, JSON readers that use floats would lose digits.
MOST: Final = MOST_CHIPS
#: The most seconds, dollars and the like: more is a typing error.
MUCH: Final = 1e9
#: What stands in place of an API key. A shorter one is not secret, such as the "none" that some servers want.
_HIDDEN: Final = "[key]"
_SHORTEST_KEY: Final = 8

Count = Annotated[int, Field(ge=1, le=MOST, strict=True)]
NoneOrMore = Annotated[int, Field(ge=0, le=MOST, strict=True)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
PathText = Annotated[str, Field(min_length=1, max_length=4096)]


class Section(BaseModel):
    """Base of all sections of a config: camelCase or snake_case, no unknown fields, immutable."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        alias_generator=to_camel,
        populate_by_name=True,
        validate_default=True,
        protected_namespaces=(),
    )

    @model_validator(mode="before")
    @classmethod
    def _spelt_once(cls, value: Any) -> Any:
        """Refuse a field that is given in both spellings."""
        if isinstance(value, dict):
            for name in cls.model_fields:
                if name in value and (alias := to_camel(name)) != name and alias in value:
                    raise as_problem(alias, value[name], f"one spelling of it, not {name} as well")
        return value

    def plain(self) -> dict[str, Any]:
        """Return the section as JSON values, with every field included."""
        return self.model_dump(mode="json", by_alias=True)


class AgentSettings(Section):
    """The settings of one kind of agent."""

    def variables(self) -> list[str]:
        """Return the environment variables that it needs; `A or B` where one of them will do."""
        return []

    def unset_variables(self) -> list[str]:
        """Return those of them that are not set."""
        return [each for each in self.variables() if not any(map(_holds_text, each.split(" or ")))]


class OpenSettings(AgentSettings):
    """Settings of a kind that is not here, which nobody can check."""

    model_config = ConfigDict(extra="allow")


Settings = TypeVar("Settings", bound=Section)


def _holds_text(variable: str) -> bool:
    return bool(os.environ.get(variable, "").strip())


def http_parts(url: str) -> SplitResult | None:
    """Return the parts of the URL of a web server; None if it is none."""
    try:
        parts = urlsplit(url)
        complete = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # no port, or no address of IPv6
        return None
    return parts if complete else None


def checked(settings: type[Settings], values: Mapping[str, object]) -> Settings:
    """Return settings made of plain values; raises ConfigError with the first mistake and its field."""
    try:
        return settings.model_validate(values)
    except ValidationError as error:
        problem = error.errors()[0]
        context = problem.get("ctx", {})
        field = ".".join([*map(str, problem["loc"]), *filter(None, [context.get("field")])])
        if problem["type"] == "extra_forbidden":
            raise ConfigError(field, problem["input"], another_field(field, settings)) from error
        if problem["type"] == "missing":
            raise ConfigError(field, problem["input"], "a value; none is given") from error
        expected = context.get("expected") or problem["msg"].removeprefix("Input should be ")
        # Our own checks say how much of a value may be shown: it may hold a password.
        raise ConfigError(field, context.get("value", problem["input"]), str(expected)) from error


def hide_key(text: str, key: str) -> str:
    """Return a text without an API key, which belongs in no log, record or error."""
    return text.replace(key, _HIDDEN) if len(key) >= _SHORTEST_KEY else text


def variables_told(names: Collection[str]) -> str:
    """Return what is said of environment variables whose values an agent gets."""
    return f"the value of {', '.join(f'${name}' for name in names)}" if names else "no key"


def another_field(name: str, section: type[BaseModel]) -> str:
    """Return what to expect in place of an unknown field: the closest one, or all there are."""
    known = [field.alias or own for own, field in section.model_fields.items()]
    near = did_you_mean(name, known)
    return f"another field{near}" if near else f"one of {', '.join(known)}"


def as_problem(field: str, value: object, expected: str) -> PydanticCustomError:
    """Return a problem found by one of our own checks, for pydantic to report with its location."""
    return as_problems([(field, value, expected)])


def as_problems(found: Sequence[tuple[str, object, str]]) -> PydanticCustomError:
    """Return several problems found by one of our own checks: each a field, its value and what was expected."""
    field, value, expected = found[0]
    context = {"field": field, "value": value, "expected": expected, "found": list(found)}
    return PydanticCustomError("ours", "{expected}", context)
