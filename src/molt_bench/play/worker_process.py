"""A worker process: plays games chunk by chunk until its connection is closed.

It is started by `molt_bench.play.worker_pool` and gets everything over one connection, so it imports nothing from the
script that started the run.
"""

import os
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from molt_bench.blame import bug_in, internal_error
from molt_bench.errors import MoltBenchError


def serve(line: Connection) -> None:
    """Set up, then answer every chunk with its results."""
    sys.path[:], folder = line.recv()
    if folder is not None:
        os.chdir(folder)
    answer: Any = None
    try:
        play = line.recv()()
    except Exception as error:
        line.send(_portable(error))
        return
    while True:
        line.send(answer)
        chunk = line.recv()
        try:
            answer = [play(spec) for spec in chunk]
        except BaseException as error:
            answer = _portable(error)


def _portable(error: BaseException) -> Exception:
    """Return an error that can be sent: our own as it is, a bug with its traceback, any other by its message."""
    if isinstance(error, MoltBenchError):
        return error
    if bug_in(error) is not None:
        return internal_error(error)
    return MoltBenchError(f"a worker failed with {type(error).__name__}: {error}")


def main() -> None:
    """Serve the connection whose file descriptor is given."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then closes the line
    os.dup2(2, 1)  # what agents print must not mix with the output of the program
    with suppress(EOFError, ConnectionError):  # the parent is done, or gone
        serve(Connection(int(sys.argv[1])))
