"""The decisions of games as stand-ins need them: what was known, what was done, and with which odds."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from molt_bench.plugins.lookahead.betting_arrays import CALL, FOLD, Deals, column_of
from molt_bench.plugins.lookahead.choices import Choice, choices_of
from molt_bench.plugins.lookahead.classes import CLASSES, class_of_raise
from molt_bench.plugins.lookahead.features import card_features
from molt_bench.poker.arrays import Floats, Ints
from molt_bench.poker.betting import Betting
from molt_bench.poker.deck import Shoe
from molt_bench.poker.equity import street_equities
from molt_bench.poker.mix import mixes_from_text
from molt_bench.records import GameRecord

#: More raises on a street than any hand has, where there is no cap.
NO_CAP = 1 << 30
#: With more chips than this, whole numbers would not hold what is computed of them.
MOST_STACK = 1 << 40


class Options(NamedTuple):
    """What could have been drawn at a decision, and which of it was."""

    choices: tuple[Choice, ...]
    drawn: Choice


class Visited(NamedTuple):
    """All decisions of some games.

    Attributes:
        deals: The hands.
        moments: The moments before the decisions, as columns.
        signs: 1 where player A sits in seat 0, otherwise -1; 0 in hands that do not count.
        odds: By class, how likely each was; 1 for what was done where that was certain.
        options: What could have been drawn; None where nothing was.
    """

    deals: Deals
    moments: Ints
    signs: Ints
    odds: Floats
    options: list[Options | None]


def visited(games: Iterable[GameRecord], agents: tuple[int, int]) -> Visited | None:
    """Return all decisions of some games between two agents; None if there are none, or the decks are others."""
    hands: list[tuple[int, ...]] = []
    equities, cards = [], []
    columns: list[tuple[int, ...]] = []
    signs, odds, options = list[int](), list[list[float]](), list[Options | None]()
    for record in games:
        spec, shoe = record.spec, Shoe(record.spec.decks)
        seats, sign = (agents, 1) if record.seating == "AB" else (agents[::-1], -1)
        lines = record.mixes or [""] * len(record.hand_texts)
        for (number, hand, _), line in zip(record.replay(), lines, strict=True):
            holes, board = shoe.deal(number)
            if holes != hand.holes or board[: len(hand.board)] != hand.board or max(hand.starting_stacks) > MOST_STACK:
                return None
            rules, mixes = hand.rules, mixes_from_text(line)
            cap = NO_CAP if rules.raise_cap is None else rules.raise_cap
            hands.append((*hand.starting_stacks, hand.button, cap, rules.big_blind, spec.max_actions, *seats))
            equities.append(street_equities(holes, board))
            cards.append(card_features(holes, board))
            for at, (before, done) in enumerate(hand.steps(max_actions=spec.max_actions)):
                betting, found = before.betting, None
                if at in mixes:
                    choices = choices_of(mixes[at], betting)
                    found = Options(tuple(choices.of.values()), choices.of_action(done.kind, done.amount))
                columns.append(column_of(betting, len(hands) - 1))
                signs.append(sign if number > spec.warmup_hands else 0)
                odds.append(_odds(betting, (Choice(done.kind, done.amount, 1.0),) if found is None else found.choices))
                options.append(found)
    if not columns:
        return None
    whole = np.array(hands, np.int64)
    button, cap, big_blind, max_actions = whole[:, 2:6].T
    stacks, agents_of = whole[:, :2], whole[:, 6:]
    looks = np.array(equities), np.array(cards, np.int64)
    deals = Deals(stacks, button, cap, big_blind, max_actions, *looks, agents_of)
    moments = np.array(columns, np.int64).T.copy()
    return Visited(deals, moments, np.array(signs, np.int64), np.array(odds), options)


def _odds(betting: Betting, choices: Iterable[Choice]) -> list[float]:
    """Return how likely each class of actions is; no fold where a check is free."""
    found = [0.0] * CLASSES
    for each in choices:
        if each.kind == "raiseTo":
            found[class_of_raise(each.size, betting)] += each.chance
        else:
            found[FOLD if each.kind == "fold" and betting.to_call else CALL] += each.chance
    return found
