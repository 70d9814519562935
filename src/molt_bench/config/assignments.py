"""Assignments such as `--set scheduler.exploration=0.3`: one field of a config, by its path."""

from typing import Any

from pydantic.alias_generators import to_camel

from molt_bench.config.syntax import SyntaxProblem, from_yaml
from molt_bench.errors import ConfigError


def set_field(values: dict[str, Any], assignment: str) -> None:
    """Set one field from `a.b=value`."""
    path, equals, _ = assignment.partition("=")
    if not equals or not path:
        raise ConfigError("--set", assignment, "field=value, such as scheduler.exploration=0.3")
    put(values, path, value_of(assignment, "--set"))


def value_of(assignment: str, option: str) -> Any:
    """Return the value of `name=value`, which is parsed as YAML, so that 3 is a number and null is None."""
    try:
        return from_yaml(assignment.partition("=")[2])
    except SyntaxProblem as problem:
        raise ConfigError(option, assignment, f"a value that YAML can read: {problem}") from problem


def put(values: dict[str, Any], path: str, value: object) -> None:
    """Set the field at a path such as `a.b` or `participants.0.id`, in camelCase or snake_case."""
    *sections, field = path.split(".")
    place: Any = values
    for section in sections:
        if isinstance(place, list):
            entries = dict(enumerate(place))
            if section not in map(str, entries):
                last = len(entries) - 1
                raise ConfigError("--set", path, f"an entry from 0 to {last}" if entries else "a list with entries")
            place = entries[int(section)]
        else:
            key = _spelt(place, section)
            place[key] = {} if place.get(key) is None else place[key]
            place = place[key]
        if not isinstance(place, dict | list):
            raise ConfigError("--set", path, f"a field of a section, and {section!r} is none")
    if isinstance(place, list):
        raise ConfigError("--set", path, "a field of one of the list's entries")
    place[_spelt(place, field)] = value


def _spelt(section: dict[str, Any], name: str) -> str:
    """Return a name as the section spells it, or as given if the section does not have it yet."""
    return next((key for key in section if to_camel(str(key)) == to_camel(name)), name)
