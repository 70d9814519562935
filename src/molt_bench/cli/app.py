"""The program `molt-bench`: its list of commands, how it starts and how it ends."""

import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from types import FrameType
from typing import Annotated, Final

import typer

from molt_bench._version import __version__
from molt_bench.cli.completion import words_to_complete
from molt_bench.cli.parser import WRONG_USAGE, Command, NoColor, Program, flat, parts_of, usage_line
from molt_bench.cli.streams import output_problem, prepare_streams, tolerate_closed_pipe, turn_color_off
from molt_bench.errors import MoltBenchError, on_one_line

#: Each command and the first line of its help; the function of that name is in the file of that name.
COMMANDS: Final = {
    "run": "Run a benchmark (the default command).",
    "init": "Write a commented config to start with, from four questions or as many flags.",
    "resume": "Resume an interrupted run, or extend a finished one with a new limit, on the same decks.",
    "serve": "Play a benchmark with agents that connect by themselves: invite them, play, tell them the end.",
    "join": "Play with an agent at a live server, on this machine or another, until its run is over.",
    "report": "Rebuild a run's files from its journal and print the table, or write a page or figures instead.",
    "view": "View runs in the browser, live or finished: results, confidence, every hand from both sides.",
    "publish": "Write runs as a static site for any web host, with all pages, the runs' files and their hashes.",
    "verify": "Replay every game of a run, check that it is identical and that every file follows from it.",
    "replay": "Rerun a whole benchmark from its records, calling no model, and compare every file.",
    "grade": "Grade every decision of a run by the values of the reference bot, and write grades.json.",
    "validate": "Check a config without running it, and name the API keys that a run will need.",
    "plan": "Estimate what a config will take in hands, calls, dollars and hours before you spend anything.",
    "compare": "Test whether a new run is better or worse than an old one, on the same cards where possible.",
    "schema": "Print the JSON Schema of the config, for editors.",
    "agents": "List the agents that a config can name.",
    "check": "Check whether an agent is fit to play: faults, speed, repeatability; status 1 if it is not.",
    "play": "Play against an agent yourself, in the terminal.",
    "export": "Export a run's hands for trackers, spreadsheets and data frames, its tables, or what models were asked.",
}


_EXAMPLES: Final = """Examples:
  molt-bench
  molt-bench --participants tag,tight,random --hands 100
  molt-bench --config bench.yaml --quiet"""
#: Flags of the program that may precede a command, or the flags of the default command.
_BEFORE_A_COMMAND: Final = ("--debug", "--no-color")
#: Flags of the program that need no command.
_WITHOUT_A_COMMAND: Final = ("--help", "-h", "--version", "--install-completion", "--show-completion")


def main() -> None:
    """Run the program; a user's mistake is one line and exit status 1, or the status of the error."""
    output = prepare_streams()
    signal.signal(signal.SIGTERM, _terminate)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # nohup keeps it ignored
        signal.signal(signal.SIGHUP, _terminate)
    arguments = with_command(sys.argv[1:])
    if "--no-color" in arguments:
        turn_color_off()
    status = _run_command(arguments)
    problem = output_problem(output)
    if problem is not None and not status:
        _say(problem)
        status = 1
    sys.exit(status)


def with_command(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the default command, if they name none."""
    at = next((at for at, word in enumerate(arguments) if word not in _BEFORE_A_COMMAND), len(arguments))
    first = arguments[at] if at < len(arguments) else "-"
    default = first.startswith("-") and first not in _WITHOUT_A_COMMAND
    return [*arguments[:at], *(["run"] if default else []), *arguments[at:]]


def _terminate(_: int, frame: FrameType | None) -> None:
    """End as on Ctrl-C, so that what was played is reported and nothing is left running."""
    interrupt = signal.getsignal(signal.SIGINT)
    if not callable(interrupt):  # Ctrl-C is ignored, as in a script's background job
        raise KeyboardInterrupt
    interrupt(signal.SIGINT, frame)


def _run_command(arguments: Sequence[str]) -> str | int | None:
    """Run a command and return its exit status; an error that nothing else handled is printed as one line."""
    words = words_to_complete(with_command) or arguments
    called = next((word for word in words if not word.startswith("-")), None)
    status: str | int | None = 0
    try:
        with tolerate_closed_pipe():
            status = app_for(called)(arguments, standalone_mode=False)
    except SystemExit as end:
        return end.code
    except WRONG_USAGE as error:
        _say(usage_line(error))
        return 2
    except (MoltBenchError, OSError) as error:
        if "--debug" in arguments:
            raise
        for problem in getattr(error, "problems", (error,)):
            _say(str(problem))
        return error.status if isinstance(error, MoltBenchError) else 1
    return status or 0


def _say(problem: str) -> None:
    """Print what is wrong as one line of standard error that controls no terminal."""
    print(f"molt-bench: {on_one_line(' '.join(problem.split()))}", file=sys.stderr)


def app_for(called: str | None) -> typer.Typer:
    """Return the app; for a fast start it imports the called command alone, and of the others has only the help."""
    app = typer.Typer(
        cls=Program, pretty_exceptions_enable=False, context_settings={"help_option_names": ["--help", "-h"]}
    )
    app.callback(epilog=_EXAMPLES)(_global_options)
    for name, summary in COMMANDS.items():
        if name == called:
            command = getattr(import_module(f"molt_bench.cli.{name}"), name)
            app.command(name, cls=Command, epilog=parts_of(command)[1])(flat(command))
        else:
            app.command(name, cls=Command, help=summary)(_not_called)
    return app


def _not_called() -> None:
    """Stand in for a command that is only listed."""


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - typer passes it by position
    if wanted:
        print(f"molt-bench {__version__}")
        raise typer.Exit


def _global_options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", metavar="", help="Show the version and exit.", callback=_show_version, is_eager=True),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", metavar="", help="Show a traceback when something fails.")] = False,
    no_color: NoColor = False,
) -> None:
    """Which agent plays better heads-up no-limit hold'em, and how sure are we?"""
