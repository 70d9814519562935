"""Weights of luck that are fitted to a run while it is played: each match is corrected by those of the matches before.

The frozen weights are for players of all kinds. Those who meet in a run are of a few kinds, and weights that suit them
leave less luck in. Every term of luck has mean zero whatever its weight, if that is fixed before the cards are dealt
and the dice are thrown. What earlier matches were like is fixed by then, whenever the run looks at its results. Where a
deck has been seen before, in a run whose pairings share them, it is not: then the frozen weights are used.

Fitted is how far each weight is from the frozen one, by least squares over all pairings together (ridge regression):
with little data, hardly at all. The unit is a hand in both seatings, pairings count by how little they vary, and a
hand that is far off counts for less. All is plain arithmetic in a fixed order, so a replayed run finds the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import fsum, sqrt
from operator import mul
from typing import Final, NamedTuple, TypeAlias

from molt_bench.luck.chance import ChanceTerm
from molt_bench.luck.coefficients import SOLID
from molt_bench.luck.dice import FEATURES
from molt_bench.seeds import Seed
from molt_bench.specs import Pair

#: Buckets of a deal; and how many weights of cards there are, without the hole cards, which cancel out.
_BUCKETS: Final = len(SOLID.chance[0])
_CARDS: Final = _BUCKETS * (len(SOLID.chance) - 1)
#: How many weights there are.
SIZE: Final = _CARDS + FEATURES
#: How strongly a weight is held to the frozen one: as if its distance had a standard deviation of 1 / sqrt(20). The
#: ladders of docs/methods.md had been looked at when it was chosen.
HOLD: Final = 20.0
#: From so many standard deviations on, a hand counts for less.
FAR: Final = 3.0
#: Weights are fitted again when there are so many times the hands.
GROWTH: Final = 1.1
#: Decimals of a weight.
DIGITS: Final = 4

#: Terms of luck by the number of their weight, in chips of player A.
Parts: TypeAlias = tuple[tuple[int, float], ...]


class HandParts(NamedTuple):
    """What a hand was worth to player A by the frozen weights, and the terms whose weights can be others.

    Attributes:
        number: The hand's number in its game.
        won: Chips.
        parts: The terms.
    """

    number: int
    won: float
    parts: Parts


def card_parts(terms: Iterable[ChanceTerm], sign: int) -> dict[int, float]:
    """Return the terms of the cards of a hand, without the hole cards; `sign` is -1 if player A sat in seat 1."""
    return {
        _BUCKETS * (term.dealt - 1) + SOLID.bucket(term.behind, term.pot, raised=term.raised): sign
        * term.pot
        * term.change
        for term in terms
        if term.dealt
    }


def add_dice(parts: dict[int, float], features: Iterable[tuple[int, float]], player: int) -> None:
    """Add the terms of a decision of player A (0) or B (1)."""
    for at, part in features:
        parts[_CARDS + at] = parts.get(_CARDS + at, 0.0) + (part if player else -part)


#: A seed, and the hands of its two games.
SeedHands: TypeAlias = tuple[Seed, Sequence[Sequence[HandParts]]]


class Fit:
    """What a run has learned about the weights of its luck so far."""

    def __init__(self) -> None:
        #: Moments of the terms, lower triangle, and with what is to be explained.
        self._squares = [[0.0] * (at + 1) for at in range(SIZE)]
        self._mixed = [0.0] * SIZE
        #: By pairing: hands in both seatings, the sum of what they were worth, and of its square.
        self._sums: dict[Pair, tuple[int, float, float]] = {}
        self._seen: set[Seed] = set()
        self._hands = self._fitted = 0
        self._distances = [0.0] * SIZE

    def knows(self, seeds: Iterable[Seed]) -> bool:
        """Return whether it has learned from any of these decks."""
        return not self._seen.isdisjoint(seeds)

    def luck(self, hands: Iterable[HandParts]) -> float:
        """Return the luck of player A in the hands of a game, beyond that by the frozen weights, in chips."""
        weights = self._distances
        return fsum([weights[at] * part for hand in hands for at, part in hand.parts])

    def learn(self, pair: Pair, games: Sequence[SeedHands]) -> None:
        """Learn from a match."""
        self._seen.update(seed for seed, _ in games)
        both = [hand for _, seatings in games for hand in together(seatings)]
        if not any(parts for _, parts in both):
            return
        count, total, squares = self._sums.get(pair, (0, 0.0, 0.0))
        count += len(both)
        total += fsum([won for won, _ in both])
        squares += fsum([won * won for won, _ in both])
        self._sums[pair] = count, total, squares
        mean = total / count
        variance = squares / count - mean * mean
        if variance <= 1e-9 * squares:
            return
        far = FAR * sqrt(variance)
        for won, parts in both:
            self._add(won - mean, parts, min(1.0, far / max(abs(won - mean), 1e-9)) / variance)
        self._hands += len(both)
        if self._hands >= GROWTH * self._fitted:
            self._fitted = self._hands
            self._solve()

    def _add(self, rest: float, parts: Sequence[tuple[int, float]], weight: float) -> None:
        """Add a hand to the moments; its parts are in order."""
        for place, (at, part) in enumerate(parts):
            weighed, row = weight * part, self._squares[at]
            self._mixed[at] += weighed * rest
            for other, second in parts[: place + 1]:
                row[other] += weighed * second

    def _solve(self) -> None:
        used = [at for at in range(SIZE) if self._squares[at][at]]
        square = [[self._squares[at][other] for other in used[: place + 1]] for place, at in enumerate(used)]
        found = solved(square, [self._mixed[at] for at in used], HOLD)
        self._distances = [0.0] * SIZE
        for at, distance in zip(used, found, strict=True):
            self._distances[at] = round(distance, DIGITS)


def together(seatings: Sequence[Sequence[HandParts]]) -> list[tuple[float, list[tuple[int, float]]]]:
    """Return what each hand was worth in both seatings, and its terms in order of their weights."""
    won: dict[int, float] = defaultdict(float)
    parts: dict[int, dict[int, float]] = defaultdict(dict)
    for hands in seatings:
        for hand in hands:
            won[hand.number] += hand.won
            own = parts[hand.number]
            for at, part in hand.parts:
                own[at] = own.get(at, 0.0) + part
    return [(won[number], sorted(parts[number].items())) for number in sorted(won)]


def solved(square: Sequence[Sequence[float]], wanted: Sequence[float], hold: float) -> list[float]:
    """Solve (square + hold) x = wanted for a positive matrix given by its lower triangle (Cholesky).

    >>> [round(each, 9) for each in solved([[3.0], [1.0, 2.0]], [9.0, 5.0], 1.0)]
    [2.0, 1.0]
    """
    lower: list[list[float]] = []
    half: list[float] = []
    for place, row in enumerate(square):
        own: list[float] = []
        for at, above in enumerate(lower):
            own.append((row[at] - fsum(map(mul, own, above))) / above[at])
        own.append(sqrt(row[place] + hold - fsum([each * each for each in own])))
        lower.append(own)
        half.append((wanted[place] - fsum(map(mul, own, half))) / own[place])
    found = [0.0] * len(half)
    for place in range(len(half) - 1, -1, -1):
        rest = fsum([lower[later][place] * found[later] for later in range(place + 1, len(half))])
        found[place] = (half[place] - rest) / lower[place][place]
    return found
