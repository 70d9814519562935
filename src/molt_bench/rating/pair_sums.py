"""What is known of every pair of participants: its seed pairs, their sums as arrays, and weighted sums over pairs.

Where seed pairs are skewed, as by rare all-ins, a t interval is too short, whatever its degrees of freedom: to second
order in 1/n its half-width lacks `SKEW` times the squared skewness over n (Hall 1992, section 2.6). And while what is
rare has not happened yet, a pair seems to vary less than it does; so the variance of the others counts as so many more
seed pairs beside its own. What a pair has not shown its players may have shown against others: its skewness is that of
all seed pairs of one of the two, whichever is more, less what normal margins show by chance.

Before anybody's big wins have shown, that is too little: then intervals miss the mean by what is still to come. So if
they are `guarded`, the variance of the others counts for more where it is more than a pair's own: as three times the
squared skewness that has shown, or that verdicts assume. A pair that varies more than the others keeps what it has
shown.

Verdicts need more than that. They are claimed where an interval is three standard errors wide, where skewness matters
four times as much, and a run looks often enough to meet the moment at which the big loss is still to come. So for
verdicts everybody counts as skewed until its own seed pairs say otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from typing import Final, NamedTuple

import msgspec
import numpy as np

from molt_bench.poker.arrays import Floats, Ints
from molt_bench.rating.exact_sums import ExactSum, blocks
from molt_bench.rating.shrinkage import LogVariances

#: The variance of all pairs counts as this many seed pairs at most beside a pair's own.
PRIOR_WEIGHT: Final = 2.0
#: How much a squared skewness, over the number of seed pairs, adds to the standard error: at 95%, where z = 1.96, it is
#: (z^4 + 2 z^2 - 3) / 18.
SKEW: Final = 1.08
#: In guarded intervals, the variance of the others counts as so many more seed pairs for each unit of squared skewness.
_GUARD: Final = 3.0
#: If more have played since, or there are fewer pairs, all are looked at together.
_MOST_BEHIND, _FEW = 8, 4096
#: The same at the bars of verdicts, where z is 2.9 to 3.2, and the factor has the form 1 + a s / (1 + a s / 2): that is
#: what exponential margins need there after 4 to 80 seed pairs, with s their squared skewness over that number.
_SKEW_AT_BAR: Final = 4.2
#: The squared skewness, for verdicts, of somebody without seed pairs, and how many seed pairs that counts as. It is
#: that of exponential margins.
_UNSEEN: Final = 4.0
UNSEEN_WEIGHT: Final = 40.0


def unseen_skewness(seed_pairs: float) -> float:
    """Return the squared skewness, for verdicts, of somebody whose seed pairs, so many, have shown none."""
    return UNSEEN_WEIGHT * _UNSEEN / (UNSEEN_WEIGHT + seed_pairs)


def widening_at_bar(skewness: float) -> float:
    """Return by what factor a squared skewness, over the number of seed pairs, widens standard errors for verdicts."""
    more = _SKEW_AT_BAR * skewness
    return 1 + more / (1 + more / 2)


class Sample(msgspec.Struct, frozen=True):
    """The seed pairs of two participants: margins, mean, and sums of squares and cubes around it."""

    margins: tuple[float, ...] = ()
    mean: float = 0.0
    squares: float = 0.0
    cubes: float = 0.0

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.margins)

    @property
    def free(self) -> int:
        """Degrees of freedom of the squares."""
        return max(0, len(self.margins) - 1)


class Terms(NamedTuple):
    """A weighted sum of margins: the indices of its pairs, their weights, and the squares of these."""

    indices: Ints
    weights: Floats
    squared: Floats


class Sum(NamedTuple):
    """What is known of a weighted sum of margins.

    Attributes:
        mean: Its estimate.
        variance: The variance of that.
        free: Degrees of freedom of the variance.
        unit: The variance that one seed pair of every pair would give.
        widening: By what factor skewness, and what has not shown yet, widen the standard error; at least 1.
        caution: By what factor it is wider still for verdicts; at least 1.
    """

    mean: float
    variance: float
    free: float
    unit: float
    widening: float
    caution: float


class Allowances(NamedTuple):
    """What intervals and verdicts allow for beside normal margins: all of it in a run, and one by one in tests.

    Attributes:
        skewed: Intervals allow for skewed margins; without it, nothing else counts.
        cautious: Verdicts also allow for skewness that has not shown yet.
        guarded: Intervals also allow for it.
    """

    skewed: bool = True
    cautious: bool = True
    guarded: bool = True


class PairSums:
    """Seed pairs, mean and sums of squares and cubes around it of every pair, by its index.

    Args:
        pairs: The two participants of every pair, by their numbers.
        first_guess: Variance of a seed pair assumed before there is data.
        allows: What intervals and verdicts allow for.
    """

    def __init__(self, pairs: Sequence[tuple[int, int]], first_guess: float, allows: Allowances) -> None:
        self.counts: Floats = np.zeros(len(pairs))
        self.means: Floats = np.zeros(len(pairs))
        self.ones, self.others = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
        self._participants = 1 + max(self.ones.max(initial=0), self.others.max(initial=0))
        self.skewed = allows.skewed
        self.cautious, self.guarded = allows.skewed and allows.cautious, allows.skewed and allows.guarded
        self._cubes: Floats = np.zeros(len(pairs))
        self._squares: Floats = np.zeros(len(pairs))
        #: Degrees of freedom of the squares, and the sums of both.
        self._free: Floats = np.zeros(len(pairs))
        self._all_free = 0
        self._all_squares = ExactSum()
        self._variances = LogVariances(len(pairs))
        self._first_guess = first_guess
        self._spreads: tuple[Floats, Floats, Floats] | None = None
        #: By participant, and by pair; both are behind for those who have played since.
        self._own_skews: Floats = np.zeros((2, self._participants))
        self._skews: Floats = np.zeros((2, len(pairs)))
        self._behind: set[int] = set()
        #: The pairs of every participant, one after another, and where those of each begin; made when first needed.
        self._by_one: tuple[Ints, Ints] | None = None

    def set(self, at: int, sample: Sample) -> None:
        """Replace what is known of a pair."""
        self._all_squares.replace(float(self._squares[at]), sample.squares)
        self._all_free += sample.free - int(self._free[at])
        self.counts[at], self.means[at] = sample.count, sample.mean
        self._squares[at], self._free[at], self._cubes[at] = sample.squares, sample.free, sample.cubes
        self._variances.set(at, sample.squares, sample.free)
        self._behind.update((int(self.ones[at]), int(self.others[at])))
        self._spreads = None

    def spreads(self) -> tuple[Floats, Floats, Floats]:
        """Return the variance of every pair, shrunk towards that of the others, its degrees of freedom, and its guard.

        The guard is the variance that intervals go by: the same or more. A pair's own seed pairs are excluded from the
        others, or they would count twice. The initial guess is all there is at first, and counts for less as data come
        in.
        """
        if self._spreads is None:
            total, all_free = self._all_squares.value, self._all_free
            guess_weight = 1 / (1 + all_free)
            prior = max(self._variances.prior_freedom(PRIOR_WEIGHT), guess_weight)
            skews, assumed = self.skews()
            variances, frees, guards = np.empty((3, len(self.counts)))
            for some in blocks(len(self.counts)):
                squares, free = self._squares[some], self._free[some]
                # Of all others: how much they vary, and how many seed pairs that counts as. No pair has more than all.
                weight = guess_weight + (all_free - free)
                variance = (guess_weight * self._first_guess + (total - squares)) / weight
                counted = np.minimum(prior, weight)
                believed = np.minimum(counted + skews[some] ** 2, weight) if self.skewed else counted
                variances[some] = guards[some] = (believed * variance + squares) / (believed + free)
                frees[some] = counted + free
                if self.guarded:
                    more = _GUARD * np.maximum(skews[some], assumed[some]) ** 2
                    believed = np.minimum(counted + np.where(variance * free > squares, more, 0.0), weight)
                    guards[some] = np.maximum(guards[some], (believed * variance + squares) / (believed + free))
            self._spreads = variances, frees, guards
        return self._spreads

    def skews(self) -> Floats:
        """Return the skewness of every pair: that of its more skewed participant, over all pairs of that one.

        The second row is that for verdicts, as if everybody had been seen to be skewed before.
        """
        behind = sorted(self._behind)
        self._behind.clear()
        if behind and (len(behind) > _MOST_BEHIND or len(self.counts) < _FEW):
            self._own_skews = self._skews_of(self.ones, self.others, slice(None), self._participants)
            self._skews = np.sqrt(np.maximum(self._own_skews[:, self.ones], self._own_skews[:, self.others]))
            return self._skews
        for name in behind:
            own = self._pairs_of(name)
            # The sums of one participant alone, added up in the same order as with all.
            first = (self.ones[own] != name).astype(np.int64)
            self._own_skews[:, name] = self._skews_of(first, 1 - first, own, 2)[:, 0]
        for name in behind:
            own = self._pairs_of(name)
            ends = self._own_skews[:, self.ones[own]], self._own_skews[:, self.others[own]]
            self._skews[:, own] = np.sqrt(np.maximum(*ends))
        return self._skews

    def _pairs_of(self, participant: int) -> Ints:
        if self._by_one is None:
            both = np.concatenate([self.ones, self.others])
            by_one: Ints = np.argsort(both, kind="stable")
            self._by_one = by_one, np.searchsorted(both[by_one], np.arange(self._participants + 1))
        order, starts = self._by_one
        found: Ints = np.sort(order[starts[participant] : starts[participant + 1]] % len(self.ones))
        return found

    def _skews_of(self, ones: Ints, others: Ints, which: Ints | slice, size: int) -> Floats:
        """Return the squared skewness of participants, shown and assumed, given who plays in some of the pairs."""
        counts, own_squares = self.counts[which], self._squares[which]
        known = (counts > 2) & (own_squares > 0)
        each = np.where(known, counts, 0.0)
        squares = np.where(known, own_squares, 1.0)
        seen = self._cubes[which] * self._cubes[which] * each / (squares * squares * squares)
        by_chance = 6 * (each - 2) / ((each + 1) * (each + 3))
        sums = [
            np.bincount(ends, weights, size) for weights in (each * (seen - by_chance), each) for ends in (ones, others)
        ]
        own, played = np.maximum(sums[0] + sums[1], 0.0), sums[2] + sums[3]
        shown = own / np.maximum(played, 1.0)
        return np.stack([shown, (own + UNSEEN_WEIGHT * _UNSEEN) / (played + UNSEEN_WEIGHT)])

    def weighted(self, terms: Terms) -> Sum | None:
        """Return what is known of a weighted sum; None if one of its pairs has no seed pairs.

        The freedom is by Welch and Satterthwaite.
        """
        indices = terms.indices
        counts = self.counts[indices]
        if not len(indices) or not counts.all():
            return None
        variances, frees, guards = self.spreads()
        parts = terms.squared * variances[indices] / counts
        guarded = fsum((terms.squared * guards[indices] / counts).tolist()) if self.guarded else 0.0
        total = fsum(parts.tolist())
        free = total**2 / fsum(freedom_terms(parts, frees[indices]).tolist())
        mean = fsum((terms.weights * self.means[indices]).tolist())
        thirds = (0.0, 0.0)
        if self.skewed and total:
            roots = np.sqrt(parts / counts)
            shown, assumed = (fsum(skewness_terms(parts, roots, skews[indices]).tolist()) for skews in self.skews())
            thirds = shown, assumed if self.cautious else 0.0
        return Sum(mean, total, free, fsum((parts * counts).tolist()), *widening(*thirds, total, guarded))


def freedom_terms(parts: Floats, frees: Floats) -> Floats:
    """Return the squares of the shares of a variance, over the degrees of freedom of each."""
    # As Python's `**` computes squares, which is not always the product: ratings stay the same to the last bit.
    found: Floats = np.float_power(parts, 2.0) / frees
    return found


def skewness_terms(parts: Floats, roots: Floats, skews: Floats) -> Floats:
    """Return the third moments of the shares of a variance, given the roots of these over the numbers of seed pairs.

    All pairs are taken to be skewed the same way.
    """
    found: Floats = skews * parts * roots
    return found


def widening(third: float, assumed: float, variance: float, guarded: float) -> tuple[float, float]:
    """Return by what factor the standard error of a sum is wider in intervals, and by what other one for verdicts.

    Args:
        third: The third moment of the sum.
        assumed: The third moment that verdicts take it to have; 0 if they are not cautious.
        variance: Of the sum.
        guarded: The variance that intervals go by, where it is more.
    """
    shown = 1 + SKEW * third**2 / variance**3 if third else 1.0
    shown *= sqrt(guarded / variance) if guarded > variance else 1.0
    return shown, max(1.0, widening_at_bar(assumed**2 / variance**3) / shown) if assumed else 1.0
