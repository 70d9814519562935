"""The commands of plug-ins: listed by what they say of themselves, loaded when they are called."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from molt_bench.cli.parser import Command
from molt_bench.cli.streams import print_json, warn
from molt_bench.entry_points import COMMANDS, broken, loaded, points
from molt_bench.errors import MoltBenchError
from molt_bench.plugin import LazyCommand


def names() -> list[str]:
    """Return their names; nothing of them is loaded."""
    return [*points(COMMANDS)]


@cache
def listed() -> Mapping[str, LazyCommand]:
    """Return what the list of commands says of them; one that cannot be loaded is a warning."""
    found, problems = loaded(COMMANDS, ", so there is no such command")
    for problem in problems:
        warn(problem)
    return {name: each if isinstance(each, LazyCommand) else _at_once(each) for name, each in found.items()}


def _at_once(command: click.Command) -> LazyCommand:
    return LazyCommand(command.get_short_help_str(limit=100), "")


def loaded_command(name: str) -> click.Command | None:
    """Return a command, if there is one of that name. Raises MoltBenchError if it cannot be loaded."""
    point = points(COMMANDS).get(name)
    if point is None:
        return None
    try:
        found = point.load()
        if isinstance(found, LazyCommand):
            module, _, attribute = found.command.partition(":")
            found = getattr(import_module(module), attribute)
        return found if isinstance(found, (click.Group, Command)) else _Theirs(found)
    except Exception as error:  # foreign code: loading it may raise anything
        raise MoltBenchError(broken(point, error)) from error


class _RunFolder(click.ParamType[str]):
    """The folder of a run, which a shell completes."""

    name = "text"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """Return folders of runs."""
        from molt_bench.cli.completion import run_folders  # noqa: PLC0415 - it would slow down the list of commands

        return run_folders(ctx, param, incomplete)


class _Theirs(Command):
    """A command of a plug-in, with what ours have: examples, completion, `--no-color`, one object for `--json`."""

    def __init__(self, theirs: click.Command) -> None:
        super().__init__(theirs.name, help=theirs.help, callback=theirs.callback, params=[*theirs.params])
        for param in theirs.params:
            if param.metavar == "RUN":
                param.type = _RunFolder()

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and print what it returns if that is asked for."""
        returned = super().invoke(ctx)
        if not isinstance(returned, Mapping):
            return returned
        if ctx.params.get("as_json"):
            print_json(returned)
        return None
