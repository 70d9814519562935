"""Games on all cores: a pool of worker processes that take specs in chunks and return results."""

import os
import socket
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import ceil, inf
from multiprocessing.connection import Connection, wait
from operator import attrgetter
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, Final, Generic, TypeAlias, TypeVar

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.specs import GameSpec

Played = TypeVar("Played")
#: Called once in every worker, which receives it pickled; returns the function that plays a game.
Setup: TypeAlias = Callable[[], Callable[[GameSpec], Played]]

#: Seconds per chunk: hundreds of times what it takes to send one.
_CHUNK_S: Final = 0.1
#: Chunks a worker holds at a time: one to play, and one so that it need not wait.
_AHEAD: Final = 2
#: Workers that may die during the same game before the game is blamed.
MOST_DEATHS: Final = 3
#: The same for workers that were stopped: more, since something else most likely stopped them.
MOST_STOPS: Final = 10
#: Seconds an idle worker gets to exit.
_ENDING_S: Final = 10.0
#: Seconds between checks that workers are alive: a dead worker goes unnoticed while a fork of it holds the line open,
#: and a stopped one sends nothing at all.
_LOOK_S: Final = 1.0
#: If the time between two checks exceeds _LOOK_S by this factor, we were stopped ourselves.
_ALSO_STOPPED: Final = 2.0
_WITHOUT: Final = "--executor inline does without"
_WORKER: Final = "import sys; sys.path[:0] = sys.argv[2:]; from molt_bench.play.worker_process import main; main()"


class Chunks:
    """The games of a round that are still to be played, in order.

    The first chunks are single games, which show how many games fill the target time of a chunk in seconds. Near the
    end chunks shrink again, so that all workers finish at about the same time.
    """

    def __init__(self, specs: Sequence[GameSpec], *, workers: int, seconds: float) -> None:
        self._waiting = deque(specs)
        self._workers = workers
        self._seconds = seconds
        self._pace = 0.0
        self._deaths: Counter[GameSpec] = Counter()
        self._stops: Counter[GameSpec] = Counter()

    def __len__(self) -> int:
        return len(self._waiting)

    def take(self) -> list[GameSpec]:
        """Return the next chunk."""
        first = self._waiting.popleft()
        chunk = [first]
        if not self._pace or self._deaths[first]:
            return chunk
        hands = self._seconds / self._pace - _hands(first)
        share = len(self._waiting) // (2 * self._workers)
        while self._waiting and len(chunk) <= share and not self._deaths[self._waiting[0]]:
            hands -= _hands(self._waiting[0])
            if hands < 0:
                break
            chunk.append(self._waiting.popleft())
        return chunk

    def learn(self, chunk: Sequence[GameSpec], seconds: float) -> None:
        """Record how long a chunk took."""
        pace = seconds / sum(map(_hands, chunk))
        self._pace = pace if not self._pace else (self._pace + pace) / 2

    def put_back(self, chunk: Sequence[GameSpec], *, begun: bool = True, stopped: bool = False) -> None:
        """Requeue the games of a dead worker; those it had started run one by one, so that the one at fault is found.

        A worker that was stopped counts less against a game than one that died. Raises if too many did.
        """
        counted, most = (self._stops, MOST_STOPS) if stopped else (self._deaths, MOST_DEATHS)
        for spec in chunk if begun else ():
            counted[spec] += 1
            if counted[spec] > most:
                first, second = spec.players
                what = "were stopped" if stopped else "died"
                raise MoltBenchError(
                    f"{counted[spec]} workers {what} while they played {first!r} against {second!r} on seed "
                    f"{spec.seed!r}: --executor inline plays it in this process, and shows why"
                )
        self._waiting.extendleft(reversed(chunk))


def sent(chunk: Sequence[GameSpec]) -> list[tuple[Any, ...]]:
    """Return games as a worker is sent them: their fields in order, without the names."""
    return [_fields_of(spec) for spec in chunk]


def received(chunk: Sequence[tuple[Any, ...]]) -> list[GameSpec]:
    """Return the games that were sent."""
    return [GameSpec(**dict(zip(GameSpec.__struct_fields__, fields, strict=True))) for fields in chunk]


_fields_of: Final = attrgetter(*GameSpec.__struct_fields__)


def _hands(spec: GameSpec) -> int:
    """Return the hands to be played, including warm-up."""
    return spec.hands + spec.warmup_hands


class WorkersError(MoltBenchError):
    """Workers cannot be started, or cannot set up: they play nothing at all."""


def cores() -> int:
    """Return how many cores this process may use, which a container may limit."""
    number = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return max(1, min(number, ceil(int(quota) / int(period))))
    except (OSError, ValueError):  # no such file, or no limit: `max 100000`
        return number


class _Worker:
    """One process, and the chunks it was given."""

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
        self.chunks: deque[list[GameSpec]] = deque()
        self.ready = False
        self.stopped = False
        folder: str | None = None
        with suppress(OSError):  # ours was removed
            folder = os.getcwd()
        with suppress(OSError):  # it is dead already, which is noticed on the next read
            self.line.send((sys.path, folder))
            self.line.send(setup)

    def give(self, chunk: list[GameSpec]) -> None:
        self.chunks.append(chunk)
        with suppress(OSError):
            self.line.send(sent(chunk))

    @property
    def dead(self) -> bool:
        """Whether it has exited, with nothing it sent left to read."""
        return self.process.poll() is not None and not self.line.poll()

    @property
    def halted(self) -> bool:
        """Whether it is stopped, as by SIGSTOP; False where the system cannot tell."""
        try:
            looked = os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
        except (AttributeError, OSError):  # not supported here, or the process has been reaped
            return False
        return looked is not None

    def end(self) -> None:
        """End it: gracefully if idle, so that its agents can release what they hold; otherwise at once."""
        self.line.close()
        if self.ready and not self.chunks:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_ENDING_S)
        self.process.kill()
        self.process.wait()


class WorkerPool(Generic[Played]):
    """Worker processes that play games.

    A worker that dies, or is stopped and does not continue, is replaced, and its games are replayed. There is one
    worker per core unless `workers` says how many. `warn` is called once if workers are being stopped.
    """

    def __init__(
        self, setup: Setup[Played], workers: int | None = None, *, warn: Callable[[str], None] | None = None
    ) -> None:
        if workers is not None and workers < 1:
            raise ConfigError("workers", workers, "at least 1")
        self._setup = setup
        self._count = workers or cores()
        self._workers: list[_Worker] = []
        self._stillborn = 0
        self._warn = warn
        self._closed = Event()
        self._watcher: Thread | None = None

    def play(
        self, specs: Sequence[GameSpec], on_game: Callable[[GameSpec, Played], None], *, until: float = inf
    ) -> None:
        """Play games, and report each as soon as its chunk is finished; raise if a worker fails, or if many die.

        At `until`, by the monotonic clock, workers that are still playing are ended.
        """
        chunks = Chunks(specs, workers=self._count, seconds=_CHUNK_S)
        if self._watcher is None:
            self._watcher = Thread(target=self._watch, daemon=True, name="watcher")
            self._watcher.start()
        looked = monotonic()
        while chunks or any(worker.chunks for worker in self._workers):
            if monotonic() >= until:
                self._abandon()
                return
            self._hire(chunks)
            lines = {worker.line: worker for worker in self._workers if worker.chunks or not worker.ready}
            heard = wait(list(lines), timeout=max(0.0, min(_LOOK_S, until - monotonic())))
            for line in heard:
                assert isinstance(line, Connection)
                self._listen(lines[line], chunks, on_game)
            if not heard or monotonic() - looked > _LOOK_S:  # even while others keep answering
                looked = monotonic()
                for worker in [worker for worker in self._workers if worker.dead]:
                    self._replace(worker, chunks)

    def _abandon(self) -> None:
        """End the workers that are playing; their games are not played."""
        for worker in [worker for worker in self._workers if worker.chunks]:
            self._workers.remove(worker)
            worker.end()

    def _watch(self) -> None:
        """Kill workers that are stopped, from a thread, since this process may be blocked sending to one of them.

        A worker must be found stopped twice in a row: Ctrl-Z stops all of us, and then we all continue together.
        """
        seen: set[_Worker] = set()
        looked = monotonic()
        while not self._closed.wait(_LOOK_S):
            since, looked = monotonic() - looked, monotonic()
            halted = {worker for worker in [*self._workers] if worker.halted}
            for worker in halted & seen if since < _ALSO_STOPPED * _LOOK_S else ():
                worker.stopped = True
                worker.process.kill()
            seen = halted

    def _hire(self, chunks: Chunks) -> None:
        """Start missing workers, and keep all of them busy."""
        while chunks and len(self._workers) < min(self._count, len(chunks)):
            self._workers.append(_Worker(self._setup))
        for ahead in range(1, _AHEAD + 1):
            for worker in self._workers:
                if chunks and worker.ready and len(worker.chunks) < ahead:
                    worker.give(chunks.take())

    def _listen(self, worker: _Worker, chunks: Chunks, on_game: Callable[[GameSpec, Played], None]) -> None:
        try:
            answer = worker.line.recv()
        except (EOFError, OSError):
            self._replace(worker, chunks)
            return
        if isinstance(answer, Exception):
            raise answer if worker.ready else WorkersError(str(answer))
        if not worker.ready:
            worker.ready = True
            self._stillborn = 0
            return
        played, seconds = answer
        chunk = worker.chunks.popleft()
        chunks.learn(chunk, seconds)
        for spec, result in zip(chunk, played, strict=True):
            on_game(spec, result)

    def _replace(self, worker: _Worker, chunks: Chunks) -> None:
        self._workers.remove(worker)
        worker.end()
        if not worker.ready:
            self._stillborn += 1
            if self._stillborn > MOST_DEATHS:
                status = worker.process.returncode
                raise WorkersError(f"worker processes do not start (exit status {status}): {_WITHOUT}")
        if worker.stopped and self._warn is not None:
            self._warn("a worker process was stopped (as by SIGSTOP): it was replaced, and its games were played again")
            self._warn = None
        while worker.chunks:
            chunk = worker.chunks.pop()
            chunks.put_back(chunk, begun=not worker.chunks, stopped=worker.stopped)

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for worker in self._workers:
            worker.line.close()  # all at once, so that they exit in parallel
        while self._workers:
            self._workers[-1].end()
            self._workers.pop()
        self._closed.set()
