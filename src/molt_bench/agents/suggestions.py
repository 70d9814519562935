"""Suggestions for a type that names no agent: an agent in one of the user's files, or a program. Nothing is run."""

import ast
import os
import shlex
import shutil
from collections.abc import Iterator
from typing import Final

from molt_bench.errors import ConfigError, MoltBenchError, did_you_mean
from molt_bench.files import text_of

_MOST_BYTES: Final = 1_000_000
#: What runs a script, by the end of its name.
_INTERPRETERS: Final = {
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".rb": "ruby",
    ".sh": "sh",
    ".pl": "perl",
    ".lua": "lua",
    ".jar": "java -jar",
}


def meant_by(participant_type: str) -> str:
    """Return what to expect in place of a type that is a file or a command; "" if it looks like neither."""
    if participant_type.endswith(".py") and " " not in participant_type:
        return _file_meant(participant_type)
    program = _program_meant(participant_type)
    return f"exec: before a program; did you mean {program!r}?" if program else ""


def near_name(path: str, name: str) -> str:
    """Return the end of a message that suggests an agent in a file of Python, in place of a name that it lacks."""
    try:
        found = agents_in(path)
    except MoltBenchError:
        return ""
    return did_you_mean(name, found) or (f"; it has {', '.join(found[:5])}" if found else "")


def _file_meant(path: str) -> str:
    if not os.path.isfile(path):
        return f"a file that is there, and the name of an agent in it: {path}:NAME"
    try:
        found = agents_in(path)
    except ConfigError as error:
        return f"{path}:NAME, and a file that Python can read ({error.expected})"
    if not found:
        return f"{path}:NAME, the name of a class with act(observation), or of a function that returns an agent"
    others = f" (or {', '.join(found[1:4])})" if found[1:] else ""
    return f"{path}:NAME; did you mean '{path}:{found[0]}'?{others}"


def _program_meant(text: str) -> str:
    """Return a type that starts a program, where a text names one."""
    try:
        first, *arguments = shlex.split(text)
    except ValueError:  # an open quote, or nothing at all
        return ""
    interpreter = _INTERPRETERS.get(os.path.splitext(first)[1])
    if interpreter and os.path.isfile(first) and not os.access(first, os.X_OK):
        return f"exec:{interpreter} {text}"
    by_path = "/" in first and (first.startswith((".", "/")) or os.path.isfile(first))
    on_path = bool(arguments) and (shutil.which(first) is not None or any(map(os.path.isfile, arguments)))
    if by_path or on_path:
        return f"exec:{text}"
    return f"exec:./{text}" if os.path.isfile(first) else ""


def agents_in(path: str) -> list[str]:
    """Return the names in a file of Python that look like agents, by reading it: classes that act, then factories.

    Raises ConfigError if it cannot be read, or is not Python.
    """
    text = text_of(path, field="type", most_bytes=_MOST_BYTES)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise ConfigError("type", path, f"Python (line {line}: {getattr(error, 'msg', error)})") from error
    classes: dict[str, ast.ClassDef] = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    acting = [name for name in classes if _acts(name, classes, ())]
    bases = {base.id for node in classes.values() for base in node.bases if isinstance(base, ast.Name)}
    ready = sorted((name for name in acting if not _needs_more(classes[name])), key=lambda name: name in bases)
    makers = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not _required(node.args) and {*_returned(node)} & {*acting}
    ]
    return [name for name in (*ready, *makers) if not name.startswith("_")]


def _acts(name: str, classes: dict[str, ast.ClassDef], seen: tuple[str, ...]) -> bool:
    """Return whether a class has `act`, or inherits it from another one in the file."""
    if name in seen or name not in classes:
        return False
    own = [node.name for node in classes[name].body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    bases = [base.id for base in classes[name].bases if isinstance(base, ast.Name)]
    return "act" in own or any(_acts(base, classes, (*seen, name)) for base in bases)


def _needs_more(node: ast.ClassDef) -> bool:
    """Return whether a class cannot be called without arguments."""
    inits = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
    return bool(inits) and _required(inits[0].args) > 1


def _required(arguments: ast.arguments) -> int:
    """Return how many arguments have no default, the object itself included."""
    positional = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return positional + sum(default is None for default in arguments.kw_defaults)


def _returned(node: ast.FunctionDef) -> Iterator[str]:
    """Return the names of what a function calls and returns."""
    for each in ast.walk(node):
        call = each.value if isinstance(each, ast.Return) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            yield call.func.id
