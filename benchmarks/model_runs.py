"""Measure how few hands a ranking of models takes: by stand-ins, asked again, looking far ahead, in short matches.

Players of open ladders (see `ladders.py`) stand for models. Their games are played once, and a run draws from them.
Each way to take luck out stands beside that of bench version 13 on the same games, by the same stop rule:

- policies of both can be asked: looking far ahead beside looking near;
- odds at decisions that happened, as of models by stated strategies: stand-ins beside weights that are
  fitted to the run;
- nothing published: models that are asked again, beside `fitted` with one answer. Here hands are not all that counts:
  the cost is that of all answers, and at half price all but the first cost half.

Each of them in matches of ten seed pairs, as in version 13, and of four, as with models now. All is relative to the
first row, which is version 13 as it was.

The players remember nothing and begin every hand with the same stack. So a seed pair is put together from hands that
are drawn one by one, each with both of its seatings: 24 seed pairs of 20 hands are a pool of 480 hands then, and not of
24 numbers. Everything but `fitted` is left out.

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

from molt_bench.config.sections import MODEL_SEEDS_PER_MATCH
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
STAGES = (120, 240, 480, 960, 1920)
#: Seed pairs of a match in version 13, and with models now.
BEFORE, NOW = 10, MODEL_SEEDS_PER_MATCH
#: Seed pairs that are put together for each pairing.
DRAWN = 400
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
        won: By way and seed pair, what each hand was worth in both seatings, in chips.
        answers: By way and seed pair, how many answers were asked for; `once` has the decisions.
    """

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
            fit.learn(pair, [(f"{pair} {hands}", known_odds(plan, pair, games))])
            by_odds.learn(known)
            ready = all(by_answers.knows(agent) for agent in both)
            worth = worths(known, by_answers, counted=False) if ready else np.ones(len(known.options), int)
            by_answers.learn(asked_again(known, mute, worth, dice))
        hands += 2 * plan.hands * (len(agents) - 1)
        for stage in STAGES:
            if stage <= hands and stage not in found:
                found[stage] = Taught(np.array(fit._distances), by_odds.frozen(), by_answers.frozen())
    return found


def known_odds(plan: Plan, pair: Pair, games: Sequence[Any]) -> list[Any]:
    """Return the hands of games by the odds of both players at their decisions alone."""
    policies = [plan.bots[name].make(name).policy for name in pair]
    some = (policies[0], None), (None, policies[1]), (None, None)
    return [at_visited(*[game_estimates(game, each).hands for each in some]) for game in games]


def look_at(plan: Plan, stages: Mapping[int, Taught], pair: Pair) -> Looked:
    """Play the seed pairs of a pairing, and look at them in every way."""
    names = [*plan.bots]
    agents = names.index(pair[0]), names.index(pair[1])
    result = match_of(plan, pair, seed_pool(f"models {plan.name} {pair}", plan.seeds))
    games, known, mute = decisions_of(plan, pair, result, agents)
    policies = tuple(plan.bots[name].make(name).policy for name in pair)
    nothing = [game_estimates(game).hands for game in games]
    near, far = ([game_estimates(game, policies, reach=reach).hands for game in games] for reach in (NEAR, FAR))
    odds = known_odds(plan, pair, games)

    def by_hand(some: Sequence[Any]) -> Any:
        return np.array([won_together(some[at : at + 2]) for at in range(0, len(some), 2)])

    won = {"nothing": by_hand(nothing), "odds": by_hand(odds), "near": by_hand(near), "far": by_hand(far)}
    seeds = np.array([game for game, _ in mute.places]) // 2
    answers = {"once": np.bincount(seeds, minlength=plan.seeds)}
    usual = np.array([each.won for each in nothing])
    terms = [table_together(odds[at : at + 2]) for at in range(0, len(games), 2)]
    for stage, learned in stages.items():
        won[f"weights {stage}"] = won["odds"] - np.array([each @ learned.weights for each in terms])
        won[f"odds {stage}"] = _looked_ahead(usual, games, known, learned.by_odds)
        worth = worths(known, learned.by_answers, counted=False)
        again = asked_again(known, mute, worth, np.random.default_rng([stage, *agents]))
        won[f"answers {stage}"] = _looked_ahead(usual, games, again, learned.by_answers)
        answers[f"answers {stage}"] = np.bincount(seeds, worth, plan.seeds)
    return Looked(won, answers)


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
        by_stage: By hands that both have played, which of the ways in `Looked` is used.
    """

    name: str
    by_stage: Mapping[int, str]


#: Each beside that of version 13.
WAYS = (
    (Way("asked near", {0: "near"}), Way("asked far", {0: "far"})),
    (
        Way("fitted weights", {0: "odds", **{stage: f"weights {stage}" for stage in STAGES}}),
        Way("stand-ins", {0: "odds", **{stage: f"odds {stage}" for stage in STAGES}}),
    ),
    (
        Way("one answer", {0: "nothing"}),
        Way("asked again", {0: "nothing", **{stage: f"answers {stage}" for stage in STAGES}}),
    ),
)


class ModelPool(Pool):
    """Seed pairs that are put together from the hands of a ladder, looked at in one way, all with the same truth.

    Attributes:
        answers: By seed, first and second participant: what was asked, and what was decided.
    """

    def __init__(self, plan: Plan, looked: Mapping[Pair, Looked], way: str, truth: Any) -> None:
        if plan.stacks != "reset":
            raise ValueError(f"{plan.name}: its hands depend on those before them")
        names = [*plan.bots]
        size = len(names), len(names)
        table = np.zeros((DRAWN, *size, len(ESTIMATORS)))
        self.answers = np.zeros((DRAWN, *size, 2))
        for pair, each in looked.items():
            one, two = names.index(pair[0]), names.index(pair[1])
            hands = each.won[way]
            drawn = np.random.default_rng([one, two]).integers(hands.size, size=(DRAWN, plan.hands))
            margins = 1000 * hands.ravel()[drawn].mean(axis=1) / 2 / BIG_BLIND
            table[:, one, two], table[:, two, one] = margins[:, None], -margins[:, None]
            asked = [each.answers.get(way, each.answers["once"]).mean(), each.answers["once"].mean()]
            self.answers[:, one, two] = self.answers[:, two, one] = np.array(asked) * plan.hands / hands.shape[1]
        super().__init__(plan._replace(seeds=DRAWN), table, np.zeros((DRAWN, *size, plan.hands, HOLES)))
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


def endings(pools: Mapping[int, ModelPool], per_match: int, seeds: Iterable[int]) -> list[Ending]:
    """Play runs to their end, in matches of so many seed pairs."""
    found = []
    for seed in seeds:
        draws = Draws(pools[0], seed)
        config = config_of(draws, {}, seeds={"perMatch": per_match})
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
    size = next(iter(looked.values())).won["far"].size
    print(f"\n{plan.name}: {plan.about}; games of {plan.hands} hands, drawn from {size}; {runs} runs")
    print(f"{'':18}{'match':>6}{'hands':>9}{'+-':>8}{'of before':>11}{'cost':>8}{'half price':>12}{'open':>7}", end="")
    print(f"{'wrong':>8}{'ordered':>9}   variance of `fitted`, by stage")
    for ways in WAYS:
        base: Sequence[Ending] = ()
        before = 0.0
        for way in ways:
            pools = {stage: ModelPool(plan, looked, name, truth) for stage, name in sorted(way.by_stage.items())}
            before = before or _left(pools)[0]
            for per_match in (BEFORE, NOW):
                batches = [range(at, min(at + 5, runs)) for at in range(0, runs, 5)]
                parts = executor.map(partial(endings, pools, per_match), batches)
                found = [each for part in parts for each in part]
                base = base or found
                name = f"{way.name:18}{per_match:>6}"
                _print_row(name, found, base, [each / before for each in _left(pools)])
            _print_coverage(pools[max(pools)], 5 * runs, executor)


def _left(pools: Mapping[int, ModelPool]) -> list[float]:
    at = [*ESTIMATORS].index("fitted")
    return [float(pool.played[..., at].var(axis=0).sum()) for pool in pools.values()]


def _print_row(name: str, found: Sequence[Ending], base: Sequence[Ending], left: Sequence[float]) -> None:
    means = [fmean(column) for column in zip(*found, strict=True)]
    hands, answers, decisions, still_open, wrong, ordered = means
    before = [fmean(column) for column in zip(*base, strict=True)]
    doubt = 1.96 * float(np.std([each.hands for each in found])) / len(found) ** 0.5
    print(f"{name}{hands:>9,.0f}{doubt:>8,.0f}{hands / before[0]:>11.2f}{answers / before[1]:>8.2f}", end="")
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
    parser.add_argument("--hands", type=int, help="hands of the games of a run, if not those of the ladder")
    options = parser.parse_args()
    wanted = [name.strip() for name in options.ladders.split(",") if name.strip()]
    every = (*MODELS, *AGAIN, *NEWEST, *VALIDATION, *LATER, *LATEST)
    start = perf_counter()
    with ProcessPoolExecutor(options.processes) as executor:
        for plan in [plan for plan in every if plan.name in wanted] if wanted else MODELS:
            smaller = plan._replace(seeds=min(plan.seeds, options.seeds or plan.seeds))
            looked = pool_of(smaller, options.keep, executor)
            print(f"\nplayed after {perf_counter() - start:.0f} s", flush=True)
            report(smaller._replace(hands=options.hands or plan.hands), looked, options.runs, executor)


if __name__ == "__main__":
    main()
