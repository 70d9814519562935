"""Loading a config: from files, flags and plain values, with every mistake as one line that names the field.

An unknown key is an error that names the nearest field.
"""

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.alias_generators import to_camel

from molt_bench.agents.sections import another_field
from molt_bench.bench.config import BenchmarkConfig
from molt_bench.bench.entries import PARTICIPANT_KINDS
from molt_bench.errors import ConfigError


def read_config_file(path: str) -> dict[str, Any]:
    """Return what a YAML or JSON file says.

    Raises:
        ConfigError: It cannot be read, or is neither.
    """
    import yaml

    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("config", path, f"a file that can be read ({_why(error)})") from error
    try:
        found = json.loads(text) if path.endswith(".json") else yaml.safe_load(text)
    except json.JSONDecodeError as error:
        raise ConfigError("config", path, f"JSON (line {error.lineno}: {error.msg})") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise ConfigError("config", path, f"YAML ({where}{problem})") from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ConfigError("config", path, f"fields and their values, not a {type(found).__name__}")
    return found


def _why(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else "it is not UTF-8"


def set_field(values: dict[str, Any], assignment: str) -> None:
    """Set one field from `a.b=value`; the value is read as YAML, so 3 is a number and null is none."""
    import yaml

    path, equals, text = assignment.partition("=")
    if not equals or not path:
        raise ConfigError("--set", assignment, "field=value, such as scheduler.exploration=0.3")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError("--set", assignment, "a value that YAML can read") from error
    put(values, path, value)


def put(values: dict[str, Any], path: str, value: object) -> None:
    """Set the field at a path such as `a.b` or `participants.0.id`, whichever way the names are spelt there."""
    *sections, field = path.split(".")
    place: Any = values
    for section in sections:
        if isinstance(place, list):
            place = _item(place, section, path)
            continue
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
    """Return the name as it is spelt in a section, camelCase where it is not there yet."""
    return next((key for key in section if to_camel(str(key)) == to_camel(name)), name)


def _item(entries: list[Any], number: str, path: str) -> Any:
    if not number.isdigit() or int(number) >= len(entries):
        raise ConfigError("--set", path, f"an entry from 0 to {len(entries) - 1}")
    return entries[int(number)]


def load_config(values: dict[str, Any]) -> BenchmarkConfig:
    """Check plain values and fill in the defaults.

    Raises:
        ConfigError: The first thing that is wrong, by its field.
    """
    try:
        return BenchmarkConfig.model_validate(values)
    except ValidationError as error:
        raise _readable(error.errors()[0]) from error


def _readable(problem: Any) -> ConfigError:
    path, kind, value = [str(part) for part in problem["loc"]], problem["type"], problem["input"]
    tagged = len(path) > 2 and path[0] == "participants" and path[2] in PARTICIPANT_KINDS
    where = path[:2] + path[3:] if tagged else path
    if len(where) > 1 and where[-1] in ("int", "str"):  # pydantic names the member of a union
        where.pop()
    if kind == "ours":
        context = problem["ctx"]
        where += [context["field"]] if context["field"] else []
        return ConfigError(".".join(where), context["value"], context["expected"])
    if kind == "extra_forbidden":
        return ConfigError(".".join(where), value, another_field(where[-1], _section_at(path[:-1])))
    if kind == "too_short":
        return ConfigError(".".join(where), value, f"at least {problem['ctx']['min_length']} of them")
    if kind in ("model_type", "model_attributes_type"):
        return ConfigError(".".join(where) or "config", value, "a section with fields of its own")
    if kind == "tuple_type":
        return ConfigError(".".join(where), value, "a list")
    if kind == "missing":
        return ConfigError(".".join(where), value, "a value, since it has no default")
    message = problem["msg"].removeprefix("Input should be ").removeprefix("Input should ")
    return ConfigError(".".join(where) or "config", value, message[0].lower() + message[1:])


def _section_at(path: list[str]) -> type[BaseModel]:
    """Return the section that a path leads to."""
    model: Any = BenchmarkConfig
    for part in path:
        if part.isdigit():
            continue
        if part in PARTICIPANT_KINDS and model in PARTICIPANT_KINDS.values():
            model = PARTICIPANT_KINDS[part]
            continue
        for name, field in model.model_fields.items():
            if part in (name, field.alias):
                model = next(iter(_models_in(field.annotation)), model)
                break
    section: type[BaseModel] = model
    return section


def _models_in(annotation: Any) -> list[Any]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in _models_in(part)]
