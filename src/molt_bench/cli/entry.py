"""Where the program begins, and how it ends: by its commands, by a mistake of the user, or by a signal."""

import signal
import sys
from types import FrameType

import typer

from molt_bench.cli.app import app


def terminated(_: int, frame: FrameType | None) -> None:
    """End as by Ctrl-C, so that what was played is reported and nothing is left running."""
    interrupt = signal.getsignal(signal.SIGINT)
    if not callable(interrupt):  # Ctrl-C is ignored, as in the background of a script
        raise KeyboardInterrupt
    interrupt(signal.SIGINT, frame)


def main() -> None:
    """Run the command line; a user's mistake is one line and exit status 1, or what its error says."""
    from molt_bench.cli.piping import readers_may_leave
    from molt_bench.errors import MoltBenchError

    signal.signal(signal.SIGTERM, terminated)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # nohup keeps it ignored
        signal.signal(signal.SIGHUP, terminated)
    if "" not in sys.path:
        sys.path.insert(0, "")  # as with `python -m`: a module beside the user can be named
    arguments = sys.argv[1:]
    ours = ["--debug"] if arguments[:1] == ["--debug"] else []
    rest = arguments[len(ours) :]
    if not rest or (rest[0].startswith("-") and rest[0] not in ("--help", "--version")):
        arguments = [*ours, "run", *rest]
    try:
        with readers_may_leave():
            app(arguments)
    except MoltBenchError as error:
        if "--debug" in arguments:
            raise
        typer.echo(f"molt-bench: {' '.join(str(error).split())}", err=True)
        sys.exit(error.status)
