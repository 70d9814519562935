"""Games on a Ray cluster (extra `ray`): `--executor ray`, or `--executor ray:ADDRESS` for one that runs elsewhere."""

import os
import pickle
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from time import monotonic
from typing import Any, Final

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.plugin import Setup
from molt_bench.specs import GameSpec

#: Tasks of a round for each core of the cluster: the last ones end at about one time.
_TASKS: Final = 8
#: How often Ray begins a task again whose worker died.
_RETRIES: Final = 2
#: Seconds within which a cluster must accept a connection.
_CONNECT_S: Final = 10.0

#: The functions that play games in this process, by pickled setup: a worker of the cluster gets many tasks.
_tables: dict[bytes, Callable[[GameSpec], Any]] = {}


def play_batch(setup: bytes, batch: list[GameSpec]) -> list[Any]:
    """Play some games in a worker of the cluster."""
    if setup not in _tables:
        make: Setup = pickle.loads(setup)
        _tables[setup] = make()
    return [_tables[setup](spec) for spec in batch]


def _look_for(address: str) -> None:
    """Try to connect to an address: Ray itself would keep trying for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), timeout=_CONNECT_S).close()


class Cluster:
    """Workers on the Ray cluster at an address, or on one started on this machine for this run.

    A worker that dies is replaced, and its games are replayed.
    """

    def __init__(self, setup: Setup, address: str = "", warn: Callable[[str], None] | None = None) -> None:
        try:
            import ray  # noqa: PLC0415 - an optional extra
        except ImportError as error:
            raise ConfigError("executor", "ray", "Ray to be installed: pip install 'molt-bench[ray]'") from error
        self._ray = ray
        # Otherwise Ray would rebuild the environment of a `uv run` on every worker.
        os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        self._ours = not ray.is_initialized()
        if self._ours:
            try:
                _look_for(address)
                ray.init(address=address or None, log_to_driver=False, logging_level="error", include_dashboard=False)
            except Exception as error:
                said = str(error).strip().partition("\n")[0]
                raise ConfigError("executor", f"ray:{address}", f"the address of a running cluster ({said})") from error
        self._setup = ray.put(pickle.dumps(setup))
        self._task = ray.remote(num_cpus=1, max_retries=_RETRIES)(play_batch)

    def play(self, specs: Sequence[GameSpec], on_game: Callable[[GameSpec, Any], None], *, until: float = inf) -> None:
        """Play games, and report each as soon as its batch is finished; raise if a worker fails, or if many die.

        At `until`, by the monotonic clock, what is still being played is cancelled.
        """
        ray = self._ray
        workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        size = max(1, len(specs) // (_TASKS * workers))
        batches = [[*specs[at : at + size]] for at in range(0, len(specs), size)]
        under_way = {self._task.remote(self._setup, batch): batch for batch in batches}
        try:
            while under_way and monotonic() < until:
                left_s = None if until == inf else max(0.0, until - monotonic())
                ready, _ = ray.wait([*under_way], num_returns=1, timeout=left_s)
                for task in ready:
                    batch = under_way.pop(task)
                    for spec, result in zip(batch, self._played(task, batch), strict=True):
                        on_game(spec, result)
        finally:
            for task in under_way:
                with suppress(Exception):
                    ray.cancel(task, force=True)

    def _played(self, task: Any, batch: list[GameSpec]) -> list[Any]:
        """Return what came of a batch."""
        errors = self._ray.exceptions
        try:
            found: list[Any] = self._ray.get(task)
            return found
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.ObjectLostError, errors.OutOfMemoryError):
            (first, second), seeds = batch[0].players, " or ".join(f"{spec.seed!r}" for spec in batch)
            raise MoltBenchError(
                f"{1 + _RETRIES} workers died while they played {first!r} against {second!r} on seed {seeds}: "
                "--executor inline plays it in this process, and shows why"
            ) from None
        except errors.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, MoltBenchError):
                raise cause from None
            raise MoltBenchError(f"a worker failed with {type(cause).__name__}: {cause}") from None

    def close(self) -> None:
        """Leave the cluster; shut it down if it was started here."""
        if self._ours:
            self._ray.shutdown()
