"""Comparison of two runs: how a participant has changed, on the same cards where possible.

Two versions of an agent that played the same opponent on the same seeds had the same cards, and mostly the same luck.
So the difference is taken seed pair by seed pair, and the shared luck cancels out. Every opponent counts equally. If
pairings share their decks, results against several opponents on one seed are correlated; the standard error treats a
seed with all its opponents as one draw.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import ceil, isfinite
from typing import Any, Final

import msgspec

from molt_bench.bench.result import RunResult
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.rating.student import Estimate
from molt_bench.seeds import Seed
from molt_bench.study.change_verdict import (
    ChangeVerdict,
    Won,
    mean_over_opponents,
    minus,
    verdict,
)
from molt_bench.suggestions import one_of

#: How often a gate should notice a loss that is twice the one that it fails by.
_NOTICED: Final = 0.8
_GRAVEST_FIRST: Final[tuple[ChangeVerdict, ...]] = ("worse", "unknown", "better", "within")
#: Settings that do not affect what a model replies.
_BESIDES_THE_POINT: Final = frozenset({"api_key_env", "max_concurrent", "requests_per_minute", "skill_doc"})
#: Game settings that only matter to agents that make faults or are slow.
_TOLERANCE: Final = frozenset({"max_retries", "action_timeout_s"})


class Run(msgspec.Struct, frozen=True):
    """One of the two runs.

    Attributes:
        name: Its name in messages.
        sources: Hashes of the source files of custom agents, by participant.
        skills: The system prompts of its language models, by participant.
        harnesses: The harnesses of its language models with their versions, by participant.
        bench_version: The version of the rules that it was played by; None if that is not known.
    """

    name: str
    config: BenchmarkConfig
    result: RunResult
    sources: Mapping[str, str] = {}
    skills: Mapping[str, str] = {}
    harnesses: Mapping[str, str] = {}
    bench_version: int | None = None

    def identity(self, participant: str) -> dict[str, Any]:
        """Return everything that determines how a participant plays."""
        found = next(each for each in self.config.participants if each.id == participant)
        model = self.config.models().get(participant)
        if model is not None:
            settings = model.model_dump(exclude=set(_BESIDES_THE_POINT))
            asked = {"harness": self.harness(participant), "skill": self.skills.get(participant)}
            return {"type": found.type, **settings, **asked}
        return {"type": found.type, "params": found.params, "code": self.sources.get(participant)}

    def harness(self, participant: str) -> str | None:
        """Return how a language model was asked: its harness with its version, and its track; None for others."""
        model = self.config.models().get(participant)
        return f"{self.harnesses.get(participant, '?')}, {model.track}" if model is not None else None

    def won(self, participant: str, estimator: str) -> Won:
        """Return what a participant won from each opponent in each seed pair."""
        found: dict[str, dict[Seed, float]] = defaultdict(dict)
        for match in self.result.matches:
            if participant in match.participants:
                first = match.participants[0] == participant
                opponent = match.participants[1 if first else 0]
                for pair, won in zip(match.result.seed_results, match.margins[estimator], strict=True):
                    found[opponent][pair.seed] = won if first else -won
        return found


class Difference(msgspec.Struct, frozen=True):
    """How one participant has changed.

    Attributes:
        opponents: Opponents that count, the same in both runs and met in both.
        paired: Whether both runs had the same cards.
        seed_pairs: Seed pairs that count; if they are not paired, those of the old run and of the new run.
        old: What it won from those opponents in the old run, in thousandths of a big blind per hand.
        new: The same in the new run.
        change: The new result minus the old one.
        by_opponent: The change against each opponent alone.
        interval: Confidence interval of the change.
        confidence: Its confidence level.
    """

    old_id: str
    new_id: str
    opponents: tuple[str, ...]
    paired: bool
    seed_pairs: tuple[int, ...]
    old: float
    new: float
    change: Estimate
    by_opponent: Mapping[str, Estimate]
    verdict: ChangeVerdict
    interval: tuple[float, float]
    confidence: float

    @property
    def name(self) -> str:
        """Its id, or both ids if they differ."""
        return self.new_id if self.old_id == self.new_id else f"{self.old_id} > {self.new_id}"

    def lost(self, more_than: float) -> bool:
        """Return whether it certainly lost more than this, on average over the opponents or to one of them."""
        return self.interval[1] < -more_than or self.lost_to(more_than) is not None

    def lost_to(self, more_than: float) -> str | None:
        """Return an opponent to whom it certainly lost more than this; None if there is none.

        What one opponent punishes is lost in the mean where games against another vary a lot. The opponents share the
        error of one interval (Bonferroni), so that many of them raise no more false alarms than one.
        """
        level = 1 - (1 - self.confidence) / len(self.by_opponent)
        found = {name: each.interval(level)[1] for name, each in self.by_opponent.items()}
        worst = min(found, key=lambda name: found[name])
        return worst if found[worst] < -more_than else None

    def kept(self, within: float) -> bool:
        """Return whether it certainly did not lose more than this, on average over the opponents."""
        return self.interval[0] >= -within

    def sees(self, loss: float) -> bool:
        """Return whether twice this loss would be noticed: in four of five runs, the interval would be below it."""
        return self._reach <= loss

    def seed_pairs_to_see(self, loss: float) -> int:
        """Return about how many seed pairs it would take for that."""
        return ceil(max(self.seed_pairs) * (self._reach / loss) ** 2) if isfinite(self._reach) else 0

    @property
    def _reach(self) -> float:
        """How far from 0 the change has to be for its interval to be on one side of 0 in four of five runs."""
        known = self.change
        return known.half_width(self.confidence) + known.half_width(2 * _NOTICED - 1)


class Comparison(msgspec.Struct, frozen=True):
    """Two runs side by side: one difference for each participant compared, and what was left out or is good to know."""

    estimator: str
    differences: tuple[Difference, ...]
    warnings: tuple[str, ...]

    @property
    def verdict(self) -> ChangeVerdict:
        """The verdict on all of them together: worse if one is, else unknown if one is, else better if one is."""
        found = {each.verdict for each in self.differences}
        return next(verdict for verdict in _GRAVEST_FIRST if verdict in found)

    @property
    def cards(self) -> str:
        """How the runs share their cards, in words."""
        paired = {each.paired for each in self.differences}
        if paired == {True}:
            return "Paired by seed on the same cards"
        if paired == {False}:
            return "On different cards, so unpaired"
        return "On the same cards, except rows with two numbers of seed pairs"


def compare(
    old: Run,
    new: Run,
    *,
    agents: Sequence[tuple[str, str]] = (),
    confidence: float = 0.95,
    within: float = 250.0,
) -> Comparison:
    """Compare two runs.

    Args:
        old: The earlier one.
        new: The later one.
        agents: Participants to compare, by their ids in both runs; if empty, all that are in both.
        confidence: Confidence level of the interval.
        within: Largest difference that does not matter, in thousandths of a big blind per hand.

    Raises:
        ConfigError: A participant is not in a run.
        MoltBenchError: The runs played different games, or have nothing in common.
    """
    warnings = _check_games(old, new)
    before, after = ([each.id for each in run.config.participants] for run in (old, new))
    for old_id, new_id in agents:
        for run, ids, name in ((old, before, old_id), (new, after, new_id)):
            if name not in ids:
                raise ConfigError("--agent", name, f"somebody in {run.name}: {one_of(ids, name)}")
    both = [name for name in before if name in after]
    wanted = list(agents) or [(name, name) for name in both]
    estimator = new.config.rating.estimator
    if old.config.rating.estimator != estimator:
        warnings.append(f"both runs are measured by the estimator of {new.name}, {estimator}")
    changed = {name: changed_in(name, old, new) for name in both}
    differences = []
    for old_id, new_id in wanted:
        ways = old.harness(old_id), new.harness(new_id)
        if ways[0] != ways[1]:
            warnings.append(
                f"{new_id} was asked in another way ({ways[0] or 'no model'} in {old.name}, {ways[1] or 'no model'} in "
                f"{new.name}): its change is also that of harness and track"
            )
        won = old.won(old_id, estimator), new.won(new_id, estimator)
        common = [name for name in both if name not in (old_id, new_id) and name in won[0] and name in won[1]]
        for name in common:
            if changed[name]:
                what = ", ".join(changed[name])
                warnings.append(f"{name} is not the same in both runs ({what}): what others won from it is left out")
        same = [name for name in common if not changed[name]]
        found = _difference((old_id, new_id), won, same, warnings, confidence=confidence, within=within)
        if found is None and agents:
            raise MoltBenchError(
                f"{new_id} has no opponent that is the same in {old.name} and {new.name}, with two seed pairs in each"
            )
        if found is not None:
            differences.append(found)
    if not differences:
        raise MoltBenchError(
            f"{old.name} and {new.name} have nothing to compare: nobody is in both who met the same opponent in each, "
            "in two seed pairs or more (name those with another id as --agent OLD_ID=NEW_ID)"
        )
    return Comparison(estimator, tuple(differences), tuple(dict.fromkeys(warnings)))


def changed_in(participant: str, old: Run, new: Run) -> list[str]:
    """Return in what a participant is not the same in both runs."""
    one, two = old.identity(participant), new.identity(participant)
    return [key for key in {**one, **two} if one.get(key) != two.get(key)]


def _check_games(old: Run, new: Run) -> list[str]:
    """Refuse runs that played different games; return warnings about other differences."""
    before, after = old.config.game.model_dump(by_alias=True), new.config.game.model_dump(by_alias=True)
    warnings = []
    for field, info in type(old.config.game).model_fields.items():
        key = info.alias or field
        if before[key] != after[key]:
            said = f"game.{key} is {before[key]} in {old.name} and {after[key]} in {new.name}"
            if field not in _TOLERANCE:
                raise MoltBenchError(f"these runs cannot be compared: {said}")
            warnings.append(said)
    versions = old.bench_version, new.bench_version
    if None not in versions and versions[0] != versions[1]:
        warnings.append(f"{old.name} was played by bench version {versions[0]} and {new.name} by {versions[1]}")
    return warnings


def _difference(
    ids: tuple[str, str],
    won: tuple[Won, Won],
    opponents: Sequence[str],
    warnings: list[str],
    *,
    confidence: float,
    within: float,
) -> Difference | None:
    old, new = won
    shared = {name: [seed for seed in old[name] if seed in new[name]] for name in opponents}
    used = [name for name in opponents if len(shared[name]) > 1]
    paired = bool(used)
    if paired:
        warnings += [
            f"{ids[1]} and {name} have fewer than two seeds in common in both runs: they are left out"
            for name in opponents
            if name not in used
        ]
        before, after = ({name: {seed: side[name][seed] for seed in shared[name]} for name in used} for side in won)
        changes = {name: {seed: after[name][seed] - before[name][seed] for seed in shared[name]} for name in used}
        change = mean_over_opponents(changes)
        by_opponent = {name: mean_over_opponents({name: each}) for name, each in changes.items()}
    else:
        used = [name for name in opponents if len(old[name]) > 1 and len(new[name]) > 1]
        if not used:
            return None
        warnings.append(f"{ids[1]}: the runs share no cards, so results are compared as a whole, with a wider interval")
        before, after = ({name: dict(side[name]) for name in used} for side in won)
        change = minus(mean_over_opponents(after), mean_over_opponents(before))
        by_opponent = {
            name: minus(mean_over_opponents({name: after[name]}), mean_over_opponents({name: before[name]}))
            for name in used
        }
    interval = change.interval(confidence)
    counts = tuple(sum(map(len, side.values())) for side in (before, after))
    return Difference(
        *ids,
        opponents=tuple(used),
        paired=paired,
        seed_pairs=counts[:1] if paired else counts,
        old=mean_over_opponents(before).mean,
        new=mean_over_opponents(after).mean,
        change=change,
        by_opponent=by_opponent,
        verdict=verdict(interval, within),
        interval=interval,
        confidence=confidence,
    )
