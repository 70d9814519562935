"""The messages that wait to be sent to one moltpoker client, in order.

A client that does not read must not hold up anybody: messages wait in a queue of its own, and if that is full, or one
message cannot be sent for long, the connection is dropped.
"""

import asyncio
import time
from typing import Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from molt_bench.serve.doors.moltpoker.formats import Format, encoded
from molt_bench.serve.doors.moltpoker.server_messages import Message

#: Messages that wait for a client to read them, at most.
_UNREAD: Final = 256
#: Seconds to send one message, and to close a connection.
_SEND_S: Final = 30.0
_CLOSE_S: Final = 5.0


class SendQueue:
    """The messages to a client.

    Attributes:
        ending: Whether nothing more will be sent after what waits.
        dropped: Is set when the connection has to end, even if the client does not read.
        told: Whether the client was told that the run is over.
    """

    def __init__(self, websocket: WebSocket, *, form: Format, table_id: str) -> None:
        self.ending = False
        self.dropped = asyncio.Event()
        self.told = False
        self._websocket = websocket
        self._form: Format = form
        self._table_id = table_id
        self._unread: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue(_UNREAD)
        self._sending_since: float | None = None

    def post(self, message: Message) -> None:
        """Send a message as soon as the client reads it."""
        self._put(encoded(message, self._form, table_id=self._table_id, now_ms=time.time_ns() // 1_000_000))

    def end(self, code: int, reason: str) -> None:
        """Say goodbye and close, soon even if the client does not read."""
        if not self.ending:
            self._put((code, reason))
            self.ending = True
            asyncio.get_running_loop().call_later(_CLOSE_S, self.dropped.set)

    def _put(self, item: str | tuple[int, str]) -> None:
        if self.ending:
            return
        try:
            self._unread.put_nowait(item)
        except asyncio.QueueFull:
            self.ending = True
            self.dropped.set()

    async def send(self) -> None:
        """Send what waits, until the goodbye is said or the client reads no more."""
        try:
            while True:
                item = await self._unread.get()
                self._sending_since = time.monotonic()
                if not isinstance(item, str):
                    await self._websocket.close(*item)
                    self.told = item[0] == 1000
                    return
                await self._websocket.send_text(item)
                self._sending_since = None
        except (WebSocketDisconnect, RuntimeError):
            pass  # it is gone

    def drop_if_stuck(self) -> None:
        """Drop the connection if the client has not read for too long; a look now and then is cheaper than a timer."""
        if self._sending_since is not None and time.monotonic() > self._sending_since + _SEND_S:
            self.ending = True
            self.dropped.set()
