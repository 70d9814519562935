"""HTTP/1.1 over asyncio streams, as much of it as the test provider needs: heads, bodies, and rude goodbyes."""

import asyncio
import contextlib
import json
import math
import socket
import struct
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http import HTTPStatus
from typing import Any

DRIP_S = 1.0


class Reader(asyncio.StreamReader):
    """A stream reader that tells at once when the client has left."""

    def __init__(self) -> None:
        super().__init__()
        self.left = asyncio.Event()

    def feed_eof(self) -> None:
        super().feed_eof()
        self.left.set()

    def set_exception(self, exc: BaseException) -> None:
        super().set_exception(exc)
        self.left.set()

    async def stays(self, seconds: float) -> bool:
        """Wait so long; return whether the client is still there."""
        if seconds > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self.left.wait()
        return not self.left.is_set()


def parse_head(head: bytes) -> tuple[str, str, dict[str, str]]:
    """Return a request's method, target and headers (names in lower case)."""
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ")
    pairs = (line.partition(":") for line in lines)
    return method, target, {name.strip().lower(): value.strip() for name, _, value in pairs}


def response(
    status: int, body: Any, *, kind: str = "application/json", headers: dict[str, str] | None = None
) -> tuple[bytes, bytes]:
    """Return the head and the body of an HTTP response; a body that is not bytes is sent as JSON."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    reason = "Overloaded" if status == 529 else HTTPStatus(status).phrase
    more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    head = f"HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\nContent-Length: {len(raw)}\r\n{more}\r\n"
    return head.encode("latin-1"), raw


def retry_header(fault: str | None, seconds: float) -> dict[str, str]:
    """Return the header with which a fault names its delay; the date is rounded up to its next whole second."""
    if fault in ("429-after", "503-after"):
        return {"Retry-After": f"{seconds:g}"}
    if fault == "429-after-ms":
        return {"retry-after-ms": f"{seconds * 1000:g}"}
    if fault == "429-date":
        date = datetime.fromtimestamp(math.ceil((datetime.now(UTC) + timedelta(seconds=seconds)).timestamp()), UTC)
        return {"Retry-After": format_datetime(date, usegmt=True)}
    return {}


async def drip(head: bytes, body: bytes, reader: Reader, writer: asyncio.StreamWriter) -> bool:
    """Send the head at once and then a byte a second; return whether the client stayed for all of it."""
    writer.write(head)
    await writer.drain()
    for place in range(len(body)):
        if not await reader.stays(DRIP_S):
            return False
        writer.write(body[place : place + 1])
        await writer.drain()
    return not reader.left.is_set()


def reset(writer: asyncio.StreamWriter) -> None:
    """Close a connection with a TCP reset."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def passes(count: int) -> None:
    """Let the event loop look at its sockets a few times."""
    for _ in range(count):
        await asyncio.sleep(0)
