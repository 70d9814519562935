"""Whose connection is it: whether a program, or somebody else on this machine, holds its other end."""

import socket
from contextlib import suppress
from typing import TypeAlias

import psutil

from molt_bench.agents.external.process_cleanup import processes_of

#: Host and port.
_Address: TypeAlias = tuple[str, int]


def is_of_program(connection: socket.socket, supervisor: int, tag: str) -> bool:
    """Return whether the other end of a connection on loopback belongs to a program: one of its processes."""
    try:
        ends = connection.getpeername(), connection.getsockname()
    except OSError:  # it has hung up already
        return False
    for process in processes_of(supervisor, tag):
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if any((_plain(each.laddr), _plain(each.raddr)) == ends for each in process.net_connections("tcp")):
                return True
    return False


def _plain(address: tuple[str, int] | tuple[()]) -> _Address | None:
    """Return an address as sockets of IPv4 have it; those of Java write it in the form of IPv6."""
    return (address[0].removeprefix("::ffff:"), address[1]) if address else None
