"""Stages of a run: by which rules it stopped, and by which it went on afterwards.

A run that has stopped can be extended: it goes on under another stop rule, on the same decks. So it is a chain of
stages, each with its own rule, and each round is decided by the rule that held then.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec

from molt_bench.config.sections import BenchmarkConfig, StopConfig
from molt_bench.errors import ConfigError, JournalError
from molt_bench.schedule import Pair

INTERRUPTED = "it was interrupted"
IN_A_ROUND = "in the middle of a round"


class Stage(msgspec.Struct, frozen=True):
    """One stage of a run.

    Attributes:
        stop: When it stops.
        matches: Matches of the rounds that were complete when it began.
        under_way: The pairings of a round that had begun by then.
        reason: Why it stopped, as the journal tells; None where it has not, or does not tell.
    """

    stop: StopConfig
    matches: int = 0
    under_way: tuple[Pair, ...] = ()
    reason: str | None = None

    def allows(self, reason: str, seconds: float) -> bool:
        """Say whether a run can have stopped for a reason that nobody can find out again: its time, or its money."""
        limits = self.stop.budget
        if limits is None:
            return False
        if limits.max_seconds is not None and reason == f"the budget of {limits.max_seconds:g} seconds is spent":
            return seconds >= limits.max_seconds
        possible = []
        if limits.max_cost_usd is not None:
            possible.append(f"the budget of ${limits.max_cost_usd:,.10g} is spent, {IN_A_ROUND}")
        if limits.max_tokens is not None:
            possible.append(f"the budget of {limits.max_tokens:,} tokens is spent, {IN_A_ROUND}")
        return reason in possible


class Course:
    """The stages of a run, in their order: those that its journal tells of, and one that begins now.

    What the journal says about when and why each of them ended is checked as the run is gone through again.

    Attributes:
        stages: Those that have begun; the last one holds.

    Args:
        stages: Those that its journal tells of, the first by its config.
        extend: The rule by which it is to go on, once everything that is known has been gone through.
        last_match: The last match of which a game is known.
        missing: Which of the known matches lack some of their games, in words.
    """

    def __init__(
        self, stages: Sequence[Stage], *, extend: StopConfig | None = None, last_match: int = 0, missing: str = ""
    ) -> None:
        self._last_match = last_match
        self._missing = missing
        self._later = list(stages)
        self._extend = extend
        self.stages: list[Stage] = [self._later.pop(0)]

    @property
    def now(self) -> Stage:
        """The stage that holds."""
        return self.stages[-1]

    @property
    def last_stop(self) -> StopConfig:
        """The rule of the last stage there will be."""
        return self._extend or [*self.stages, *self._later][-1].stop

    def history(self) -> tuple[dict[str, Any], ...]:
        """Return the stages before the last one: after how many matches each ended and why, and its rule."""
        return tuple(
            {"matches": after.matches, "stopReason": stage.reason, "stop": plain_stop(stage.stop)}
            for stage, after in pairwise(self.stages)
        )

    def told_next(self, matches: int, reason: str | None, pairs: Sequence[Pair], seconds: float) -> Stage | None:
        """Enter the stage that begins here by the journal, if one does.

        Args:
            matches: Matches of the rounds so far.
            reason: Why the stage that holds ends here by its rule, if it does.
            pairs: The next round by that rule, or the one under way.
            seconds: How long the run took.
        """
        if not self._later or self._later[0].matches != matches:
            return None
        begun = self._later[0].under_way
        if begun and begun != tuple(pairs):
            raise JournalError(f"after match {matches} the journal has a round that its config does not play")
        told = self.now.reason
        if told is not None and told != reason and not self.now.allows(told, seconds):
            raise JournalError(self._another_end(told, reason, matches))
        self.stages.append(self._later.pop(0))
        return self.now

    @property
    def may_extend(self) -> bool:
        """Whether a new stage is to begin as soon as nothing more is known."""
        return self._extend is not None and not self._later

    def extend(self, matches: int, begun: Sequence[Pair]) -> Stage:
        """Begin the new stage and return it."""
        assert self._extend is not None
        self.stages.append(Stage(self._extend, matches, tuple(begun)))
        self._extend = None
        return self.now

    def check_end(self, reason: str, matches: int, begun: int) -> None:
        """Check that a known run ends where and why its rule has it end.

        Args:
            reason: Why it ends by its rule.
            matches: Matches that are complete.
            begun: Matches that it can have begun.

        Raises:
            JournalError: The journal tells otherwise.
        """
        told = self.now.reason
        if told is not None and (told != reason or told == INTERRUPTED):
            raise JournalError(self._another_end(told, reason, matches))
        beyond = self._last_match if self._last_match > begun else self._later[0].matches if self._later else 0
        if beyond:
            raise JournalError(f"the journal goes on to match {beyond}, but by its config the run ends: {reason}")

    def _another_end(self, told: str, reason: str | None, matches: int) -> str:
        """Say that a run cannot have stopped for the reason that its journal tells."""
        said = f"the journal says that the run stopped because {told}; by its config, after match {matches} it"
        if reason not in (None, INTERRUPTED):
            return f"{said} stops because {reason}"
        return f"{said} goes on: {self._missing or f'match {matches + 1} is missing'}"


def plain_stop(stop: StopConfig) -> dict[str, Any]:
    """Return the section `stop` as JSON has it."""
    return stop.model_dump(mode="json", by_alias=True)


def another_stop(config: BenchmarkConfig, changed: BenchmarkConfig) -> StopConfig:
    """Return the stop rule that a run is to go on by.

    Args:
        config: The config of the run as it is.
        changed: The same with the changes that are wanted.

    Raises:
        ConfigError: Something else is changed as well, or nothing is.
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
