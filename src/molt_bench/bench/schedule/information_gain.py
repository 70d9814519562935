"""The matchmaker `information_gain`: pairs whose next match tells most about undecided neighbours, for its cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from math import fsum, inf
from typing import Final, TypeAlias

import numpy as np

from molt_bench.bench.schedule.situation import Contrast, LaterMapping, Situation
from molt_bench.poker.arrays import Floats, Ints
from molt_bench.rating.pair_worth import PairWorth
from molt_bench.specs import Pair

#: Returns whether there are cards left for a pair; None if there always are.
Allowed: TypeAlias = Callable[[Pair], bool] | None
#: Gains closer than this share are worked out to the last digit.
_CLOSE: Final = 1e-12


def information_gain(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer pairs whose next match brings undecided neighbours closest to a decision, relative to its cost.

    The gain is the variance of their leads that one more match removes, in units of the variance that would
    decide each. A pair that says nothing about them has no gain.
    """
    return [pairs[at] for *_, at in sorted(_by_gain(situation, pairs))]


def most_gain(situation: Situation, pairs: Sequence[Pair]) -> Pair:
    """Return the first of these pairs by `information_gain`, without sorting the others."""
    return pairs[min(_by_gain(situation, pairs))[2]]


def _by_gain(situation: Situation, pairs: Sequence[Pair]) -> Iterable[tuple[float, int, int]]:
    """Return what pairs are sorted by: minus the gain of the next match, how often they have met, and their index."""
    more, useful = situation.seeds_per_match, _per_variance(situation.contrasts)
    met = list(map(situation.meetings.__getitem__, pairs))
    each = np.array([useful.get(pair, 0.0) for pair in pairs])
    spread = situation.variance.known if isinstance(situation.variance, LaterMapping) else situation.variance
    variance = np.array([spread.get(pair, 1.0) for pair in pairs])
    played = more * np.array(met, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        saved = np.where(played > 0, variance / played - variance / (played + more), inf)
        gain = each * saved
    if situation.cost:
        gain /= np.array([situation.cost.get(pair, 1.0) for pair in pairs])
    return zip(np.where(each != 0, -gain, 0.0).tolist(), met, range(len(pairs)), strict=True)


def _per_variance(contrasts: Sequence[Contrast]) -> dict[Pair, float]:
    """Return for each pair the sum over contrasts of its squared weight, in units of the variance that decides each."""
    shares: dict[Pair, list[float]] = defaultdict(list)
    for contrast in contrasts:
        for pair, weight in contrast.weights.items():
            shares[pair].append(weight**2 / contrast.target)
    return {pair: fsum(each) for pair, each in shares.items()}


def most_gain_of_all(
    situation: Situation, worth: PairWorth, *, chosen: Collection[Pair], recent: Collection[Pair], allowed: Allowed
) -> Pair | None:
    """Return the pair with most gain of all that are allowed and not chosen; None if there is none.

    Pairs that have not met often enough come first, and recent ones last, as with every matchmaker.
    """
    pairs, more, played = worth.pairs, situation.seeds_per_match, worth.counts
    gone = [worth.index_of[pair] for pair in chosen]
    if allowed is not None:
        gone += [at for at, pair in enumerate(pairs) if pair not in chosen and not allowed(pair)]
    if len(situation.meetings) < len(pairs):  # somebody has left the run
        gone += [at for at, pair in enumerate(pairs) if pair not in situation.meetings]
    if len({*gone}) == len(pairs):
        return None
    gain = _near_gain(situation, worth)
    gain[gone] = -1.0
    least = played[gain >= 0].min()
    if least < more * situation.min_meetings:
        gain[played != least] = -1.0
    else:
        lately = [worth.index_of[pair] for pair in recent]
        before, gain[lately] = gain[lately], -1.0
        if gain.max() < 0:
            gain[lately] = before
    most = gain.max()
    found = np.flatnonzero(gain >= most * (1 - _CLOSE))
    exact = np.zeros(len(found))
    if most > 0:
        exact = np.array([worth.exact(at, pairs[at]) for at in found.tolist()]) * _saved(worth, found, more)
        exact /= _cost(situation, [pairs[at] for at in found.tolist()])
    return pairs[min(zip((-exact).tolist(), played[found].tolist(), found.tolist(), strict=True))[2]]


def _near_gain(situation: Situation, worth: PairWorth) -> Floats:
    """Return the gain of every pair, which may be off in its last digits."""
    saved = _saved(worth, slice(None), situation.seeds_per_match)
    saved[worth.near == 0] = 0.0  # it may be endless, and is worth nothing
    gain: Floats = worth.near * saved
    if situation.cost:
        gain /= _cost(situation, worth.pairs)
    return gain


def _saved(worth: PairWorth, which: Ints | slice, more: int) -> Floats:
    """Return how much of the variance of pairs their next match removes."""
    played, spread = worth.counts[which], worth.variances[which]
    with np.errstate(divide="ignore", invalid="ignore"):
        saved = spread / played - spread / (played + more)
    saved[played == 0] = inf
    return saved


def _cost(situation: Situation, pairs: Sequence[Pair]) -> Floats:
    return np.array([situation.cost.get(pair, 1.0) for pair in pairs])
