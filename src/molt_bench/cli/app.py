"""The program `molt-bench`: its list of commands, how it starts and how it ends."""

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import takewhile
from types import FrameType
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from molt_bench.cli import handle
from molt_bench.cli.parser import Command, usage_line
from molt_bench.cli.streams import notice, output_problem, prepare_streams, warn
from molt_bench.cli.versions import about_this_machine
from molt_bench.entry_points import COMMANDS as PLUGINS
from molt_bench.entry_points import NO_PLUGINS, broken, loaded, points
from molt_bench.errors import MoltBenchError
from molt_bench.extras import how_to_install
from molt_bench.plugin import LazyCommand
from molt_bench.suggestions import did_you_mean
from molt_bench.visible_text import shown

#: Each command and the first line of its help; the command of that name is in the file of that name.
_GROUPS: Final = {
    "Play": {
        "run": "Run a benchmark (the default command).",
        "resume": "Resume an interrupted run, or extend a finished one with a new limit, on the same decks.",
    },
    "Prepare": {
        "init": "Write a commented config that runs as it is.",
        "plan": "Estimate what a config will take in hands, calls, dollars and hours before you spend anything.",
        "check": "Check whether an agent is fit to play: faults, speed, repeatability; status 1 if it is not.",
        "doctor": "Show what is installed and who can play, or check a config and the keys that it needs.",
    },
    "Read results": {
        "report": "Rebuild a run's files from its journal and print the table.",
        "compare": "Test whether a new run is better or worse than an old one, on the same cards where possible.",
        "gate": "Test whether a new version of an agent is worse than the old one, in as few hands as it takes.",
        "export": "Export the hands of a run, records for hubs, its pages as one file, or runs as a site.",
    },
    "Check results": {
        "verify": "Replay every game of a run, and check that all its files follow from the games.",
    },
}
COMMANDS: Final = {name: summary for group in _GROUPS.values() for name, summary in group.items()}
_DEFAULT: Final = "run"
#: Flags of the program that may precede a command, or the flags of the default command.
_BEFORE_A_COMMAND: Final = ("--debug", "--no-color", "--no-plugins")
#: Flags of the program that need no command.
_WITHOUT_A_COMMAND: Final = ("--help", "-h", "--version")


class Program(Command, click.Group):
    """The program: imports a command when it is called, so that it starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands; nothing of plug-ins is loaded."""
        return [*COMMANDS, *points(PLUGINS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, if there is one."""
        if cmd_name not in COMMANDS:
            return _of_plugin(cmd_name) if cmd_name in points(PLUGINS) else None
        found: click.Command = getattr(import_module(f"molt_bench.cli.{cmd_name}"), cmd_name)
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the program's own flags; the default command follows them if none is named."""
        if "--no-plugins" in takewhile(lambda word: word.startswith("-"), args):
            os.environ[NO_PLUGINS] = "1"  # in the processes that this one starts as well
        # A shell that completes the first word may want a command.
        first_word = ctx.resilient_parsing and {*args} <= {*_BEFORE_A_COMMAND}
        return super().parse_args(ctx, args if first_word else with_command(args))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called; an unknown one is wrong usage, with a suggestion."""
        word = args[0]
        if self.get_command(ctx, word) is None and not ctx.resilient_parsing:
            list_ = f"; did you mean '--participants {word}'?"
            ctx.fail(f"no such command {word!r}{list_ if ',' in word else did_you_mean(word, self.list_commands(ctx))}")
        found = super().resolve_command(ctx, args)
        # All modules are loaded: from now on, signals interrupt the command, so that what was played is kept.
        handle({"SIGINT": signal.default_int_handler, "SIGTERM": _terminate, "SIGHUP": _terminate})
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by what they are for."""
        groups = {heading: [*commands.items()] for heading, commands in _GROUPS.items()}
        for name, command in _listed().items():
            groups.setdefault(command.heading, []).append((name, command.summary))
        for heading, lines in groups.items():
            with formatter.section(heading):
                formatter.write_dl(lines)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Return how a word can go on, as a command or as a flag of the program; no command is loaded."""
        told = COMMANDS | {name: command.summary for name, command in _listed().items()}
        found = [CompletionItem(name, help=about) for name, about in told.items() if name.startswith(incomplete)]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that is called; Ctrl-C ends it with the status that shells give it."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(130)


@cache
def _listed() -> Mapping[str, LazyCommand]:
    """Return what the list of commands says of those of plug-ins; one that cannot be loaded is a warning."""
    found, problems = loaded(PLUGINS, ", so there is no such command")
    for problem in problems:
        warn(problem)
    return {
        name: each if isinstance(each, LazyCommand) else LazyCommand(each.get_short_help_str(limit=100), "")
        for name, each in found.items()
    }


def _of_plugin(name: str) -> click.Command:
    """Return a command of a plug-in. Raises MoltBenchError if it cannot be loaded."""
    point = points(PLUGINS)[name]
    about = LazyCommand("", "")
    try:
        found = point.load()
        if isinstance(found, LazyCommand):
            about = found
            module, _, attribute = found.command.partition(":")
            found = getattr(import_module(module), attribute)
        if isinstance(found, (click.Group, Command)):
            return found
        ours = import_module("molt_bench.cli.their_commands")
        made: click.Command = (ours.hosting_command if about.hosts else ours.TheirCommand)(found)
    except Exception as error:  # foreign code: loading it may raise anything
        if isinstance(error, ModuleNotFoundError) and about.extra:
            said = f"{name} needs {error.name}, which is not installed: {how_to_install(about.extra)}"
            raise MoltBenchError(said) from error
        raise MoltBenchError(broken(point, error)) from error
    return made


def _show_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - as click passes it
    if wanted and not ctx.resilient_parsing:
        print(about_this_machine())
        ctx.exit()


@click.command(cls=Program)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@click.option("--debug", is_flag=True, help="Show a traceback when something fails.")
@click.option("--no-plugins", is_flag=True, expose_value=False, help="Start without plug-ins.")
def program(debug: bool) -> None:  # noqa: FBT001 - as click passes it
    """Which agent plays better heads-up no-limit hold'em, and how sure are we?

    Examples:
      molt-bench
      molt-bench --participants tag,tight,random --hands 100
      molt-bench --config bench.yaml --quiet
    """


def with_command(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the default command, if they name none, or begin with the file of a config."""
    at = next((at for at, word in enumerate(arguments) if word not in _BEFORE_A_COMMAND), len(arguments))
    first = arguments[at] if at < len(arguments) else "-"
    flag = first.startswith("-") and first not in _WITHOUT_A_COMMAND
    is_command = first in COMMANDS or first in points(PLUGINS)
    file = first.endswith((".yaml", ".yml", ".json")) or (os.path.isfile(first) and not is_command)
    return [*arguments[:at], *([_DEFAULT] if flag or file else []), *arguments[at:]]


def main() -> None:
    """Run the program; a user's mistake is one line and exit status 1, or the status of the error."""
    output = prepare_streams()
    status = _run_command(sys.argv[1:])
    problem = output_problem(output)
    if problem is not None and not status:
        notice(problem)
        status = 1
    sys.exit(status)


def _terminate(_: int, frame: FrameType | None) -> None:
    """End as Ctrl-C does, so that what was played is reported and nothing is left running."""
    interrupt = signal.getsignal(signal.SIGINT)
    if not callable(interrupt):  # Ctrl-C is ignored, as in a script's background job
        raise KeyboardInterrupt
    interrupt(signal.SIGINT, frame)


def _said(error: Exception) -> str:
    """Return an error in words; one of the system without its number."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{shown(error.filename)}: {error.strerror}"
    return str(error)


def _run_command(arguments: list[str]) -> str | int | None:
    """Run a command and return its exit status; an error that nothing else handled is printed as one line."""
    try:
        return program.main(arguments, prog_name="molt-bench", standalone_mode=False) or 0
    except SystemExit as end:
        return end.code
    except click.UsageError as error:
        notice(usage_line(error))
        return 2
    except Exception as error:
        if "--debug" in arguments:
            raise
        if isinstance(error, (MoltBenchError, OSError)):
            for problem in getattr(error, "problems", (error,)):
                notice(_said(problem))
            return error.status if isinstance(error, MoltBenchError) else 1
        # A bug of ours; one in the middle of a run is in the run's own log.
        notice(import_module("molt_bench.cli.bug_report").reported(error))
        return 1
