"""An extended run: its stages, the rules under which each stopped and continued, and what an extension may change.

A run that has stopped can be extended: it continues under another stop rule, on the same decks. So a run is a chain of
stages, each with its own rule, and each round is scheduled under the rule in force at the time.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from molt_bench.bench.endings import INTERRUPTED, Ending
from molt_bench.bench.past import Past, Stage
from molt_bench.bench.result import EndedStage
from molt_bench.bench.stop_rules import rule_of
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.config.stop import StopConfig
from molt_bench.errors import ConfigError, JournalError
from molt_bench.specs import Pair


class Course:
    """The stages of a run, in order: those in its journal, the first from its config, and one that begins now.

    The journal's account of when and why each of them ended is checked as the run is stepped through again, unless
    another version decided it.

    Attributes:
        stages: Those that have begun; the last one is current.

    Args:
        past: What is known of the run.
        stop: The rule of its config.
        extend: The rule under which it continues once everything known has been stepped through.
    """

    def __init__(self, past: Past, stop: StopConfig, extend: StopConfig | None = None) -> None:
        first, *self._later = past.stages or (Stage(stop),)
        self.stages = [first]
        self._past, self._extend = past, extend

    @property
    def now(self) -> Stage:
        """The current stage."""
        return self.stages[-1]

    def history(self) -> tuple[EndedStage, ...]:
        """Return the stages before the last one."""
        return tuple(EndedStage(after.matches, stage.ending, stage.stop) for stage, after in pairwise(self.stages))

    def room(self, matches: int) -> int:
        """Return how many matches of a run that is followed come before its next stage, if it has one."""
        end = self._later[0].matches if self._later else self._past.last_match
        return max(0, end - matches)

    def told_next(self, matches: int, ending: Ending | None, pairs: Sequence[Pair], seconds: float) -> Stage | None:
        """Enter the next stage if it begins here, after so many matches and seconds, according to the journal.

        `ending` is why the current stage ends here by its rule, if it does; `pairs` the next round by that rule, or the
        one in progress.
        """
        if not self._later or self._later[0].matches != matches:
            return None
        stage, told = self._later.pop(0), self.now.ending
        if not self._past.followed:
            if stage.under_way and stage.under_way != tuple(pairs):
                raise JournalError(f"after match {matches} the journal has a round that its config does not play")
            if told is not None and told != ending and not self.now.allows(told, seconds):
                raise self._another_end(told, ending, matches)
        self.stages.append(stage)
        return stage

    def extend(self, matches: int, begun: Sequence[Pair]) -> Stage | None:
        """Begin the new stage and return it; None if there is none, or the journal has others before it."""
        if self._extend is None or self._later:
            return None
        self.stages.append(Stage(self._extend, matches, tuple(begun)))
        self._extend = None
        return self.now

    def check_end(self, ending: Ending, matches: int, begun: int) -> None:
        """Check that a known run ends where and why its rule says; raises JournalError if the journal says otherwise.

        `matches` are complete by then, and `begun` may have begun.
        """
        told, last = self.now.ending, self._past.last_match
        if not self._past.followed and told is not None and (told != ending or told == INTERRUPTED):
            raise self._another_end(told, ending, matches)
        beyond = last if last > begun else self._later[0].matches if self._later else 0
        if beyond:
            raise JournalError(f"the journal goes on to match {beyond}, but by its config the run ends: {ending}")

    def _another_end(self, told: Ending, ending: Ending | None, matches: int) -> JournalError:
        """Return the error that a run cannot have stopped for the reason in its journal."""
        if ending in (None, INTERRUPTED):
            does = f"goes on: match {matches + 1} is missing"
        else:
            does = f"stops because {ending}"
        said = f"the journal says that the run stopped because {told}"
        return JournalError(f"{said}; by its config, after match {matches} it {does}")


#: The fields that a run may go on with changed: nothing that was played depends on them.
_FREE: Final = re.compile(
    r"stop\..*|llm\..*|game\.actionTimeoutS|participants\.\d+\.(maxConcurrent|requestsPerMinute|apiKeyEnv)"
)


def other_settings(config: BenchmarkConfig, changed: BenchmarkConfig) -> dict[str, Any]:
    """Return the changed fields of a config besides those of its stop rule, with their values, by their paths.

    Raises ConfigError if what was played depends on one of them, or if the method of its confidence is changed.
    """
    before, after = _fields(config.plain()), _fields(changed.plain())
    found = {path: after.get(path) for path in {**before, **after} if before.get(path) != after.get(path)}
    fixed = next((path for path in found if not _FREE.fullmatch(path)), None)
    if fixed is not None:
        expected = (
            "a field of stop or llm, game.actionTimeoutS, or a participant's maxConcurrent, requestsPerMinute or "
        )
        raise ConfigError("--set", fixed, f"{expected}apiKeyEnv: all else is part of what has been played")
    method, asked_for = rule_of(config.stop).method, rule_of(changed.stop).method
    if method != asked_for:
        raise ConfigError("stop.adjacentConfidence.method", asked_for, f"{method}, as the run was started")
    return {path: value for path, value in found.items() if not path.startswith("stop.")}


def _fields(value: Any, path: str = "") -> dict[str, Any]:
    """Return the fields of a config by their paths; prices, whose names have dots in them, are one."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if path == "llm.prices" or not entries:
        return {path: value}
    found: dict[str, Any] = {}
    for name, each in entries:
        found |= _fields(each, f"{path}.{name}" if path else str(name))
    return found
