"""What a file of Python code defines, seen in its text: nothing of it is run."""

import ast
from collections.abc import Iterator
from typing import Final

from molt_bench.errors import ConfigError
from molt_bench.files import text_of

_MOST_BYTES: Final = 1_000_000


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
