"""Assignments such as `--set scheduler.exploration=0.3`: one field of a config, by its path."""

from typing import Any, Final

from pydantic.alias_generators import to_camel

from molt_bench.config.syntax import SyntaxProblem, from_yaml
from molt_bench.errors import ConfigError

#: Most names of a path before the field.
_DEEPEST_PATH: Final = 20


def set_field(values: dict[str, Any], assignment: str) -> None:
    """Set one field from `a.b=value`; the value is parsed as YAML, so 3 is a number and null is None."""
    path, equals, text = assignment.partition("=")
    if not equals or not path:
        raise ConfigError("--set", assignment, "field=value, such as scheduler.exploration=0.3")
    try:
        value = from_yaml(text)
    except SyntaxProblem as problem:
        raise ConfigError("--set", assignment, f"a value that YAML can read: {problem}") from problem
    put(values, path, value)


def put(values: dict[str, Any], path: str, value: object) -> None:
    """Set the field at a path such as `a.b` or `participants.0.id`, in camelCase or snake_case."""
    *sections, field = path.split(".")
    if len(sections) > _DEEPEST_PATH:
        raise ConfigError("--set", path, f"a path of at most {_DEEPEST_PATH + 1} names")
    place: Any = values
    for section in sections:
        if isinstance(place, list):
            place = _item(place, section, path)
        else:
            key = _spelt(place, section)
            if place.get(key) is None:
                place[key] = {}
            place = place[key]
        if not isinstance(place, dict | list):
            raise ConfigError("--set", path, f"a field of a section, and {section!r} is none")
    if isinstance(place, list):
        raise ConfigError("--set", path, "a field of one of the list's entries")
    place[_spelt(place, field)] = value


def _spelt(section: dict[str, Any], name: str) -> str:
    """Return a name as the section spells it, or as given if the section does not have it yet."""
    return next((key for key in section if to_camel(str(key)) == to_camel(name)), name)


def _item(entries: list[Any], number: str, path: str) -> Any:
    if number not in map(str, range(len(entries))):
        raise ConfigError("--set", path, f"an entry from 0 to {len(entries) - 1}" if entries else "a list with entries")
    return entries[int(number)]
