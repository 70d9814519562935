"""Runs on pools, which cost next to nothing: all is as in a real run, but the games are looked up."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ladders import Plan
from pools import BIG_BLIND, Draws, margins_in

from molt_bench.bench.ladder import Ladder
from molt_bench.bench.next_round import situation_of
from molt_bench.bench.schedule import choose_round, matchmaker_named
from molt_bench.bench.spending import Spending
from molt_bench.bench.stop_rules import ending_of
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.rating.model import MarginModel, first_guess
from molt_bench.rating.verdicts import Verdict
from molt_bench.records import MatchResult
from molt_bench.specs import Pair


def quick_model(participants: Sequence[str], plan: Plan) -> MarginModel:
    """Return a margin model of the kind that a run of a ladder has."""
    return MarginModel(
        participants, hands=2 * plan.hands, sd_per_hand=first_guess(plan.stack), yardstick=plan.reference
    )


class PoolLadder(Ladder):
    """The ladder of a run whose games are looked up."""

    def __init__(self, config: BenchmarkConfig, draws: Draws) -> None:
        super().__init__(config)
        self.draws = draws
        self.margins = quick_model(draws.declared, draws.pool.plan)

    def look_up(self, pair: Pair) -> None:
        """Learn from the next match of two."""
        count = self.config.seeds.per_match
        start = count * self.meetings[pair]
        rows = self.draws.block(pair, start, count)
        self.meetings[pair] += 1
        if self.by_margins:
            self.margins.add(pair, margins_in(rows)[self.config.rating.estimator])
        else:
            scores = rows[:, 0] if self.config.rating.update_per == "seedPair" else [rows[:, 0].sum()]
            for score in scores:
                self.ratings.update(*pair, "draw" if not score else "A" if score > 0 else "B")
        self.hands += 2 * count * self.config.game.hands_per_game
        self.matches.append(_match(pair))
        self._look_anew()


def _match(pair: Pair) -> MatchResult:
    return MatchResult((), participants=pair)


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


def config_of(draws: Draws, rule: Mapping[str, Any], **sections: Any) -> BenchmarkConfig:
    """Return the config of a run; `rule` has settings of its confidence."""
    plan = draws.pool.plan
    stop = {"tieMarginMbb": plan.tie, **rule}
    return BenchmarkConfig.model_validate(
        {
            "participants": [{"id": name, "type": "random"} for name in draws.declared],
            "game": {"handsPerGame": plan.hands, "stack": plan.stack * BIG_BLIND, "stacks": plan.stacks},
            "stop": {"adjacentConfidence": stop, "budget": {"maxMatches": None, "maxHands": plan.most}},
            **sections,
        }
    )


def run(draws: Draws, config: BenchmarkConfig, ladder: PoolLadder | None = None) -> Outcome:
    """Run a benchmark on looked-up games, as `molt_bench.arena.benchmark` does on real ones."""
    ladder = ladder or PoolLadder(config, draws)
    matchmaker = matchmaker_named(config.scheduler.policy)
    sure = config.stop.adjacent_confidence
    assert sure is not None
    spending, window = Spending({}), config.scheduler.rematch_window
    while True:
        progress = ladder.progress(spending, seconds=0.0)
        ending = ending_of(config.stop, progress)
        if ending is not None:
            return Outcome(ladder.hands, ending.decided, progress.ranking, progress.verdicts, ladder)
        chosen = choose_round(
            matchmaker,
            situation_of(ladder, spending),
            matches=config.matches_per_round(),
            recent=[match.participants for match in ladder.matches[-window:]] if window else [],
            threshold=ladder.settled if ladder.by_margins else sure.threshold,
        )
        for pair in chosen:
            ladder.look_up(pair)
        ladder.end_round()
