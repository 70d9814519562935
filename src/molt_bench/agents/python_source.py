"""What a file of Python code defines, seen in its text: nothing of it is run."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from molt_bench.agents.code_file import CodeFile
from molt_bench.errors import ConfigError
from molt_bench.files import text_of
from molt_bench.suggestions import did_you_mean

_MOST_BYTES: Final = 1_000_000


def definition_problem(code: CodeFile, name: str, params: Mapping[str, Any]) -> str | None:
    """Return what is expected instead if a file defines no such name at its top level, or one that takes other params.

    What cannot be seen without running the file is not complained of: names that are imported, or made by calls.
    """
    if not code.path.endswith(".py"):
        return None
    try:
        tree = ast.parse(code.content, code.path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"a file of Python that can be read ({type(error).__name__}: {error})"
    first, *inner = name.split(".")
    defined = _defined(tree.body)
    if first not in defined:
        if "*" in defined or "__getattr__" in defined:
            return None
        return f"a name that {code.path} defines{did_you_mean(first, [each for each in defined if each[:1] != '_'])}"
    node = defined[first]
    if inner or node is None:
        return None
    if isinstance(node, ast.Constant):
        return f"a factory, and {name} is a {type(node.value).__name__}"
    return _params_problem(node, name, params)


def _defined(body: Sequence[ast.stmt]) -> dict[str, ast.AST | None]:
    """Return the names that statements define, with what they are where that can be seen."""
    found: dict[str, ast.AST | None] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[node.name] = None if node.decorator_list else node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).partition(".")[0]: None for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
            known = node.value if isinstance(node.value, ast.Constant) else None
            found |= dict.fromkeys(names, known)
        else:
            # Within `if`, `try`, `with` and loops, anything may define a name: more than once, and in different ways.
            names = [
                each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            ]
            inside = [each for each in ast.walk(node) if isinstance(each, ast.stmt) and each is not node]
            blocks = ast.If | ast.Try | ast.With | ast.For | ast.While
            found |= dict.fromkeys([*names, *_defined([each for each in inside if not isinstance(each, blocks)])])
    return found


def _params_problem(node: ast.AST, name: str, params: Mapping[str, Any]) -> str | None:
    """Return what is expected instead if a function, or a class without bases, does not take the params."""
    skipped = 0
    if isinstance(node, ast.ClassDef):
        made = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
        if node.bases or node.keywords or "__new__" in made:
            return None
        own = made.get("__init__")
        if own is None:
            plain = ast.FunctionDef | ast.AsyncFunctionDef | ast.Expr | ast.Pass
            if not params or not all(isinstance(each, plain) for each in node.body):
                return None  # a class body may define it in another way
            return f"no params, since {name} takes none"
        node, skipped = own, 1
    if not isinstance(node, ast.FunctionDef) or (skipped and node.decorator_list):
        return None
    takes = node.args
    positional = [each.arg for each in (*takes.posonlyargs, *takes.args)][skipped:]
    keywords = [each.arg for each in takes.kwonlyargs]
    by_name = [each for each in (*positional, *keywords) if each not in {one.arg for one in takes.posonlyargs}]
    unknown = next((each for each in params if each not in by_name), None)
    if unknown is not None and takes.kwarg is None:
        return f"params that {name} takes, and {unknown!r} is none{did_you_mean(unknown, by_name)}"
    needed = positional[: len(positional) - len(takes.defaults)] if takes.defaults else positional
    needed = [*needed, *(each for each, default in zip(keywords, takes.kw_defaults, strict=True) if default is None)]
    missing = next((each for each in needed if each not in params), None)
    return None if missing is None else f"the param {missing!r}, which {name} needs"


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
