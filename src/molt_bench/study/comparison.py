"""Comparison of two runs: how a participant has changed, on the same cards where possible.

Two versions of an agent that played the same opponent on the same seeds had the same cards, and mostly the same luck.
So the difference is taken seed pair by seed pair, and the shared luck cancels out. Every opponent counts equally. Every
pairing has decks of its own, so results against several opponents are independent.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, Final, TypeAlias

import msgspec

from molt_bench.bench.participant_failures import failures_of
from molt_bench.bench.result import RunResult
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.seeds import Seed
from molt_bench.study.change import Change, Judged, change_of, judged
from molt_bench.suggestions import one_of

#: Settings that do not affect what a model replies; its prompt is recorded as a hash.
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
        recorded: What it recorded of participants beside its config, such as hashes of their code and prompts.
    """

    name: str
    result: RunResult
    recorded: Mapping[str, Mapping[str, str]] = {}

    @property
    def ids(self) -> list[str]:
        """The participants, in the order of the config."""
        return [each.id for each in self.result.config.participants]

    def identity(self, participant: str) -> dict[str, Any]:
        """Return everything that determines how a participant plays."""
        config = self.result.config
        found = next(each for each in config.participants if each.id == participant)
        model = config.models().get(participant)
        settings = {"params": found.params} if model is None else model.model_dump(exclude=set(_BESIDES_THE_POINT))
        return {"type": found.type, **settings, **self.recorded.get(participant, {})}

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


class Difference(msgspec.Struct, frozen=True):
    """How one participant has changed.

    Attributes:
        paired: Whether both runs had the same cards.
        seed_pairs: Seed pairs that count; if they are not paired, those of the old run and of the new run.
        old: What it won in the old run, in thousandths of a big blind per hand, on average over the opponents.
        new: The same in the new run.
        change: The new result minus the old one, on average over the opponents.
        by_opponent: The change against each opponent alone: those that are the same in both runs.
        judged: The verdict, and why.
    """

    old_id: str
    new_id: str
    paired: bool
    seed_pairs: tuple[int, ...]
    old: float
    new: float
    change: Change
    by_opponent: Mapping[str, Change]
    judged: Judged = Judged("open")

    @property
    def name(self) -> str:
        """Its id, or both ids if they differ."""
        return self.new_id if self.old_id == self.new_id else f"{self.old_id} > {self.new_id}"


class Comparison(msgspec.Struct, frozen=True):
    """Two runs side by side: one difference for each participant compared, and what was left out or is good to know.

    Attributes:
        margin: The loss that does not matter, in thousandths of a big blind per hand; None where any does.
    """

    estimator: str
    confidence: float
    margin: float | None
    differences: tuple[Difference, ...]
    warnings: tuple[str, ...]


def compare(
    old: ComparedRun,
    new: ComparedRun,
    *,
    agents: Sequence[tuple[str, str]] = (),
    confidence: float = 0.95,
    margin: float | None = None,
) -> Comparison:
    """Compare two runs.

    Args:
        old: The earlier one.
        new: The later one.
        agents: Participants to compare, by their ids in both runs; if empty, all that are in both.
        confidence: Confidence level of the intervals.
        margin: Loss that does not matter, on average and to each opponent, in thousandths of a big blind per hand;
            without one, any loss on average does.

    Raises:
        ConfigError: A participant is not in a run.
        MoltBenchError: The runs played different games, or have nothing in common.
    """
    for ids in agents:
        for run, name in zip((old, new), ids, strict=True):
            if name not in run.ids:
                raise ConfigError("--agent", name, f"an agent in {run.name}: {one_of(run.ids, name)}")
    warnings, estimator = _check_games(old, new), new.result.config.rating.estimator
    both = [name for name in old.ids if name in new.ids]
    changed, faults = _changed(both, old, new), (old.faults(), new.faults())
    found, missing = [], []
    for old_id, new_id in agents or [(name, name) for name in both]:
        won = old.won(old_id, estimator), new.won(new_id, estimator)
        common = [name for name in both if name not in (old_id, new_id) and name in won[0] and name in won[1]]
        warnings += [f"{one} {changed[one]}: what others won from it is left out" for one in common if one in changed]
        measured = _measured((old_id, new_id), won, [name for name in common if name not in changed])
        if measured is None:
            missing.append(new_id)
            continue
        if not measured.paired:
            warnings.append(f"{new_id}: the runs share no cards, so the interval is wider")
        warnings += [
            f"{name} {faulty[name]} in {run.name}, so faults decided its result"
            for run, name, faulty in zip((old, new), (old_id, new_id), faults, strict=True)
            if name in faulty
        ]
        against = {} if margin is None else measured.by_opponent
        verdict = judged(measured.change, margin or 0.0, confidence, against=against)
        if new_id in faults[1]:
            verdict = Judged("worse", (f"it {faults[1][new_id]}",))
        found.append(msgspec.structs.replace(measured, judged=verdict))
    if not found or (agents and missing):
        raise MoltBenchError(
            f"{old.name} and {new.name} have nothing to compare {', '.join(missing) or 'anyone'} by: it takes an "
            "opponent that is the same in both, met in two seed pairs or more (--agent OLD_ID=NEW_ID if renamed)"
        )
    return Comparison(estimator, confidence, margin, tuple(found), tuple(dict.fromkeys(warnings)))


def _check_games(old: ComparedRun, new: ComparedRun) -> list[str]:
    """Refuse runs that played different games; return warnings about other differences."""
    before, after = (run.result.config.game.model_dump(by_alias=True) for run in (old, new))
    warnings = []
    for field, info in type(old.result.config.game).model_fields.items():
        key = info.alias or field
        if before[key] != after[key]:
            said = f"game.{key} is {before[key]} in {old.name} and {after[key]} in {new.name}"
            if field not in _TOLERANCE:
                raise MoltBenchError(f"these runs cannot be compared: {said}")
            warnings.append(said)
    versions = old.result.bench_version, new.result.bench_version
    if versions[0] != versions[1]:
        warnings.append(f"{old.name} was played by bench version {versions[0]} and {new.name} by {versions[1]}")
    return warnings


def _changed(both: Sequence[str], old: ComparedRun, new: ComparedRun) -> dict[str, str]:
    """Return who has changed in the new run, and how: by its settings or code, or by its faults in one run."""
    found, faults = {}, (old.faults(), new.faults())
    for name in both:
        one, two = old.identity(name), new.identity(name)
        changed = [key for key in {**one, **two} if one.get(key) != two.get(key)]
        broke = [(run.name, faulty[name]) for run, faulty in zip((old, new), faults, strict=True) if name in faulty]
        if changed:
            found[name] = f"is not the same in both runs ({', '.join(changed)})"
        elif len(broke) == 1:
            found[name] = f"{broke[0][1]}, in {broke[0][0]} alone"
    return found


def _measured(ids: tuple[str, str], won: tuple[Won, Won], opponents: Sequence[str]) -> Difference | None:
    """Return how a result has changed, seed pair by seed pair where possible; None if no opponent was met twice."""
    old, new = won
    shared = {name: [seed for seed in old[name] if seed in new[name]] for name in opponents}
    used = [name for name in opponents if len(shared[name]) > 1]
    paired = bool(used)
    if paired:
        before, after = ({name: [side[name][seed] for seed in shared[name]] for name in used} for side in won)
        parts = {
            name: [(1.0, [now - then for then, now in zip(before[name], after[name], strict=True)])] for name in used
        }
    else:
        used = [name for name in opponents if len(old[name]) > 1 and len(new[name]) > 1]
        if not used:
            return None
        before, after = ({name: [*side[name].values()] for name in used} for side in won)
        parts = {name: [(1.0, after[name]), (-1.0, before[name])] for name in used}
    counts = tuple(sum(map(len, side.values())) for side in (before, after))
    return Difference(
        *ids,
        paired,
        counts[:1] if paired else counts,
        fmean(map(fmean, before.values())),
        fmean(map(fmean, after.values())),
        change_of([(weight / len(used), values) for each in parts.values() for weight, values in each]),
        {name: change_of(each) for name, each in parts.items()},
    )
