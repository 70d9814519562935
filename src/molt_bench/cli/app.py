"""The program `molt-bench`: its list of commands, how it starts and how it ends."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import takewhile
from tempfile import NamedTemporaryFile
from types import FrameType
from typing import Any, Final

import click
from click.shell_completion import CompletionItem, get_completion_class

from molt_bench.blame import internal_error
from molt_bench.cli import plugin_commands
from molt_bench.cli.parser import Command, usage_line
from molt_bench.cli.streams import notice, output_problem, prepare_streams, tolerate_closed_pipe
from molt_bench.cli.versions import about_this_machine
from molt_bench.entry_points import NO_PLUGINS
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.extras import how_to_install
from molt_bench.suggestions import did_you_mean
from molt_bench.visible_text import printable, shown

#: Each command and the first line of its help; the command of that name is in the file of that name.
_GROUPS: Final = {
    "Play": {
        "run": "Run a benchmark (the default command).",
        "resume": "Resume an interrupted run, or extend a finished one with a new limit, on the same decks.",
        "serve": "Play a benchmark with agents that connect over the network: invite them, wait, and play.",
        "join": "Play with an agent at a live server, on this machine or another, until its run is over.",
    },
    "Prepare": {
        "init": "Write a commented config that runs as it is.",
        "plan": "Estimate what a config will take in hands, calls, dollars and hours before you spend anything.",
        "check": "Check whether an agent is fit to play: faults, speed, repeatability; status 1 if it is not.",
        "doctor": "Show what is installed and who can play, or what is wrong with a config and which keys it needs.",
    },
    "Read results": {
        "report": "Rebuild a run's files from its journal and print the table.",
        "view": "View runs in the browser, in progress or finished: results, confidence, every hand from both sides.",
        "compare": "Test whether a new run is better or worse than an old one, on the same cards where possible.",
        "gate": "Test whether a new version of an agent is worse than the old one, in as few hands as it takes.",
        "export": "Export a run: its hands for other programs, records for hubs, pages as one file, or runs as a site.",
    },
    "Check results": {
        "verify": "Replay every game of a run, check that it is identical and that every file follows from it.",
    },
}
COMMANDS: Final = {name: summary for group in _GROUPS.values() for name, summary in group.items()}
_DEFAULT: Final = "run"
#: Commands that need an extra, by its name.
_EXTRAS: Final = {"view": "view", "serve": "live"}
#: Flags of the program that may precede a command, or the flags of the default command.
_BEFORE_A_COMMAND: Final = ("--debug", "--no-color", "--no-plugins")
#: Flags of the program that need no command.
_WITHOUT_A_COMMAND: Final = ("--help", "-h", "--version", "--show-completion")


def _meant_by(word: str) -> str:
    """Return the end of a message about a word that is no command: what may have been meant."""
    if "," in word:
        return f"; did you mean '--participants {word}'?"
    return did_you_mean(word, [*COMMANDS, *plugin_commands.names()])


class Program(Command, click.Group):
    """The program: imports a command when it is called, so that it starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return [*COMMANDS, *plugin_commands.names()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, if there is one."""
        if cmd_name not in COMMANDS:
            return plugin_commands.loaded_command(cmd_name)
        try:
            found = getattr(import_module(f"molt_bench.cli.{cmd_name}"), cmd_name)
        except ModuleNotFoundError as error:
            if cmd_name not in _EXTRAS or error.name is None:
                raise
            said = f"{cmd_name} needs {error.name}, which is not installed: {how_to_install(_EXTRAS[cmd_name])}"
            raise MoltBenchError(said) from error
        return found if isinstance(found, click.Command) else None

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
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            ctx.fail(f"no such command {args[0]!r}{_meant_by(args[0])}")
        found = super().resolve_command(ctx, args)
        _take_signals()  # all modules are loaded
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by what they are for."""
        groups = {heading: [*commands.items()] for heading, commands in _GROUPS.items()}
        for name, command in plugin_commands.listed().items():
            groups.setdefault(command.heading, []).append((name, command.summary))
        for heading, lines in groups.items():
            with formatter.section(heading):
                formatter.write_dl(lines)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Return how a word can go on: as a command, as a flag of the program, or as one of the default command."""
        told = COMMANDS | {name: command.summary for name, command in plugin_commands.listed().items()}
        found = [CompletionItem(name, help=about) for name, about in told.items() if name.startswith(incomplete)]
        found += click.Command.shell_complete(self, ctx, incomplete)
        default = self.get_command(ctx, _DEFAULT) if incomplete.startswith("-") else None
        if default is not None:
            context = default.make_context(_DEFAULT, [], parent=ctx, resilient_parsing=True)
            known = {item.value for item in found}
            found += [item for item in default.shell_complete(context, incomplete) if item.value not in known]
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that is called; Ctrl-C ends it with the status that shells give it."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(130)


def _action(name: str, action: Callable[[click.Context], str], about: str) -> Callable[..., Any]:
    """Return a flag that acts and prints what was done, in place of a command."""

    def act(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - as click passes it
        if wanted and not ctx.resilient_parsing:
            print(action(ctx))
            ctx.exit()

    return click.option(name, is_flag=True, is_eager=True, expose_value=False, callback=act, help=about)


def completion_script() -> str:
    """Return the script that lets the user's shell complete words."""
    shell = os.path.basename(os.environ.get("SHELL", ""))
    known: Any = get_completion_class(shell)
    if known is None:
        raise ConfigError("SHELL", shell, "bash, zsh or fish, for which there is completion")
    return str(known(None, {}, "molt-bench", "_MOLT_BENCH_COMPLETE").source()).strip()


@click.command(cls=Program)
@_action("--version", lambda _: about_this_machine(), "Show the version and exit.")
@click.option("--debug", is_flag=True, help="Show a traceback when something fails.")
@click.option("--no-plugins", is_flag=True, expose_value=False, help="Start without plug-ins.")
@_action("--show-completion", lambda _: completion_script(), "Show the script that completes words in your shell.")
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
    file = first.endswith((".yaml", ".yml", ".json")) or (os.path.isfile(first) and not _is_command(first))
    default = flag or file
    return [*arguments[:at], *([_DEFAULT] if default else []), *arguments[at:]]


def _is_command(word: str) -> bool:
    return word in COMMANDS or word in plugin_commands.names()


def main() -> None:
    """Run the program; a user's mistake is one line and exit status 1, or the status of the error."""
    output = prepare_streams()
    status = _run_command(sys.argv[1:])
    problem = output_problem(output)
    if problem is not None and not status:
        notice(problem)
        status = 1
    sys.exit(status)


def _take_signals() -> None:
    """From now on, signals interrupt the command as Ctrl-C does, so that what was played is kept."""
    if signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None):
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
            signal.signal(number, _terminate)


def _terminate(_: int, frame: FrameType | None) -> None:
    """End as on Ctrl-C, so that what was played is reported and nothing is left running."""
    interrupt = signal.getsignal(signal.SIGINT)
    if not callable(interrupt):  # Ctrl-C is ignored, as in a script's background job
        raise KeyboardInterrupt
    interrupt(signal.SIGINT, frame)


def _said(error: MoltBenchError | OSError) -> str:
    """Return an error in words; one of the system without its number."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{shown(error.filename)}: {error.strerror}"
    return str(error)


def _run_command(arguments: list[str]) -> str | int | None:
    """Run a command and return its exit status; an error that nothing else handled is printed as one line."""
    status: str | int | None = 0
    try:
        with tolerate_closed_pipe():
            status = program.main(arguments, prog_name="molt-bench", standalone_mode=False)
    except SystemExit as end:
        return end.code
    except click.UsageError as error:
        notice(usage_line(error))
        return 2
    except (MoltBenchError, OSError) as error:
        if "--debug" in arguments:
            raise
        for problem in getattr(error, "problems", (error,)):
            notice(_said(problem))
        return error.status if isinstance(error, MoltBenchError) else 1
    except Exception as error:  # a bug of ours; one in the middle of a run is in the run's own log
        if "--debug" in arguments:
            raise
        bug = internal_error(error)
        with NamedTemporaryFile("w", prefix="molt-bench-bug-", suffix=".log", delete=False) as log:
            log.write(printable(bug.trace))
        notice(f"{bug}; please report it with {log.name}")
        return 1
    return status or 0
