"""Fit the weights of card luck for hands against each built-in bot: `python scripts/fit_ranges.py`, some minutes.

They serve the estimator `ranged`: the mean over the cards that the bot could have held. Plays bettors (`luck_players`)
against each bot at several stacks, both seatings of each deck, draws the bot's cards as `luck.reference.ranges` does,
and prints the weights that `molt_bench.luck.coefficients` holds. Then it prints what they save on other decks with
players of another making, beside those that are frozen now.

The unit is a hand played in both seatings. Every pairing is weighed by the variance of `adjusted`, so that none counts
for more because its pots are larger. Where little is known, the weights stay near those for players who bet by strength
(`SOLID`): they count as known to within a quarter of what a card is worth if all the chips go in.

`folder` is not fitted. Nothing depends on the cards against it, so its weights are 0. For `tight`, those of an earlier
fit to other players were kept: they do better with held-out players from 10 big blinds on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from luck_players import STEPPERS, Bettor, Manner, Stepper

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.scripted import ScriptedAgent
from molt_bench.luck.cards.card_luck import DEALT, chance_luck, hand_luck
from molt_bench.luck.coefficients import AGAINST, LADDER, SOLID
from molt_bench.luck.dice.draws import Folds, action_features, action_value, dice_terms
from molt_bench.luck.dice.known_dice import Policies
from molt_bench.luck.reference.ranges import never_mixes, possible_holes, remembered, with_hole
from molt_bench.play.play_games import play_game
from molt_bench.poker.hand import Hand
from molt_bench.poker.notation import ParsedHand
from molt_bench.records import GameRecord

Floats = np.ndarray[Any, np.dtype[np.float64]]

BOTS = ("random", "tight", "callstation", "maniac", "tag", "shover")
#: Those whose weights of an earlier fit were kept.
KEPT = ("tight",)
#: The two shortest are there for the hole cards, whose bucket depends on the stack alone.
STACKS_BB = (1, 4, 10, 20, 50, 100, 200)
BIG_BLIND = 100
#: Hands of a game, and meetings of a bot with a bettor at each stack; in the last third of them the bettor is noisy.
HANDS, MEETINGS = 20, 6
#: A stack-to-pot ratio of each bucket.
TYPICAL_DEPTHS = (0.5, 2, 6, 17, 60)
DEPTHS = len(TYPICAL_DEPTHS)
#: Columns of what is known of a hand, from the player's side and in big blinds: two estimates, then the parts of the
#: mean over the bot's cards: all-in EV with the dice removed, and what each bucket's weight is multiplied by.
ADJUSTED, SOLID_CORRECTED, MEAN = 0, 1, 2
CHANCE = slice(3, 3 + len(DEALT) * DEPTHS)


class Cell(NamedTuple):
    """A bot against a player, `clean 3` or `noisy 4` for a bettor, else a stepper, at one stack in big blinds."""

    bot: str
    player: str
    stack: int


class Work(NamedTuple):
    """What to play of a cell."""

    cell: Cell
    seeds: Sequence[str]


Sample = Mapping[Cell, Floats]
Table = Mapping[str, Floats]


def fitted_cells() -> Iterator[Cell]:
    """Yield each bot at each stack against some bettors, not the same at every stack."""
    for bot in BOTS:
        for at, stack in enumerate(STACKS_BB):
            for meeting in range(MEETINGS):
                kind = "noisy" if 3 * meeting >= 2 * MEETINGS else "clean"
                yield Cell(bot, f"{kind} {(5 * at + meeting) % 24}", stack)


def held_out_cells() -> Iterator[Cell]:
    """Yield each bot at each stack against each stepper."""
    for bot in BOTS:
        for stack in STACKS_BB:
            yield from [Cell(bot, name, stack) for name in STEPPERS]


def player_of(name: str) -> PokerAgent:
    """Make a player."""
    if name in STEPPERS:
        return Stepper(**STEPPERS[name], seed="one")
    return Bettor(Manner.drawn(name, noisy=name.startswith("noisy")), seed=name)


def play(work: Work) -> tuple[Cell, Floats]:
    """Play a cell, and return what is known of each hand in both seatings together."""
    bot: Any = BUILTIN_AGENTS[work.cell.bot](seed="two")
    players = player_of(work.cell.player), bot
    found = []
    for seed in work.seeds:
        one, two = (
            play_game(players, seed=seed, hands=HANDS, stack=work.cell.stack * BIG_BLIND, seating=seating)
            for seating in ("AB", "BA")
        )
        found.append(columns(one, bot) + columns(two, bot))
    return work.cell, np.concatenate(found)


def columns(record: GameRecord, bot: ScriptedAgent) -> Floats:
    """Return what is known of each hand of a game whose player B is a built-in bot."""
    seat = 0 if record.seating == "BA" else 1
    folds, found = Folds(), []
    for parsed in record.replay():
        found.append(hand_columns(parsed, seat, bot, record, folds.share(1 - seat)))
        folds.add(parsed.hand)
    return np.array(found) * ((1 if seat else -1) / BIG_BLIND)


def hand_columns(parsed: ParsedHand, seat: int, bot: Any, record: GameRecord, folds: float) -> Floats:
    """Return what is known of one hand, for seat 0 in chips; `folds` is how often the player folds to raises."""
    policy = None
    if not never_mixes(bot.policy):
        policy = bot.policy if bot.sees_cards else remembered(bot.policy)
    by_seat: Policies = (None, policy) if seat else (policy, None)

    def parts(hand: Hand) -> Floats:
        """Return the value of a hand without a weight for the cards, and what each weight is multiplied by."""
        luck, row = hand_luck(hand), np.zeros(1 + CHANCE.stop - CHANCE.start)
        row[0] = luck.all_in
        for term in dice_terms(hand, parsed.number, luck.equities, by_seat, record.spec.max_actions):
            value = action_value(action_features(term, folds), SOLID.actions)
            row[0] += -value if seat else value
        for term in luck.terms:
            at = AGAINST["tag"].bucket(term.behind, term.pot)
            row[1 + DEPTHS * term.dealt + at] += term.pot * term.change
        return row

    luck, actual = hand_luck(parsed.hand), parts(parsed.hand)
    others = [with_hole(parsed.hand, seat, hole) for hole in possible_holes(parsed, seat, bot.policy, record.spec)]
    mean = np.mean([actual, *map(parts, others)], axis=0)
    adjusted = luck.all_in - chance_luck(luck.terms, LADDER)
    return np.array([adjusted, actual[0] - chance_luck(luck.terms, SOLID), *mean])


def fit_weights(samples: Iterable[tuple[Floats, Floats, float]], *, prior: Floats, spread: Floats) -> Floats:
    """Return the weights that make the variance of `target - features @ weights` small.

    Args:
        samples: Features, targets and a variance of each pairing. Pairings with the same number of hands count the same
            if the variance is that of what is to be explained.
        prior: The weights, as far as they are known without the samples.
        spread: How far from that they are likely to be.
    """
    square, mixed = np.diag(spread**-2.0), np.zeros(len(prior))
    for features, target, variance in samples:
        centred, wanted = features - features.mean(axis=0), target - target.mean()
        square = square + centred.T @ centred / variance
        mixed = mixed + centred.T @ (wanted - centred @ prior) / variance
    found: Floats = prior + np.linalg.solve(square, mixed)
    return found


def solid_weights() -> Floats:
    """Return the weights for players who bet by strength, at the depths here and without regard to raises."""
    return np.array(
        [
            np.mean([row[SOLID.bucket(int(100 * depth), 100, raised=raised)] for raised in (False, True)])
            for row in SOLID.chance
            for depth in TYPICAL_DEPTHS
        ]
    )


def fit(sample: Sample) -> Table:
    """Return the weights against each bot, to three digits; none is negative, since a good card is not bad luck."""
    prior, spread = solid_weights(), np.tile([(1 + 2 * depth) / 4 for depth in TYPICAL_DEPTHS], len(DEALT))
    found = {}
    for bot in BOTS:
        known = [(hands[:, CHANCE], hands[:, MEAN], hands[:, ADJUSTED].var()) for hands in of_bot(sample, bot)]
        weights = fit_weights(known, prior=prior, spread=spread)
        found[bot] = np.array([float(f"{max(weight, 0.0):.3g}") for weight in weights])
    return found


def of_bot(sample: Sample, bot: str, stack: int | None = None) -> list[Floats]:
    """Return the hands of each pairing of a bot in which luck does not cancel out."""
    return [
        hands
        for cell, hands in sample.items()
        if cell.bot == bot and stack in (None, cell.stack) and hands[:, ADJUSTED].var() > 1e-9
    ]


def frozen() -> Table:
    """Return the weights that are in use."""
    return {bot: np.array([row[:DEPTHS] for row in AGAINST[bot].chance]).ravel() for bot in BOTS}


def print_table(table: Table) -> None:
    """Print weights as they stand in `molt_bench.luck.coefficients`."""
    for bot, weights in table.items():
        rows = [", ".join(f"{weight:.6g}" for weight in row) for row in weights.reshape(len(DEALT), DEPTHS)]
        print(f'        "{bot}": _against(', *[f"            ({row})," for row in rows], "        ),", sep="\n")


def report(title: str, sample: Sample, tables: Mapping[str, Table]) -> None:
    """Print the variance of `ranged` by each table, relative to `adjusted` and to `corrected_solid`."""
    print(f"{title}: variance of ranged, relative to adjusted (to correctedSolid), geometric mean over players")
    print(f"{'bot':12}{'stack':>6}", *[f"{name:>16}" for name in tables])
    whole: dict[str, list[Floats]] = {}
    for bot in BOTS:
        for stack in STACKS_BB:
            found = [ratios(hands, [table[bot] for table in tables.values()]) for hands in of_bot(sample, bot, stack)]
            if found:
                print_ratios(bot, stack, found)
                whole.setdefault(bot, []).extend(found)
    for bot, found in whole.items():
        print_ratios(bot, "all", found)
    print_ratios("all", "all", [each for found in whole.values() for each in found])


def ratios(hands: Floats, tables: Sequence[Floats]) -> Floats:
    """Return the variance with each table, relative to `adjusted` and to `corrected_solid`."""
    ranged = np.array([(hands[:, MEAN] - hands[:, CHANCE] @ weights).var() for weights in tables])
    return ranged[:, None] / hands[:, [ADJUSTED, SOLID_CORRECTED]].var(axis=0)


def print_ratios(bot: str, stack: int | str, found: list[Floats]) -> None:
    """Print the geometric mean over pairings."""
    shown = [f"{first:.3f} ({second:.3f})" for first, second in np.exp(np.mean(np.log(found), axis=0))]
    print(f"{bot:12}{stack:>6}", *[f"{each:>16}" for each in shown])


def played_sample(pool: ProcessPoolExecutor, cells: Iterable[Cell], name: str, seeds: int) -> Sample:
    """Play cells."""
    chosen = [f"{name} {number}" for number in range(seeds)]
    played = dict(pool.map(play, [Work(cell, chosen) for cell in cells]))
    print(f"played {name}: {len(played)} cells of {HANDS * seeds} hands in both seatings", flush=True)
    return played


def main() -> None:
    """Play, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--processes", type=int, default=2, help="how many cells at once (%(default)s)")
    parser.add_argument("--seeds", type=int, default=6, help="games of each pairing and seating (%(default)s)")
    options = parser.parse_args()
    with ProcessPoolExecutor(options.processes) as pool:
        sample = played_sample(pool, fitted_cells(), "ranges", options.seeds)
        held_out = played_sample(pool, held_out_cells(), "ranges held out", options.seeds)
    tables = {"frozen": frozen(), "fitted": fit(sample)}
    print_table({bot: tables["frozen" if bot in KEPT else "fitted"][bot] for bot in BOTS})
    same = all(np.array_equal(tables["fitted"][bot], tables["frozen"][bot]) for bot in BOTS if bot not in KEPT)
    print(f"as frozen: {same} ({', '.join(KEPT)} kept)")
    report("fitted players", sample, tables)
    report("held-out players", held_out, tables)


if __name__ == "__main__":
    main()
