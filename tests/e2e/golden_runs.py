"""Plays runs of many kinds and leaves their folders: `python golden_runs.py FOLDER [NAME ...]`.

With and without the compiled kernels, on every Python, wherever the games run, and before and after a change for speed,
the files in the folders must be the same. It needs nothing but the package.
"""

import argparse
import builtins
import json
import os
import sys
from itertools import chain
from math import isfinite
from pathlib import Path


def run(participants, *, matches=6, seeds=3, hands=12, stop=None, **config):
    """Return a config that ends after some matches."""
    game = {"handsPerGame": hands, **config.pop("game", {})}
    return {
        "participants": participants.split(),
        "seeds": {"perMatch": seeds, "masterSeed": "golden"},
        "game": game,
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": matches}, **(stop or {})},
        **config,
    }


#: Runs by name. Together they use every estimator and every option of a game.
RUNS = {
    "five": run("tight callstation random maniac tag", matches=20, hands=20),
    "cheap": run("random tight", matches=8),
    "carry": run("tag maniac random", game={"stacks": "carry", "stack": 1500}),
    "odd chips": run("tag random shover", game={"smallBlind": 13, "bigBlind": 31, "stack": 733}),
    "short hands": run("maniac random tag", game={"warmupHands": 2, "maxActionsPerHand": 9}),
    "short": run("maniac random shover", game={"stack": 3, "smallBlind": 1, "bigBlind": 2, "stacks": "carry"}),
    "deep": run("maniac random callstation", game={"stack": 3_000_000_019, "bigBlind": 100}),
    "huge": run("maniac random", matches=3, game={"stack": 10**15, "bigBlind": 100}),
    "blueprint": run("blueprint maniac random", matches=3, seeds=2, hands=6),
    "blueprint carry": run("blueprint tag", matches=2, seeds=2, hands=6, game={"stacks": "carry", "stack": 2000}),
    "raw": run("tag maniac folder", rating={"estimator": "raw"}),
    "settled": run("tag folder callstation", matches=60, stop={"adjacentConfidence": {"threshold": 0.9}}),
    "gauntlet": run("random tag maniac", scheduler={"policy": "gauntlet"}),
    "thompson": run("tag maniac tight", scheduler={"policy": "thompson"}),
    "overlap": run("tag maniac tight random", scheduler={"policy": "uncertainty_overlap"}),
    "openskill": run("tag maniac tight folder", stop={"adjacentConfidence": {"method": "openskill"}}),
}
#: Those that are graded, too.
GRADED = {"blueprint"}

_sum = sum


def other_sum(values, /, start=0):
    """Add up as the other Pythons do: since 3.12, `sum` of floats makes up for their rounding."""
    values = [*values]
    if {type(each) for each in chain([start], values)} - {int, bool} != {float}:
        return _sum(values, start)
    total, lost = float(start), 0.0
    for each in map(float, values):
        before, total = total, total + each
        lost += (before - total) + each if abs(before) >= abs(each) else (each - total) + before
    return total + lost if sys.version_info < (3, 12) and isfinite(lost) else total


def play(name, folder, executor):
    """Play a run as a user does, grade it where that is quick, and leave its files in a folder."""
    from molt_bench.cli import main

    home = folder / f"{name} in progress"
    home.mkdir(parents=True)
    (home / "run.json").write_text(json.dumps(RUNS[name]))
    before = Path.cwd()
    os.chdir(home)
    commands = [["run", "--config", "run.json", "--output-dir", "out", "--executor", executor]]
    try:
        while commands:
            sys.argv = ["molt-bench", *commands.pop(), "--quiet"]
            try:
                main()
            except SystemExit as end:
                if end.code:
                    sys.exit(f"{' '.join(sys.argv)} ended with {end.code}")
            if name in GRADED and sys.argv[1] == "run":
                commands.append(["grade", str(next(Path("out").iterdir()))])
    finally:
        os.chdir(before)
    next((home / "out").iterdir()).rename(folder / name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=RUNS)
    parser.add_argument("--executor", default="inline")
    parser.add_argument("--other-sum", action="store_true")
    given = parser.parse_args()
    if given.other_sum:
        builtins.sum = other_sum
    for each in given.names:
        play(each, given.folder, given.executor)
