"""Files of the user as text: within bounds, and never waited for without end."""

import os
import stat
from typing import Final

from molt_bench.errors import ConfigError

#: Seconds for the first and for every further piece of what comes through a pipe.
_PATIENCE_S: Final = 10.0
_PIECE: Final = 2**16


def text_of(path: str, *, field: str, most_bytes: int, encoding: str = "utf-8-sig") -> str:
    """Read a file, or what comes through a pipe.

    Args:
        path: Where it is.
        field: The setting that names it.
        most_bytes: How large it may be.
        encoding: Some kind of UTF-8; by default a mark at the beginning is left out.

    Raises:
        ConfigError: It cannot be read, is too large or not UTF-8, or nothing comes.
    """
    try:
        # A pipe that nobody writes would otherwise be waited for as soon as it is opened.
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            data = _bytes_of(file, most_bytes)
        finally:
            os.close(file)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise ConfigError(field, path, f"a file that can be read ({why or error})") from error
    if len(data) > most_bytes:
        raise ConfigError(field, path, f"a file of at most {most_bytes:,} bytes")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        what = "it is UTF-16, not UTF-8" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "it is not UTF-8"
        raise ConfigError(field, path, f"a file that can be read ({what})") from error


def _bytes_of(file: int, most_bytes: int) -> bytes:
    from select import select

    waits = not stat.S_ISREG(os.fstat(file).st_mode)
    data = b""
    while len(data) <= most_bytes:
        if waits and not select([file], [], [], _PATIENCE_S)[0]:
            raise ValueError(f"nothing came from it for {_PATIENCE_S:g} seconds")
        piece = os.read(file, _PIECE)
        if not piece:
            break
        data += piece
    return data
