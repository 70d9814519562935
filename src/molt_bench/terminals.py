"""Streams that keep printed text from controlling the terminal: control characters become visible escapes."""

import io
from typing import Any, TextIO

from molt_bench.errors import printable


class VisibleStream(io.TextIOWrapper):
    r"""A text stream in which every control character is written as an escape such as `\u001b`; line ends stay.

    Only what goes to `styled` may control the terminal, as for colour; foreign text has to be made visible before.
    """

    def write(self, text: str, /) -> int:
        """Write text so that it controls nothing."""
        super().write(printable(text))
        return len(text)

    @property
    def styled(self) -> "Styled":
        """The same stream, for a console that makes foreign text visible itself and adds styles to it."""
        return Styled(self)


class Styled:
    """A visible stream as a console writes to it: as it is."""

    def __init__(self, stream: VisibleStream) -> None:
        self._stream = stream

    def write(self, text: str, /) -> int:
        """Write text as it is."""
        return io.TextIOWrapper.write(self._stream, text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class VisibleLines:
    """A stream in front of another one that has its own idea of control characters, as a live display has."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str, /) -> int:
        """Write text so that it controls nothing."""
        return self._stream.write(printable(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def visible_stream(stream: io.TextIOWrapper, raw: io.RawIOBase, *, errors: str) -> VisibleStream:
    """Return a visible stream in place of another one, which writes to `raw`."""
    return VisibleStream(
        io.BufferedWriter(raw),
        stream.encoding,
        errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
