"""AcpcAgent: a bot of the Annual Computer Poker Competition. It connects to a port of ours, and we deal."""

import asyncio
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from molt_bench.agents.external import acpc_protocol as protocol
from molt_bench.agents.external.child_process import Child
from molt_bench.agents.external.command import start_folder, started_in
from molt_bench.agents.external.connection_owner import is_of_program
from molt_bench.agents.external.program_agent import ProgramAgent
from molt_bench.agents.external.program_settings import HOST_WORD, PORT_WORD, AcpcSettings
from molt_bench.agents.sandbox.visible_files import needed_by_python
from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.specs import GameOptions

HOST: Final = "127.0.0.1"
_RELAY: Final = str(Path(__file__).parents[1] / "sandbox" / "acpc_relay.py")


class AcpcAgent(ProgramAgent[AcpcSettings]):
    """A program that connects to a port, which is appended to its command, and plays by the ACPC protocol."""

    _port: "_Port | None" = None
    #: The hand that the process is being told of, how many of its states it has, and the one that it is to answer.
    _hand = 0
    _told = 0
    _question = ""

    def __init__(self, name: str, settings: AcpcSettings, **options: Any) -> None:
        self._start_folder = start_folder(settings.command)
        super().__init__(name, settings, **options)

    @property
    def only_game(self) -> GameOptions:
        """The game of its game file. The protocol tells it of none, and has neither antes nor uneven stacks."""
        settings = self._settings
        return {
            "small_blind": settings.small_blind,
            "big_blind": settings.big_blind,
            "ante": 0,
            "stack": settings.stack,
            "stacks": "reset",
            "raise_cap": settings.raise_cap,
        }

    async def on_hand_complete(self, outcome: HandResult) -> None:
        """Send the states of the hand that it has not seen, the last one as the table saw it."""
        if self._child is not None:
            self._send(self._child, protocol.state_lines(outcome, self._told_of(outcome)))

    def _shown(self, words: tuple[str, ...]) -> Sequence[str]:
        own = [] if self._start_folder is None else [self._start_folder]
        return [*super()._shown(words), *needed_by_python(()), _RELAY, *own]

    def _launched(self) -> Child:
        self._hand = 0
        words = started_in(self._start_folder, self._command.words)
        if self._command.box is not None:  # no port of ours can be reached from there
            return self._new_child((sys.executable, "-I", "-S", _RELAY, *words), piped=True)
        port = _Port()
        try:
            child = self._new_child(command_with(words, HOST, port.number), piped=False)
        except BaseException:
            port.close()
            raise
        port.open_to(child)
        self._port = port
        return child

    async def _hello(self, child: Child) -> None:
        limit_s = self._settings.start_timeout_s

        def late() -> str:
            missing = self._port.missing if self._port is not None else f"no connection with {protocol.VERSION}"
            return f"{missing} within {limit_s:g} s"

        await self._first(child, protocol.read_version, deadline=child.started + limit_s, late=late)

    def _ask(self, child: Child, observation: Observation) -> None:
        told = min(self._told_of(observation), len(observation.log))  # on a retry it has seen the state already
        lines = protocol.state_lines(observation, told)
        self._told = len(observation.log) + 1
        self._question = lines[-1]
        self._send(child, lines)

    def _action(self, line: bytes, observation: Observation) -> Action | None:
        return protocol.read_action(line, observation, self._question)

    def _told_of(self, seen: Observation | HandResult) -> int:
        """Return how many states of a hand the process has."""
        if seen.hand_number != self._hand:
            self._hand, self._told = seen.hand_number, 0
        return self._told

    def _send(self, child: Child, lines: Sequence[str]) -> None:
        child.write(b"".join(line.encode("ascii") + protocol.LINE_END for line in lines))

    def _end(self) -> None:
        super()._end()
        port, self._port = self._port, None
        if port is not None:
            port.close()


def command_with(command: Sequence[str], host: str, port: int) -> list[str]:
    """Return a command with host and port in the places that are marked for them, or else appended."""
    if any(PORT_WORD in word for word in command):
        return [word.replace(HOST_WORD, host).replace(PORT_WORD, str(port)) for word in command]
    return [*command, host, str(port)]


class _Port:
    """A port on loopback, by its number, for one connection of one program; whoever else connects is sent away.

    Raises AgentFailed if there is none left.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._connection: socket.socket | None = None
        self._strangers = 0
        try:
            self._listener = socket.create_server((HOST, 0))
        except OSError as error:
            raise AgentFailed("transport", f"there is no port for the program: {error.strerror}") from None
        self._listener.setblocking(False)  # noqa: FBT003 - it has no name
        self.number: int = self._listener.getsockname()[1]

    @property
    def missing(self) -> str:
        """What has not come yet, in words."""
        if self._connection is not None:
            return f"connected, but no {protocol.VERSION}"
        others = f" (but {self._strangers} of other processes, which were refused)" if self._strangers else ""
        return f"no connection{others}"

    def open_to(self, child: Child) -> None:
        """Let the program in as soon as it connects."""
        self._loop.add_reader(self._listener, self._accept, child)

    def _accept(self, child: Child) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:  # it has hung up already
            return
        if not is_of_program(connection, child.pid, child.tag):
            self._strangers += 1
            connection.close()
            return
        self._stop_listening()
        self._connection = connection
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        names = ("connection", "connection")
        child.connect(connection.fileno(), connection.fileno(), names=names, close_sink=self._hang_up)

    def _hang_up(self) -> None:
        if self._connection is not None:
            with suppress(OSError):
                self._connection.shutdown(socket.SHUT_WR)

    def _stop_listening(self) -> None:
        if self._listener.fileno() >= 0:
            if not self._loop.is_closed():
                self._loop.remove_reader(self._listener)
            self._listener.close()

    def close(self) -> None:
        """Hang up, and let nobody in any more."""
        self._stop_listening()
        if self._connection is not None:
            self._connection.close()
