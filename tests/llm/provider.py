"""A real HTTP server on loopback that answers like OpenAI, Anthropic or Google, and fails in every way they may.

OpenAI has two protocols, and it speaks both.

In a test: `with Provider(fault=["429", None]) as provider: ...`, with `provider.url` as the base URL. As a program:
`python provider.py --latency 5 --port 0` prints its URL as one JSON line and serves until SIGTERM.

A client that shuts down its sending side counts as gone, as does one whose process was killed.
"""

import argparse
import asyncio
import contextlib
import json
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from molt_bench.llm.gateway import PREFLIGHT_PROMPT
from tests.llm import wire
from tests.llm.http1 import Reader, drip, parse_head, passes, reset, response, retry_header

AFTER = {"429-after": "429", "429-after-ms": "429", "429-date": "429", "503-after": "503"}
BODIES = ("empty-body", "html", "cut-json", "wrong-body", "no-choices", "error-200")
CONNECTION = ("reset", "reset-midway", "hang", "drip")
FAULTS = (*wire.ERRORS, *AFTER, *CONNECTION, *BODIES, *wire.REPLIES)
PAGE = b"<!DOCTYPE html><html><body><h1>Bad gateway</h1></body></html>"


@dataclass(slots=True)
class Request:
    """One request, as it was received and what became of it; times are monotonic."""

    number: int
    path: str
    api: str
    body: dict[str, Any]
    headers: dict[str, str]
    start: float
    end: float | None = None
    fault: str | None = None
    answered: bool = False  # the whole answer was handed to the kernel before the client was seen to leave


class Provider:
    """The server, in a thread and an event loop of its own, while its `with` block lasts.

    Args:
        policy: From the last user message and the request's body to the reply: a dict to send as JSON, or a str to
            send as it is.
        latency_s: Seconds before each answer, or a function of the request's number (from 1).
        fault: A function from a request to one of FAULTS or None, or an iterable with one such for each request; None
            once it runs out.
        on_request: Called with each request in the server's thread, before anything is sent. Nothing is sent to a
            client that is dead by the time this returns (so wait for a process that you kill).
        retry_after: Seconds to ask for in faults that name a delay.
        keep_requests: False keeps the counters only.
        port: 0 takes a free one.

    The question that every model is asked before the first card is answered well, and kept apart from all others: it is
    counted in `preflights` alone, and fails only as `preflight_fault` says.

    What the callables raise is sent to the client as a 400, kept in `errors`, and raised at the end of the block.
    """

    def __init__(
        self,
        *,
        policy: Callable[[str, dict[str, Any]], dict[str, Any] | str] = wire.default_policy,
        latency_s: float | Callable[[int], float] = 0.0,
        fault: Callable[[Request], str | None] | Iterable[str | None] | None = None,
        on_request: Callable[[Request], object] | None = None,
        retry_after: float = 1.0,
        keep_requests: bool = True,
        port: int = 0,
    ) -> None:
        self._policy, self._on_request, self._retry_after = policy, on_request, retry_after
        self._latency = latency_s if callable(latency_s) else lambda _: latency_s
        names = iter(() if fault is None or callable(fault) else fault)
        self._fault = fault if callable(fault) else lambda _: next(names, None)
        self._keep, self._port = keep_requests, port
        self._requests: list[Request] = []
        self._received = self._answered = self._in_flight = self._most_in_flight = 0
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._thread: threading.Thread | None = None
        self.preflights = 0
        self.preflight_fault: str | None = None
        self.errors: list[BaseException] = []
        self.url = ""

    def __enter__(self) -> Self:
        listener = socket.create_server(("127.0.0.1", self._port), backlog=1024)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(listener, ready)), daemon=True)
        self._thread.start()
        ready.wait()
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._thread = None
        if self.errors and error is None:
            raise self.errors[0]

    @property
    def requests(self) -> list[Request]:
        """The requests so far."""
        return self._settled()._requests

    @property
    def received(self) -> int:
        """How many requests came in."""
        return self._settled()._received

    @property
    def answered(self) -> int:
        """How many requests were answered in full, with or without a fault."""
        return self._settled()._answered

    @property
    def in_flight(self) -> int:
        """How many requests wait for their answer now; those whose client has left do not."""
        return self._settled()._in_flight

    @property
    def most_in_flight(self) -> int:
        """The most requests that ever waited at once."""
        return self._settled()._most_in_flight

    def _settled(self) -> Self:
        """Let the server's thread take note of what the caller has already seen happen on the wire."""
        if self._thread and self._thread is not threading.current_thread():
            with contextlib.suppress(TimeoutError):  # it may be held up in a callback
                asyncio.run_coroutine_threadsafe(passes(5), self._loop).result(timeout=1)
        return self

    async def _serve(self, listener: socket.socket, ready: threading.Event) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await self._loop.create_server(
            lambda: asyncio.StreamReaderProtocol(Reader(), self._connected), sock=listener, backlog=1024
        )
        ready.set()
        await self._stop.wait()
        server.close()
        while self._open:
            for task in self._open:
                task.cancel()
            await asyncio.sleep(0)
        await passes(2)

    def _connected(self, reader: Reader, writer: asyncio.StreamWriter) -> None:
        writer.transport.set_write_buffer_limits(high=0)  # drained means that the kernel has it all
        task = self._loop.create_task(self._talk(reader, writer))
        self._open[task] = writer
        task.add_done_callback(self._disconnected)

    def _disconnected(self, task: asyncio.Task[None]) -> None:
        writer = self._open.pop(task)  # named, lest it be collected before the abort and warn that it is open
        writer.transport.abort()
        if not task.cancelled() and (error := task.exception()):
            self.errors.append(error)

    async def _talk(self, reader: Reader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while await self._exchange(reader, writer):
                pass

    async def _exchange(self, reader: Reader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; return whether the connection may serve another."""
        method, target, headers = parse_head(await reader.readuntil(b"\r\n\r\n"))
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        more = headers.get("connection", "").lower() != "close"
        api = wire.api_of(target) if method == "POST" else None
        if api is None:
            await passes(3)  # to see that a client it killed is gone
            writer.write(self._aside(method, target))
            await writer.drain()
            return more
        if PREFLIGHT_PROMPT[1].encode() in raw:
            self.preflights += 1
            asked = Request(0, target, api, json.loads(raw), headers, time.monotonic(), fault=self.preflight_fault)
            if asked.fault == "reset":
                reset(writer)
                return False
            if asked.fault == "hang":
                await reader.left.wait()
            writer.write(b"".join(self._plan(asked, "Ready.")))
            await writer.drain()
            return more
        self._received += 1
        self._in_flight += 1
        self._most_in_flight = max(self._most_in_flight, self._in_flight)
        request = Request(self._received, target, api, {}, headers, time.monotonic())
        if self._keep:
            self._requests.append(request)
        try:
            request.answered = await self._answer(request, raw, reader, writer)
        finally:  # with no await since the last byte was sent: the next request cannot be counted before this
            request.end = time.monotonic()
            self._in_flight -= 1
            self._answered += request.answered
        return request.answered and more

    async def _answer(self, request: Request, raw: bytes, reader: Reader, writer: asyncio.StreamWriter) -> bool:
        """Answer as the request's fault says; return whether all of the answer was sent to a client still there."""
        try:
            self._meet(request, raw)
            head, body = self._plan(request)
            latency = self._latency(request.number)
        except Exception as error:
            self.errors.append(error)
            text = f"the test provider failed: {type(error).__name__}: {error}"
            head, body = response(400, wire.error(request.api, "400", message=text))
            latency = 0.0
        if self._on_request:
            await passes(3)  # to see that a client it killed is gone
        if request.fault == "hang":
            await reader.left.wait()
        if request.fault == "drip" and not reader.left.is_set():
            return await drip(head, body, reader, writer)
        if not await reader.stays(latency):
            return False
        if request.fault in ("reset", "reset-midway"):
            if request.fault == "reset-midway":
                writer.write(head + body[: len(body) // 2])
                await writer.drain()
                await asyncio.sleep(0.05)  # let the client read it before the reset overtakes it
            reset(writer)
            return False
        writer.write(head + body)
        await writer.drain()
        return not (reader.left.is_set() or writer.transport.is_closing())

    def _meet(self, request: Request, raw: bytes) -> None:
        """Read the request's body, choose its fault, and show it to `on_request`."""
        request.body = json.loads(raw)
        request.fault = self._fault(request)
        if request.fault is not None and request.fault not in FAULTS:
            raise ValueError(f"no such fault: {request.fault}")
        if self._on_request:
            self._on_request(request)

    def _plan(self, request: Request, said: str | None = None) -> tuple[bytes, bytes]:
        """Return the head and the body of the answer; the policy decides what the model says, unless that is given."""
        api, body, fault = request.api, request.body, request.fault
        key = wire.key_of(request.path, request.headers)
        name = AFTER.get(fault, fault)
        if fault == "error-200":
            return response(200, wire.error(api, "500"))
        if name in wire.ERRORS:
            delay_s = self._retry_after if fault in AFTER else None
            headers = retry_header(fault, self._retry_after)
            return response(wire.ERRORS[name][0], wire.error(api, name, key, delay_s=delay_s), headers=headers)
        if fault == "empty-body":
            return response(200, b"")
        if fault == "html":
            return response(200, PAGE, kind="text/html; charset=utf-8")
        if fault == "wrong-body":
            return response(200, {"hello": "world"})
        prompt = wire.prompt_of(api, body)
        reply = wire.reply_of(fault, said or self._policy(prompt, body), key)
        model = wire.model_of(request.path, body)
        whole = json.dumps(wire.answer(api, model, prompt, reply, empty=fault == "no-choices")).encode()
        return response(200, whole[: len(whole) // 2] if fault == "cut-json" else whole)

    def _aside(self, method: str, path: str) -> bytes:
        """Return the answer to what is no request for a reply: the counters, or that there is none."""
        if method != "GET" or not path.endswith("/stats"):
            return b"".join(response(404, {"error": {"message": f"no such endpoint: {method} {path}"}}))
        counts = {"requests": self._received, "answered": self._answered, "mostInFlight": self._most_in_flight}
        return b"".join(response(200, {**counts, "cpuSeconds": time.process_time()}))


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    options = parser.parse_args()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    with Provider(latency_s=options.latency, port=options.port, keep_requests=False) as provider:
        print(json.dumps({"url": provider.url}), flush=True)
        signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    main()
