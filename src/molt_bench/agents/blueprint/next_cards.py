"""The buckets of one hole on many boards: what the next cards can make of it."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from molt_bench.agents.blueprint.buckets import (
    EIGHTHS,
    GROUP_OF_EIGHTH,
    GROUP_STARTS,
    GROUPS,
    RENAMINGS,
    RIVER_SCALE,
    TURN_BINS,
    TURN_SCALE,
    TURN_STEP,
    buckets,
    canonical,
    collides,
    holes,
    nearest,
    representatives,
    shipped,
)
from molt_bench.agents.blueprint.tree import Array
from molt_bench.poker.cards import Hole
from molt_bench.poker.range_equity import HOLES, hole_number, strengths_on


def buckets_on(hole: Hole, boards: Array) -> Array:
    """Return the bucket of a hole on each of many boards: what `bucket` returns, but all at once.

    Each row is a board of three, four or five cards; all but the last card are the same, unless it is a flop.
    """
    return {3: _on_flops, 4: _on_turns, 5: _on_rivers}[boards.shape[1]](hole, boards)


def _on_flops(hole: Hole, flops: Array) -> Array:
    """Look a hole up on many flops at once."""
    rows, canonical, renamings, images = _flop_tables()
    at = np.sort(flops, axis=1) @ (52 * 52, 52, 1)
    first, second = (images[renamings[at], card] for card in hole)
    high, low = np.maximum(first, second), np.minimum(first, second)
    found: Array = rows[canonical[at], high * (high - 1) // 2 + low]
    return found


@cache
def _flop_tables() -> tuple[Array, Array, Array, Array]:
    """Return how flops that differ only in the names of the suits share buckets.

    That is the buckets of every hole on each canonical flop; for every flop, as a number to base 52, its canonical flop
    and the renaming that gives it; and the card that each renaming gives for each card.
    """
    flops = np.array(list(combinations(range(52), 3)), np.int64)
    cards = np.arange(52)
    images = np.array([cards & ~3 | np.array(renaming)[cards & 3] for renaming in RENAMINGS], np.int64)
    codes = np.sort(images[:, flops], axis=2) @ (52 * 52, 52, 1)
    best = codes.argmin(axis=0)
    named, number = np.unique(codes.min(axis=0), return_inverse=True)
    rows = np.empty((len(named), HOLES), np.int16)
    for at, code in enumerate(named.tolist()):
        rows[at] = buckets((code // 2704, code // 52 % 52, code % 52))
    canonical, renamings = np.zeros(52**3, np.int64), np.zeros(52**3, np.int64)
    every = flops @ (52 * 52, 52, 1)
    canonical[every], renamings[every] = number, best
    return rows, canonical, renamings, images


def _on_turns(hole: Hole, boards: Array) -> Array:
    """Compare the hole with a sample of others on all rivers of all turns, as `turn_features` does for one turn."""
    samples, own, rivers, turns = [], [], [], []
    for board in boards.tolist():
        named, renamings = canonical(board)
        possible = np.flatnonzero(~collides(named))
        samples.append(possible[np.argsort(buckets(named[:3])[possible], kind="stable")][TURN_STEP // 2 :: TURN_STEP])
        own.append(representatives(renamings)[hole_number(hole)])
        rivers.append([card for card in range(52) if card not in named])
        turns.append(named)
    five = np.concatenate([np.repeat(np.array(turns)[:, None], 48, axis=1), np.array(rivers)[..., None]], axis=2)
    theirs = strengths_on(holes()[np.array(samples)], five)
    mine = strengths_on(holes()[np.array(own)][:, None], five)
    starts = [theirs.shape[1] * start // EIGHTHS for start in GROUP_STARTS[:-1]]
    shown, met = mine[:, 0] >= 0, np.add.reduceat(theirs >= 0, starts, axis=1, dtype=np.int64)
    scores = ((theirs < mine).astype(np.int64) + (theirs <= mine)) * (theirs >= 0)
    wins = np.add.reduceat(scores, starts, axis=1)
    shares = TURN_BINS * wins.sum(axis=1)[..., None] < 2 * met.sum(axis=1)[..., None] * np.arange(1, TURN_BINS)
    below = (shares & shown[..., None]).sum(axis=1)
    won = (wins * shown[:, None]).sum(axis=2)
    features = np.hstack([below, TURN_SCALE * won // (2 * (met * shown[:, None]).sum(axis=2))])
    return nearest(features, shipped().turn_centres)


def _on_rivers(hole: Hole, boards: Array) -> Array:
    """Compare the hole with all others on all rivers, as `river_features` does for one."""
    flop, last, count = boards[0, :3].tolist(), boards[:, -1:], len(boards)
    possible = np.flatnonzero(~collides(tuple(boards[0, :4].tolist())))
    cards = holes()[possible]
    theirs = strengths_on(np.repeat(cards[None], count, axis=0), boards[:, None])[..., 0]
    mine = strengths_on(np.tile(np.array(hole), (count, 1, 1)), boards[:, None])[..., 0]
    free = (cards[:, 0] != last) & (cards[:, 1] != last)
    of_possible = np.broadcast_to(buckets(tuple(flop))[possible].astype(np.int64), free.shape)
    row = np.broadcast_to(np.arange(count)[:, None], free.shape)
    most = int(of_possible.max()) + 1
    counts = np.bincount((row * most + of_possible)[free], minlength=count * most).reshape(count, most)
    whole = counts.sum(axis=1)[:, None]
    eighths = EIGHTHS * (2 * (counts.cumsum(axis=1) - counts) + counts) // (2 * whole)
    groups = np.array(GROUP_OF_EIGHTH)[np.minimum(eighths, EIGHTHS - 1)]
    cells = (row * GROUPS + groups[row, of_possible])[free]
    scores = ((theirs < mine).astype(np.int64) + (theirs <= mine))[free]
    # Whole numbers far below 2**53: the sums of floats are exact.
    wins = np.bincount(cells, scores, count * GROUPS).astype(np.int64).reshape(count, -1)
    sizes = np.bincount(cells, minlength=count * GROUPS).reshape(count, -1)
    total = RIVER_SCALE * wins.sum(axis=1)[:, None] // (2 * whole)
    features = np.where(sizes > 0, RIVER_SCALE * wins // np.maximum(2 * sizes, 1), total)
    return nearest(features, shipped().river_centres)
