"""Estimators of what a hand was worth: raw, all-in EV, luck-adjusted, and corrected for known dice.

All have the same expectation. With X the net chips, and e the equity of a seat's hand against the other's:

- all-in EV: once nothing is left to decide, the run-out is replaced by its mean, (2e - 1) times the chips at stake
  (`molt_bench.luck.cards.card_luck`);
- luck-adjusted: Y = X_allin - sum over deals of k * pot * (e after - e before), where the pot is the one before the
  cards, and k depends only on what is known before them: the street, the stack-to-pot ratio, and whether there was a
  raise on the street before (a chance control variate, as in MIVAT, White and Bowling 2009, and AIVAT, Burch et al.
  2018). Before the hole cards, e is 1/2 and the pot is the blinds and antes;
- corrected: also the action correction of AIVAT, where a player publishes its probabilities;
- ranged: also the mean over the cards that a built-in bot could have held, where it plays against somebody else;
- aivat: against the blueprint or the resolver, with the blueprint's values (`molt_bench.luck.reference.aivat`);
- fitted: corrected by weights that earlier matches of the run suggest (`molt_bench.luck.fitting`), or by what actions
  would have led to, where both policies can be asked (`molt_bench.luck.dice.lookahead`) or stand-ins are learned from
  earlier matches (`molt_bench.luck.stand_ins`), which `molt_bench.bench.match_margins` puts in.

The second and the third exist twice, by each set of coefficients: one for players of any kind, and one for those who
bet by the strength of their hands (`solid`).

Equity in hindsight is a martingale: given both hands and all that has happened, the mean of e after the next card is e
before it. So each term has mean 0 for any k fixed before the card is dealt, and E[Y] = E[X]. This requires a fair deal:
the cards to come are uniform among those left, whatever was done so far. It holds since decks are hashes that no agent
sees. For the corrected estimators, the published probabilities must be those the agent drew with.

Over the two games of a seed the hole-card term cancels out, since each player gets both hands; it helps single games.
"""

import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import fsum
from operator import attrgetter
from typing import Final

import msgspec

from molt_bench.agents.llm.strategy import StatedDraws
from molt_bench.errors import RulesError
from molt_bench.luck.cards.card_luck import chance_luck, hand_luck
from molt_bench.luck.coefficients import FROZEN, SOLID, Coefficients
from molt_bench.luck.dice.chances import PolicyError
from molt_bench.luck.dice.draws import Folds, Policies, action_features, action_value, dice_terms
from molt_bench.luck.dice.known_dice import KnownDice
from molt_bench.luck.dice.lookahead import without_dice
from molt_bench.luck.dice.stated_policy_check import Evidence
from molt_bench.luck.dice.stated_policy_evidence import GameEvidence
from molt_bench.luck.fitting import GameParts
from molt_bench.luck.game_luck import GameLuck, game_luck, rebuilt_hands
from molt_bench.luck.reference.aivat import known_bot_value, reference_bot
from molt_bench.luck.reference.ranges import mean_over, possible_holes, weights_against
from molt_bench.poker.actions import OPEN_CARDS
from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import PlayedHand
from molt_bench.records import ESTIMATORS, GameRecord, Margins, MatchResult
from molt_bench.specs import GameSpec

_NO_POLICIES: Policies = (None, None)
#: Digits of a chip that are kept of what a hand was worth by values of arrays.
_DIGITS_OF_CHIPS: Final = 3


class Estimates(msgspec.Struct, frozen=True, gc=False):
    """What one seat or player won in chips, by each estimator.

    Attributes:
        raw: Net chips.
        all_in: With the run-outs after the last decision replaced by their means.
        adjusted: The same without the luck of the cards.
        adjusted_solid: That by the coefficients for players who bet by the strength of their hands.
        corrected: As `adjusted`, without the luck of known dice; equals it where none are known.
        corrected_solid: As `adjusted_solid`, likewise.
        ranged: The same averaged over a built-in bot's possible cards; equals `corrected_solid` where that was not
            asked for, or where neither player is built in, or both are.
        aivat: Without the luck of the cards and of the blueprint's dice, by the blueprint's values; equals `ranged`
            where not exactly one player is the blueprint.
        fitted: By weights fitted to earlier matches; for a game by itself, without the luck of dice where both policies
            can be asked, otherwise as `aivat`.
        refused: For each player that is a built-in bot, why its policy was not used; "" if it was.
        hands: The hands in parts that weights can be fitted to; None with an average over cards.
        without: What it would be with the odds of these players alone; empty where none are an agent's own word.
        evidence: For each player, the evidence against the odds that it states; None if it states none.
        unanswered: For each player that states its odds, how often looking ahead got no answer that can be right.
    """

    raw: int
    all_in: float
    adjusted: float
    adjusted_solid: float
    corrected: float
    corrected_solid: float
    ranged: float
    aivat: float
    fitted: float
    refused: tuple[str, str] = ("", "")
    hands: GameParts | None = None
    without: Mapping[frozenset[int], "Estimates"] = {}
    evidence: tuple[Evidence | None, Evidence | None] = (None, None)
    unanswered: tuple[int, int] = (0, 0)

    def using(self, players: Iterable[int]) -> "Estimates":
        """Return what it is with the odds of these players alone, among those whose odds are their own word."""
        return self.without[frozenset(players)] if self.without else self


def hand_estimates(hand: Hand, *, coefficients: tuple[Coefficients, Coefficients] = FROZEN) -> Estimates:
    """Return what seat 0 won in a finished hand; seat 1 won the negative.

    >>> from molt_bench.poker.notation import hand_from_text
    >>> hand = hand_from_text("1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9hKh8s:r10000c:-10000").hand
    >>> won = hand_estimates(hand)
    >>> won.raw, round(won.all_in)
    (-10000, 6251)
    """
    luck = hand_luck(hand)
    adjusted, solid = (luck.all_in - chance_luck(luck.terms, each) for each in coefficients)
    return Estimates(luck.raw, luck.all_in, adjusted, solid, adjusted, solid, solid, solid, solid)


def game_estimates(
    record: GameRecord,
    policies: Policies = _NO_POLICIES,
    *,
    hands: Sequence[PlayedHand] = (),
    averaged: bool = False,
    coefficients: tuple[Coefficients, Coefficients] = FROZEN,
    evidence: GameEvidence | None = None,
) -> Estimates:
    """Return what player A won in the hands of a game that count; player B won the negative.

    A hand with a forced fold counts as played. A game in which both players failed is a draw by every estimator, as in
    its record.

    Args:
        record: The game.
        policies: Those of players A and B.
        hands: Its hands as they were just played; none to rebuild them from their texts.
        averaged: Whether hands against a built-in bot are averaged over its possible cards, which takes milliseconds
            for each.
        coefficients: Weights of luck.
        evidence: Told of decisions that were drawn with stated odds.
    """
    if record.both_failed:
        return Estimates(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    # The garbage collector would look for cycles that are not there: for most hands, that took longest.
    collecting = gc.isenabled()
    gc.disable()
    try:
        dice = KnownDice(record, policies)
        hands = hands or rebuilt_hands(record, seen=any(dice.mixing_seats()))
        whole = averaged or dice.reference is not None
        counted = hands[record.spec.warmup_hands :]
        ahead = None if whole else _looked_ahead(record.spec, counted, dice, evidence)
        return _game_estimates(
            record, dice, hands, ahead, averaged=averaged, coefficients=coefficients, evidence=evidence
        )
    finally:
        if collecting:
            gc.enable()


def _game_estimates(
    record: GameRecord,
    dice: KnownDice,
    hands: Sequence[PlayedHand],
    ahead: Sequence[float] | None,
    *,
    averaged: bool,
    coefficients: tuple[Coefficients, Coefficients],
    evidence: GameEvidence | None,
) -> Estimates:
    sign, before = 1 if record.seating == "AB" else -1, record.spec.warmup_hands
    whole, counted = averaged or dice.reference is not None, hands[before:]
    luck = game_luck(hands, dice, coefficients, before=before, sign=sign)
    if sign * luck.raw != record.net[0]:
        raise RulesError("the hands of a game do not add up to its result")
    if evidence is not None:
        evidence.add_hands(hands, before=before)
    adjusted, solid = (sign * each for each in luck.adjusted)
    corrected, corrected_solid = luck.corrections
    ranged = aivat = solid + corrected_solid
    averages = False
    if whole:
        shares = _fold_shares([hand for _, hand, _ in hands])[before:] if averaged else []
        in_range = _over_range(record.spec, list(zip(counted, shares, strict=True)), dice) if averaged else None
        refused = [*dice.refused]
        by_values = _by_values(record.spec, counted, dice)
        if dice.refused != refused:
            luck = game_luck(hands, dice, coefficients, before=before, sign=sign)
        ranged = ranged if in_range is None else sign * in_range
        aivat = ranged if by_values is None else sign * by_values
        averages = by_values is not None or (averaged and dice.known_player is not None)
    if any(dice.refused):
        ahead = None
    return Estimates(
        sign * luck.raw,
        sign * luck.all_in,
        adjusted,
        solid,
        adjusted + corrected,
        solid + corrected_solid,
        ranged,
        aivat,
        aivat if ahead is None else sign * fsum(ahead),
        (dice.refused[0], dice.refused[1]),
        None if averages else _learnt_from(counted, dice, luck, ahead, sign),
    )


def _looked_ahead(
    spec: GameSpec, hands: Sequence[PlayedHand], dice: KnownDice, evidence: GameEvidence | None
) -> Sequence[float] | None:
    """Return what seat 0 won in each hand without the luck of all dice; None where not both policies can be asked.

    This comes first, before policies are asked about decisions that later draws have led to. What they leave behind is
    collected, since they are asked many times.
    """
    both = dice.asked_ahead() if dice.mixes else None
    if both is None:
        return None
    gc.enable()
    try:
        watch = evidence.add_values if evidence is not None else None
        return without_dice(hands, both, spec.decks, SOLID, max_actions=spec.max_actions, watch=watch)
    finally:
        gc.disable()


def _learnt_from(
    hands: Sequence[PlayedHand], dice: KnownDice, luck: GameLuck, ahead: Sequence[float] | None, sign: int
) -> GameParts:
    """Return what weights are fitted to: of dice, none where both policies were asked what they would have done."""
    numbers = tuple([number for number, *_ in hands])
    if ahead is not None:
        return GameParts(numbers, tuple([sign * each for each in ahead]), b"", luck.holes)
    return GameParts(numbers, luck.won, luck.terms if dice.mixes else b"", luck.holes)


def _fold_shares(hands: Sequence[Hand]) -> list[tuple[float, float]]:
    """Return for each hand the share of raises that seats 0 and 1 fold to, as known before it."""
    folds, found = Folds(), []
    for hand in hands:
        found.append((folds.share(0), folds.share(1)))
        folds.add(hand)
    return found


def _over_range(
    spec: GameSpec, hands: Sequence[tuple[PlayedHand, tuple[float, float]]], dice: KnownDice
) -> float | None:
    """Return what seat 0 won on average over a built-in bot's possible cards; None without exactly one such bot."""
    player = dice.known_player
    policy = None if player is None else dice.policies[player]
    if player is None or policy is None or isinstance(policy, StatedDraws):
        return None
    seat = 1 - player if spec.seating == "BA" else player
    weights = weights_against(policy)
    values = []
    for played, folds in hands:
        number, hand, _ = played
        try:
            holes = possible_holes(played, seat, policy, spec)
        except PolicyError as error:
            dice.refuse(player, f"hand {number}: {error}")
            return None
        mixing = dice.mixing_by_seat()
        value_of = partial(_value, number, spec.max_actions, mixing, weights, folds)
        boards = {hand.board[: OPEN_CARDS[done.street]] for done in hand.log if mixing[done.seat]}
        values.append(mean_over(hand, seat, holes, value_of, boards=boards))
    return fsum(values)


def _by_values(spec: GameSpec, hands: Sequence[PlayedHand], dice: KnownDice) -> float | None:
    """Return what seat 0 won by `aivat`; None without exactly one blueprint."""
    player = dice.reference
    bot = None if player is None else reference_bot(dice.policies[player])
    if player is None or bot is None:
        return None
    seat = 1 - player if spec.seating == "BA" else player
    values = []
    for played in hands:
        try:
            values.append(known_bot_value(played, seat, bot, bot, max_actions=spec.max_actions))
        except PolicyError as error:
            dice.refuse(player, f"hand {played.number}: {error}")
            return None
    # Sums of arrays differ in their last bits between machines and numbers of threads.
    return fsum([round(value, _DIGITS_OF_CHIPS) for value in values])


def _value(
    number: int, max_actions: int, policies: Policies, weights: Coefficients, folds: tuple[float, float], hand: Hand
) -> float:
    """Return what seat 0 won in a hand without the luck of cards and known dice."""
    luck = hand_luck(hand)
    found = [luck.all_in, -chance_luck(luck.terms, weights)]
    for term in dice_terms(hand, number, luck.equities, policies, max_actions):
        value = action_value(action_features(term, folds[1 - term.seat]), weights.actions)
        found.append(-value if term.seat else value)
    return fsum(found)


def margins_of(
    result: MatchResult,
    *,
    big_blind: int,
    policies: Policies = (None, None),
    averaged: bool = False,
    estimates: Callable[[GameRecord], Estimates] | None = None,
) -> Margins:
    """Return what player A won in each seed pair, in thousandths of a big blind per hand of the spec.

    `estimates` returns what player A won in a game, where results may be cached; None to compute it.
    """
    estimated = estimates or partial(game_estimates, policies=policies, averaged=averaged)
    pairs = [[estimated(game) for game in pair.games] for pair in result.seed_results]

    hands = [pair.nominal_hands for pair in result.seed_results]

    def won(estimator: str) -> tuple[float, ...]:
        value = attrgetter(estimator)
        return tuple(
            [1000 * fsum(map(value, games)) / big_blind / count for games, count in zip(pairs, hands, strict=True)]
        )

    return {name: won(field) for name, field in ESTIMATORS.items()}
