"""How often the boundary claims something wrong, by simulation: what its constants are calibrated with.

    python research/boundary.py > research/boundary.txt

Margins are drawn instead of played; sums, intervals and the choice of pairings are those of a run. Runs are simulated
hundreds at once, each until every two neighbours are ordered or tied. Two neighbours, the first two, are as far apart
as is worst: equal, or 1.07 tie margins. Counted are the runs that ever claim something wrong of these two: an order of
equals or the wrong way round, or a tie of those 1.07 tie margins apart. The others are three tie margins apart. A
column is the standard error of a pairing at the first look, in tie margins, which says how long a run is: at .5, a tie
is found at the first look; at 10, after a hundred times as many seed pairs.
"""

import argparse
from collections.abc import Callable
from functools import partial
from multiprocessing import Pool
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from molt_bench.rating.boundary import WIDE, Boundary
from molt_bench.rating.margins import Known, MarginSums

TIE, PER_HAND, FIRST = 250.0, 100, 4
WORST = {"equal": 0.0, "1.07 ties": 1.07}
#: A seed pair: normal, or exponential, so that the higher one wins much rarely, or loses much rarely.
SHAPES = ("normal", "rare wins", "rare losses")
RATIOS = (0.5, 1.0, 1.5, 2.0, 4.0, 10.0)
#: One hand in so many is a throw-in of so many big blinds, by the last of the players.
THROWN = ((250, 100), (250, 75), (350, 100))

Draw = Callable[[Any, Any, int], Any]
#: Called with the runs that go on, those above and below, and their verdicts: 1 ordered, 2 tied, 0 open.
Watch = Callable[[Any, Any, Any, Any], None]


def play(sums: MarginSums, draw: Draw, boundary: Boundary, watch: Watch, *, per_match: int, most: int) -> Any:
    """Play runs until every two neighbours are ordered or tied; return the matches of each."""
    runs, size = sums.count.shape[:2]
    live, taken, matches = np.arange(runs), np.zeros(runs, int), 0
    opening = list(zip(*np.triu_indices(size, 1), strict=True)) * -(-FIRST // per_match)
    while len(live):
        if matches < len(opening):
            one, two = (np.full(len(live), each) for each in opening[matches])
        else:
            order = np.argsort(-sums.standings(), axis=1, kind="stable")
            above, below = order[:, :-1], order[:, 1:]
            known = sums.leads(above, below)
            half = boundary.half_widths(known)
            kind = np.where(known.mean > half, 1, np.where(known.mean + half <= WIDE * TIE, 2, 0))
            watch(live, above, below, kind)
            on = (kind == 0).any(1) & (matches < most)
            taken[live[~on]] = matches
            if not on.any():
                break
            sums.keep(on)
            live, above, below, kind, half = live[on], above[on], below[on], kind[on], half[on]
            known = Known(*(each[on] for each in known))
            open_ = np.where(kind == 0, (boundary.bars(known) / np.maximum(boundary.distances(known), 1e-3)) ** 2, 0.0)
            gain = np.triu(sums.saved(above, below, open_, per_match), 1)
            one, two = np.divmod(gain.reshape(len(live), -1).argmax(1), size)
        sums.add(one, two, draw(one, two, per_match))
        matches += 1
    return taken


class Cell(NamedTuple):
    """One cell of the table."""

    players: int
    per_match: int
    ratio: float
    worst: str
    shape: str


def wrong_of(cell: Cell, *, runs: int) -> float:
    """Return the share of runs that ever claim something wrong of the first two."""
    dice = np.random.default_rng([ord(each) for each in repr(cell)])
    first = -(-FIRST // cell.per_match) * cell.per_match
    deviation, lead = cell.ratio * TIE * np.sqrt(first), WORST[cell.worst]
    skill = -TIE * (lead * (np.arange(cell.players) > 0) + 3.0 * np.maximum(np.arange(cell.players) - 1, 0))
    wrong = np.zeros(runs, bool)

    def draw(one: Any, two: Any, count: int) -> Any:
        shape = len(one), count
        if cell.shape == "normal":
            noise = dice.normal(0, 1, shape)
        else:
            noise = (dice.exponential(1, shape) - 1) * np.where(one > two, -1, 1)[:, None]
            noise *= 1 if cell.shape == "rare wins" else -1
        return (skill[one] - skill[two])[:, None] + deviation * noise

    def watch(live: Any, above: Any, below: Any, kind: Any) -> None:
        right, turned = (above == 0) & (below == 1), (above == 1) & (below == 0)
        bad = turned & (kind == 1) | ((right & (kind == 1)) if not lead else ((right | turned) & (kind == 2)))
        wrong[live[bad.any(1)]] = True

    sums = MarginSums(cell.players, hands=PER_HAND, sd_per_hand=deviation * np.sqrt(PER_HAND), runs=runs)
    boundary = Boundary(0.05, TIE, first)
    play(sums, draw, boundary, watch, per_match=cell.per_match, most=6000)
    return float(wrong.mean())


class Thrown(NamedTuple):
    """One who plays as well as the others, but throws in a stack now and then."""

    players: int
    every: int
    big_blinds: int
    deviation: float
    game: int


def wrongly_tied(cell: Thrown, *, runs: int) -> float:
    """Return the share of runs that ever claim a tie with the one who throws in, or that it is above somebody."""
    dice, hands, last = np.random.default_rng([ord(each) for each in repr(cell)]), 2 * cell.game, cell.players - 1
    wrong = np.zeros(runs, bool)

    def draw(one: Any, two: Any, count: int) -> Any:
        shape = len(one), count
        lost = dice.binomial(hands, 1 / cell.every, shape) * cell.big_blinds * 1000 / hands
        side = (two == last).astype(float) - (one == last)
        return dice.normal(0, cell.deviation / np.sqrt(hands), shape) + side[:, None] * lost

    def watch(live: Any, above: Any, below: Any, kind: Any) -> None:
        bad = ((above == last) | (below == last)) & (kind == 2) | ((above == last) & (kind == 1))
        wrong[live[bad.any(1)]] = True

    play(
        MarginSums(cell.players, hands=hands, runs=runs), draw, Boundary(0.05, TIE, 10), watch, per_match=10, most=6000
    )
    return float(wrong.mean())


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000, help="runs of a cell")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args()
    start = monotonic()
    cells = [
        Cell(players, per_match, ratio, worst, shape)
        for players in (2, 3, 5, 10)
        for per_match in (4, 10)
        for ratio in RATIOS
        if ratio * players <= (10 if per_match == 4 else 20)
        for worst in WORST
        for shape in SHAPES
    ]
    thrown = [
        Thrown(players, *often, deviation, game)
        for players in (2, 4)
        for often in THROWN
        for deviation in (1500.0, 3000.0)
        for game in (5, 10, 25, 50)
    ]
    with Pool(given.jobs) as pool:
        longest = sorted(cells, key=lambda cell: -cell.players * cell.ratio)
        found = dict(zip(longest, pool.map(partial(wrong_of, runs=given.runs), longest, 1), strict=True))
        tied = dict(zip(thrown, pool.map(partial(wrongly_tied, runs=given.runs), thrown, 1), strict=True))
    print(f"% of {given.runs:,} runs that ever claim something wrong of two neighbours, at 95%")
    print(f"\n{'first error / tie margin':44}{''.join(f'{ratio:>6g}' for ratio in RATIOS)}")
    for players in (2, 3, 5, 10):
        for per_match in (4, 10):
            for worst in WORST:
                for shape in SHAPES:
                    row = [found.get(Cell(players, per_match, ratio, worst, shape)) for ratio in RATIOS]
                    if any(each is not None for each in row):
                        text = "".join(f"{'-' if each is None else f'{100 * each:.1f}':>6}" for each in row)
                        print(f"{players:2} players, {per_match:2} a match, {worst:9} {shape:12}{text}")
    print("\n% of runs that tie one who throws in a stack now and then, by hands of a game")
    print(f"\n{'':44}{''.join(f'{game:>6}' for game in (5, 10, 25, 50))}")
    for players in (2, 4):
        for every, big_blinds in THROWN:
            for deviation in (1500.0, 3000.0):
                row = [tied[Thrown(players, every, big_blinds, deviation, game)] for game in (5, 10, 25, 50)]
                what = f"{players} players, {big_blinds} bb once in {every}, sd {deviation / 1000:g} bb"
                print(f"{what:44}{''.join(f'{100 * each:6.1f}' for each in row)}")
    print(f"\nmean of the first table {100 * np.mean([*found.values()]):.1f}, most {100 * max(found.values()):.1f}")
    print(f"{monotonic() - start:,.0f} s")


if __name__ == "__main__":
    main()
