"""What all sections of a config share, and how a mistake in one becomes an error that names the field."""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Final, TypeAlias, TypeVar
from urllib.parse import SplitResult, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from molt_bench.errors import ConfigError
from molt_bench.poker.actions import MOST_CHIPS
from molt_bench.suggestions import did_you_mean
from molt_bench.visible_text import shown

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
    """Settings of a kind that is not here, which cannot be checked."""

    model_config = ConfigDict(extra="allow")


Settings = TypeVar("Settings", bound=Section)
#: What is wrong: a field, its value, and what would have worked.
Problem: TypeAlias = tuple[str, object, str]


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
        raise problems_in(error, settings)[0] from error


#: What pydantic's kinds of errors mean to a user.
_EXPECTED: Final = {
    "too_short": "at least {min_length} of them",
    "too_long": "at most {max_length} of them",
    "model_type": "a section with fields of its own",
    "model_attributes_type": "a section with fields of its own",
    "tuple_type": "a list",
    "missing": "a value, since it has no default",
}


def problems_in(
    error: ValidationError, section: type[BaseModel], at: Sequence[object] = (), paths: Sequence[str] = ()
) -> list[ConfigError]:
    """Return every mistake that was found in a section, which lies `at` a path; `paths` are fields that may be meant.

    What is missing may be there under a wrong name: then it is no mistake of its own.
    """
    details = error.errors(include_url=False)
    misnamed = {each["loc"][:-1] for each in details if each["type"] == "extra_forbidden"}
    found: dict[tuple[str, str], ConfigError] = {}
    for each in details:
        loc, kind, context = each["loc"], each["type"], each.get("ctx", {})
        if kind == "ours":
            wrong = context["found"]
        elif kind == "extra_forbidden":
            wrong = [("", each["input"], another_field(str(loc[-1]), _section_at(section, loc[:-1]), paths))]
        elif kind in _EXPECTED:
            wrong = [("", each["input"], _EXPECTED[kind].format_map(context))]
        else:
            said = re.sub(r"^(Input should (be )?|String should have )", "", each["msg"])
            wrong = [("", each["input"], said[0].lower() + said[1:])]
        if kind == "missing" and loc[:-1] in misnamed:
            continue
        where = loc[:-1] if len(loc) > 1 and loc[-1] in ("int", "str") else loc  # pydantic names the part of a union
        for field, value, expected in wrong:
            path = ".".join(map(str, filter(lambda part: part != "", [*at, *where, field])))
            found.setdefault((path, shown(value)), ConfigError(path or "config", value, expected))
    return [*found.values()]


def _section_at(section: type[BaseModel], path: Sequence[object]) -> type[BaseModel]:
    for part in path:
        field = next((each for name, each in section.model_fields.items() if part in (name, each.alias)), None)
        section = next(iter(sections_in(field.annotation)), section) if field is not None else section
    return section


def sections_in(annotation: Any) -> list[type[BaseModel]]:
    """Return the sections that a field of this type may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in sections_in(part)]


def hide_key(text: str, key: str) -> str:
    """Return a text without an API key, which belongs in no log, record or error."""
    return text.replace(key, _HIDDEN) if len(key) >= _SHORTEST_KEY else text


def variables_told(names: Collection[str]) -> str:
    """Return what is said of environment variables whose values an agent gets."""
    return f"the value of {', '.join(f'${name}' for name in names)}" if names else "no key"


def another_field(name: str, section: type[BaseModel], paths: Sequence[str] = ()) -> str:
    """Return what to expect in place of an unknown field: the same one elsewhere, the closest one, or all there are."""
    elsewhere = next((path for path in paths if path.endswith(f".{to_camel(name)}")), None)
    if elsewhere is not None:
        return f"another field; did you mean {elsewhere!r}?"
    known = [field.alias or own for own, field in section.model_fields.items()]
    near = did_you_mean(name, known)
    return f"another field{near}" if near else f"one of {', '.join(known)}"


def as_problem(field: str, value: object, expected: str) -> PydanticCustomError:
    """Return a problem found by one of our own checks, for pydantic to report with its location."""
    return as_problems([(field, value, expected)])


def as_problems(found: Sequence[Problem]) -> PydanticCustomError:
    """Return several problems found by one of our own checks."""
    return PydanticCustomError("ours", "{found}", {"found": list(found)})
