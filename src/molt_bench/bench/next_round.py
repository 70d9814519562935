"""The pairings of the next round of a run, as decided now or as played before."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from molt_bench.bench.ladder import Ladder
from molt_bench.bench.schedule import Situation, choose_round, matchmaker_named
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.bench.spending import Spending
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.poker.arrays import Floats
from molt_bench.specs import Pair

#: Uncertainty about a participant without results, in thousandths of a big blind per hand.
_ANYTHING: Final = 10_000.0


def next_pairs(
    config: BenchmarkConfig, ladder: Ladder, blocks: SeedBlocks, spending: Spending, room: int
) -> tuple[Pair, ...]:
    """Choose the pairings of the next round, at most `room`."""
    if ladder.gate is not None:
        wanted = [pair for pair in ladder.gate.wanted() if blocks.has_block(pair, ladder.meetings[pair])]
        return tuple(sorted(wanted, key=lambda pair: ladder.meetings[pair])[:room])
    confidence, window = config.stop.adjacent_confidence, config.scheduler.rematch_window
    chosen = choose_round(
        matchmaker_named(config.scheduler.policy),
        situation_of(ladder, spending),
        matches=room,
        recent=[match.participants for match in ladder.matches[-window:]] if window else [],
        threshold=1.0 if confidence is None else ladder.settled if ladder.by_margins else confidence.threshold,
        allowed=lambda pair: blocks.has_block(pair, ladder.meetings[pair]),
    )
    return tuple(chosen)


def situation_of(ladder: Ladder, spending: Spending) -> Situation:
    """Return what a matchmaker knows: by what each wins from the field, or by OpenSkill ratings."""
    config, margins, names = ladder.config, ladder.margins, ladder.margins.participants
    mu = {name: ladder.ratings[name].mu for name in names}
    sigma = {name: ladder.ratings[name].sigma for name in names}
    if ladder.by_margins:
        known = margins.sums.results()
        mu = dict(zip(names, known.mean[0].tolist(), strict=True))
        sigma = dict(zip(names, np.minimum(known.error[0], _ANYTHING).tolist(), strict=True))
    return Situation(
        ranking=ladder.ranking(),
        mu=mu,
        sigma=sigma,
        meetings=ladder.open_meetings,
        confidence=lambda: _sure_of_all(ladder),
        telling=lambda: _telling(ladder, spending),
        exploration=config.scheduler.exploration,
        seed=config.seeds.master_seed or 0,
        matches=len(ladder.matches),
        min_meetings=ladder.min_meetings,
    )


def _sure_of_all(ladder: Ladder) -> dict[Pair, float]:
    """Return how sure the verdict on every pair that may play is."""
    pairs = list(ladder.open_meetings)
    if not ladder.by_margins:
        sure = ladder.ratings.superiority
        return {pair: max(sure(*pair), sure(*pair[::-1])) for pair in pairs}
    return {pair: each.sure for pair, each in zip(pairs, ladder.judge.verdicts(ladder.margins, pairs), strict=True)}


def _telling(ladder: Ladder, spending: Spending) -> Iterator[Pair]:
    """Yield the pairs whose next match takes most off the variance of open leads, for its cost."""
    margins, open_ = ladder.margins, [each for each in ladder.verdicts() if each.kind == "open"]
    above, below = margins.numbers([(each.above, each.below) for each in open_])
    worth = ladder.judge.worth(margins.sums.leads(above, below), len(ladder.ranking()) - 1)
    saved = margins.sums.saved(above, below, worth, ladder.config.seeds.per_match)[0]
    gain, names = np.triu(saved / _costs(ladder, spending), 1), margins.participants
    while gain[at := divmod(int(gain.argmax()), len(names))] > 0:
        gain[at] = 0.0
        yield names[at[0]], names[at[1]]


def _costs(ladder: Ladder, spending: Spending) -> Floats | float:
    """Return the cost of a match of every two in dollars, judging by those so far; 1 if it is unknown."""
    if spending.free:
        return 1.0
    playing = {name for pair in ladder.open_meetings for name in pair}
    spent = {name: spending.usd_of(name, len(ladder.matches)) for name in playing}
    known = {name: usd / ladder.played[name] for name, usd in spent.items() if usd is not None and ladder.played[name]}
    if len(known) < len(spent) or not any(known.values()):
        return 1.0
    usd = np.array([known.get(name, 0.0) for name in ladder.margins.participants])
    least = max(known.values()) / 100  # a match of bots is nearly free, but still takes time
    costs: Floats = np.maximum(least, usd[:, None] + usd)
    return costs
