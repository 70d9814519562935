"""A worker: the program that plays games for another one, batch by batch, until its line is closed.

It is started by `molt_bench.play.workers` and gets everything over one connection, so nothing of the script that
started the run is imported here.
"""

import os
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from time import perf_counter


def serve(line: Connection) -> None:
    """Get ready, then answer every batch with what came of it."""
    sys.path[:], folder = line.recv()
    os.chdir(folder)
    try:
        play = line.recv()()
        line.send(None)
    except Exception as error:
        line.send(_portable(error))
        return
    while True:
        batch = line.recv()
        start = perf_counter()
        try:
            played = [play(spec) for spec in batch]
        except Exception as error:
            line.send(_portable(error))
        else:
            line.send((played, perf_counter() - start))


def _portable(error: Exception) -> Exception:
    """Return an error that can be sent: one of ours as it is, another one by its words."""
    from molt_bench.errors import MoltBenchError

    if isinstance(error, MoltBenchError):
        return error
    return MoltBenchError(f"a worker failed with {type(error).__name__}: {error}")


def main() -> None:
    """Serve on the connection whose number is given."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started this, who then closes the line
    with suppress(EOFError, ConnectionError):  # the other side is done, or gone
        serve(Connection(int(sys.argv[1])))


if __name__ == "__main__":
    main()
