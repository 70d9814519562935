"""Measure the luck adjustment: how long it takes, and how many hands it saves.

The first part plays 20,000 hands of four bots and times the estimators on their records, each deck for the first time
and then once more, with what was remembered. The second gives for some pairings how many hands are needed for the same
certainty, relative to independent raw hands. Its unit is the seed pair: two games on the same decks, seats swapped.
"""

import argparse
from itertools import combinations
from statistics import fmean, pvariance
from time import process_time

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.luck.estimators import game_estimates
from molt_bench.luck.weights import luck_version
from molt_bench.play.play_games import play_game
from molt_bench.records import GameRecord

SPEED_BOTS = ("random", "tight", "callstation", "maniac")
PAIRINGS = (
    ("random", "tight"),
    ("random", "callstation"),
    ("random", "maniac"),
    ("random", "tag"),
    ("random", "random"),
    ("tight", "callstation"),
    ("tight", "maniac"),
    ("callstation", "maniac"),
    ("callstation", "tag"),
    ("maniac", "tag"),
    ("tag", "shover"),
)
HANDS = 10


def seed_pair(pairing: tuple[str, str], label: str, hands: int) -> list[GameRecord]:
    """Play both games of a seed."""
    players = BUILTIN_AGENTS[pairing[0]](name="one"), BUILTIN_AGENTS[pairing[1]](name="two")
    return [play_game(players, seed=label, hands=hands, seating=seating) for seating in ("AB", "BA")]


def print_speed(hands: int) -> None:
    """Print what taking the luck out of hands takes."""
    games: list[GameRecord] = []
    while 100 * len(games) < hands:
        for pairing in combinations(SPEED_BOTS, 2):
            games += seed_pair(pairing, f"speed {len(games)}", 100)
    game_estimates(games[0])  # what is loaded and built once is not counted
    print(f"{100 * len(games):,} recorded hands of {', '.join(SPEED_BOTS)}; CPU seconds on one core")
    for title in ("first", "again"):
        start = process_time()
        for record in games:
            game_estimates(record)
        seconds = process_time() - start
        print(f"  {title:8}{seconds:>7.2f} s{1e4 * seconds / len(games):>8.0f} us a hand")


def print_shares(seeds: int) -> None:
    """Print the hands that pairings need by each estimator."""
    print(f"\nHands needed relative to independent raw hands, 100 big blinds, {seeds} seed pairs of {HANDS} hands each")
    print(f"{'':24}{'raw':>9}{'adjusted':>10}")
    found = []
    for pairing in PAIRINGS:
        games = [seed_pair(pairing, f"share {seed}", HANDS) for seed in range(seeds)]
        whole = 2 * HANDS * pvariance([net for both in games for game in both for net in game.hand_nets])
        won = [[game_estimates(game) for game in both] for both in games]
        raw = pvariance([sum(each.raw for each in both) for both in won]) / whole
        adjusted = pvariance([sum(each.adjusted for each in both) for both in won]) / whole
        found.append((raw, adjusted))
        print(f"{' - '.join(pairing):24}{raw:>9.2f}{adjusted:>10.2f}", flush=True)
    print(f"{'mean':24}{fmean(raw for raw, _ in found):>9.2f}{fmean(adjusted for _, adjusted in found):>10.2f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hands", type=int, default=20_000, help="hands to time (%(default)s)")
    parser.add_argument("--seeds", type=int, default=300, help="seed pairs of each pairing (%(default)s)")
    options = parser.parse_args()
    print(f"Weights {luck_version()[:18]}")
    print_speed(options.hands)
    print_shares(options.seeds)


if __name__ == "__main__":
    main()
