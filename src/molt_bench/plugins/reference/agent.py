"""`blueprint`: plays a table of mixed strategies that is near an equilibrium of a smaller, abstract game.

A decision is looked up by the points of the abstract betting tree that the hand may lie at (`action_translation.py`)
and the bucket of the cards (`buckets.py`). The mix that it states is the mean over all of these points.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from molt_bench.plugins.reference.action_translation import (
    Points,
    depth_table,
    followed,
    paid_at,
    raise_amounts,
)
from molt_bench.plugins.reference.buckets import bucket, buckets
from molt_bench.plugins.reference.off_tree import hand_ranks, rule_actions
from molt_bench.plugins.reference.range_equity import HOLES, hole_number
from molt_bench.plugins.reference.state import PublicState, public_state
from molt_bench.plugins.reference.table import DepthTable
from molt_bench.plugins.reference.tree import BIG_BLIND, FIRST_RAISE
from molt_bench.plugins.reference.tree import CALL as CALL_COLUMN
from molt_bench.poker.actions import CALL, CHECK, FOLD, OPEN_CARDS, Action, Street
from molt_bench.poker.arrays import Floats
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.hand import Hand
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import Observation

#: The weights of a mix add up to about this.
_WHOLE: Final = 10_000
#: Below this multiple of the pot, chips behind hardly matter.
_SHALLOW: Final = 0.25


class RangePolicy(NamedTuple):
    """What the seat to act does with every hole.

    Attributes:
        actions: What it may do.
        chances: The probability of each of these actions, one row for each of the 1,326 holes in the order of
            `buckets.holes()`. Rows of holes with a card of the board mean nothing.
    """

    actions: tuple[Action, ...]
    chances: Floats


class _Lookup(NamedTuple):
    """A decision as the table sees it."""

    at: DepthTable  # for these stacks
    points: Points  # that the hand may lie at
    actions: tuple[Action, ...]  # fold, check or call, then raises, smallest first
    columns: list[list[int]]  # for each point, which of the actions each column stands for


class BlueprintAgent:
    """Plays a shipped table of mixed strategies, near an equilibrium of an abstract game."""

    kind = "blueprint"
    #: The params that a config may give it.
    takes: tuple[str, ...] = ("name",)

    def __init__(self, *, name: str = "") -> None:
        self.name = name or self.kind

    def act(self, observation: Observation) -> Action | Mix:
        """Mix by the odds, in whole weights."""
        weighed = [(action, round(chance * _WHOLE)) for action, chance in self.odds(observation)]
        entries = [(action, weight) for action, weight in weighed if weight]
        return entries[0][0] if len(entries) == 1 else Mix(entries)

    def odds(self, observation: Observation) -> list[tuple[Action, float]]:
        """Return every action with its probability, 0 included."""
        lookup = self._look_up(observation)
        if not lookup.points:
            found = self.range_policy(observation)
            return list(zip(found.actions, found.chances[hole_number(observation.cards)].tolist(), strict=True))
        chances = [0.0] * len(lookup.actions)
        own = bucket(observation.cards, observation.board)
        for (node, weight), columns in zip(lookup.points.items(), lookup.columns, strict=True):
            row = lookup.at.strategy(node)[own].tolist()
            counts = [0] * len(chances)
            for column, count in zip(columns, row, strict=True):
                counts[column] += count
            whole = sum(row)
            for column, count in enumerate(counts):
                chances[column] += weight * count / whole
        return list(zip(lookup.actions, chances, strict=True))

    def range_policy(self, observation: Observation) -> RangePolicy:
        """Return the probabilities of every hole that the seat to act could hold: those of `odds`, bit by bit."""
        lookup = self._look_up(observation)
        if not lookup.points:
            return RangePolicy(*rule_actions(observation, hand_ranks(lookup.at, observation.board)))
        found: Any = 0.0
        for (node, weight), columns in zip(lookup.points.items(), lookup.columns, strict=True):
            rows = lookup.at.strategy(node).astype(np.int64)
            counts = np.zeros((len(rows), len(lookup.actions)), np.int64)
            for column, slot in zip(columns, rows.T, strict=True):
                counts[:, column] += slot
            found = found + weight * counts / rows.sum(axis=1)[:, None]
        return RangePolicy(lookup.actions, found[buckets(observation.board)])

    def covers(self, observation: Observation) -> bool:
        """Return whether the values are of pots and stacks like these.

        The chips behind, as a multiple of the pot, are at most twice those of the table, and at least half.
        """
        lookup = self._look_up(observation)
        stacks = observation.starting_stacks
        most = min(stacks)
        put_in = [min(most, stack - left) for stack, left in zip(stacks, observation.stacks, strict=True)]
        behind = (most - max(put_in)) / (2 * max(put_in))
        alike = 0.0
        for node, weight in lookup.points.items():
            paid = max(paid_at(lookup.at, node))
            low, high = sorted((behind, (BIG_BLIND * lookup.at.depth - paid) / (2 * paid)))
            alike += weight * (high <= max(_SHALLOW, 2 * low))
        return alike >= 0.5

    def raises(self, observation: Observation) -> bool:
        """Return whether the table knows raises here: not if the bet that is faced is likely taken for an all-in."""
        lookup = self._look_up(observation)
        known = 0.0
        for weight, columns in zip(lookup.points.values(), lookup.columns, strict=True):
            known += weight * (max(columns) > columns[CALL_COLUMN])
        return known >= 0.5

    def _look_up(self, observation: Observation) -> _Lookup:
        # A hand that takes too long ends without raises, which only the observation knows.
        can_raise = observation.max_raise_to > 0
        return _looked_up(public_state(observation), can_raise=can_raise)

    def hand_values(self, state: PublicState, seat: int) -> Floats:
        """Return the chips that `seat` wins net in the whole hand with each hole, if both play the blueprint.

        The state is before a decision of either seat, or after a call that ended a street or the hand, or a fold. The
        table says which share of the pot is left to win; it is scaled to the real pot.
        """
        worth = _worth(state, seat)
        if worth.shares is None:
            return np.full(HOLES, worth.value(0.0))
        values: Floats = worth.value(worth.shares[buckets(worth.board)] if worth.by_bucket else worth.shares)
        return values

    def hand_value(self, state: PublicState, seat: int, hole: Hole) -> float:
        """Return what `hand_values` returns for one hole, to the last bit, but faster."""
        worth = _worth(state, seat)
        if worth.shares is None:
            return float(worth.value(0.0))
        at = bucket(hole, worth.board) if worth.by_bucket else hole_number(hole)
        return float(worth.value(worth.shares[at]))


class _Worth(NamedTuple):
    """What hands are worth at a state, in shares of the pot by bucket, or else by hole."""

    shares: Floats | None  # None after a fold
    by_bucket: bool
    board: Board  # tells buckets
    pot: int
    paid: int  # by the seat

    def value(self, share: Any) -> Any:
        """Return the net chips of a share of the pot."""
        return share * self.pot - self.paid


def _worth(state: PublicState, seat: int) -> _Worth:
    found, hand = followed(state)
    if hand.folded >= 0:
        return _Worth(None, by_bucket=False, board=(), pot=0, paid=-hand.payoffs[seat])
    at = depth_table(state)
    board = state.board[: OPEN_CARDS[_street(state, hand)]]
    # Chips that the other seat cannot match come back.
    spent = [min(hand.chips_in(each), *state.starting_stacks) for each in (0, 1)]
    player = int(seat != state.button)
    shares: Any = 0.0
    for point, weight in found.items():
        paid = paid_at(at, point)
        left = BIG_BLIND * at.values(point, player) + paid[player]
        shares = shares + weight * (left / (paid[0] + paid[1]))
    if not found:
        shares = hand_ranks(at, board)
    return _Worth(shares, by_bucket=bool(found), board=board, pot=spent[0] + spent[1], paid=spent[seat])


def _street(state: PublicState, hand: Hand) -> Street:
    """Return the street whose buckets a state is valued by: after a call that ended one, that one."""
    between = state.log and (hand.actor < 0 or len(state.board) < OPEN_CARDS[hand.street])
    return state.log[-1].street if between else hand.street


@lru_cache(maxsize=1024)
def _looked_up(state: PublicState, *, can_raise: bool) -> _Lookup:
    """Look up a decision; remembered, since it is asked for many holes in a row."""
    found, hand = followed(state)
    at = depth_table(state)
    raises = [raise_amounts(at, node, hand) if can_raise else [] for node in found]
    sizes = sorted({amount for offered in raises for _, amount in offered})
    first = [FOLD, CALL] if hand.to_call else [CHECK]
    actions = (*first, *[Action("raiseTo", size) for size in sizes])
    # What is not legal becomes the nearest legal action: a fold that is free a check, a raise a call.
    calls = len(first) - 1
    columns = []
    for offered in raises:
        column_of = [0, calls] + [calls] * (at.tree.children.shape[1] - FIRST_RAISE)
        for column, amount in offered:
            column_of[column] = len(first) + sizes.index(amount)
        columns.append(column_of)
    return _Lookup(at, found, actions, columns)
