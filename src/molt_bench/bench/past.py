"""What is known of a run that has started: its finished games, stages and margins."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from molt_bench.bench.endings import Ending, Spent
from molt_bench.config.stop import StopConfig
from molt_bench.errors import JournalError
from molt_bench.records import GameRecord, Margins
from molt_bench.specs import GameLabel, GameSpec, Pair

#: The games of a run, by label.
Games: TypeAlias = Mapping[GameLabel, GameRecord]


class Stage(msgspec.Struct, frozen=True):
    """One stage of a run: it ends by a stop rule, and another may begin by another rule.

    Attributes:
        stop: Its stop rule.
        matches: Matches in rounds that were complete when it began.
        under_way: Pairings of a round that was in progress by then.
        ending: Why it stopped, according to the journal; None if it has not, or the journal does not say.
    """

    stop: StopConfig
    matches: int = 0
    under_way: tuple[Pair, ...] = ()
    ending: Ending | None = None

    def allows(self, ending: Ending, seconds: float) -> bool:
        """Return whether a run can have ended so where that cannot be computed again: by its time or its money."""
        limits = self.stop.budget
        if limits is None or not isinstance(ending, Spent) or (ending.spent is not None and not ending.in_a_round):
            return False
        if ending.limit == "maxSeconds":
            return ending.most == limits.max_seconds and seconds >= ending.most
        money = {"maxCostUsd": limits.max_cost_usd, "maxTokens": limits.max_tokens}
        return ending.in_a_round and ending.most == money.get(ending.limit)


class Past(msgspec.Struct, frozen=True, dict=True):
    """What is known of a run that has started.

    Attributes:
        games: Its finished games.
        stages: Its stages so far; empty if there is only the one in the config.
        seconds: How long it has taken so far.
        margins: The margins of the matches that have been rated, by their numbers.
        rated_only: Whether a match counts once the run has rated it, and not as soon as its games are there.
        followed: Whether its rounds and its end are taken as they are, since another version decided them.
    """

    games: Games = {}
    stages: tuple[Stage, ...] = ()
    seconds: float = 0.0
    margins: Mapping[int, Margins] = {}
    followed: bool = False
    rated_only: bool = False

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

    def pairs(self, first: int, last: int) -> tuple[Pair, ...]:
        """Return who played the matches with these numbers, up to the first that has no game."""
        found = []
        for number in range(first, last + 1):
            if number not in self._labels:
                break
            found.append(self.games[self._labels[number][0]].players)
        return tuple(found)

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
