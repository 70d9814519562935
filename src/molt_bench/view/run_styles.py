"""The styles of a run's participants: as stored with the run, and counted for the games that came later."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from molt_bench.report.style import Group, Style, StyleCount
from molt_bench.report.style_file import STYLES, read_styles
from molt_bench.runs.journal import Game
from molt_bench.view.run_list import inside


class RunStyles:
    """Styles that are either complete or not known: part of the games says something else than all of them.

    Attributes:
        games: How many games have been counted here.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = StyleCount()
        self._waiting: list[tuple[int, Game]] = []
        self._looked = False
        self.games = 0

    @property
    def pending(self) -> int:
        """How many games are still to be counted."""
        return len(self._waiting)

    def take(self, number: int, game: Game) -> None:
        """Take a game, from a line of the journal, that is to be counted."""
        self._waiting.append((number, game))

    def use_stored(self, hashes: Sequence[str]) -> None:
        """Take what is stored about the journal with these hashes of lines, if nothing has been counted yet."""
        if self._looked or not self._waiting or not inside(self._folder, self._folder / STYLES):
            return
        self._looked = True
        stored = read_styles(self._folder / STYLES)
        if stored is None or self.games or not 1 <= stored.lines <= len(hashes):
            return
        if hashes[stored.lines - 1] == stored.sha256 and stored.groups:
            for row in stored.groups:
                self._count.parts[row.group] = [row.style]
            self._waiting = [(number, game) for number, game in self._waiting if number > stored.lines]

    def next(self) -> Game | None:
        """Return the next game to count."""
        return self._waiting[-1][1] if self._waiting else None

    def count(self, game: Game) -> None:
        """Count the game that comes next."""
        self._count.add(game.participants, game.record)
        self._waiting.pop()
        self.games += 1

    def known(self) -> Mapping[Group, Style] | None:
        """Return the style in each group of hands that were played; None while games are still to be counted."""
        return None if self._waiting else self._count.groups()
