"""Parses config text into plain values: YAML or JSON, within limits and without duplicate keys.

Text that parsers interpret differently is refused, with the line: duplicate keys, aliases that refer back to
themselves, numbers that are not plain decimal ones (`010`, `0x10`, `1_000`, `1:40:00`), and yes, no, on and off,
which are words in `sandbox` alone. So is text that would not fit in memory once its aliases are expanded.
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
_TOO_MANY: Final = f"at most {MOST_VALUES:,} values, aliases spelt out"
# The closing quote is optional, so that any text is scanned in a single pass.
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[][{}:]', re.DOTALL)
#: A number as everybody reads it; an int without leading zeros, so that it is no octal one.
_DECIMAL: Final = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_TEXT: Final = "tag:yaml.org,2002:str"
#: Text without quotes that other parsers take for a number: 08 is a text here, 8 to most, and 010 is 8 to some.
_OCTAL: Final = re.compile(r"[-+]?0(?:o[0-7_]+|[0-9_]+)")


class SyntaxProblem(Exception):  # noqa: N818 - it becomes a ConfigError once the file name is known
    """Text that cannot be parsed; the message says what was expected, or where it is wrong."""


def from_json(text: str) -> Any:
    """Parse JSON; raises SyntaxProblem if it is not JSON, has a duplicate key, or is too deep or too large."""
    twice = _key_twice(text)
    try:
        found = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise SyntaxProblem(f"JSON (line {error.lineno}: {error.msg})") from error
    except ValueError as error:
        raise SyntaxProblem("JSON (an int of more than 4,000 digits)") from error
    if twice is not None:
        raise SyntaxProblem(f"JSON with every key once (line {twice[1]}: {shown(twice[0])} appears twice)")
    return found


def _no_number(name: str) -> NoReturn:
    raise SyntaxProblem(f"JSON ({name} is not a JSON number)")


def _key_twice(text: str) -> tuple[str, int] | None:
    """Return the first duplicate key within an object, and its line; also enforce the limits on depth and size.

    Open objects are kept in an explicit list: a recursive parser would overflow the stack.
    """
    open_keys: list[set[str] | None] = []
    last, found = "", None
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "{[":
            open_keys.append(set() if sign == "{" else None)
            if len(open_keys) > DEEPEST:
                raise SyntaxProblem(TOO_DEEP)
        elif sign in "}]":
            if open_keys:
                open_keys.pop()
        elif sign == ":":
            keys = open_keys[-1] if open_keys else None
            if keys is not None:
                name = _spelt_out(last)
                if name in keys and found is None:
                    found = name, text.count("\n", 0, token.start()) + 1
                keys.add(name)
        else:
            last = sign
    if text.count(",") + text.count(":") > 2 * MOST_VALUES:
        raise SyntaxProblem(_TOO_MANY)
    return found


def _spelt_out(key: str) -> str:
    r"""Return a key with its escapes decoded, so that "a" and "\u0061" are equal."""
    try:
        return str(json.loads(key))
    except ValueError:
        return key


def from_yaml(text: str) -> Any:
    """Parse YAML, limited to the types that JSON has, and dates, which no field accepts.

    Raises SyntaxProblem if it is not YAML, has a duplicate key, or is too deep or too large.
    """
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _measured(node, {})
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error).partition("\n")[0]
        raise SyntaxProblem(f"YAML ({where}{problem})") from error


def is_word(key: object, text: str) -> bool:
    """Return whether a value is a word for a field, though other versions of YAML read it as true or false."""
    return key == "sandbox" and text.strip().lower() in ("on", "off")


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, with limits on depth and size, and every key once."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._values = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose a node with everything in it."""
        self._depth += 1
        self._values += 1
        if self._depth > DEEPEST:
            raise SyntaxProblem(TOO_DEEP)
        if self._values > 2 * MOST_VALUES:  # keys are nodes as well
            raise SyntaxProblem(_TOO_MANY)
        node: yaml.Node | None = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Compose a mapping; its keys are texts, numbers or the like, and each appears once."""
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        seen: set[tuple[str, str]] = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if isinstance(value, yaml.ScalarNode) and is_word(key.value, value.value):
                value.tag, value.value = _TEXT, value.value.lower()
            if not isinstance(key, yaml.ScalarNode):
                raise SyntaxProblem(f"YAML (line {line}: a key has to be a text)")
            if (key.tag, key.value) in seen:
                raise SyntaxProblem(f"YAML with every key once (line {line}: {shown(key.value)} appears twice)")
            seen.add((key.tag, key.value))
        return node

    def construct_object(self, node: Any, deep: bool = False) -> Any:  # noqa: FBT001, FBT002 - PyYAML's signature
        """Return a value; one that Python cannot construct, or others read differently, is an error."""
        _check_scalar(node)
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, OverflowError) as error:
            said = "an int of more than 4,000 digits" if "digits" in str(error) else str(error)
            raise SyntaxProblem(f"YAML (line {node.start_mark.line + 1}: {said})") from error


def _check_scalar(node: yaml.Node) -> None:
    """Refuse a number that is not plainly decimal, and a word that is a truth value in some versions of YAML alone."""
    kind = node.tag.rpartition(":")[2]
    if not isinstance(node, yaml.ScalarNode) or kind not in ("int", "float", "bool", "str"):
        return
    if kind == "str" and (node.style is not None or not _OCTAL.fullmatch(node.value)):
        return
    if kind == "bool":
        fine, instead = node.value.lower() in ("true", "false"), "true or false"
    else:
        fine, instead = _DECIMAL.fullmatch(node.value) is not None, "a decimal number without leading zeros"
    if not fine:
        expected = f"{shown(node.value)} is read in more than one way: write {instead}, or put a text in quotes"
        raise SyntaxProblem(f"YAML (line {node.start_mark.line + 1}: {expected})")


def _measured(node: yaml.Node, known: dict[int, tuple[int, int] | None]) -> tuple[int, int]:
    """Return how many values a node has once aliases are expanded, and its depth."""
    if id(node) in known:
        found = known[id(node)]
        if found is None:
            raise SyntaxProblem(f"YAML (line {node.start_mark.line + 1}: this value contains itself)")
        return found
    known[id(node)] = None
    below = node.value if isinstance(node, yaml.CollectionNode) else []
    parts = [_measured(each[1] if isinstance(node, yaml.MappingNode) else each, known) for each in below]
    values = 1 + sum(count for count, _ in parts)
    depth = 1 + max((deep for _, deep in parts), default=0)
    if values > MOST_VALUES:
        raise SyntaxProblem(_TOO_MANY)
    if depth > DEEPEST:
        raise SyntaxProblem(TOO_DEEP)
    known[id(node)] = values, depth
    return values, depth
