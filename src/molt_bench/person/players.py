"""The two players at a person's table: the person, and the agent across from them."""

import inspect
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from rich.text import Text

from molt_bench.agents.base import PokerAgent
from molt_bench.errors import GameUnfinished
from molt_bench.person.input import NotUnderstood, Request, parse_line
from molt_bench.person.screen import Screen
from molt_bench.play.seated_agent import SeatedAgent
from molt_bench.poker.actions import FOLD, Action
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.visible_text import printable

#: Shows a prompt and reads a line; None at the end of the input.
ReadLine = Callable[[str], str | None]
_PROMPT: Final = "> "


class PersonLeft(GameUnfinished):
    """The person has left the table; if the screen failed instead, the cause says why."""


class Person:
    """A person as an agent: acts on what they type."""

    name = "you"

    def __init__(self, screen: Screen, read: ReadLine) -> None:
        self._screen = screen
        self._read = read

    def act(self, observation: Observation) -> Action:
        """Prompt until a legal action is typed; PersonLeft if they quit."""
        with _persons_turn():
            self._screen.show(observation)
            while True:
                wanted = self._wanted(observation)
                if isinstance(wanted, Action):
                    if self._screen.coach is not None:
                        self._screen.coach.note(wanted)
                    return wanted
                if wanted == "quit":
                    raise PersonLeft
                if wanted == "help":
                    self._screen.help(observation)
                elif wanted == "log":
                    self._screen.again(observation)

    def on_hand_complete(self, result: HandResult) -> None:
        """Show how the hand ended."""
        with _persons_turn():
            self._screen.finish(result)

    def _wanted(self, seen: Observation) -> Action | Request | None:
        line = self._read(_PROMPT)
        if line is None:
            return "quit"
        try:
            wanted = parse_line(line, seen)
        except NotUnderstood as problem:
            self._screen.print(Text(f"  {printable(str(problem))}", "yellow"))
            return None
        if wanted == FOLD and not seen.to_call:
            sure = self._read("  Checking is free. Fold anyway? [y/N] ")
            return "quit" if sure is None else FOLD if sure.strip().lower() in ("y", "yes") else None
        return wanted


@contextmanager
def _persons_turn() -> Iterator[None]:
    """Turn Ctrl-C and any failure of ours into `PersonLeft`, so that neither counts as a player's fault."""
    try:
        with _interruptible():
            yield
    except PersonLeft:
        raise
    except KeyboardInterrupt:
        raise PersonLeft from None
    except BaseException as error:
        raise PersonLeft from error


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C interrupt at once, even where an event loop would defer it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Opponent:
    """The agent across from the person: forwards every call to it, and reports its faults to the screen."""

    def __init__(self, agent: PokerAgent, screen: Screen) -> None:
        seat = SeatedAgent(agent)
        self.name = seat.name
        self.keeps_time = seat.keeps_time
        self.close = seat.close
        self.only_game = seat.only_game
        self._act = seat.act
        self._agents_on_error = seat.hooks.get("on_error")
        self._screen = screen
        self._hand = 0
        for hook, method in seat.hooks.items():
            if hook != "on_error":
                setattr(self, hook, method)

    def act(self, observation: Observation) -> Any:
        """Ask the agent."""
        self._hand = observation.hand_number
        answer = self._act(observation)
        return self._awaited(answer) if type(answer) is not Action and inspect.isawaitable(answer) else answer

    async def _awaited(self, answer: Awaitable[Any]) -> Any:
        console = self._screen.console
        if not console.is_terminal or console.is_dumb_terminal:
            return await answer
        spinner = "dots" if self._screen.look.symbols else "line"
        with console.status(Text(f"{self._screen.look.opponent} is thinking"), spinner=spinner):
            return await answer

    def on_error(self, message: str) -> Any:
        """Report a fault to the screen, and to the agent if it has the hook."""
        self._screen.fault(self._hand, message)
        return self._agents_on_error(message) if self._agents_on_error is not None else None


def read_line(prompt: str) -> str | None:
    """Read a line from standard input, echoing it if a script types; None at the end or on Ctrl-C."""
    try:
        return typed_line(prompt)
    except (EOFError, KeyboardInterrupt):
        print(flush=True)
        return None
    except ValueError:  # such as a zero byte
        return ""


def typed_line(prompt: str) -> str | None:
    """Do the same, but raise on Ctrl-C, and at the end of what a person types."""
    source = sys.stdin
    if source is None or source.closed:
        return None
    if source.isatty():
        return input(prompt)
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = source.readline()
    print(printable(line.rstrip("\n")), flush=True)
    return line or None
