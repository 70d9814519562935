"""The relay of an ACPC bot in its box, which has no network: passes the bot's connection on through our pipes.

It runs as a script, and imports little, since it is started for every game. The bot connects to a port on loopback that
only its own box has.

    acpc_relay.py PROGRAM [ARGUMENT...]

Host and port are put where the command has `{host}` and `{port}`, or else appended. What the bot sends goes to standard
output, and what we send comes from standard input. The bot's own input is empty, and its output goes to standard error.
The relay ends when the bot does, in the same way.
"""

import os
import select
import socket
import sys
from contextlib import suppress

_HOST = "127.0.0.1"
_CHUNK = 64 * 1024
_SIGNALLED = 128


def _started(command: list[str], port: int) -> int:
    """Start the bot; return its pid."""
    if any("{port}" in word for word in command):
        command = [word.replace("{host}", _HOST).replace("{port}", str(port)) for word in command]
    else:
        command = [*command, _HOST, str(port)]
    pid = os.fork()
    if pid:
        return pid
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    try:
        os.execv(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(127)


def _pass_on(bot: int, listener: socket.socket) -> int:
    """Pass lines on until the bot has ended; return its status."""
    ended = os.pidfd_open(bot)
    connection: socket.socket | None = None
    sources: list[int | socket.socket] = [ended, listener]
    while True:
        ready, _, _ = select.select(sources, (), ())
        if listener in ready:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            listener.close()  # it plays over one connection
            sources = [ended, connection, 0]
            continue
        if connection is not None and connection in ready:
            data = _received(connection)
            if data:
                _write(data)
                continue
            sources.remove(connection)
            os.close(1)
        if connection is not None and 0 in ready:
            data = os.read(0, _CHUNK)
            if not data or not _sent(connection, data):
                sources.remove(0)
                _hang_up(connection)
        if ended in ready:
            return os.waitpid(bot, 0)[1]


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(_CHUNK)
    except OSError:
        return b""


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def _sent(connection: socket.socket, data: bytes) -> bool:
    try:
        connection.sendall(data)
    except OSError:
        return False
    return True


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_WR)


def main(command: list[str]) -> int:
    """Start a bot and pass on what it says; return the status to end with."""
    listener = socket.create_server((_HOST, 0))
    status = _pass_on(_started(command, listener.getsockname()[1]), listener)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else _SIGNALLED + os.WTERMSIG(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
