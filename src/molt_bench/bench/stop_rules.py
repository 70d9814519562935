"""Stop rules: each looks at the run so far and returns the reason to stop, or None to continue."""

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

import msgspec

from molt_bench.config.sections import AdjacentConfidence, BenchmarkConfig, Budget, StopConfig
from molt_bench.rating.boundary import Boundary
from molt_bench.rating.verdicts import Judge, Verdict, surely


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
    gate: str | None = None

    def per_match(self, spent: float) -> float:
        """Return what one more match costs, judging by the average so far."""
        return spent / self.matches if self.matches else 0.0


StopRule: TypeAlias = Callable[[Progress], str | None]


#: Why a run stops that has nobody left to compare.
_NOBODY: Final = "no two neighbours in the ranking can be compared: one of each two hardly ever gave a usable answer"


def nobody_left(left: Collection[str]) -> str:
    """Return the reason to stop once those who forfeited too many games leave no two to play each other."""
    return f"nobody is left to play, since too many games were forfeited by {', '.join(sorted(left))}"


def _without_rank(progress: Progress, above: str, below: str) -> bool:
    return above in progress.unranked or below in progress.unranked


def _every(progress: Progress) -> str:
    """Return whom a reason is about: nothing is claimed about those without a rank."""
    return "every adjacent pair" + (" of those that have a rank" if progress.unranked else "")


def adjacent_confidence(threshold: float) -> StopRule:
    """Stop once every adjacent pair of the ranking is ordered with this confidence."""

    def rule(progress: Progress) -> str | None:
        if not progress.connected or min(progress.confidences, default=0) < threshold:
            return None
        pairs = list(zip(pairwise(progress.ranking), progress.confidences, strict=True))
        ranked = [each for each in pairs if not _without_rank(progress, *each[0])]
        if progress.unranked and not ranked:
            return _NOBODY
        (above, below), least = min(ranked, key=lambda each: each[1])
        return (
            f"{_every(progress)} is ordered with at least {100 * threshold:.10g}% confidence "
            f"(least sure: {above} above {below}, {surely(least)})"
        )

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

    def rule(progress: Progress) -> str | None:
        if not progress.connected or any(each.kind == "open" for each in progress.verdicts):
            return None
        ranked = [each for each in progress.verdicts if not _without_rank(progress, each.above, each.below)]
        if progress.unranked and not ranked:
            return _NOBODY
        ordered = [each for each in ranked if each.kind == "ordered"]
        tied = len(ranked) - len(ordered)
        said = []
        if ordered:
            least = min(ordered, key=lambda each: each.sure)
            said.append(f"ordered (least sure: {least.above} above {least.below}, {surely(least.sure)})")
        if tied:
            said.append(f"tied within {tie_margin:g} mbb a hand")
        together = " in all of them together" if familywise and len(progress.verdicts) > 1 else ""
        return f"with {100 * threshold:.10g}% confidence{together} {_every(progress)} is {' or '.join(said)}"

    return rule


def out_of_time(seconds: float) -> str:
    """Return the reason to stop once a run has taken this long."""
    return f"the budget of {seconds:g} seconds is spent"


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

    def rule(progress: Progress) -> str | None:
        if matches is not None and progress.matches >= matches:
            return f"the budget of {matches:,} matches is spent"
        for limit, spent, more, what in (
            (games, progress.games, progress.next_games, "games"),
            (hands, progress.hands, progress.next_hands, "hands"),
        ):
            if limit is not None and spent + more > limit:
                return f"the budget of {limit:,} {what} has no room for another match ({spent:,} played)"
        if usd is not None and progress.usd + progress.per_match(progress.usd) > usd:
            return f"the budget of ${usd:,.10g} has no room for another match (${progress.usd:,.4g} spent)"
        if tokens is not None and progress.tokens + progress.per_match(progress.tokens) > tokens:
            return f"the budget of {tokens:,} tokens has no room for another match ({progress.tokens:,} spent)"
        if seconds is not None and progress.seconds >= seconds:
            return out_of_time(seconds)
        return None

    return rule


def topk_stable(k: int, rounds: int) -> StopRule:
    """Stop once the top `k` of the ranking have been the same, in the same order, for `rounds` rounds."""

    def rule(progress: Progress) -> str | None:
        tops = [ranking[:k] for ranking in progress.rankings[-rounds - 1 :]]
        if len(tops) <= rounds or not progress.connected or len({*tops}) > 1:
            return None
        return f"the top {k} have not changed for {rounds} rounds"

    return rule


def first_reason(rules: Sequence[StopRule], progress: Progress) -> str | None:
    """Return the reason given by the first rule that says stop."""
    return next((reason for rule in rules if (reason := rule(progress))), None)


def rules_of(config: StopConfig) -> list[StopRule]:
    """Return the stop rules of a config; the first that holds gives the reason."""
    limits = config.budget
    if limits is None:
        return _order_rules(config)
    return [
        *_order_rules(config),
        budget(
            matches=limits.max_matches,
            games=limits.max_games,
            hands=limits.max_hands,
            seconds=limits.max_seconds,
            usd=limits.max_cost_usd,
            tokens=limits.max_tokens,
        ),
    ]


def has_converged(config: StopConfig, progress: Progress) -> bool:
    """Return whether the order is decided by the rules of a config, whatever else ends the run."""
    return first_reason(_order_rules(config), progress) not in (None, _NOBODY)


def _order_rules(config: StopConfig) -> list[StopRule]:
    """Return the rules that are about the order, and not about what may be spent on it."""
    rules: list[StopRule] = [lambda progress: progress.gate]
    sure, top = config.adjacent_confidence, config.topk_stable
    if sure is not None and sure.method == "margin":
        rules.append(adjacent_margins(sure.threshold, sure.tie_margin_mbb, familywise=sure.familywise))
    elif sure is not None:
        rules.append(adjacent_confidence(sure.threshold))
    if top is not None:
        rules.append(topk_stable(top.k, top.rounds))
    return rules
