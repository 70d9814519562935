"""The luck of the hole cards between two who treat them differently, by weights fitted to their earlier matches.

Over the two games of a seed each player holds both hands, so their luck cancels out between players who play alike. It
does not between one who goes all-in with any pair and one who waits for aces: such a deal is won big by the same player
in one of the games, and by nobody in the other. What a deal is worth to a pairing is learned from the matches it has
played, as a weight for each cell of a table: how strong the better hand is, and how strong the other.

    luck = weight * (2 * equity of the better hand - 1) * chips that both have, minus its mean over all deals

It has mean zero whatever the weights, as long as they are fixed before the cards are dealt: see
`molt_bench.luck.fitting`. The better one is the better starting hand, whoever holds it: the same in both games,
unless these have decks of their own.
"""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from math import fsum, sqrt
from struct import Struct
from typing import Final, NamedTuple

import numpy as np

from molt_bench.luck.cards.equity_vs_random import equities_vs_random
from molt_bench.poker.arrays import Floats, Ints
from molt_bench.poker.cards import Hole
from molt_bench.specs import Pair

#: Strengths at which a row, and a column, of the table begins.
CUTS: Final = (0.5, 0.7, 0.8, 0.85, 0.9, 0.95)
#: Cells: the other hand is never the better one.
CELLS: Final = (len(CUTS) + 1) * (len(CUTS) + 2) // 2
#: How far from 0 the weights are allowed to be: as if they had these standard deviations. The one that would have done
#: best so far is used, and no weights as long as none had been better.
SPREADS: Final = (0.1, 0.3)
#: From so many standard deviations on, a hand counts for less.
FAR: Final = 3.0
#: Decimals of a weight.
DIGITS: Final = 4

#: A deal: its cell, the chips that both have, and the edge of the better hand, from -1 to 1.
_DEAL: Final = Struct("=qdd")

# fmt: off
#: The mean of the edge over all deals, where those of other cells count as 0.
MEANS: Final = (
    0.04956103327413739, 0.05135114427716205, 0.0029961295460094427, 0.030307819017697052,
    0.006795775689734753, 0.0006042015669733547, 0.015646712180189586, 0.004293207196603523,
    0.0010592168758821172, 0.00019011419994014697, 0.016756446752093482, 0.005290371105326134,
    0.0015988916254776532, 0.0004316508723414872, 6.331519480719957e-05, 0.016320868138823812,
    0.005468268761049334, 0.0025709402120132926, 0.001203486370659623, 0.0009414376691796448,
    0.000294781919950026, 0.03000963039007489, 0.009414133034419262, 0.004355191938661959,
    0.0018923752637478644, 0.0018112522073218285, 0.0014826744111797632, 0.0009849923464768109,
)
# fmt: on


def packed_deal(holes: tuple[Hole, Hole], share: float, behind: int) -> bytes:
    """Pack a deal.

    Args:
        holes: Both hands.
        share: The equity of the first.
        behind: Chips that both seats have before the blinds.
    """
    first, second = equities_vs_random(holes, ())
    better, other = (first, second) if first >= second else (second, first)
    row, column = bisect_right(CUTS, better), bisect_right(CUTS, other)
    edge = 2 * share - 1 if first >= second else 1 - 2 * share
    return _DEAL.pack(row * (row + 1) // 2 + column, float(behind), edge)


@cache
def packed_cuts() -> bytes:
    """Return the cuts for the compiled kernel."""
    return array("d", CUTS).tobytes()


class Deals(NamedTuple):
    """Deals of hole cards.

    Attributes:
        cells: Their cells.
        behind: Chips that both seats have, in all games with this deal.
        parts: The same times the edge of the better hand.
    """

    cells: Ints
    behind: Floats
    parts: Floats

    @classmethod
    def read(cls, packed: bytes) -> "Deals":
        """Return the deals of a game."""
        found = np.frombuffer(packed, [("cell", "=i8"), ("behind", "=f8"), ("edge", "=f8")])
        return cls(found["cell"], found["behind"], found["behind"] * found["edge"])

    @classmethod
    def together(cls, seatings: Sequence[bytes]) -> "Deals":
        """Return the deals of a seed. Both games begin with the same one, but one of them may have ended earlier."""
        longest, *others = sorted(map(cls.read, seatings), key=lambda deals: -len(deals.cells))
        behind, parts = longest.behind.copy(), longest.parts.copy()
        for deals in others:
            behind[: len(deals.cells)] += deals.behind
            parts[: len(deals.cells)] += deals.parts
        return cls(longest.cells, behind, parts)


class _Sums(NamedTuple):
    """What a pairing has taught.

    Attributes:
        hands: How many there are, in both seatings.
        total: What they were worth.
        squares: The sum of its square.
        weight: The weights of the hands.
        weighed: What they were worth by those.
        cells: By cell and weight: the parts, their squares, and their products with what hands were worth.
    """

    hands: int
    total: float
    squares: float
    weight: float
    weighed: float
    cells: Floats

    @property
    def mean(self) -> float:
        """What a hand was worth."""
        return self.total / self.hands

    @property
    def variance(self) -> float:
        """How much hands vary; 0 if that is nothing but rounding."""
        variance = self.squares / self.hands - self.mean * self.mean
        return variance if variance > 1e-9 * self.squares else 0.0


class HoleFit:
    """What a run has learned about the luck of hole cards so far, by pairing.

    Attributes:
        means: Those of all deals; a benchmark that draws from a pool of deals sets those of the pool.
    """

    def __init__(self) -> None:
        self.means: Sequence[float] = MEANS
        self._sums: dict[Pair, _Sums] = {}
        #: By pairing, the weights by each spread.
        self._weights: dict[Pair, list[Floats]] = {}
        #: How far off hands were by no weights, and by each spread, in squares.
        self._off = [0.0] * (1 + len(SPREADS))

    def luck(self, pair: Pair, packed: bytes) -> float:
        """Return the luck of player A in the deals of a game, in chips."""
        if not self.knows(pair):
            return 0.0
        return fsum(self.by_hand(pair, Deals.read(packed)).tolist())

    def knows(self, pair: Pair) -> bool:
        """Return whether it has weights for a pairing, and weights have been better than none."""
        return pair in self._weights and min(self._off) < self._off[0]

    def by_hand(self, pair: Pair, deals: Deals) -> Floats:
        """Return the luck of player A in each deal of a pairing it knows."""
        return self._by_hand(self._weights[pair][self._off.index(min(self._off)) - 1], deals)

    def learn(self, pair: Pair, won: Sequence[float], seeds: Sequence[Sequence[bytes]]) -> None:
        """Learn from a match.

        Args:
            pair: The players.
            won: What each hand was worth to player A in both seatings, seed after seed.
            seeds: The deals of the games of each seed.
        """
        columns = zip(*map(Deals.together, seeds), strict=True)
        self.learn_from(pair, np.array(won), Deals(*[np.concatenate(each) for each in columns]))

    def learn_from(self, pair: Pair, won: Floats, deals: Deals) -> None:
        """Learn from hands that are given as arrays."""
        own = self._sums.get(pair) or _Sums(0, 0.0, 0.0, 0.0, 0.0, np.zeros((3, CELLS)))
        total, squares = (start + fsum(each.tolist()) for start, each in ((own.total, won), (own.squares, won * won)))
        self._sums[pair] = own = own._replace(hands=own.hands + len(won), total=total, squares=squares)
        if not own.variance:
            return
        rest = won - own.mean
        weighed = np.minimum(1.0, FAR * sqrt(own.variance) / np.maximum(abs(rest), 1e-9)) / own.variance
        nothing = np.zeros(CELLS)
        for at, weights in enumerate([nothing, *self._weights.get(pair, [nothing] * len(SPREADS))]):
            off = rest - self._by_hand(weights, deals)
            self._off[at] += fsum((weighed * off * off).tolist())
        more = [np.bincount(deals.cells, weighed * deals.parts * each, CELLS) for each in (1.0, deals.parts, won)]
        self._sums[pair] = own = own._replace(
            weight=own.weight + fsum(weighed.tolist()),
            weighed=own.weighed + fsum((weighed * won).tolist()),
            cells=own.cells + more,
        )
        self._weights[pair] = [_solved(own, spread) for spread in SPREADS]

    def _by_hand(self, weights: Floats, deals: Deals) -> Floats:
        mean = fsum([weight * mean for weight, mean in zip(weights.tolist(), self.means, strict=True)])
        found: Floats = weights[deals.cells] * deals.parts - mean * deals.behind
        return found


def _solved(sums: _Sums, spread: float) -> Floats:
    """Return weights by least squares with a constant, held to 0 (ridge): short, since no deal is in two cells."""
    parts, squares, products = sums.cells
    held = squares + 1 / spread**2
    less, own = (fsum((parts * each / held).tolist()) for each in (products, parts))
    # With few hands and deep stacks, the cells leave nothing to the constant.
    constant = (sums.weighed - less) / max(sums.weight - own, 1e-9 * sums.weight)
    found: Floats = ((products - constant * parts) / held).round(DIGITS)
    return found
