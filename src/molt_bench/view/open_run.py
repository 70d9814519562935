"""An open run: what was read of it, rated and counted as far as that is done.

No agent of the run is ever made here. What a match is worth without luck is in the journal.
"""

from math import inf
from pathlib import Path
from time import monotonic
from typing import Final

import msgspec

from molt_bench.bench.ladder import Ladder
from molt_bench.bench.result import RunResult
from molt_bench.bench.run_warnings import opening_shortfall, run_warnings
from molt_bench.config.loader import load_config
from molt_bench.records import MatchResult, SeedResult
from molt_bench.report.progress import Course, course_of
from molt_bench.report.rows import interval
from molt_bench.runs.header import recorded_boxes, recorded_reply_forms
from molt_bench.view.run_counts import RunStyles, sections_of
from molt_bench.view.run_reader import RunReader

#: Participants of whom everybody's win rate is worked out after every match.
_FEW: Final = 12


class Standing(msgspec.Struct, frozen=True, gc=False):
    """The win rate of one participant after a match, over the opponents met so far, and half of its interval."""

    mean: float | None
    half_width: float


class OpenRun(RunReader):
    """One run, read, rated and counted.

    Attributes:
        ladder: What the matches that were rated have shown.
        standings: Everybody's win rate after every match.
        course: What the matches so far have shown, of a run in progress; it may be read while others are rated.
        at_showdown: Chips that player A won at showdown in each seed pair of a match, where that was counted.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.ladder = Ladder(load_config(self.header.config), keep_hands=False)
        self.standings: list[dict[str, Standing]] = []
        self.course = Course()
        self.styles = RunStyles(folder, self.in_order)
        self.sections = sections_of(folder, self.in_order, [each.id for each in self.config.participants])
        self.at_showdown: dict[int, list[int]] = {}
        self._counted = False

    @property
    def version(self) -> int:
        """A number that grows with every change."""
        work = len(self.ladder.matches) + self.styles.done + sum(each.done for each in self.sections)
        return self.journal_size + self.replies_size + work + self._status_changes

    @property
    def unrated(self) -> int:
        """How many matches are still to be rated; the last may still be in progress."""
        return 0 if self._blocked() else len(self.pairs) - len(self.ladder.matches)

    @property
    def known_sections(self) -> tuple[str, ...]:
        """The names of the sections that are there."""
        return tuple(section.name for section in self.sections if section.known)

    @property
    def counting(self) -> bool:
        """Whether the result is not known yet: the run has ended, and not all of its matches have been rated since.

        What a run in progress shows is never final, so it may lag behind.
        """
        self._counted = self._counted or self._blocked()
        return not self._counted and self.status != "running"

    @property
    def pending(self) -> str | None:
        """What is still to be counted, in words."""
        behind = self.unrated
        if behind:
            return f"{behind:,} of {behind + len(self.ladder.matches):,} matches are still to be rated"
        if self.styles.pending:
            return f"styles of {self.styles.pending:,} of {len(self.games):,} games are still to be counted"
        for section in self.sections:
            if section.pending:
                return f"{section.name} of {section.pending:,} of {len(self.games):,} games are still to be counted"
        return None

    def read(self) -> None:
        """Read what is new. It may be called while another thread is counting.

        Raises:
            Replaced: The journal is another one now.
        """
        super().read()
        for section in self.sections:
            section.look()

    def count_next(self) -> bool:
        """Rate one more match, or count one more game for the styles or a section; return whether there was one."""
        if self._rate_next():
            return True
        for count in (self.styles, *self.sections):
            game = count.next()
            if game is not None:
                with self.reading([game]):
                    count.count(game, self.seed_index(game))
                return True
        return False

    def shows(self, match: int, seed_index: int, seating: str) -> bool:
        """Return whether a game is there, and its cards may be shown."""
        if match not in self.pairs:
            return False
        seeds = self.seeds_of(match)
        if not 0 <= seed_index < len(seeds):
            return False
        return any(game.record.seating == seating for game in self.sides(match, seeds[seed_index]))

    def catch_up(self, *, within_s: float | None = None) -> None:
        """Read what is new; then count for about so many seconds, or to the end."""
        deadline = None if within_s is None else monotonic() + within_s
        self.read()
        while (deadline is None or monotonic() < deadline) and self.count_next():
            pass

    def result(self) -> RunResult:
        """Return the result so far."""
        ladder = self.ladder
        problems = opening_shortfall(self.config), *run_warnings(ladder)
        return RunResult(
            config=self.config,
            matches=tuple(ladder.matches),
            leaderboard=tuple(ladder.leaderboard()),
            convergence=tuple(ladder.convergence),
            ending=self.ending,
            seeds=(),
            seconds=self.seconds,
            warnings=tuple(problem for problem in problems if problem),
            usage=self.spending.usage(),
            reply_forms=recorded_reply_forms(self.header),
            history=tuple(self.stages),
            bench_version=self.header.bench_version,
            boxes=recorded_boxes(self.header),
            journal_lines=0 if self.ending is None else self.journal_lines,
            journal_hash=self.journal_hash,
        )

    def _blocked(self) -> bool:
        """Return whether the next match to be rated is still being played, or rated by the run."""
        return self._next() is None

    def _next(self) -> tuple[int, list[SeedResult]] | None:
        """Return the number of the next match that the run has rated, and its complete seed pairs; None for none.

        No luck is taken out here: the run writes what came of that when it has rated a match.
        """
        at = len(self.ladder.matches)
        if at >= len(self._rated) or self._rated[at] not in self.pairs:
            return None
        number = self._rated[at]
        sides = [(seed, self.played(number, seed)) for seed in self.seeds_of(number)]
        found = [SeedResult(seed, (games[0].record, games[1].record)) for seed, games in sides if len(games) == 2]
        return (number, found) if len(found) == len(self._margins[number].get("raw", ())) else None

    def _rate_next(self) -> bool:
        """Rate one more match; return whether there was one."""
        coming = self._next()
        if coming is None:
            return False
        number, found = coming
        result = MatchResult(tuple(found), self.config.match.draw_threshold)
        self._blocks[number] = self.seeds_of(number)
        while self._extensions and self._extensions[0].matches < number:
            self.ladder.judge_by(load_config({**self.plain, "stop": self._extensions.pop(0).stop}).stop)
        decided = (number - 1) // self.config.matches_per_round() + 1
        with self.reading(game for seed in self.seeds_of(number) for game in self.played(number, seed)):
            self.ladder.rate(self.pairs[number], result, number=number, recorded=self._margins[number], decided=decided)
        self._stand(self.pairs[number])
        if self.status == "running":
            self.course = course_of(self.ladder)
        return True

    def _stand(self, played: tuple[str, str]) -> None:
        """Add everybody's win rate; of many participants only those who have just played are looked at."""
        names = self.ladder.margins.participants
        before = self.standings[-1] if self.standings else dict.fromkeys(names, Standing(None, inf))
        fresh = names if len(names) <= _FEW else played
        self.standings.append({**before, **{name: self.standing(name) for name in fresh}})

    def standing(self, name: str) -> Standing:
        """Return the win rate of a participant as it is now."""
        mean, half_width = interval(self.ladder.result(name))
        return Standing(mean, inf if half_width is None else half_width)
