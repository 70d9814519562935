"""Whose connection is it? On Linux the system says which process is at the other end of a connection on loopback."""

import os
import socket
import sys
from contextlib import suppress
from typing import Final, TypeAlias

from molt_bench.agents.external.processes import descendants, tagged

#: Host and port.
Address: TypeAlias = tuple[str, int]

_TABLES: Final = ("/proc/net/tcp", "/proc/net/tcp6")


def is_of_program(connection: socket.socket, pid: int, tag: str) -> bool:
    """Return whether the other end of a connection on loopback belongs to a program: its process, or one it started.

    Of a process that runs as another user only the user can be compared. On systems without /proc the answer is always
    yes.

    Args:
        connection: Our end of it.
        pid: The process of the program.
        tag: Marks what it started; see `processes.tagged`.
    """
    if not os.path.exists(_TABLES[0]):
        return True
    try:
        found = _owner(connection.getpeername(), connection.getsockname())
    except OSError:  # it has hung up already
        return False
    if found is None:
        return False
    user, inode = found
    if _holds(pid, user, inode):
        return True
    return any(_holds(process, user, inode) for process in {*descendants(pid), *tagged(tag)})


def _owner(end: Address, other_end: Address) -> tuple[int, str] | None:
    """Return the user and the inode of the socket that is bound to `end` and connected to `other_end`."""
    for table, written in zip(_TABLES, (_plain, _mapped), strict=True):
        ends = [written(end), written(other_end)]
        with suppress(OSError), open(table, encoding="ascii") as file:
            for row in map(str.split, file):
                if row[1:3] == ends:
                    return int(row[7]), row[9]
    return None


def _plain(address: Address) -> str:
    return _hex(socket.inet_aton(address[0]), address[1])


def _mapped(address: Address) -> str:
    """Write an address of IPv4 as sockets of IPv6 have it, such as those of Java."""
    return _hex(bytes(10) + b"\xff\xff" + socket.inet_aton(address[0]), address[1])


def _hex(host: bytes, port: int) -> str:
    words = [int.from_bytes(host[at : at + 4], sys.byteorder) for at in range(0, len(host), 4)]
    return "".join(f"{word:08X}" for word in words) + f":{port:04X}"


def _holds(pid: int, user: int, inode: str) -> bool:
    """Return whether a process has a socket open."""
    files = f"/proc/{pid}/fd"
    try:
        names = os.listdir(files)
    except PermissionError:
        return _user_of(pid) == user != os.getuid()
    except OSError:  # it has ended
        return False
    for name in names:
        with suppress(OSError):
            if os.readlink(f"{files}/{name}") == f"socket:[{inode}]":
                return True
    return False


def _user_of(pid: int) -> int | None:
    try:
        return os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return None
