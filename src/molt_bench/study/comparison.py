"""Comparison of two runs: how a participant has changed, on the same cards where possible.

Two versions of an agent that played the same opponent on the same seeds had the same cards, and mostly the same luck.
So the difference is taken seed pair by seed pair, and the shared luck cancels out. Every opponent counts equally. Every
pairing has decks of its own, so results against several opponents are independent.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import ceil, isfinite
from statistics import fmean
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from molt_bench.bench.gate import GateVerdict, bb
from molt_bench.bench.participant_failures import failures_of
from molt_bench.bench.result import RunResult
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.seeds import Seed
from molt_bench.study.change import Change, ChangeVerdict, change_of, verdict_of
from molt_bench.suggestions import one_of

_GRAVEST_FIRST: Final[tuple[ChangeVerdict, ...]] = ("worse", "unknown", "better", "within")
#: Settings that do not affect what a model replies.
_BESIDES_THE_POINT: Final = frozenset({"api_key_env", "max_concurrent", "requests_per_minute", "skill_doc"})
#: Game settings that only matter to agents that make faults or are slow.
_TOLERANCE: Final = frozenset({"max_retries", "action_timeout_s"})
#: Faults decided the result of an agent that gave no usable answer in more than this share of its hands.
FAULTY: Final = 0.1

#: What was won in each seed pair, by opponent, in thousandths of a big blind per hand.
Won: TypeAlias = Mapping[str, Mapping[Seed, float]]


class ComparedRun(msgspec.Struct, frozen=True):
    """One of the two runs.

    Attributes:
        name: Its name in messages.
        sources: Hashes of the source files of custom agents, by participant.
        skills: The system prompts of its language models, by participant.
        reply_forms: The forms of the replies of its language models with their versions, by participant.
        bench_version: The version of the rules that it was played by; None if that is not known.
    """

    name: str
    config: BenchmarkConfig
    result: RunResult
    sources: Mapping[str, str] = {}
    skills: Mapping[str, str] = {}
    reply_forms: Mapping[str, str] = {}
    bench_version: int | None = None

    def identity(self, participant: str) -> dict[str, Any]:
        """Return everything that determines how a participant plays."""
        found = next(each for each in self.config.participants if each.id == participant)
        model = self.config.models().get(participant)
        if model is not None:
            settings = model.model_dump(exclude=set(_BESIDES_THE_POINT))
            asked = {"reply": self.asked(participant), "skill": self.skills.get(participant)}
            return {"type": found.type, **settings, **asked}
        return {"type": found.type, "params": found.params, "code": self.sources.get(participant)}

    def asked(self, participant: str) -> str:
        """Return the form of a language model's replies with its version, and its track."""
        model = self.config.models().get(participant)
        return f"{self.reply_forms.get(participant, '?')}, {model.track}" if model is not None else "no model"

    def won(self, participant: str, estimator: str) -> Won:
        """Return what a participant won from each opponent in each seed pair."""
        found: dict[str, dict[Seed, float]] = defaultdict(dict)
        for match in self.result.matches:
            if participant in match.participants:
                first = match.participants[0] == participant
                for pair, won in zip(match.seed_results, match.margins[estimator], strict=True):
                    found[match.participants[1 if first else 0]][pair.seed] = won if first else -won
        return found

    def faults(self) -> dict[str, str]:
        """Say of those whose results were decided by faults in how many hands they gave no usable answer."""
        found = failures_of(self.result.matches).items()
        return {
            name: f"gave no usable answer in {each.unanswered / each.hands:.0%} of its hands"
            for name, each in found
            if each.unanswered > FAULTY * each.hands
        }


class Measured(NamedTuple):
    """What is measured of one participant.

    Attributes:
        paired: Whether both runs had the same cards.
        seed_pairs: Seed pairs that count; if they are not paired, those of the old run and of the new run.
        old: What it won in the old run, in thousandths of a big blind per hand, on average over the opponents.
        new: The same in the new run.
        change: The new result minus the old one.
        by_opponent: The change against each opponent alone: those that are the same in both runs.
    """

    paired: bool
    seed_pairs: tuple[int, ...]
    old: float
    new: float
    change: Change
    by_opponent: Mapping[str, Change]


class Difference(msgspec.Struct, frozen=True):
    """How one participant has changed.

    Attributes:
        confidence: The confidence level of the verdict, at one look.
        within: Largest change that does not matter, in thousandths of a big blind per hand.
        faulty: Where faults decided the result of the new version: in how many hands it gave no usable answer.
    """

    old_id: str
    new_id: str
    measured: Measured
    confidence: float = 0.95
    within: float = 250.0
    faulty: str | None = None

    @property
    def name(self) -> str:
        """Its id, or both ids if they differ."""
        return self.new_id if self.old_id == self.new_id else f"{self.old_id} > {self.new_id}"

    @property
    def change(self) -> Change:
        """The change, on average over the opponents."""
        return self.measured.change

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the change, which decides its verdict."""
        return self.change.interval(self.confidence)

    @property
    def verdict(self) -> ChangeVerdict:
        """The verdict: nothing good, whatever the interval, where faults decided the new result."""
        found = verdict_of(self.interval, self.within)
        return "unknown" if self.faulty and found != "worse" else found

    def lost_to(self, more_than: float) -> str | None:
        """Return an opponent that it certainly lost more than this to; None if there is none.

        What one opponent punishes is lost in the mean where games against another vary a lot. The opponents share the
        error of one interval (Bonferroni), so that many of them raise no more false alarms than one.
        """
        by_opponent = self.measured.by_opponent
        level = 1 - (1 - self.confidence) / len(by_opponent)
        found = {name: each.interval(level)[1] for name, each in by_opponent.items()}
        worst = min(found, key=lambda name: found[name])
        return worst if found[worst] < -more_than else None

    def answer(self, margin: float) -> tuple[GateVerdict, str]:
        """Return whether it is worse by more than a margin, as a gate says it of two finished runs; and why not."""
        low, high = self.interval
        sure, more = f"{100 * self.confidence:.4g}% certain", f"more than {bb(margin)} bb/100"
        if self.faulty is not None:
            return "worse", f"it {self.faulty}"
        if high < -margin:
            return "worse", f"it is {sure} that it lost {more}"
        if (opponent := self.lost_to(margin)) is not None:
            return "worse", f"it is {sure} that it lost {more} to {opponent}"
        if low >= -margin:
            return "kept", ""
        pairs = max(self.measured.seed_pairs)
        takes = pairs * self.change.times_to_reach(margin, self.confidence)
        more_play = f"; to notice twice that takes about {ceil(takes):,}" if pairs < takes and isfinite(takes) else ""
        return "open", f"it is not {sure} that it did not lose {more}, with {self.pairs_text} seed pairs{more_play}"

    @property
    def pairs_text(self) -> str:
        """How many seed pairs count, in the old run and in the new one if they are not paired."""
        return " / ".join(f"{count:,}" for count in self.measured.seed_pairs)


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


def compare(
    old: ComparedRun,
    new: ComparedRun,
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
        for run, there, name in ((old, before, old_id), (new, after, new_id)):
            if name not in there:
                raise ConfigError("--agent", name, f"an agent in {run.name}: {one_of(there, name)}")
    both = [name for name in before if name in after]
    estimator = new.config.rating.estimator
    if old.config.rating.estimator != estimator:
        warnings.append(f"both runs are measured by the estimator of {new.name}, {estimator}")
    faults = old.faults(), new.faults()
    others, found = _others(both, old, new), []
    for ids in list(agents) or [(name, name) for name in both]:
        if (ways := (old.asked(ids[0]), new.asked(ids[1])))[0] != ways[1]:
            warnings.append(
                f"{ids[1]} was asked in another way ({ways[0]} in {old.name}, {ways[1]} in {new.name}): its change is "
                "also that of how it was asked"
            )
        warnings += [
            f"{name} {faulty[name]} in {run.name}, so faults decided its result"
            for run, name, faulty in zip((old, new), ids, faults, strict=True)
            if name in faulty
        ]
        won = old.won(ids[0], estimator), new.won(ids[1], estimator)
        common = [name for name in both if name not in ids and name in won[0] and name in won[1]]
        warnings += [f"{name} {others[name]}: what others won from it is left out" for name in common if name in others]
        measured = _measured(ids[1], won, [name for name in common if name not in others], warnings)
        if measured is not None:
            found.append(Difference(*ids, measured, confidence, within, faults[1].get(ids[1])))
        elif agents:
            raise MoltBenchError(
                f"{ids[1]} has no opponent that is the same in {old.name} and {new.name}, with two seed pairs in each"
            )
    if not found:
        raise MoltBenchError(
            f"{old.name} and {new.name} have nothing to compare: no agent of both met the same opponent in each, "
            "in two seed pairs or more (name those with another id as --agent OLD_ID=NEW_ID)"
        )
    return Comparison(estimator, tuple(found), tuple(dict.fromkeys(warnings)))


def _check_games(old: ComparedRun, new: ComparedRun) -> list[str]:
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


def _others(both: Sequence[str], old: ComparedRun, new: ComparedRun) -> dict[str, str]:
    """Return who has changed in the new run, and why: by its settings or code, or by its faults in one run."""
    found = {}
    for name in both:
        one, two = old.identity(name), new.identity(name)
        changed = [key for key in {**one, **two} if one.get(key) != two.get(key)]
        broke = [(run.name, faulty[name]) for run in (old, new) if name in (faulty := run.faults())]
        if changed:
            found[name] = f"is not the same in both runs ({', '.join(changed)})"
        elif len(broke) == 1:
            found[name] = f"{broke[0][1]}, in {broke[0][0]} alone"
    return found


def _measured(new_id: str, won: tuple[Won, Won], opponents: Sequence[str], warnings: list[str]) -> Measured | None:
    """Return how a result has changed, seed pair by seed pair where possible; None if no opponent was met twice."""
    old, new = won
    shared = {name: [seed for seed in old[name] if seed in new[name]] for name in opponents}
    used = [name for name in opponents if len(shared[name]) > 1]
    paired = bool(used)
    if paired:
        warnings += [
            f"{new_id} and {name} have fewer than two seeds in common in both runs: they are left out"
            for name in opponents
            if name not in used
        ]
        before, after = ({name: [side[name][seed] for seed in shared[name]] for name in used} for side in won)
        parts = {
            name: [(1.0, [now - then for then, now in zip(before[name], after[name], strict=True)])] for name in used
        }
    else:
        used = [name for name in opponents if len(old[name]) > 1 and len(new[name]) > 1]
        if not used:
            return None
        warnings.append(f"{new_id}: the runs share no cards, so results are compared as a whole, with a wider interval")
        before, after = ({name: [*side[name].values()] for name in used} for side in won)
        parts = {name: [(1.0, after[name]), (-1.0, before[name])] for name in used}
    counts = tuple(sum(map(len, side.values())) for side in (before, after))
    return Measured(
        paired,
        counts[:1] if paired else counts,
        fmean(map(fmean, before.values())),
        fmean(map(fmean, after.values())),
        change=change_of([(weight / len(used), values) for each in parts.values() for weight, values in each]),
        by_opponent={name: change_of(each) for name, each in parts.items()},
    )
