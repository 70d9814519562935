"""The decisions of a game as stand-ins need them: what was known, what was done, and with which odds."""

from typing import Final, NamedTuple

import numpy as np

from molt_bench.plugins.lookahead.betting_arrays import Deals, column_of
from molt_bench.plugins.lookahead.classes import Choices, choices_of
from molt_bench.plugins.lookahead.features import card_features
from molt_bench.poker.arrays import Flags, Floats, Ints
from molt_bench.poker.deck import Shoe
from molt_bench.poker.equity import street_equities
from molt_bench.poker.mix import mixes_from_text
from molt_bench.records import GameRecord
from molt_bench.specs import Pair

#: More raises on a street than any hand has, where there is no cap.
_NO_CAP: Final = 1 << 30
#: With more chips than this, whole numbers would not hold what is computed of them.
_MOST_STACK: Final = 1 << 40


class Visited(NamedTuple):
    """All decisions of a game.

    Attributes:
        deals: The hands.
        moments: The moments before the decisions, as columns.
        signs: 1 where player A sits in seat 0, otherwise -1; 0 in hands that do not count.
        chances: By class, how likely each was; 1 for what was done where that was certain.
        amounts: By class, the mean of what its raises were to.
        done: The class of what was done.
        stated: Where a mix was stated.
    """

    deals: Deals
    moments: Ints
    signs: Ints
    chances: Floats
    amounts: Ints
    done: Ints
    stated: Flags


def visited(game: GameRecord, agents: Pair) -> Visited | None:
    """Return all decisions of a game between two agents; None if there are none, or the decks are others."""
    spec, shoe = game.spec, Shoe(game.spec.decks)
    seats, sign = (agents, 1) if game.seating == "AB" else (agents[::-1], -1)
    hands, rows, choices = list[tuple[object, ...]](), list[tuple[object, ...]](), list[Choices]()
    lines = game.mixes or [""] * len(game.hand_texts)
    for (number, hand, _), line in zip(game.replay(), lines, strict=True):
        holes, board = shoe.deal(number)
        if holes != hand.holes or board[: len(hand.board)] != hand.board or max(hand.starting_stacks) > _MOST_STACK:
            return None
        hands.append((hand.starting_stacks, hand.button, street_equities(holes, board), card_features(holes, board)))
        mixes, counts = mixes_from_text(line), number > spec.warmup_hands
        for at, (before, did) in enumerate(hand.steps(max_actions=spec.max_actions)):
            mix = mixes.get(at)
            entries = [(did, 1.0)] if mix is None else [(entry, weight / mix.total) for entry, weight in mix.entries]
            choices.append(choices_of(entries, did, before.betting))
            rows.append((column_of(before.betting, len(hands) - 1), sign * counts, mix is not None))
    if not rows:
        return None
    cap = _NO_CAP if spec.raise_cap is None else spec.raise_cap
    stacks, button, equities, cards = map(np.array, zip(*hands, strict=True))
    deals = Deals(stacks, button, equities, cards, seats, spec.big_blind, cap)
    columns, signs, stated = map(np.array, zip(*rows, strict=True))
    chances, amounts, done = map(np.array, zip(*choices, strict=True))
    return Visited(deals, columns.T.copy(), signs, chances, amounts, done, stated)
