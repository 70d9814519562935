"""Files: user text, limited in size and never waited for indefinitely; and output, written whole or not at all."""

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from select import select
from typing import IO, Final, TypeVar

from molt_bench.errors import ConfigError

#: Seconds to wait for the first and for each further piece of data from a pipe.
_PATIENCE_S: Final = 10.0
_PIECE: Final = 2**16

#: What file names are not made of; names that others could have, of another case or with a hash; and the most
#: characters before that.
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_SHARED: Final = re.compile(r"[A-Z]|-[0-9a-f]{8}$")
_LONGEST_NAME: Final = 100

T = TypeVar("T")


def file_name(name: str) -> str:
    """Return a name for the files of a participant: another one for each, also where case makes no difference.

    >>> file_name("my_bot"), file_name("my bot"), file_name("My_bot")
    ('my_bot', 'my_bot-ccb0931f', 'My_bot-1949d4b9')
    """
    safe = _UNSAFE.sub("_", name)[:_LONGEST_NAME].lstrip(".") or "_"
    return safe if safe == name and not _SHARED.search(name) else f"{safe}-{sha256(name.encode()).hexdigest()[:8]}"


def inside(root: Path, file: Path) -> bool:
    """Return whether a file exists and is inside the folder, after following links."""
    try:
        return file.is_file() and file.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


def is_there(file: Path) -> bool:
    """Return whether there is such a file; raise OSError if that is hidden, which `is_file` does not on Python 3.14."""
    try:
        return stat.S_ISREG(file.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # the last for a null byte in a name
        return False


def write_whole(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write a file whole or not at all, so that a reader never sees half of it; raises OSError if it cannot."""
    fill_whole(path, lambda file: file.write(content), mode=mode)


def fill_whole(path: Path, fill: Callable[[IO[bytes]], T], *, mode: int = 0o666) -> T:
    """Do the same with content that a function writes, and return what the function returns."""
    part = path.with_name(f".{path.name}.part")
    try:
        with open(part, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            filled = fill(file)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return filled


def text_of(path: str, *, field: str, most_bytes: int, encoding: str = "utf-8-sig") -> str:
    """Read a file or a pipe of at most `most_bytes`; by default, a byte order mark is skipped.

    Raises ConfigError, for the setting `field`, if it cannot be read, is too large, is not UTF-8, or no data comes.
    """
    try:
        # Otherwise, opening a pipe without a writer would block.
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


@contextmanager
def writing(field: str, path: str, what: str = "a file") -> Iterator[None]:
    """Raise ConfigError, which names the field, for whatever cannot be written within the context."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ConfigError(field, path, f"{what} that can be written ({error.strerror})") from error


def _bytes_of(file: int, most_bytes: int) -> bytes:
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
