"""What our plug-ins with a web server share: where it listens, and what its address is."""

import errno
import ipaddress
import socket
from typing import Final

from molt_bench.errors import ConfigError, MoltBenchError

_EVERY_ADDRESS: Final = ("0.0.0.0", "::", "")


def is_every_address(host: str) -> bool:
    """Return whether a server that listens there can be reached from other machines, at any address of this one."""
    return host in _EVERY_ADDRESS


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def bound(host: str, port: int) -> socket.socket:
    """Return a listening socket; an error says whether the port is taken or the host not of this machine."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        # The protocol is named, since asyncio sends at once only then; otherwise each answer waits 40 ms.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise ConfigError("--host", host, f"an address of this machine ({error.strerror})") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(64)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise ConfigError("--host", host, f"an address of this machine ({error.strerror})") from error
        raise MoltBenchError(
            f"port {port} of {host} cannot be used ({error.strerror}): name another with --port"
        ) from error
    return listener


def url_of(host: str, port: int) -> str:
    """Return the URL of a server that listens there, as a browser on this machine takes it."""
    shown = "localhost" if is_every_address(host) else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"
