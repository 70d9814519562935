"""The screen: what a person at the table sees, line by line."""

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from molt_bench.person.coach import Coach
from molt_bench.person.input import HELP
from molt_bench.person.table_drawing import Look, choices, odds_of, outcome, story, table_of
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.visible_text import printable

#: Longest fault message that is shown, in characters.
_MESSAGE_LENGTH: Final = 200


class Screen:
    """Prints the game as it goes; it is given only what the person's seat may see.

    Attributes:
        faults: The opponent's faults: hand number and message.
        coach: Says what the reference would do; None if that is not wanted.
    """

    def __init__(
        self, console: Console, look: Look, *, hands: int, odds: bool = False, coach: Coach | None = None
    ) -> None:
        self.console = console
        self.look = look
        self.results: list[HandResult] = []
        self.faults: list[tuple[int, str]] = []
        self.in_hand = False
        self._hands = hands
        self._odds = odds
        self.coach = coach
        self._hand = 0
        self._lines_told = 0
        self._net = 0
        self._untold_faults: list[str] = []

    def print(self, *lines: Any) -> None:
        """Print lines."""
        for line in lines:
            self.console.print(line)

    def tell(self, view: Observation | HandResult) -> None:
        """Print what has happened in the hand since the last call."""
        if view.hand_number != self._hand:
            self._hand, self._lines_told, self.in_hand = view.hand_number, 0, True
            self.print("", self.look.line(self.title(view)))
        lines = list(story(view, self.look))
        self.print(*lines[self._lines_told :])
        self._lines_told = len(lines)
        if count := len(self._untold_faults):
            answers = "an invalid answer" if count == 1 else f"{count} invalid answers"
            self.print(Text(f"  ({self.look.opponent} gave {answers}: {self._untold_faults[0]})", "yellow"))
            self._untold_faults.clear()

    def title(self, view: Observation | HandResult) -> str:
        """Say which hand it is."""
        who = "you have" if view.button == view.seat else f"{self.look.opponent} has"
        return f"Hand {view.hand_number} of {self._hands}: {who} the button"

    def show(self, seen: Observation) -> None:
        """Draw the table and list the legal actions."""
        self.tell(seen)
        self.print(table_of(seen, self.look))
        if self._odds:
            self.print(Text(f"  {odds_of(seen)}", "dim"))
        if self.coach is not None:
            self.print(self.coach.hint(seen))
        self.print(choices(seen))

    def again(self, seen: Observation) -> None:
        """Print the hand from the start."""
        self.print(*story(seen, self.look))

    def help(self, seen: Observation) -> None:
        """List everything that can be typed."""
        for keys, meaning in HELP:
            self.print(Text.assemble((f"  {keys:22}", "bold"), meaning))
        self.print(choices(seen))

    def finish(self, result: HandResult) -> None:
        """Print how a hand ended, and the score so far."""
        self.tell(result)
        self.results.append(result)
        self.in_hand = False
        self._hand = 0
        self._net += result.net[result.seat]
        played = len(self.results)
        rate = 100 * self._net / self.look.rules.big_blind / played
        self.print(outcome(result, self.look))
        if self.coach is not None:
            self.print(*self.coach.review())
        score = f"After {played} hand{'s' if played > 1 else ''}: {self._net:+,} chips, {rate:+,.0f} bb/100."
        self.print(Text(score, "dim"))

    def fault(self, hand_number: int, message: str) -> None:
        """Record an invalid answer of the opponent; it is printed along with the opponent's next action."""
        line = printable(" ".join(message.split()))[:_MESSAGE_LENGTH]
        self.faults.append((hand_number, line))
        self._untold_faults.append(line)


def open_terminal(console: Console) -> bool:
    """Prepare the streams for a person, and return whether the console can show suit symbols and frames."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name the terminal cannot encode must not end the game
    with suppress(ImportError):
        import readline  # noqa: F401, PLC0415 - not on every platform; gives `input` its editing keys
    return console.encoding.startswith("utf") and os.environ.get("TERM", "") not in ("dumb", "unknown")
