"""Estimators of what a hand was worth: raw, all-in EV, luck-adjusted, and corrected for known dice.

All have the same expectation. With X the net chips, and e the equity of a seat's hand against the other's:

- all-in EV: once nothing is left to decide, the run-out is replaced by its mean, (2e - 1) times the chips at stake;
- luck-adjusted: Y = X_allin - sum over deals of k * pot * (e after - e before), where the pot is the one before the
  cards, and k depends only on the street and the stack-to-pot ratio (a chance control variate, as in MIVAT, White and
  Bowling 2009, and AIVAT, Burch et al. 2018). Before the hole cards, e is 1/2 and the pot is the blinds and antes;
- corrected: also the action correction of AIVAT, where a player publishes its probabilities.

Equity in hindsight is a martingale: given both hands and all that has happened, the mean of e after the next card is e
before it. So each term has mean 0 for any k fixed before the card is dealt, and E[Y] = E[X]. This requires a fair deal:
the cards to come are uniform among those left, whatever was done so far. It holds since decks are hashes that no agent
sees. For the corrected estimator, the published probabilities must be those the agent drew with.

Over the two games of a seed the hole-card term cancels out, since each player gets both hands; it helps single games.
"""

from collections.abc import Callable
from functools import partial
from math import fsum
from typing import Literal, TypeAlias

import msgspec

from molt_bench.agents.base import PolicyOf
from molt_bench.agents.llm.odds import RecordedDraws
from molt_bench.errors import RulesError
from molt_bench.luck.chance import ChanceTerm, hand_luck
from molt_bench.luck.coefficients import FROZEN, Coefficients
from molt_bench.luck.dice import DiceTerm, PolicyError, dice_terms
from molt_bench.poker.hand import Hand
from molt_bench.poker.notation import ParsedHand
from molt_bench.records import GameRecord, Margins, MatchResult
from molt_bench.specs import GameSpec

#: Published policies or recorded draws of players A and B, or of seats 0 and 1; None where there are none.
Policies: TypeAlias = tuple[PolicyOf | RecordedDraws | None, PolicyOf | RecordedDraws | None]
_NO_POLICIES: Policies = (None, None)


class Estimates(msgspec.Struct, frozen=True, gc=False):
    """What one seat or player won in chips, by each estimator.

    Attributes:
        raw: Net chips.
        all_in: With the run-outs after the last decision replaced by their means.
        adjusted: The same without the luck of the cards.
        corrected: The same without the luck of known dice; equals `adjusted` where none are known.
        refused: For each player, why its policy was not used; "" if it was, or there is none. A policy is used for a
            whole game or not at all, since leaving out single decisions by their outcome would be a bias.
    """

    raw: int
    all_in: float
    adjusted: float
    corrected: float
    refused: tuple[str, str] = ("", "")


def hand_estimates(hand: Hand, *, coefficients: Coefficients = FROZEN) -> Estimates:
    """Return what seat 0 won in a finished hand; seat 1 won the negative.

    >>> from molt_bench.poker.notation import hand_from_text
    >>> hand = hand_from_text("1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9hKh8s:r10000c:-10000").hand
    >>> won = hand_estimates(hand)
    >>> won.raw, round(won.all_in)
    (-10000, 6251)
    """
    luck = hand_luck(hand)
    adjusted = luck.all_in - chance_luck(luck.terms, coefficients)
    return Estimates(luck.raw, luck.all_in, adjusted, adjusted)


def game_estimates(
    record: GameRecord, policies: Policies = _NO_POLICIES, *, coefficients: Coefficients = FROZEN
) -> Estimates:
    """Return what player A won in the hands of a game that count; player B won the negative.

    A hand with a forced fold counts as played. A game in which both players failed is a draw by every estimator, as
    in its record.
    """
    if record.both_failed:
        return Estimates(0, 0.0, 0.0, 0.0)
    sign = 1 if record.seating == "AB" else -1
    dice = _Dice(record, policies)
    raw, all_in, chance = 0, [], []
    for parsed in list(record.replay())[record.spec.warmup_hands :]:
        luck = hand_luck(parsed.hand)
        raw += luck.raw
        all_in.append(luck.all_in)
        chance.append(chance_luck(luck.terms, coefficients))
        dice.add(parsed, luck.equities, coefficients)
    if sign * raw != record.net[0]:
        raise RulesError("the hands of a game do not add up to its result")
    evened = sign * fsum(all_in)
    adjusted = sign * fsum([*all_in, *[-luck for luck in chance]])
    return Estimates(sign * raw, evened, adjusted, adjusted + dice.correction(), (dice.refused[0], dice.refused[1]))


def chance_luck(terms: tuple[ChanceTerm, ...], coefficients: Coefficients) -> float:
    """Return the chips attributed to the luck of the cards, for seat 0."""
    return fsum(
        [
            coefficients.chance[term.dealt][coefficients.bucket(term.behind, term.pot)] * term.pot * term.change
            for term in terms
        ]
    )


def dice_correction(term: DiceTerm, coefficients: Coefficients) -> float:
    """Return the correction for the dice of the seat that decided, in chips."""
    late = term.late
    return term.exact + coefficients.passive[late] * term.passive + coefficients.raised[late] * term.raised


def margins_of(
    result: MatchResult,
    *,
    big_blind: int,
    policies: Policies = (None, None),
    estimates: Callable[[GameRecord], Estimates] | None = None,
) -> Margins:
    """Return what player A won in each seed pair, in thousandths of a big blind per hand of the spec.

    `estimates` returns what player A won in a game, where results may be cached; None to compute it.
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


class _Dice:
    """The dice corrections of one game, for each player whose policy is credible."""

    def __init__(self, record: GameRecord, policies: Policies) -> None:
        spec: GameSpec = record.spec
        self.longest = spec.max_actions
        self.swapped = spec.seating == "BA"
        self.policies = list(policies)
        self.refused = ["", ""]
        self.corrections: tuple[list[float], list[float]] = ([], [])
        for fault in record.faults:
            policy = policies[fault.player]
            if policy is None or isinstance(policy, RecordedDraws):
                continue  # recorded draws are known, whatever came of them
            # An answer after a fault, or a forced fold, is not the agent's draw.
            if fault.attempt and fault.hand_number > spec.warmup_hands:
                self.refuse(fault.player, "it answered with faults")

    def refuse(self, player: int, why: str) -> None:
        """Stop using a player's policy, and drop its corrections so far."""
        self.policies[player] = None
        self.refused[player] = why

    def add(self, parsed: ParsedHand, equities: tuple[float, ...], coefficients: Coefficients) -> None:
        """Correct one hand for each player separately, so that one wrong policy does not affect the other."""
        for player in (0, 1):
            policy = self.policies[player]
            if policy is None:
                continue
            seat = 1 - player if self.swapped else player
            by_seat: Policies = (None, policy) if seat else (policy, None)
            try:
                terms = list(dice_terms(parsed.hand, parsed.number, equities, by_seat, self.longest))
            except PolicyError as error:
                self.refuse(player, f"hand {parsed.number}: {error}")
                continue
            self.corrections[player].extend([dice_correction(term, coefficients) for term in terms])

    def correction(self) -> float:
        """Return the correction of player A's result, in chips."""
        first, second = [0.0 if why else fsum(given) for why, given in zip(self.refused, self.corrections, strict=True)]
        return first - second
