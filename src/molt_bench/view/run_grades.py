"""The grades of a run's participants, once `molt-bench grade` has been run on it: they are derived again for the pages.

A run is graded after its journal is closed, so nothing vouches for `grades.json`. That the file is there tells that
grades are wanted. What it says is not shown.
"""

from pathlib import Path

import msgspec

from molt_bench.files import inside
from molt_bench.luck.reference.grade import reference
from molt_bench.report.grades import GRADES, GradeBook, Grades
from molt_bench.runs.journal import Game


class RunGrades:
    """Grades that are either complete or not known.

    Attributes:
        games: How many games have been graded here.
    """

    def __init__(self, folder: Path, agents: list[str]) -> None:
        self._folder = folder
        self._agents = agents
        self._written = 0
        self._wanted = False
        self._book: GradeBook | None = None
        self._games: list[Game] = []
        self.games = 0

    @property
    def pending(self) -> int:
        """How many games are still to be graded."""
        return len(self._games) - self.games if self._wanted else 0

    def take(self, game: Game) -> None:
        """Take a game that is to be graded, if the run is."""
        self._games.append(game)

    def look(self) -> None:
        """See whether the run has been graded."""
        path = self._folder / GRADES
        try:
            written = path.stat().st_mtime_ns if inside(self._folder, path) else 0
        except OSError:
            written = 0
        if written != self._written:
            self._written, self._wanted = written, bool(written) and _is_grades(path)

    def next(self) -> Game | None:
        """Return the next game to grade, in the order of the journal: so the sums are those of `molt-bench grade`."""
        return self._games[self.games] if self.pending else None

    def grade(self, game: Game, seed_index: int) -> None:
        """Grade the game that comes next; `seed_index` is the place of its seed in the match, from 0."""
        if self._book is None:
            self._book = GradeBook(self._agents, reference())
        self._book.add(game, seed_index)
        self.games += 1

    def known(self) -> GradeBook | None:
        """Return the grades; None if the run has not been graded, or games are still to be graded."""
        return self._book if self._wanted and not self.pending else None


def _is_grades(path: Path) -> bool:
    try:
        msgspec.json.decode(path.read_bytes(), type=Grades)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return False
    return True
