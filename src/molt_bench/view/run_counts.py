"""Styles of a run, and what plug-ins show of it: counted game by game as in its journal; complete, or not known."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from molt_bench.entry_points import PAGES, loaded
from molt_bench.plugin import Section
from molt_bench.poker.notation import ParsedHand
from molt_bench.poker.play_statistics import Style
from molt_bench.report.rows import Rows
from molt_bench.report.style_sums import Group, StyleCount
from molt_bench.runs.journal_lines import Game

T = TypeVar("T")
#: Names a hand in both seatings: match, seed pair from 0, number of the hand from 1.
Deal: TypeAlias = tuple[int, int, int]
#: What each hand of a game cost players A and B, in mbb, by match, seed pair and seating.
Costs: TypeAlias = Mapping[tuple[int, int, str], tuple[list[int], list[int]]]


class _GameCount(ABC):
    """A count over the games of a run, which grow while it is played.

    Attributes:
        done: How many games it holds.
    """

    def __init__(self, folder: Path, games: Sequence[Game]) -> None:
        self._folder = folder
        self._games = games
        self.done = 0
        self.wanted = True

    @property
    def pending(self) -> int:
        """How many games are still to be counted."""
        return len(self._games) - self.done if self.wanted else 0

    def next(self) -> Game | None:
        """Return the next game to count."""
        return self._games[self.done] if self.pending else None

    @abstractmethod
    def count(self, game: Game, seed_index: int) -> None:
        """Count the game that comes next; `seed_index` is the place of its seed in the match, from 0."""


class RunStyles(_GameCount):
    """The styles of a run's participants."""

    def __init__(self, folder: Path, games: Sequence[Game]) -> None:
        super().__init__(folder, games)
        self._count = StyleCount()

    def count(self, game: Game, seed_index: int) -> None:
        """Count the game that comes next."""
        self._count.add(game.participants, game.record)
        self.done += 1

    def known(self) -> Mapping[Group, Style] | None:
        """Return the style in each group of hands that were played; None while games are still to be counted."""
        return None if self.pending else dict(sorted(self._count.groups().items()))


class RunSection(_GameCount):
    """The section of a plug-in on the pages of a run; one that fails has none from then on."""

    def __init__(self, name: str, section: Section, folder: Path, games: Sequence[Game], agents: list[str]) -> None:
        super().__init__(folder, games)
        self.name = name
        self._section: Section | None = section
        self._agents = agents
        self.wanted = False

    def look(self) -> None:
        """See whether the run has such a section now."""
        folder, agents = self._folder, self._agents
        self.wanted = bool(self._asked(lambda section: section.wanted(folder, agents)))

    def count(self, game: Game, seed_index: int) -> None:
        """Count the game that comes next."""
        self._asked(lambda section: section.add(game, seed_index))
        self.done += 1

    @property
    def known(self) -> bool:
        """Whether it is there: all games are counted."""
        return self.wanted and not self.pending

    def data(self, rows: Rows | None, shown: Callable[[int, int, str], bool]) -> Mapping[str, Any] | None:
        """Return what the page of the run shows; None as long as that is not known."""
        return self._asked(lambda section: section.data(rows, shown)) if self.known and rows is not None else None

    def deals(self, data: Mapping[str, Any] | None) -> Iterable[Deal]:
        """Return the deals that it links to."""
        return (self._asked(lambda section: section.deals(data)) if data is not None else None) or ()

    def costs(self) -> Costs:
        """Return what each hand cost players A and B, by match, seed pair and seating."""
        return (self._asked(lambda section: section.costs()) if self.known else None) or {}

    def hand(self, parsed: ParsedHand, max_actions: int) -> Sequence[Mapping[str, Any] | None] | None:
        """Return what the page of a hand shows of each of its decisions."""
        return self._asked(lambda section: section.hand(parsed, max_actions))

    def _asked(self, ask: Callable[[Section], T]) -> T | None:
        if self._section is None:
            return None
        try:
            return ask(self._section)
        except Exception:  # foreign code: it may raise anything
            self._section, self.wanted = None, False
            return None


def sections_of(folder: Path, games: Sequence[Game], agents: list[str]) -> list[RunSection]:
    """Return the sections of all plug-ins for one run; one that cannot be made is left out."""
    found = []
    for name, make in loaded(PAGES)[0].items():
        with suppress(Exception):  # as above
            found.append(RunSection(name, make(), folder, games, agents))
    return found
