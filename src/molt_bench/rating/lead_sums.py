"""The leads of many participants at once: the same sums as one by one, to the last bit.

The terms of a lead are those of two standings. So the sums of a thousand leads follow from a thousand sums, those of
every participant over all its pairs. Whatever could be rounded otherwise is left to be computed by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple

from molt_bench.lazy_import import lazy_import
from molt_bench.rating.exact_sums import Members, rounded_sums, sums_by_member
from molt_bench.rating.pair_sums import PairSums, Sum, freedom_terms, skewness_terms, widening

if TYPE_CHECKING:
    import numpy as np

    from molt_bench.poker.arrays import Flags, Floats, Ints
else:
    np = lazy_import("numpy")

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


def lead_sums(sums: PairSums, rows: Rows, leads: Leads, standings: Sequence[tuple[float, float]]) -> list[Sum | None]:
    """Return the sums of each lead; None where it has to be computed by itself.

    `standings` are the means of all participants, each with what is lost by rounding it.
    """
    counts, members = sums.counts, rows.members
    if counts.all():
        known = np.arange(len(leads.first))
    else:
        unplayed = members.sums((counts == 0).astype(float))
        known = np.flatnonzero((unplayed[leads.first] == 0) & (unplayed[leads.second] == 0))
    found: list[Sum | None] = [_NOTHING] * len(leads.first)
    if not len(known):
        return found
    leads = Leads(leads.first[known], leads.second[known], leads.pairs[known], leads.twice[known])
    variances, frees = sums.spreads()
    parts = rows.weight * rows.weight * variances
    if len(known) < len(found):
        parts, counts = np.where(counts > 0, parts, 0.0), np.maximum(counts, 1.0)
    parts /= counts
    # What the games of the two count for where they count twice: the weight is twice that of one standing.
    pairs = leads.pairs
    of_two = 4 * parts[pairs]
    wanted = [
        (parts, of_two),
        (freedom_terms(parts, frees), freedom_terms(of_two, frees[pairs])),
        (parts * counts, of_two * counts[pairs]),
    ]
    roots, roots_of_two = np.sqrt(parts / counts), np.sqrt(of_two / counts[pairs])
    for skews in sums.skews()[: sums.skewed + sums.cautious]:
        wanted.append((skewness_terms(parts, roots, skews), skewness_terms(of_two, roots_of_two, skews[pairs])))
    certain, means = _means(leads, standings)
    totals = [means]
    for terms, together in wanted:
        total, sure = _totals(rows, leads, terms, together)
        totals.append(total)
        certain &= sure
    totals += [np.zeros(len(known))] * (6 - len(totals))
    each_of = zip(known.tolist(), certain.tolist(), *(some.tolist() for some in totals), strict=True)
    for at, sure, mean, variance, freedom, unit, third, assumed in each_of:
        if sure and variance:
            found[at] = Sum(mean, variance, variance**2 / freedom, unit, *widening(third, assumed, variance))
        else:
            found[at] = None
    return found


def _totals(rows: Rows, leads: Leads, terms: Floats, of_two: Floats) -> tuple[Floats, Flags]:
    """Return the sum of the terms of each lead, and whether it is surely rounded right.

    `of_two` is the term of the games of the two, which takes the place of the two terms that it is in both standings.
    """
    sums = sums_by_member(terms, rows.members)
    apart = np.where(leads.twice, terms[leads.pairs], 0.0)
    high = sums.high[leads.first], sums.high[leads.second], -2 * apart, np.where(leads.twice, of_two, 0.0)
    return rounded_sums(high, sums.low[leads.first] + sums.low[leads.second], 2 * sums.error)


def _means(leads: Leads, standings: Sequence[tuple[float, float]]) -> tuple[Flags, Floats]:
    """Return whether each mean is surely rounded right, and the means: differences of standings."""
    high, low = np.array(standings).T
    rest = low[leads.first] - low[leads.second]
    most = float(np.abs(low).max(initial=0.0))
    total, sure = rounded_sums((high[leads.first], -high[leads.second]), rest, most * 2.0**-52)
    return sure, total
