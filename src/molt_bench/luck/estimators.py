"""Estimators of what a hand was worth: raw, all-in EV, luck-adjusted, and corrected for known dice.

All have the same expectation. With X the net chips, and e the equity of a seat's hand against the other's:

- all-in EV: once nothing is left to decide, the run-out is replaced by its mean, (2e - 1) times the chips at stake;
- luck-adjusted: Y = X_allin - sum over deals of k * pot * (e after - e before), where the pot is the one before the
  cards, and k depends only on the street and the stack-to-pot ratio (a chance control variate, as in MIVAT, White and
  Bowling 2009, and AIVAT, Burch et al. 2018). Before the hole cards, e is 1/2 and the pot is the blinds and antes;
- corrected: also the action correction of AIVAT, where a player publishes its probabilities;
- ranged: also the mean over the cards that a built-in bot could have held, where it plays against somebody else.

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
from molt_bench.errors import RulesError
from molt_bench.luck.chance import ChanceTerm, hand_luck
from molt_bench.luck.coefficients import FROZEN, Coefficients
from molt_bench.luck.dice import DiceTerm, PolicyError, dice_terms
from molt_bench.luck.ranges import built_in_bot, mean_over, never_mixes, possible_holes, remembered, weights_against
from molt_bench.poker.hand import Hand
from molt_bench.poker.notation import ParsedHand
from molt_bench.records import GameRecord, Margins, MatchResult
from molt_bench.specs import GameSpec

#: Published policies of players A and B, or of seats 0 and 1; None where there is none.
Policies: TypeAlias = tuple[PolicyOf | None, PolicyOf | None]
_NO_POLICIES: Policies = (None, None)


class Estimates(msgspec.Struct, frozen=True, gc=False):
    """What one seat or player won in chips, by each estimator.

    Attributes:
        raw: Net chips.
        all_in: With the run-outs after the last decision replaced by their means.
        adjusted: The same without the luck of the cards.
        corrected: The same without the luck of known dice; equals `adjusted` where none are known.
        ranged: The same averaged over a built-in bot's possible cards; equals `corrected` where no player, or both, are
            built in.
        refused: For each player, why its policy was not used; "" if it was, or there is none. A policy is used for a
            whole game or not at all, since leaving out single decisions by their outcome would be a bias.
    """

    raw: int
    all_in: float
    adjusted: float
    corrected: float
    ranged: float
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
    return Estimates(luck.raw, luck.all_in, adjusted, adjusted, adjusted)


def game_estimates(
    record: GameRecord, policies: Policies = _NO_POLICIES, *, coefficients: Coefficients = FROZEN
) -> Estimates:
    """Return what player A won in the hands of a game that count; player B won the negative.

    A hand with a forced fold counts as played. A game in which both players failed is a draw by every estimator, as
    in its record.
    """
    if record.both_failed:
        return Estimates(0, 0.0, 0.0, 0.0, 0.0)
    sign = 1 if record.seating == "AB" else -1
    dice = _Dice(record, policies)
    raw, all_in, chance = 0, [], []
    hands = list(record.replay())[record.spec.warmup_hands :]
    for parsed in hands:
        luck = hand_luck(parsed.hand)
        raw += luck.raw
        all_in.append(luck.all_in)
        chance.append(chance_luck(luck.terms, coefficients))
        dice.add(parsed, luck.equities, coefficients)
    if sign * raw != record.net[0]:
        raise RulesError("the hands of a game do not add up to its result")
    evened = sign * fsum(all_in)
    adjusted = sign * fsum([*all_in, *[-luck for luck in chance]])
    corrected = adjusted + dice.correction()
    ranged = _over_range(record.spec, hands, dice)
    return Estimates(
        sign * raw,
        evened,
        adjusted,
        corrected,
        corrected if ranged is None else sign * ranged,
        (dice.refused[0], dice.refused[1]),
    )


def _over_range(spec: GameSpec, hands: list[ParsedHand], dice: "_Dice") -> float | None:
    """Return what seat 0 won on average over a known opponent's possible cards; None without such an opponent."""
    player = dice.known_player
    policy = None if player is None else dice.policies[player]
    if player is None or policy is None:
        return None
    seat = 1 - player if dice.swapped else player
    weights = weights_against(policy)
    values = []
    for parsed in hands:
        policies = dice.by_seat()
        try:
            holes = possible_holes(parsed, seat, policy, spec)
        except PolicyError as error:
            dice.refuse(player, f"hand {parsed.number}: {error}")
            return None
        for_hand = partial(_value, number=parsed.number, policies=policies, longest=spec.max_actions, weights=weights)
        values.append(mean_over(parsed.hand, seat, holes, for_hand))
    return fsum(values)


def _value(hand: Hand, *, number: int, policies: Policies, longest: int, weights: Coefficients) -> float:
    """Return what seat 0 won in a hand without the luck of cards and known dice."""
    luck = hand_luck(hand)
    terms = dice_terms(hand, number, luck.equities, policies, longest)
    dice = [-dice_correction(term, weights) if term.seat else dice_correction(term, weights) for term in terms]
    return fsum([luck.all_in, -chance_luck(luck.terms, weights), *dice])


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

    def column(estimator: Literal["raw", "all_in", "adjusted", "corrected", "ranged"]) -> tuple[float, ...]:
        return tuple(
            1000 * _sum(games, estimator) / big_blind / pair.nominal_hands
            for games, pair in zip(pairs, result.seed_results, strict=True)
        )

    return Margins(column("raw"), column("all_in"), column("adjusted"), column("corrected"), column("ranged"))


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
        built_in = [player for player in (0, 1) if built_in_bot(policies[player])]
        #: The one player that is a built-in bot; None if neither is, or both are.
        self.known_player = built_in[0] if len(built_in) == 1 else None
        self.certain = [never_mixes(policy) for policy in policies]
        self.refused = ["", ""]
        self.corrections: tuple[list[float], list[float]] = ([], [])
        for fault in record.faults:
            # An answer after a fault, or a forced fold, is not the agent's draw.
            if policies[fault.player] and fault.attempt and fault.hand_number > spec.warmup_hands:
                self.refuse(fault.player, "it answered with faults")

    def refuse(self, player: int, why: str) -> None:
        """Stop using a player's policy, and drop its corrections so far."""
        self.policies[player] = None
        self.refused[player] = why

    def add(self, parsed: ParsedHand, equities: tuple[float, ...], coefficients: Coefficients) -> None:
        """Correct one hand for each player separately, so that one wrong policy does not affect the other."""
        for player in (0, 1):
            policy = self.policies[player]
            if policy is None or self.certain[player]:
                continue
            seat = 1 - player if self.swapped else player
            by_seat: Policies = (None, policy) if seat else (policy, None)
            try:
                terms = list(dice_terms(parsed.hand, parsed.number, equities, by_seat, self.longest))
            except PolicyError as error:
                self.refuse(player, f"hand {parsed.number}: {error}")
                continue
            self.corrections[player].extend([dice_correction(term, coefficients) for term in terms])

    def by_seat(self) -> Policies:
        """Return the policies of seats 0 and 1 that mix, for one hand whose known player may hold other cards."""
        found: list[PolicyOf | None] = []
        for player, policy in enumerate(self.policies):
            if policy is None or self.certain[player]:
                found.append(None)
            else:
                bot = built_in_bot(policy)
                found.append(policy if bot is not None and bot.sees_cards else remembered(policy))
        return (found[1], found[0]) if self.swapped else (found[0], found[1])

    def correction(self) -> float:
        """Return the correction of player A's result, in chips."""
        first, second = [0.0 if why else fsum(given) for why, given in zip(self.refused, self.corrections, strict=True)]
        return first - second
