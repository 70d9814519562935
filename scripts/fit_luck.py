"""Fit the coefficients of the luck adjustment: `python scripts/fit_luck.py`, some minutes.

Plays every pairing of the scripted ladder at several stacks, both seatings of each deck, and prints the coefficients
that `molt_bench.luck.coefficients` holds, with what they save: in the sample they were fitted on, on other seeds, and
for each bot when it was left out of the fit.

The unit is a hand played in both seatings. With stacks that are reset, the hands of a seed pair are independent, so
what is best for one is best for the seed pair. Every pairing is weighed by the variance of its single hands, so that
none counts for more because its pots are larger: what is made small is the mean of the hands needed relative to
independent ones. The coefficients of the holes cancel out in both seatings together: they are fitted to single hands.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.luck.chance import DEALT, hand_luck
from molt_bench.luck.coefficients import FROZEN, Coefficients, coefficients_hash
from molt_bench.luck.dice import dice_terms
from molt_bench.play.drivers import play_game
from molt_bench.records import GameRecord

Floats = np.ndarray[Any, np.dtype[np.float64]]

BOTS = ("random", "tight", "callstation", "maniac", "tag", "shover")
#: Those that mix also play themselves, with other dice.
PAIRINGS = [*combinations(BOTS, 2), ("random", "random"), ("maniac", "maniac"), ("tag", "tag")]
STACKS_BB = (1, 10, 20, 50, 100, 200)
HANDS, BIG_BLIND = 100, 100
BUCKETS = len(FROZEN.depths) + 1

#: Columns of what is known of a hand, from player A's side and in big blinds.
RAW, ALL_IN = 0, 1
CHANCE = slice(2, 2 + len(DEALT) * BUCKETS)
HOLES, BOARD = slice(2, 2 + BUCKETS), slice(2 + BUCKETS, CHANCE.stop)
#: For each player: exact, passive before and after the flop, raised before and after it.
DICE = (slice(CHANCE.stop, CHANCE.stop + 5), slice(CHANCE.stop + 5, CHANCE.stop + 10))
COLUMNS = DICE[1].stop
SIDES = ((0,), (1,), (0, 1))


class Cell(NamedTuple):
    """One pairing at one stack, in big blinds."""

    first: str
    second: str
    stack: int


class Work(NamedTuple):
    """What to play of a cell."""

    cell: Cell
    seeds: Sequence[str]


class Shares(NamedTuple):
    """Hands needed relative to independent ones, by estimator; None where there are no dice to correct."""

    crn: float
    all_in: float
    adjusted: float
    one_side: float | None
    both_sides: float | None


def play(work: Work) -> tuple[Cell, Floats]:
    """Play a cell and return what is known of its hands: by hand, seating and column."""
    cell = work.cell
    players = BUILTIN_AGENTS[cell.first](seed="one"), BUILTIN_AGENTS[cell.second](seed="two")
    policies = [getattr(player, "policy", None) for player in players]
    parts = []
    for seed in work.seeds:
        games = [
            play_game(players, seed=seed, hands=HANDS, stack=cell.stack * BIG_BLIND, seating=seating)  # type: ignore[arg-type]
            for seating in ("AB", "BA")
        ]
        parts.append(np.stack([columns(game, policies) for game in games], axis=1))
    return cell, np.concatenate(parts)


def columns(record: GameRecord, policies: list[Any]) -> Floats:
    """Return what is known of each hand of a game."""
    swapped = record.seating == "BA"
    by_seat = (policies[swapped], policies[not swapped])
    found = np.zeros((record.hands, COLUMNS))
    for row, (number, hand, _) in zip(found, record.replay(), strict=True):
        luck = hand_luck(hand)
        row[RAW], row[ALL_IN] = luck.raw, luck.all_in
        for term in luck.terms:
            row[CHANCE][BUCKETS * term.dealt + FROZEN.bucket(term.behind, term.pot)] += term.pot * term.change
        for dice in dice_terms(hand, number, luck.equities, by_seat, record.spec.max_actions):
            own = row[DICE[dice.seat ^ swapped]]
            sign = -1 if dice.seat else 1
            own[0] += sign * dice.exact
            own[1 + dice.late] += sign * dice.passive
            own[3 + dice.late] += sign * dice.raised
    return found * ((-1 if swapped else 1) / BIG_BLIND)


def sides_of(pairs: Floats) -> list[Floats]:
    """Return the dice of one player, of the other and of both, as far as they mix."""
    found = [sum((pairs[:, DICE[player]] for player in players), np.zeros((len(pairs), 5))) for players in SIDES]
    return [dice for players, dice in zip(SIDES, found, strict=True) if all(pairs[:, DICE[p]].any() for p in players)]


def least_squares(samples: Iterable[tuple[Floats, Floats, float]]) -> Floats:
    """Return the coefficients that make the weighted variance of `target - features @ coefficients` small."""
    square: Any = 0.0
    mixed: Any = 0.0
    for features, target, variance in samples:
        centred, wanted = features - features.mean(axis=0), target - target.mean()
        square = square + centred.T @ centred / (len(wanted) * variance)
        mixed = mixed + centred.T @ wanted / (len(wanted) * variance)
    found: Floats = np.linalg.lstsq(square, mixed, rcond=1e-10)[0]
    return found


def fit(cells: dict[Cell, Floats]) -> Coefficients:
    """Return the coefficients, rounded, that are best for these cells."""
    known = [(hands, hands.sum(axis=1), single_variance(hands)) for hands in cells.values()]
    board = least_squares((pairs[:, BOARD], pairs[:, ALL_IN], 2 * variance) for _, pairs, variance in known).round(3)
    singles = [(hands.reshape(-1, COLUMNS), variance) for hands, _, variance in known]
    holes = least_squares(
        (hands[:, HOLES], hands[:, ALL_IN] - hands[:, BOARD] @ board, variance) for hands, variance in singles
    ).round(3)
    dice = least_squares(
        (-drawn[:, 1:], pairs[:, ALL_IN] - pairs[:, BOARD] @ board + drawn[:, 0], 2 * variance)
        for _, pairs, variance in known
        for drawn in sides_of(pairs)
    ).round(3)
    weights = np.concatenate([holes, board]).reshape(len(DEALT), BUCKETS) + 0.0  # no minus zero
    return Coefficients(
        version=FROZEN.version,
        depths=FROZEN.depths,
        chance=tuple(tuple(row) for row in weights.tolist()),
        passive=(float(dice[0]), float(dice[1])),
        raised=(float(dice[2]), float(dice[3])),
    )


def single_variance(hands: Floats) -> float:
    """Return the variance of independent raw hands."""
    return float(hands[:, :, RAW].var())


def shares(hands: Floats, coefficients: Coefficients) -> Shares:
    """Return how many hands each estimator needs."""
    pairs, whole = hands.sum(axis=1), 2 * single_variance(hands)
    adjusted = pairs[:, ALL_IN] - pairs[:, CHANCE] @ np.array(coefficients.chance).ravel()
    weights = np.array([1.0, *coefficients.passive, *coefficients.raised])
    corrected = [float((adjusted + dice @ weights).var() / whole) for dice in sides_of(pairs)]
    both = corrected[-1] if corrected else None
    one = float(np.mean(corrected[:2])) if len(corrected) > 1 else both
    crn, all_in, chance = [float(won.var() / whole) for won in (pairs[:, RAW], pairs[:, ALL_IN], adjusted)]
    return Shares(crn, all_in, chance, one, both)


def hole_share(cells: dict[Cell, Floats], coefficients: Coefficients) -> tuple[float, float]:
    """Return the mean variance of single hands, relative to raw, by all-in EV and luck-adjusted."""
    found = []
    for hands in cells.values():
        single, variance = hands.reshape(-1, COLUMNS), single_variance(hands)
        adjusted = single[:, ALL_IN] - single[:, CHANCE] @ np.array(coefficients.chance).ravel()
        found.append((single[:, ALL_IN].var() / variance, adjusted.var() / variance))
    all_in, adjusted = np.mean(found, axis=0).tolist()
    return all_in, adjusted


def print_shares(title: str, found: Sequence[Shares]) -> None:
    """Print the means of a group of cells, those with dice apart."""
    with_dice = [one for one in found if one.both_sides is not None]
    means = [float(np.mean(column)) for column in list(zip(*found, strict=True))[:3]]
    print(f"{title:28}{len(found):>6}" + "".join(f"{mean:>10.3f}" for mean in means), end="")
    dice = [float(np.mean(column)) for column in list(zip(*with_dice, strict=True))[2:]]
    print("".join(f"{mean:>10.3f}" for mean in dice))


def report(cells: dict[Cell, Floats], other: dict[Cell, Floats], fitted: Coefficients) -> None:
    """Print what the coefficients save, in and out of the sample."""
    print("\nHands needed relative to independent raw hands (1.000), mean over pairings and stacks")
    print(f"{'':28}{'cells':>6}{'CRN':>10}{'+ all-in':>10}{'+ chance':>10}{'of dice':>10}{'+ one':>10}{'+ both':>10}")
    for title, sample in (("in the sample", cells), ("other seeds", other)):
        print_shares(title, [shares(hands, fitted) for hands in sample.values()])
    for stack in STACKS_BB:
        chosen = [shares(hands, fitted) for cell, hands in other.items() if cell.stack == stack]
        print_shares(f"other seeds, {stack} bb", chosen)
    for bot in BOTS:
        without = fit({cell: hands for cell, hands in cells.items() if bot not in cell[:2]})
        print_shares(
            f"{bot} left out of the fit", [shares(hands, without) for cell, hands in other.items() if bot in cell[:2]]
        )
        print_shares("  and in it", [shares(hands, fitted) for cell, hands in other.items() if bot in cell[:2]])
    all_in, adjusted = hole_share(other, fitted)
    print(f"\nSingle hands, other seeds: all-in {all_in:.3f}, adjusted {adjusted:.3f} of the raw variance")


def main() -> None:
    """Play, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=20, help=f"decks of {HANDS} hands for each cell (%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="how many cells at once (%(default)s)")
    options = parser.parse_args()
    samples = []
    with ProcessPoolExecutor(options.processes) as pool:
        for name in ("fit", "check"):
            seeds = [f"{name} {number}" for number in range(options.seeds)]
            work = [Work(Cell(*pairing, stack), seeds) for pairing in PAIRINGS for stack in STACKS_BB]
            played = dict(pool.map(play, work))
            # Where the same cards cancel all luck there is nothing to fit.
            samples.append({cell: hands for cell, hands in played.items() if hands[:, :, RAW].sum(axis=1).any()})
    fitted = fit(samples[0])
    print(fitted)
    print(f"hash {coefficients_hash(fitted)}; as frozen: {fitted == FROZEN}")
    report(samples[0], samples[1], fitted)


if __name__ == "__main__":
    main()
