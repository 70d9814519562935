"""Ports for tests."""

import socket
from functools import cache


@cache
def deaf() -> socket.socket:
    """Return a socket at a port on which nobody listens; it holds the port, so that nobody else comes to listen."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    return held


def deaf_port() -> int:
    """Return that port."""
    port: int = deaf().getsockname()[1]
    return port
