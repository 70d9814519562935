"""The program `molt-bench`: its list of commands, how it starts and how it ends."""

import inspect
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import FrameType
from typing import Annotated, Any, Final, get_type_hints

import msgspec
import typer

from molt_bench._version import __version__
from molt_bench.cli.streams import output_problem, prepare_streams, tolerate_closed_pipe
from molt_bench.errors import MoltBenchError

#: Each command and the first line of its help; the function of that name is in the file of that name.
COMMANDS: Final = {
    "run": "Run a benchmark (the default command).",
    "resume": "Resume an interrupted run, or extend a finished one with a new limit, on the same decks.",
    "serve": "Play a benchmark with agents that connect by themselves: invite them, play, tell them the end.",
    "join": "Play with an agent at a live server, on this machine or another, until its run is over.",
    "report": "Rebuild a run's files from its journal and print the table, or write a page or figures instead.",
    "view": "View runs in the browser, live or finished: results, confidence, every hand from both sides.",
    "publish": "Write runs as a static site for any web host, with all pages, the runs' files and their hashes.",
    "verify": "Replay every game of a run and check that it is identical; no model is called.",
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


def main() -> None:
    """Run the program; a user's mistake is one line and exit status 1, or the status of the error."""
    output = prepare_streams()
    signal.signal(signal.SIGTERM, _terminate)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # nohup keeps it ignored
        signal.signal(signal.SIGHUP, _terminate)
    if "" not in sys.path:
        sys.path.insert(0, "")  # as with `python -m`: modules in the current folder can be named
    arguments = sys.argv[1:]
    debug = ["--debug"] if arguments[:1] == ["--debug"] else []
    rest = arguments[len(debug) :]
    if not rest or (rest[0].startswith("-") and rest[0] not in ("--help", "--version")):
        arguments = [*debug, "run", *rest]
    status = _run_command(arguments)
    problem = output_problem(output)
    if problem is not None and not status:
        print(f"molt-bench: {problem}", file=sys.stderr)
        status = 1
    sys.exit(status)


def _terminate(_: int, frame: FrameType | None) -> None:
    """End as on Ctrl-C, so that what was played is reported and nothing is left running."""
    interrupt = signal.getsignal(signal.SIGINT)
    if not callable(interrupt):  # Ctrl-C is ignored, as in a script's background job
        raise KeyboardInterrupt
    interrupt(signal.SIGINT, frame)


def _run_command(arguments: Sequence[str]) -> str | int | None:
    """Run a command and return its exit status; an error that nothing else handled is printed as one line."""
    called = next((word for word in arguments if not word.startswith("-")), None)
    try:
        with tolerate_closed_pipe():
            _app_for(called)(arguments)
    except SystemExit as end:
        return end.code
    except (MoltBenchError, OSError) as error:
        if "--debug" in arguments:
            raise
        print(f"molt-bench: {' '.join(str(error).split())}", file=sys.stderr)
        return error.status if isinstance(error, MoltBenchError) else 1
    return 0


def _app_for(called: str | None) -> typer.Typer:
    """Return the app; for a fast start it imports the called command alone, and of the others has only the help."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.callback()(_global_options)
    for name, summary in COMMANDS.items():
        if name == called:
            app.command(name)(_flatten(getattr(import_module(f"molt_bench.cli.{name}"), name)))
        else:
            app.command(name, help=summary)(_not_called)
    return app


def _flatten(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for typer, with the fields of its struct arguments as flags of their own."""
    hints = get_type_hints(command, include_extras=True)
    structs = {
        name: hint for name, hint in hints.items() if isinstance(hint, type) and issubclass(hint, msgspec.Struct)
    }
    parameters = []
    for each in inspect.signature(command).parameters.values():
        if each.name not in structs:
            parameters.append(each.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[each.name]))
            continue
        for field in msgspec.structs.fields(structs[each.name]):
            parameters.append(
                inspect.Parameter(
                    field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type
                )
            )

    def call(**values: Any) -> None:
        for name, struct in structs.items():
            values[name] = struct(**{field: values.pop(field) for field in struct.__struct_fields__})
        command(**values)

    call.__doc__ = command.__doc__
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    vars(call)["__signature__"] = inspect.Signature(parameters)
    return call


def _not_called() -> None:
    """Stand in for a command that is only listed."""


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - typer passes it by position
    if wanted:
        print(f"molt-bench {__version__}")
        raise typer.Exit


def _global_options(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback when something fails.")] = False,
) -> None:
    """Which agent plays better heads-up no-limit hold'em, and how sure are we?"""
