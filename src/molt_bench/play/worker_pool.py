"""Games on all cores: worker processes that get games by their specs and give back what came of them."""

import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import ceil
from multiprocessing.connection import Connection, wait
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, Final, Generic, TypeAlias, TypeVar

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.play.batches import MOST_DEATHS, Batches
from molt_bench.specs import GameSpec

Played = TypeVar("Played")
#: Is called once in every worker, which gets it pickled, and returns what plays a game there.
Setup: TypeAlias = Callable[[], Callable[[GameSpec], Played]]

#: Seconds of a batch: hundreds of times what it takes to hand one over.
_BATCH_S: Final = 0.1
#: Batches that a worker has at a time: one to play, and one so that it need not wait.
_AHEAD: Final = 2
#: Seconds that an idle worker gets to end by itself.
_ENDING_S: Final = 10.0
#: Seconds between looks whether workers are alive: the end of one is not seen on a line that a fork of it holds open,
#: and one that was stopped says nothing at all.
_LOOK_S: Final = 1.0
#: Times this long between two looks, we were stopped ourselves.
_ALSO_STOPPED: Final = 2.0
_WITHOUT: Final = "--executor inline does without"
_WORKER: Final = "import sys; sys.path[:0] = sys.argv[2:]; from molt_bench.play.worker_process import main; main()"


class WorkersError(MoltBenchError):
    """Workers cannot be started, or cannot get ready: they play nothing at all."""


def cores() -> int:
    """Return how many cores this process may use; a container may have a share of them only."""
    number = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return max(1, min(number, ceil(int(quota) / int(period))))
    except (OSError, ValueError):  # there is none, or no limit: `max 100000`
        return number


class _Worker:
    """One process, and the batches it was given."""

    def __init__(self, setup: Setup[Any]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            # Where our own package is: the program may not have it on its path by itself.
            here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
            command = [sys.executable, "-c", _WORKER, str(number), here]
            try:
                self.process = subprocess.Popen(command, pass_fds=[number], stdin=subprocess.DEVNULL)
            except (OSError, ValueError) as error:
                ours.close()
                raise WorkersError(f"worker processes do not start ({error}): {_WITHOUT}") from error
        self.line = Connection(ours.detach())
        self.batches: deque[list[GameSpec]] = deque()
        self.ready = False
        self.stopped = False
        folder = _folder()
        with suppress(OSError):  # it is dead already, which is noticed when it is listened to
            self.line.send((sys.path, folder))
            self.line.send(setup)

    def give(self, batch: list[GameSpec]) -> None:
        self.batches.append(batch)
        with suppress(OSError):
            self.line.send(batch)

    @property
    def dead(self) -> bool:
        """Whether it has ended, and nothing of what it said is left to be read."""
        return self.process.poll() is not None and not self.line.poll()

    @property
    def halted(self) -> bool:
        """Whether it stands still just now, as by SIGSTOP; False where the system does not say."""
        try:
            looked = os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
        except (AttributeError, OSError):  # not every system has it; a process that has ended is no child any more
            return False
        return looked is not None

    def end(self) -> None:
        """End it: by itself where it is idle, so that what its agents hold is let go of; otherwise at once."""
        self.line.close()
        if self.ready and not self.batches:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_ENDING_S)
        self.process.kill()
        self.process.wait()


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None


class WorkerPool(Generic[Played]):
    """Worker processes that play games.

    A worker that dies, or is stopped and does not go on, is replaced, and the games it had are played again.

    Args:
        setup: Makes what plays a game, in every worker.
        workers: How many; None for one on every core.
        warn: Is told once that workers are being stopped, which is nobody's mistake.
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

    def play(self, specs: Sequence[GameSpec], on_game: Callable[[GameSpec, Played], None]) -> None:
        """Play games and report each as soon as its batch is finished.

        Raises:
            MoltBenchError: What a worker failed with, or workers die again and again.
            WorkersError: They cannot get ready.
        """
        batches = Batches(specs, workers=self._count, seconds=_BATCH_S)
        if self._watcher is None:
            self._watcher = Thread(target=self._watch, daemon=True, name="watcher")
            self._watcher.start()
        looked = monotonic()
        while batches or any(worker.batches for worker in self._workers):
            self._hire(batches)
            lines = {worker.line: worker for worker in self._workers if worker.batches or not worker.ready}
            heard = wait(list(lines), timeout=_LOOK_S)
            for line in heard:
                assert isinstance(line, Connection)
                self._listen(lines[line], batches, on_game)
            if not heard or monotonic() - looked > _LOOK_S:  # also while the others keep answering
                looked = monotonic()
                for worker in [worker for worker in self._workers if worker.dead]:
                    self._replace(worker, batches)

    def _watch(self) -> None:
        """Kill workers that stand still, from a thread: this process may be in the middle of sending to one of them.

        Those who are seen so at two looks in a row, that is. Ctrl-Z stops all of us, and then we all go on together.
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

    def _hire(self, batches: Batches) -> None:
        """Give everybody something to do, starting workers where there are too few."""
        while batches and len(self._workers) < min(self._count, len(batches)):
            self._workers.append(_Worker(self._setup))
        for ahead in range(1, _AHEAD + 1):
            for worker in self._workers:
                if batches and worker.ready and len(worker.batches) < ahead:
                    worker.give(batches.take())

    def _listen(self, worker: _Worker, batches: Batches, on_game: Callable[[GameSpec, Played], None]) -> None:
        try:
            answer = worker.line.recv()
        except (EOFError, OSError):
            self._replace(worker, batches)
            return
        if isinstance(answer, Exception):
            raise answer if worker.ready else WorkersError(str(answer))
        if not worker.ready:
            worker.ready = True
            self._stillborn = 0
            return
        played, seconds = answer
        batch = worker.batches.popleft()
        batches.learn(batch, seconds)
        for spec, result in zip(batch, played, strict=True):
            on_game(spec, result)

    def _replace(self, worker: _Worker, batches: Batches) -> None:
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
        while worker.batches:
            batch = worker.batches.pop()
            batches.put_back(batch, begun=not worker.batches, stopped=worker.stopped)

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for worker in self._workers:
            worker.line.close()  # all at once, so that they are not waited for one after the other
        while self._workers:
            self._workers[-1].end()
            self._workers.pop()
        self._closed.set()
