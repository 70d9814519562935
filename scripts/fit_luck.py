"""Fit the coefficients of the luck adjustment: `python scripts/fit_luck.py`, some minutes.

Plays bots at several stacks, both seatings of each deck, and prints the two sets of coefficients that
`molt_bench.luck.coefficients` holds, with what they save: in the sample they were fitted on, and on players of another
making. The sets differ in what they are fitted to:

- ladder: the weights of the cards to the pairings of the built-in bots, those of the actions also to players who bet
  by the strength of their hands (`luck_players`);
- solid: the weights of the cards to players who bet by strength, those of the actions to all, these counting most.

The unit is a hand played in both seatings. With stacks that are reset, the hands of a seed pair are independent, so
what is best for one is best for the seed pair. Every pairing is weighed by a variance, so that none counts for more
because its pots are larger. For actions, those on which the value does badly then count for more, twice: it should
never do harm. The coefficients of the holes cancel out in both seatings together: they are fitted to single hands.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from luck_players import Bettor, Manner

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.kinds import make_agent
from molt_bench.luck.cards.card_luck import DEALT, hand_luck
from molt_bench.luck.coefficients import FROZEN, LADDER, Coefficients, coefficients_hash
from molt_bench.luck.dice.draws import FEATURES, Folds, action_features, dice_terms
from molt_bench.play.play_games import play_game
from molt_bench.records import GameRecord

Floats = np.ndarray[Any, np.dtype[np.float64]]

BOTS = ("random", "tight", "callstation", "maniac", "tag", "shover")
#: Those that mix also play themselves, with other dice.
PAIRINGS = [*combinations(BOTS, 2), ("random", "random"), ("maniac", "maniac"), ("tag", "tag")]
STACKS_BB = (1, 10, 20, 50, 100, 200)
BIG_BLIND = 100
DEPTHS = len(LADDER.depths) + 1
#: By depth, without and with a raise on the street before.
BUCKETS = 2 * DEPTHS
#: Columns of what is known of the cards of a hand, from player A's side and in big blinds.
RAW, ALL_IN = 0, 1
CHANCE = slice(2, 2 + len(DEALT) * BUCKETS)
HOLES, BOARD = slice(2, 2 + BUCKETS), slice(2 + BUCKETS, CHANCE.stop)
#: How strongly a weight is drawn to 0, and how often pairings are weighed anew by how badly they do.
RIDGE, ROUNDS = 3e-3, 4
#: How much the built-in bots count beside those who bet by strength, for the actions of the solid set.
LADDER_SHARE = 0.5


class Cell(NamedTuple):
    """One pairing at one stack, in big blinds. Players are built-in bots, or `clean 3` and `noisy 4`: bettors."""

    first: str
    second: str
    stack: int


class Work(NamedTuple):
    """What to play of a cell: seeds, and the hands of each game; with dice or only the cards."""

    cell: Cell
    seeds: Sequence[str]
    hands: int
    dice: bool


class Played(NamedTuple):
    """What is known of the hands of a cell: cards by hand, seating and column; actions by player, hand and feature."""

    cards: Floats
    actions: tuple[Floats, Floats] | None


Sample = Mapping[Cell, Played]


def solid_cells() -> Iterator[Cell]:
    """Yield pairings of players who bet by strength, some of them at times at random, and of some built-in bots."""
    number = 0
    for stack in (8, 15, 30, 60, 100, 200):
        for meeting in range(10):
            second = f"clean {(7 * number + 3) % 23}"
            if meeting >= 7:
                second = ("tight", "callstation", "tag")[meeting - 7]
            yield Cell(f"{'clean' if meeting < 5 else 'noisy'} {number % 24}", second, stack)
            number += 1


def player_of(name: str, seed: str) -> PokerAgent:
    """Make a player."""
    kind, _, number = name.partition(" ")
    if not number:
        return make_agent(kind, seed=seed)
    return Bettor(Manner.drawn(f"{kind} {number}", noisy=kind == "noisy"), seed=f"{name} {seed}")


def play(work: Work) -> tuple[Cell, Played]:
    """Play a cell."""
    cell = work.cell
    players = player_of(cell.first, "one"), player_of(cell.second, "two")
    policies = [getattr(player, "policy", None) for player in players] if work.dice else [None, None]
    cards, actions = [], []
    for seed in work.seeds:
        games = [
            play_game(players, seed=seed, hands=work.hands, stack=cell.stack * BIG_BLIND, seating=seating)
            for seating in ("AB", "BA")
        ]
        found = [columns(game, policies) for game in games]
        cards.append(np.stack([each[0] for each in found], axis=1))
        actions.append(found[0][1] + found[1][1])
    if not work.dice:
        return cell, Played(np.concatenate(cards), None)
    both = np.concatenate(actions, axis=1)
    return cell, Played(np.concatenate(cards), (both[0], both[1]))


def columns(record: GameRecord, policies: list[Any]) -> tuple[Floats, Floats]:
    """Return what is known of each hand of a game: its cards, and its actions by player."""
    swapped = record.seating == "BA"
    by_seat = (policies[swapped], policies[not swapped])
    cards = np.zeros((record.hands, CHANCE.stop))
    actions = np.zeros((2, record.hands, FEATURES if any(policies) else 0))
    folds = Folds()
    for at, (number, hand, _) in enumerate(record.replay()):
        luck, row = hand_luck(hand), cards[at]
        row[RAW], row[ALL_IN] = luck.raw, luck.all_in
        for term in luck.terms:
            row[CHANCE][BUCKETS * term.dealt + LADDER.bucket(term.behind, term.pot, raised=term.raised)] += (
                term.pot * term.change
            )
        for dice in dice_terms(hand, number, luck.equities, by_seat, record.spec.max_actions):
            own = actions[dice.seat ^ swapped][at]
            for feature, part in action_features(dice, folds.share(1 - dice.seat)):
                own[feature] += -part if dice.seat else part
        folds.add(hand)
    sign = (-1 if swapped else 1) / BIG_BLIND
    return sign * cards, sign * actions


def least_squares(samples: Iterable[tuple[Floats, Floats, float]], *, ridge: float = 0.0) -> Floats:
    """Return the coefficients that make the weighted variance of `target - features @ coefficients` small."""
    square: Any = 0.0
    mixed: Any = 0.0
    for features, target, variance in samples:
        centred, wanted = features - features.mean(axis=0), target - target.mean()
        square = square + centred.T @ centred / (len(wanted) * variance)
        mixed = mixed + centred.T @ wanted / (len(wanted) * variance)
    found: Floats = np.linalg.lstsq(square + ridge * np.diag(np.diag(square)), mixed, rcond=1e-10)[0]
    return found


def by_depth(parts: Floats) -> Floats:
    """Return columns of cards without regard to raises."""
    apart = parts.reshape(len(parts), -1, 2, DEPTHS)
    merged: Floats = apart.sum(axis=2).reshape(len(parts), -1)
    return merged


def fit_cards(cells: Sample) -> tuple[tuple[float, ...], ...]:
    """Return the weights of the cards by depth alone, rounded, that are best for these cells."""
    known = [(hands, hands.sum(axis=1), float(hands[:, :, RAW].var())) for hands, _ in cells.values()]
    board = least_squares(
        (by_depth(pairs[:, BOARD]), pairs[:, ALL_IN], 2 * variance) for _, pairs, variance in known
    ).round(3)
    singles = [(hands.reshape(-1, CHANCE.stop), variance) for hands, _, variance in known]
    holes = least_squares(
        (by_depth(hands[:, HOLES]), hands[:, ALL_IN] - by_depth(hands[:, BOARD]) @ board, variance)
        for hands, variance in singles
    ).round(3)
    weights = np.concatenate([holes, board]).reshape(len(DEALT), DEPTHS) + 0.0  # no minus zero
    return tuple(tuple(row) * 2 for row in weights.tolist())


def fit_raised(cells: Sample, holes: Sequence[float]) -> tuple[tuple[float, ...], ...]:
    """Return the weights of the cards also by raises; where little is known, they stay at those by depth alone."""
    plain = np.array(fit_cards(cells))[1:].ravel()
    known = [(hands.sum(axis=1), float(hands[:, :, RAW].var())) for hands, _ in cells.values()]
    change = least_squares(
        ((pairs[:, BOARD], pairs[:, ALL_IN] - pairs[:, BOARD] @ plain, 2 * variance) for pairs, variance in known),
        ridge=RIDGE,
    )
    board = (plain + change).round(3).reshape(len(DEALT) - 1, BUCKETS)
    return (tuple(holes), *[tuple(row) for row in board.tolist()])


class Moments(NamedTuple):
    """What the value of actions does to the variance of a cell, relative to that of its cards alone."""

    square: Floats
    mixed: Floats

    def ratio(self, weights: Floats) -> float:
        """Return the variance with the correction, relative to that without."""
        return float(1 - 2 * weights @ self.mixed + weights @ self.square @ weights)


def sides_of(played: Played) -> list[Floats]:
    """Return the actions of one player, of the other and of both, as far as they mix."""
    mixing = [each for each in played.actions or () if each.any()]
    return [*mixing, mixing[0] + mixing[1]] if len(mixing) == 2 else mixing


def moments_of(played: Played, chance: Sequence[Sequence[float]]) -> list[Moments]:
    """Return the moments of each of the sides."""
    pairs = played.cards.sum(axis=1)
    won = pairs[:, ALL_IN] - pairs[:, CHANCE] @ np.array(chance).ravel()
    won = won - won.mean()
    whole = len(won) * won.var()
    centred = [side - side.mean(axis=0) for side in sides_of(played)]
    return [Moments(side.T @ side / whole, -side.T @ won / whole) for side in centred]


def fit_actions(groups: Sequence[tuple[float, Sample]], chance: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return the weights of the actions, rounded, that are best for these cells, each group by its share."""
    found = [(share, each) for share, cells in groups for hands in cells.values() for each in moments_of(hands, chance)]
    shares = np.array([share for share, _ in found])
    weights = np.zeros(FEATURES)
    for repeat in range(ROUNDS + 1):
        if repeat:
            shares = shares * [max(each.ratio(weights), 0.05) for _, each in found]
        shares = shares / shares.sum()
        square = sum((share * each.square for share, (_, each) in zip(shares, found, strict=True)), np.zeros(()))
        mixed = sum((share * each.mixed for share, (_, each) in zip(shares, found, strict=True)), np.zeros(()))
        weights = np.linalg.solve(square + RIDGE * np.diag(np.diag(square) + 1e-9), mixed)
    return tuple((weights.round(3) + 0.0).tolist())


def played_sample(pool: ProcessPoolExecutor, cells: Iterable[Cell], name: str, seeds: int, hands: int) -> Sample:
    """Play cells; those whose luck the same cards cancel out are left out, since nothing is there to fit."""
    chosen = [f"{name} {number}" for number in range(seeds)]
    played = dict(pool.map(play, [Work(cell, chosen, hands, dice=hands < 100) for cell in cells]))
    print(f"played {name}: {len(played)} cells", flush=True)
    return {cell: each for cell, each in played.items() if each.cards[:, :, RAW].sum(axis=1).any()}


def report(title: str, cells: Sample, sets: Sequence[Coefficients]) -> None:
    """Print what each set of coefficients leaves of the variance."""
    ladder = np.array(sets[0].chance).ravel()
    for name, each in zip(("ladder", "solid"), sets, strict=True):
        cards, one, both, worst = [], [], [], (0.0, "")
        for cell, played in cells.items():
            pairs = played.cards.sum(axis=1)
            base, own = (
                (pairs[:, ALL_IN] - pairs[:, CHANCE] @ k).var() for k in (ladder, np.array(each.chance).ravel())
            )
            cards.append(own / base)
            ratios = [known.ratio(np.array(each.actions)) for known in moments_of(played, each.chance)]
            one += ratios[:2]
            both += ratios[2:]
            worst = max(worst, (max(ratios, default=0.0), f"{cell.first} - {cell.second}, {cell.stack} bb"))
        print(f"{title}, {name}: cards {np.mean(cards):.3f} of ladder; dice of one {np.mean(one):.3f}, ", end="")
        print(f"of both {np.mean(both):.3f} of cards alone, most {worst[0]:.3f} ({worst[1]})")


def main() -> None:
    """Play, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--processes", type=int, default=2, help="how many cells at once (%(default)s)")
    parser.add_argument("--only-solid", action="store_true", help="keep the frozen weights of the ladder's cards")
    options = parser.parse_args()
    everyone = [Cell(*pairing, stack) for pairing in PAIRINGS for stack in STACKS_BB]
    with ProcessPoolExecutor(options.processes) as pool:
        strength = played_sample(pool, solid_cells(), "by strength", 20, 30)
        ladder = played_sample(pool, [cell for cell in everyone if cell.stack > 1], "ladder", 10, 30)
        chance = LADDER.chance
        if not options.only_solid:
            chance = fit_cards(played_sample(pool, everyone, "fit", 20, 100))
    clean = {cell: hands for cell, hands in strength.items() if cell.first.startswith("clean")}
    solid = fit_raised(clean, chance[0])
    sets = tuple(
        Coefficients(depths=LADDER.depths, chance=cards, actions=fit_actions([(1.0, strength), (share, ladder)], cards))
        for cards, share in ((chance, 1.0), (solid, LADDER_SHARE))
    )
    print(*sets, sep="\n")
    print(f"hash {coefficients_hash(sets)}; as frozen: {sets == FROZEN}")
    report("by strength", strength, sets)
    report("built-in", ladder, sets)


if __name__ == "__main__":
    main()
