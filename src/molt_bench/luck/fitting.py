"""Weights of luck that are fitted to a run while it is played: each match is corrected by those of the matches before.

The frozen weights are for players of all kinds. Those who meet in a run are of a few kinds, and weights that suit them
leave less luck in. Every term of luck has mean zero whatever its weight, if that is fixed before the cards are dealt
and the dice are thrown. What earlier matches were like is fixed by then, whenever the run looks at its results: no deck
is dealt to two matches.

Fitted is how far each weight is from the frozen one, by least squares over all pairings together (ridge regression):
with little data, hardly at all. The unit is a hand in both seatings, or in one where the two have decks of their own;
pairings count by how little they vary, and a hand that is far off counts for less. All is plain arithmetic in a fixed
order, so a replayed run finds the same. What hole cards are worth to a pairing is fitted in the same way, but by its
own matches: `molt_bench.luck.cards.hole_cards`.
"""

from array import array
from collections.abc import Sequence
from math import fsum, sqrt
from operator import mul
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from molt_bench.kernels import compiled
from molt_bench.luck.cards.hole_cards import DIGITS, FAR, HoleFit
from molt_bench.luck.terms import SIZE, term_table
from molt_bench.poker.arrays import Floats
from molt_bench.specs import Pair

#: How strongly a weight is held to the frozen one: as if its distance had a standard deviation of 1 / sqrt(20). The
#: ladders of docs/why/evidence.md had been looked at when it was chosen.
HOLD: Final = 20.0
#: Weights are fitted again when there are so many times the hands.
GROWTH: Final = 1.1


class GameParts(NamedTuple):
    """What the hands of a game were worth to player A by the frozen weights, and the terms whose weights can be others.

    Attributes:
        numbers: The numbers of the hands.
        won: What each was worth, in chips.
        terms: Packed by `molt_bench.luck.terms`, in chips of player A; none where no dice are known, or where those of
            both players were looked ahead of.
        holes: The hole cards of each, packed by `molt_bench.luck.cards.hole_cards`.
    """

    numbers: tuple[int, ...]
    won: tuple[float, ...]
    terms: bytes
    holes: bytes

    def table(self) -> Floats:
        """Return the terms as a table: a row for each hand, a column for each weight."""
        return term_table(self.terms, len(self.numbers))


#: The hands of the two games of a seed; none where nothing can be learned from them.
SeedHands: TypeAlias = Sequence[GameParts]


class Fit:
    """What a run has learned about the weights of its luck so far."""

    def __init__(self) -> None:
        #: By term: its moments with what is to be explained, and with the terms up to it; None before the first.
        self._moments: Floats | None = None
        #: By pairing: hands in both seatings, the sum of what they were worth, and of its square.
        self._sums: dict[Pair, tuple[int, float, float]] = {}
        self._hands = self._fitted = 0
        self._distances = array("d", [0.0] * SIZE)
        self._holes = HoleFit()

    def luck(self, pair: Pair, game: GameParts) -> float:
        """Return the luck of player A in the hands of a game, beyond that by the frozen weights, in chips."""
        return self._luck_of_terms(game) + self._holes.luck(pair, game.holes)

    def _luck_of_terms(self, game: GameParts) -> float:
        if not self._fitted or not game.terms:
            return 0.0
        if compiled is not None:
            luck: float | None = compiled.weighed_terms(game.terms, len(game.numbers), self._distances)
            if luck is not None:
                return luck
        found = (game.table() * self._distances).ravel()
        return fsum(found[found != 0].tolist())

    def learn(self, pair: Pair, games: Sequence[SeedHands]) -> None:
        """Learn from a match."""
        both = [(won_together(seatings), seatings) for seatings in games if any(game.won for game in seatings)]
        hands = [each for won, _ in both for each in won]
        if hands:
            self._holes.learn(pair, hands, [[game.holes for game in seatings] for _, seatings in both])
        if not any(game.terms for _, seatings in both for game in seatings):
            return
        count, total, squares = self._sums.get(pair, (0, 0.0, 0.0))
        count += len(hands)
        total += fsum(hands)
        squares += fsum([won * won for won in hands])
        self._sums[pair] = count, total, squares
        mean = total / count
        variance = squares / count - mean * mean
        if variance <= 1e-9 * squares:
            return
        if self._moments is None:
            self._moments = np.zeros((SIZE, SIZE + 1))
        for won, seatings in both:
            _add_games(self._moments, won, seatings, mean=mean, variance=variance)
        self._hands += len(hands)
        if self._hands >= GROWTH * self._fitted:
            self._fitted = self._hands
            self._solve()

    def _solve(self) -> None:
        if self._moments is None:
            return
        if compiled is not None:
            weights: tuple[float, ...] | None = compiled.solved_moments(self._moments, SIZE, HOLD)
            if weights is not None:
                self._distances = array("d", [round(weight, DIGITS) for weight in weights])
                return
        used = np.flatnonzero(self._moments.diagonal(1))
        square = self._moments[np.ix_(used, 1 + used)]
        found = solved(square[np.tril_indices(len(used))].tolist(), self._moments[used, 0].tolist(), HOLD)
        self._distances = array("d", [0.0] * SIZE)
        for at, distance in zip(used.tolist(), found, strict=True):
            self._distances[at] = round(distance, DIGITS)


def _add_games(
    moments: Floats, won: Sequence[float], seatings: Sequence[GameParts], *, mean: float, variance: float
) -> None:
    """Add the hands of a seed to the moments, one after another.

    Args:
        moments: By term: its moments with what is to be explained, and with the terms up to it.
        won: What each hand was worth.
        seatings: The hands.
        mean: The part that the players explain.
        variance: How much hands of these players vary.
    """
    far = FAR * sqrt(variance)
    if compiled is not None and _alike(seatings):
        first, second = (game.terms for game in seatings)
        if compiled.learn_terms(moments, array("d", won), first, second, SIZE, mean, far, variance):
            return
    table = table_together(seatings)
    rest = [each - mean for each in won]
    weighed = np.array([min(1.0, far / max(abs(each), 1e-9)) / variance for each in rest])
    rows = np.column_stack([rest, table])
    for at in (1 + np.flatnonzero(table.any(axis=0))).tolist():
        own = np.flatnonzero(rows[:, at])
        terms = np.empty((len(own) + 1, at + 1))
        terms[0] = moments[at - 1, : at + 1]
        others = rows[own, : at + 1]
        np.multiply((weighed[own] * others[:, at])[:, None], others, out=terms[1:])
        # Added row by row in their order, which is fixed where the rows are not the inner dimension.
        moments[at - 1, : at + 1] = np.add.reduce(terms, axis=0)


def _alike(seatings: Sequence[GameParts]) -> bool:
    """Return whether the same hands were played in both seatings."""
    return len(seatings) == 2 and seatings[0].numbers == seatings[1].numbers


def won_together(seatings: Sequence[GameParts]) -> list[float]:
    """Return what each hand was worth in both seatings, in order of their numbers."""
    won = dict.fromkeys(sorted({number for game in seatings for number in game.numbers}), 0.0)
    for game in seatings:
        for number, each in zip(game.numbers, game.won, strict=True):
            won[number] += each
    return [*won.values()]


def table_together(seatings: Sequence[GameParts]) -> Floats:
    """Return the table of the terms of the hands in both seatings, in order of their numbers."""
    numbers = sorted({number for game in seatings for number in game.numbers})
    row_of = {number: row for row, number in enumerate(numbers)}
    table = np.zeros((len(numbers), SIZE))
    for game in seatings:
        table[[row_of[number] for number in game.numbers]] += game.table()
    return table


def solved(triangle: Sequence[float], wanted: Sequence[float], hold: float) -> list[float]:
    """Solve (square + hold) x = wanted for a positive matrix given by its lower triangle, row by row (Cholesky).

    >>> [round(each, 9) for each in solved([3.0, 1.0, 2.0], [9.0, 5.0], 1.0)]
    [2.0, 1.0]
    """
    lower: list[list[float]] = []
    half: list[float] = []
    for place in range(len(wanted)):
        row = triangle[place * (place + 1) // 2 :]
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
