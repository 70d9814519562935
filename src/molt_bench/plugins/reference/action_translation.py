"""Where a real hand lies in the abstract betting tree of the blueprint.

The real actions are followed from the root. Folds, checks and calls have one counterpart. A raise of a size that the
tree does not offer is taken for the next smaller or the next larger one, with the probabilities of the pseudo-harmonic
mapping (Ganzfried and Sandholm, "Action Translation in Extensive-Form Games with Large Action Spaces", IJCAI 2013).
All such branches are kept, each with its probability. Nothing is drawn here, so the same actions lead to the same
places for all.

A raise below the smallest size is taken for that one or for none: for a check or call that leaves the other seat to
act, or for one that ends the street, and then the other seat calls it with every hand. Where all-in is the only raise
that the tree has left, none means the bet that the other seat faced before its own last raise, as if those two raises
had not been made.

A branch ends where the tree does, but the real hand goes on: say, a raise taken for an all-in was called. The other
branches then share its weight.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final, TypeAlias

import numpy as np

from molt_bench.plugins.reference.state import PublicState
from molt_bench.plugins.reference.table import DepthTable, load
from molt_bench.plugins.reference.tree import BIG_BLIND, CALL, FIRST_RAISE, Array
from molt_bench.poker.actions import OPEN_CARDS, Action, LoggedAction
from molt_bench.poker.hand import Hand

#: Points of the tree with their probabilities, which add up to 1.
Points: TypeAlias = dict[int, float]

ROOT: Final = 0
#: Most branches that are kept.
MOST_POINTS: Final = 64
#: In place of a percentage: all-in.
ALL_IN: Final = -1


def nearest_depth(stack: int, big_blind: int, depths: Sequence[int]) -> int:
    """Return the depth whose ratio to `stack` / `big_blind` is closest to 1; of two, the smaller.

    >>> nearest_depth(14_100, 100, (100, 200)), nearest_depth(14_200, 100, (100, 200))
    (100, 200)
    """
    chosen, *deeper = sorted(depths)
    for depth in deeper:
        # Closer to `depth` than to `chosen` by logarithm: beyond the square root of their product.
        if stack * stack > chosen * depth * big_blind * big_blind:
            chosen = depth
    return chosen


def depth_table(state: PublicState) -> DepthTable:
    """Return the table for the stacks of a hand: the shorter one counts."""
    table = load()
    return table.at(nearest_depth(min(state.starting_stacks), state.rules.big_blind, table.depths))


@lru_cache(maxsize=1 << 16)
def _raise_percents(at: DepthTable, node: int) -> tuple[tuple[int, int], ...]:
    """Return the raises that a node offers, smallest first: the column, and the percentage of the pot after a call."""
    if node >= at.tree.nodes:
        return ()
    facing = max(at.tree.paid[node].tolist())
    found = []
    for column in at.tree.offered(node):
        if column >= FIRST_RAISE:
            paid = at.tree.raise_to(node, column)
            percent = (100 * (paid - facing) + facing) // (2 * facing)
            found.append((column, ALL_IN if paid == at.depth * BIG_BLIND else percent))
    return tuple(found)


def raise_amounts(at: DepthTable, node: int, hand: Hand) -> list[tuple[int, int]]:
    """Return the raises that a node offers as columns and chips of the real hand, smallest first.

    Chips are rounded, and moved into what is legal. No raise goes beyond the shorter stack, unless the smallest legal
    one does.
    """
    least, most = hand.raise_range()
    facing = max(hand.bets)
    pot = hand.pot + sum(hand.bets) + hand.to_call
    all_in = max(least, min(most, hand.limits[1 - hand.actor]))
    return [
        (column, all_in if percent == ALL_IN else min(max(facing + (pot * percent + 50) // 100, least), all_in))
        for column, percent in _raise_percents(at, node)
    ]


def followed(state: PublicState) -> tuple[Points, Hand]:
    """Return the points of the tree that a state may lie at, and the hand there, whose cards mean nothing.

    A point is a decision node or the call that ended a street: where the hand is over, where the cards of the next
    street are still missing, or where the last raise is taken for none. There is none if the tree has ended on all
    branches.
    """
    at, hand = depth_table(state), state.opening()
    before: Points = {}
    found: Points = {ROOT: 1.0}
    for done in state.log:
        moved: Points = {}
        for node, weight in found.items():
            for child, chance in _next_nodes(at, node, hand, done):
                moved[child] = moved.get(child, 0.0) + weight * chance
        before, found = found, _kept(moved)
        hand.apply(Action(done.kind, done.amount))
    over = hand.actor < 0 or len(state.board) < OPEN_CARDS[hand.street]
    return _closed(at, before) if over and state.log else found, hand


@lru_cache(maxsize=1 << 16)
def paid_at(at: DepthTable, point: int) -> tuple[int, int]:
    """Return the chips that player 0 and player 1 have put in at a point, in hundredths of a big blind."""
    if point < at.tree.nodes:
        first, second = at.tree.paid[point].tolist()
        return first, second
    matched = at.pot(point) // 2
    return matched, matched


def _next_nodes(at: DepthTable, node: int, hand: Hand, done: LoggedAction) -> list[tuple[int, float]]:
    """Return the points that an action leads to, each with its probability; none where the tree ends."""
    if node >= at.tree.nodes:
        if done.kind == "raiseTo":
            return []
        node = at.closer(node)
    if done.kind == "raiseTo":
        sizes = [(_child(at, node, column), amount) for column, amount in raise_amounts(at, node, hand)]
        without = _without_raise(at, node)
        if without is not None:
            sizes.insert(0, (without, max(hand.bets)))
        return _translated(sizes, hand, done.amount)
    child = _child(at, node, CALL)
    return [(child, 1.0)] if child >= 0 and done.kind != "fold" else []


def _child(at: DepthTable, node: int, column: int) -> int:
    return int(at.tree.children.item(node, column))


@lru_cache(maxsize=1 << 16)
def _without_raise(at: DepthTable, node: int) -> int | None:
    """Return the point that a very small raise is as good as; None if there is none.

    That of a check or call that leaves the other seat to act; else the call itself, which ends the street. Where
    all-in is the only raise, that would be called too often: then the node before the last raise, if it faces a bet.
    """
    tree = at.tree
    sizes = [percent for _, percent in _raise_percents(at, node)] != [ALL_IN]
    if tree.closing_point(node) < 0:
        return _child(at, node, CALL)
    if sizes:
        return tree.closing_point(node)
    parent = int(_parents(at)[node])
    first, second = tree.paid[parent].tolist()
    same_street = tree.street[parent] == tree.street[node]
    return parent if same_street and first != second and tree.closing_point(parent) >= 0 else None


@cache
def _parents(at: DepthTable) -> Array:
    """Return the node above each node; -1 for the root."""
    children = at.tree.children
    found = np.full(at.tree.nodes, -1)
    for column in range(children.shape[1]):
        above = np.flatnonzero(children[:, column] >= 0)
        found[children[above, column]] = above
    return found


def _translated(sizes: list[tuple[int, int]], hand: Hand, amount: int) -> list[tuple[int, float]]:
    """Return the nodes that a raise may lead to, each with its probability; none if there is no raise.

    Sizes are the nodes that the tree's own raises lead to, with the chips raised to, smallest first.
    """
    smaller = [each for each in sizes if each[1] <= amount]
    larger = [each for each in sizes if each[1] > amount]
    if not smaller:
        return [(larger[0][0], 1.0)] if larger else []
    node, low = smaller[-1]
    if low == amount or not larger:
        return [(node, 1.0)]
    next_node, high = larger[0]
    facing = max(hand.bets)
    pot = hand.pot + sum(hand.bets) + hand.to_call
    # (B - x) (1 + A) / ((B - A) (1 + x)), with A, B and x as multiples of the pot, in whole chips.
    chance = (high - amount) * (pot + low - facing) / ((high - low) * (pot + amount - facing))
    return [(node, chance), (next_node, 1.0 - chance)]


def _closed(at: DepthTable, nodes: Points) -> Points:
    """Return the calls that end a street at these nodes; where a call ends none in the tree, what follows it."""
    found: Points = {}
    for node, weight in nodes.items():
        point = node if node >= at.tree.nodes else at.tree.closing_point(node)
        if point < 0:
            point = _child(at, node, CALL)
        if point >= 0:
            found[point] = found.get(point, 0.0) + weight
    return _kept(found)


def _kept(found: Points) -> Points:
    """Return the likeliest points, in a fixed order, with weights that add up to 1."""
    if len(found) > MOST_POINTS:
        found = dict(sorted(found.items(), key=lambda each: (-each[1], each[0]))[:MOST_POINTS])
    total = 0.0
    for weight in found.values():  # `sum` adds up floats in another way from Python 3.12 on
        total += weight
    return found if total == 1.0 else {point: weight / total for point, weight in found.items()}
