"""The leads of many participants at once: the same sums as one by one, to the last bit.

The terms of a lead are those of two standings. So the sums of a thousand leads follow from a thousand sums, those of
every participant over all its pairs. Whatever could be rounded otherwise is left to be computed by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, inf
from typing import Final, NamedTuple

import numpy as np

from molt_bench.poker.arrays import Flags, Floats, Ints
from molt_bench.rating.exact_sums import Members, rounded_sums, sums_by_member
from molt_bench.rating.pair_sums import PairSums, Sum, freedom_terms, skewness_terms, widening

#: A lead that rests on a pair without seed pairs.
_NOTHING: Final = Sum(0.0, inf, 1.0, 0.0, 1.0, 1.0)


class Leads(NamedTuple):
    """Whose leads are wanted, by numbers.

    Attributes:
        first: The one that leads.
        second: The other one.
        pairs: The index of the pair of the two.
        twice: Whether the games of the two count for both of them.
    """

    first: Ints
    second: Ints
    pairs: Ints
    twice: Flags


class Rows(NamedTuple):
    """What every participant's standing is made of.

    Attributes:
        members: Whose standings each pair is a part of.
        weight: Of each pair in a standing.
    """

    members: Members
    weight: float


def lead_sums(sums: PairSums, rows: Rows, leads: Leads, standings: Sequence[tuple[float, ...]]) -> list[Sum | None]:
    """Return the sums of each lead; None where it has to be computed by itself.

    `standings` are the means of all participants, each as numbers whose sum is exactly that.
    """
    unplayed = np.flatnonzero(sums.counts == 0)
    known = np.arange(len(leads.first))
    if len(unplayed):
        apart = np.zeros(rows.members.size + 1, bool)
        apart[rows.members.first[unplayed]] = apart[rows.members.second[unplayed]] = True
        known = np.flatnonzero(~(apart[leads.first] | apart[leads.second]))
    found: list[Sum | None] = [_NOTHING] * len(leads.first)
    if not len(known):
        return found
    leads = Leads(leads.first[known], leads.second[known], leads.pairs[known], leads.twice[known])
    squared, kinds = rows.weight * rows.weight, 3 + sums.skewed + sums.cautious + sums.guarded
    by_member = sums_by_member(kinds, lambda some: _terms(sums, some, squared), rows.members)
    # The games of the two may count for both, with twice the weight of one: one term takes the place of two.
    apart = np.where(leads.twice, _terms(sums, leads.pairs, squared), 0.0)
    together = np.where(leads.twice, _terms(sums, leads.pairs, 4 * squared), 0.0)
    certain, totals = np.ones(len(known), bool), []
    for high, low, error, one, both in zip(*by_member, apart, together, strict=True):
        parts = high[leads.first], high[leads.second], -2 * one, both
        total, sure = rounded_sums(parts, low[leads.first] + low[leads.second], 2 * float(error))
        totals.append(total)
        certain &= sure
    guards = totals.pop() if sums.guarded else np.zeros(len(known))
    totals += [np.zeros(len(known))] * (5 - len(totals))
    each_of = zip(
        *(some.tolist() for some in (known, certain, leads.first, leads.second, *totals, guards)), strict=True
    )
    for at, sure, first, second, variance, freedom, unit, third, assumed, guard in each_of:
        if sure and variance:
            mean = fsum([*standings[first], *(-part for part in standings[second])])
            found[at] = Sum(mean, variance, variance**2 / freedom, unit, *widening(third, assumed, variance, guard))
        else:
            found[at] = None
    return found


def _terms(sums: PairSums, which: slice | Ints, squared: float) -> Floats:
    """Return the terms of some pairs in each sum of a lead, given their squared weight; 0 where two have not met."""
    variances, frees, guards = sums.spreads()
    counts = sums.counts[which]
    parts = squared * variances[which]
    if not counts.all():
        parts, counts = np.where(counts > 0, parts, 0.0), np.maximum(counts, 1.0)
    parts /= counts
    terms = [parts, freedom_terms(parts, frees[which]), parts * counts]
    if sums.skewed:
        roots = np.sqrt(parts / counts)
        terms += [skewness_terms(parts, roots, skews[which]) for skews in sums.skews()[: 1 + sums.cautious]]
    if sums.guarded:
        terms.append(np.where(sums.counts[which] > 0, squared * guards[which] / counts, 0.0))
    return np.stack(terms)
