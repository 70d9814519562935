"""Numbers: what a result says about each participant, and about the run as a whole."""

from collections import Counter
from itertools import pairwise
from math import sqrt
from statistics import fmean
from typing import Any

import msgspec

from molt_bench.rating.intervals import half_width_95
from molt_bench.rating.openskill import normal_cdf
from molt_bench.records import Rating, RunResult
from molt_bench.seeds import Seed


class ParticipantNumbers(msgspec.Struct, frozen=True):
    """One participant in figures.

    Attributes:
        rating: Its final rating.
        name: Its name on screens.
        bb_per_100: Big blinds won in 100 hands, mean over the seeds it was dealt.
        half_width: Half of the 95% interval of that; infinite where there was only one seed.
        better_than_next: How sure it is that its skill is above the next one's; None for the last.
        hands: Hands that count.
        faults: Mistakes by kind.
        forced_folds: Hands that were folded after a last mistake.
    """

    rating: Rating
    name: str
    bb_per_100: float
    half_width: float
    better_than_next: float | None
    hands: int
    faults: dict[str, int]
    forced_folds: int


def participant_numbers(result: RunResult) -> list[ParticipantNumbers]:
    """Return everybody's numbers, in the order of the leaderboard."""
    names = {each["id"]: each["displayName"] or each["id"] for each in result.config["participants"]}
    big_blind = result.config["game"]["bigBlind"]
    sure = [
        normal_cdf((above.mu - below.mu) / sqrt(above.sigma**2 + below.sigma**2))
        for above, below in pairwise(result.leaderboard)
    ]
    rows = []
    for rating, confidence in zip(result.leaderboard, [*sure, None], strict=True):
        rates, hands = _rates(result, rating.id, big_blind)
        faults = [
            fault
            for match in result.matches
            if rating.id in match.participants
            for fault in match.result.faults
            if fault.player == match.participants.index(rating.id)
        ]
        rows.append(
            ParticipantNumbers(
                rating,
                names[rating.id],
                fmean(rates) if rates else 0.0,
                half_width_95(rates),
                confidence,
                hands,
                dict(Counter(fault.kind for fault in faults)),
                sum(fault.forced_fold for fault in faults),
            )
        )
    return rows


def _rates(result: RunResult, participant: str, big_blind: int) -> tuple[list[float], int]:
    """Return big blinds in 100 hands for each seed, all opponents met on its cards together, and the hands."""
    nets: dict[Seed, int] = {}
    hands: dict[Seed, int] = {}
    for match in result.matches:
        if participant in match.participants:
            sign = 1 if match.participants[0] == participant else -1
            for pair in match.result.seed_results:
                nets[pair.seed] = nets.get(pair.seed, 0) + sign * pair.net
                hands[pair.seed] = hands.get(pair.seed, 0) + pair.hands
    return [100 * nets[seed] / big_blind / hands[seed] for seed in nets], sum(hands.values())


def totals(result: RunResult) -> dict[str, int]:
    """Return how much was played."""
    games = [game for match in result.matches for pair in match.result.seed_results for game in pair.games]
    return {
        "matches": len(result.matches),
        "games": len(games),
        "hands": sum(len(game.hand_texts) for game in games),
        "actions": sum(game.actions for game in games),
    }


def guardrails(result: RunResult) -> dict[str, Any]:
    """Return what must hold in every run that can be trusted."""
    games = [game for match in result.matches for pair in match.result.seed_results for game in pair.games]
    failed = sum(any(fault.forced_fold for fault in game.faults) for game in games)
    sigmas = [
        after.sigma < before.sigma
        for match in result.matches
        for before, after in zip(match.change.before, match.change.after, strict=True)
    ]
    return {
        "errorRate": failed / len(games) if games else 0.0,
        "chipsConserved": all(sum(game.net) == 0 for game in games),
        "sigmaDecreased": sum(sigmas) / len(sigmas) if sigmas else 1.0,
    }


def efficiency(result: RunResult) -> dict[str, Any]:
    """Return how many games were played, and how many a round robin of the same depth would have taken."""
    met = Counter(match.participants for match in result.matches)
    count = len(result.config["participants"])
    per_match = 2 * result.config["seeds"]["perMatch"]
    full = count * (count - 1) // 2 * max(met.values(), default=0) * per_match
    games = len(result.matches) * per_match
    return {"games": games, "roundRobinGames": full, "ratio": games / full if full else None}
