"""Styles and grades of a run, counted game by game in the order of the journal: complete, or not known."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from molt_bench.files import inside
from molt_bench.luck.reference.grade import reference
from molt_bench.poker.play_statistics import Style
from molt_bench.report.grades import GRADES, GradeBook, Grades
from molt_bench.report.style_sums import Group, StyleCount
from molt_bench.runs.journal_lines import Game


class _GameCount:
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


class RunStyles(_GameCount):
    """The styles of a run's participants."""

    def __init__(self, folder: Path, games: Sequence[Game]) -> None:
        super().__init__(folder, games)
        self._count = StyleCount()

    def count(self, game: Game, seed_index: int) -> None:
        """Count the game that comes next; `seed_index` is the place of its seed in the match, from 0."""
        self._count.add(game.participants, game.record)
        self.done += 1

    def known(self) -> Mapping[Group, Style] | None:
        """Return the style in each group of hands that were played; None while games are still to be counted."""
        return None if self.pending else dict(sorted(self._count.groups().items()))


class RunGrades(_GameCount):
    """The grades of a run's participants, once `molt-bench grade` has been run on it.

    A run is graded after its journal is closed, so nothing vouches for `grades.json`. That the file is there tells that
    grades are wanted. What it says is not shown: they are worked out again.
    """

    def __init__(self, folder: Path, games: Sequence[Game], agents: list[str]) -> None:
        super().__init__(folder, games)
        self._agents = agents
        self._written = 0
        self.wanted = False
        self._book: GradeBook | None = None

    def look(self) -> None:
        """See whether the run has been graded."""
        path = self._folder / GRADES
        try:
            written = path.stat().st_mtime_ns if inside(self._folder, path) else 0
            if written == self._written:
                return
            self._written, self.wanted = written, False
            if written:
                msgspec.json.decode(path.read_bytes(), type=Grades)
                self.wanted = True
        except (OSError, msgspec.MsgspecError, RecursionError):
            self.wanted = False

    def count(self, game: Game, seed_index: int) -> None:
        """Grade the decisions of a game."""
        if self._book is None:
            self._book = GradeBook(self._agents, reference())
        self._book.add(game, seed_index)
        self.done += 1

    def known(self) -> GradeBook | None:
        """Return the grades; None if the run has not been graded, or games are still to be graded."""
        return self._book if self.wanted and not self.pending else None
