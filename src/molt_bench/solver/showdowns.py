"""What every hole wins from a whole range at a showdown or by a fold, without the hands that share a card with it.

Holes are sorted by strength once for each board. What a hole wins is then the weight of all weaker ones less that of
all stronger ones: two running sums. The holes that share a card with it are counted the same way, card by card, and
taken away. So a showdown takes time in proportion to the number of holes, not to its square.

Running sums add up in order, and all else goes number by number: the same bytes come out everywhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from molt_bench.poker.arrays import Array, Ints
from molt_bench.poker.range_equity import hole_cards, hole_strengths


class Ranked(NamedTuple):
    """The holes of some boards by strength. Cards are numbered by their places among those that holes have.

    Attributes:
        own: The cards of each hole, shape (holes, 2).
        order: The holes of each board, weakest first.
        weaker: How many are weaker than each.
        not_stronger: How many are not stronger.
        card_order: The holes with each card, weakest first, shape (boards, cards, holes with one card).
        card_bounds: For the first card of each hole, and its second, how many with that card are weaker, and how many
            not stronger.
    """

    own: Ints
    order: Ints
    weaker: Ints
    not_stronger: Ints
    card_order: Ints
    card_bounds: tuple[tuple[Ints, Ints], tuple[Ints, Ints]]


def _ranked(strengths: Ints, own: Ints, with_card: Ints) -> Ranked:
    """Sort the holes of each board, and those of each card."""
    rows, count = strengths.shape
    order = np.argsort(strengths, axis=1, kind="stable")
    ranked = np.take_along_axis(strengths, order, axis=1)
    weaker, not_stronger = (
        np.stack([row.searchsorted(each, side) for row, each in zip(ranked, strengths, strict=True)])
        for side in ("left", "right")
    )
    card_order = np.empty((rows, *with_card.shape), np.int64)
    bounds = np.empty((2, rows, *with_card.shape), np.int64)
    for row, each in enumerate(strengths):
        within = each[with_card]
        card_order[row] = np.take_along_axis(with_card, np.argsort(within, axis=1, kind="stable"), axis=1)
        bounds[0, row] = (within[:, None, :] < within[:, :, None]).sum(axis=2)
        bounds[1, row] = (within[:, None, :] <= within[:, :, None]).sum(axis=2)
    #: Where each hole is among those with its first card, and with its second.
    place = [(with_card[card] == np.arange(count)[:, None]).argmax(axis=1) for card in own.T]
    first, second = ((bounds[0][:, card, at], bounds[1][:, card, at]) for card, at in zip(own.T, place, strict=True))
    return Ranked(own, order, weaker, not_stronger, card_order, (first, second))


class Showdowns:
    """The holes of both seats on some boards that begin with the same cards.

    Weights are arrays of shape (points, boards, holes), 0 for holes that hold a card of the board.

    Args:
        holes: The numbers of the holes.
        boards: The boards, of five cards each; None if cards are still to come, so there are no showdowns.
        arrays: The library of the arrays: numpy, or one like it.
    """

    def __init__(self, holes: Ints, boards: Ints | None, arrays: Any) -> None:
        self._arrays = arrays
        cards = hole_cards()[holes]
        live = np.unique(cards)
        place = np.full(52, -1)
        place[live] = np.arange(len(live))
        own = place[cards]
        #: For every card the holes that it is in.
        with_card = np.stack([np.flatnonzero((own == card).any(axis=1)) for card in range(len(live))])
        self._with_card = arrays.asarray(with_card)
        self._first, self._second = arrays.asarray(own[:, 0]), arrays.asarray(own[:, 1])
        if boards is not None:
            self._keep(_ranked(hole_strengths(holes, boards).T, own, with_card))

    def _keep(self, ranked: Ranked) -> None:
        """Keep the places that showdowns need, as places in all boards together."""
        rows, count = ranked.order.shape
        cards, per_card = ranked.card_order.shape[1:]
        self._order = self._flat(ranked.order, count)
        self._weaker, self._not_stronger = self._starts(ranked.weaker), self._starts(ranked.not_stronger)
        self._card_order = self._flat(ranked.card_order.reshape(rows, -1), count)
        starts = (np.arange(rows)[:, None] * cards) * (per_card + 1)
        self._card_bounds = [
            self._arrays.asarray((bounds + starts + own * (per_card + 1)).ravel())
            for own, both in zip(ranked.own.T, ranked.card_bounds, strict=True)
            for bounds in both
        ]
        self._rows, self._cards, self._per_card = rows, cards, per_card

    def _flat(self, places: Ints, count: int) -> Array:
        """Return places in rows as places in all rows together."""
        found: Array = self._arrays.asarray((places + count * np.arange(len(places))[:, None]).ravel())
        return found

    def _starts(self, counts: Ints) -> Array:
        """Return places in running sums, which have one number more than there are holes."""
        return self._flat(counts, counts.shape[1] + 1)

    def won_by_folds(self, weights: Array) -> Array:
        """Return for each hole the weight of all holes that share no card with it."""
        arrays = self._arrays
        by_card = _total(arrays, arrays.take(weights, self._with_card, axis=-1))
        whole = _total(arrays, weights)[..., None]
        found: Array = whole - arrays.take(by_card, self._first, axis=-1) - arrays.take(by_card, self._second, axis=-1)
        return found + weights

    def won_at_showdown(self, weights: Array) -> Array:
        """Return for each hole the weight of the holes that it beats less that of those that beat it."""
        arrays, points, shape = self._arrays, len(weights), weights.shape
        flat = weights.reshape(points, -1)
        sums = _running(arrays, arrays.take(flat, self._order, axis=1).reshape(shape))
        found = _between(arrays, sums, self._weaker, self._not_stronger).reshape(shape) - sums[..., -1:]
        by_card = arrays.take(flat, self._card_order, axis=1).reshape(points, self._rows, self._cards, self._per_card)
        sums = _running(arrays, by_card)
        whole = sums[..., -1]
        for at, own in ((0, self._first), (2, self._second)):
            won = _between(arrays, sums, *self._card_bounds[at : at + 2]).reshape(shape)
            found -= won - arrays.take(whole, own, axis=-1)
        return found


def _between(arrays: Any, sums: Array, low: Array, high: Array) -> Array:
    """Return the sum of what is below `low` and what is below `high`, for places in all running sums of a point."""
    flat = sums.reshape(len(sums), -1)
    found: Array = arrays.take(flat, low, axis=1) + arrays.take(flat, high, axis=1)
    return found


def _running(arrays: Any, amounts: Array) -> Array:
    """Return the running sums along the last axis, with a 0 first."""
    if hasattr(arrays, "running_sums"):
        own: Array = arrays.running_sums(amounts)
        return own
    found: Array = arrays.zeros((*amounts.shape[:-1], amounts.shape[-1] + 1), amounts.dtype)
    arrays.cumsum(amounts, axis=-1, out=found[..., 1:])
    return found


def _total(arrays: Any, amounts: Array) -> Array:
    """Return the sums along the last axis, added up in order."""
    found: Array = _running(arrays, amounts)[..., -1]
    return found
