"""A proxy on loopback: it passes on what it is sent, and remembers which URLs it was asked for."""

import asyncio
from threading import Thread
from urllib.parse import urlsplit

from tests.llm.http1 import parse_head


class Proxy:
    """An HTTP proxy in a thread of its own; one request a connection."""

    def __init__(self):
        self.asked = []

    def __enter__(self):
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        started = asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(started, self._loop).result()
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _pass_on(self, reader, writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            method, target, headers = parse_head(head)
            self.asked.append((method, target, headers))
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            parts = urlsplit(target)
            inner, outer = await asyncio.open_connection(parts.hostname, parts.port)
            path = parts._replace(scheme="", netloc="").geturl() or "/"
            _, *lines = head.decode("latin-1").split("\r\n")
            kept = [line for line in lines if line and not line.lower().startswith("connection:")]
            first = f"{method} {path} HTTP/1.1"
            outer.write("\r\n".join((first, *kept, "Connection: close", "", "")).encode("latin-1") + body)
            answer = await inner.readuntil(b"\r\n\r\n")
            _, *more = answer.decode("latin-1").split("\r\n")
            length = next(int(each.partition(":")[2]) for each in more if each.lower().startswith("content-length"))
            writer.write(answer.replace(b"\r\n", b"\r\nConnection: close\r\n", 1) + await inner.readexactly(length))
            await writer.drain()
            outer.close()
        finally:
            writer.close()
