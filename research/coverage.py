"""How often printed intervals hold what is true, in runs of a fixed length: the least covered number of each kind.

The number after ± allows for a look after every round, so in a run that is looked at once it covers more than it says.
One of the players may throw in a stack now and then, as in `boundary.py`, or margins are skewed. Every pairing plays as
many seed pairs of 100 hands as a column says. A row has the coverage of what is covered least: any lead of two
neighbours, what anybody wins from the field, or what anybody wins from another.

    python research/coverage.py > research/coverage.txt
"""

import argparse
from itertools import combinations
from typing import Any, Final

import numpy as np

from molt_bench.rating.boundary import Boundary
from molt_bench.rating.margins import MarginSums

COUNTS: Final = (4, 10, 20, 50, 100, 200)
HANDS, TIE = 100, 250.0
#: A standard deviation of a hand, and whether the last player throws in a stack once in so many hands.
SHAPES: Final = {
    "normal": (10_000.0, 0),
    "exponential": (10_000.0, 0),
    "all-in once in 50": (3_000.0, 50),
    "all-in once in 250": (3_000.0, 250),
    "all-in once in 1,000": (3_000.0, 1000),
}


def drawn(shape: str, dice: Any, size: tuple[int, int], thrower: float) -> Any:
    """Return margins of one who is as good as the other, less what the thrower throws in: -1, 0 or 1 of them."""
    deviation, every = SHAPES[shape]
    noise = dice.exponential(1, size) - 1 if shape == "exponential" else dice.normal(0, 1, size)
    thrown = dice.binomial(HANDS, 1 / every, size) * 100_000 / HANDS if every else 0.0
    return noise * deviation / HANDS**0.5 - thrower * thrown


def coverage(shape: str, players: int, count: int, runs: int) -> tuple[float, float, float]:
    """Return the coverage of the least covered lead, result and head-to-head."""
    dice = np.random.default_rng([*shape.encode(), players, count])
    sums, every = MarginSums(players, hands=HANDS, runs=runs), SHAPES[shape][1]
    last, cost = players - 1, 100_000 / every if every else 0.0
    first, second = np.triu_indices(players, 1)
    for one, two in combinations(range(players), 2):
        margins = drawn(shape, dice, (runs, count), float(one == last) - float(two == last))
        sums.add(np.full(runs, one), np.full(runs, two), margins)
    skill = np.where(np.arange(players) == last, -cost, 0.0)
    own = np.where(np.arange(players) == last, -cost, cost / (players - 1))
    boundary = Boundary(0.05, TIE, max(count, 4))
    found = []
    for known, true in (
        (sums.leads(first, second), skill[first] - skill[second]),
        (sums.results(), own),
        (sums.between(first, second), skill[first] - skill[second]),
    ):
        held = np.abs(known.mean - true) <= boundary.half_widths(known)
        found.append(float(held.mean(axis=0).min()))
    return found[0], found[1], found[2]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2000, help="runs of a cell (%(default)s)")
    runs = parser.parse_args().runs
    print(f"% of {runs:,} runs in which the interval holds what is true: lead/result/head-to-head, the least covered\n")
    print(f"{'seed pairs of every pairing':32}{''.join(f'{count:>18}' for count in COUNTS)}")
    least = 1.0
    for players in (2, 4):
        for shape in SHAPES:
            cells = [coverage(shape, players, count, runs) for count in COUNTS]
            least = min(least, *(min(cell) for cell in cells))
            row = "".join(f"{'/'.join(f'{100 * each:.1f}' for each in cell):>18}" for cell in cells)
            print(f"{f'{players} players, {shape}':32}{row}", flush=True)
    print(f"\nleast {100 * least:.1f}")


if __name__ == "__main__":
    main()
