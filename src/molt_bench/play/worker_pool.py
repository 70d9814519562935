"""Games on all cores: a pool of worker processes that take specs in chunks and return results."""

import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import ceil, inf
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import Any, Final, Generic, TypeAlias, TypeVar

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.specs import GameSpec

Played = TypeVar("Played")
#: Called once in every worker, which receives it pickled; returns the function that plays a game.
Setup: TypeAlias = Callable[[], Callable[[GameSpec], Played]]

#: Most games of a chunk: to send one takes as long as a small part of the shortest game.
_MOST_GAMES: Final = 16
#: Into how many chunks the rest of a round is cut for each worker: so all of them finish at about the same time.
_CHUNKS: Final = 4
#: Seconds an idle worker gets to exit.
_ENDING_S: Final = 10.0
#: Seconds between checks that workers are alive: a dead one goes unnoticed while a fork of it holds the line open.
_LOOK_S: Final = 1.0
_WITHOUT: Final = "--executor inline does without"
_WORKER: Final = "import sys; sys.path[:0] = sys.argv[2:]; from molt_bench.play.worker_process import main; main()"


class WorkersError(MoltBenchError):
    """Workers do not start, cannot set up, or die."""


def cores() -> int:
    """Return how many cores this process may use, which a container may limit."""
    number = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return max(1, min(number, ceil(int(quota) / int(period))))
    except (OSError, ValueError):  # no such file, or no limit: `max 100000`
        return number


class _Worker:
    """One process, and the games that it plays, if any."""

    def __init__(self, setup: Setup[Any]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            # The location of our own package, which may not be on the path of the new process.
            here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
            command = [sys.executable, "-c", _WORKER, str(number), here]
            try:
                self.process = subprocess.Popen(command, pass_fds=[number], stdin=subprocess.DEVNULL)
            except (OSError, ValueError) as error:
                ours.close()
                raise WorkersError(f"worker processes do not start ({error}): {_WITHOUT}") from error
        self.line = Connection(ours.detach())
        self.games: Sequence[GameSpec] = ()
        self.ready = False
        folder: str | None = None
        with suppress(OSError):  # ours was removed
            folder = os.getcwd()
        with suppress(OSError):  # it is dead already, which is noticed on the next read
            self.line.send((sys.path, folder))
            self.line.send(setup)

    def give(self, games: Sequence[GameSpec]) -> None:
        self.games = games
        with suppress(OSError):
            self.line.send(games)

    def heard(self) -> Any:
        """Return what it sent; raises WorkersError if it is dead."""
        try:
            return self.line.recv()
        except (EOFError, OSError):
            raise self.death() from None

    @property
    def dead(self) -> bool:
        """Whether it has exited, with nothing it sent left to read."""
        return self.process.poll() is not None and not self.line.poll()

    def death(self) -> WorkersError:
        """Return how it ended, and which games it played."""
        self.end()
        status = self.process.returncode
        if not self.ready:
            return WorkersError(f"worker processes do not start (exit status {status}): {_WITHOUT}")
        how = f"by signal {-status}" if status < 0 else f"with exit status {status}"
        (first, second), seed = self.games[0].players, self.games[0].seed
        more = f", or one of {len(self.games) - 1} games after that" if self.games[1:] else ""
        return WorkersError(
            f"a worker process ended {how} while it played {first!r} against {second!r} on seed {seed!r}{more}: "
            "--executor inline plays them in this process"
        )

    def end(self) -> None:
        """End it: gracefully if idle, so that its agents can release what they hold; otherwise at once."""
        self.line.close()
        if self.ready and not self.games:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_ENDING_S)
        self.process.kill()
        self.process.wait()


class WorkerPool(Generic[Played]):
    """Worker processes that play games: one per core, unless `workers` says how many.

    A worker that dies ends the play of all, since the game that killed it would kill the next one.
    """

    def __init__(self, setup: Setup[Played], workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise ConfigError("workers", workers, "at least 1")
        self._setup = setup
        self._count = workers or cores()
        self._workers: list[_Worker] = []

    def play(
        self, specs: Sequence[GameSpec], on_game: Callable[[GameSpec, Played], None], *, until: float = inf
    ) -> None:
        """Play games, and report each as soon as its chunk is finished; raise if a worker fails or dies.

        At `until`, by the monotonic clock, workers that are still playing are ended, and their games are not played.
        """
        waiting = deque(specs)
        while waiting or self._playing():
            left_s = until - monotonic()
            if left_s <= 0:
                for worker in self._playing():
                    self._workers.remove(worker)
                    worker.end()
                return
            while waiting and len(self._workers) < min(self._count, len(waiting)):
                self._workers.append(_Worker(self._setup))
            for worker in self._workers:
                if waiting and worker.ready and not worker.games:
                    size = min(_MOST_GAMES, 1 + len(waiting) // (_CHUNKS * self._count))
                    worker.give([waiting.popleft() for _ in range(size)])
            lines = {worker.line: worker for worker in self._workers if worker.games or not worker.ready}
            for line in wait(list(lines), timeout=min(_LOOK_S, left_s)):
                assert isinstance(line, Connection)
                self._listen(lines[line], on_game)
            dead = next((worker for worker in self._playing() if worker.dead), None)
            if dead is not None:
                raise dead.death()

    def _playing(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.games]

    def _listen(self, worker: _Worker, on_game: Callable[[GameSpec, Played], None]) -> None:
        answer = worker.heard()
        if isinstance(answer, Exception):
            raise answer if worker.ready else WorkersError(str(answer))
        if not worker.ready:
            worker.ready = True
            return
        games, worker.games = worker.games, ()
        for spec, result in zip(games, answer, strict=True):
            on_game(spec, result)

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for worker in self._workers:
            worker.line.close()  # all at once, so that they exit in parallel
        while self._workers:
            self._workers.pop().end()
