"""The decisions of a match as stand-ins need them: what was known, what was done, and with which odds."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from molt_bench.agents.base import Policy, PolicyOf
from molt_bench.agents.llm.strategy import StatedDraws
from molt_bench.luck.cards.card_luck import chance_luck, hand_luck, street_equities
from molt_bench.luck.coefficients import SOLID
from molt_bench.luck.dice.choices import Part, drawn, observed, parts_of
from molt_bench.luck.dice.draws import Policies
from molt_bench.luck.game_luck import rebuilt_hands
from molt_bench.luck.stand_ins.betting_arrays import CALL, FOLD, Deals, column_of
from molt_bench.luck.stand_ins.classes import CLASSES, FIRST_RAISE, class_of_raise, legal_classes, price
from molt_bench.luck.stand_ins.features import card_features
from molt_bench.poker.actions import LoggedAction
from molt_bench.poker.arrays import Flags, Floats, Ints
from molt_bench.poker.betting import Betting, opening
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand
from molt_bench.records import GameRecord

#: More raises on a street than any hand has, where there is no cap.
NO_CAP = 1 << 30
#: With more chips than this, whole numbers would not hold what is computed of them.
MOST_STACK = 1 << 40


class Options(NamedTuple):
    """What could have been drawn at a decision with known odds.

    Attributes:
        parts: What there was; sizes that are put together count as their mean.
        drawn: Which of them was drawn.
    """

    parts: Sequence[Part]
    drawn: int


class Visited(NamedTuple):
    """All decisions of some games.

    Attributes:
        deals: The hands.
        moments: The moments before the decisions, as columns.
        bettings: The same as they are in a hand.
        cards: All cards of each hand, with its number.
        places: The game and the number of the hand of each decision.
        players: Who decided: 0 for player A.
        wanted: By class, the odds, or 1 for what was done.
        drawn: Whether what was done is all that is known: no odds.
        prices: What the raise that was done costs, in thousandths of the pot; -1 where none, or all-in.
        legal: By class, whether there was an action of it.
        options: What could have been drawn; None where the odds are not known, or there was no choice.
        won: By game, what each hand that counts was worth to seat 0 without the luck of cards, as in `adjustedSolid`.
    """

    deals: Deals
    moments: Ints
    bettings: Sequence[Betting]
    cards: Sequence[tuple[int, tuple[Hole, Hole], Board]]
    places: Sequence[tuple[int, int]]
    players: Ints
    wanted: Floats
    drawn: Flags
    prices: Ints
    legal: Flags
    options: Sequence[Options | None]
    won: Sequence[dict[int, float]]


class _Rows:
    """Collects decisions."""

    def __init__(self) -> None:
        self.deals: list[tuple[int, ...]] = []
        self.equities: list[tuple[float, ...]] = []
        self.cards: list[list[list[list[int]]]] = []
        self.dealt: list[tuple[int, tuple[Hole, Hole], Board]] = []
        self.columns: list[tuple[int, ...]] = []
        self.bettings: list[Betting] = []
        self.places: list[tuple[int, int]] = []
        self.players: list[int] = []
        self.wanted: list[list[float]] = []
        self.drawn: list[bool] = []
        self.prices: list[int] = []
        self.options: list[Options | None] = []
        self.won: list[dict[int, float]] = []

    def add(self, betting: Betting, done: LoggedAction, options: Options | None) -> None:
        """Add a decision of the last hand."""
        self.columns.append(column_of(betting, len(self.deals) - 1))
        self.bettings.append(betting)
        at = _class(done.kind, done.amount, betting)
        self.prices.append(price(done.amount, betting) if FIRST_RAISE <= at < CLASSES - 1 else -1)
        wanted = [0.0] * CLASSES
        if options is None:
            wanted[at] = 1.0
        for part in options.parts if options is not None else ():
            wanted[_class(part.kind, part.size, betting)] += part.chance
        if not betting.to_call:
            wanted[CALL], wanted[FOLD] = wanted[CALL] + wanted[FOLD], 0.0
        self.wanted.append(wanted)
        self.drawn.append(options is None)
        self.options.append(None if options is None or len(options.parts) < 2 else options)


def visited(games: Sequence[tuple[GameRecord, Policies]], agents: tuple[int, int]) -> Visited | None:
    """Return all decisions of some games between two agents, with their policies; None if the decks are others."""
    rows = _Rows()
    for at, (record, policies) in enumerate(games):
        spec, shoe = record.spec, Shoe(record.spec.decks)
        swapped = record.seating == "BA"
        seats = agents[::-1] if swapped else agents
        by_seat = policies[::-1] if swapped else policies
        rows.won.append({})
        for number, hand, _ in rebuilt_hands(record, seen=False):
            holes, board = shoe.deal(number)
            if holes != hand.holes or board[: len(hand.board)] != hand.board or max(hand.starting_stacks) > MOST_STACK:
                return None
            rules, cap = hand.rules, hand.rules.raise_cap
            cap = NO_CAP if cap is None else cap
            rows.deals.append((*hand.starting_stacks, hand.button, cap, rules.big_blind, spec.max_actions, *seats))
            rows.equities.append(street_equities(holes, board))
            rows.cards.append(card_features(holes, board))
            rows.dealt.append((number, holes, board))
            counts = number > spec.warmup_hands
            if counts:
                luck = hand_luck(hand)
                rows.won[at][number] = luck.all_in - chance_luck(luck.terms, SOLID)
            _add_hand(rows, hand, by_seat if counts else (None, None), spec.max_actions)
            added = len(rows.columns) - len(rows.places)
            rows.places += [(at, number)] * added
            rows.players += [each[2] ^ swapped for each in rows.columns[-added:]] if added else []
    return _packed(rows) if rows.columns else None


def _add_hand(rows: _Rows, hand: Hand, policies: Policies, max_actions: int) -> None:
    """Add the decisions of a finished hand, with the policies of seats 0 and 1."""
    betting = opening.of(hand.rules, hand.starting_stacks, hand.button).unshared()
    dealt = rows.dealt[-1]
    for done in hand.log:
        betting = betting if len(betting.log) < max_actions else betting.without_raises()
        policy = policies[betting.actor]
        rows.add(betting, done, None if policy is None else _options(policy, betting, dealt, done))
        after = betting.after(done.kind, done.amount)
        if after is None:
            raise ValueError(f"an action that is not legal: {done}")
        betting = after


def _options(
    policy: PolicyOf | StatedDraws, betting: Betting, dealt: tuple[int, tuple[Hole, Hole], Board], done: LoggedAction
) -> Options | None:
    """Return what could have been drawn; None if the odds are not known, or cannot be right."""
    seen = observed(betting, *dealt)
    listed: Policy
    if isinstance(policy, StatedDraws):
        stated = policy.at(seen)
        if stated is None:
            return None
        listed = stated
    else:
        try:
            listed = policy(seen)
        except Exception:  # foreign code: it may raise anything
            return None
    parts = [part for part in parts_of(listed, betting) if part.chance > 0]
    at = drawn(parts, done.kind, done.amount)
    return None if at is None else Options(parts, at)


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
        bettings=rows.bettings,
        cards=rows.dealt,
        places=rows.places,
        players=np.array(rows.players, np.int64),
        wanted=np.array(rows.wanted),
        drawn=np.array(rows.drawn),
        prices=np.array(rows.prices, np.int64),
        legal=legal_classes(moments, found),
        options=rows.options,
        won=rows.won,
    )
