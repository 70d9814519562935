"""Bugs put into our own functions, to see who is blamed for them."""

import importlib
import inspect
import pkgutil
from collections import Counter
from contextlib import contextmanager
from types import FunctionType, ModuleType

from molt_bench.llm import gateway  # noqa: F401 - loaded before anything is walked

#: How often each function was called, and the function and the call that raise; functions as they were.
CALLS: Counter[str] = Counter()
WANTED: list[tuple[str, int]] = []
ORIGINALS: dict[str, FunctionType] = {}
#: What raises inside the function itself, as a bug would, and otherwise does what the function did.
_SOURCE = """
def trapped(*args, **kwargs):
    import sys
    here = sys.modules["tests.agents.injection"]
    if here.due({name!r}):
        raise TypeError("a bug that was put here: {name}")
    return here.ORIGINALS[{name!r}](*args, **kwargs)
"""


def due(name: str) -> bool:
    """Count a call, and return whether it is the one that fails."""
    CALLS[name] += 1
    return (name, CALLS[name]) in WANTED


def modules_in(*packages: str) -> list[ModuleType]:
    """Return modules, and all that are in them, at any depth, if they are packages."""
    found = []
    for package in packages:
        module = importlib.import_module(package)
        names = [each.name for each in pkgutil.walk_packages(getattr(module, "__path__", []), f"{package}.")]
        found += [module, *map(importlib.import_module, names)]
    return found


def functions_in(modules: list[ModuleType]) -> dict[str, FunctionType]:
    """Return every function and method that is written in modules, by its name; not those that need a closure."""
    found = {}
    for module in modules:
        for owner in (module, *[each for each in vars(module).values() if inspect.isclass(each)]):
            if owner.__name__ != module.__name__ and owner.__module__ != module.__name__:
                continue
            for value in vars(owner).values():
                inner = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
                inner = inspect.unwrap(inner) if callable(inner) else inner
                ours = isinstance(inner, FunctionType) and inner.__code__.co_filename == module.__file__
                if ours and not inner.__code__.co_freevars:
                    found[f"{module.__name__}.{inner.__qualname__}"] = inner
    return found


@contextmanager
def traps(functions: dict[str, FunctionType]):
    """Count the calls of functions, and let those fail that are in `WANTED`."""
    before = {}
    CALLS.clear()
    for name, function in functions.items():
        before[name] = function.__code__, function.__defaults__, function.__kwdefaults__
        copy = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
        copy.__kwdefaults__ = function.__kwdefaults__
        ORIGINALS[name] = copy
        space: dict[str, FunctionType] = {}
        exec(compile(_SOURCE.format(name=name), function.__code__.co_filename, "exec"), space)
        function.__defaults__ = function.__kwdefaults__ = None
        function.__code__ = space["trapped"].__code__
    try:
        yield
    finally:
        for name, function in functions.items():
            function.__code__, function.__defaults__, function.__kwdefaults__ = before[name]
        ORIGINALS.clear()
        WANTED.clear()
