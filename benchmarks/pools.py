"""Pools of played seeds: ladders with a known truth.

The margin of a seed pair between two bots without a memory is a fixed number. So every pairing of a ladder is played
once, on a pool of seeds, and a run draws its seeds from the pool, with replacement: the pool is the whole world then,
and its mean is the truth without an error. As in a real run every meeting has seeds
of its own, unless it is asked for that pairings share them.
Ladder, margin model, verdicts, scheduler and stop rules are the real ones; only the games are looked up.

Copies of one bot are truly equal only on average over all seeds, not in a pool of some hundred. So each drawn seed
deals the names out anew among the copies, which makes them equal to the last digit and changes nothing else.
"""

from concurrent.futures import Executor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from bots import Bot
from ladders import Plan, two_of

from molt_bench.luck.estimators import margins_of
from molt_bench.play.match import MakeAgent, play_match
from molt_bench.records import ESTIMATORS, Margins
from molt_bench.seeds import seed_pool
from molt_bench.specs import Pair

#: What is kept of every seed pair: the estimators, and the chips of the two games.
COLUMNS = (*ESTIMATORS, "first game", "second game")
BIG_BLIND = 100
#: Seeds that are played at once by all pairings of a ladder, since they share what the bots compute about a deal.
CHUNK = 10


class Pool:
    """The seed pairs of a ladder, every pairing on every seed: the whole world of its runs.

    All estimators have the same expectation, but not quite the same mean in a pool. So that there is one truth, all of
    them are moved to the mean of the one with the least noise.

    Attributes:
        plan: The ladder.
        names: Its participants.
        played: By seed, first and second participant, and column: what the first won.
        table: The same, moved.
        best: The estimator with the least noise, as a column.
        truth: What each truly wins from each.
    """

    def __init__(self, plan: Plan, table: Any) -> None:
        self.plan = plan
        self.names = tuple(plan.bots)
        self.played = table
        means = table.mean(axis=0)
        others = ~np.eye(len(self.names), dtype=bool)
        spread = table[..., : len(ESTIMATORS)].var(axis=0)[others].mean(axis=0)
        self.best = int(spread.argmin())
        self.truth = (not plan.equal) * means[..., self.best]
        moves = means[..., self.best][..., None] - means
        moves[..., len(ESTIMATORS) :] = moves[..., :1]
        self.table = table if plan.equal else table + moves

    def smaller(self) -> "Pool":
        """Return the pool of the first two."""
        return Pool(two_of(self.plan), self.played[:, :2, :2])

    def margin(self, first: str, second: str) -> float:
        """Return what the first truly wins from the second."""
        return float(self.truth[self.names.index(first), self.names.index(second)])

    def lead(self, first: str, second: str) -> float:
        """Return how much better the first truly is, as the margin model has it."""
        strength = self.strengths()
        return float(strength[self.names.index(first)] - strength[self.names.index(second)])

    def strengths(self) -> Any:
        """Return what each truly wins from the field, or from the reference."""
        reference = self.plan.reference
        return self.truth.mean(axis=1) if reference is None else self.truth[:, self.names.index(reference)]

    def order(self) -> tuple[str, ...]:
        """Return the true ranking."""
        strength = self.strengths()
        return tuple(sorted(self.names, key=lambda name: -strength[self.names.index(name)]))


def _maker(bot: Bot, name: str) -> MakeAgent:
    made = bot.make(name)
    return lambda: made


def play_chunk(plan: Plan, start: int) -> Any:
    """Play some seeds by every pairing; return the table."""
    seeds = seed_pool(f"ladder {plan.name}", CHUNK, start=start)
    made = {name: _maker(bot, name) for name, bot in plan.bots.items()}
    names = [*plan.bots]
    table = np.zeros((CHUNK, len(names), len(names), len(COLUMNS)))
    for first, second in plan.pairs:
        one, two = names.index(first), names.index(second)
        options = {"hands": plan.hands, "stack": plan.stack * BIG_BLIND, "stacks": plan.stacks}
        result = play_match((made[first], made[second]), seeds=seeds, **options)
        if result.faults:
            # What somebody who fails wins or loses says nothing about a way to play.
            raise ValueError(f"{plan.name}: {first} against {second}: {result.faults[0]}")
        margins = margins_of(result, big_blind=BIG_BLIND)
        columns = [[*margins[name]] for name in ESTIMATORS]
        for side in (0, 1):
            columns.append([1000 * pair.games[side].net[0] / BIG_BLIND / plan.hands for pair in result.seed_results])
        table[:, one, two] = np.array(columns).T
        table[:, two, one] = -table[:, one, two]
    return table


def margins_in(rows: Any) -> Margins:
    """Return the margins in rows of a pool."""
    return {name: tuple(rows[:, at].tolist()) for at, name in enumerate(ESTIMATORS)}


def played(plan: Plan, executor: Executor, folder: str | None = None) -> Pool:
    """Play a ladder's pool, or read it from a folder where it is kept."""
    kept = Path(folder, f"{plan.name.replace(' ', '_')}-{plan.seeds}.npz") if folder else None
    if kept is not None and kept.exists():
        found = np.load(kept)
        return Pool(plan, found["table"])
    table = np.concatenate([*executor.map(partial(play_chunk, plan), range(0, plan.seeds, CHUNK))])
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.savez(kept, table=table)
    return Pool(plan, table)


def describe(pool: Pool) -> None:
    """Print what a ladder is like: results, leads, and how much a seed pair varies by each estimator."""
    plan, size = pool.plan, len(pool.names)
    hands = 2 * plan.hands
    print(f"\n{plan.name}: {plan.about}; {plan.stack} big blinds, {len(pool.table)} seed pairs of {hands} hands")
    others = ~np.eye(size, dtype=bool)
    spread = {name: np.sqrt(pool.played[..., at].var(axis=0)[others].mean()) for at, name in enumerate(ESTIMATORS)}
    print("  sd of a seed pair, mbb a hand: " + "  ".join(f"{name} {sd:.0f}" for name, sd in spread.items()))
    if not plan.equal:
        order = pool.order()
        strength = pool.played[..., pool.best].mean(axis=2)
        print("  true order: " + " > ".join(order))
        leads = [
            f"{pool.lead(above, below):.0f} ({(strength[:, one] - strength[:, two]).std() / len(strength) ** 0.5:.0f})"
            for above, below in pairwise(order)
            for one, two in [(pool.names.index(above), pool.names.index(below))]
        ]
        print(f"  true leads of neighbours (their standard error as of all seeds): {'  '.join(leads)}")


class Draws:
    """The seeds of one run: which row of the pool each number of the run's own pool stands for.

    Args:
        pool: Where they are drawn from.
        seed: Gives the draws.
        count: How many there are, before they begin again.
    """

    def __init__(self, pool: Pool, seed: int, *, count: int = 4000) -> None:
        dice = np.random.RandomState(seed)
        self.pool = pool
        size = len(pool.names)
        self.declared = [pool.names[at] for at in dice.permutation(size)]
        self.rows = dice.randint(len(pool.table), size=(size * size, count))
        names = np.tile(np.arange(size), (size * size, count, 1))
        self.names = np.argsort(dice.random_sample(names.shape), axis=2) if pool.plan.equal else names

    def block(self, pair: Pair, start: int, count: int) -> Any:
        """Return the seed pairs of a meeting."""
        return self.pool.table[self._where(pair, start, count)]

    def _where(self, pair: Pair, start: int, count: int) -> tuple[Any, Any, Any]:
        _, most = self.rows.shape
        one, two = (self.pool.names.index(name) for name in pair)
        kind = min(one, two) * len(self.pool.names) + max(one, two)
        at = np.arange(start, start + count) % most
        return self.rows[kind, at], self.names[kind, at, one], self.names[kind, at, two]
