"""Config loading from files, flags and plain values; every mistake becomes one line that names the field.

An unknown key is an error that suggests the nearest field.
"""

from collections.abc import Iterator
from datetime import date
from functools import cache
from math import isfinite
from typing import Any, Final, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from molt_bench.agents.settings_base import problems_in, sections_in
from molt_bench.config.participants import ParticipantConfig, of_its_kind, sections, with_settings
from molt_bench.config.sections import BenchmarkConfig
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
    """Validate plain values and fill in the defaults; raises ConfigErrors with every mistake and its field."""
    config, problems = examined(values)
    if problems:
        raise ConfigErrors(problems)
    return config


def examined(values: dict[str, Any]) -> tuple[BenchmarkConfig, list[ConfigError]]:
    """Return a config and everything that is wrong with it; it has defaults in place of the sections that are wrong.

    What lies across sections is checked once each of them is right. Raises ConfigError for values that no config could
    hold.
    """
    _check_plain(values, "")
    try:
        return BenchmarkConfig.model_validate(values), []
    except ValidationError as error:
        elsewhere = [path for path in field_paths() if not path.startswith("participants.")]
        problems = problems_in(error, BenchmarkConfig, paths=elsewhere)
    wrong = {".".join(each.field.split(".")[:parts]) for each in problems for parts in (1, 2)}
    right: dict[str, Any] = {}
    for name, field in BenchmarkConfig.model_fields.items():
        spelt = next((key for key in (name, field.alias) if key in values), None)
        if name == "participants" and isinstance(values.get(name), list):
            listed = enumerate(with_settings(values[name]))
            right[name] = tuple([of_its_kind(each) for at, each in listed if f"{name}.{at}" not in wrong])
        elif spelt is not None and wrong.isdisjoint((name, field.alias)):
            right[name] = TypeAdapter(field.rebuild_annotation()).validate_python(values[spelt])
    return BenchmarkConfig.model_construct(**right), problems


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


def _paths_below(section: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in section.model_fields.items():
        path = f"{prefix}{field.alias or name}"
        below = [] if get_origin(field.annotation) is dict else sections_in(field.annotation)
        if not below or type(None) in get_args(field.annotation):
            yield path
        for model in sections() if ParticipantConfig in below else below:
            yield from _paths_below(model, f"{path}.0." if get_origin(field.annotation) is tuple else f"{path}.")
