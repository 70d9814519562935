"""Lines from and to a program, over file descriptors that do not block: always read, and kept up to a limit."""

import asyncio
import os
from collections import deque
from collections.abc import Callable
from typing import Final

from molt_bench.agents.external.protocol import LONGEST_ANSWER

#: Bytes of unread output; more is a flood.
MOST_UNREAD: Final = 1024 * 1024
#: Bytes read at a time.
CHUNK: Final = 64 * 1024
#: Stands for no file descriptor.
_NONE: Final = -1


class LineChannel:
    """Lines from and to a program, on the running event loop. The descriptors are somebody else's to close.

    Attributes:
        lost: What the program has closed, such as "standard output"; "" while it is connected.
        flood: What it wrote too much of; "" if it did not. Then the rest is not read.

    Args:
        source: Descriptor to read from.
        sink: Descriptor to write to; may be the same.
        names: What the two are called.
        close_sink: Tells the program that nothing more will come.
        changed: Called when there is something new.
    """

    def __init__(
        self,
        source: int,
        sink: int,
        *,
        names: tuple[str, str],
        close_sink: Callable[[], None],
        changed: Callable[[], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._source, self._sink = source, sink
        self._names = names
        self._close_sink = close_sink
        self._changed = changed
        self._lines: deque[bytes] = deque()
        self._unread = 0
        self._partial = bytearray()
        self._unsent = bytearray()
        self._at_end = False
        self.lost = ""
        self.flood = ""
        for descriptor in (source, sink):
            os.set_blocking(descriptor, False)
        self._loop.add_reader(source, self._read)

    @property
    def has_partial(self) -> bool:
        """Whether there is text without a line break."""
        return bool(self._partial)

    @property
    def has_sent_all(self) -> bool:
        """Whether all that was written is on its way."""
        return not self._unsent

    def write(self, data: bytes) -> None:
        """Send data as soon as the program reads it; it is dropped if the program is gone."""
        if self.lost or self._sink == _NONE:
            return
        empty = not self._unsent
        self._unsent += data
        if empty:
            self._send()
            if self._unsent:
                self._loop.add_writer(self._sink, self._send)

    def _send(self) -> None:
        try:
            del self._unsent[: os.write(self._sink, self._unsent)]
        except BlockingIOError:
            return
        except OSError:
            self._unsent.clear()
            self._lose(self._names[1])
        if not self._unsent:
            self._loop.remove_writer(self._sink)

    def next_line(self) -> bytes | None:
        """Return the next line, without its end; None if there is none yet."""
        if not self._lines:
            return None
        line = self._lines.popleft()
        self._unread -= len(line) + 1
        return line

    def _read(self) -> None:
        data = read_some(self._source)
        if data is None:
            return
        if not data:
            self._loop.remove_reader(self._source)
            self._at_end = True
            self._lose(self._names[0])
            return
        *lines, rest = data.split(b"\n")
        for line in lines:
            whole = bytes(self._partial) + line
            self._partial.clear()
            self._unread += len(whole) + 1
            self._lines.append(whole)
            if len(whole) > LONGEST_ANSWER:
                self.flood = f"a line of more than {LONGEST_ANSWER // 1024} KiB"
        self._partial += rest
        if len(self._partial) > LONGEST_ANSWER:
            self.flood = f"a line of more than {LONGEST_ANSWER // 1024} KiB"
        elif self._unread > MOST_UNREAD:
            self.flood = f"more than {MOST_UNREAD // 1024} KiB that nobody asked for"
        if self.flood:
            self._loop.remove_reader(self._source)  # the rest is not read
        self._changed()

    def read_to_the_end(self) -> bool:
        """Read what a program wrote before it ended, and return whether there was anything to take.

        A child of its own may still hold the other end.
        """
        for _ in range(MOST_UNREAD // CHUNK):
            before = self._unread, len(self._partial)
            if self.flood or self._at_end:
                break
            self._read()
            if before == (self._unread, len(self._partial)):
                break
        return bool(self._lines or self.flood)

    def hang_up(self) -> None:
        """Send no more, and tell the program so."""
        self._stop_sending()
        self._close_sink()

    def close(self) -> None:
        """Neither read nor send any more."""
        self._stop_sending()
        if not self._loop.is_closed():
            self._loop.remove_reader(self._source)

    def _stop_sending(self) -> None:
        if self._sink != _NONE and not self._loop.is_closed():
            self._loop.remove_writer(self._sink)
        self._sink = _NONE  # the descriptor may be reused

    def _lose(self, name: str) -> None:
        self.lost = self.lost or name
        self._changed()


def read_some(descriptor: int) -> bytes | None:
    """Return what there is to read: b"" at the end, None if there is nothing yet."""
    try:
        return os.read(descriptor, CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""
