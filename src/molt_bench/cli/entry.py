"""Where the program begins, and how it ends: by its commands, by a mistake of the user, or by a signal."""

import signal
import sys
from collections.abc import Sequence
from types import FrameType

from molt_bench.cli.app import app
from molt_bench.cli.streams import output_problem, prepare_streams


def terminated(_: int, frame: FrameType | None) -> None:
    """End as by Ctrl-C, so that what was played is reported and nothing is left running."""
    interrupt = signal.getsignal(signal.SIGINT)
    if not callable(interrupt):  # Ctrl-C is ignored, as in the background of a script
        raise KeyboardInterrupt
    interrupt(signal.SIGINT, frame)


def main() -> None:
    """Run the command line; a user's mistake is one line and exit status 1, or what its error says."""
    output = prepare_streams()
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
    status = _status_of(arguments)
    problem = output_problem(output)
    if problem is not None and not status:
        print(f"molt-bench: {problem}", file=sys.stderr)
        status = 1
    sys.exit(status)


def _status_of(arguments: Sequence[str]) -> str | int | None:
    """Run a command to its end; what nobody has dealt with is one line."""
    from molt_bench.cli.piping import readers_may_leave
    from molt_bench.errors import MoltBenchError

    try:
        with readers_may_leave():
            app(arguments)
    except SystemExit as end:
        return end.code
    except (MoltBenchError, OSError) as error:
        if "--debug" in arguments:
            raise
        print(f"molt-bench: {' '.join(str(error).split())}", file=sys.stderr)
        return error.status if isinstance(error, MoltBenchError) else 1
    return 0
