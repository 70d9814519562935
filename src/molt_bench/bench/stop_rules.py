"""Stop rules: why a run ends here, by what is known of it so far."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from molt_bench.bench.endings import Ending, Limit, NobodyRanked, OrderKnown, Spent, TopStable
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.config.stop import AdjacentConfidence, Budget, StopConfig
from molt_bench.rating.boundary import Boundary
from molt_bench.rating.verdicts import Judge, Verdict

#: Decimals of a confidence in the journal.
_DECIMALS: Final = 4


class Progress(msgspec.Struct, frozen=True):
    """The run so far, as seen by stop rules.

    Attributes:
        hands: Hands played, warm-up included.
        ranking: Participants, best first.
        confidences: Confidence in the order of each adjacent pair of the ranking.
        verdicts: Verdict on each adjacent pair, if margins decide.
        rankings: The ranking after every round, latest last.
        connected: Whether the opening is over, so that matches connect all participants.
        unranked: Those who gave no usable answer in most of their hands, so that nothing is said about them.
        next_games: Games that one more match takes.
        next_hands: Hands that one more match takes at most.
        usd: Dollars spent on language models.
        tokens: Tokens used by language models.
        is_gate: Whether the run is a gate, which ends once it has its answer.
        gate: Why it has its answer; None if it has none.
    """

    matches: int
    games: int
    hands: int
    seconds: float
    ranking: tuple[str, ...]
    confidences: tuple[float, ...]
    verdicts: tuple[Verdict, ...] = ()
    rankings: Sequence[tuple[str, ...]] = ()
    connected: bool = True
    unranked: Sequence[str] = ()
    next_games: int = 0
    next_hands: int = 0
    usd: float = 0.0
    tokens: int = 0
    is_gate: bool = False
    gate: Ending | None = None

    def ranks(self, pair: Sequence[str]) -> bool:
        """Return whether both of two have a rank."""
        return not {*pair} & {*self.unranked}


def ending_of(stop: StopConfig, progress: Progress) -> Ending | None:
    """Return why a run ends here; None if it goes on."""
    return order_known(stop, progress) or _spent(stop.budget, progress)


def order_known(stop: StopConfig, progress: Progress) -> Ending | None:
    """Return why a run ends by the rules about the order, and not about what may be spent on it."""
    if progress.is_gate:
        return progress.gate
    rule, found = stop.adjacent_confidence, None
    if rule is not None and progress.connected:
        found = (_margins_known if rule.method == "margin" else _ratings_known)(rule, progress)
    return found or _top_stable(stop, progress)


def has_converged(stop: StopConfig, progress: Progress) -> bool:
    """Return whether the order is decided by the rules of a config, whatever else ends the run."""
    ending = order_known(stop, progress)
    return ending is not None and ending.decided


def _ratings_known(rule: AdjacentConfidence, progress: Progress) -> Ending | None:
    """Stop once every adjacent pair of the ranking is ordered with this confidence."""
    if min(progress.confidences, default=0) < rule.threshold:
        return None
    pairs = zip(pairwise(progress.ranking), progress.confidences, strict=True)
    ranked = [each for each in pairs if progress.ranks(each[0])]
    if progress.unranked and not ranked:
        return NobodyRanked()
    least, sure = min(ranked, key=lambda each: each[1])
    return OrderKnown(rule.threshold, least, round(sure, _DECIMALS), some=bool(progress.unranked))


def _margins_known(rule: AdjacentConfidence, progress: Progress) -> Ending | None:
    """Stop once every adjacent pair of the ranking is ordered or tied, with this confidence in each or all of them."""
    if any(each.kind == "open" for each in progress.verdicts):
        return None
    ranked = [each for each in progress.verdicts if progress.ranks((each.above, each.below))]
    if progress.unranked and not ranked:
        return NobodyRanked()
    ordered = [each for each in ranked if each.kind == "ordered"]
    least = min(ordered, key=lambda each: each.sure, default=None)
    return OrderKnown(
        rule.threshold,
        () if least is None else (least.above, least.below),
        0.0 if least is None else round(least.sure, _DECIMALS),
        tie_mbb=rule.tie_margin_mbb if len(ordered) < len(ranked) else 0.0,
        together=rule.familywise and len(progress.verdicts) > 1,
        some=bool(progress.unranked),
    )


def _top_stable(stop: StopConfig, progress: Progress) -> Ending | None:
    """Stop once the top `k` of the ranking have been the same, in the same order, for so many rounds."""
    rule = stop.topk_stable
    if rule is None or not progress.connected:
        return None
    tops = [ranking[: rule.k] for ranking in progress.rankings[-rule.rounds - 1 :]]
    return TopStable(rule.k, rule.rounds) if len(tops) > rule.rounds and len({*tops}) == 1 else None


def _spent(budget: Budget | None, progress: Progress) -> Ending | None:
    """Stop before another match would exceed a limit, or once the time is up."""
    for limit, most, spent, more in _limits(budget, progress):
        if spent + more > most:
            return Spent(limit, most, None if limit == "maxMatches" else spent)
    if budget is not None and budget.max_seconds is not None and progress.seconds >= budget.max_seconds:
        return Spent("maxSeconds", budget.max_seconds)
    return None


def room_for_matches(budget: Budget | None, progress: Progress, room: int) -> int:
    """Return how many matches are played at once: `room`, or as many as the budget allows."""
    fitting = [int((most - spent) // more) for _, most, spent, more in _limits(budget, progress) if more]
    return min([room, *(max(1, each) for each in fitting)])


def _limits(budget: Budget | None, progress: Progress) -> Iterator[tuple[Limit, float, float, float]]:
    """Yield each limit of what matches take: its name, how much it is, what is spent, and what one more takes.

    What one more costs is judged by the average so far.
    """
    if budget is None:
        return
    matches = progress.matches
    limits: list[tuple[Limit, float | None, float, float]] = [
        ("maxMatches", budget.max_matches, matches, 1),
        ("maxGames", budget.max_games, progress.games, progress.next_games),
        ("maxHands", budget.max_hands, progress.hands, progress.next_hands),
        ("maxCostUsd", budget.max_cost_usd, progress.usd, progress.usd / matches if matches else 0.0),
        ("maxTokens", budget.max_tokens, progress.tokens, progress.tokens / matches if matches else 0.0),
    ]
    for limit, most, spent, more in limits:
        if most is not None:
            yield limit, most, spent, more


def rule_of(stop: StopConfig) -> AdjacentConfidence:
    """Return the rule by which the order of neighbours is judged, whether or not it stops the run."""
    return stop.adjacent_confidence or AdjacentConfidence()


def judge_of(config: BenchmarkConfig, stop: StopConfig | None = None) -> Judge:
    """Return how leads become verdicts in a run: by its stop rule, or by that of one of its stages."""
    stop = stop or config.stop
    rule = rule_of(stop)
    per_match = config.seeds.per_match
    first = -(-config.scheduler.min_seed_pairs // per_match) * per_match
    horizon = 1.0 if rule.tie_margin_mbb else _horizon(config, stop, first)
    return Judge(Boundary(1 - rule.threshold, rule.tie_margin_mbb, first, horizon), rule.familywise)


def _horizon(config: BenchmarkConfig, stop: StopConfig, first: int) -> float:
    """Return how many times as many seed pairs as at the first look a budget buys of every pairing."""
    limits, hands = stop.budget or Budget(max_matches=None), 2 * config.game.hands_per_game
    bought = [
        limit * each
        for limit, each in (
            (limits.max_matches, config.seeds.per_match),
            (limits.max_games, 1 / 2),
            (limits.max_hands, 1 / hands),
        )
        if limit is not None
    ]
    return max(1.0, min(bought) / len(config.pairings()) / first) if bought else 1.0
