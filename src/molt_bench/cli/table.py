"""The table: a person against any agent, in the terminal."""

import inspect
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from molt_bench.agents.base import PokerAgent
from molt_bench.cli.participant import printable
from molt_bench.cli.typed import HELP, Misheard, Request, understood
from molt_bench.errors import GameUnfinished
from molt_bench.play.seated_agent import SeatedAgent
from molt_bench.poker.actions import FOLD, Action
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.report.odds import odds_of
from molt_bench.report.table import Look, choices, outcome, story, table_of

#: Reads a line after a prompt; None when there are no more.
Ask = Callable[[str], str | None]
_PROMPT: Final = "> "
#: What the screen has room for.
_MESSAGE_LENGTH: Final = 200


class Left(GameUnfinished):
    """The person has left the table, or the screen could not be written; the cause says which."""


class Screen:
    """What the person sees, line by line; only what their seat may see ever gets here.

    Attributes:
        results: The hands that were finished.
        faults: What the opponent's answers that were not taken said, with the hand of each.
        in_hand: Whether a hand is under way.

    Args:
        console: Where it is written.
        look: How it is drawn.
        hands: Hands of a game.
        odds: Whether to show the price of a call and what the cards are worth.
    """

    def __init__(self, console: Console, look: Look, *, hands: int, odds: bool = False) -> None:
        self.console = console
        self.look = look
        self.results: list[HandResult] = []
        self.faults: list[tuple[int, str]] = []
        self.in_hand = False
        self._hands = hands
        self._odds = odds
        self._hand = 0
        self._told = 0
        self._net = 0
        self._untold: list[str] = []

    def print(self, *lines: Any) -> None:
        """Print lines."""
        for line in lines:
            self.console.print(line)

    def tell(self, view: Observation | HandResult) -> None:
        """Tell what has happened in the hand since it was last told."""
        if view.hand_number != self._hand:
            self._hand, self._told, self.in_hand = view.hand_number, 0, True
            who = "you have" if view.button == view.seat else f"{self.look.opponent} has"
            self.print("", self.look.line(f"Hand {view.hand_number} of {self._hands}: {who} the button"))
        lines = list(story(view, self.look))
        self.print(*lines[self._told :])
        self._told = len(lines)
        self._tell_faults()

    def show(self, seen: Observation) -> None:
        """Draw the table, and what may be done."""
        self.tell(seen)
        self.print(table_of(seen, self.look))
        if self._odds:
            self.print(Text(f"  {odds_of(seen)}", "dim"))
        self.print(choices(seen))

    def again(self, seen: Observation) -> None:
        """Tell the hand from its start."""
        self.print(*story(seen, self.look))

    def help(self, seen: Observation) -> None:
        """Show what may be typed."""
        for keys, meaning in HELP:
            self.print(Text.assemble((f"  {keys:22}", "bold"), meaning))
        self.print(choices(seen))

    def finish(self, result: HandResult) -> None:
        """Tell how a hand ended, and the score so far."""
        self.tell(result)
        self.results.append(result)
        self.in_hand = False
        self._hand = 0
        self._net += result.net[result.seat]
        played = len(self.results)
        rate = 100 * self._net / self.look.rules.big_blind / played
        self.print(outcome(result, self.look))
        said = f"After {played} hand{'s' if played > 1 else ''}: {self._net:+,} chips, {rate:+,.0f} bb/100."
        self.print(Text(said, "dim"))

    def fault(self, hand_number: int, message: str) -> None:
        """Note that an answer of the opponent was not taken; the person is told of it with what it then did."""
        said = printable(" ".join(message.split()))[:_MESSAGE_LENGTH]
        self.faults.append((hand_number, said))
        self._untold.append(said)

    def _tell_faults(self) -> None:
        if self._untold:
            name, count = self.look.opponent, len(self._untold)
            times = "an answer" if count == 1 else f"{count} answers"
            self.print(Text(f"  ({times} of {name} could not be used: {self._untold[0]})", "yellow"))
            self._untold.clear()


class Person:
    """A person in a seat: an agent that reads what is typed.

    Args:
        screen: What they see.
        ask: Reads what they type.
    """

    name = "you"

    def __init__(self, screen: Screen, ask: Ask) -> None:
        self._screen = screen
        self._ask = ask

    def act(self, observation: Observation) -> Action:
        """Ask until something legal is typed.

        Raises:
            Left: They have left.
        """
        with _ours():
            self._screen.show(observation)
            while True:
                wanted = self._wanted(observation)
                if isinstance(wanted, Action):
                    return wanted
                if wanted == "quit":
                    raise Left
                if wanted == "help":
                    self._screen.help(observation)
                elif wanted == "log":
                    self._screen.again(observation)

    def on_hand_complete(self, result: HandResult) -> None:
        """See how the hand ended."""
        with _ours():
            self._screen.finish(result)

    def _wanted(self, seen: Observation) -> Action | Request | None:
        line = self._ask(_PROMPT)
        if line is None:
            return "quit"
        try:
            wanted = understood(line, seen)
        except Misheard as problem:
            self._screen.print(Text(f"  {printable(str(problem))}", "yellow"))
            return None
        if wanted == FOLD and not seen.to_call:
            sure = self._ask("  Checking is free. Fold all the same? [y/N] ")
            return "quit" if sure is None else FOLD if sure.strip().lower() in ("y", "yes") else None
        return wanted


@contextmanager
def _ours() -> Iterator[None]:
    """Carry what goes wrong here out of the game, since it is no fault of a player; Ctrl-C is leaving."""
    try:
        with _interruptible():
            yield
    except Left:
        raise
    except KeyboardInterrupt:
        raise Left from None
    except BaseException as error:
        raise Left from error


class Guest:
    """The opponent, as it is: what it is asked and answers goes through, and the screen is told of its faults.

    Args:
        agent: Who plays.
        screen: What the person sees.
    """

    def __init__(self, agent: PokerAgent, screen: Screen) -> None:
        seat = SeatedAgent(agent)
        self.name = seat.name
        self.keeps_time = seat.keeps_time
        self.close = seat.close
        self._act = seat.act
        self._said = seat.hooks.get("on_error")
        self._screen = screen
        self._hand = 0
        for hook, method in seat.hooks.items():
            if hook != "on_error":
                setattr(self, hook, method)

    def act(self, observation: Observation) -> Any:
        """Ask it."""
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
        """Tell the screen, and the agent if it wants to know."""
        self._screen.fault(self._hand, message)
        return self._said(message) if self._said is not None else None


def ask(prompt: str) -> str | None:
    """Read a line from whoever is there; what a script types is shown as well. None when they have left."""
    source = sys.stdin
    if source is None or source.closed:
        return None
    try:
        if source.isatty():
            return input(prompt)
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = source.readline()
        print(printable(line.rstrip("\n")), flush=True)
    except (EOFError, KeyboardInterrupt):
        print(flush=True)
        return None
    except ValueError:  # such as a zero byte
        return ""
    return line or None


@contextmanager
def _interruptible() -> Iterator[None]:
    """Have Ctrl-C strike at once while it is the person's turn, also where an event loop would put it off."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def terminal() -> tuple[Console, bool]:
    """Return where a person sees the table, and whether it can show suits and frames."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name that the terminal cannot write is no reason to stop
    with suppress(ImportError):
        import readline  # noqa: F401 - gives `input` its editing keys
    console = Console(markup=False, emoji=False, highlight=False)
    symbols = console.encoding.startswith("utf") and os.environ.get("TERM", "") not in ("dumb", "unknown")
    return console, symbols
