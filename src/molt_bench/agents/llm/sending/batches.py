"""Batches: all requests that are open are gathered and submitted as one, for half the price and an answer within a day.

A batch is on file before it is submitted and, with its provider's id, as soon as it is. So a run that was cut off finds
it again, and submits nothing twice.
"""

import asyncio
from collections.abc import Callable
from hashlib import sha256
from time import time_ns
from typing import Any, Final

import msgspec

from molt_bench.agents.llm.exchanges import Exchanges
from molt_bench.agents.llm.providers.base import BatchProtocol
from molt_bench.agents.llm.providers.batch_calls import BatchRefusedError, not_answered
from molt_bench.agents.llm.providers.table import provider_of
from molt_bench.agents.llm.sending.failures import RequestFailed
from molt_bench.agents.llm.sending.http import Http, HttpRequest, NoConnectionError, Received
from molt_bench.agents.llm.types import SentBatch
from molt_bench.errors import MoltBenchError

#: Seconds without a new request after which those that wait are submitted.
QUIET_S: Final = 2.0
#: Seconds between two looks at a batch.
POLL_S: Final = 30.0
#: Most requests of a batch, and most bytes: below what both providers allow.
_MOST_REQUESTS: Final = 10_000
_MOST_BYTES: Final = 90_000_000
#: Seconds between two tries to reach the batch interface.
_TRY_AGAIN_S: Final = 10.0


class BatchQueue:
    """Sends the requests of one model in batches.

    Args:
        provider: Whose protocol it is.
        store: Where batches are recorded.
        patience_s: Seconds for which the batch interface may be out of reach.
        tell: Called with what is good to know.
    """

    def __init__(
        self, provider: str, store: Exchanges, *, patience_s: float, tell: Callable[[str], None] | None = None
    ) -> None:
        self._provider = provider_of(provider)
        self._store = store
        self._patience_s = patience_s
        self._tell = tell
        self._gathered: dict[str, bytes] = {}
        self._bytes = 0
        self._sealed: asyncio.Future[str] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._bodies: dict[str, dict[str, bytes]] = {}
        self._tasks: dict[str, asyncio.Task[dict[str, Received] | None]] = {}
        self._taken: set[tuple[str, str]] = set()

    async def send(self, http: Http, key: str, request: HttpRequest) -> Received:
        """Return the answer to a request, from a batch that has it already, or from a new one.

        Args:
            http: Sends what is to be sent.
            key: What identifies the request in its run.
            request: The request as it would be sent by itself.

        Raises:
            RequestFailed: The batch interface cannot be reached; the batch is kept.
        """
        name = self._store.batch_of(key)
        while True:
            if name is None or (name, key) in self._taken:  # an answer that was no reply is asked for anew
                name = await self._gather(key, request.body)
            if name not in self._tasks:
                assert self._provider.batches is not None
                protocol = self._provider.batches(http, request)
                self._tasks[name] = asyncio.ensure_future(self._answered(name, protocol))
            answers = await asyncio.shield(self._tasks[name])
            self._taken.add((name, key))
            if answers is not None:
                return answers.get(key) or not_answered()
            name = None  # it was never submitted

    async def _gather(self, key: str, body: bytes) -> str:
        """Wait until the batch that a request is part of is complete and on file; return its name."""
        loop = asyncio.get_running_loop()
        if self._sealed is None:
            self._sealed = loop.create_future()
        sealed = self._sealed
        self._gathered[key] = body
        if self._timer is not None:
            self._timer.cancel()
        self._bytes += len(body)
        if len(self._gathered) >= _MOST_REQUESTS or self._bytes >= _MOST_BYTES:
            self._seal()
        else:
            self._timer = loop.call_later(QUIET_S, self._seal)
        return await asyncio.shield(sealed)

    def _seal(self) -> None:
        bodies, sealed = self._gathered, self._sealed
        if self._timer is not None:
            self._timer.cancel()
        self._gathered, self._sealed, self._timer, self._bytes = {}, None, None, 0
        if sealed is None or not bodies:
            return
        name = sha256(f"{time_ns()} {' '.join(bodies)}".encode()).hexdigest()[:32]
        self._bodies[name] = bodies
        try:
            self._store.add_batch(SentBatch(name=name, keys=tuple(bodies), at_s=time_ns() // 10**6 / 1000))
        except MoltBenchError as error:
            sealed.set_exception(RequestFailed("fatal", f"a batch cannot be recorded, and was not submitted: {error}"))
        else:
            sealed.set_result(name)

    async def _answered(self, name: str, protocol: BatchProtocol) -> dict[str, Received] | None:
        """Submit a batch unless it was, wait for it, and return its answers; None if it was never submitted."""
        batch = self._store.batches[name]
        bodies = self._bodies.pop(name, None)
        if batch.id is None:
            try:
                number = await self._submitted(batch, bodies, protocol)
            except BatchRefusedError as refusal:
                return dict.fromkeys(batch.keys, refusal.received)
            if number is None:
                return None
            batch = msgspec.structs.replace(batch, id=number)
            self._store.add_batch(batch)
            if self._tell is not None:
                self._tell(f"{len(batch.keys):,} requests are submitted as batch {number}")
        assert batch.id is not None
        while True:
            try:
                found: dict[str, Received] | None = await self._reached(lambda: protocol.results(str(batch.id)))
            except BatchRefusedError as refusal:
                gone = refusal.received.status == 404
                return dict.fromkeys(batch.keys, not_answered() if gone else refusal.received)
            if found is not None:
                return found
            await asyncio.sleep(POLL_S)

    async def _submitted(
        self, batch: SentBatch, bodies: dict[str, bytes] | None, protocol: BatchProtocol
    ) -> str | None:
        """Submit a batch and return its id; one that may have been submitted is looked for first."""
        known = frozenset(each.id for each in self._store.batches.values() if each.id is not None)
        if bodies is not None:
            try:
                return await protocol.submit(
                    batch.name, {key: msgspec.json.decode(body) for key, body in bodies.items()}
                )
            except NoConnectionError as error:
                raise BatchRefusedError(not_answered()) from error
            except (OSError, TimeoutError, KeyError):
                await asyncio.sleep(_TRY_AGAIN_S)  # it may have arrived all the same
        found: str | None = await self._reached(lambda: protocol.find(batch, known))
        if found is None and bodies is not None:
            raise BatchRefusedError(not_answered())
        return found

    async def _reached(self, call: Callable[[], Any]) -> Any:
        """Call the batch interface until it answers; raises RequestFailed if it does not for too long.

        An error of the server, or too many calls, is no answer; other refusals are for the caller.
        """
        loop = asyncio.get_running_loop()
        since = loop.time()
        while True:
            try:
                return await call()
            except BatchRefusedError as refusal:
                if refusal.received.status < 500 and refusal.received.status != 429:
                    raise
                problem = str(refusal)
            except (OSError, TimeoutError, KeyError, TypeError, ValueError) as error:
                problem = f"{type(error).__name__}: {error}"
            if loop.time() - since >= self._patience_s:
                raise RequestFailed("fatal", f"its batch cannot be looked at, and is kept: {problem}")
            await asyncio.sleep(min(_TRY_AGAIN_S, self._patience_s))

    def close(self) -> None:
        """Wait for nothing any more; what was submitted is found again when the run goes on."""
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks.values():
            task.cancel()
