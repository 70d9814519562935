"""The bridge to bots of the Annual Computer Poker Competition: a program that speaks JSON lines, and ACPC to the bot.

    exec:python -m molt_bench.plugins.adapters.acpc [--stack 20000] ... -- ./startme.sh ARGUMENT...

The bot connects to a port of the bridge, which deals. Host and port stand where its command has `{host}` and `{port}`,
or else are appended. One with a slash in its name starts in its own folder. What it prints goes to standard error.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from time import sleep
from typing import Any, Final

from molt_bench.errors import AgentFailed
from molt_bench.plugins.adapters.acpc_states import Message, is_version, read_action, state_lines

_HOST: Final = "127.0.0.1"
_LONGEST: Final = 64 * 1024
#: Bytes of lines that do not count, such as comments; more is a flood.
_MOST_SKIPPED: Final = 1024 * 1024
#: Seconds for a bot that hung up to end; and how often it is looked at while it has not connected.
_ENDING_S: Final = 1.0
_LOOK_S: Final = 0.05


class Bot:
    """A bot that was started, and its connection."""

    def __init__(self, command: Sequence[str]) -> None:
        self._listener = socket.create_server((_HOST, 0))
        self._listener.settimeout(_LOOK_S)
        words = command_with(command, _HOST, self._listener.getsockname()[1])
        folder = os.path.dirname(os.path.abspath(words[0])) if "/" in words[0] else None
        self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=2, cwd=folder)
        self._connection: socket.socket | None = None
        self._lines: Iterator[bytes] = iter(())
        #: The hand that it is told of, and how many of its states it has.
        self._hand = self._told = 0

    def connect(self) -> None:
        """Wait until it connects and says its version."""
        while self._connection is None:
            if self._process.poll() is not None:
                self._leave()
            with suppress(TimeoutError):
                self._connection, _ = self._listener.accept()
        self._listener.close()
        self._connection.setblocking(True)  # noqa: FBT003 - it has no name
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines = self._received(self._connection)
        while not is_version(self._line()):
            pass

    def tell(self, seen: Message, *, again: bool = False) -> str:
        """Send the states of a hand that it has not seen, or the last one again; return the last one."""
        if seen["handNumber"] != self._hand:
            self._hand, self._told = seen["handNumber"], 0
        lines = state_lines(seen, min(self._told, len(seen["log"])) if again else self._told)
        self._told += len(lines)
        if self._connection is not None:
            with suppress(OSError):
                self._connection.sendall("".join(f"{line}\r\n" for line in lines).encode("ascii"))
        return lines[-1] if lines else ""

    def ask(self, seen: Message) -> dict[str, Any]:
        """Return what it answers to an observation; raises AgentFailed if that is no action."""
        again = seen["previousError"] is not None
        question = self.tell(seen, again=again)
        self._told = len(seen["log"]) + 1
        skipped = 0
        while skipped < _MOST_SKIPPED:
            line = self._line()
            action = read_action(line, seen, question)
            if action is not None:
                return action
            skipped += len(line)
        sys.exit("the bot keeps writing lines that do not count")

    def hang_up(self) -> None:
        """Tell it that nothing more will come."""
        if self._connection is not None:
            with suppress(OSError):
                self._connection.shutdown(socket.SHUT_WR)

    def wait(self) -> None:
        """Wait until it ends."""
        self._process.wait()

    def _line(self) -> bytes:
        line = next(self._lines, None)
        if line is None:
            self._leave()
        return line or b""

    def _received(self, connection: socket.socket) -> Iterator[bytes]:
        unread = b""
        while True:
            try:
                data = connection.recv(_LONGEST)
            except OSError:
                data = b""
            if not data:
                return
            *lines, unread = (unread + data).split(b"\n")
            yield from lines
            if len(unread) > _LONGEST:
                sys.exit(f"the bot wrote a line of more than {_LONGEST // 1024} KiB")

    def _leave(self) -> None:
        """End as the bot does."""
        try:
            status = self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            sys.exit("the bot lives on, but has closed its connection")
        if status < 0:  # by the same signal
            os.kill(os.getpid(), -status)
        sys.exit(status)


def command_with(command: Sequence[str], host: str, port: int) -> list[str]:
    """Return a command with host and port in the places that are marked for them, or else appended."""
    if any("{port}" in word for word in command):
        return [word.replace("{host}", host).replace("{port}", str(port)) for word in command]
    return [*command, host, str(port)]


def check_game(seen: Message, wanted: Message) -> None:
    """End with one line unless a game is that of the bot's game file; the protocol tells it of none."""
    found = {name: seen[name] for name in ("smallBlind", "bigBlind", "ante", "raiseCap")}
    stacks = [*seen["startingStacks"]]
    wrong = next((name for name, value in found.items() if value != wanted[name]), None)
    if wrong is not None:
        sys.exit(f"game.{wrong} = {found[wrong]}: expected {wanted[wrong]}, which is in the game file of this bot")
    if stacks != [wanted["stack"]] * 2:
        sys.exit(f"stacks of {stacks[0]} and {stacks[1]}: expected {wanted['stack']}, as in the game file of this bot")


def _say(**fields: object) -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def _read_lines(bot: Bot, lines: SimpleQueue[str]) -> None:
    """Read what the bench says, also while the bot thinks: once the bench is gone, its answer is not needed."""
    for line in sys.stdin:
        lines.put(line)
    lines.put("")
    sleep(_ENDING_S)
    bot.hang_up()


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m molt_bench.plugins.adapters.acpc", description=__doc__)
    parser.add_argument("--small-blind", type=int, default=50, help="as in the bot's game file, 50 unless given")
    parser.add_argument("--big-blind", type=int, default=100, help="the same, 100")
    parser.add_argument("--stack", type=int, default=20_000, help="the same, 20000")
    parser.add_argument("command", nargs="+", help="the bot and its arguments")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> None:
    """Start a bot once the bench says hello, and pass on what both say."""
    given = _parsed(arguments)
    blinds = {"smallBlind": given.small_blind, "bigBlind": given.big_blind}
    own = {**blinds, "ante": 0, "raiseCap": None, "stack": given.stack}
    sys.stdin.readline()
    try:
        bot = Bot(given.command)
        bot.connect()
    except (OSError, AgentFailed) as error:
        sys.exit(f"{given.command[0]}: {error}")
    lines = SimpleQueue[str]()
    Thread(target=_read_lines, args=(bot, lines), daemon=True).start()
    _say(type="hello", protocol=1)
    while line := lines.get():
        message = json.loads(line)
        match message["type"]:
            case "observation":
                check_game(message, own)
                try:
                    _say(type="action", id=message["id"], **bot.ask(message))
                except AgentFailed as failure:
                    _say(type="fault", id=message["id"], kind=failure.kind, message=str(failure))
            case "handResult":
                bot.tell(message)
    bot.hang_up()
    bot.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
