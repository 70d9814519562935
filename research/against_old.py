"""How many seed pairs a run takes until its rule stops it, beside version 1.0.0 (commit 38c8f04e) on the same draws.

Margins are drawn instead of played: around what the players of a ladder truly win from each other, with deviations as
built-in bots have shown them in 200 seed pairs of each pairing, and so as skewed. Ladder, schedule and stop rule are
those of a run of each version with its defaults, without a budget. What the bots won, less its mean and over its
deviation, was measured once (bot_margins.json: every two of tag, tight, callstation, maniac and random). This file runs
with both versions: the old one lies in a worktree with an environment of its own, which `python scripts/old_and_new.py`
makes.

    python research/against_old.py --old ../molt-bench-38c8f04e/.venv/bin/python > research/against_old.txt
"""

import argparse
import json
import subprocess
import sys
from itertools import combinations
from math import exp, log
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from molt_bench.bench.ladder import Ladder
from molt_bench.bench.next_round import next_pairs
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.bench.spending import Spending
from molt_bench.config.loader import load_config
from molt_bench.records import ESTIMATORS, MatchResult

#: What each player wins from the field, and the standard deviation of a seed pair, both in mbb a hand; big blinds of a
#: stack. The tie margin is 250 with 100 of them.
LADDERS: Final[dict[str, tuple[list[int], int, int]]] = {
    "two equals": ([0, 0], 1000, 100),
    "two, 1.2 ties apart": ([300, 0], 1000, 100),
    "four": ([700, 300, 0, -900], 1000, 100),
    "five, close": ([300, 200, 0, -100, -400], 1000, 100),
    "eight": ([1500, 1100, 700, 350, 0, -300, -900, -1800], 1200, 100),
    "two, .9 ties apart": ([220, 0], 1400, 100),
    "six": ([900, 500, 450, 0, -250, -1200], 800, 100),
    "three": ([600, 0, -150], 1500, 100),
    # Made after the boundary was fixed.
    "fresh: two, .5 ties apart": ([125, 0], 1200, 100),
    "fresh: four, two equal": ([600, 600, 0, -500], 900, 100),
    "fresh: seven": ([1800, 900, 850, 300, -100, -700, -2100], 1400, 100),
    # Made after errors had two sides.
    "later: two, 2 ties apart": ([500, 0], 1300, 100),
    "later: five, two pairs": ([800, 760, 100, 60, -900], 1000, 100),
    "later: six, steps": ([1000, 620, 250, -130, -500, -1240], 900, 100),
    "short stacks: four": ([140, 60, 0, -180], 300, 20),
}
MEASURED: Final = Path(__file__).with_name("bot_margins.json")
SHOWN: Final = 200
#: Seed pairs of each pairing that are drawn; more are the same again.
DRAWN: Final = 10_000


def margins_of(name: str, run: int, bots: list[list[float]]) -> dict[tuple[int, int], Any]:
    """Return what the first of every two wins in seed pairs of a run."""
    skills, deviation, _ = LADDERS[name]
    world = np.random.default_rng([*name.encode()])
    dice = np.random.default_rng([*name.encode(), run])
    found = {}
    for one, two in combinations(range(len(skills)), 2):
        each = np.array(bots[world.integers(len(bots))]) * (1 if world.random() < 0.5 else -1)
        spread = deviation * np.exp(0.3 * world.standard_normal())
        found[one, two] = skills[one] - skills[two] + spread * each[dice.integers(SHOWN, size=DRAWN)]
    return found


def seed_pairs(name: str, run: int, bots: list[list[float]]) -> int:
    """Simulate a run with the version that is installed; return its seed pairs."""
    margins = margins_of(name, run, bots)
    skills, _, stack = LADDERS[name]
    names = [f"p{at}" for at in range(len(skills))]
    config = load_config(
        {
            "participants": [{"id": name, "type": "random"} for name in names],
            "seeds": {"masterSeed": 0},
            "game": {"stack": 100 * stack, "bigBlind": 100, "smallBlind": 50},
            "stop": {"budget": None},
        }
    )
    ladder, per_match = Ladder(config), config.seeds.per_match
    number = {pair: at for at, pair in enumerate(ladder.meetings)}
    is_old = hasattr(ladder, "_book")
    blocks = SeedBlocks(config.seeds, ladder.meetings) if is_old else SeedBlocks(config)  # type: ignore[arg-type,call-arg]
    spending = Spending({})
    while not decided(ladder):
        (pair,) = next_pairs(config, ladder, blocks, spending, 1)
        start = per_match * ladder.meetings[pair]
        both = (names.index(pair[0]), names.index(pair[1]))
        played = margins[both].take(range(start, start + per_match), mode="wrap").tolist()
        if is_old:
            seeds = range(start + number[pair] * 10**9, start + number[pair] * 10**9 + per_match)
            ladder._book.add(pair, dict.fromkeys(ESTIMATORS, played), seeds)
        else:
            ladder.margins.add(pair, played)
        ladder.meetings[pair] += 1
        ladder.matches.append(MatchResult((), participants=pair))
        ladder._look_anew()
        ladder.end_round()
    return per_match * len(ladder.matches)


def decided(ladder: Ladder) -> bool:
    """Return whether all have met and every two neighbours are ordered or tied."""
    if min(ladder.open_meetings.values()) < ladder.min_meetings:
        return False
    return all(each.kind in ("ordered", "tied") for each in ladder.verdicts())


def simulated(runs: int) -> dict[str, list[int]]:
    """Return the seed pairs of every run of every ladder, with the version that is installed."""
    bots = json.loads(MEASURED.read_text())
    return {name: [seed_pairs(name, run, bots) for run in range(runs)] for name in LADDERS}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200, help="runs of every ladder (%(default)s)")
    parser.add_argument("--old", help="the Python of the old version's environment; without it, the raw figures")
    given = parser.parse_args()
    new = simulated(given.runs)
    if given.old is None:
        json.dump(new, sys.stdout)
        return
    words = [given.old, str(Path(__file__).resolve()), "--runs", str(given.runs)]
    with TemporaryDirectory() as folder:
        old = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=folder).stdout)
    print(f"seed pairs until a run stops, means of {given.runs} runs; error of the ratio in brackets\n")
    print(f"{'ladder':28}{'1.0.0':>8}{'now':>8}{'ratio':>8}")
    ratios = {}
    for name in LADDERS:
        before, now = np.array(old[name]), np.array(new[name])
        ratio = ratios[name] = now.mean() / before.mean()
        error = (now - ratio * before).std() / before.mean() / given.runs**0.5
        print(f"{name:28}{before.mean():8,.0f}{now.mean():8,.0f}{ratio:8.2f} ({error:.2f})")
    usual = [name for name in ratios if ":" not in name]
    kinds = {kind: [name for name in ratios if name.startswith(kind)] for kind in ("fresh", "later")}
    for what, names in {"the first eight": usual, **kinds, "all": [*usual, *kinds["fresh"], *kinds["later"]]}.items():
        print(f"geometric mean, {what}: {exp(fmean(log(ratios[name]) for name in names)):.3f}")


if __name__ == "__main__":
    main()
