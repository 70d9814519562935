"""Pooling: one leaderboard over several runs of the same config.

Seed pairs of runs that differ only in their cards, budgets and schedule are draws of the same kind, so the runs are put
one after the other and rated as one, by the rule of the last, as if it had been one run that was extended. A run on
cards that are in the pool already adds nothing and is left out.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from molt_bench.bench.ladder import Ladder
from molt_bench.bench.result import AgentUsage, RunResult
from molt_bench.bench.stop_rules import rule_of
from molt_bench.config.sections import BenchmarkConfig, StopConfig
from molt_bench.study.comparison import Run

#: Settings that change which games are played, or how fast, and not what a seed pair of a pairing is worth.
_FREE: Final = frozenset({"outputDir", "stop", "llm", "scheduler", "participants"})
_FREE_SEEDS: Final = frozenset({"masterSeed", "file", "sharedDecks"})


class Pool(msgspec.Struct, frozen=True):
    """Several runs of the same config as one result.

    Attributes:
        runs: The names of the runs in it, in the order in which they were added.
        left_out: The names of all other runs, and why each is not in it.
        result: The result of the runs together; its config is that of the last.
    """

    runs: tuple[str, ...]
    left_out: Mapping[str, str]
    result: RunResult


def pools(runs: Sequence[Run], *, unfit: Mapping[str, str] | None = None) -> list[Pool]:
    """Return a pool for every config that at least two runs have, the one of the latest run first.

    The runs have ended, oldest first; `unfit` has the names of others that cannot be in any pool, and why.
    """
    groups: dict[bytes, list[Run]] = defaultdict(list)
    for run in runs:
        groups[msgspec.json.encode(_settings(run), order="sorted")].append(run)
    number = {run.name: at for at, run in enumerate(runs)}
    shared = [group for group in groups.values() if len(group) > 1 and any(run.result.matches for run in group)]
    shared.sort(key=lambda group: -number[group[-1].name])
    return [_pool(group, runs, unfit or {}) for group in shared]


def _pool(group: Sequence[Run], runs: Sequence[Run], unfit: Mapping[str, str]) -> Pool:
    dealt: dict[Any, str] = {}
    kept, left_out = [], dict(unfit)
    for run in group:
        cards = {(match.participants, seed.seed) for match in run.result.matches for seed in match.result.seed_results}
        known = next((dealt[each] for each in cards if each in dealt), None)
        if known is not None:
            left_out[run.name] = f"it was dealt cards of {known}, so it is no new evidence; name another masterSeed"
        elif not cards:
            left_out[run.name] = "it has no finished match"
        else:
            kept.append(run)
            dealt |= dict.fromkeys(cards, run.name)
    members = {run.name for run in group}
    wanted = _settings(group[-1])
    for run in runs:
        if run.name not in members:
            left_out[run.name] = next(_differences(wanted, _settings(run)), "it is another config")
    return Pool(tuple(run.name for run in kept), left_out, _result(kept))


def _result(runs: Sequence[Run]) -> RunResult:
    """Return the result of runs that are put one after the other."""
    config = runs[-1].config
    config = config.model_copy(update={"stop": StopConfig(adjacent_confidence=rule_of(config.stop), budget=None)})
    ladder = Ladder(config, keep_hands=False)
    for run in runs:
        for match in run.result.matches:
            ladder.rate(match.participants, match.result, margins=match.margins)
    return RunResult(
        config=config,
        matches=tuple(ladder.matches),
        leaderboard=tuple(ladder.leaderboard()),
        convergence=(),
        suspicion=ladder.suspicion.findings(),
        stop_reason="",
        seeds=(),
        seconds=sum(run.result.seconds for run in runs),
        usage=tuple(_usage(name, runs) for name in config.models()),
        harnesses=dict(runs[-1].harnesses),
        boxes=dict(runs[-1].result.boxes),
    )


def _usage(name: str, runs: Sequence[Run]) -> AgentUsage:
    """Return what a model used in all runs: decisions, and dollars where all of them are known."""
    used = [usage for run in runs for usage in run.result.usage if usage.id == name]
    dollars = [usage.cost_usd for usage in used]
    known = [each for each in dollars if each is not None]
    return AgentUsage(
        name,
        used[0].model if used else "",
        decisions=sum(usage.decisions for usage in used),
        exchanges=sum(usage.exchanges for usage in used),
        cost_usd=sum(known) if known and len(known) == len(dollars) else None,
    )


def _settings(run: Run) -> dict[str, Any]:
    """Return everything that must be the same in two runs of one pool, by name."""
    config: BenchmarkConfig = run.config
    plain = config.plain()
    found: dict[str, Any] = {"bench version": run.bench_version, "reference": config.scheduler.reference}
    for section, value in plain.items():
        if section in _FREE:
            continue
        # Most sections have fields; `sandbox` may be a single word.
        found |= (
            {f"{section}.{key}": each for key, each in value.items()} if isinstance(value, dict) else {section: value}
        )
    for key in _FREE_SEEDS:
        del found[f"seeds.{key}"]
    found["participants"] = [each.id for each in config.participants]
    for each in config.participants:
        found[f"agent {each.id}"] = {"anchor": each.anchor, **run.identity(each.id)}
    return found


def _differences(here: Mapping[str, Any], there: Mapping[str, Any]) -> Iterator[str]:
    """Say in what a run differs from those of a pool."""
    if here["participants"] != there["participants"]:
        yield f"other agents play in it: {', '.join(there['participants'])}"
    for name in {**here, **there}:  # what is not set may be in neither, or in one of them
        value, other = here.get(name), there.get(name)
        if other == value:
            continue
        if isinstance(value, dict) and isinstance(other, dict):
            changed = [key for key in {**value, **other} if value.get(key) != other.get(key)]
            yield f"{name} is not the same in it ({', '.join(changed)})"
        else:
            yield f"{name} is {other} in it, not {value}"
