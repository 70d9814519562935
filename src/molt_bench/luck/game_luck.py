"""The luck of cards and dice in all hands of a game, by fixed weights: one call of the kernel, or hand by hand."""

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple, TypeAlias

from molt_bench.kernels import compiled
from molt_bench.luck.cards.card_luck import CardWeights, card_luck
from molt_bench.luck.cards.chance import outcome, prepare_luck
from molt_bench.luck.cards.hole_cards import packed_cuts, packed_deal
from molt_bench.luck.cards.strength import prepare_strengths, strength_tables
from molt_bench.luck.cards.walk import Walk
from molt_bench.luck.dice.draws import Folds
from molt_bench.luck.dice.known_dice import KnownDice
from molt_bench.luck.fitting import CARDS
from molt_bench.poker.equity import preflop_table
from molt_bench.poker.hand import Hand
from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.played import PlayedHand, recall
from molt_bench.records import GameRecord

#: A hand: its number, the hand, and what was noted when it was gone through; for one that was just played, what the
#: seat to act saw before each action.
NotedHand: TypeAlias = tuple[int, Hand, Walk] | PlayedHand


class GameLuck(NamedTuple):
    """What was won in the hands of a game that count.

    Attributes:
        raw: Net chips of seat 0.
        all_in: The same, with the run-outs after the last decision replaced by their means.
        adjusted: By set of weights, that minus the luck of the cards.
        corrections: By set of weights, what player A's result is corrected by for known dice.
        won: By hand, what player A won by the last set of weights, corrected.
        terms: The deals and decisions whose weights can be fitted, as terms in chips of player A.
        holes: The hole cards of each hand, packed by `molt_bench.luck.cards.hole_cards`.
    """

    raw: int
    all_in: float
    adjusted: Sequence[float]
    corrections: Sequence[float]
    won: tuple[float, ...]
    terms: bytes
    holes: bytes


def noted_hands(record: GameRecord, seats: tuple[bool, bool], *, rebuilt: bool) -> Sequence[NotedHand]:
    """Return the hands of a game, as they were just played, or rebuilt from their texts.

    Args:
        record: The game.
        seats: Whether the decisions of seat 0, and of seat 1, are of interest.
        rebuilt: Whether all hands have to be rebuilt, so that they can be played on with other cards.
    """
    longest, found = record.spec.max_actions, list[NotedHand]()
    played = None if rebuilt else recall(record.hand_texts, longest)
    if played is not None:
        return played
    for text in record.hand_texts:
        if any(seats):
            walk = Walk(seats, longest)
            number, hand, _ = hand_from_text(text, walk.step)
        else:
            number, hand, _ = hand_from_text(text)
            walk = Walk.finished(hand)
        found.append((number, hand, walk))
    return found


def game_luck(hands: Sequence[NotedHand], dice: KnownDice, weights: CardWeights, *, before: int, sign: int) -> GameLuck:
    """Return what was won in a game without the luck of its cards and known dice.

    Args:
        hands: All hands of the game.
        dice: The decisions that were drawn with known probabilities; refuses those that cannot be.
        weights: Sets of weights of the luck of cards.
        before: How many hands come before those that count.
        sign: 1 if player A sat in seat 0, otherwise -1.
    """
    policies = dice.asked_by_seat()
    if compiled is not None and policies is not None:
        preflop_table()  # which the kernel is given when it is loaded
        tables = *strength_tables(), packed_cuts()
        found = compiled.game_luck(hands, before, sign, *weights.packed, policies, dice.weights.packed, CARDS, *tables)
        if found is not None:
            return GameLuck(*found)
    return _hand_by_hand(hands, dice, weights, before=before, sign=sign)


def _hand_by_hand(
    hands: Sequence[NotedHand], dice: KnownDice, weights: CardWeights, *, before: int, sign: int
) -> GameLuck:
    """Return the same in plain Python."""
    dice.begin()
    seats = dice.mixing_seats()
    walked = [
        (number, hand, noted if isinstance(noted, Walk) else Walk.played(hand, noted, seats))
        for number, hand, noted in hands
    ]
    prepare_luck([hand for _, hand, _ in walked[before:]])
    prepare_strengths(
        (hand.holes, seen.board) for _, hand, walk in walked[before:] for seen, _ in walk.decisions if seen.board
    )
    folds, raw, all_in, terms, holes = Folds(), 0, list[float](), list[bytes](), list[bytes]()
    chance: list[list[float]] = [[] for _ in weights.sets]
    for at, (number, hand, walk) in enumerate(walked):
        if at >= before:
            won, without_runout, equities = outcome(hand)
            raw += won
            all_in.append(without_runout)
            row = at - before
            luck, deals = card_luck(hand, equities, walk.openings, weights, row=row, sign=sign)
            terms.append(deals)
            holes.append(packed_deal(hand.holes, equities[0], min(hand.starting_stacks)))
            for column, each in zip(chance, luck, strict=True):
                column.append(-each)
            dice.add((row, number), walk.decisions, (hand.holes, equities), folds)
        folds.add(hand)
    by_hand = [sign * (won + less) for won, less in zip(all_in, chance[-1], strict=True)]
    return GameLuck(
        raw,
        fsum(all_in),
        [fsum([*all_in, *column]) for column in chance],
        dice.corrections(),
        dice.corrected(by_hand),
        b"".join([*terms, *dice.terms()]),
        b"".join(holes),
    )
