"""Stop rules: each looks at the run so far and returns why it ends here, or None to continue."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

import msgspec

from molt_bench.bench.endings import Ending, NobodyRanked, OrderKnown, Spent, TopStable
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.config.stop import AdjacentConfidence, Budget, StopConfig
from molt_bench.rating.boundary import Boundary
from molt_bench.rating.verdicts import Judge, Verdict


class Progress(msgspec.Struct, frozen=True):
    """The run so far, as seen by stop rules.

    Attributes:
        hands: Hands played, warm-up included.
        ranking: Participants, best first.
        confidences: Confidence in the order of each adjacent pair of the ranking.
        verdicts: Verdict on each adjacent pair, if margins decide.
        rankings: The ranking after every round, latest last.
        connected: Whether matches connect all participants, so that all ratings are on one scale.
        unranked: Those who gave no usable answer in most of their hands, so that nothing is said about them.
        next_games: Games that one more match takes.
        next_hands: Hands that one more match takes at most.
        usd: Dollars spent on language models.
        tokens: Tokens used by language models.
        gate: Why a gate has its answer; None if it has none, or the run is no gate.
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
    gate: Ending | None = None

    def per_match(self, spent: float) -> float:
        """Return what one more match costs, judging by the average so far."""
        return spent / self.matches if self.matches else 0.0


StopRule: TypeAlias = Callable[[Progress], Ending | None]
#: Decimals of a confidence in the journal.
_DECIMALS: Final = 4


def _without_rank(progress: Progress, above: str, below: str) -> bool:
    return above in progress.unranked or below in progress.unranked


def adjacent_confidence(threshold: float) -> StopRule:
    """Stop once every adjacent pair of the ranking is ordered with this confidence."""

    def rule(progress: Progress) -> Ending | None:
        if not progress.connected or min(progress.confidences, default=0) < threshold:
            return None
        pairs = list(zip(pairwise(progress.ranking), progress.confidences, strict=True))
        ranked = [each for each in pairs if not _without_rank(progress, *each[0])]
        if progress.unranked and not ranked:
            return NobodyRanked()
        least, sure = min(ranked, key=lambda each: each[1])
        return OrderKnown(threshold, least, round(sure, _DECIMALS), some=bool(progress.unranked))

    return rule


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


def adjacent_margins(threshold: float, tie_margin: float, *, familywise: bool = False) -> StopRule:
    """Stop once every adjacent pair of the ranking is ordered or tied, with this confidence in each or all of them."""

    def rule(progress: Progress) -> Ending | None:
        if not progress.connected or any(each.kind == "open" for each in progress.verdicts):
            return None
        ranked = [each for each in progress.verdicts if not _without_rank(progress, each.above, each.below)]
        if progress.unranked and not ranked:
            return NobodyRanked()
        ordered = [each for each in ranked if each.kind == "ordered"]
        least = min(ordered, key=lambda each: each.sure, default=None)
        return OrderKnown(
            threshold,
            () if least is None else (least.above, least.below),
            0.0 if least is None else round(least.sure, _DECIMALS),
            tie_mbb=tie_margin if len(ordered) < len(ranked) else 0.0,
            together=familywise and len(progress.verdicts) > 1,
            some=bool(progress.unranked),
        )

    return rule


def budget(
    *,
    matches: int | None = None,
    games: int | None = None,
    hands: int | None = None,
    seconds: float | None = None,
    usd: float | None = None,
    tokens: int | None = None,
) -> StopRule:
    """Stop before another match would exceed a limit, or once the time is up."""

    def rule(progress: Progress) -> Ending | None:
        if matches is not None and progress.matches >= matches:
            return Spent("maxMatches", matches)
        if games is not None and progress.games + progress.next_games > games:
            return Spent("maxGames", games, progress.games)
        if hands is not None and progress.hands + progress.next_hands > hands:
            return Spent("maxHands", hands, progress.hands)
        if usd is not None and progress.usd + progress.per_match(progress.usd) > usd:
            return Spent("maxCostUsd", usd, progress.usd)
        if tokens is not None and progress.tokens + progress.per_match(progress.tokens) > tokens:
            return Spent("maxTokens", tokens, progress.tokens)
        if seconds is not None and progress.seconds >= seconds:
            return Spent("maxSeconds", seconds)
        return None

    return rule


def topk_stable(k: int, rounds: int) -> StopRule:
    """Stop once the top `k` of the ranking have been the same, in the same order, for `rounds` rounds."""

    def rule(progress: Progress) -> Ending | None:
        tops = [ranking[:k] for ranking in progress.rankings[-rounds - 1 :]]
        if len(tops) <= rounds or not progress.connected or len({*tops}) > 1:
            return None
        return TopStable(k, rounds)

    return rule


def first_ending(rules: Sequence[StopRule], progress: Progress) -> Ending | None:
    """Return what the first rule that says stop returns."""
    return next((ending for rule in rules if (ending := rule(progress)) is not None), None)


def rules_of(config: StopConfig, *, gate: bool = False) -> list[StopRule]:
    """Return the stop rules of a config, or of a `gate`; the first that holds ends the run."""
    limits = config.budget
    if limits is None:
        return _order_rules(config, gate=gate)
    return [
        *_order_rules(config, gate=gate),
        budget(
            matches=limits.max_matches,
            games=limits.max_games,
            hands=limits.max_hands,
            seconds=limits.max_seconds,
            usd=limits.max_cost_usd,
            tokens=limits.max_tokens,
        ),
    ]


def has_converged(config: StopConfig, progress: Progress, *, gate: bool = False) -> bool:
    """Return whether the order is decided by the rules of a config, whatever else ends the run."""
    ending = first_ending(_order_rules(config, gate=gate), progress)
    return ending is not None and ending.decided


def _order_rules(config: StopConfig, *, gate: bool) -> list[StopRule]:
    """Return the rules that are about the order, and not about what may be spent on it; a gate has its answer."""
    if gate:
        return [lambda progress: progress.gate]
    rules: list[StopRule] = []
    sure, top = config.adjacent_confidence, config.topk_stable
    if sure is not None and sure.method == "margin":
        rules.append(adjacent_margins(sure.threshold, sure.tie_margin_mbb, familywise=sure.familywise))
    elif sure is not None:
        rules.append(adjacent_confidence(sure.threshold))
    if top is not None:
        rules.append(topk_stable(top.k, top.rounds))
    return rules
