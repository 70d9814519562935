"""An extended run: its stages, the rules under which each stopped and continued, and what an extension may change.

A run that has stopped can be extended: it continues under another stop rule, on the same decks. So a run is a chain of
stages, each with its own rule, and each round is scheduled under the rule in force at the time.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec

from molt_bench.bench.stop_rules import out_of_time
from molt_bench.config.sections import BenchmarkConfig, StopConfig
from molt_bench.errors import ConfigError, JournalError
from molt_bench.specs import Pair

INTERRUPTED = "it was interrupted"
IN_A_ROUND = "in the middle of a round"


class Stage(msgspec.Struct, frozen=True):
    """One stage of a run.

    Attributes:
        stop: Its stop rule.
        matches: Matches in rounds that were complete when it began.
        under_way: Pairings of a round that was in progress by then.
        reason: Why it stopped, according to the journal; None if it has not, or the journal does not say.
    """

    stop: StopConfig
    matches: int = 0
    under_way: tuple[Pair, ...] = ()
    reason: str | None = None

    def allows(self, reason: str, seconds: float) -> bool:
        """Return whether a run can have stopped for a reason that cannot be recomputed: its time or its money."""
        limits = self.stop.budget
        if limits is None:
            return False
        if limits.max_seconds is not None:
            spent = out_of_time(limits.max_seconds)
            if reason in (spent, f"{spent}, {IN_A_ROUND}"):
                return seconds >= limits.max_seconds
        possible = []
        if limits.max_cost_usd is not None:
            possible.append(f"the budget of ${limits.max_cost_usd:,.10g} is spent, {IN_A_ROUND}")
        if limits.max_tokens is not None:
            possible.append(f"the budget of {limits.max_tokens:,} tokens is spent, {IN_A_ROUND}")
        return reason in possible


class Course:
    """The stages of a run, in order: those in its journal, the first from its config, and one that begins now.

    The journal's account of when and why each of them ended is checked as the run is stepped through again.

    Attributes:
        stages: Those that have begun; the last one is current.

    Args:
        stages: Those in its journal.
        extend: The rule under which it continues once everything known has been stepped through.
        last_match: The last match with a known game.
        missing: Which of the known matches lack some of their games, as text.
        followed: Whether the journal's account stands, since another version decided it.
    """

    def __init__(
        self,
        stages: Sequence[Stage],
        *,
        extend: StopConfig | None = None,
        last_match: int = 0,
        missing: str = "",
        followed: bool = False,
    ) -> None:
        self._followed = followed
        self._last_match = last_match
        self._missing = missing
        self._later = list(stages)
        self._extend = extend
        self.stages: list[Stage] = [self._later.pop(0)]

    @property
    def now(self) -> Stage:
        """The current stage."""
        return self.stages[-1]

    def history(self) -> tuple[dict[str, Any], ...]:
        """Return the stages before the last one: after how many matches each ended, why, and its rule."""
        return tuple(
            {"matches": after.matches, "stopReason": stage.reason, "stop": plain_stop(stage.stop)}
            for stage, after in pairwise(self.stages)
        )

    def told_next(self, matches: int, reason: str | None, pairs: Sequence[Pair], seconds: float) -> Stage | None:
        """Enter the next stage if it begins here, after so many matches and seconds, according to the journal.

        `reason` is why the current stage ends here by its rule, if it does; `pairs` the next round by that rule, or the
        one in progress.
        """
        if not self._later or self._later[0].matches != matches:
            return None
        begun = self._later[0].under_way
        if self._followed:
            self.stages.append(self._later.pop(0))
            return self.now
        if begun and begun != tuple(pairs):
            raise JournalError(f"after match {matches} the journal has a round that its config does not play")
        told = self.now.reason
        if told is not None and told != reason and not self.now.allows(told, seconds):
            raise JournalError(self._another_end(told, reason, matches))
        self.stages.append(self._later.pop(0))
        return self.now

    def room(self, matches: int) -> int:
        """Return how many matches of a run that is followed come before its next stage, if it has one."""
        return max(0, self._later[0].matches - matches) if self._later else max(0, self._last_match - matches)

    @property
    def may_extend(self) -> bool:
        """Whether a new stage is to begin once nothing more is known."""
        return self._extend is not None and not self._later

    def extend(self, matches: int, begun: Sequence[Pair]) -> Stage:
        """Begin the new stage and return it."""
        assert self._extend is not None
        self.stages.append(Stage(self._extend, matches, tuple(begun)))
        self._extend = None
        return self.now

    def check_end(self, reason: str, matches: int, begun: int) -> None:
        """Check that a known run ends where and why its rule says; raises JournalError if the journal says otherwise.

        `matches` are complete by then, and `begun` may have begun.
        """
        told = None if self._followed else self.now.reason
        if told is not None and (told != reason or told == INTERRUPTED):
            raise JournalError(self._another_end(told, reason, matches))
        beyond = self._last_match if self._last_match > begun else self._later[0].matches if self._later else 0
        if beyond:
            raise JournalError(f"the journal goes on to match {beyond}, but by its config the run ends: {reason}")

    def _another_end(self, told: str, reason: str | None, matches: int) -> str:
        """Return the message that a run cannot have stopped for the reason in its journal."""
        said = f"the journal says that the run stopped because {told}; by its config, after match {matches} it"
        if reason not in (None, INTERRUPTED):
            return f"{said} stops because {reason}"
        return f"{said} goes on: {self._missing or f'match {matches + 1} is missing'}"


def plain_stop(stop: StopConfig) -> dict[str, Any]:
    """Return the `stop` section as JSON values."""
    return stop.model_dump(mode="json", by_alias=True)


def another_stop(config: BenchmarkConfig, changed: BenchmarkConfig) -> StopConfig:
    """Return the stop rule of a changed config, under which a run is to continue.

    Raises ConfigError if anything else is changed, or the method of its confidence.
    """
    before, after = config.plain(), changed.plain()
    other = next((key for key in before if key != "stop" and before[key] != after[key]), None)
    if other is not None:
        raise ConfigError("--set", other, "a field of stop: all else is part of what has been played")
    if _method(config.stop) != _method(changed.stop):
        raise ConfigError(
            "stop.adjacentConfidence.method", _method(changed.stop), f"{_method(config.stop)}, as the run was started"
        )
    return changed.stop


def _method(stop: StopConfig) -> str:
    return stop.adjacent_confidence.method if stop.adjacent_confidence is not None else "margin"
