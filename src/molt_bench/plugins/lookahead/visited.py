"""The decisions of games as stand-ins need them: what was known, what was done, and with which odds."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from molt_bench.plugins.lookahead.betting_arrays import CALL, FOLD, Deals, column_of
from molt_bench.plugins.lookahead.classes import CLASSES, FIRST_RAISE, class_of_raise, legal_classes, price
from molt_bench.plugins.lookahead.features import card_features
from molt_bench.poker.arrays import Flags, Floats, Ints
from molt_bench.poker.betting import Betting
from molt_bench.poker.deck import Shoe
from molt_bench.poker.mix import mixes_from_text
from molt_bench.poker.mix_parts import Part, parts_of
from molt_bench.poker.street_equity import street_equities
from molt_bench.records import GameRecord

#: More raises on a street than any hand has, where there is no cap.
NO_CAP = 1 << 30
#: With more chips than this, whole numbers would not hold what is computed of them.
MOST_STACK = 1 << 40


class Options(NamedTuple):
    """What could have been drawn at a decision, and which of it was."""

    parts: tuple[Part, ...]
    drawn: int


class Visited(NamedTuple):
    """All decisions of some games.

    Attributes:
        deals: The hands.
        moments: The moments before the decisions, as columns.
        counts: Whether the hand of a decision counts.
        signs: 1 where player A sits in seat 0, otherwise -1.
        wanted: By class, the odds, or 1 for what was done.
        drawn: Whether what was done is all that is known: no odds.
        prices: What the raise that was done costs, in thousandths of the pot; -1 where none, or all-in.
        legal: By class, whether there was an action of it.
        options: What could have been drawn; None where nothing was.
    """

    deals: Deals
    moments: Ints
    counts: Flags
    signs: Ints
    wanted: Floats
    drawn: Flags
    prices: Ints
    legal: Flags
    options: list[Options | None]


class _Rows:
    """Collects decisions."""

    def __init__(self) -> None:
        self.deals: list[tuple[int, ...]] = []
        self.equities: list[tuple[float, ...]] = []
        self.cards: list[list[list[list[int]]]] = []
        self.columns: list[tuple[int, ...]] = []
        self.counts: list[bool] = []
        self.signs: list[int] = []
        self.wanted: list[list[float]] = []
        self.prices: list[int] = []
        self.options: list[Options | None] = []

    def add(self, betting: Betting, kind: str, amount: int, options: Options | None) -> None:
        """Add a decision of the last hand."""
        self.columns.append(column_of(betting, len(self.deals) - 1))
        at = _class(kind, amount, betting)
        self.prices.append(price(amount, betting) if FIRST_RAISE <= at < CLASSES - 1 else -1)
        wanted = [0.0] * CLASSES
        if options is None:
            wanted[at] = 1.0
        for part in options.parts if options is not None else ():
            wanted[_class(part.kind, part.size, betting)] += part.chance
        if not betting.to_call:
            wanted[CALL], wanted[FOLD] = wanted[CALL] + wanted[FOLD], 0.0
        self.wanted.append(wanted)
        self.options.append(options)


def visited(games: Iterable[GameRecord], agents: tuple[int, int]) -> Visited | None:
    """Return all decisions of some games between two agents; None if there are none, or the decks are others."""
    rows = _Rows()
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
            rows.deals.append((*hand.starting_stacks, hand.button, cap, rules.big_blind, spec.max_actions, *seats))
            rows.equities.append(street_equities(holes, board))
            rows.cards.append(card_features(holes, board))
            for at, (before, done) in enumerate(hand.steps(max_actions=spec.max_actions)):
                options = None
                if at in mixes:
                    choices = parts_of(mixes[at], before.betting)
                    options = Options(choices.parts, choices.place_of(done.kind, done.amount))
                rows.add(before.betting, done.kind, done.amount, options)
                rows.counts.append(number > spec.warmup_hands)
                rows.signs.append(sign)
    return _packed(rows) if rows.columns else None


def _class(kind: str, amount: int, betting: Betting) -> int:
    if kind == "raiseTo":
        return class_of_raise(amount, betting)
    return FOLD if kind == "fold" else CALL


def _packed(rows: _Rows) -> Visited:
    deals = np.array(rows.deals, np.int64)
    found = Deals(
        stacks=deals[:, :2],
        button=deals[:, 2],
        cap=deals[:, 3],
        big_blind=deals[:, 4],
        max_actions=deals[:, 5],
        equities=np.array(rows.equities),
        cards=np.array(rows.cards, np.int64),
        agents=deals[:, 6:],
    )
    moments = np.array(rows.columns, np.int64).T.copy()
    return Visited(
        deals=found,
        moments=moments,
        counts=np.array(rows.counts),
        signs=np.array(rows.signs, np.int64),
        wanted=np.array(rows.wanted),
        drawn=np.array([each is None for each in rows.options]),
        prices=np.array(rows.prices, np.int64),
        legal=legal_classes(moments, found),
        options=rows.options,
    )
