"""Games on a Ray cluster (extra `ray`), with the interface of `molt_bench.play.worker_pool`."""

import os
import pickle
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from time import monotonic, perf_counter
from typing import Any, Final, Generic

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.extras import how_to_install
from molt_bench.play.worker_pool import Chunks, Played, Setup
from molt_bench.specs import GameSpec

#: Seconds per chunk: a task costs about a millisecond on the same machine, and more on another one.
_CHUNK_S: Final = 0.25
#: Queued tasks per core of the cluster.
_AHEAD: Final = 2
#: Seconds within which a cluster must accept a connection.
_CONNECT_S: Final = 10.0

#: The functions that play games in this process, by pickled setup: a worker of the cluster gets many chunks.
_tables: dict[bytes, Callable[[GameSpec], Any]] = {}


def play_batch(setup: bytes, chunk: list[GameSpec]) -> tuple[list[Any], float]:
    """Play a chunk in a worker of the cluster."""
    if setup not in _tables:
        make: Setup[Any] = pickle.loads(setup)
        _tables[setup] = make()
    play = _tables[setup]
    start = perf_counter()
    return [play(spec) for spec in chunk], perf_counter() - start


def _look_for(address: str | None) -> None:
    """Try to connect to an address: Ray itself would keep trying for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), timeout=_CONNECT_S).close()


class Cluster(Generic[Played]):
    """Workers on the Ray cluster at `address`, or on one started on this machine for this run.

    A worker that dies is replaced, and its games are replayed.
    """

    def __init__(self, setup: Setup[Played], address: str | None = None) -> None:
        try:
            import ray  # noqa: PLC0415 - an optional extra
        except ImportError as error:
            raise ConfigError("executor", "ray", f"Ray to be installed: {how_to_install('ray')}") from error
        self._ray = ray
        # Otherwise Ray would rebuild the environment of a `uv run` on every worker.
        os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        self._ours = not ray.is_initialized()
        if self._ours:
            try:
                _look_for(address)
                ray.init(address=address, log_to_driver=False, logging_level="error", include_dashboard=False)
            except Exception as error:
                said = str(error).strip().partition("\n")[0]
                raise ConfigError("--ray-address", address, f"the address of a running cluster ({said})") from error
        self._setup = ray.put(pickle.dumps(setup))
        # No retries by Ray: we requeue what dies, so that the game at fault is found.
        self._task = ray.remote(num_cpus=1, max_retries=0)(play_batch)

    def play(
        self, specs: Sequence[GameSpec], on_game: Callable[[GameSpec, Played], None], *, until: float = inf
    ) -> None:
        """Play games, and report each as soon as its chunk is finished; raise if a worker fails, or if many die.

        At `until`, by the monotonic clock, what is still being played is cancelled.
        """
        ray = self._ray
        workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        chunks = Chunks(specs, workers=workers, seconds=_CHUNK_S)
        under_way: dict[Any, list[GameSpec]] = {}
        try:
            while (chunks or under_way) and monotonic() < until:
                while chunks and len(under_way) < _AHEAD * workers:
                    chunk = chunks.take()
                    under_way[self._task.remote(self._setup, chunk)] = chunk
                left_s = None if until == inf else max(0.0, until - monotonic())
                ready, _ = ray.wait(list(under_way), num_returns=1, timeout=left_s)
                for task in ready:
                    self._finish(task, under_way.pop(task), chunks, on_game)
        finally:
            for task in under_way:
                with suppress(Exception):
                    ray.cancel(task, force=True)

    def _finish(
        self, task: Any, chunk: list[GameSpec], chunks: Chunks, on_game: Callable[[GameSpec, Played], None]
    ) -> None:
        errors = self._ray.exceptions
        try:
            played, seconds = self._ray.get(task)
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.ObjectLostError, errors.OutOfMemoryError):
            chunks.put_back(chunk)
            return
        except errors.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, MoltBenchError):
                raise cause from None
            raise MoltBenchError(f"a worker failed with {type(cause).__name__}: {cause}") from None
        chunks.learn(chunk, seconds)
        for spec, result in zip(chunk, played, strict=True):
            on_game(spec, result)

    def close(self) -> None:
        """Leave the cluster; shut it down if it was started here."""
        if self._ours:
            self._ray.shutdown()
