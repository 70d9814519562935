"""The lines of files of replies, those of programs and those of models: how they are written and read.

Every reply is written before the game uses it. So a game that was cut off goes on at the decision that was open, and a
run is verified without the models, programs and servers that played in it.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from molt_bench.errors import JournalError

#: The format of both files of replies.
FORMAT: Final = 1

encode: Final = msgspec.json.Encoder().encode


def line_reader(lines: Any, header: type[Any] | None = None) -> Callable[[bytes, str], Any]:
    """Return what parses a line of a file, and raises JournalError, naming its place, if that cannot be done.

    The format is that of the `header`.
    """
    decoder = msgspec.json.Decoder(lines)

    def read(text: bytes, place: str) -> Any:
        try:
            line = decoder.decode(text)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise JournalError(f"{place} is damaged: {error}") from error
        if header is not None and isinstance(line, header) and line.format != FORMAT:
            raise JournalError(f"{place} has format {line.format}; this version reads format {FORMAT}")
        return line

    return read
