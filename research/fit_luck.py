"""Fit the weights of the luck adjustment: `python research/fit_luck.py`, some minutes.

Plays bots at several stacks, both seatings of each deck, and prints the weights that `molt_bench.luck.weights` holds,
with what they save in the sample they were fitted on. Half of the pairings are of built-in bots, half of players who
bet by the strength of their hands (`luck_players`).

The unit is a hand played in both seatings: with stacks that are reset, the hands of a seed pair are independent, so
what is best for one is best for the seed pair. Fitted is the geometric mean over pairings of the variance that is left,
since hands are in proportion to it. The weights of the hole cards cancel out in both seatings together: they are fitted
to single hands.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from math import exp, log
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from luck_players import Bettor, Manner

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.kinds import make_agent
from molt_bench.luck.cards import deals_of, hand_terms
from molt_bench.luck.weights import DEALS, DEPTHS, bucket_of
from molt_bench.play.play_games import play_game
from molt_bench.records import GameRecord

Floats = np.ndarray[Any, np.dtype[np.float64]]

BOTS = ("random", "tight", "callstation", "maniac", "tag", "shover")
BIG_BLIND = 100
#: By depth, without and with a raise on the street before.
BUCKETS = 2 * (len(DEPTHS) + 1)
#: Columns of a hand: chips, all-in EV, and what each weight is multiplied with.
RAW, ALL_IN, FIRST = 0, 1, 2
HANDS = 40
#: How often pairings are weighed anew by the variance that is left, and how strongly weights are drawn to 1.
ROUNDS, RIDGE = 30, 1e-3


class Cell(NamedTuple):
    """One pairing at one stack, in big blinds. Players are built-in bots, or `clean 3` and `noisy 4`: bettors."""

    first: str
    second: str
    stack: int


def cells() -> Iterator[Cell]:
    """Yield pairings of built-in bots, and as many of players who bet by strength, a few of them against bots."""
    for stack in (20, 50, 100, 200):
        for first, second in combinations(BOTS, 2):
            yield Cell(first, second, stack)
    number = 0
    for stack in (20, 50, 100, 200):
        for meeting in range(15):
            second = f"clean {(7 * number + 3) % 23}" if meeting < 12 else ("tight", "callstation", "tag")[meeting - 12]
            yield Cell(f"{'clean' if meeting < 8 else 'noisy'} {number % 24}", second, stack)
            number += 1


def player_of(name: str, seed: str) -> PokerAgent:
    """Make a player."""
    kind, _, number = name.partition(" ")
    if not number:
        return make_agent(kind)
    return Bettor(Manner.drawn(f"{kind} {number}", noisy=kind == "noisy"), seed=f"{name} {seed}")


def columns(record: GameRecord) -> Floats:
    """Return what is known of each hand of a game, for player A and in big blinds."""
    rows = np.zeros((record.hands, FIRST + len(DEALS) * BUCKETS))
    for row, (_, hand, _) in zip(rows, record.replay(), strict=True):
        terms = hand_terms(hand)
        row[RAW], row[ALL_IN] = hand.payoffs[0], terms.all_in
        for deal in deals_of(hand, terms.equities):
            at = FIRST + BUCKETS * deal.dealt + bucket_of(deal.behind, deal.pot, raised=deal.raised)
            row[at] += deal.pot * deal.change
    return (1 if record.seating == "AB" else -1) / BIG_BLIND * rows


def play(cell: Cell, seeds: int, label: str) -> Floats:
    """Play a cell; return a row for each hand, in both seatings."""
    players = player_of(cell.first, "one"), player_of(cell.second, "two")
    stack = cell.stack * BIG_BLIND
    return np.concatenate(
        [
            np.stack(
                [
                    columns(play_game(players, seed=f"{label} {seed}", hands=HANDS, stack=stack, seating=seating))
                    for seating in ("AB", "BA")
                ],
                axis=1,
            )
            for seed in range(seeds)
        ]
    )


def fitted(samples: list[Floats]) -> Floats:
    """Return the weights for which the geometric mean of the variances that are left is least."""
    places = [at for at in range(samples[0].shape[1] - FIRST) if any(each[:, FIRST + at].any() for each in samples)]
    weights = np.ones(samples[0].shape[1] - FIRST)
    centred = [each - each.mean(axis=0) for each in samples]
    for _ in range(ROUNDS):
        square, mixed = RIDGE * np.eye(len(places)), RIDGE * np.ones(len(places))
        for each in centred:
            parts, target = each[:, FIRST:][:, places], each[:, ALL_IN]
            left = target - each[:, FIRST:] @ weights
            # One hand in which both lose nothing is no reason to look at nothing else.
            variance = left.var() + 0.02 * each[:, ALL_IN].var() + 1e-3
            square += parts.T @ parts / (len(each) * variance * len(centred))
            mixed += parts.T @ target / (len(each) * variance * len(centred))
        weights[places] = np.linalg.solve(square, mixed)
    return weights


def shares(samples: list[Floats], weights: Floats) -> list[float]:
    """Return the variance that is left over that of all-in EV, by pairing; 1 where there is none."""
    variances = [(each[:, ALL_IN].var(), (each[:, ALL_IN] - each[:, FIRST:] @ weights).var()) for each in samples]
    return [left / all_in if all_in > 0 else 1.0 for all_in, left in variances]


def main() -> None:
    """Play, fit and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=60, help="seeds of each pairing, of 40 hands (%(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="processes (%(default)s)")
    options = parser.parse_args()
    wanted = [*cells()]
    with ProcessPoolExecutor(options.workers) as pool:
        played = [pool.submit(play, cell, options.seeds, "fit") for cell in wanted]
        both = [each.result() for each in played]
    together = [each.sum(axis=1) for each in both]
    weights = fitted(together)
    weights[:BUCKETS] = fitted([each.reshape(-1, each.shape[2]) for each in both])[:BUCKETS]
    print("DEALS = (")
    for row in weights.reshape(len(DEALS), BUCKETS).round(3).tolist():
        print(f"    ({', '.join(f'{each:g}' for each in row)}),")
    print(")")
    for label, found in (("frozen", np.array(DEALS).ravel()), ("fitted", weights)):
        left = shares(together, found)
        print(f"{label}: variance left, geometric mean {exp(fmean(map(log, left))):.3f}, worst {max(left):.2f}")
    for cell, *left in zip(wanted, shares(together, np.array(DEALS).ravel()), shares(together, weights), strict=True):
        print(f"  {cell.first} - {cell.second}, {cell.stack}: " + "  ".join(f"{each:.2f}" for each in left))


if __name__ == "__main__":
    main()
