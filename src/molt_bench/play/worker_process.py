"""A worker process: plays games chunk by chunk until its connection is closed.

It is started by `molt_bench.play.worker_pool` and gets everything over one connection, so it imports nothing from the
script that started the run.
"""

import os
import signal
import sys
from contextlib import suppress
from io import FileIO, TextIOWrapper
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any

from molt_bench.blame import bug_in, internal_error
from molt_bench.errors import MoltBenchError
from molt_bench.visible_text import visible_stream


def serve(line: Connection) -> None:
    """Set up, then answer every chunk with its results."""
    sys.path[:], folder = line.recv()
    if folder is not None:
        os.chdir(folder)
    try:
        play = line.recv()()
        line.send(None)
    except Exception as error:
        line.send(_portable(error))
        return
    # Read in a thread, even while an answer is being sent: two sides that both send would deadlock.
    chunks: SimpleQueue[Any] = SimpleQueue()
    playing = Event()
    Thread(target=_read, args=(line, chunks, playing), daemon=True).start()
    while (chunk := chunks.get()) is not None:
        playing.set()
        answer: Any
        try:
            answer = [play(spec) for spec in chunk]
        except BaseException as error:
            answer = _portable(error)
        playing.clear()  # before sending, since the line may be closed as soon as the answer arrives
        line.send(answer)


def _read(line: Connection, chunks: SimpleQueue[Any], playing: Event) -> None:
    with suppress(EOFError, OSError):
        while True:
            chunks.put(line.recv())
    if playing.is_set():
        os._exit(1)  # the result has no taker
    chunks.put(None)


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
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if type(stream) is TextIOWrapper:
            raw = FileIO(stream.fileno(), "wb", closefd=False)
            setattr(sys, name, visible_stream(stream, raw, errors="backslashreplace"))
    with suppress(EOFError, ConnectionError):  # the parent is done, or gone
        serve(Connection(int(sys.argv[1])))
