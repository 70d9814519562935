"""Measure what a local best response wins from a built-in bot, in seven games (`local_best_response.py`)."""

import argparse
from concurrent.futures import ProcessPoolExecutor
from time import perf_counter

from local_best_response import Game, bounds, print_bounds

#: Games of the local best response: stacks that the table has, others, and an ante.
GAMES = (*[Game(stack) for stack in (20, 50, 100, 200, 37, 250)], Game(100, ante=0.25))


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--agent", default="blueprint", help="the built-in bot in question (%(default)s)")
    parser.add_argument("--decks", type=int, default=100, help="decks of the local best response (%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="how many at once (%(default)s)")
    options = parser.parse_args()
    start = perf_counter()
    with ProcessPoolExecutor(options.processes) as executor:
        for game in GAMES:
            print_bounds(options.agent, game, bounds(options.agent, executor, game, decks=range(options.decks)))
    print(f"\n{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
