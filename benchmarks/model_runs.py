"""Measure how few hands a ranking of models takes: by stand-ins, asked again, and looking far ahead.

Players of open ladders (see `ladders.py`) stand for models. Their games are played once, and a run draws from them.
Each way to take luck out stands beside that of bench version 13 on the same games, by the same stop rule:

- policies of both can be asked: looking far ahead beside looking near;
- odds at decisions that happened, as of models by log-probabilities or stated strategies: stand-ins beside weights that
  are fitted to the run;
- nothing published: models that are asked again, beside `fitted` with one answer. Here hands are not all that counts:
  the cost is that of all answers, and at half price all but the first cost half.

What has learned from a few hands leaves more luck than what knows many. So weights and stand-ins are taught on games of
their own, and every game of the pool is looked at by those of each stage. A run uses the stage that both players have
reached, by the hands they have played in it; before the first stage weights are the frozen ones. The luck of hole
cards, which is learned by pairing, is left in: a pool is too small for it.

Below are the shares of 95% intervals that hold the truth, after a number of seed pairs that was set beforehand, and how
often copies of one player were ordered.
"""

import pickle
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from calibration import fixed
from ladders import AGAIN, LATER, LATEST, MODELS, NEWEST, VALIDATION, Plan, arguments
from lookup import PoolLadder, config_of, run
from pools import BIG_BLIND, HOLES, Draws, Pool
from stand_ins import asked_again, at_visited, worths

from molt_bench.luck.dice.lookahead import FAR, NEAR
from molt_bench.luck.estimators import game_estimates
from molt_bench.luck.fitting import Fit, table_together, won_together
from molt_bench.luck.stand_ins.ahead import surpluses
from molt_bench.luck.stand_ins.learned import StandIns
from molt_bench.luck.stand_ins.visited import visited
from molt_bench.play.match import play_match
from molt_bench.records import ESTIMATORS, MatchResult
from molt_bench.seeds import seed_pool
from molt_bench.specs import Pair

#: Hands of each player that stand-ins have learned from, by stage.
STAGES = (120, 960)
#: Seed pairs of fixed samples.
SIZES = (5, 10, 20, 50)


class Taught(NamedTuple):
    """What has been learned from some hands: weights, and stand-ins by known odds, and by answers asked for again."""

    weights: Any
    by_odds: StandIns
    by_answers: StandIns


class Looked(NamedTuple):
    """The seed pairs of a pairing, looked at in every way.

    Attributes:
        margins: By what is known (`open`, `odds`, `nothing`), seed pair and estimator.
        won: By way and seed pair, what each hand was worth in both seatings, in chips.
        answers: By way and seed pair, how many answers were asked for; `once` has the decisions.
    """

    margins: dict[str, Any]
    won: dict[str, Any]
    answers: dict[str, Any]


def match_of(plan: Plan, pair: Pair, seeds: Sequence[str]) -> MatchResult:
    """Play a match."""
    makers = tuple(lambda name=name: plan.bots[name].make(name) for name in pair)
    return play_match(makers, seeds=seeds, hands=plan.hands, stack=plan.stack * BIG_BLIND, stacks=plan.stacks)


def decisions_of(plan: Plan, pair: Pair, result: MatchResult, agents: tuple[int, int]) -> tuple[list[Any], Any, Any]:
    """Return the games of a match, and its decisions with the odds of both players, and without."""
    policies = tuple(plan.bots[name].make(name).policy for name in pair)
    games = [game for seed in result.seed_results for game in seed.games]
    known = visited([(game, policies) for game in games], agents)
    mute = visited([(game, (None, None)) for game in games], agents)
    return games, known, mute


def taught(plan: Plan) -> dict[int, Taught]:
    """Return what each stage knows."""
    agents = {name: number for number, name in enumerate(plan.bots)}
    fit, by_odds, by_answers = Fit(), StandIns(), StandIns()
    for stand_ins in (by_odds, by_answers):
        for _ in agents:
            stand_ins.add_agent()
    found: dict[int, Taught] = {}
    dice, hands = np.random.default_rng(1), 0
    while hands < STAGES[-1]:
        for pair in combinations(plan.bots, 2):
            result = match_of(plan, pair, [f"taught {plan.name} {pair} {hands}"])
            both = agents[pair[0]], agents[pair[1]]
            games, known, mute = decisions_of(plan, pair, result, both)
            fit.learn(pair, [(f"{pair} {hands}", [each.hands for each in known_odds(plan, pair, games)])])
            by_odds.learn(known)
            ready = all(by_answers.knows(agent) for agent in both)
            worth = worths(known, by_answers, counted=False) if ready else np.ones(len(known.options), int)
            by_answers.learn(asked_again(known, mute, worth, dice))
        hands += 2 * plan.hands * (len(agents) - 1)
        for stage in STAGES:
            if stage <= hands and stage not in found:
                found[stage] = Taught(np.array(fit._distances), by_odds.frozen(), by_answers.frozen())
    return found


class Known(NamedTuple):
    """A game by the odds of both players at their decisions: by every estimator, and its hands."""

    estimates: Any
    hands: Any


def known_odds(plan: Plan, pair: Pair, games: Sequence[Any]) -> list[Known]:
    """Return games by the odds of both players at their decisions alone; corrections of the two add up."""
    policies = [plan.bots[name].make(name).policy for name in pair]
    found = []
    for game in games:
        three = [game_estimates(game, each) for each in ((policies[0], None), (None, policies[1]), (None, None))]
        one, two, none = (np.array([getattr(each, field) for field in ESTIMATORS.values()]) for each in three)
        found.append(Known(one + two - none, at_visited(*[each.hands for each in three])))
    return found


def look_at(plan: Plan, stages: Mapping[int, Taught], pair: Pair) -> Looked:
    """Play the seed pairs of a pairing, and look at them in every way."""
    names = [*plan.bots]
    agents = names.index(pair[0]), names.index(pair[1])
    result = match_of(plan, pair, seed_pool(f"models {plan.name} {pair}", plan.seeds))
    games, known, mute = decisions_of(plan, pair, result, agents)
    policies = tuple(plan.bots[name].make(name).policy for name in pair)
    nothing = [game_estimates(game) for game in games]
    near, far = ([game_estimates(game, policies, reach=reach) for game in games] for reach in (NEAR, FAR))
    odds = known_odds(plan, pair, games)

    def by_hand(some: Sequence[Any]) -> Any:
        return np.array([won_together([each.hands for each in some[at : at + 2]]) for at in range(0, len(some), 2)])

    def by_seed(rows: Sequence[Any]) -> Any:
        each = np.array(rows)
        return (each[::2] + each[1::2]) * 1000 / BIG_BLIND / (2 * plan.hands)

    def estimated(some: Sequence[Any]) -> Any:
        return by_seed([[getattr(each, field) for field in ESTIMATORS.values()] for each in some])

    won = {"nothing": by_hand(nothing), "odds": by_hand(odds), "near": by_hand(near), "far": by_hand(far)}
    seeds = np.array([game for game, _ in mute.places]) // 2
    answers = {"once": np.bincount(seeds, minlength=plan.seeds)}
    usual = np.array([each.hands.won for each in nothing])
    terms = [table_together([each.hands for each in odds[at : at + 2]]) for at in range(0, len(games), 2)]
    for stage, learned in stages.items():
        won[f"weights {stage}"] = won["odds"] - np.array([each @ learned.weights for each in terms])
        won[f"odds {stage}"] = _looked_ahead(usual, games, known, learned.by_odds)
        worth = worths(known, learned.by_answers, counted=False)
        again = asked_again(known, mute, worth, np.random.default_rng([stage, *agents]))
        won[f"answers {stage}"] = _looked_ahead(usual, games, again, learned.by_answers)
        answers[f"answers {stage}"] = np.bincount(seeds, worth, plan.seeds)
    margins = {
        "nothing": estimated(nothing),
        "odds": by_seed([each.estimates for each in odds]),
        "open": estimated(near),
    }
    return Looked(margins, won, answers)


def _looked_ahead(usual: Any, games: Sequence[Any], played: Any, stand_ins: StandIns) -> Any:
    """Return what each hand was worth in both seatings, looked ahead by stand-ins."""
    values = usual.copy()
    for (game, hand), luck in zip(played.places, surpluses(played, stand_ins, {}).tolist(), strict=True):
        values[game, hand - 1] += luck if games[game].seating == "AB" else -luck
    return values[::2] + values[1::2]


class Way(NamedTuple):
    """A way to take luck out.

    Attributes:
        name: What it is called in a table.
        known: What is known of the players: `open`, `odds` or `nothing`.
        by_stage: By hands that both have played, which of the ways in `Looked` is used.
    """

    name: str
    known: str
    by_stage: Mapping[int, str]


#: Each beside that of version 13.
WAYS = (
    (Way("asked near", "open", {0: "near"}), Way("asked far", "open", {0: "far"})),
    (
        Way("fitted weights", "odds", {0: "odds", **{stage: f"weights {stage}" for stage in STAGES}}),
        Way("stand-ins", "odds", {0: "odds", **{stage: f"odds {stage}" for stage in STAGES}}),
    ),
    (
        Way("one answer", "nothing", {0: "nothing"}),
        Way("asked again", "nothing", {0: "nothing", **{stage: f"answers {stage}" for stage in STAGES}}),
    ),
)


class ModelPool(Pool):
    """The seed pairs of a ladder, looked at in one way, all of them with the same truth.

    Attributes:
        answers: By seed, first and second participant: what was asked, and what was decided.
    """

    def __init__(self, plan: Plan, looked: Mapping[Pair, Looked], known: str, way: str, truth: Any) -> None:
        names = [*plan.bots]
        size = len(names), len(names)
        table = np.zeros((plan.seeds, *size, len(ESTIMATORS)))
        self.answers = np.zeros((plan.seeds, *size, 2))
        for pair, each in looked.items():
            one, two = names.index(pair[0]), names.index(pair[1])
            rows = each.margins[known].copy()
            rows[:, [*ESTIMATORS].index("fitted")] = 1000 * each.won[way].mean(axis=1) / 2 / BIG_BLIND
            table[:, one, two], table[:, two, one] = rows, -rows
            asked = np.array([each.answers.get(way, each.answers["once"]), each.answers["once"]]).T
            self.answers[:, one, two] = self.answers[:, two, one] = asked
        super().__init__(plan, table, np.zeros((plan.seeds, *size, plan.hands, HOLES)))
        if not plan.equal:
            self.truth = truth
            self.table = table + truth[..., None] - table.mean(axis=0)


def truth_of(plan: Plan, looked: Mapping[Pair, Looked]) -> Any:
    """Return what each truly wins from each: what has the least noise."""
    names = [*plan.bots]
    found = np.zeros((len(names), len(names)))
    for pair, each in looked.items():
        one, two = names.index(pair[0]), names.index(pair[1])
        found[one, two] = 1000 * each.won["far"].mean() / 2 / BIG_BLIND
        found[two, one] = -found[one, two]
    return found


class ModelLadder(PoolLadder):
    """The ladder of a run of models: what its stand-ins know depends on the hands so far.

    Attributes:
        answers: What was asked, and what was decided.
    """

    def __init__(self, config: Any, draws: Draws, pools: Mapping[int, ModelPool]) -> None:
        super().__init__(config, draws)
        self._pools, self._played = pools, Counter[str]()
        self.answers = np.zeros(2)

    def look_up(self, pair: Pair) -> None:
        """Learn from the next match of two."""
        least = min(self._played[name] for name in pair)
        pool = self.draws.pool = self._pools[max(stage for stage in self._pools if stage <= least)]
        count = self.config.seeds.per_match
        self.answers += pool.answers[self.draws._where(pair, count * self.meetings[pair], count)].sum(axis=0)
        super().look_up(pair)
        for name in pair:
            self._played[name] += 2 * count * pool.plan.hands


class Ending(NamedTuple):
    """How a run ended: what it took, in hands, answers and decisions, and what it got wrong."""

    hands: int
    answers: float
    decisions: float
    open: bool
    wrong: bool
    ordered: bool


def endings(pools: Mapping[int, ModelPool], seeds: Iterable[int]) -> list[Ending]:
    """Play runs to their end."""
    found = []
    for seed in seeds:
        draws = Draws(pools[0], seed)
        config = config_of(draws, {})
        ladder = ModelLadder(config, draws, pools)
        outcome = run(draws, config, ladder)
        plan = pools[0].plan
        leads = [(each.kind, pools[0].lead(each.above, each.below)) for each in outcome.verdicts]
        wrong = any(
            (kind == "ordered" and lead < 0) or (kind == "tied" and abs(lead) > plan.tie) for kind, lead in leads
        )
        ordered = any(kind == "ordered" for kind, _ in leads)
        found.append(Ending(outcome.hands, *ladder.answers.tolist(), not outcome.confident, wrong, ordered))
    return found


def report(plan: Plan, looked: Mapping[Pair, Looked], runs: int, executor: ProcessPoolExecutor) -> None:
    """Print the tables of a ladder."""
    truth = truth_of(plan, looked)
    print(f"\n{plan.name}: {plan.about}; {plan.seeds} seed pairs of {2 * plan.hands} hands, {runs} runs")
    print(f"{'':18}{'hands':>9}{'+-':>8}{'of before':>11}{'cost':>8}{'half price':>12}{'open':>7}{'wrong':>8}", end="")
    print(f"{'ordered':>9}   variance of `fitted`, by stage")
    for ways in WAYS:
        base: Sequence[Ending] = ()
        before = 0.0
        for way in ways:
            pools = {
                stage: ModelPool(plan, looked, way.known, name, truth) for stage, name in sorted(way.by_stage.items())
            }
            parts = executor.map(partial(endings, pools), [range(at, min(at + 5, runs)) for at in range(0, runs, 5)])
            found = [each for part in parts for each in part]
            base, before = base or found, before or _left(pools)[0]
            _print_row(way.name, found, base, [each / before for each in _left(pools)])
            _print_coverage(pools[max(pools)], 5 * runs, executor)


def _left(pools: Mapping[int, ModelPool]) -> list[float]:
    at = [*ESTIMATORS].index("fitted")
    return [float(pool.played[..., at].var(axis=0).sum()) for pool in pools.values()]


def _print_row(name: str, found: Sequence[Ending], base: Sequence[Ending], left: Sequence[float]) -> None:
    means = [fmean(column) for column in zip(*found, strict=True)]
    hands, answers, decisions, still_open, wrong, ordered = means
    before = [fmean(column) for column in zip(*base, strict=True)]
    doubt = 1.96 * float(np.std([each.hands for each in found])) / len(found) ** 0.5
    print(f"{name:18}{hands:>9,.0f}{doubt:>8,.0f}{hands / before[0]:>11.2f}{answers / before[1]:>8.2f}", end="")
    print(f"{(answers + decisions) / 2 / before[1]:>12.2f}{still_open:>7.0%}{wrong:>8.1%}{ordered:>9.0%}   ", end="")
    print("  ".join(f"{each:.2f}" for each in left), flush=True)


def _print_coverage(pool: ModelPool, runs: int, executor: ProcessPoolExecutor) -> None:
    """Print the share of intervals that hold the truth: of all pairs, of leads, and of the pair covered least."""
    line = ""
    for size in SIZES:
        batches = [range(at, min(at + 50, runs)) for at in range(0, runs, 50)]
        found = [each for part in executor.map(partial(fixed, pool, size), batches) for each in part]
        by_pair = [fmean(column) for column in zip(*[each[0] for each in found], strict=True)]
        leads = fmean([each[1] for each in found]) / (len(pool.names) - 1)
        line += f"   {size}: {fmean(by_pair):.3f}, leads {leads:.3f}, least {min(by_pair):.3f}"
    print(f"  held after so many seed pairs, {runs} runs: {line}", flush=True)


def pool_of(plan: Plan, folder: str | None, executor: ProcessPoolExecutor) -> dict[Pair, Looked]:
    """Return all pairings of a ladder, played and looked at, or read from a folder where they are kept."""
    kept = Path(folder, f"models-{plan.name.replace(' ', '_')}-{plan.seeds}.pickle") if folder else None
    if kept is not None and kept.exists():
        return pickle.loads(kept.read_bytes())
    pairs = plan.pairs
    found = dict(zip(pairs, executor.map(partial(look_at, plan, taught(plan)), pairs), strict=True))
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(found))
    return found


def main() -> None:
    """Measure and print the tables."""
    parser = arguments(__doc__)
    parser.set_defaults(runs=100)
    parser.add_argument("--seeds", type=int, help="seed pairs of a pool, where there are more")
    options = parser.parse_args()
    wanted = [name.strip() for name in options.ladders.split(",") if name.strip()]
    every = (*MODELS, *AGAIN, *NEWEST, *VALIDATION, *LATER, *LATEST)
    start = perf_counter()
    with ProcessPoolExecutor(options.processes) as executor:
        for plan in [plan for plan in every if plan.name in wanted] if wanted else MODELS:
            smaller = plan._replace(seeds=min(plan.seeds, options.seeds or plan.seeds))
            looked = pool_of(smaller, options.keep, executor)
            print(f"\nplayed after {perf_counter() - start:.0f} s", flush=True)
            report(smaller, looked, options.runs, executor)


if __name__ == "__main__":
    main()
