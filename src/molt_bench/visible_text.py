"""Foreign text made visible: control characters become escapes, in messages and on a terminal; long text is cut."""

import io
import re
from typing import Any, Final, TextIO

_SHOWN_LENGTH: Final = 100
#: Types of values that are shown as they are; anything else is shown by its type.
PLAIN: Final = (str, int, float, bool, type(None))
#: Letters and marks that are drawn as nothing, so that a name of them would look empty.
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
#: What may control a terminal, turn the direction of text, or hide in it: controls but for line ends and tabs, marks of
#: direction, joiners, fillers and tags without a width, line separators, and halves of surrogate pairs.
#: It is compiled when it is first needed, since the host of a Python file starts for every game.
_CONTROLS: Final = (
    "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f\ud800-\udfff]"
)


def shown(value: object) -> str:
    """Format any value for a message: about 100 characters at most, and the same in every run.

    Anything but a plain value is shown by its type, since its own text may raise or contain an address.
    """
    if type(value) not in PLAIN:
        return f"<{type(value).__name__}>"
    try:
        text = repr(value)
    except ValueError:
        return "<an int of thousands of digits>"
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}..."


def shortened(text: str, most: int) -> str:
    """Return a text, or its beginning and its end if it is longer than so many characters."""
    return text if len(text) <= most else f"{text[: most // 2]}\n[...]\n{text[-(most // 2) :]}"


def printable(text: str) -> str:
    r"""Return text that cannot control a terminal: controls and what is drawn as nothing are escaped; line ends stay.

    >>> print(printable("a\x1b[31m\u202eb\tc"))
    a\u001b[31m\u202eb	c
    """
    return text if text.isprintable() else re.sub(_CONTROLS, lambda found: _escaped(found[0]), text)


def on_one_line(text: str) -> str:
    r"""Return text with everything escaped that is not seen: line ends, controls, turns of direction, fillers.

    >>> print(on_one_line("a\x1b[31m\u202eb\n\u3164"))
    a\u001b[31m\u202eb\u000a\u3164
    """
    seen = [char.isprintable() and char not in _BLANK for char in text]
    return "".join([char if known else _escaped(char) for char, known in zip(text, seen, strict=True)])


def _escaped(char: str) -> str:
    return f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08x}"


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
