"""Numbers: what a result says about each participant, and about the run as a whole.

Win rates are those of the margin model: the mean over all opponents of the field, each counting the same, however often
they were met. Their intervals take the seed pair as the unit. Where some of the field has not been met, it is the mean
over the others, without an interval.
"""

from collections import Counter
from math import inf, isfinite, sqrt
from typing import Any, Final

import msgspec

from molt_bench.rating.book import MarginBook
from molt_bench.rating.margin import MarginModel, first_guess
from molt_bench.rating.openskill import normal_cdf
from molt_bench.rating.ranks import rank_intervals
from molt_bench.rating.sequence import SPREAD, sure
from molt_bench.records import Failures, Rating, RunResult, failures_of
from molt_bench.seeds import derive

#: Thousandths of a big blind a hand are a tenth of big blinds in 100 hands.
MBB_PER_BB100: Final = 10.0


class ParticipantNumbers(msgspec.Struct, frozen=True):
    """One participant in figures.

    Attributes:
        rating: Its final rating.
        name: Its name on screens.
        bb_per_100: Big blinds won in 100 hands from the field, or from those of it who were met; None before that.
        half_width: Half of the 95% interval of that; infinite where an opponent has not been met.
        ranks: Between which ranks its result lies with 95% probability; None where margins do not decide.
        better_than_next: How sure it is that it is better than the next one; None for the last.
        hands: Hands that count.
        faults: Mistakes by kind.
        forced_folds: Hands that were folded after a last mistake.
        met: How many of its field it has met, and of how many; None where its result is known.
        ranked: Whether it has a rank; not if it hardly ever answered, so that it did not really play.
    """

    rating: Rating
    name: str
    bb_per_100: float | None
    half_width: float
    ranks: tuple[int, int] | None
    better_than_next: float | None
    hands: int
    faults: dict[str, int]
    forced_folds: int
    met: tuple[int, int] | None = None
    ranked: bool = True


def margin_model(result: RunResult, estimator: str | None = None) -> MarginModel:
    """Return what the matches say about who wins how much, by the config's estimator or another."""
    config = result.config
    model = MarginModel(
        [each["id"] for each in config["participants"]],
        hands=2 * config["game"]["handsPerGame"],
        sd_per_hand=first_guess(config["game"]["stack"] / config["game"]["bigBlind"]),
        anchors=[each["id"] for each in config["participants"] if each["anchor"]],
        additive=config["rating"]["margins"] == "additive",
    )
    book = MarginBook(model, estimator or config["rating"]["estimator"])
    for match in result.matches:
        book.add(match.participants, match.margins, [pair.seed for pair in match.result.seed_results])
    return model


def confidence_rule(result: RunResult) -> dict[str, Any]:
    """Return how neighbours are compared: the config's rule, or the default one where it has none."""
    rule = result.config["stop"]["adjacentConfidence"]
    return dict(rule) if rule else {"threshold": 0.95, "method": "margin", "tieMarginMbb": 250.0}


def participant_numbers(result: RunResult) -> list[ParticipantNumbers]:
    """Return everybody's numbers, in the order of the leaderboard; those without a rank are last."""
    names = {each["id"]: each["displayName"] or each["id"] for each in result.config["participants"]}
    model, rule = margin_model(result), confidence_rule(result)
    by_margins = rule["method"] == "margin"
    apart = unranked(result)
    seed = derive(result.config["seeds"]["masterSeed"] or 0, "ranks")
    ranks = rank_intervals(model, seed=seed, apart=apart) if by_margins else {}
    rows = []
    ranked = [rating for rating in result.leaderboard if rating.id not in apart]
    neighbours = [*zip(ranked, [*ranked[1:], None], strict=False)]
    neighbours += [(rating, None) for rating in result.leaderboard if rating.id in apart]
    for rating, below in neighbours:
        won = model.so_far(rating.id)
        known = won is not None and isfinite(won.scale)
        faults = [
            fault
            for match in result.matches
            if rating.id in match.participants
            for fault in match.result.faults
            if fault.player == match.participants.index(rating.id)
        ]
        hands = sum(match.result.hands for match in result.matches if rating.id in match.participants)
        rows.append(
            ParticipantNumbers(
                rating,
                names[rating.id],
                None if won is None else won.mean / MBB_PER_BB100,
                inf if won is None else won.half_width() / MBB_PER_BB100,
                ranks.get(rating.id),
                None if below is None else _better(rating, below, model, rule),
                hands,
                dict(Counter(fault.kind for fault in faults)),
                sum(fault.forced_fold for fault in faults),
                None if known else (len(model.met(rating.id)), len(model.field_of(rating.id))),
                rating.id not in apart,
            )
        )
    return rows


def unranked(result: RunResult) -> dict[str, Failures]:
    """Return those who hardly ever answered: they have no rank, and nobody is compared with them."""
    return {name: found for name, found in failures_of(result.matches).items() if found.helpless}


def _better(above: Rating, below: Rating, model: MarginModel, rule: dict[str, Any]) -> float:
    if rule["method"] == "margin":
        return sure(model.lead(above.id, below.id), SPREAD * rule["tieMarginMbb"])
    return normal_cdf((above.mu - below.mu) / sqrt(above.sigma**2 + below.sigma**2))


def totals(result: RunResult) -> dict[str, int]:
    """Return how much was played."""
    games = [game for match in result.matches for pair in match.result.seed_results for game in pair.games]
    return {
        "matches": len(result.matches),
        "games": len(games),
        "hands": sum(game.dealt for game in games),
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
