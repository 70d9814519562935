"""Bugs put into our own functions, to see who is blamed for them."""

import importlib
import inspect
import pkgutil
from collections import Counter
from contextlib import contextmanager
from types import FunctionType, ModuleType

import pytest

from molt_bench.llm import gateway  # noqa: F401 - loaded before anything is walked
from molt_bench.play import play_games

#: How often each function was called while a game was under way, and while none was; which of these calls raises.
CALLS: Counter[tuple[str, bool]] = Counter()
WANTED: list[tuple[str, bool, int]] = []
#: Functions as they were.
ORIGINALS: dict[str, FunctionType] = {}
#: Games that have begun, and whose agents are not being closed yet.
UNDER_WAY: list[str] = []
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
    in_game = bool(UNDER_WAY)
    CALLS[name, in_game] += 1
    return (name, in_game, CALLS[name, in_game]) in WANTED


@contextmanager
def games_noticed():
    """Keep `UNDER_WAY` while games are played."""
    drive, close = play_games._drive_on, play_games.close_agents_async

    async def driven(*args, **kwargs):
        UNDER_WAY.append("a game")
        try:
            return await drive(*args, **kwargs)
        finally:
            UNDER_WAY.clear()

    async def closed(*args, **kwargs):
        UNDER_WAY.clear()
        await close(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(play_games, "_drive_on", driven)
        patch.setattr(play_games, "close_agents_async", closed)
        yield


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
        with games_noticed():
            yield
    finally:
        for name, function in functions.items():
            function.__code__, function.__defaults__, function.__kwdefaults__ = before[name]
        ORIGINALS.clear()
        WANTED.clear()
