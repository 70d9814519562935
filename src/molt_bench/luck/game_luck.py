"""The luck of cards and dice in all hands of a game, by fixed weights: one call of the kernel, or hand by hand."""

from array import array
from collections.abc import Sequence
from functools import cache, lru_cache
from math import fsum
from typing import Any, NamedTuple, TypeAlias

from molt_bench.agents.base import Sizes
from molt_bench.agents.pot_raises import PotRaises
from molt_bench.kernels import compiled
from molt_bench.luck.cards.card_luck import chance_luck, hand_luck, prepare_luck
from molt_bench.luck.cards.equity_vs_random import equity_vs_random_tables, prepare_equities_vs_random
from molt_bench.luck.cards.hole_cards import packed_cuts, packed_deal
from molt_bench.luck.coefficients import SOLID, Coefficients
from molt_bench.luck.dice.chances import PRICES, TOLERANCE
from molt_bench.luck.dice.draws import Folds, action_value
from molt_bench.luck.dice.known_dice import KnownDice
from molt_bench.luck.terms import CARDS, packed_deals, packed_features
from molt_bench.poker.actions import Action
from molt_bench.poker.equity import preflop_table
from molt_bench.poker.hand import Hand
from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.observation import Observation, PlayedHand, observe
from molt_bench.records import GameRecord

#: A decision: the row of its hand among those that count, and its features.
_Drawn: TypeAlias = tuple[int, list[tuple[int, float]]]


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


def rebuilt_hands(record: GameRecord, *, seen: bool) -> list[PlayedHand]:
    """Return the hands of a game from their texts; with what was `seen` in them, if decisions are of interest."""
    max_actions = record.spec.max_actions
    found: list[PlayedHand] = []
    for text in record.hand_texts:
        observed: list[Observation] = []

        def watch(before: Hand, _: Action, number: int, observed: list[Observation] = observed) -> None:
            if len(before.log) >= max_actions:
                before.close_raising()
            observed.append(observe(before, number))

        number, hand, _ = hand_from_text(text, watch if seen else None)
        found.append(PlayedHand(number, hand, observed))
    return found


def game_luck(
    hands: Sequence[PlayedHand], dice: KnownDice, weights: tuple[Coefficients, ...], *, before: int, sign: int
) -> GameLuck:
    """Return what was won in a game without the luck of its cards and known dice.

    Args:
        hands: All hands of the game.
        dice: The decisions that were drawn with known probabilities; refuses those that cannot be.
        weights: Sets of weights.
        before: How many hands come before those that count.
        sign: 1 if player A sat in seat 0, otherwise -1.
    """
    policies = dice.asked_by_seat()
    if compiled is not None and policies is not None:
        cards, actions = _packed(weights)
        places = _packed((SOLID,))[0][0]
        found = compiled.game_luck(hands, before, sign, cards, places, policies, actions, CARDS, *_kernel_tables())
        if found is not None:
            return GameLuck(*found)
    return _hand_by_hand(hands, dice, weights, before=before, sign=sign)


@lru_cache(maxsize=32)  # of frozen sets, which are hashed once a game
def _packed(sets: tuple[Coefficients, ...]) -> tuple[tuple[tuple[bytes, bytes], ...], bytes]:
    """Return the depths and the weights of all deals of each set, and the weights of actions, for the kernel."""
    chance = [
        (array("d", each.depths).tobytes(), array("d", [weight for deal in each.chance for weight in deal]).tobytes())
        for each in sets
    ]
    return tuple(chance), b"".join([array("d", each.actions).tobytes() for each in sets])


@cache
def _kernel_tables() -> tuple[Any, ...]:
    """Tell the kernel about policies and tables, and return the tables that it takes with every game."""
    compiled.set_policies(Action, Sizes, PotRaises, TOLERANCE, *PRICES)
    preflop_table()  # which the kernel is given when it is loaded
    return *equity_vs_random_tables(), packed_cuts()


def _hand_by_hand(
    hands: Sequence[PlayedHand], dice: KnownDice, weights: tuple[Coefficients, ...], *, before: int, sign: int
) -> GameLuck:
    """Return the same in plain Python."""
    counted, mixing = hands[before:], dice.mixing_seats()
    prepare_luck([hand for _, hand, _ in counted])
    prepare_equities_vs_random(
        (hand.holes, each.board) for _, hand, seen in counted for each in seen if each.board and mixing[each.seat]
    )
    folds = Folds()
    for _, hand, _ in hands[:before]:
        folds.add(hand)
    lucks = []
    by_player: tuple[list[_Drawn], list[_Drawn]] = ([], [])
    for row, played in enumerate(counted):
        luck = hand_luck(played.hand)
        lucks.append(luck)
        for player, features in dice.features(played, luck.equities, folds):
            by_player[player].append((row, features))
        folds.add(played.hand)
    # What a player whose policy was refused had drawn before that does not count either.
    drawn = [[] if dice.refused[player] else found for player, found in enumerate(by_player)]
    all_in = [luck.all_in for luck in lucks]
    chance = [[-chance_luck(luck.terms, each) for luck in lucks] for each in weights]
    values = [[[action_value(part, each.actions) for _, part in found] for found in drawn] for each in weights]
    won = [sign * (one + less) for one, less in zip(all_in, chance[-1], strict=True)]
    for player, found in enumerate(drawn):
        for (row, _), value in zip(found, values[-1][player], strict=True):
            won[row] += -value if player else value
    deals = [packed_deals(row, luck.terms, sign) for row, luck in enumerate(lucks)]
    decisions = [packed_features(row, part, player) for player, found in enumerate(drawn) for row, part in found]
    holes = [
        packed_deal(hand.holes, luck.equities[0], min(hand.starting_stacks))
        for (_, hand, _), luck in zip(counted, lucks, strict=True)
    ]
    return GameLuck(
        sum([luck.raw for luck in lucks]),
        fsum(all_in),
        [fsum([*all_in, *column]) for column in chance],
        [fsum(first) - fsum(second) for first, second in values],
        tuple(won),
        b"".join([*deals, *decisions]),
        b"".join(holes),
    )
