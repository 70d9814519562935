"""A person who sits the exam in the terminal: sees every question as a table, and types what they would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from threading import Event
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from molt_bench.exam.questions import RULES
from molt_bench.exam.review import ReviewedAnswer
from molt_bench.person.players import Person, PersonLeft, read_line
from molt_bench.person.screen import Screen, open_terminal
from molt_bench.person.table_drawing import Look
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import HandResult, Observation

#: What a person is called among the participants.
PERSON: Final = "you"
_OPPONENT: Final = "opponent"


class QuestionScreen(Screen):
    """Shows one question; `numbers` counts those that were shown."""

    def __init__(self, console: Console, look: Look, numbers: Iterator[int]) -> None:
        super().__init__(console, look, hands=1)
        self._numbers = numbers

    def title(self, view: Observation | HandResult) -> str:
        """Say which question it is."""
        who = "you have" if view.button == view.seat else "your opponent has"
        return f"Question {next(self._numbers)}: {who} the button"


class Examinee:
    """Makes the person for each question.

    Args:
        console: The terminal.
        answered: Questions that the person has answered before.
    """

    def __init__(self, console: Console, *, answered: int = 0) -> None:
        self._look = Look(_OPPONENT, RULES, open_terminal(console), console.width)
        self._console = console
        self._numbers = count(answered + 1)
        self._left = Event()

    def __call__(self) -> Person:
        """Return the person, who is asked the next question."""
        return _Sitting(QuestionScreen(self._console, self._look, self._numbers), self._left)


class _Sitting(Person):
    """The person at one question; `left` is set once they have left, and no other question is shown."""

    def __init__(self, screen: Screen, left: Event) -> None:
        super().__init__(screen, read_line)
        self._left = left

    def act(self, observation: Observation) -> Action:
        """Ask the person."""
        if self._left.is_set():
            raise PersonLeft
        try:
            return super().act(observation)
        except PersonLeft:
            self._left.set()
            raise


def print_costliest(found: Sequence[ReviewedAnswer], console: Console) -> None:
    """Print a person's costliest answers beside the solution."""
    if not found:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title="Your costliest answers")
    for heading in ("hand", "board", "so far", "you", "the solution"):
        table.add_column(heading, overflow="fold")
    table.add_column("lost bb", justify="right")
    for each in found:
        solution = ", ".join(f"{step.text} {step.chance:.0%}" for step in each.solution[:3])
        table.add_row(each.cards, each.board, each.line, each.done[0].text, solution, f"{each.loss:.2f}")
    console.print(table)
    said = "lost bb: what the answer gives away in this one hand. The solution mixes actions of nearly the same value."
    console.print(Text(said), soft_wrap=True)
