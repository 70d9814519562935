"""The groups of entry points that plug-ins register in, and what is found there.

Ours are registered in our own `pyproject.toml`. One that cannot be loaded is a warning, and the program goes on without
it. With the environment variable MOLT_BENCH_NO_PLUGINS, or the flag `--no-plugins` that sets it, there is nothing but
the core.
"""

import os
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final, TypeAlias

#: The environment variable that leaves all plug-ins out.
NO_PLUGINS: Final = "MOLT_BENCH_NO_PLUGINS"
#: Agents by name: each entry point is a `Kind`, or a class or function that makes an agent from the params it takes.
AGENTS: Final = "molt_bench.agents"
#: Terms of luck: each entry point is called without arguments for every run, and returns a `Luck`.
LUCK: Final = "molt_bench.luck"
#: Commands of the program: each entry point is a `LazyCommand`, or a command of click.
COMMANDS: Final = "molt_bench.commands"
#: Formats of `molt-bench export`: each entry point is an `Export` class.
EXPORTS: Final = "molt_bench.exports"
#: Where games run, by what `--executor` takes: each entry point makes `Workers`.
EXECUTORS: Final = "molt_bench.executors"
#: What it takes without plug-ins.
CORE_EXECUTORS: Final = ("auto", "inline", "async", "processes")
#: Who is told how a run goes: each entry point is a `RunObserver` class, called without arguments for every run.
OBSERVERS: Final = "molt_bench.observers"
#: Files in the folder of a run, by their names: each entry point is a function of a
#: `runs.run.Run` and its `report.rows.Rows`, which returns whether the file is what the games give.
FILES: Final = "molt_bench.files"
#: Sections of the viewer's pages: each entry point is a `Section` class.
PAGES: Final = "molt_bench.pages"

_OURS: Final = "molt-bench"
_OUR_PLUGINS: Final = "molt_bench.plugins."
#: The entry points of a group, by name.
Points: TypeAlias = Mapping[str, metadata.EntryPoint]


def none_wanted() -> bool:
    """Return whether --no-plugins, or the variable that it sets, leaves all plug-ins out."""
    return os.environ.get(NO_PLUGINS, "") not in ("", "0")


@cache
def points(group: str) -> Points:
    """Return what installed packages register in a group, by name; ours come first, then the others by their names."""
    installed = [point for point in metadata.entry_points(group=group) if not _is_here(point)]
    found = {point.name: point for point in sorted(installed, key=is_ours)}
    if none_wanted():
        found = {name: each for name, each in found.items() if is_ours(each) and not _is_plugin(each)}
    return dict(sorted(found.items(), key=lambda item: (not is_ours(item[1]), item[0])))


def package_of(point: metadata.EntryPoint) -> str:
    """Return the name of the distribution that an entry point came from; "?" if its metadata does not tell."""
    return _name_of(point.dist) if point.dist is not None else "?"


@cache
def _name_of(package: metadata.Distribution) -> str:
    """Return the name of a distribution; it takes a millisecond or two to read."""
    return str(package.name)


def is_ours(point: metadata.EntryPoint) -> bool:
    """Return whether an entry point is one of molt-bench itself."""
    return package_of(point) == _OURS


def _is_here(point: metadata.EntryPoint) -> bool:
    """Return whether a package lies in the current folder: `python -m` finds it there, but it is not installed."""
    return point.dist is not None and Path(str(point.dist.locate_file(""))).resolve() == Path.cwd()


def _is_plugin(point: metadata.EntryPoint) -> bool:
    return point.value.startswith(_OUR_PLUGINS)


def loaded(group: str, then: str = ", so the run goes on without it") -> tuple[dict[str, Any], list[str]]:
    """Return what the entry points of a group are, by name, and a warning for each that cannot be loaded.

    A warning says what follows from it.
    """
    found, problems = {}, []
    for name, point in points(group).items():
        try:
            found[name] = point.load()
        except Exception as error:  # foreign code: importing it may raise anything
            problems.append(broken(point, error, then))
    return found, problems


def broken(point: metadata.EntryPoint, error: Exception, then: str = "") -> str:
    """Return what is said of a plug-in that cannot be loaded or made, and of what follows from it."""
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return f"the plug-in {point.name} of {package_of(point)} cannot be used{then}: {said}"
