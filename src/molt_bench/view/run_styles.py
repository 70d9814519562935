"""The styles of a run's participants: as stored with the run where the journal vouches for that, else counted."""

from collections import deque
from collections.abc import Mapping
from pathlib import Path

from molt_bench.report.style import Group, Style, StyleCount
from molt_bench.report.style_file import read_styles
from molt_bench.runs.derived_files import vouched_in
from molt_bench.runs.journal import Game, JournalContent


class RunStyles:
    """Styles that are either complete or not known: part of the games says something else than all of them.

    Attributes:
        games: How many games have been counted here.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = StyleCount()
        self._waiting: deque[Game] = deque()
        self._looked = False
        self.games = 0

    @property
    def pending(self) -> int:
        """How many games are still to be counted."""
        return len(self._waiting)

    def take(self, game: Game) -> None:
        """Take a game that is to be counted."""
        self._waiting.append(game)

    def use_stored(self, content: JournalContent) -> None:
        """Take what is stored with the run, if the journal vouches for it and nothing has been counted yet."""
        if self._looked or self.games or not self._waiting or not vouched_in(content.lines):
            return
        self._looked = True
        stored = read_styles(self._folder, content)
        if stored is not None:
            for row in stored.groups:
                self._count.parts[row.group] = [row.style]
            self._waiting.clear()

    def next(self) -> Game | None:
        """Return the next game to count, in the order of the journal: so sums are those of `styles.json`."""
        return self._waiting[0] if self._waiting else None

    def count(self, game: Game) -> None:
        """Count the game that comes next."""
        self._count.add(game.participants, game.record)
        self._waiting.popleft()
        self.games += 1

    def known(self) -> Mapping[Group, Style] | None:
        """Return the style in each group of hands that were played; None while games are still to be counted."""
        return None if self._waiting else dict(sorted(self._count.groups().items()))
