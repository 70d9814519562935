"""The margin model: what each wins from each, by sums over seed pairs in one matrix for every two participants.

The unit is the seed pair: the two games of one seed with seats swapped, as one number, the mean margin per hand in
thousandths of a big blind. Of every two participants the model keeps how many seed pairs they have played, their mean,
and the sums of squares and cubes around it. Nothing is assumed to be transitive.

The field has a weight for each participant: equal ones, 0 for anchors, and in a gauntlet all of it for the yardstick. A
standing is what a participant wins from the field, in which a member breaks even with itself; a lead is the difference
of two standings. So the variance of all leads follows from sums over rows, and a round takes n^2 steps, not n^3.

Every array has the run as its first axis: a benchmark is one run, and research/boundary.py plays hundreds at once with
the same code.
"""

from typing import Final, NamedTuple

import numpy as np

from molt_bench.poker.arrays import Flags, Floats, Ints

#: Standard deviation of a hand assumed before there is data, with stacks of 100 big blinds or more.
SD_PER_HAND: Final = 10_000.0
#: What has not happened yet is allowed for by the hand, so that the length of games does not matter. The variance of
#: other pairings counts as so many hands of a pairing's own.
PRIOR_HANDS: Final = 100.0
#: Every agent may throw in a stack once in all its hands: this many standard deviations of a hand at once.
THROWN: Final = 12.0
#: And each participant is taken to have shown this squared skewness of a hand, for so many hands.
UNSEEN_SKEWNESS: Final = 150.0
UNSEEN_HANDS: Final = 1000.0
#: How much wider an error is for each unit of the squared skewness of a mean, on the side of its longer tail alone. The
#: second-order term of the tail is about 4 at 2.8 standard errors (Hall 1992, section 2.6); skewness is known badly
#: where it matters, so it counts for more.
SKEW: Final = 24.0
#: The least share of its squares that a variance may be: below, it is rounding.
_ROUNDING: Final = 1e-12
#: What the first seed pairs of two take off a variance that is not known before: more than any others.
_FIRST: Final = 1e30


class Known(NamedTuple):
    """What is known of some numbers, in thousandths of a big blind per hand; the last axis has one of each.

    Attributes:
        mean: Their estimates.
        down: How far the truth may lie below, in the place of a standard error: wider where losses are rare, since
            then they are too few in most samples, and for what has not been seen yet; infinite where an opponent has
            not been met.
        up: How far it may lie above: wider where gains are rare.
        free: Degrees of freedom of the errors.
        unit: The standard errors that one seed pair of every pairing would give.
        pairings: How many pairings of equal weight would average out as much.
    """

    mean: Floats
    down: Floats
    up: Floats
    free: Floats
    unit: Floats
    pairings: Floats

    @property
    def error(self) -> Floats:
        """The larger of both errors."""
        found: Floats = np.maximum(self.down, self.up)
        return found


class _Thirds(NamedTuple):
    """Third moments as large as one has to fear: of rare gains, and of rare losses."""

    gains: Floats
    losses: Floats


class _Rows(NamedTuple):
    """Sums over the field of what a standing is made of, each term with a power of its weight."""

    standing: Floats
    variance: Floats
    unit: Floats
    thirds: _Thirds
    fourth: Floats
    unmet: Flags


class MarginSums:
    """Sums of the margins of every two participants, in one run or many, and what follows from them.

    Attributes:
        field: Share of each participant in the result of every other one.

    Args:
        size: How many participants there are.
        hands: Hands of a seed pair.
        sd_per_hand: Standard deviation of a hand assumed before there is data.
        runs: How many runs.
    """

    def __init__(self, size: int, *, hands: float, sd_per_hand: float = SD_PER_HAND, runs: int = 1) -> None:
        self.count, self.mean, self.squares, self.cubes = (np.zeros((runs, size, size)) for _ in range(4))
        self.field: Floats = np.full(size, 1.0 / size)
        self._hands, self._guess, self._thrown = hands, sd_per_hand**2 / hands, THROWN * sd_per_hand / hands
        # What follows for every two: the variance of a seed pair and of the mean, their degrees of freedom, and how
        # large the third moment of the mean may be, if the first gains much rarely.
        self._each, self._of_mean, self._free, self._gains = (np.zeros((runs, size, size)) for _ in range(4))
        #: Of each participant: seed pairs, degrees of freedom, squares, and squared skewness times seed pairs, first
        #: where gains are rare, then where losses are.
        self._own: Floats = np.zeros((5, runs, size))
        #: Rows that have changed since all this was worked out.
        self._changed: list[tuple[Ints, Ints]] = [(np.repeat(np.arange(runs), size), np.tile(np.arange(size), runs))]
        self._rows: _Rows | None = None

    def set_field(self, weights: Floats) -> None:
        """Set how much each participant counts in the field; equally if none does."""
        total = weights.sum()
        self.field = weights / total if total else np.full(len(weights), 1.0 / len(weights))
        self._rows = None

    def add(self, first: Ints, second: Ints, margins: Floats, runs: Ints | None = None) -> None:
        """Add what the first won from the second in seed pairs: of every run one pairing, and a row of margins.

        `runs` are those that it is of, if not of all.
        """
        more = margins.shape[1]
        mean = margins.sum(1) / more
        distance = margins - mean[:, None]
        squares, cubes = (distance**2).sum(1), (distance * distance * distance).sum(1)
        run = np.arange(len(margins)) if runs is None else runs
        for one, two, sign in ((first, second, 1.0), (second, first, -1.0)):
            at = run, one, two
            own, step, before = self.count[at], sign * mean - self.mean[at], self.squares[at]
            both = own + more
            # Chan, Golub and LeVeque 1983; Pébay 2008 for the cubes.
            self.cubes[at] += sign * cubes + step * step * step * own * more * (own - more) / both**2
            self.cubes[at] += 3 * step * (own * squares - more * before) / both
            self.squares[at] += squares + step**2 * own * more / both
            self.mean[at] += step * more / both
            self.count[at] = both
            self._changed.append((run, one))
        self._rows = None

    def keep(self, which: Flags) -> None:
        """Go on with some of the runs."""
        self._refresh()
        for name in ("count", "mean", "squares", "cubes", "_each", "_of_mean", "_free", "_gains"):
            setattr(self, name, getattr(self, name)[which])
        self._own = self._own[:, which]
        self._rows = None

    def variances(self) -> Floats:
        """Return the variance of a seed pair of every two."""
        self._refresh()
        return self._each

    def _refresh(self) -> None:
        """Work out again what follows for the pairings of those who have played."""
        if not self._changed:
            return
        runs, rows = (np.concatenate(each) for each in zip(*self._changed, strict=True))
        self._changed.clear()
        size = self.count.shape[1]
        runs, rows = np.divmod(np.unique(runs * size + rows), size)
        at = runs, rows
        count, squares = self.count[at], self.squares[at]
        free = np.maximum(count - 1, 0)
        varied = squares > _ROUNDING * count * self.mean[at] ** 2
        over = np.where(varied, squares, 1.0)
        seen = np.where(varied, (self.cubes[at] / over) ** 2 / over, 0.0) * count
        # Normal margins show some by chance, too, half of it on either side.
        chance = 3 * np.maximum(count - 2, 0) / ((count + 1) * (count + 3))
        rare = [np.where(side * self.cubes[at] > 0, seen, 0.0) - chance for side in (1, -1)]
        for own, sums in zip(self._own, (count, free, squares, *(each * count for each in rare)), strict=True):
            own[at] = sums.sum(1)
        # What one of two has shown against any opponent, whichever has shown more: squared skewness of a seed pair.
        played, unseen = self._own[0], UNSEEN_HANDS / self._hands
        gains, losses = (
            (np.maximum(skews, 0) + unseen * UNSEEN_SKEWNESS / self._hands) / (played + unseen)
            for skews in self._own[3:]
        )
        # A pairing's variance is shrunk towards that of other pairings of the two, whichever is larger.
        all_free, all_squares = self._own[1], self._own[2]
        others = np.maximum(
            *((all_squares[end] - squares + self._guess) / (all_free[end] - free + 1) for end in _ends(at))
        )
        prior = PRIOR_HANDS / self._hands
        each = (prior * others + squares) / (prior + free)
        met = np.maximum(count, 1.0)
        mean = np.where(count > 0, each / met, 0.0)
        for whole, part in zip((self._each, self._of_mean, self._free), (each, mean, prior + free), strict=True):
            whole[runs, rows, :] = part
            whole[runs, :, rows] = part
        root, (one, two) = np.sqrt(mean / met) * mean, _ends(at)
        self._gains[runs, rows, :] = np.sqrt(np.maximum(gains[one], losses[two])) * root
        self._gains[runs, :, rows] = np.sqrt(np.maximum(losses[one], gains[two])) * root

    def _sums(self) -> _Rows:
        if self._rows is None:
            self._refresh()
            share, square, cube = (self.field**power for power in (1, 2, 3))
            # Of those without weight nothing is added up: most of a gauntlet.
            some = np.flatnonzero(share)
            few = slice(None) if len(some) == len(share) else some
            share, square, cube = share[few], square[few], cube[few]
            mean, free = self._of_mean[:, :, few], self._free[:, :, few]
            unit, unmet = self._each[:, :, few] * square, self.count[:, :, few] == 0
            oneself = some, np.arange(len(some))
            unit[:, *oneself] = 0.0
            unmet[:, *oneself] = False
            mean_square = mean * square
            self._rows = _Rows(
                (share * self.mean[:, :, few]).sum(2),
                mean_square.sum(2),
                unit.sum(2),
                _Thirds((cube * self._gains[:, :, few]).sum(2), (cube[:, None] * self._gains[:, few]).sum(1)),
                (mean_square * mean_square / free).sum(2),
                unmet.any(2),
            )
        return self._rows

    def standings(self) -> Floats:
        """Return what each wins from the field, in which a member breaks even with itself."""
        return self._sums().standing

    def leads(self, above: Ints, below: Ints) -> Known:
        """Return how much more some win from the field than others: the same of every run, or in every run a row."""
        rows, run = self._sums(), np.arange(len(self.count))[:, None]
        one, two, own = (run, above), (run, below), (run, above, below)
        share, other = self.field[above], self.field[below]

        def together(sums: Floats, between: Floats, power: int) -> Floats:
            """Return the sum over the pairings of either; their own counts with both shares at once."""
            both = (share + other) ** power - share**power - other**power
            found: Floats = sums[one] + sums[two] + both * between
            return found

        mean = rows.standing[one] - rows.standing[two]
        variance = together(rows.variance, self._of_mean[own], 2)
        crossed = (share + other) ** 3 - share**3 - other**3
        gains, losses = rows.thirds
        thirds = _Thirds(
            gains[one] + losses[two] + crossed * self._gains[own],
            losses[one] + gains[two] + crossed * self._gains[run, below, above],
        )
        fourth = together(rows.fourth, self._of_mean[own] ** 2 / self._free[own], 4)
        unit = together(rows.unit, self._each[own], 2)
        ends = {power: 2 * (share**power + other**power) - (share + other) ** power for power in (2, 4)}
        pairings = _pairings(*(2 * (self.field**power).sum() - each for power, each in ends.items()))
        unmet, unseen = rows.unmet[one] | rows.unmet[two], self._unseen(self._own[0])
        known = _known(mean, variance, thirds, fourth, unit, unmet, pairings)
        return _allowing(known, unseen[one] + unseen[two])

    def results(self) -> Known:
        """Return what each wins from the rest of the field: the mean over its members but oneself."""
        rows = self._sums()
        rest = 1 - self.field
        up = 1 / np.where(rest > 0, rest, 1.0)
        known = _known(
            rows.standing * up,
            rows.variance * up**2,
            _Thirds(*(third * up**3 for third in rows.thirds)),
            rows.fourth * up**4,
            rows.unit * up**2,
            rows.unmet,
            _pairings(*((self.field**power).sum() - self.field**power for power in (2, 4))),
        )
        unseen = self._unseen(self._own[0])
        others = (unseen * self.field**2).sum(1, keepdims=True) - unseen * self.field**2
        return _allowing(known, unseen + others * up**2)

    def between(self, above: Ints, below: Ints) -> Known:
        """Return what some win from others in their own games alone: the same of every run, or in every run a row."""
        self._refresh()
        at = np.arange(len(self.count))[:, None], above, below
        variance, free, unmet = self._of_mean[at], self._free[at], self.count[at] == 0
        run, one, two = at
        thirds = _Thirds(self._gains[at], self._gains[run, two, one])
        known = _known(self.mean[at], variance, thirds, variance**2 / free, self._each[at], unmet, np.ones(()))
        unseen = self._unseen(self._own[0])
        return _allowing(known, unseen[run, one] + unseen[run, two])

    def _unseen(self, count: Floats) -> Floats:
        """Return the square of what a stack thrown in once in so many seed pairs would take off a mean."""
        found: Floats = (self._thrown / np.maximum(count, 1.0)) ** 2
        return found

    def saved(self, above: Ints, below: Ints, worth: Floats, more: int) -> Floats:
        """Return what the next `more` seed pairs of every two would take off the variance of some leads.

        `worth` is what a unit of the variance of each lead is worth.
        """
        runs, size = self.count.shape[:2]
        run, square = np.arange(runs)[:, None], self.field**2
        own, both = np.zeros((runs, size)), np.zeros((runs, size, size))
        np.add.at(own, (run, above), worth)
        np.add.at(own, (run, below), worth)
        both[run, above, below] = both[run, below, above] = 2 * worth * self.field[above] * self.field[below]
        both += own[:, :, None] * square
        both += own[:, None, :] * square[:, None]
        met = np.maximum(self.count, 1.0)
        less = more / (met * (met + more)) * self.variances()
        less[self.count == 0] = _FIRST
        both *= less
        return both


def _ends(at: tuple[Ints, Ints]) -> tuple[tuple[Ints, Ints], tuple[Ints, slice]]:
    """Return where the two of every pairing of some rows are among all participants."""
    runs, rows = at
    return (runs[:, None], rows[:, None]), (runs, slice(None))


def _pairings(squares: Floats, fourths: Floats) -> Floats:
    """Return how many equal weights would average out as much, given sums of powers of weights; 1 without any."""
    return np.where(fourths > 0, squares**2 / np.where(fourths > 0, fourths, 1.0), 1.0)


def _known(
    mean: Floats, variance: Floats, thirds: _Thirds, fourth: Floats, unit: Floats, unmet: Flags, pairings: Floats
) -> Known:
    """Return what sums over pairings amount to."""
    over = np.where(variance > 0, variance, 1.0)
    free = np.where(fourth > 0, over**2 / np.where(fourth > 0, fourth, 1.0), 1e9)
    error = np.where(unmet, np.inf, np.sqrt(variance))
    down, up = (error * _wider((third / over) ** 2 / over) for third in (thirds.losses, thirds.gains))
    return Known(mean, down, up, free, np.sqrt(unit), np.broadcast_to(np.maximum(pairings, 1), mean.shape))


def _allowing(known: Known, unseen: Floats) -> Known:
    """Return the same with as much more variance, but of what is certain."""
    down, up = (np.sqrt(error**2 + np.where(error > 0, unseen, 0.0)) for error in (known.down, known.up))
    return known._replace(down=down, up=up)


def _wider(skewness: Floats) -> Floats:
    """Return by what factor an error is wider on the side of this squared skewness of a mean."""
    more = SKEW * skewness
    return 1 + more / (1 + more / 2)
