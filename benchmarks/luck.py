"""Measure the luck adjustment: how long it takes, and how many hands it saves.

The first part plays 20,000 hands of four bots and times the estimators on their records, each deck for the first time
and then once more, with what was remembered. The second gives for some pairings how many hands are needed for the same
certainty, relative to independent raw hands. Its unit is the seed pair: two games on the same decks, seats swapped.
"""

import argparse
from itertools import combinations
from statistics import fmean, pvariance
from time import process_time
from typing import NamedTuple

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.luck.cards.card_luck import forget_equities
from molt_bench.luck.coefficients import VERSION, coefficients_hash
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.play_games import play_game

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


class Share(NamedTuple):
    """Hands needed relative to independent raw hands."""

    crn: float
    all_in: float
    chance: float
    one_side: float
    both_sides: float


def make_players(pairing):
    return BUILTIN_AGENTS[pairing[0]](seed="one"), BUILTIN_AGENTS[pairing[1]](seed="two")


def policies_of(players):
    return tuple(getattr(player, "policy", None) for player in players)


def timed(games, *, with_policies):
    start = process_time()
    for record, policies in games:
        game_estimates(record, policies if with_policies else (None, None))
    return process_time() - start


def print_speed(hands: int) -> None:
    pairings = list(combinations(SPEED_BOTS, 2))
    games, seed = [], 0
    while 100 * len(games) < hands:
        for pairing in pairings:
            players = make_players(pairing)
            for seating in ("AB", "BA"):
                record = play_game(players, seed=f"speed {seed}", hands=100, seating=seating)
                games.append((record, policies_of(players)))
        seed += 1
    games = games[: hands // 100]
    # What is loaded and built once is not counted.
    timed(games[:1], with_policies=True)
    forget_equities()
    print(f"{100 * len(games):,} recorded hands of {', '.join(SPEED_BOTS)}; CPU seconds on one core")
    for title, with_policies in (("first", False), ("again", False), ("again, with all known dice", True)):
        seconds = timed(games, with_policies=with_policies)
        print(f"  {title:28}{seconds:>7.2f} s{1e4 * seconds / len(games):>8.0f} us a hand")


def share_of(pairing, seeds: int) -> Share:
    players = make_players(pairing)
    first, second = policies_of(players)
    singles, sums = [], []
    for seed in range(seeds):
        pair = [0.0] * 6
        for seating in ("AB", "BA"):
            record = play_game(players, seed=f"share {seed}", hands=HANDS, seating=seating)
            singles += record.hand_nets
            won = game_estimates(record)
            dice = [game_estimates(record, known).corrected for known in ((first, None), (None, second))]
            both = sum(dice) - won.adjusted  # the two corrections add up
            for at, value in enumerate((won.raw, won.all_in, won.adjusted, *dice, both)):
                pair[at] += value
        sums.append(pair)
    whole = 2 * HANDS * pvariance(singles)
    crn, all_in, chance, *by_side, both = [pvariance(column) / whole for column in zip(*sums, strict=True)]
    mixing = [share for share, policy in zip(by_side, (first, second), strict=True) if policy]
    return Share(crn, all_in, chance, fmean(mixing) if mixing else chance, both)


def print_shares(seeds: int) -> None:
    print(f"\nHands needed relative to independent raw hands, 100 big blinds, {seeds} seed pairs of {HANDS} hands each")
    print(f"{'':24}{'CRN':>9}{'+ all-in':>10}{'+ chance':>10}{'+ one':>9}{'+ both':>9}")
    found = []
    for pairing in PAIRINGS:
        share = share_of(pairing, seeds)
        found.append(share)
        print(f"{' - '.join(pairing):24}{share.crn:>9.2f}{share.all_in:>10.2f}{share.chance:>10.2f}", end="")
        print(f"{share.one_side:>9.2f}{share.both_sides:>9.2f}", flush=True)
    means = [fmean(column) for column in zip(*found, strict=True)]
    print(f"{'mean':24}{means[0]:>9.2f}{means[1]:>10.2f}{means[2]:>10.2f}{means[3]:>9.2f}{means[4]:>9.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hands", type=int, default=20_000, help="hands to time (%(default)s)")
    parser.add_argument("--seeds", type=int, default=300, help="seed pairs of each pairing (%(default)s)")
    options = parser.parse_args()
    print(f"Coefficients version {VERSION}, {coefficients_hash()[:16]}")
    print_speed(options.hands)
    print_shares(options.seeds)


if __name__ == "__main__":
    main()
