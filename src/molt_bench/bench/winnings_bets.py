"""Bets that results without luck differ from the chips, on one pairing or on all pairings of a participant.

The test is a bet (Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting"). Somebody
who believes that the difference is above 0 stakes a share of their money on the next seed pair, and wins or loses in
proportion to it; somebody else stakes on the other side. If the mean is 0, no such bet makes money on average, whatever
the shape of the differences: few and large losses may stand beside many small gains, as they do where one player
shoves. So the odds that the money is ever `n` times what it was are 1 in n, however often one looks (Ville). Normal
theory would be wrong here by far: among our own bots, differences lie up to 30 standard deviations away.

A stake may not be more than can be lost. A hand can lose twice the stack, and many hands that much by the root of their
number: the stake is measured by both, the second by what was seen before. Ten bets share the money, large and small,
for and against. The bets on a participant are those on its pairings, one after another. A loss beyond the stake costs
no more than all the money, which favours the bet; it is rare, and the bound on false alarms has room for it.
"""

from collections.abc import Iterable, Sequence
from math import copysign, exp, fsum, log, sqrt
from statistics import NormalDist
from typing import Final

from molt_bench.rating.student import student_cdf

#: Shares of the money that are staked, for the first of a pair; as many bets are against it.
_SHARES: Final = (1.0, 0.5, 0.25, 0.125, 0.0625)
_STAKES: Final = (*_SHARES, *(-share for share in _SHARES))
#: What a bet of all money can lose without ruin: so many stacks, and so many standard deviations of a seed pair.
_STACKS, _DEVIATIONS = 1.5, 1.5
#: The standard deviation of a hand, in stacks, before anything is known: no two of our bots exceed 0.53.
_GUESS: Final = 0.5
#: What a ruined bet keeps, so that it has a logarithm.
_RUIN: Final = 1e-9
#: The least share that a normal score is worked out for.
_LEAST: Final = 1e-15
_NORMAL: Final = NormalDist()


class PairBets:
    """The bets on the differences of one pairing by one estimator, in stacks per seed pair."""

    __slots__ = ("count", "logs", "mean", "score", "squares")

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        #: Sum of squares around the mean.
        self.squares = 0.0
        #: What a normal z as unlikely as this one would be: that of two seed pairs may be in the hundreds.
        self.score = 0.0
        #: The logarithm of the money of each bet.
        self.logs = [0.0] * len(_STAKES)

    def take(self, differences: Iterable[float], hands: int) -> None:
        """Bet on seed pairs of so many hands, one after another; each stake depends on those before alone."""
        logs = self.logs
        for difference in differences:
            spread = sqrt((self.squares + _GUESS * _GUESS * hands) / (self.count + 1))
            part = difference / (_STACKS + _DEVIATIONS * spread)
            for at, stake in enumerate(_STAKES):
                logs[at] += log(max(1 + stake * part, _RUIN))
            self.count += 1
            step = difference - self.mean
            self.mean += step / self.count
            self.squares += step * (difference - self.mean)
        self.score = _normal_score(self.z, self.count - 1)

    @property
    def evidence(self) -> float:
        """The logarithm of the money of all bets."""
        return _money(self.logs)

    @property
    def z(self) -> float:
        """The mean over its standard error; 0 where nothing varies."""
        if self.count < 2 or self.squares <= 0:
            return 0.0
        return self.mean / sqrt(self.squares / (self.count - 1) / self.count)


class SideBets:
    """What the pairings of a participant say together, seen from its side."""

    __slots__ = ("count", "logs", "pairings", "scores", "total")

    def __init__(self) -> None:
        self.count = 0
        self.pairings = 0
        #: The sum of all differences.
        self.total = 0.0
        #: The sum of every normal score times the root of its seed pairs.
        self.scores = 0.0
        #: The logarithm of the money of bets on one pairing after another.
        self.logs = [0.0] * len(_STAKES)

    def change(self, bets: PairBets, side: int, times: int) -> None:
        """Add a pairing, or take it away if `times` is -1; `side` is -1 for its second participant."""
        self.count += times * bets.count
        self.pairings += times
        self.total += times * side * bets.mean * bets.count
        self.scores += times * side * bets.score * sqrt(bets.count)
        logs = bets.logs if side > 0 else _other_side(bets.logs)
        self.logs = [one + times * more for one, more in zip(self.logs, logs, strict=True)]

    @property
    def mean(self) -> float:
        """The mean over all seed pairs."""
        return self.total / max(1, self.count)

    @property
    def z(self) -> float:
        """The normal scores of all pairings together, weighted by the root of their seed pairs (Stouffer)."""
        return self.scores / sqrt(self.count) if self.count else 0.0

    @property
    def evidence(self) -> float:
        """The logarithm of the money of the bets."""
        return _money(self.logs)


def _normal_score(z: float, free: int) -> float:
    """Return the normal z that is as unlikely as a z with so many degrees of freedom."""
    if z == 0 or free < 1:
        return 0.0
    return copysign(_NORMAL.inv_cdf(max(student_cdf(-abs(z), free), _LEAST)), z)


def _other_side(logs: Sequence[float]) -> list[float]:
    """Return the money of the bets as the second of a pair sees it."""
    return [*logs[len(_SHARES) :], *logs[: len(_SHARES)]]


def _money(logs: Sequence[float]) -> float:
    """Return the logarithm of the mean of what the bets have, by their logarithms."""
    most = max(logs)
    return most + log(fsum([exp(each - most) for each in logs]) / len(logs))
