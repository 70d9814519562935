"""Margins: what each seed pair of a match was worth, by estimator."""

from collections.abc import Callable
from functools import partial
from typing import Literal

from molt_bench.luck.estimators import Estimates, Policies, game_estimates
from molt_bench.records import GameRecord, Margins, MatchResult


def margins_of(
    result: MatchResult,
    *,
    big_blind: int,
    policies: Policies = (None, None),
    estimates: Callable[[GameRecord], Estimates] | None = None,
) -> Margins:
    """Return what player A won in each seed pair, in thousandths of a big blind per hand that the config asks for.

    Args:
        result: The match.
        big_blind: The big blind in chips.
        policies: Action probabilities that players A and B publish.
        estimates: Returns what player A won in a game, which may already be known; None computes it here.
    """
    estimated = estimates or partial(game_estimates, policies=policies)
    pairs = [[estimated(game) for game in pair.games] for pair in result.seed_results]

    def column(estimator: Literal["raw", "all_in", "adjusted", "corrected"]) -> tuple[float, ...]:
        return tuple(
            1000 * _sum(games, estimator) / big_blind / pair.nominal_hands
            for games, pair in zip(pairs, result.seed_results, strict=True)
        )

    return Margins(column("raw"), column("all_in"), column("adjusted"), column("corrected"))


def _sum(games: list[Estimates], estimator: str) -> float:
    first, second = (float(getattr(game, estimator)) for game in games)
    return first + second
