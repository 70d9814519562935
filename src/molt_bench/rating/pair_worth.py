"""What another seed pair of every two participants is worth to some leads, by how much it counts in each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum

import numpy as np

from molt_bench.rating.many_leads import Rows
from molt_bench.rating.pair_sums import PairSums
from molt_bench.specs import Pair


class PairWorth:
    """The sum over leads of the squared weight of each pair, over the variance that would decide the lead.

    Attributes:
        pairs: Every pair.
        index_of: The index of each.
        counts: Seed pairs of each so far.
        variances: The variance of one seed pair of each.
        near: The sums, which may differ from those of `exact` in their last digits.

    Args:
        pairs: Every pair.
        index_of: The index of each.
        sums: What is known of each.
        number_of: The number of every participant.
        rows: What their standings are made of.
        targets: The two of each lead, and the variance that would decide it.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        index_of: Mapping[Pair, int],
        sums: PairSums,
        number_of: Mapping[str, int],
        rows: Rows,
        targets: Sequence[tuple[Pair, float]],
    ) -> None:
        self.pairs, self.index_of = pairs, index_of
        self.counts, self.variances = sums.counts, sums.spreads()[0]
        self._members, self._weight = rows.members, rows.weight
        self._number_of = number_of
        self._targets: dict[str, list[tuple[Pair, float]]] = defaultdict(list)
        for pair, target in targets:
            for name in pair:
                self._targets[name].append((pair, target))
        size, squared = self._members.size, self._weight**2
        share = squared / np.array([target for _, target in targets])
        by_member = np.zeros(size + 1)
        for side in (0, 1):
            by_member += np.bincount(
                np.array([number_of[pair[side]] for pair, _ in targets], np.int64), share, size + 1
            )
        self.near = by_member[self._members.first] + by_member[self._members.second]
        own = np.array([index_of[pair if pair in index_of else pair[::-1]] for pair, _ in targets], np.int64)
        both = (self._members.first[own] != size) & (self._members.second[own] != size)
        np.add.at(self.near, own[both], 2 * share[both])  # twice the weight, and two of four squares are counted

    def exact(self, at: int, pair: Pair) -> float:
        """Return the sum of a pair, given its index."""
        found: list[tuple[Pair, float]] = []
        for members, name in zip(self._members[:2], pair if pair in self.index_of else pair[::-1], strict=True):
            if members[at] == self._number_of[name]:
                found += self._targets.get(name, ())
        # In the lead of one of the two over the other, their games may count for both.
        return fsum([(found.count(each) * self._weight) ** 2 / each[1] for each in dict.fromkeys(found)])
