"""Config loading from files, flags and plain values; every mistake becomes one line that names the field.

An unknown key is an error that suggests the nearest field.
"""

from collections.abc import Iterator
from datetime import date
from functools import cache
from math import isfinite
from typing import Any, Final, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from molt_bench.agents.settings_base import another_field, problems_in, sections_in
from molt_bench.config.participants import (
    ParticipantConfig,
    of_its_kind,
    section_for,
    sections,
    with_settings,
)
from molt_bench.config.sections import LEAST_PARTICIPANTS, MOST_PARTICIPANTS, BenchmarkConfig
from molt_bench.config.syntax import DEEPEST, MOST_VALUES, TOO_DEEP, TOO_MANY, SyntaxProblem, from_json, from_yaml
from molt_bench.errors import ConfigError, ConfigErrors
from molt_bench.files import text_of

#: Maximum size of a file in bytes.
_MOST_BYTES: Final = 1_000_000
#: Maximum characters of any string in a config, and bits of any int, since it may be a seed.
_LONGEST: Final = 100_000
_MOST_BITS: Final = 13_288


def read_config_file(path: str) -> dict[str, Any]:
    """Return the contents of a YAML or JSON file; raises ConfigError if it cannot be read, or is neither."""
    text = text_of(path, field="config", most_bytes=_MOST_BYTES)
    try:
        found = from_json(text) if path.endswith(".json") else from_yaml(text)
    except SyntaxProblem as problem:
        raise ConfigError("config", path, str(problem)) from problem
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ConfigError("config", path, f"fields and their values, not a {type(found).__name__}")
    return found


def load_config(values: dict[str, Any]) -> BenchmarkConfig:
    """Validate plain values and fill in the defaults; raises ConfigErrors with every problem and its field."""
    config, problems = examined(values)
    if problems:
        raise ConfigErrors(problems)
    return config


def examined(values: dict[str, Any]) -> tuple[BenchmarkConfig, list[ConfigError]]:
    """Return a config and everything that is wrong with it; it has defaults in place of the sections that are wrong.

    Every section is validated once, by itself. Then what lies across sections is checked, where they are right. Raises
    ConfigError for values that no config could hold.
    """
    _check_plain(values, "")
    names = {key: name for name, field in BenchmarkConfig.model_fields.items() for key in (name, field.alias)}
    found: dict[str, Any] = {}
    problems: dict[str, list[ConfigError]] = {}
    for key, value in values.items():
        name = names.get(key)
        if name is None:
            problems[key] = [ConfigError(key, value, another_field(key, BenchmarkConfig, _elsewhere()))]
        elif name in found or name in problems:
            problems[name] = [ConfigError(key, value, "one spelling of it, camelCase or snake_case")]
        else:
            found[name], problems[name] = _participants(value) if name == "participants" else _section(name, value)
    wrong = {name for name, mistakes in problems.items() if mistakes}
    right = {name: section for name, section in found.items() if name not in wrong or name == "participants"}
    config = BenchmarkConfig.model_construct(**right)
    config.settle()
    across = [ConfigError(*problem) for problem in config.problems(wrong)]
    return config, [*(each for mistakes in problems.values() for each in mistakes), *across]


def _section(name: str, value: Any) -> tuple[Any, list[ConfigError]]:
    """Return a section of a config and what is wrong with it, in which case there is none."""
    field = BenchmarkConfig.model_fields[name]
    try:
        return _adapter(name).validate_python(value), []
    except ValidationError as error:
        section = next(iter(sections_in(field.annotation)), BenchmarkConfig)
        return None, problems_in(error, section, [field.alias or name], _elsewhere())


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    field = BenchmarkConfig.model_fields[name]
    return TypeAdapter(field.rebuild_annotation())


def _participants(value: Any) -> tuple[tuple[ParticipantConfig, ...], list[ConfigError]]:
    """Return the participants that are right, and what is wrong with the others."""
    if not isinstance(value, list | tuple):
        return (), [ConfigError("participants", value, "a list")]
    if not LEAST_PARTICIPANTS <= len(value) <= MOST_PARTICIPANTS:
        few = len(value) < LEAST_PARTICIPANTS
        expected = f"at least {LEAST_PARTICIPANTS} of them" if few else f"at most {MOST_PARTICIPANTS} of them"
        return (), [ConfigError("participants", value, expected)]
    found, problems = [], []
    for at, each in enumerate(with_settings([*value])):
        try:
            found.append(of_its_kind(each))
        except ValidationError as error:
            problems += problems_in(error, section_for(each), ["participants", at])
    return tuple(found), problems


def _check_plain(value: object, path: str, depth: int = 0) -> int:
    """Refuse values that no file of a run could hold, at any depth: agent params are not checked field by field.

    Returns how many values there are.
    """
    where, values = path or "config", 1
    if depth > DEEPEST:
        raise ConfigError(where, None, TOO_DEEP)
    if isinstance(value, dict | list | tuple):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(value, dict) and not isinstance(key, str):
                raise ConfigError(where, key, "names of fields, and a name is a text: put it in quotes")
            _check_text(str(key), where)
            values += _check_plain(below, f"{path}.{key}" if path else str(key), depth + 1)
            if values > MOST_VALUES:
                raise ConfigError("config", None, TOO_MANY)
    elif isinstance(value, str):
        _check_text(value, where)
    elif isinstance(value, float) and not isfinite(value):
        raise ConfigError(where, value, "a finite number")
    elif isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise ConfigError(where, value, "an int of at most 4,000 digits")
    elif isinstance(value, date | bytes | set):
        raise ConfigError(where, str(value), "a text, a number, true, false, null, a list or fields")
    return values


def _check_text(text: str, where: str) -> None:
    if len(text) > _LONGEST:
        raise ConfigError(where, text, f"a text of at most {_LONGEST:,} characters")
    if "\0" in text:
        raise ConfigError(where, text, "a text without NUL characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError(where, text, "text that UTF-8 can write") from None


@cache
def field_paths() -> tuple[str, ...]:
    """Return the path of every field that `--set` takes; participants count from 0."""
    return tuple(dict.fromkeys(_paths_below(BenchmarkConfig, "")))


@cache
def _elsewhere() -> tuple[str, ...]:
    """Return the paths of fields that somebody may mean who writes them in another place."""
    return tuple(path for path in field_paths() if not path.startswith("participants."))


def _paths_below(section: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in section.model_fields.items():
        path = f"{prefix}{field.alias or name}"
        below = [] if get_origin(field.annotation) is dict else sections_in(field.annotation)
        if not below or type(None) in get_args(field.annotation):
            yield path
        for model in sections() if ParticipantConfig in below else below:
            yield from _paths_below(model, f"{path}.0." if get_origin(field.annotation) is tuple else f"{path}.")
