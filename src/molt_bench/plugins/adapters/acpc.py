"""The bridge to bots of the Annual Computer Poker Competition: a program that speaks JSON lines, and ACPC to the bot.

    exec:python -m molt_bench.plugins.adapters.acpc [--stack 20000] ... -- ./startme.sh ARGUMENT...

The bot connects to a port of the bridge, which deals. Host and port are appended to its command. A bot with a slash in
its name starts in its own folder. What it prints goes to standard error.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from molt_bench.errors import AgentFailed
from molt_bench.plugins.adapters.acpc_states import Message, is_version, read_action, state_lines

_HOST: Final = "127.0.0.1"
_LONGEST: Final = 64 * 1024
#: Seconds for a bot that hung up to end; and how often it is looked at while it has not connected.
_ENDING_S: Final = 1.0
_LOOK_S: Final = 0.05


class Bot:
    """A bot that is started, and its connection once it has said its version."""

    def __init__(self, command: Sequence[str]) -> None:
        with socket.create_server((_HOST, 0)) as listener:
            listener.settimeout(_LOOK_S)
            words = [*command, _HOST, str(listener.getsockname()[1])]
            folder = os.path.dirname(os.path.abspath(words[0])) if "/" in words[0] else None
            self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=2, cwd=folder)
            self._connection = self._accepted(listener)
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines = self._connection.makefile("rb")
        #: The hand that it is told of, and how many of its states it has.
        self._hand = self._told = 0
        while not is_version(self._line()):
            pass

    def tell(self, seen: Message, *, again: bool = False) -> str:
        """Send the states of a hand that it has not seen, or the last one again; return the last one."""
        if seen["handNumber"] != self._hand:
            self._hand, self._told = seen["handNumber"], 0
        lines = state_lines(seen, min(self._told, len(seen["log"])) if again else self._told)
        self._told += len(lines)
        with suppress(OSError):
            self._connection.sendall("".join(f"{line}\r\n" for line in lines).encode("ascii"))
        return lines[-1] if lines else ""

    def ask(self, seen: Message) -> dict[str, Any]:
        """Return what it answers to an observation; raises AgentFailed if that is no action."""
        question = self.tell(seen, again=seen["previousError"] is not None)
        self._told = len(seen["log"]) + 1
        while (action := read_action(self._line(), seen, question)) is None:
            pass
        return action

    def leave(self) -> None:
        """Tell it that nothing more will come, and wait until it ends."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_WR)
        self._process.wait()

    def _accepted(self, listener: socket.socket) -> socket.socket:
        """Wait until it connects."""
        while True:
            if self._process.poll() is not None:
                self._end()
            with suppress(TimeoutError):
                return listener.accept()[0]

    def _line(self) -> bytes:
        line = b""
        with suppress(OSError):
            line = self._lines.readline(_LONGEST)
        if not line.endswith(b"\n"):
            if len(line) == _LONGEST:
                sys.exit(f"the bot wrote a line of more than {_LONGEST // 1024} KiB")
            self._end()
        return line

    def _end(self) -> None:
        """End as the bot does."""
        try:
            status = self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            sys.exit("the bot lives on, but has closed its connection")
        sys.exit(status if status >= 0 else f"the bot was ended by signal {-status}")


def check_game(seen: Message, wanted: Message) -> None:
    """End with one line unless a game is that of the bot's game file; the protocol tells it of none."""
    wrong = next((name for name, value in wanted.items() if seen[name] != value), None)
    if wrong is not None:
        sys.exit(f"{wrong} = {seen[wrong]}: expected {wanted[wrong]}, which is in the game file of this bot")


def _say(**fields: object) -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


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
    own = {**blinds, "ante": 0, "raiseCap": None, "startingStacks": [given.stack] * 2}
    sys.stdin.readline()
    try:
        bot = Bot(given.command)
    except (OSError, AgentFailed) as error:
        sys.exit(f"{given.command[0]}: {error}")
    _say(type="hello", protocol=1)
    for line in sys.stdin:
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
    bot.leave()


if __name__ == "__main__":
    main(sys.argv[1:])
