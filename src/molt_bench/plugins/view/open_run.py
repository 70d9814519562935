"""A run as its pages need it. Nothing of it is executed: what its matches are worth is in the journal."""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from msgspec import UNSET

from molt_bench.errors import ConfigError
from molt_bench.plugins.view.style_count import StyleCount
from molt_bench.report.rows import Rows
from molt_bench.runs.run import Game, Run
from molt_bench.specs import SEATINGS, Pair

Status: TypeAlias = Literal["running", "finished", "interrupted"]
#: Names a hand in both seatings: match, seed pair from 0, number of the hand from 1.
Deal: TypeAlias = tuple[int, int, int]
#: Files that grow or come while nothing is added to the journal, and are on the pages.
_BESIDE: Final = ("replies.jsonl", "grades.json")


class OpenRun:
    """A run, as far as its journal had come when it was read; `followed` returns it as it is now.

    Attributes:
        pairs: The participants of every match that has a game, by its number.
        played: The finished games of every seed pair, by match and place of the pair; the one with player A in seat 0
            comes first.
        sections: Whether its pages show what plug-ins say of it.
    """

    def __init__(self, run: Run, styles: StyleCount | None = None, *, going: bool = False) -> None:
        self.run = run
        self._going = going
        self.sections = True
        self.id = run.folder.name
        self._styles = styles or StyleCount()
        self._lines = run.content.line_count
        self._sealed = run.sealed
        self.pairs: dict[int, Pair] = {}
        self.played: dict[tuple[int, int], list[Game]] = {}
        run.feed_games(self._take)

    @classmethod
    def open(cls, folder: Path) -> "OpenRun":
        """Open a run; raises MoltBenchError if it cannot be read."""
        return cls(Run.open(folder)).followed()

    def _take(self, game: Game, seed_index: int) -> None:
        self.pairs[game.match] = game.participants
        self.played.setdefault((game.match, seed_index), []).append(game)

    def followed(self) -> "OpenRun":
        """Return the run as it is now; raises MoltBenchError if its journal cannot be read, or is another one."""
        going = self.run.going  # asked first: who does not write any more has written all lines
        if not self.run.follow() and going == self._going:
            return self
        return OpenRun(self.run, self._styles, going=going)

    @property
    def status(self) -> Status:
        """Whether it is being played, has ended, or was cut off."""
        return "finished" if self.run.ending is not None else "running" if self._going else "interrupted"

    @property
    def version(self) -> str:
        """What changes with everything that its pages show."""
        states = [self._lines, self.status]
        for name in _BESIDE:
            with suppress(OSError):
                state = (self.run.folder / name).stat()
                states += [state.st_size, state.st_mtime_ns]
        return "-".join(map(str, states))

    @cached_property
    def rows(self) -> Rows:
        """Its results."""
        return Rows(self.run.result(going=self.status == "running"))

    def styles(self) -> StyleCount:
        """Return the styles of its participants; only games that were not counted before take time."""
        for game in self.run.games[self._styles.games :]:
            self._styles.add(game.participants, game.record)
        return self._styles

    @cached_property
    def participants(self) -> list[dict[str, Any]]:
        """All participants, as in the config."""
        return list(self.run.config.plain()["participants"])

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What people call them, by id."""
        return {each["id"]: each["displayName"] or each["id"] for each in self.participants}

    def pair(self, match: int) -> Pair:
        """Return the participants of a match; raises ConfigError if it has no game."""
        if match not in self.pairs:
            raise ConfigError("match", match, f"one of the {len(self.pairs)} matches of this run")
        return self.pairs[match]

    def shown(self, match: int, seed_index: int) -> list[Game]:
        """Return the finished games of a seed pair that may be shown: none whose cards others can still be dealt."""
        games = self.played.get((match, seed_index), [])
        return [] if self._sealed and len(games) < len(SEATINGS) else games

    @cached_property
    def shown_pairs(self) -> list[tuple[int, int]]:
        """The seed pairs that have games to show, in order."""
        return [place for place in sorted(self.played) if self.shown(*place)]

    @property
    def has_guests(self) -> bool:
        """Whether live agents play in it, and it has not ended: its cards and names are for its host alone."""
        return self.status != "finished" and any(each.kind.comes for each in self.run.config.participants)

    def shows(self, match: int, seed_index: int, seating: str) -> bool:
        """Return whether the cards of a game may be shown."""
        return any(game.record.seating == seating for game in self.shown(match, seed_index))

    @cached_property
    def games_of(self) -> Counter[int]:
        """How many games every match has."""
        found: Counter[int] = Counter()
        for (match, _), games in self.played.items():
            found[match] += len(games)
        return found


def own_decks(games: list[Game]) -> bool:
    """Return whether the two seatings of a seed were dealt different cards."""
    return any(game.record.spec.deck_seed is not UNSET for game in games)
