"""Config loading from files, flags and plain values; every mistake becomes one line that names the field.

An unknown key is an error that suggests the nearest field.
"""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from math import isfinite
from typing import Any, Final, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.alias_generators import to_camel

from molt_bench.agents.kinds import kind_of
from molt_bench.agents.settings_base import another_field
from molt_bench.config.findings import Findings
from molt_bench.config.participants import ParticipantConfig, section_of, sections
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.config.syntax import DEEPEST, MOST_VALUES, TOO_DEEP, TOO_MANY, SyntaxProblem, from_json, from_yaml
from molt_bench.errors import ConfigError, ConfigErrors
from molt_bench.files import text_of
from molt_bench.visible_text import shown

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
    _check_plain(values, "")
    findings, config = Findings(), None
    try:
        config = BenchmarkConfig.model_validate(values, context=findings)
    except ValidationError as error:
        findings.take("", error)
    # What is missing may be there under a wrong name.
    misnamed = {each["loc"][:-1] for each in findings.details if each["type"] == "extra_forbidden"}
    problems: dict[tuple[str, str], ConfigError] = {}
    for each in findings.details:
        if each["type"] != "missing" or each["loc"][:-1] not in misnamed:
            problem = _readable(each, values)
            problems.setdefault((problem.field, shown(problem.value)), problem)
    if problems or config is None:
        raise ConfigErrors([*problems.values()], config)
    return config


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


#: What pydantic's kinds of errors mean to a user.
_EXPECTED: Final = {
    "too_short": "at least {min_length} of them",
    "too_long": "at most {max_length} of them",
    "model_type": "a section with fields of its own",
    "model_attributes_type": "a section with fields of its own",
    "tuple_type": "a list",
    "missing": "a value, since it has no default",
}


def _readable(problem: Any, values: dict[str, Any]) -> ConfigError:
    path, kind, value = [str(part) for part in problem["loc"]], problem["type"], problem["input"]
    where = [*path]
    if len(where) > 1 and where[-1] in ("int", "str"):  # pydantic appends the member of the union
        where.pop()
    context = problem.get("ctx", {})
    if kind == "ours":
        where += [context["field"]] if context["field"] else []
        expected = context["expected"]
    elif kind == "extra_forbidden":
        elsewhere = "" if path[0] == "participants" else _place_of(where[-1])
        near = f"another field; did you mean {elsewhere!r}?" if elsewhere else ""
        expected = near or another_field(where[-1], _section_at(path[:-1], values))
    elif kind in _EXPECTED:
        expected = _EXPECTED[kind].format_map(context)
    else:
        message = re.sub(r"^(Input should (be )?|String should have )", "", problem["msg"])
        expected = message[0].lower() + message[1:]
    return ConfigError(".".join(where) or "config", value, expected)


def _section_at(path: list[str], values: dict[str, Any]) -> type[BaseModel]:
    """Return the section at a path; that of a participant depends on its type."""
    model: Any = BenchmarkConfig
    for part in path:
        if part.isdigit():
            named = values["participants"][int(part)] if model is ParticipantConfig else None
            model = section_of(kind_of(named["type"])) if isinstance(named, dict) and "type" in named else model
            continue
        for name, field in model.model_fields.items():
            if part in (name, field.alias):
                model = next(iter(_models_in(field.annotation)), model)
                break
    section: type[BaseModel] = model
    return section


@cache
def field_paths() -> tuple[str, ...]:
    """Return the path of every field that `--set` takes; participants count from 0."""
    return tuple(dict.fromkeys(_paths_below(BenchmarkConfig, "")))


def _place_of(name: str) -> str:
    """Return the path of a field that has exactly this name, in some section; "" if there is none."""
    paths = [path for path in field_paths() if path.endswith(f".{to_camel(name)}")]
    return next((path for path in paths if not path.startswith("participants.")), "")


def _paths_below(section: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in section.model_fields.items():
        path = f"{prefix}{field.alias or name}"
        kinds = get_args(field.annotation)
        below = [] if get_origin(field.annotation) is dict else _models_in(field.annotation)
        if not below or type(None) in kinds:
            yield path
        for model in sections() if ParticipantConfig in below else below:
            yield from _paths_below(model, f"{path}.0." if get_origin(field.annotation) is tuple else f"{path}.")


def _models_in(annotation: Any) -> list[Any]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in _models_in(part)]
