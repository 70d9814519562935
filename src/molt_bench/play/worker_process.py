"""A worker: the program that plays games for another one, batch by batch, until its line is closed.

It is started by `molt_bench.play.worker_pool` and gets everything over one connection, so nothing of the script that
started the run is imported here.
"""

import os
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Event, Thread
from time import perf_counter
from typing import Any


def serve(line: Connection) -> None:
    """Get ready, then answer every batch with what came of it."""
    sys.path[:], folder = line.recv()
    if folder is not None:
        os.chdir(folder)
    try:
        play = line.recv()()
        line.send(None)
    except Exception as error:
        line.send(_portable(error))
        return
    # Read at once, also while an answer is being sent: two sides that both send would wait for each other.
    batches: SimpleQueue[Any] = SimpleQueue()
    playing = Event()
    Thread(target=_read, args=(line, batches, playing), daemon=True).start()
    while (batch := batches.get()) is not None:
        playing.set()
        start = perf_counter()
        answer: Any
        try:
            answer = [play(spec) for spec in batch], perf_counter() - start
        except BaseException as error:
            answer = _portable(error)
        playing.clear()  # before it is sent, since the line may be closed as soon as it has come
        line.send(answer)


def _read(line: Connection, batches: "SimpleQueue[Any]", playing: Event) -> None:
    with suppress(EOFError, OSError):
        while True:
            batches.put(line.recv())
    if playing.is_set():
        os._exit(1)  # nobody is left who would take what is being played
    batches.put(None)


def _portable(error: BaseException) -> Exception:
    """Return an error that can be sent: one of ours as it is, another one by its words."""
    from molt_bench.errors import MoltBenchError

    if isinstance(error, MoltBenchError):
        return error
    return MoltBenchError(f"a worker failed with {type(error).__name__}: {error}")


def main() -> None:
    """Serve on the connection whose number is given."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started this, who then closes the line
    os.dup2(2, 1)  # what agents print is not the output of the program
    with suppress(EOFError, ConnectionError):  # the other side is done, or gone
        serve(Connection(int(sys.argv[1])))


if __name__ == "__main__":
    main()
