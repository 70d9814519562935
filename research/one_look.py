"""How often `compare` claims something wrong: equal versions, skewed margins and rare catastrophes.

Every line is a kind of change whose mean is 0, in units of its usual deviation. For each number of seed pairs it says
in how many of 100 comparisons the whole interval was above 0, and in how many below. Both may be 2.5 at most. Claims
that a version lost no more than some amount are wrong as often, since the interval only moves.

    python research/one_look.py > research/one_look.txt
"""

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from numpy.typing import NDArray

from molt_bench.study.change import Change, change_of

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]

COUNTS = (5, 10, 16, 33, 66, 100, 150, 200, 400)
#: Opponents, one of whom varies so much more, or who met on other cards.
OPPONENTS = (0.5, 1.0, 3.0)


def catastrophe(one_in: int, size: float = 10.0) -> Draw:
    """Return a change that loses so many deviations in one of so many seed pairs, and wins it back in the others."""

    def draw(dice: np.random.Generator, count: int) -> NDArray[np.float64]:
        usual = dice.standard_normal(count) + size / (one_in - 1)
        return np.where(dice.random(count) < 1 / one_in, -size, usual)

    return draw


def seldom(draw: Draw, share: float) -> Draw:
    """Return a change that shows in a share of the seed pairs alone; the others come out the same."""
    return lambda dice, count: np.where(dice.random(count) < share, draw(dice, count), 0.0)


def normal(dice: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Draw a change that is as often a gain as a loss."""
    return dice.standard_normal(count)


KINDS: dict[str, Draw] = {
    "normal": normal,
    "exponential": lambda dice, count: 1 - dice.exponential(size=count),
    "lognormal": lambda dice, count: np.exp(0.5) - np.exp(dice.standard_normal(count)),
    "a loss of 5 in 33": catastrophe(33, 5.0),
    "a loss of 10 in 20": catastrophe(20),
    "a loss of 10 in 33": catastrophe(33),
    "a loss of 10 in 50": catastrophe(50),
    "a loss of 10 in 100": catastrophe(100),
    "a loss of 10 in 250": catastrophe(250),
    "normal, in one of 10": seldom(normal, 0.1),
    "10 in 33, in one of 3": seldom(catastrophe(33), 1 / 3),
    "beyond: 10 in 10": catastrophe(10),
    "beyond: 20 in 33": catastrophe(33, 20.0),
}


def one(draw: Draw, dice: np.random.Generator, count: int) -> Change:
    """Compare on the same cards, against one opponent."""
    return change_of([(1.0, draw(dice, count).tolist())])


def three(draw: Draw, dice: np.random.Generator, count: int) -> Change:
    """Compare on the same cards, against three opponents of very different variance."""
    share = 1 / len(OPPONENTS)
    return change_of([(share, (spread * draw(dice, count)).tolist()) for spread in OPPONENTS])


def apart(draw: Draw, dice: np.random.Generator, count: int) -> Change:
    """Compare on other cards: the new version is as drawn, the old one normal."""
    return change_of([(1.0, draw(dice, count).tolist()), (-1.0, normal(dice, count).tolist())])


SETTINGS = {"one opponent": one, "three opponents": three, "other cards": apart}


def wrong(setting: str, kind: str, count: int, runs: int, level: float) -> tuple[float, float]:
    """Return the share of comparisons that claim better, and worse."""
    dice = np.random.default_rng([count, [*KINDS].index(kind), [*SETTINGS].index(setting)])
    found = [SETTINGS[setting](KINDS[kind], dice, count).interval(level) for _ in range(runs)]
    return sum(low > 0 for low, _ in found) / runs, sum(high < 0 for _, high in found) / runs


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=4000, help="comparisons for each figure (%(default)s)")
    parser.add_argument("--confidence", type=float, default=0.95, help="of the intervals (%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="how many at once (%(default)s)")
    options = parser.parse_args()
    print(f"better/worse in % of {options.runs:,} comparisons of equals, at {options.confidence:g}")
    with ProcessPoolExecutor(options.processes) as executor:
        for setting in SETTINGS:
            print(f"\n{setting + ', seed pairs':24}" + "".join(f"{count:>10}" for count in COUNTS))
            for kind in KINDS:
                jobs = [
                    executor.submit(wrong, setting, kind, count, options.runs, options.confidence) for count in COUNTS
                ]
                cells = [f"{100 * better:.1f}/{100 * worse:.1f}" for better, worse in (job.result() for job in jobs)]
                print(f"{kind:24}" + "".join(f"{cell:>10}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
