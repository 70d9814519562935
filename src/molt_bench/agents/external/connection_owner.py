"""Whose connection is it: whether a program, or somebody else on this machine, holds its other end."""

import socket
import sys
from contextlib import suppress
from typing import TypeAlias

import psutil

from molt_bench.agents.external.process_cleanup import processes_of

#: Host and port.
_Address: TypeAlias = tuple[str, int]


def is_of_program(connection: socket.socket, supervisor: int, tag: str) -> bool:
    """Return whether the other end of a connection on loopback belongs to a program: one of its processes.

    Of a process that runs as another user only the user can be compared. See `leftover_processes.processes_of`.
    """
    try:
        ends = connection.getpeername(), connection.getsockname()
    except OSError:  # it has hung up already
        return False
    users = set()
    for process in processes_of(supervisor, tag):
        with suppress(psutil.NoSuchProcess):
            try:
                if any((_plain(each.laddr), _plain(each.raddr)) == ends for each in process.net_connections("tcp")):
                    return True
            except psutil.AccessDenied:
                users.add(process.uids().real)
    return bool(users) and _user_of(*ends) in users


def _plain(address: tuple[str, int] | tuple[()]) -> _Address | None:
    """Return an address as sockets of IPv4 have it; those of Java write it in the form of IPv6."""
    return (address[0].removeprefix("::ffff:"), address[1]) if address else None


def _user_of(end: _Address, other_end: _Address) -> int | None:
    """Return the user of the socket that is bound to `end` and connected to `other_end`, which Linux alone says.

    psutil finds a socket by the process that holds it, and may not look into those of another user.
    """
    hosts = [f"{int.from_bytes(socket.inet_aton(host), sys.byteorder):08X}" for host, _ in (end, other_end)]
    mapped = int.from_bytes(b"\0\0\xff\xff", sys.byteorder)
    for table, prefix in (("/proc/net/tcp", ""), ("/proc/net/tcp6", f"{0:016X}{mapped:08X}")):
        ends = [f"{prefix}{host}:{port:04X}" for host, port in zip(hosts, (end[1], other_end[1]), strict=True)]
        with suppress(OSError), open(table, encoding="ascii") as file:
            for row in map(str.split, file):
                if row[1:3] == ends:
                    return int(row[7])
    return None
