"""What is known of a run that has started: its finished games, its stop rules, and what was made of them."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from itertools import takewhile
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from molt_bench.bench.endings import Ending
from molt_bench.config.stop import StopConfig
from molt_bench.errors import JournalError
from molt_bench.records import GameRecord, Margins
from molt_bench.specs import GameLabel, GameSpec, Pair

#: The games of a run, by label.
Games: TypeAlias = Mapping[GameLabel, GameRecord]


class Extension(msgspec.Struct, frozen=True):
    """A run went on under another stop rule.

    Attributes:
        matches: How many matches had a finished game by then. The round under way is completed by its own rule.
        ending: Why the run had ended; None if it had been interrupted.
        before: The rule until then.
    """

    matches: int
    ending: Ending | None
    before: StopConfig


class Past(msgspec.Struct, frozen=True, dict=True):
    """What is known of a run that has started.

    Attributes:
        games: Its finished games.
        margins: The margins of the matches that have been rated, by their numbers.
        rounds: The rounds that those matches were scheduled in, by their numbers.
        extensions: When it went on under another stop rule. The last rule is that of the config.
        ending: Why it ended; None if it has not.
        seconds: How long it has taken so far.
        fresh_decks: How often it went on with an agent that may remember games already started.
        rated_only: Whether a match counts once the run has rated it, and not as soon as its games are there.
        followed: Whether its rounds and its end are taken as they are, since another version decided them.
    """

    games: Games = {}
    margins: Mapping[int, Margins] = {}
    rounds: Mapping[int, int] = {}
    extensions: tuple[Extension, ...] = ()
    ending: Ending | None = None
    seconds: float = 0.0
    fresh_decks: int = 0
    rated_only: bool = False
    followed: bool = False

    @cached_property
    def last_match(self) -> int:
        """Number of the last match with a finished game; 0 for none."""
        return max((label.match for label in self.games), default=0)

    @cached_property
    def _labels(self) -> dict[int, list[GameLabel]]:
        """The finished games by match."""
        found: dict[int, list[GameLabel]] = defaultdict(list)
        for label in self.games:
            found[label.match].append(label)
        return found

    def stop_after(self, matches: int, last: StopConfig) -> StopConfig:
        """Return the stop rule in force after so many complete matches; `last` is that of the config."""
        return next((each.before for each in self.extensions if each.matches > matches), last)

    def pairs_in(self, number: int, first: int) -> tuple[Pair, ...]:
        """Return who played the matches of a round, from its first one to the last that was rated."""
        last = max((match for match, played in self.rounds.items() if played == number), default=0)
        matches = takewhile(self._labels.__contains__, range(first, last + 1))
        return tuple([self.games[self._labels[match][0]].players for match in matches])

    def whole_rounds(self, *, torn: bool) -> "Past":
        """Return what is known of the rounds that were rated, of a run that is being played.

        If it is `torn`, some margins of the last one may still be missing.
        """
        under_way = torn and any(label.match not in self.rounds for label in self.games)
        last = max(self.rounds.values(), default=0)
        rounds = {match: number for match, number in self.rounds.items() if not under_way or number < last}
        games = {label: game for label, game in self.games.items() if label.match in rounds}
        return replace(self, games=games, rounds=rounds, followed=True)

    def margins_of(self, match: int, seed_pairs: int) -> Margins | None:
        """Return the margins of a match as it was rated with so many seed pairs; None if it was not.

        A match that the end of a run cut short was rated with fewer, and counts anew once it is complete.
        """
        found = self.margins.get(match)
        return None if found is None or len(found.get("raw", ())) < seed_pairs else found

    def of(self, wanted: Mapping[GameLabel, GameSpec]) -> dict[GameLabel, GameRecord]:
        """Return the known records of the wanted games; raises JournalError if a match has different games."""
        matches = {label.match for label in wanted}
        labels = (label for match in matches for label in self._labels.get(match, ()))
        stray = next((label for label in labels if label not in wanted), None)
        if stray is not None:
            raise JournalError(
                f"the journal's match {stray.match} has seed {stray.seed!r}, which its config does not deal"
            )
        for label, spec in wanted.items():
            record = self.games.get(label)
            # The time for an answer may be another one by now: no card depends on it.
            timed = None if record is None else replace(record.spec, action_timeout_s=spec.action_timeout_s)
            if timed is not None and timed != spec:
                raise JournalError(f"the journal's match {label.match} is not the one that its config plays")
        return {label: self.games[label] for label in wanted if label in self.games}
