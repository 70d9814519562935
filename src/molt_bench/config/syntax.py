"""Parses config text into plain values: YAML or JSON, every key once.

Of YAML, a number is a decimal one, and a truth value is true or false, as in JSON. All else without quotes is a text:
`010`, `0x10`, `1:40:00`, `yes` and `on` are read in more than one way, and no number or truth value here.
"""

import json
import re
from typing import Any, Final, NoReturn

import yaml

from molt_bench.visible_text import shown

#: Maximum number of values once all aliases are expanded, and maximum nesting.
MOST_VALUES: Final = 50_000
DEEPEST: Final = 50

TOO_DEEP: Final = f"at most {DEEPEST} levels of sections and lists"
TOO_MANY: Final = f"at most {MOST_VALUES:,} values, aliases spelt out"


class SyntaxProblem(Exception):  # noqa: N818 - it becomes a ConfigError once the file name is known
    """Text that cannot be parsed; the message says what was expected, or where it is wrong."""


def from_json(text: str) -> Any:
    """Parse JSON; raises SyntaxProblem if it is not JSON, or has a duplicate key."""
    try:
        return json.loads(text, object_pairs_hook=_every_key_once, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise SyntaxProblem(f"JSON (line {error.lineno}: {error.msg})") from error
    except ValueError as error:
        raise SyntaxProblem("JSON (an int of more than 4,000 digits)") from error
    except RecursionError as error:
        raise SyntaxProblem(TOO_DEEP) from error


def _every_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise SyntaxProblem(f"JSON with every key once ({shown(key)} appears twice)")
        found[key] = value
    return found


def _no_number(name: str) -> NoReturn:
    raise SyntaxProblem(f"JSON ({name} is not a JSON number)")


def from_yaml(text: str) -> Any:
    """Parse YAML with the types of JSON; raises SyntaxProblem if it is not YAML, or has a duplicate key."""
    try:
        return yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error).partition("\n")[0]
        raise SyntaxProblem(f"YAML ({where}{problem})") from error
    except ValueError as error:
        raise SyntaxProblem("YAML (an int of more than 4,000 digits)") from error
    except RecursionError as error:
        raise SyntaxProblem(TOO_DEEP) from error


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader with the numbers and truth values of JSON, and every key once."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Compose a mapping; its keys are texts, numbers or the like, and each appears once."""
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise SyntaxProblem(f"YAML (line {line}: a key has to be a text)")
            if (key.tag, key.value) in seen:
                raise SyntaxProblem(f"YAML with every key once (line {line}: {shown(key.value)} appears twice)")
            seen.add((key.tag, key.value))
        return node

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Merge what `<<` names, within bounds."""
        super().flatten_mapping(node)
        if len(node.value) > MOST_VALUES:
            raise SyntaxProblem(TOO_MANY)


#: What text without quotes stands for, and the characters that it can begin with.
_PLAIN: Final = {
    "null": (r"null|Null|NULL|~|", ["n", "N", "~", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", [*"tTfF"]),
    "int": (r"[-+]?(0|[1-9][0-9]*)", [*"-+0123456789"]),
    "float": (r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?", [*"-+.0123456789"]),
    "merge": (r"<<", ["<"]),
}
_Loader.yaml_implicit_resolvers = {}
for _name, (_pattern, _first) in _PLAIN.items():
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(f"(?:{_pattern})$"), _first)
