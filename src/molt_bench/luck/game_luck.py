"""The luck of cards and dice in all hands of a game, by fixed weights: one call of the kernel, or hand by hand."""

from typing import NamedTuple, TypeAlias

from molt_bench.kernels import compiled
from molt_bench.luck.card_luck import CardWeights, card_luck
from molt_bench.luck.chance import outcome, prepare_luck
from molt_bench.luck.dice import Folds
from molt_bench.luck.fitting import CARDS
from molt_bench.luck.known_dice import Decisions, KnownDice
from molt_bench.luck.strength import prepare_strengths, strength_tables
from molt_bench.luck.walk import Walk
from molt_bench.poker.equity import preflop_table
from molt_bench.poker.hand import Hand
from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.played import PlayedHand, recall
from molt_bench.records import GameRecord

#: A hand: its number, the hand, and what was noted when it was gone through; None for one that was just played.
NotedHand: TypeAlias = tuple[int, Hand | PlayedHand, Walk | None]


class GameLuck(NamedTuple):
    """What seat 0 won in the hands of a game that count.

    Attributes:
        raw: Net chips.
        all_in: By hand, with the run-out after the last decision replaced by its mean.
        chance: By set of weights and by hand, minus the luck of the cards.
        terms: The deals whose weights can be fitted, as terms in chips of player A.
    """

    raw: int
    all_in: list[float]
    chance: list[list[float]]
    terms: bytes


def noted_hands(record: GameRecord, seats: tuple[bool, bool], *, rebuilt: bool) -> list[NotedHand]:
    """Return the hands of a game, as they were just played, or rebuilt from their texts.

    Args:
        record: The game.
        seats: Whether the decisions of seat 0, and of seat 1, are of interest.
        rebuilt: Whether all hands have to be rebuilt, so that they can be played on with other cards.
    """
    longest, found = record.spec.max_actions, list[NotedHand]()
    for text in record.hand_texts:
        played = None if rebuilt else recall(text, longest)
        if played is not None:
            found.append((played.number, played, None))
        else:
            walk = Walk(seats, longest)
            number, hand, _ = hand_from_text(text, walk.step)
            found.append((number, hand, walk))
    return found


def game_luck(hands: list[NotedHand], dice: KnownDice, weights: CardWeights, *, before: int, sign: int) -> GameLuck:
    """Return the luck of the cards in a game, and correct its known dice.

    Args:
        hands: All hands of the game.
        dice: Gets the decisions that were drawn with known probabilities.
        weights: Sets of weights of the luck of cards.
        before: How many hands come before those that count.
        sign: 1 if player A sat in seat 0, otherwise -1.
    """
    policies = dice.asked_by_seat()
    if compiled is not None and policies is not None:
        preflop_table()  # which the kernel is given when it is loaded
        found = compiled.game_luck(
            hands, before, sign, *weights.packed, policies, dice.weights.packed, CARDS, *strength_tables()
        )
        if found is not None:
            *cards, decisions = found
            dice.take(*[Decisions(*each) for each in decisions])
            return GameLuck(*cards)
    return _hand_by_hand(hands, dice, weights, before=before, sign=sign)


def _hand_by_hand(hands: list[NotedHand], dice: KnownDice, weights: CardWeights, *, before: int, sign: int) -> GameLuck:
    """Return the same in plain Python."""
    seats = dice.mixing_seats()
    walked = [
        (number, hand, Walk.played(hand, seats) if walk is None and isinstance(hand, PlayedHand) else walk or Walk())
        for number, hand, walk in hands
    ]
    prepare_luck([hand for _, hand, _ in walked[before:]])
    prepare_strengths(
        (hand.holes, seen.board) for _, hand, walk in walked[before:] for seen, _ in walk.decisions if seen.board
    )
    folds, raw, all_in, terms = Folds(), 0, list[float](), list[bytes]()
    chance: list[list[float]] = [[] for _ in weights.sets]
    for at, (number, hand, walk) in enumerate(walked):
        if at >= before:
            won, without_runout, equities = outcome(hand)
            raw += won
            all_in.append(without_runout)
            row = at - before
            luck, deals = card_luck(hand, equities, walk.openings, weights, row=row, sign=sign)
            terms.append(deals)
            for column, each in zip(chance, luck, strict=True):
                column.append(-each)
            dice.add((row, number), walk.decisions, (hand.holes, equities), folds)
        folds.add(hand)
    return GameLuck(raw, all_in, chance, b"".join(terms))
