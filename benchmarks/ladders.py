"""Ladders with a known truth, and runs on them that cost next to nothing.

The margin of a seed pair between two bots without a memory is a fixed number. So every pairing of a ladder is played
once, on a pool of seeds, and a run draws its seeds from the pool, with replacement: the pool is the whole world then,
and its mean is the truth without an error. As in a real run every meeting has seeds
of its own, unless it is asked for that pairings share them.
Ladder, margin model, verdicts, scheduler and stop rules are the real ones; only the games are looked up.

Copies of one bot are truly equal only on average over all seeds, not in a pool of some hundred. So each drawn seed
deals the names out anew among the copies, which makes them equal to the last digit and changes nothing else.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from molt_bench.agents.base import PokerAgent, Policy
from molt_bench.agents.registry import make_agent
from molt_bench.agents.scripted import RandomAgent, ScriptedAgent
from molt_bench.agents.tag import TagAgent
from molt_bench.bench.config import BenchmarkConfig
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.margins import margins_of
from molt_bench.bench.scheduler import Pair, Situation, choose_round, policy_named
from molt_bench.bench.stop import first_reason, rules_of
from molt_bench.play.match import MakeAgent, play_match
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.observation import Observation
from molt_bench.rating import margin
from molt_bench.rating.book import ESTIMATORS, MarginBook
from molt_bench.rating.margin import Estimate
from molt_bench.rating.verdicts import Verdict
from molt_bench.records import Margins, MatchResult, PlayedMatch
from molt_bench.seeds import Seed, derive, seed_pool

#: What is kept of every seed pair: the estimators, and the chips of the two games.
COLUMNS = (*ESTIMATORS, "first game", "second game")
BIG_BLIND = 100
#: Seeds that are played at once by all pairings of a ladder, since they share what the bots compute about a deal.
CHUNK = 10
_SHARE = 2**64


class _Loaded(TagAgent):
    """`tag` with dice that show what one wants."""

    def throw(self, observation: Observation) -> int:
        """Return the number that was set."""
        return self.shows

    shows = 0


class Noisy(ScriptedAgent):
    """A bot that does something random with a fixed chance: the higher, the worse.

    With `publish` it says how it mixes; so does a bot that follows no dice otherwise, or `tag`.
    """

    kind = "noisy"

    def __init__(self, *, like: str, noise: float, seed: Seed, publish: bool = False) -> None:
        super().__init__(seed=seed)
        self._own = make_agent(like, seed=derive(seed, "own"))
        self._random = RandomAgent(seed=derive(seed, "random"))
        self._noise = noise
        self._below = int(noise * _SHARE)
        if publish:
            self.policy = self._policy

    def act(self, observation: Observation) -> Action:
        """Throw for who acts."""
        return (self._random if self.throw(observation) < self._below else self._own).act(observation)

    def _policy(self, observation: Observation) -> Policy:
        if isinstance(self._own, TagAgent):
            loaded = _Loaded()
            own = []
            for loaded.shows, chance in ((0, 0.04), (4, 0.21), (25, 0.75)):
                own.append((loaded.act(observation), chance))
        else:
            own = [(self._own.act(observation), 1.0)]
        noise = self._noise
        parts = [*[(action, (1 - noise) * chance) for action, chance in own]]
        if noise:
            parts += [(action, noise * chance) for action, chance in self._random.policy(observation)]
        return tuple(parts)


class Limper(ScriptedAgent):
    """Calls or checks, but folds to a bet with a fixed chance: the higher, the worse."""

    kind = "limper"

    def __init__(self, *, folds: float, seed: Seed) -> None:
        super().__init__(seed=seed)
        self._folds = folds
        self._below = int(folds * _SHARE)

    def act(self, observation: Observation) -> Action:
        """Throw for a fold."""
        if not observation.to_call:
            return CHECK
        return FOLD if self.throw(observation) < self._below else CALL

    def policy(self, observation: Observation) -> Policy:
        """Return the chances of what `act` throws."""
        if not observation.to_call:
            return ((CHECK, 1.0),)
        return (FOLD, self._folds), (CALL, 1 - self._folds)


class Bot(NamedTuple):
    """How an agent of a ladder is made."""

    like: str
    noise: float = 0.0
    publish: bool = False

    def make(self, seed: Seed) -> PokerAgent:
        """Make the agent; its seed gives its dice."""
        if self.like == Limper.kind:
            return Limper(folds=self.noise, seed=seed)
        if self.noise or self.publish:
            return Noisy(like=self.like, noise=self.noise, seed=seed, publish=self.publish)
        return make_agent(self.like, seed=seed)


class Plan(NamedTuple):
    """A ladder.

    Attributes:
        name: What it is called.
        about: What it is, in a line.
        bots: By id.
        stack: Big blinds of a stack.
        hands: Hands of a game; a seed pair has twice as many.
        seeds: Seed pairs of the pool.
        equal: Whether all are copies of one bot.
        tie: Thousandths of a big blind a hand within which two count as tied.
        most: Hands of a run at most.
    """

    name: str
    about: str
    bots: Mapping[str, Bot]
    stack: int = 100
    hands: int = 20
    seeds: int = 300
    equal: bool = False
    tie: float = 250.0
    most: int = 80_000

    @property
    def pairs(self) -> list[Pair]:
        """All pairings."""
        return [*combinations(self.bots, 2)]


def _noises(like: str, shares: Iterable[float], *, publish: bool = False) -> dict[str, Bot]:
    return {f"{like} {share:g}": Bot(like, share, publish) for share in shares}


def _copies(bot: Bot, count: int) -> dict[str, Bot]:
    return {f"{bot.like}-{number}": bot for number in range(1, count + 1)}


#: These are for measuring alone: nothing in molt_bench may be chosen by looking at them.
VALIDATION = (
    Plan(
        "noise",
        "tag with 0 to 40% of random actions; dice published",
        _noises("tag", (0, 0.1, 0.2, 0.3, 0.4), publish=True),
    ),
    Plan(
        "styles",
        "six built-in bots",
        {name: Bot(name) for name in ("tag", "tight", "callstation", "maniac", "random", "shover")},
        seeds=200,
    ),
    Plan(
        "mixed",
        "tag, tight and callstation with some noise, close to each other; nothing published",
        {
            **_noises("tag", (0.25, 0.35)),
            **_noises("tight", (0.05, 0.15)),
            **_noises("callstation", (0.1, 0.3)),
        },
    ),
    Plan(
        "folds",
        "stacks of one big blind, and 0 to 40% of folds; dice published",
        _noises("limper", (0, 0.1, 0.2, 0.3, 0.4)),
        stack=1,
        seeds=1000,
        tie=10.0,
    ),
)
EQUAL = (
    Plan("random x 4", "copies", _copies(Bot("random"), 4), equal=True, most=40_000),
    Plan("maniac x 4", "copies", _copies(Bot("maniac"), 4), seeds=100, equal=True, most=40_000),
    Plan("noisy tag x 4", "copies", _copies(Bot("tag", 0.15), 4), equal=True, most=40_000),
)
#: These are for choosing constants and defaults.
TUNING = (
    Plan(
        "tuning: calls",
        "callstation with noise, 30 big blinds",
        _noises("callstation", (0.05, 0.2, 0.35, 0.5)),
        stack=30,
    ),
    Plan(
        "tuning: pots",
        "tight, random and folder-like bots, 50 big blinds",
        {
            **_noises("tight", (0.1, 0.3, 0.5)),
            "random": Bot("random"),
            **_noises("shover", (0.2, 0.6)),
        },
        stack=50,
    ),
)


def two_of(plan: Plan) -> Plan:
    """Return the ladder of its first two."""
    first, second = [*plan.bots][:2]
    name = plan.name.replace("x 4", "x 2")
    return plan._replace(name=name, bots={first: plan.bots[first], second: plan.bots[second]})


class Pool:
    """The seed pairs of a ladder, every pairing on every seed: the whole world of its runs.

    All estimators have the same expectation, but not quite the same mean in a pool. So that there is one truth, all of
    them are moved to the mean of the one with the least noise.

    Attributes:
        plan: The ladder.
        names: Its participants.
        played: By seed, first and second participant, and column: what the first won.
        table: The same, moved.
        truth: What each truly wins from each.
    """

    def __init__(self, plan: Plan, table: Any) -> None:
        self.plan = plan
        self.names = tuple(plan.bots)
        self.played = table
        means = table.mean(axis=0)
        self.truth = 0 * means[..., 3] if plan.equal else means[..., 3]
        moves = means[..., 3][..., None] - means
        moves[..., 4:] = moves[..., :1]
        self.table = table if plan.equal else table + moves

    def smaller(self) -> "Pool":
        """Return the pool of the first two."""
        return Pool(two_of(self.plan), self.played[:, :2, :2])

    def margin(self, first: str, second: str) -> float:
        """Return what the first truly wins from the second."""
        return float(self.truth[self.names.index(first), self.names.index(second)])

    def lead(self, first: str, second: str) -> float:
        """Return how much better the first truly is, as the margin model has it."""
        strength = self.truth.mean(axis=1)
        return float(strength[self.names.index(first)] - strength[self.names.index(second)])

    def order(self) -> tuple[str, ...]:
        """Return the true ranking."""
        strength = self.truth.mean(axis=1)
        return tuple(sorted(self.names, key=lambda name: -strength[self.names.index(name)]))

    def clustering(self, column: int) -> float:
        """Return how many times larger the variance of leads is than if no two pairings shared their seeds."""
        values, size = self.played[..., column], len(self.names)
        variances = values.var(axis=0)
        strength = values.mean(axis=2)
        real = apart = 0.0
        for one, two in combinations(range(size), 2):
            real += (strength[:, one] - strength[:, two]).var()
            apart += (variances[one].sum() + variances[two].sum() + 2 * variances[one, two]) / size**2
        return real / apart


def _maker(bot: Bot, name: str) -> MakeAgent:
    made = bot.make(name)
    return lambda: made


def play_chunk(plan: Plan, start: int) -> Any:
    """Play some seeds by every pairing."""
    seeds = seed_pool(f"ladder {plan.name}", CHUNK, start=start)
    made = {name: _maker(bot, name) for name, bot in plan.bots.items()}
    policies = {name: getattr(make(), "policy", None) for name, make in made.items()}
    names = [*plan.bots]
    table = np.zeros((CHUNK, len(names), len(names), len(COLUMNS)))
    for one, two in combinations(range(len(names)), 2):
        first, second = names[one], names[two]
        result = play_match((made[first], made[second]), seeds=seeds, hands=plan.hands, stack=plan.stack * BIG_BLIND)
        margins = margins_of(result, big_blind=BIG_BLIND, policies=(policies[first], policies[second]))
        columns = [getattr(margins, field) for field in ESTIMATORS.values()]
        for side in (0, 1):
            columns.append([1000 * pair.games[side].net[0] / BIG_BLIND / plan.hands for pair in result.seed_results])
        table[:, one, two] = np.array(columns).T
        table[:, two, one] = -table[:, one, two]
    return table


def played(plan: Plan, executor: Executor, folder: str | None = None) -> Pool:
    """Play a ladder's pool, or read it from a folder where it is kept."""
    kept = Path(folder, f"{plan.name.replace(' ', '_')}-{plan.seeds}.npy") if folder else None
    if kept is not None and kept.exists():
        return Pool(plan, np.load(kept))
    table = np.concatenate([*executor.map(partial(play_chunk, plan), range(0, plan.seeds, CHUNK))])
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.save(kept, table)
    return Pool(plan, table)


def describe(pool: Pool) -> None:
    """Print what a ladder is like: results, leads, and how much a seed pair varies by each estimator."""
    plan, size = pool.plan, len(pool.names)
    hands = 2 * plan.hands
    print(f"\n{plan.name}: {plan.about}; {plan.stack} big blinds, {len(pool.table)} seed pairs of {hands} hands")
    others = ~np.eye(size, dtype=bool)
    spread = {name: np.sqrt(pool.played[..., at].var(axis=0)[others].mean()) for at, name in enumerate(ESTIMATORS)}
    print("  sd of a seed pair, mbb a hand: " + "  ".join(f"{name} {sd:.0f}" for name, sd in spread.items()))
    for column in (0, 3) if size > 2 else ():
        shared = pool.clustering(column)
        print(f"  variance of leads over that without shared seeds, {[*ESTIMATORS][column]}: {shared:.2f}")
    if not plan.equal:
        order = pool.order()
        strength = pool.played[..., 3].mean(axis=2)
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
        shared: Whether all pairings have the same seeds; otherwise each has its own.
        count: How many there are, before they begin again.
    """

    def __init__(self, pool: Pool, seed: int, *, shared: bool = False, count: int = 4000) -> None:
        dice = np.random.RandomState(seed)
        self.pool = pool
        self.shared = shared
        size = len(pool.names)
        self.declared = [pool.names[at] for at in dice.permutation(size)]
        kinds = 1 if shared else size * size
        self.rows = dice.randint(len(pool.table), size=(kinds, count))
        names = np.tile(np.arange(size), (kinds, count, 1))
        self.names = np.argsort(dice.random_sample(names.shape), axis=2) if pool.plan.equal else names

    def block(self, pair: Pair, start: int, count: int) -> Any:
        """Return the seed pairs of a meeting."""
        kinds, most = self.rows.shape
        one, two = (self.pool.names.index(name) for name in pair)
        kind = (min(one, two) * len(self.pool.names) + max(one, two)) % kinds
        at = np.arange(start, start + count) % most
        return self.pool.table[self.rows[kind, at], self.names[kind, at, one], self.names[kind, at, two]]

    def seeds(self, pair: Pair, start: int, count: int) -> list[Any]:
        """Return the names of the seeds of a meeting."""
        return [number if self.shared else (pair, number) for number in range(start, start + count)]


def _quick_clustering(used: Sequence[tuple[float, Any]]) -> float:
    """Return how the margin model counts shared seeds; quick, since a run's seeds are numbered without a gap."""
    if len(used) == 1 or not isinstance(used[0][1].seeds[0], int):
        return 1.0
    together = np.zeros(max(sample.count for _, sample in used))
    alone = 0.0
    for weight, sample in used:
        scale = weight / sample.count * (sample.count / max(1, sample.free)) ** 0.5
        together[: sample.count] += scale * (np.array(sample.margins) - sample.mean)
        alone += scale**2 * sample.squares
    return max(1.0, float(together @ together) / alone) if alone else 1.0


margin._clustering = _quick_clustering


class QuickModel(margin.MarginModel):
    """The margin model, with what many ask for kept until there is more to know."""

    _leads: dict[Pair, Estimate]
    _ranked: tuple[str, ...]

    def __init__(self, participants: Sequence[str], plan: Plan, *, additive: bool = False) -> None:
        guess = margin.first_guess(plan.stack)
        super().__init__(participants, hands=2 * plan.hands, sd_per_hand=guess, additive=additive)
        self._leads, self._ranked = {}, ()

    def replace(self, pair: Pair, margins: Sequence[float], seeds: Sequence[Any]) -> None:
        """Learn, and forget what was kept."""
        super().replace(pair, margins, seeds)
        self._leads, self._ranked = {}, ()

    def lead(self, first: str, second: str) -> Estimate:
        """Return the lead."""
        if (first, second) not in self._leads:
            self._leads[first, second] = super().lead(first, second)
        return self._leads[first, second]

    def ranking(self) -> tuple[str, ...]:
        """Return the ranking."""
        self._ranked = self._ranked or super().ranking()
        return self._ranked


class PoolLadder(Ladder):
    """The ladder of a run whose games are looked up."""

    def __init__(self, config: BenchmarkConfig, draws: Draws) -> None:
        super().__init__(config)
        self.draws = draws
        self.margins = QuickModel(draws.declared, draws.pool.plan, additive=config.rating.margins == "additive")
        self._book = MarginBook(self.margins, config.rating.estimator)
        self._verdicts: tuple[int, tuple[Verdict, ...]] = (-1, ())

    def verdicts(self) -> tuple[Verdict, ...]:
        """Return the verdicts, which many ask for."""
        if self._verdicts[0] != len(self.matches):
            self._verdicts = len(self.matches), super().verdicts()
        return self._verdicts[1]

    def situation(self, cost: Mapping[Pair, float] | None = None) -> Situation:
        """Leave out how sure every pair is where nobody looks at it."""
        if self._config.scheduler.policy not in ("information_gain", "round_robin"):
            return super().situation(cost)
        known, self._confidence = self._confidence, lambda first, second: 0.5
        situation = super().situation(cost)
        self._confidence = known
        return situation

    def look_up(self, pair: Pair) -> None:
        """Learn from the next match of two."""
        count = self._config.seeds.per_match
        start = count * self.meetings[pair]
        rows = self.draws.block(pair, start, count)
        self.meetings[pair] += 1
        if self.by_margins:
            self._book.add(pair, Margins(*rows.T[:4].tolist()), self.draws.seeds(pair, start, count))
        else:
            score = rows[:, 0].sum()
            self.ratings.update(*pair, "draw" if not score else "A" if score > 0 else "B")
        self.hands += 2 * count * self._config.game.hands_per_game
        self.matches.append(_match(pair))


def _match(pair: Pair) -> PlayedMatch:
    nothing: Any = None
    return PlayedMatch(0, 0, 0, pair, MatchResult(()), nothing)


class Outcome(NamedTuple):
    """How a run ended.

    Attributes:
        hands: Hands to the stop.
        confident: Whether it stopped by confidence, and not by the budget.
        ranking: The ranking at the end.
        verdicts: What it said of the neighbours; empty where margins do not decide.
        ladder: What it knew.
    """

    hands: int
    confident: bool
    ranking: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    ladder: PoolLadder


def config_of(draws: Draws, *, method: str = "margin", threshold: float = 0.95, **sections: Any) -> BenchmarkConfig:
    """Return the config of a run."""
    plan = draws.pool.plan
    stop = {"method": method, "threshold": threshold, "tieMarginMbb": plan.tie}
    return BenchmarkConfig.model_validate(
        {
            "participants": [{"id": name, "type": "random"} for name in draws.declared],
            "game": {"handsPerGame": plan.hands, "stack": plan.stack * BIG_BLIND},
            "stop": {"adjacentConfidence": stop, "budget": {"maxMatches": None, "maxHands": plan.most}},
            **sections,
        }
    )


def run(draws: Draws, config: BenchmarkConfig) -> Outcome:
    """Run a benchmark on looked-up games, as `molt_bench.bench.benchmark` does on real ones."""
    ladder = PoolLadder(config, draws)
    rules = rules_of(config.stop)
    policy = policy_named(config.scheduler.policy)
    sure = config.stop.adjacent_confidence
    assert sure is not None
    hands = 2 * config.seeds.per_match * config.game.hands_per_game
    while True:
        progress = ladder.progress(seconds=0.0, next_games=0, next_hands=hands)
        reason = first_reason(rules, progress)
        if reason is not None:
            confident = not reason.startswith("the budget")
            return Outcome(ladder.hands, confident, progress.ranking, progress.verdicts, ladder)
        chosen = choose_round(
            policy,
            ladder.situation(),
            matches=config.scheduler.matches_per_round,
            recent=ladder.recent(config.scheduler.rematch_window),
            threshold=1 - ladder.error if ladder.by_margins else sure.threshold,
        )
        for pair in chosen:
            ladder.look_up(pair)
        ladder.end_round()


def arguments(about: str | None) -> argparse.ArgumentParser:
    """Return the options that both benchmarks have."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200, help="runs of each row (%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="how many runs at once (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="small pools, 20 runs, and the quickest ladders only")
    parser.add_argument("--ladders", default="", help="names of ladders with commas between; all by default")
    parser.add_argument("--keep", help="folder in which the played pools are kept for another time")
    return parser


def chosen_plans(plans: Sequence[Plan], options: argparse.Namespace) -> list[Plan]:
    """Return the ladders that were asked for."""
    if options.quick:
        options.runs = min(options.runs, 20)
        plans = [plan._replace(seeds=min(plan.seeds, 60)) for plan in plans if plan.name in ("folds", "random x 4")]
    wanted = [name.strip() for name in options.ladders.split(",") if name.strip()]
    return [plan for plan in plans if not wanted or plan.name in wanted]
