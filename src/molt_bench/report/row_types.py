"""The rows of a run: of an agent, a lead, a pair, a match, and of what a model cost.

Winnings are in big blinds per 100 hands.
"""

from collections.abc import Iterator
from math import isfinite
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.bench.result import AgentUsage
from molt_bench.rating.estimate import Estimate
from molt_bench.rating.verdicts import Result, VerdictKind
from molt_bench.records import ESTIMATORS, MatchResult, bb_per_100

#: A mean and half the width of its interval; null where nothing is known.
Interval: TypeAlias = tuple[float | None, float | None]


def interval(known: Result | None) -> Interval:
    """Return a result as it is shown, and half the width of its interval; None where nothing is known."""
    if known is None or not isfinite(known.mean):
        return None, None
    return bb_per_100(known.mean), bb_per_100(known.half_width) if isfinite(known.half_width) else None


def half_width_95(error: float, units: int) -> float:
    """Return half the width of the 95% interval of a mean over so many units, given its standard error."""
    return Estimate(0.0, error, units - 1).half_width(0.95)


class AgentRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One agent, as a row of the leaderboard.

    Attributes:
        rank_range: The best and the worst rank that the claimed orders leave open; None if it has none.
        bb_per_100: Big blinds won per 100 hands from the field, or from those of it that were met.
        bb_per_100_half_width: None if an opponent has not been met.
        raw_bb_per_100: The same in chips, without taking luck out.
        better_than_next: How sure the verdict on it and the next one is; None for the last.
        hands: Hands that count.
        faults: How many of each kind it made.
        forced_folds: Hands folded after a last fault.
        met: How many of its field it has met, and of how many; only while its result is incomplete.
        ranked: False if it has no rank, since it hardly ever answered.
        anchor: True if it only anchors the scale.
        reply: The form of the replies of a language model.
        track: What it was told of the table.
        asked: How a language model is asked besides its prompts, with a short label of that.
        usage: What a language model used.
        sandbox: The box that it played in.
    """

    id: str
    name: str
    mu: float
    sigma: float
    matches: int
    wins: int
    losses: int
    draws: int
    bb_per_100: float | None
    bb_per_100_half_width: float | None
    raw_bb_per_100: float | None
    raw_bb_per_100_half_width: float | None
    rank_range: tuple[int, int] | None
    better_than_next: float | None
    hands: int
    faults: dict[str, int]
    forced_folds: int
    met: tuple[int, int] | UnsetType = UNSET
    ranked: bool | UnsetType = UNSET
    anchor: bool | UnsetType = UNSET
    reply: str | UnsetType = UNSET
    track: str | UnsetType = UNSET
    asked: dict[str, Any] | UnsetType = UNSET
    usage: dict[str, Any] | UnsetType = UNSET
    sandbox: str | UnsetType = UNSET

    @property
    def fault_count(self) -> int:
        """How many faults it made."""
        return sum(self.faults.values())

    @property
    def faults_text(self) -> str:
        """How many of each kind it made, in words; "" for none."""
        return ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.faults.items()))

    @property
    def rank_text(self) -> str:
        """Its rank as it is printed, such as 2-5; a dash without one."""
        return "-" if self.rank_range is None else "-".join(map(str, dict.fromkeys(self.rank_range)))


class LeadRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How much more one agent wins from the field than the next one, and what it wins most of that from.

    Attributes:
        sure: How sure the verdict is; None if an opponent was not met.
        tie_bb_per_100: Up to which lead two count as equally good.
        mostly_from: The opponent that most of the lead is won from: `below` if it is their own games.
        mostly_bb_per_100: How much of the lead that is.
    """

    above: str
    below: str
    bb_per_100: float | None
    bb_per_100_half_width: float | None
    sure: float | None
    verdict: VerdictKind
    tie_bb_per_100: float
    mostly_from: str | None
    mostly_bb_per_100: float | None


class PairRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What one agent wins from another in their own games alone; `a` is the one who is ahead.

    Attributes:
        variance_left: How much of the variance of chips is left once luck is taken out; None if that is not known.
    """

    a: str
    b: str
    seed_pairs: int
    bb_per_100: float
    bb_per_100_half_width: float | None
    raw_bb_per_100: float
    raw_bb_per_100_half_width: float | None
    sure: float
    verdict: VerdictKind
    variance_left: float | None


class MatchRow(msgspec.Struct, frozen=True, kw_only=True):
    """One match; `bb_per_100` is what player A won per 100 hands in chips."""

    played: MatchResult
    bb_per_100: float

    def seeds(self) -> Iterator[dict[str, Any]]:
        """Return what player A won with each of its seeds, as `matches.json` has it.

        A draw is one because both players failed in a game.
        """
        columns = [(name, self.played.margins[name]) for name in ESTIMATORS]
        for at, pair in enumerate(self.played.seed_results):
            yield {
                "seed": pair.seed,
                "netA": pair.net,
                "hands": pair.hands,
                "aFirst": pair.games[0].net[0],
                "bFirst": pair.games[1].net[0],
                "draw": any(game.both_failed for game in pair.games),
                "marginsMbb": {name: column[at] for name, column in columns},
            }

    def plain(self) -> dict[str, Any]:
        """Return it as `matches.json` and the log have it."""
        match = self.played
        change = match.change
        assert change is not None, "it is of a run"
        deltas = {
            name: {"mu": after.mu - before.mu, "sigma": after.sigma - before.sigma}
            for name, before, after in zip(match.participants, change.before, change.after, strict=True)
        }
        return {
            "id": f"match-{match.number:04}",
            "round": match.round,
            "meeting": match.meeting,
            "participantA": match.participants[0],
            "participantB": match.participants[1],
            **({"ownDecks": True} if match.own_decks else {}),
            "seeds": [pair.seed for pair in match.seed_results],
            "result": {
                "scoreA": match.score_a,
                "scoreB": match.score_b,
                "bbPer100A": self.bb_per_100,
                "winner": match.winner,
                "hands": match.hands,
                "errors": len(match.faults),
            },
            "ratingDelta": deltas,
        }


class CostRow(msgspec.Struct, frozen=True):
    """What one language model used, in figures that can be compared; None if no price is known."""

    usage: AgentUsage
    usd_per_hand: float | None
    usd_per_100_decisions: float | None

    def plain(self) -> dict[str, Any]:
        """Return it as `leaderboard.json` has it."""
        usage = self.usage
        return {
            "model": usage.model,
            "reportedAs": list(usage.reported),
            "fingerprints": list(usage.fingerprints),
            "decisions": usage.decisions,
            "exchanges": usage.exchanges,
            "tokens": {
                "input": usage.input_tokens,
                "cached": usage.cached_tokens,
                "output": usage.output_tokens,
                "reasoning": usage.reasoning_tokens,
            },
            "costUsd": usage.cost_usd,
            "costUsdPerHand": self.usd_per_hand,
            "costUsdPer100Decisions": self.usd_per_100_decisions,
        }
